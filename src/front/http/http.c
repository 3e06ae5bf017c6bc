#include "front/http/impl.h"

#include "base/limits.h"
#include "front/http/prefs.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *method;
    void (*serve)(const struct visit *v);
} verbs[] = { { "POST", handle_post }, { "GET", handle_get }, { "DELETE", handle_delete } };

/* ---- routing ---- */

void reply_plain(struct mct_http_exchange *x, int status, struct mct_str headers, const char *kind,
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

static void serve_endpoint(const struct visit *v)
{
    enum mct_era era = v->front->gateway->era;
    bool claims = mct_rev_is_stateless(mct_rev_find(mct_http_get(v->x, "mcp-protocol-version")));
    bool stateless = era == MCT_ERA_STATELESS || (claims && era != MCT_ERA_HANDSHAKE);
    if (repeated_header(v->x) && !mct_str_is(mct_http_method(v->x), "POST")) {
        reply_plain(v->x, 400, MCT_STR_NONE, "protocol", "a header of the protocol is there twice");
        return;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (mct_str_is(mct_http_method(v->x), verbs[i].method) && (i == 0 || !stateless)) {
            verbs[i].serve(v);
            return;
        }
    }
    reply_plain(v->x, 405, stateless ? MCT_STR("Allow: POST\r\n") : MCT_STR("Allow: POST, GET, DELETE\r\n"),
                "usage", "method not allowed");
}

bool visit_read_prefs(struct visit *v)
{
    struct mct_str query = mct_http_query_text(v->x);
    struct mct_error err;
    if (v->principal)
        v->prefs = v->front->guard.tokens[v->principal - 1].prefs;
    if (!query.p || mct_http_prefs_read(query, time(NULL), &v->prefs, &err) == 0)
        return true;
    refuse(v->x, 400, MCT_RPC_REFUSED, MCT_STR_NONE, err.message);
    return false;
}

static bool serve_path(struct visit *v, struct mct_str path)
{
    struct mct_front_http *f = v->front;
    for (size_t i = 0; i < f->n_endpoints; i++) {
        v->endpoint = &f->endpoints[i];
        bool sse = v->endpoint->sse_path && mct_str_is(path, v->endpoint->sse_path);
        if (!sse && !mct_str_is(path, v->endpoint->path))
            continue;
        if (!visit_read_prefs(v))
            return true;
        if (sse)
            handle_sse(v);
        else
            serve_endpoint(v);
        return true;
    }
    v->endpoint = NULL;
    return false;
}

static const char *why_nothing(struct mct_str path)
{
    static const struct {
        const char *begins, *text;
    } rows[] = {
        { "/mcp/", "there is no server of this name; /readyz lists them" },
        { "/sse", "HTTP+SSE of 2024-11-05 is off: start with --legacy-sse, or set serve.legacy_sse" },
        { "", "nothing here; the endpoint is /mcp, or /mcp/NAME for one server" },
    };
    size_t i = 0;
    while (!mct_str_starts(path, mct_str_of(rows[i].begins)))
        i++;
    return rows[i].text;
}

static void on_request(void *data, struct mct_http_exchange *x)
{
    struct mct_front_http *f = data;
    int who = principal_of(f, x);
    struct visit v = { .front = f, .x = x, .principal = who < 0 ? 0 : (unsigned)who };
    struct mct_str path = mct_http_path(x);
    if (!serve_path(&v, path) && !serve_page(&v, path))
        reply_plain(x, 404, MCT_STR_NONE, "not_found", why_nothing(path));
}

/* A stateless client that hangs up has cancelled; a handshake client has only lost its connection, and
 * may come back, if not over HTTP+SSE. */
static void on_abort(void *data, struct mct_http_exchange *x)
{
    struct lane *l = mct_http_user(x);
    (void)data;
    if (!l)
        return;
    lane_detach(l);
    if (l->session && l->session->legacy) {
        session_free(l->session);
    } else if (!l->session) {
        mct_session_drop_lane(&l->peer->session, l);
        lane_free(l);
    }
}

static void on_over(void *data, struct mct_http_exchange *x)
{
    struct mct_front_http *f = data;
    count_request(f, x);
    access_end(f, x);
}

/* ---- life ---- */

static void on_tick(void *data)
{
    struct mct_front_http *f = data;
    lanes_ping(f);
    sessions_expire(f);
    events_expire(f);
    faces_expire(f);
}

/* The path is /mcp or /mcp/NAME. */
static int add_endpoint(struct mct_front_http *f, const char *name)
{
    const struct mct_client_prefs nothing = { .ruled.stranger = f->guard.n_tokens > 0 };
    struct endpoint *e = &f->endpoints[f->n_endpoints];
    *e = (struct endpoint){ .front = f, .name = name };
    mct_list_init(&e->faces);
    f->n_endpoints++;
    if (asprintf(&e->path, name ? "/mcp/%s" : "/mcp", name) < 0 ||
        (f->legacy_sse && asprintf(&e->sse_path, name ? "/sse/%s" : "/sse", name) < 0))
        return -1;
    return face_for(e, &nothing, 0) ? 0 : -1;
}

static int add_endpoints(struct mct_front_http *f)
{
    struct mct_registry *r = f->gateway->registry;
    f->endpoints = calloc(r->n + 1, sizeof *f->endpoints);
    if (!f->endpoints || add_endpoint(f, NULL) < 0)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        if (mct_view_shows(&face_first(&f->endpoints[0])->view, r->v[i]) && add_endpoint(f, r->v[i]->name) < 0)
            return -1;
    return 0;
}

static bool make_room(void *data, const struct mct_account *asks, const struct mct_account *over)
{
    const struct mct_front_http *f = data;
    return f->server && mct_http_make_room(f->server, asks, over);
}

static void init(struct mct_front_http *f, struct mct_loop *loop, struct mct_gateway *g,
                 const struct mct_front_http_opts *o)
{
    f->loop = loop;
    f->gateway = g;
    g->make_room = make_room;
    g->make_room_data = f;
    f->guard = o->guard;
    f->naming = o->naming;
    f->only = o->only;
    f->n_only = o->n_only;
    f->message_bytes = o->message_bytes;
    f->max_sessions = o->sessions ? o->sessions : MCT_LIMIT_SESSIONS;
    f->legacy_sse = o->legacy_sse;
    f->event_log = o->event_log;
    f->audit_log = o->audit_log;
    mct_map_init(&f->sessions_by_id);
    mct_list_init(&f->sessions);
    mct_list_init(&f->lanes);
    mct_list_init(&f->waiting);
    mct_timer_init(&f->tick, on_tick, f);
    mct_buf_init(&f->line, MCT_LIMIT_ANSWER_FACTOR * o->message_bytes + 4096);
    mct_buf_init(&f->scratch, MCT_LIMIT_ANSWER_FACTOR * o->message_bytes + 8192);
    access_init(f, o->access_log);
}

struct mct_front_http *mct_front_http_new(struct mct_loop *loop, struct mct_gateway *g,
                                          const struct mct_front_http_opts *opts, struct mct_error *err)
{
    struct mct_front_http *f = calloc(1, sizeof *f);
    if (!f) {
        mct_no_memory(err);
        return NULL;
    }
    init(f, loop, g, opts);
    const struct mct_http_opts http = { .body_bytes = opts->message_bytes,
                                        .answer_bytes = MCT_LIMIT_ANSWER_FACTOR * opts->message_bytes,
                                        .connections = opts->connections,
                                        .account = &g->memory.whole,
                                        .connection = &g->memory.rules[MCT_LEVEL_CLIENT] };
    const struct mct_http_handler handler = { .on_head = admit, .on_request = on_request, .on_abort = on_abort,
                                              .on_over = on_over, .data = f };
    if (visitors_init(f) < 0 || cors_init(f) < 0 || calls_init(f) < 0 || add_endpoints(f) < 0)
        mct_no_memory(err);
    else
        f->server = mct_http_server_new(loop, opts->address, &http, &handler, err);
    if (!f->server) {
        mct_front_http_free(f);
        return NULL;
    }
    on_tick(f);
    return f;
}

int mct_front_http_port(const struct mct_front_http *f)
{
    return mct_http_server_port(f->server);
}

void mct_front_http_drain(struct mct_front_http *f, mct_later_fn done, void *data)
{
    f->draining = true;
    for (size_t i = 0; i < f->n_endpoints; i++)
        MCT_LIST_EACH(it, &f->endpoints[i].faces)
            mct_peer_end_listens(MCT_CONTAINER(it, struct face, node)->stateless);
    MCT_LIST_EACH(it, &f->sessions) {
        struct http_session *s = MCT_CONTAINER(it, struct http_session, node);
        if (!s->legacy || !s->peer->session.n_inbound)
            session_end_stream(s); /* the others end with their last answer */
    }
    mct_http_server_drain(f->server, done, data);
}

void mct_front_http_free(struct mct_front_http *f)
{
    if (!f)
        return;
    f->draining = true;
    mct_timer_stop(&f->loop->sched, &f->tick);
    bye(f);
    while (!mct_list_empty(&f->sessions))
        session_free(MCT_CONTAINER(f->sessions.next, struct http_session, node));
    for (size_t i = 0; i < f->n_endpoints; i++) {
        faces_free(&f->endpoints[i]);
        free(f->endpoints[i].path);
        free(f->endpoints[i].sse_path);
    }
    while (!mct_list_empty(&f->lanes))
        lane_close(MCT_CONTAINER(f->lanes.next, struct lane, node));
    f->gateway->make_room = NULL;
    mct_http_server_free(f->server);
    access_done(f);
    mct_map_done(&f->sessions_by_id);
    mct_buf_done(&f->line);
    mct_buf_done(&f->scratch);
    cors_free(f);
    calls_done(f);
    free(f->endpoints);
    free(f->visitors);
    free(f);
}
