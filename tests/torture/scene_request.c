/* A request of a login over the real client, to a server that answers or sends it elsewhere. */
#include "scene.h"

#include "auth/net/net.h"
#include "failing.h"
#include "io/http/server.h"

#include <stdio.h>

/* of the linker: other scenes have a network of their own (net.h) */
struct mcti_auth_request *__real_mcti_auth_request_start(const struct mcti_auth_net *net,
                                                         const struct mcti_auth_request_opts *opts,
                                                         mcti_auth_response_fn done, void *data, struct mct_error *err);

enum { TURNS = 2000 };

struct outcome {
    struct mcti_buf *to;
    int result; /* 1: not yet */
};

static void on_request(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    mcti_http_reply(x, 400, "application/json", MCT_STR_NONE, MCT_STR("{\"error\":\"invalid_grant\"}"));
}

static void on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data, (void)x;
}

static void on_response(void *data, const struct mcti_auth_response *r, const struct mct_error *err)
{
    struct outcome *o = data;
    o->result = err || r->status != 400 ? -1 : 0; /* the server says with another status that it has failed */
    if (r)
        mcti_buf_printf(o->to, "%d %.*s", r->status, MCT_STR_ARG(r->body));
}

static int ask(struct mcti_loop *loop, struct mcti_http_client *client, int port, struct mcti_buf *to)
{
    const struct mcti_auth_net net = { loop, client, NULL, true };
    struct outcome outcome = { to, 1 };
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/token", port);
    const struct mcti_auth_request_opts opts = {
        .method = "POST", .url = url, .what = "the token endpoint", .type = "text/plain", .body = MCT_STR("a=b")
    };
    if (!__real_mcti_auth_request_start(&net, &opts, on_response, &outcome, NULL))
        return -1;
    for (int i = 0; i < TURNS && outcome.result > 0; i++)
        uv_run(&loop->uv, UV_RUN_ONCE);
    return outcome.result > 0 ? -1 : outcome.result;
}

int scene_request(struct mcti_buf *to)
{
    const struct mcti_http_handler handler = { .on_request = on_request, .on_abort = on_abort };
    const struct mcti_http_opts opts = { .body_bytes = 1000, .answer_bytes = 10000 };
    struct mcti_loop loop;
    if (mcti_loop_init(&loop, NULL, NULL) < 0)
        return -1;
    struct mcti_http_server *server = mcti_http_server_new(&loop, "127.0.0.1:0", &opts, &handler, NULL);
    test_begins(); /* libcurl and OpenSSL keep what they allocate at first */
    struct mcti_http_client *client = mcti_http_client_new(&loop, NULL);
    test_ends();
    int result = server && client ? ask(&loop, client, mcti_http_server_port(server), to) : -1;
    mcti_http_client_free(client);
    mcti_http_server_free(server);
    mcti_loop_done(&loop);
    return result;
}
