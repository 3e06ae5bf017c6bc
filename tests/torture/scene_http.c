/* A request to the HTTP server, and its answer. */
#include "scene.h"

#include "failing.h"
#include "io/http/server.h"
#include "visit.h"

static const char request[] = "POST /a/b?x=1&y=two HTTP/1.1\r\nHost: localhost\r\nX-One: 1\r\nX-Two: 2\r\n"
                              "Content-Length: 11\r\n\r\nhello world";

static void on_request(void *data, struct mcti_http_exchange *x)
{
    struct mcti_buf b;
    (void)data;
    mcti_buf_init(&b, 4096);
    mcti_buf_add(&b, mcti_http_path(x));
    mcti_buf_add(&b, mcti_http_query(x, "y"));
    mcti_buf_add(&b, mcti_http_get(x, "x-two"));
    mcti_buf_add(&b, mcti_http_body(x));
    if (mcti_buf_ok(&b))
        mcti_http_reply(x, 200, "text/plain", MCT_STR("X-Three: 3\r\n"), mcti_buf_str(&b));
    else
        mcti_http_reply(x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    mcti_buf_done(&b);
}

static void on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    (void)x;
}

int scene_http(struct mcti_buf *to)
{
    const struct mcti_http_handler handler = { .on_request = on_request, .on_abort = on_abort };
    struct mcti_memory memory;
    struct mcti_account clients;
    struct mcti_loop loop;
    mcti_memory_init(&memory, &(struct mcti_memory_opts){ .principal_share = 90, .client_share = 90 });
    clients = (struct mcti_account){ .parent = &memory.whole, .rule = &memory.rules[MCT_LEVEL_PRINCIPAL] };
    const struct mcti_http_opts opts = {
        .body_bytes = 1000, .answer_bytes = 10000, .account = &clients, .connection = &memory.rules[MCT_LEVEL_CLIENT]
    };
    if (mcti_loop_init(&loop, NULL, NULL) < 0)
        return -1;
    struct mcti_http_server *server = mcti_http_server_new(&loop, "127.0.0.1:0", &opts, &handler, NULL);
    const struct mcti_str sent = { request, sizeof request - 1 };
    int result = server ? visit(&loop, (unsigned)mcti_http_server_port(server), sent, to) : -1;
    mcti_http_server_free(server);
    mcti_loop_done(&loop);
    return memory.whole.held ? 1 : result;
}
