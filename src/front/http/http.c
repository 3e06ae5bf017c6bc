#include "front/http/events.h"
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/path.h"
#include "front/http/log.h"
#include "front/http/metrics.h"

#include "base/limits.h"
#include "front/http/prefs.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct {
    const char *method;
    void (*serve)(const struct mcti_http_visit *v);
} verbs[] = { { "POST", mcti_http_handle_post },
              { "GET", mcti_http_handle_get },
              { "DELETE", mcti_http_handle_delete } };

/* ---- routing ---- */

void mcti_http_reply_plain(struct mcti_http_exchange *x, int status, struct mcti_str headers, const char *kind,
                           const char *message)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_buf_addz(&b, "{\"error\":{");
    mcti_json_put_member(&b, "kind", mcti_str_of(kind));
    mcti_json_put_member(&b, "message", mcti_str_of(message));
    mcti_buf_addz(&b, "}}\n");
    mcti_http_reply(x, status, "application/json", headers, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void serve_endpoint(const struct mcti_http_visit *v)
{
    enum mcti_era era = v->front->gateway->era;
    bool claims = mcti_rev_is_stateless(mcti_rev_find(mcti_http_get(v->x, "mcp-protocol-version")));
    bool stateless = era == MCT_ERA_STATELESS || (claims && era != MCT_ERA_HANDSHAKE);
    /* that of a POST is answered in the form of JSON-RPC */
    const char *repeated = mcti_str_is(mcti_http_method(v->x), "POST") ? NULL : mcti_http_repeated_header(v->x);
    if (repeated) {
        char why[64];
        snprintf(why, sizeof why, "duplicate header %s", repeated);
        mcti_http_reply_plain(v->x, 400, MCT_STR_NONE, "protocol", why);
        return;
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (mcti_str_is(mcti_http_method(v->x), verbs[i].method) && (i == 0 || !stateless)) {
            verbs[i].serve(v);
            return;
        }
    }
    mcti_http_reply_plain(v->x, 405, stateless ? MCT_STR("Allow: POST\r\n") : MCT_STR("Allow: POST, GET, DELETE\r\n"),
                          "usage", "method not allowed");
}

bool mcti_http_visit_read_prefs(struct mcti_http_visit *v)
{
    struct mcti_str query = mcti_http_query_text(v->x);
    struct mct_error err;
    if (v->principal)
        v->prefs = v->front->guard.tokens[v->principal - 1].prefs;
    if (!query.p || mcti_http_prefs_read(query, time(NULL), &v->prefs, &err) == 0)
        return true;
    mcti_http_post_refuse(v->x, 400, MCT_RPC_REFUSED, MCT_STR_NONE, err.message);
    return false;
}

bool mcti_http_endpoint_exists(const struct mcti_http_endpoint *e)
{
    return !e->name || mcti_registry_find(e->front->gateway->registry, mcti_str_of(e->name));
}

bool mcti_http_endpoint_is(const struct mcti_http_endpoint *e, struct mcti_str path)
{
    return (mcti_path_is(path, MCT_STR("/mcp"), e->name) ||
            (e->name && mcti_path_ends(path, e->name, MCT_STR("/mcp")))) &&
           mcti_http_endpoint_exists(e);
}

bool mcti_http_endpoint_is_sse(const struct mcti_http_endpoint *e, struct mcti_str path)
{
    return e->front->legacy_sse && mcti_path_is(path, MCT_STR("/sse"), e->name) && mcti_http_endpoint_exists(e);
}

bool mcti_http_is_browser(const struct mcti_http_exchange *x)
{
    struct mcti_str accept = mcti_http_get(x, "accept");
    return mcti_str_is(mcti_http_method(x), "GET") && accept.len && memmem(accept.p, accept.len, "text/html", 9) &&
           !mcti_http_get(x, "mcp-session-id").p && !memmem(accept.p, accept.len, "text/event-stream", 17);
}

const struct mcti_http_page *mcti_http_page_find(const struct mcti_front_http *f, struct mcti_str path)
{
    for (const struct mcti_http_page *p = f->pages->rows; p->path; p++)
        if (mcti_str_glob(mcti_str_of(p->path), path))
            return p;
    return NULL;
}

static bool serve_path(struct mcti_http_visit *v, struct mcti_str path)
{
    struct mcti_front_http *f = v->front;
    for (size_t i = 0; i < f->n_endpoints; i++) {
        v->endpoint = f->endpoints[i];
        bool sse = mcti_http_endpoint_is_sse(v->endpoint, path);
        if (!sse && !mcti_http_endpoint_is(v->endpoint, path))
            continue;
        if (!mcti_http_visit_read_prefs(v))
            return true;
        if (sse)
            mcti_http_handle_sse(v);
        else if (mcti_http_is_browser(v->x))
            v->front->pages->explain(v, 200);
        else
            serve_endpoint(v);
        return true;
    }
    v->endpoint = NULL;
    return false;
}

static const char *not_found_hint(struct mcti_str path)
{
    static const struct {
        const char *begins, *text;
    } rows[] = {
        { "/mcp/", "unknown server; /readyz lists the servers" },
        { "/sse", "HTTP+SSE (2024-11-05) is disabled: start with --legacy-sse, or set serve.legacy_sse" },
        { "", "not found: the endpoint is /mcp, or /mcp/NAME for one server; the status page is /" },
    };
    size_t i = 0;
    while (!mcti_str_starts(path, mcti_str_of(rows[i].begins)))
        i++;
    return rows[i].text;
}

static void http_on_request(void *data, struct mcti_http_exchange *x)
{
    struct mcti_front_http *f = data;
    int who = mcti_http_principal_of(f, x);
    struct mcti_http_visit v = { .front = f, .x = x, .principal = who < 0 ? 0 : (unsigned)who };
    struct mcti_str path = mcti_http_path(x);
    if (serve_path(&v, path))
        return;
    const struct mcti_http_page *page = mcti_http_page_find(f, path);
    if (page)
        page->serve(&v);
    else
        mcti_http_reply_plain(x, 404, MCT_STR_NONE, "not_found", not_found_hint(path));
}

/* Handles a lost connection. For a stateless client that is a cancellation (2026-07-28); for HTTP+SSE it ends the
 * session; any other handshake client may resume. */
static void http_on_abort(void *data, struct mcti_http_exchange *x)
{
    struct mcti_front_http *f = data;
    struct mcti_lane *l = mcti_http_user(x);
    if (f->pages->abort(f->page_state, x) || !l)
        return;
    mcti_lane_detach(l);
    if (l->session && l->session->legacy) {
        mcti_http_session_free(l->session);
    } else if (!l->session) {
        mcti_session_drop_lane(&l->peer->session, l);
        mcti_lane_free(l);
    }
}

static void http_on_over(void *data, struct mcti_http_exchange *x)
{
    struct mcti_front_http *f = data;
    mcti_metrics_count(f, x);
    mcti_access_end(f, x);
}

/* ---- life ---- */

static void http_on_tick(void *data)
{
    struct mcti_front_http *f = data;
    mcti_lanes_ping(f);
    mcti_http_sessions_expire(f);
    mcti_http_events_expire(f);
    mcti_faces_expire(f);
}

static char *endpoint_path(const char *name)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_URI_BYTES);
    mcti_buf_addz(&b, name ? "/mcp/" : "/mcp");
    mcti_buf_add_percent(&b, mcti_str_of(name));
    return mcti_buf_take(&b);
}

