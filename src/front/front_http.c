#include "front/http_impl.h"

#include "base/limits.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the small pages ---- */

static void page_health(struct mct_front_http *f, struct mct_http_exchange *x)
{
    (void)f;
    mct_http_reply(x, 200, "text/plain", MCT_STR_NONE, MCT_STR("ok\n"));
}

/* Ready when every server has settled and those that are required are connected. */
static bool ready(const struct mct_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->v[i]->settled || (r->v[i]->required && r->v[i]->state != MCT_CONNECTED))
            return false;
    return true;
}

static void page_ready(struct mct_front_http *f, struct mct_http_exchange *x)
{
    const struct mct_registry *r = f->gateway->registry;
    struct mct_buf b;
    bool is_ready = ready(r);
    mct_buf_init(&b, 1u << 20);
    mct_buf_printf(&b, "{\"ready\":%s,\"servers\":[", is_ready ? "true" : "false");
    for (size_t i = 0; i < r->n; i++) {
        mct_buf_addz(&b, i ? ",{" : "{");
        mct_provider_put_status(&b, r->v[i], mct_sched_now(r->sched));
        mct_buf_addc(&b, '}');
    }
    mct_buf_addz(&b, "]}\n");
    mct_http_reply(x, is_ready ? 200 : 503, "application/json", MCT_STR_NONE, mct_buf_str(&b));
    mct_buf_done(&b);
}

static const struct {
    const char *path;
    void (*serve)(struct mct_front_http *f, struct mct_http_exchange *x);
    bool open; /* no token is asked for */
} pages[] = {
    { "/healthz", page_health, true },
    { "/readyz", page_ready, false },
};

static const struct {
    const char *method;
    void (*serve)(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x);
} verbs[] = { { "POST", handle_post }, { "GET", handle_get }, { "DELETE", handle_delete } };

/* ---- routing ---- */

static void plain(struct mct_http_exchange *x, int status, struct mct_str headers, const char *kind,
                  const char *message)
{
    struct mct_buf b;
    mct_buf_init(&b, 4096);
    mct_buf_addz(&b, "{\"error\":{");
    mct_json_put_member(&b, "kind", mct_str_of(kind));
    mct_json_put_member(&b, "message", mct_str_of(message));
    mct_buf_addz(&b, "}}\n");
    mct_http_reply(x, status, "application/json", headers, mct_buf_str(&b));
    mct_buf_done(&b);
}

static bool allowed(struct mct_front_http *f, struct mct_http_exchange *x)
{
    struct mct_str host = mct_http_get(x, "host");
    if (mct_guard_host(&f->guard, host) && mct_guard_origin(&f->guard, mct_http_get(x, "origin"), host))
        return true;
    plain(x, 403, MCT_STR_NONE, "policy", "this Host or Origin may not use the endpoint; see serve.hosts "
          "and serve.origins in the configuration");
    return false;
}

static bool authorised(struct mct_front_http *f, struct mct_http_exchange *x)
{
    if (mct_guard_token(&f->guard, mct_http_get(x, "authorization")))
        return true;
    plain(x, 401, MCT_STR("WWW-Authenticate: Bearer\r\n"), "auth", "a bearer token is needed");
    return false;
}

static struct endpoint *find_endpoint(struct mct_front_http *f, struct mct_str path)
{
    for (size_t i = 0; i < f->n_endpoints; i++)
        if (mct_str_is(path, f->endpoints[i].path))
            return &f->endpoints[i];
    return NULL;
}

static void serve_endpoint(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x)
{
    bool claims = mct_rev_is_stateless(mct_rev_find(mct_http_get(x, "mcp-protocol-version")));
    bool stateless = f->gateway->era == MCT_ERA_STATELESS || (claims && f->gateway->era != MCT_ERA_HANDSHAKE);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (mct_str_is(mct_http_method(x), verbs[i].method) && (i == 0 || !stateless)) {
            verbs[i].serve(f, e, x);
            return;
        }
    }
    plain(x, 405, stateless ? MCT_STR("Allow: POST\r\n") : MCT_STR("Allow: POST, GET, DELETE\r\n"),
          "usage", "method not allowed");
}

static void on_request(void *data, struct mct_http_exchange *x)
{
    struct mct_front_http *f = data;
    struct mct_str path = mct_http_path(x);
    if (!allowed(f, x))
        return;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (mct_str_is(path, pages[i].path)) {
            if (pages[i].open || authorised(f, x))
                pages[i].serve(f, x);
            return;
        }
    }
    if (!authorised(f, x))
        return;
    struct endpoint *e = find_endpoint(f, path);
    if (e)
        serve_endpoint(f, e, x);
    else
        plain(x, 404, MCT_STR_NONE, "not_found", "nothing here; the endpoint is /mcp, or /mcp/NAME for one "
              "server");
}

