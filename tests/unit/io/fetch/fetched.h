/* An HTTP server that answers each path from a table, and fetches from it. */
#ifndef MCT_TESTS_FETCHED_H
#define MCT_TESTS_FETCHED_H

#include "unit.h"

#include "io/fetch/client.h"
#include "io/http/server.h"

/* Ends with a row without a path. */
struct fetched_row {
    const char *path;
    int status;
    const char *type, *headers; /* lines that end in \r\n */
    const char *body;
    /* instead of the members above */
    void (*answer)(struct mcti_http_exchange *x);
};

static struct {
    struct mcti_loop loop;
    struct mcti_http_client *client;
    struct mcti_http_server *server;
    const struct fetched_row *rows;
    char base[64];       /* http://127.0.0.1:PORT */
    char requests[2048]; /* "METHOD PATH?QUERY\n" of each */
    char seen[4096];     /* the headers of the last request named by `wanted` */
    const char *wanted;
    struct mcti_http_exchange *stream; /* of a row that streams; NULL: none, or the client has left */
    uint64_t skew_ms;                  /* added to the clock */
} ft;

static inline uint64_t fetched_clock(void *data)
{
    (void)data;
    return uv_now(&ft.loop.uv) + ft.skew_ms;
}

/* For rows: begins an answer to which the test adds. */
static inline void fetched_stream(struct mcti_http_exchange *x)
{
    ft.stream = x;
    mcti_http_stream_open(x, 200, "application/json", MCT_STR_NONE);
}

static inline void fetched_on_request(void *data, struct mcti_http_exchange *x)
{
    struct mcti_str method = mcti_http_method(x), path = mcti_http_path(x), query = mcti_http_query_text(x);
    size_t n = strlen(ft.requests);
    (void)data;
    snprintf(ft.requests + n, sizeof ft.requests - n, "%.*s %.*s%s%.*s\n", MCT_STR_ARG(method), MCT_STR_ARG(path),
             query.p ? "?" : "", MCT_STR_ARG(query));
    if (ft.wanted)
        snprintf(ft.seen, sizeof ft.seen, "%.*s", MCT_STR_ARG(mcti_http_get(x, ft.wanted)));
    const struct fetched_row *r = ft.rows;
    while (r->path && !mcti_str_is(path, r->path))
        r++;
    if (r->path && r->answer)
        r->answer(x);
    else if (r->path)
        mcti_http_reply(x, r->status, r->type, mcti_str_of(r->headers), mcti_str_of(r->body));
    else
        mcti_http_reply(x, 404, NULL, MCT_STR_NONE, MCT_STR("nothing here"));
}

static inline void fetched_on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    if (ft.stream == x)
        ft.stream = NULL;
}

static inline void fetched_open(const struct fetched_row *rows)
{
    static const struct mcti_http_handler handler = { .on_request = fetched_on_request, .on_abort = fetched_on_abort };
    const struct mcti_http_opts opts = { .body_bytes = 1 << 20, .answer_bytes = 16 << 20 };
    memset(&ft, 0, sizeof ft);
    ft.rows = rows;
    assert_int_equal(mcti_loop_init(&ft.loop, NULL, NULL), 0);
    ft.loop.sched.clock = fetched_clock;
    ft.server = mcti_http_server_new(&ft.loop, "127.0.0.1:0", &opts, &handler, NULL);
    assert_non_null(ft.server);
    ft.client = mcti_http_client_new(&ft.loop, NULL);
    assert_non_null(ft.client);
    snprintf(ft.base, sizeof ft.base, "http://127.0.0.1:%d", mcti_http_server_port(ft.server));
}

static inline void fetched_close(void)
{
    mcti_http_client_free(ft.client);
    mcti_http_server_free(ft.server);
    mcti_loop_done(&ft.loop);
}

static inline void fetched_turn(void)
{
    uv_run(&ft.loop.uv, UV_RUN_NOWAIT);
    mcti_sched_run(&ft.loop.sched, fetched_clock(NULL));
}

/* Returns the URL of a path at the server. */
static inline const char *fetched_url(const char *path)
{
    static char urls[8][4096], *next;
    static unsigned n;
    next = urls[n++ % 8];
    snprintf(next, sizeof urls[0], "%s%s", ft.base, path);
    return next;
}

#endif
