#include "gateway/overview/overview.h"

#include "base/clock.h"
#include "gateway/impl.h"

#include <unistd.h>

static void overview_put_number(struct mcti_buf *to, const char *key, uint64_t n)
{
    mcti_json_put_key(to, key);
    mcti_buf_addu(to, n);
}

static void overview_put_ms(struct mcti_buf *to, const char *key, uint64_t us)
{
    mcti_json_put_key(to, key);
    mcti_buf_printf(to, "%llu.%03u", (unsigned long long)(us / 1000), (unsigned)(us % 1000));
}

static void overview_put_text(struct mcti_buf *to, const char *key, struct mcti_str text)
{
    if (text.len)
        mcti_json_put_member(to, key, text);
}

/* Begins an element of an array. */
static void overview_put_open(struct mcti_buf *to)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
}

static void overview_put_calls(struct mcti_buf *to, const struct mcti_activity_calls *c)
{
    static const struct {
        const char *key;
        unsigned percent;
    } rows[] = { { "p50Ms", 50 }, { "p90Ms", 90 }, { "p99Ms", 99 } };
    mcti_json_put_key(to, "calls");
    mcti_buf_addc(to, '{');
    overview_put_number(to, "total", c->latency.n);
    overview_put_number(to, "failed", c->n_failed);
    overview_put_number(to, "running", c->n_running);
    for (size_t i = 0; c->latency.n && i < sizeof rows / sizeof *rows; i++)
        overview_put_ms(to, rows[i].key, mcti_latency_percentile(&c->latency, rows[i].percent));
    mcti_buf_addc(to, '}');
}

/* ---- servers ---- */

static void put_stderr(struct mcti_buf *to, const struct mcti_provider *p)
{
    struct mcti_str text = mcti_str_of(p->last_diagnostics);
    if (text.len > MCT_OVERVIEW_STDERR_BYTES)
        text = (struct mcti_str){ text.p + text.len - MCT_OVERVIEW_STDERR_BYTES, MCT_OVERVIEW_STDERR_BYTES };
    if (p->state != MCT_CONNECTED)
        overview_put_text(to, "stderr", text);
}

static void put_server(struct mcti_buf *to, const struct mcti_gateway *g, const struct mcti_provider *p,
                       const struct mcti_activity_server *s, bool quiet)
{
    static const char *const keys[MCT_KIND_N] = { [MCT_TOOL] = "tools",
                                                  [MCT_RESOURCE] = "resources",
                                                  [MCT_TEMPLATE] = "resourceTemplates",
                                                  [MCT_PROMPT] = "prompts" };
    overview_put_open(to);
    mcti_provider_put_status(to, p, mcti_sched_now(g->sched));
    for (int k = 0; k < MCT_KIND_N; k++)
        overview_put_number(to, keys[k], p->items[k].n);
    overview_put_number(to, "listed", s ? s->listed : 0);
    if (s && s->calls)
        overview_put_calls(to, s->calls);
    if (!quiet)
        put_stderr(to, p);
    mcti_buf_addc(to, '}');
}

static void put_servers(struct mcti_buf *to, const struct mcti_gateway *g, const struct mcti_overview_opts *o)
{
    const struct mcti_registry *r = g->registry;
    mcti_buf_addz(to, ",\"servers\":[");
    for (size_t i = 0; i < r->n; i++) {
        const struct mcti_activity_server *s = mcti_activity_server_find(g->activity, mcti_str_of(r->v[i]->name));
        if (!o->after || (s && s->changed > o->after))
            put_server(to, g, r->v[i], s, o->quiet);
    }
    MCT_LIST_EACH(it, &g->activity->servers) {
        const struct mcti_activity_server *s = MCT_CONTAINER(it, struct mcti_activity_server, node);
        if (!o->after || s->changed <= o->after || mcti_registry_find(r, mcti_str_of(s->name)))
            continue;
        overview_put_open(to);
        mcti_json_put_member(to, "name", mcti_str_of(s->name));
        mcti_buf_addz(to, ",\"gone\":true}");
    }
    mcti_buf_addc(to, ']');
}