/* A stateless client that hangs up has cancelled; a handshake client has only lost its connection. */
static void on_abort(void *data, struct mct_http_exchange *x)
{
    struct lane *l = mct_http_user(x);
    (void)data;
    if (!l)
        return;
    mct_session_drop_lane(&l->peer->session, l, l->session == NULL);
    lane_free(l);
}

/* ---- life ---- */

static void ping_all(struct mct_list *lanes)
{
    MCT_LIST_EACH(it, lanes)
        lane_ping(MCT_CONTAINER(it, struct lane, node));
}

static void on_tick(void *data)
{
    struct mct_front_http *f = data;
    ping_all(&f->lanes);
    MCT_LIST_EACH(it, &f->sessions)
        ping_all(&MCT_CONTAINER(it, struct http_session, node)->lanes);
    sessions_expire(f);
    mct_timer_set(&f->loop->sched, &f->tick, MCT_SSE_KEEPALIVE_MS);
}

/* `only` restricts the view; the path is /mcp or /mcp/NAME. */
static int add_endpoint(struct mct_front_http *f, const char *name, const char *const *only, size_t n_only)
{
    struct endpoint *e = &f->endpoints[f->n_endpoints];
    e->front = f;
    if (asprintf(&e->path, name ? "/mcp/%s" : "/mcp", name) < 0)
        return -1;
    f->n_endpoints++;
    if (mct_view_init(&e->view, f->gateway->registry, &f->naming, only, n_only) < 0)
        return -1;
    e->stateless = mct_peer_new(f->gateway, &e->view, &stateless_peer_ops, e);
    return e->stateless ? 0 : -1;
}

static int add_endpoints(struct mct_front_http *f, const struct mct_front_http_opts *o)
{
    struct mct_registry *r = f->gateway->registry;
    f->endpoints = calloc(r->n + 1, sizeof *f->endpoints);
    if (!f->endpoints || add_endpoint(f, NULL, o->only, o->n_only) < 0)
        return -1;
    for (size_t i = 0; i < r->n; i++) {
        const char *name = r->v[i]->name;
        if (mct_view_shows(&f->endpoints[0].view, r->v[i]) && add_endpoint(f, name, &name, 1) < 0)
            return -1;
    }
    return 0;
}

struct mct_front_http *mct_front_http_new(struct mct_loop *loop, struct mct_gateway *g,
                                          const struct mct_front_http_opts *opts, struct mct_error *err)
{
    struct mct_front_http *f = calloc(1, sizeof *f);
    if (!f) {
        mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
        return NULL;
    }
    f->loop = loop;
    f->gateway = g;
    f->guard = opts->guard;
    f->naming = opts->naming;
    f->message_bytes = opts->message_bytes;
    mct_map_init(&f->sessions_by_id);
    mct_list_init(&f->sessions);
    mct_list_init(&f->lanes);
    mct_timer_init(&f->tick, on_tick, f);
    const struct mct_http_opts http = { .body_bytes = opts->message_bytes,
                                        .answer_bytes = MCT_LIMIT_ANSWER_FACTOR * opts->message_bytes };
    const struct mct_http_handler handler = { .on_request = on_request, .on_abort = on_abort, .data = f };
    if (add_endpoints(f, opts) < 0)
        mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    else
        f->server = mct_http_server_new(loop, opts->address, &http, &handler, err);
    if (!f->server) {
        mct_front_http_free(f);
        return NULL;
    }
    mct_timer_set(&loop->sched, &f->tick, MCT_SSE_KEEPALIVE_MS);
    return f;
}

int mct_front_http_port(const struct mct_front_http *f)
{
    return mct_http_server_port(f->server);
}

void mct_front_http_drain(struct mct_front_http *f, mct_later_fn done, void *data)
{
    for (size_t i = 0; i < f->n_endpoints; i++)
        mct_peer_end_listens(f->endpoints[i].stateless);
    MCT_LIST_EACH(it, &f->sessions) {
        struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        if (s->stream)
            lane_end(s->stream);
    }
    mct_http_server_drain(f->server, done, data);
}

void mct_front_http_free(struct mct_front_http *f)
{
    if (!f)
        return;
    mct_timer_stop(&f->loop->sched, &f->tick);
    while (!mct_list_empty(&f->sessions))
        session_free(MCT_CONTAINER(f->sessions.next, struct http_session, node));
    for (size_t i = 0; i < f->n_endpoints; i++) {
        mct_peer_free(f->endpoints[i].stateless);
        mct_view_done(&f->endpoints[i].view);
        free(f->endpoints[i].path);
    }
    while (!mct_list_empty(&f->lanes))
        lane_end(MCT_CONTAINER(f->lanes.next, struct lane, node));
    mct_http_server_free(f->server);
    mct_map_done(&f->sessions_by_id);
    free(f->endpoints);
    free(f);
}