/* Adds the endpoint /mcp (`name` NULL) or /mcp/NAME. */
static int add_endpoint(struct mcti_front_http *f, const char *name)
{
    const struct mcti_client_prefs nothing = { .ruled.stranger = f->guard.n_tokens > 0 };
    struct mcti_http_endpoint *e = calloc(1, sizeof *e);
    struct mcti_http_endpoint **all = realloc(f->endpoints, (f->n_endpoints + 1) * sizeof(struct mcti_http_endpoint *));
    f->endpoints = all ? all : f->endpoints;
    if (!e || !all || !(e->path = endpoint_path(name)) || (name && !(e->name = strdup(name)))) {
        free(e ? e->path : NULL);
        free(e);
        return -1;
    }
    e->front = f;
    mcti_list_init(&e->faces);
    f->endpoints[f->n_endpoints++] = e;
    return mcti_face_for(e, &nothing, 0) ? 0 : -1;
}

static int add_endpoints(struct mcti_front_http *f)
{
    struct mcti_registry *r = f->gateway->registry;
    if (add_endpoint(f, NULL) < 0)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        if (mcti_view_shows(&mcti_face_first(f->endpoints[0])->view, r->v[i]) && add_endpoint(f, r->v[i]->name) < 0)
            return -1;
    return 0;
}