void mcti_overview_put_tools(struct mcti_buf *to, const struct mcti_gateway *g, struct mcti_str server)
{
    const struct mcti_activity_server *s = g->activity ? mcti_activity_server_find(g->activity, server) : NULL;
    mcti_buf_addc(to, '[');
    for (const struct mcti_list *it = s ? s->tools.next : NULL; s && it != &s->tools; it = it->next) {
        const struct mcti_activity_tool *t = MCT_CONTAINER(it, struct mcti_activity_tool, node);
        overview_put_open(to);
        mcti_json_put_member(to, "name", mcti_str_of(t->name));
        overview_put_number(to, "calls", t->n);
        overview_put_number(to, "failed", t->n_failed);
        overview_put_ms(to, "meanMs", t->us / t->n);
        overview_put_ms(to, "longestMs", t->longest_us);
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addc(to, ']');
}

/* ---- clients ---- */

static bool overview_is_shown(const struct mcti_overview_opts *o, struct mcti_str principal)
{
    return !o->principal.p || mcti_str_eq(o->principal, principal);
}

/* Returns whether all clients are written. */
static bool overview_is_whole(const struct mcti_overview_opts *o)
{
    return !o->after || o->all_clients;
}

static struct mcti_str session_principal(const struct mcti_peer *p)
{
    return (p->ops->principal ? p->ops->principal(p->data, NULL) : &p->gateway->local)->name;
}

static bool overview_is_session(const struct mcti_peer *p)
{
    return p->session.rev != MCT_REV_NONE && !p->is_inner;
}

static void put_session(struct mcti_buf *to, const struct mcti_peer *p)
{
    overview_put_open(to);
    mcti_json_put_key(to, "id");
    mcti_buf_printf(to, "\"s%llu\"", (unsigned long long)p->number);
    overview_put_text(to, "name", mcti_str_of(p->client));
    struct mcti_str version = mcti_json_get(mcti_str_of(p->client_info), "version");
    if (mcti_json_type(version) == '"')
        mcti_json_put_raw(to, "version", version);
    mcti_json_put_member(to, "principal", session_principal(p));
    mcti_json_put_member(to, "protocolVersion", mcti_str_of(mcti_rev_text(p->session.rev)));
    overview_put_text(to, "transport", mcti_str_of(p->ops->transport));
    if (p->initialized)
        overview_put_number(to, "connectedMs", mcti_sched_now(p->gateway->sched) - p->initialized_ms);
    overview_put_number(to, "calls", p->n_calls);
    mcti_buf_addc(to, '}');
}

/* Writes the newest sessions, and returns the number of all. */
static size_t put_sessions(struct mcti_buf *to, const struct mcti_gateway *g, const struct mcti_overview_opts *o)
{
    size_t n = 0, written = 0;
    for (const struct mcti_list *it = g->peers.prev; it != &g->peers; it = it->prev) {
        const struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (!overview_is_session(p) || !overview_is_shown(o, session_principal(p)))
            continue;
        n++;
        if (written < MCT_OVERVIEW_SESSIONS && (overview_is_whole(o) || p->changed > o->after)) {
            put_session(to, p);
            written++;
        }
    }
    return n;
}

static void put_client(struct mcti_buf *to, const struct mcti_activity_client *c)
{
    overview_put_open(to);
    mcti_json_put_key(to, "id");
    mcti_buf_printf(to, "\"c%llu\"", (unsigned long long)c->id);
    overview_put_text(to, "name", mcti_activity_client_name(c));
    overview_put_text(to, "version", mcti_str_of(c->version));
    overview_put_text(to, "principal", mcti_activity_client_principal(c));
    overview_put_text(to, "protocolVersion", mcti_str_of(c->rev ? mcti_rev_text(c->rev) : NULL));
    overview_put_number(to, "calls", c->n_calls);
    overview_put_number(to, "lastMs", c->latest_ms);
    mcti_buf_addc(to, '}');
}

static void put_clients(struct mcti_buf *to, const struct mcti_gateway *g, const struct mcti_overview_opts *o)
{
    mcti_buf_addz(to, ",\"clients\":[");
    size_t n = put_sessions(to, g, o);
    MCT_LIST_EACH(it, &g->activity->clients) {
        const struct mcti_activity_client *c = MCT_CONTAINER(it, struct mcti_activity_client, node);
        if ((overview_is_whole(o) || c->changed > o->after) && overview_is_shown(o, mcti_activity_client_principal(c)))
            put_client(to, c);
    }
    mcti_buf_addc(to, ']');
    overview_put_number(to, "nSessions", n);
    mcti_json_put_raw(to, "whole", overview_is_whole(o) ? MCT_STR("true") : MCT_STR("false"));
}

/* ---- the latest calls ---- */

static void put_call(struct mcti_buf *to, const struct mcti_activity_call *c)
{
    overview_put_open(to);
    overview_put_number(to, "time", c->wall_ms);
    overview_put_text(to, "client", mcti_str_of(c->client));
    overview_put_text(to, "principal", mcti_str_of(c->principal));
    mcti_json_put_member(to, "server", mcti_str_of(c->server));
    mcti_json_put_member(to, "method", mcti_str_of(c->method));
    overview_put_text(to, "tool", mcti_str_of(c->tool));
    overview_put_ms(to, "ms", c->us);
    mcti_json_put_member(to, "outcome", mcti_str_of(mcti_outcome_word(c->outcome)));
    mcti_buf_addc(to, '}');
}

static void put_recent(struct mcti_buf *to, const struct mcti_gateway *g, const struct mcti_overview_opts *o)
{
    const struct mcti_activity_call *c;
    mcti_buf_addz(to, ",\"recent\":[");
    for (uint64_t i = 0; (c = mcti_activity_recent(g->activity, i)) && c->number > o->after; i++)
        if (overview_is_shown(o, mcti_str_of(c->principal)))
            put_call(to, c);
    mcti_buf_addc(to, ']');
}

/* ---- the whole ---- */

static void overview_put_head(struct mcti_buf *to, const struct mcti_gateway *g)
{
    struct mcti_str info = mcti_str_of(g->present.server_info);
    mcti_json_put_raw(to, "name", mcti_json_get(info, "name"));
    mcti_json_put_raw(to, "version", mcti_json_get(info, "version"));
    overview_put_number(to, "pid", (uint64_t)getpid());
    overview_put_number(to, "uptimeMs", (mcti_clock_since_us() - g->activity->begun_us) / 1000);
    overview_put_text(to, "endpoint", mcti_str_of(g->url));
}

static void overview_put_results(struct mcti_buf *to, const struct mcti_results *r)
{
    if (!r || (!r->on && !r->n_cut))
        return;
    mcti_json_put_key(to, "results");
    mcti_buf_addc(to, '{');
    overview_put_number(to, "kept", r->n);
    overview_put_number(to, "bytes", r->bytes);
    overview_put_number(to, "cut", r->n_cut);
    overview_put_number(to, "evicted", r->n_evicted);
    mcti_buf_addc(to, '}');
}

void mcti_overview_put(struct mcti_buf *to, struct mcti_gateway *g, const struct mcti_overview_opts *o)
{
    mcti_buf_addc(to, '{');
    if (mcti_gateway_observe(g) == 0) {
        overview_put_number(to, "at", g->activity->now);
        if (!o->after)
            overview_put_head(to, g);
        mcti_json_put_raw(to, "ready", mcti_registry_ready(g->registry) ? MCT_STR("true") : MCT_STR("false"));
        overview_put_calls(to, &g->activity->all);
        overview_put_results(to, g->results);
        put_servers(to, g, o);
        put_clients(to, g, o);
        put_recent(to, g, o);
    }
    mcti_buf_addc(to, '}');
}
