#include "fixture.h"

#include "base/limits.h"
#include "front/http/http.h"
#include "front/page/page.h"
#include "front/stdio.h"
#include "io/transport_fd.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int fixture_add(struct mcti_provider *p, const struct fixture_item *items, size_t n, struct mct_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_local_add(p, items[i].kind, items[i].json, items[i].fn, (void *)items[i].data, err) < 0)
            return -1;
    return 0;
}

void fixture_constant(struct mcti_local_request *r, void *data)
{
    mcti_local_result(r, mcti_str_of(data));
}

/* ---- the server ---- */

struct server {
    struct mcti_loop loop;
    struct mcti_registry registry;
    struct mcti_gateway gateway;
    struct mcti_front_stdio stdio;
    struct mcti_front_http *http;
    uv_signal_t signals[2];
    bool over, stopped;
};

static const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_AUTO, 64 };

static void set_flag(void *data)
{
    *(bool *)data = true;
}

static void on_signal(uv_signal_t *signal, int number)
{
    (void)number;
    *(bool *)signal->data = true;
}

static int add_provider(struct server *s, struct mct_error *err)
{
    struct mcti_provider *p = mcti_provider_local_new("fixture", &s->loop.sched, NULL);
    if (mcti_registry_add(&s->registry, p) < 0)
        return mcti_no_memory(err);
    return fixture_add_tools(p, err) < 0 || fixture_add_asks(p, err) < 0 || fixture_add_data(p, err) < 0 ? -1 : 0;
}

static int serve_stdio(struct server *s, struct mct_error *err)
{
    struct mcti_transport *t = mcti_transport_fd_new(&s->loop, STDIN_FILENO, STDOUT_FILENO, MCT_LIMIT_MESSAGE_BYTES);
    s->stdio = (struct mcti_front_stdio){ .done = set_flag, .data = &s->over };
    return mcti_front_stdio_open(&s->stdio, &s->gateway, t, &(struct mcti_view_opts){ .naming = &naming }, err);
}

static int serve_http(struct server *s, const char *address, struct mct_error *err)
{
    const char *colon = strrchr(address, ':');
    struct mcti_str host = colon ? mcti_str_range(address, colon) : mcti_str_of(address);
    const struct mcti_front_http_opts opts = { .address = address,
                                               .pages = &mcti_pages,
                                               .naming = naming,
                                               .guard = { .loopback = mcti_is_loopback_host(host), .bound_host = host },
                                               .message_bytes = MCT_LIMIT_MESSAGE_BYTES };
    s->http = mcti_front_http_new(&s->loop, &s->gateway, &opts, err);
    if (!s->http)
        return -1;
    printf("http://%.*s:%d/mcp\n", MCT_STR_ARG(host), mcti_front_http_port(s->http));
    return fflush(stdout) == 0 ? 0 : mcti_fail(err, MCT_ERR_INTERNAL, "stdout is closed");
}

static void run(struct server *s)
{
    static const int numbers[] = { SIGTERM, SIGINT };
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&s->loop.uv, &s->signals[i]);
        s->signals[i].data = &s->over;
        uv_signal_start(&s->signals[i], on_signal, numbers[i]);
    }
    mcti_registry_start_all(&s->registry);
    while (!s->over)
        uv_run(&s->loop.uv, UV_RUN_ONCE);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&s->signals[i], NULL);
}

static void close_all(struct server *s, bool on_stdio)
{
    if (on_stdio)
        mcti_front_stdio_close(&s->stdio);
    mcti_front_http_free(s->http);
    mcti_gateway_done(&s->gateway);
    mcti_registry_stop(&s->registry, set_flag, &s->stopped);
    while (!s->stopped)
        uv_run(&s->loop.uv, UV_RUN_ONCE);
    mcti_registry_done(&s->registry);
    mcti_loop_done(&s->loop);
}

static int serve(const char *address, enum mcti_era era, struct mct_error *err)
{
    static struct server s;
    const struct mcti_gateway_opts opts = { .message_bytes = MCT_LIMIT_MESSAGE_BYTES, .era = era };
    if (mcti_loop_init(&s.loop, NULL, err) < 0)
        return -1;
    mcti_registry_init(&s.registry, &s.loop.sched);
    int r = add_provider(&s, err);
    mcti_gateway_init(&s.gateway, &s.registry, NULL, &opts);
    if (r == 0)
        r = address ? serve_http(&s, address, err) : serve_stdio(&s, err);
    if (r == 0)
        run(&s);
    close_all(&s, r == 0 && !address);
    return r;
}

/* ---- the command line ---- */

static int usage(void)
{
    fprintf(stderr, "usage: mcptools-fixture --stdio | --http HOST:PORT [--era legacy|2026|both]\n"
                    "With --http the first line of its output is the URL; port 0 is any that is free.\n");
    return 2;
}

static bool read_era(const char *word, enum mcti_era *ret)
{
    static const char *const words[] = {
        [MCT_ERA_AUTO] = "both", [MCT_ERA_HANDSHAKE] = "legacy", [MCT_ERA_STATELESS] = "2026"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]))
            continue;
        *ret = (enum mcti_era)i;
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    const char *address = NULL;
    bool on_stdio = false;
    enum mcti_era era = MCT_ERA_AUTO;
    struct mct_error err;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--stdio"))
            on_stdio = true;
        else if (!strcmp(argv[i], "--http") && i + 1 < argc)
            address = argv[++i];
        else if (strcmp(argv[i], "--era") || i + 1 >= argc || !read_era(argv[++i], &era))
            return usage();
    }
    if (on_stdio == (address != NULL))
        return usage();
    signal(SIGPIPE, SIG_IGN);
    if (serve(address, era, &err) == 0)
        return 0;
    fprintf(stderr, "mcptools-fixture: %s\n", err.message);
    return 1;
}