/* Adds the endpoint of a server that is added later. */
static void http_on_joined(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_front_http *f = MCT_CONTAINER(w, struct mcti_front_http, watcher);
    for (size_t i = 1; i < f->n_endpoints; i++)
        if (!strcmp(f->endpoints[i]->name, p->name))
            return; /* that of a removed server of the same name */
    if (!f->n_only && add_endpoint(f, p->name) < 0)
        mcti_log(f->gateway->log, MCT_LOG_ERROR, "/mcp/%s: " MCT_NO_MEMORY_TEXT, p->name);
}

static bool http_make_room(void *data, const struct mcti_account *asks, const struct mcti_account *over)
{
    const struct mcti_front_http *f = data;
    return f->server && mcti_http_make_room(f->server, asks, over);
}

static void http_init(struct mcti_front_http *f, struct mcti_loop *loop, struct mcti_gateway *g,
                      const struct mcti_front_http_opts *o)
{
    f->loop = loop;
    f->gateway = g;
    g->make_room = http_make_room;
    g->make_room_data = f;
    f->pages = o->pages;
    f->naming = o->naming;
    f->only = o->only;
    f->n_only = o->n_only;
    f->message_bytes = o->message_bytes;
    f->max_sessions = o->sessions ? o->sessions : MCT_LIMIT_SESSIONS;
    f->legacy_sse = o->legacy_sse;
    f->event_log = o->event_log;
    f->audit_log = o->audit_log;
    mcti_map_init(&f->sessions_by_id);
    mcti_list_init(&f->sessions);
    mcti_list_init(&f->lanes);
    mcti_list_init(&f->waiting);
    mcti_timer_init(&f->tick, http_on_tick, f);
    mcti_list_init(&f->silent);
    mcti_timer_init(&f->prime, mcti_lanes_prime, f);
    mcti_buf_init(&f->line, MCT_LIMIT_ANSWER_FACTOR * o->message_bytes + 4096);
    mcti_buf_init(&f->scratch, MCT_LIMIT_ANSWER_FACTOR * o->message_bytes + 8192);
    mcti_access_init(f, o->access_log);
    f->watcher = (struct mcti_watcher){ .joined = http_on_joined };
    mcti_registry_watch(g->registry, &f->watcher);
}

/* Records the URL of the endpoint, for people. */
static int note_url(struct mcti_front_http *f, const char *address, struct mct_error *err)
{
    const char *colon = strrchr(address, ':');
    int host = colon ? (int)(colon - address) : 0;
    if (asprintf(&f->url, "http://%.*s:%d/mcp", host, address, mcti_http_server_port(f->server)) < 0) {
        f->url = NULL;
        return mcti_no_memory(err);
    }
    f->gateway->url = f->url;
    return 0;
}

struct mcti_front_http *mcti_front_http_new(struct mcti_loop *loop, struct mcti_gateway *g,
                                            const struct mcti_front_http_opts *opts, struct mct_error *err)
{
    struct mcti_front_http *f = calloc(1, sizeof *f);
    if (!f) {
        mcti_no_memory(err);
        return NULL;
    }
    http_init(f, loop, g, opts);
    const struct mcti_http_opts http = { .body_bytes = opts->message_bytes,
                                         .answer_bytes = MCT_LIMIT_ANSWER_FACTOR * opts->message_bytes,
                                         .socket = opts->socket,
                                         .connections = opts->connections,
                                         .account = &g->memory.whole,
                                         .connection = &g->memory.rules[MCT_LEVEL_CLIENT] };
    const struct mcti_http_handler handler = { .on_head = mcti_http_admit,
                                               .on_request = http_on_request,
                                               .on_abort = http_on_abort,
                                               .on_over = http_on_over,
                                               .data = f };
    if (mcti_visitors_take(f, &opts->guard) < 0 || mcti_cors_init(f) < 0 || mcti_gateway_observe(g) < 0 ||
        !(f->page_state = f->pages->open(f)) || add_endpoints(f) < 0)
        mcti_no_memory(err);
    else
        f->server = mcti_http_server_new(loop, opts->address, &http, &handler, err);
    if (!f->server || note_url(f, opts->address, err) < 0) {
        mcti_front_http_free(f);
        return NULL;
    }
    http_on_tick(f);
    return f;
}

