/* A server and its authorization server in one, which answer from a table and note what they are asked. */
#ifndef MCT_TESTS_AUTH_FAKE_H
#define MCT_TESTS_AUTH_FAKE_H

#include "unit.h"

#include "auth/auth.h"
#include "io/http/server.h"

/* An answer to "METHOD /path". "$" in texts is the address of the server, "http://127.0.0.1:PORT", and "~" the same as
 * "http://localhost:PORT". Several rows for one request are taken in turn; the last one is repeated. */
struct fake_row {
    const char *request;
    int status;
    const char *body, *headers; /* headers: lines that end in \r\n */
    const char *type;           /* NULL: application/json */
};

enum { FAKE_ROWS = 12 };

static struct {
    struct mcti_loop loop;
    struct mcti_http_client *client;
    struct mcti_http_server *server;
    const struct fake_row *rows; /* FAKE_ROWS or up to an empty one */
    struct mcti_auth_settings settings;
    struct mcti_auth_env env;
    char base[64], local[64], server_url[128];
    char asked[8192]; /* "METHOD /path?query\n" of each request */
    char body[8192];  /* of the last request with one */
    char authorization[1024];
    const char *accepts; /* the Authorization header with which any request is answered with 200; NULL: none */
    uint64_t skew_ms;
    int64_t now_s;
} fk;

/* Writes a text with its signs replaced. */
static inline const char *fake_text(char *to, size_t size, const char *text)
{
    size_t n = 0;
    to[0] = '\0';
    for (; text && *text && n + 80 < size; text++)
        if (*text == '$' || *text == '~')
            n += (size_t)snprintf(to + n, size - n, "%s", *text == '$' ? fk.base : fk.local);
        else
            to[n++] = *text, to[n] = '\0';
    return to;
}

static inline unsigned fake_count(const char *request)
{
    unsigned n = 0;
    size_t len = strlen(request);
    for (const char *at = fk.asked; (at = strstr(at, request)); at += len)
        n += (at[len] == '\n' || at[len] == '?') && (at == fk.asked || at[-1] == '\n');
    return n;
}

static inline const struct fake_row *fake_find(const char *request)
{
    const struct fake_row *found = NULL;
    unsigned nth = fake_count(request);
    for (size_t i = 0; i < FAKE_ROWS && fk.rows[i].request && nth; i++)
        if (!strcmp(fk.rows[i].request, request)) {
            found = &fk.rows[i];
            nth--;
        }
    return found;
}

static inline void fake_on_request(void *data, struct mcti_http_exchange *x)
{
    char request[2048], headers[1024], body[8192];
    struct mcti_str query = mcti_http_query_text(x);
    (void)data;
    snprintf(request, sizeof request, "%.*s %.*s", MCT_STR_ARG(mcti_http_method(x)), MCT_STR_ARG(mcti_http_path(x)));
    size_t n = strlen(fk.asked);
    snprintf(fk.asked + n, sizeof fk.asked - n, "%s%s%.*s\n", request, query.p ? "?" : "", MCT_STR_ARG(query));
    if (mcti_http_body(x).len)
        snprintf(fk.body, sizeof fk.body, "%.*s", MCT_STR_ARG(mcti_http_body(x)));
    snprintf(fk.authorization, sizeof fk.authorization, "%.*s", MCT_STR_ARG(mcti_http_get(x, "authorization")));
    assert_null(mcti_http_get(x, "mcp-session-id").p);
    assert_null(mcti_http_get(x, "cookie").p);
    if (fk.accepts && !strcmp(fk.accepts, fk.authorization)) {
        mcti_http_reply(x, 200, "application/json", MCT_STR_NONE, MCT_STR("{}"));
        return;
    }
    const struct fake_row *r = fake_find(request);
    if (!r) {
        mcti_http_reply(x, 404, "text/html", MCT_STR_NONE, MCT_STR("<html>nothing here</html>"));
        return;
    }
    fake_text(headers, sizeof headers, r->headers);
    mcti_http_reply(x, r->status, r->type ? r->type : "application/json", mcti_str_of(headers),
                    mcti_str_of(fake_text(body, sizeof body, r->body)));
}

static inline void fake_on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data, (void)x;
}

static inline uint64_t fake_clock(void *data)
{
    (void)data;
    return uv_now(&fk.loop.uv) + fk.skew_ms;
}

static inline int64_t fake_now_s(void)
{
    return fk.now_s;
}

/* Opens the server; the MCP server is at "$" + path. */
static inline void fake_open(const struct fake_row *rows, const char *path)
{
    static const struct mcti_http_handler handler = { .on_request = fake_on_request, .on_abort = fake_on_abort };
    const struct mcti_http_opts opts = { .body_bytes = 1 << 20, .answer_bytes = 1 << 20 };
    memset(&fk, 0, sizeof fk);
    fk.rows = rows;
    fk.now_s = 1000000;
    assert_int_equal(mcti_loop_init(&fk.loop, NULL, NULL), 0);
    fk.loop.sched.clock = fake_clock;
    fk.server = mcti_http_server_new(&fk.loop, "127.0.0.1:0", &opts, &handler, NULL);
    assert_non_null(fk.server);
    fk.client = mcti_http_client_new(&fk.loop, NULL);
    assert_non_null(fk.client);
    snprintf(fk.base, sizeof fk.base, "http://127.0.0.1:%d", mcti_http_server_port(fk.server));
    snprintf(fk.local, sizeof fk.local, "http://localhost:%d", mcti_http_server_port(fk.server));
    snprintf(fk.server_url, sizeof fk.server_url, "%s%s", fk.base, path);
    fk.env = (struct mcti_auth_env){ .net = { .loop = &fk.loop, .http = fk.client, .allow_private = true },
                                     .name = "git",
                                     .server_url = fk.server_url,
                                     .settings = &fk.settings,
                                     .now_s = fake_now_s };
}

static inline void fake_close(void)
{
    mcti_http_client_free(fk.client);
    mcti_http_server_free(fk.server);
    mcti_loop_done(&fk.loop);
}

/* Runs the loop once. */
static inline void fake_turn(void)
{
    uv_run(&fk.loop.uv, UV_RUN_NOWAIT);
    mcti_sched_run(&fk.loop.sched, fake_clock(NULL));
}

/* Runs the loop until the flag is set. */
static inline void fake_run_until(const bool *flag)
{
    for (int i = 0; i < 100000 && !*flag; i++) {
        uv_run(&fk.loop.uv, UV_RUN_NOWAIT);
        mcti_sched_run(&fk.loop.sched, fake_clock(NULL));
        if (!*flag)
            uv_sleep(0);
    }
    assert_true(*flag);
}

#define assert_asked(lines) assert_string_equal(fk.asked, lines)

#endif