size_t mcti_front_http_connections(const struct mcti_front_http *f)
{
    return mcti_http_server_counters(f->server)->open;
}

int mcti_front_http_port(const struct mcti_front_http *f)
{
    return mcti_http_server_port(f->server);
}

void mcti_front_http_drain(struct mcti_front_http *f, mcti_later_fn done, void *data)
{
    f->draining = true;
    f->pages->end(f->page_state);
    for (size_t i = 0; i < f->n_endpoints; i++)
        MCT_LIST_EACH(it, &f->endpoints[i]->faces)
            mcti_peer_end_listens(MCT_CONTAINER(it, struct mcti_face, node)->stateless);
    MCT_LIST_EACH(it, &f->sessions) {
        struct mcti_http_session *s = MCT_CONTAINER(it, struct mcti_http_session, node);
        if (!s->legacy || !s->peer->session.n_inbound)
            mcti_http_session_end_stream(s); /* HTTP+SSE streams with open requests end with their last answer */
    }
    mcti_http_server_drain(f->server, done, data);
}

/* `stream`: lane of requests that have none of their own (HTTP+SSE); may be NULL. */
static void answer_open_requests_of(struct mcti_peer *p, struct mcti_lane *stream)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        const struct mcti_inbound *in = MCT_CONTAINER(it, struct mcti_inbound, node);
        struct mcti_lane *l = in->lane ? in->lane : stream;
        if (l)
            mcti_lane_answer_shutdown(l, (struct mcti_str){ in->id, in->id_len });
    }
}

/* Answers every open request with the error that the gateway is shutting down. */
static void answer_open_requests(struct mcti_front_http *f)
{
    for (size_t i = 0; i < f->n_endpoints; i++)
        MCT_LIST_EACH(it, &f->endpoints[i]->faces)
            answer_open_requests_of(MCT_CONTAINER(it, struct mcti_face, node)->stateless, NULL);
    struct mcti_list done;
    mcti_list_init(&done); /* answering moves a session to the end of f->sessions */
    while (!mcti_list_empty(&f->sessions)) {
        struct mcti_http_session *s = MCT_CONTAINER(f->sessions.next, struct mcti_http_session, node);
        answer_open_requests_of(s->peer, s->stream);
        mcti_list_remove(&s->node);
        mcti_list_append(&done, &s->node);
    }
    while (!mcti_list_empty(&done)) {
        struct mcti_list *node = done.next;
        mcti_list_remove(node);
        mcti_list_append(&f->sessions, node);
    }
}

void mcti_front_http_free(struct mcti_front_http *f)
{
    if (!f)
        return;
    f->draining = true;
    mcti_watcher_remove(&f->watcher);
    mcti_timer_stop(&f->loop->sched, &f->tick);
    mcti_timer_stop(&f->loop->sched, &f->prime);
    answer_open_requests(f);
    while (!mcti_list_empty(&f->sessions))
        mcti_http_session_free(MCT_CONTAINER(f->sessions.next, struct mcti_http_session, node));
    for (size_t i = 0; i < f->n_endpoints; i++) {
        mcti_faces_free(f->endpoints[i]);
        free(f->endpoints[i]->path);
        free(f->endpoints[i]->name);
        free(f->endpoints[i]);
    }
    while (!mcti_list_empty(&f->lanes))
        mcti_lane_close(MCT_CONTAINER(f->lanes.next, struct mcti_lane, node));
    f->gateway->make_room = NULL;
    f->pages->free(f->page_state);
    mcti_http_server_free(f->server);
    mcti_access_done(f);
    mcti_map_done(&f->sessions_by_id);
    mcti_buf_done(&f->line);
    mcti_buf_done(&f->scratch);
    mcti_cors_free(f);
    mcti_strings_clear(&f->cors_kept);
    f->gateway->url = NULL;
    free(f->url);
    free(f->endpoints);
    mcti_visitors_done(f);
    free(f);
}
