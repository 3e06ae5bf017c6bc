/* Creates and frees the gateway and its peers, and passes changes of the registry on to the peers. */
#include "gateway/ask.h"
#include "gateway/branch.h"
#include "gateway/fan.h"
#include "gateway/kept.h"
#include "gateway/listen.h"
#include "gateway/local.h"
#include "gateway/log.h"
#include "gateway/tasks.h"
#include "gateway/park.h"
#include "gateway/subscribe.h"
#include "gateway/trace.h"

#include "base/limits.h"
#include "base/rand.h"
#include "mcp/handshake.h"
#include "model/form.h"

#include <stdlib.h>

enum { TELL_AFTER_MS = 20 };

/* ---- peers ---- */

struct mcti_peer *mcti_peer_new(struct mcti_gateway *g, struct mcti_view *view, const struct mcti_peer_ops *ops,
                                void *data)
{
    struct mcti_peer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (struct mcti_peer){
        .gateway = g, .endpoint = view, .view = view, .ops = ops, .data = data, .level = -1, .number = ++g->n_peers
    };
    mcti_session_init(&p->session, &mcti_gw_session_ops, p, g->sched, MCT_LIMIT_ANSWER_FACTOR * g->message_bytes);
    p->session.answers_bad_frames = true;
    mcti_list_init(&p->listens);
    mcti_list_init(&p->subs.list);
    p->account = (struct mcti_account){ .parent = &(ops->principal ? ops->principal(data, NULL) : &g->local)->account,
                                        .rule = &g->memory.rules[MCT_LEVEL_CLIENT] };
    mcti_list_init(&p->elicitations);
    mcti_list_init(&p->held);
    mcti_list_init(&p->holds);
    mcti_list_init(&p->behind);
    mcti_list_append(&g->peers, &p->node);
    mcti_gw_results_offer(p);
    p->own_tools = mcti_gw_own_tools(p);
    return p;
}

void mcti_peer_leave(struct mcti_peer *p)
{
    struct mct_error why;
    struct mcti_gateway *g = p->gateway;
    if (p->leaving)
        return;
    if (g->sole == p)
        g->sole = NULL;
    mcti_fail(&why, MCT_ERR_CANCELLED, "the client disconnected");
    p->leaving = true;
    mcti_gw_own_tasks_left(p);
    mcti_gw_ask_drop(p);
    mcti_session_drop(&p->session, &why);
    mcti_gw_parks_drop(p);
    mcti_gw_subs_clear(&p->subs);
    mcti_gw_elicitations_clear(p, NULL);
    mcti_gw_holds_clear(p, NULL);
    if (p->can.ask_roots && p->initialized && !p->is_inner && !g->registry->stopping)
        mcti_gw_roots_changed(p);
    mcti_branches_end(g->registry, p);
}

void mcti_peer_free(struct mcti_peer *p)
{
    if (!p)
        return;
    struct mcti_gateway *g = p->gateway;
    bool had_level = p->level >= 0;
    mcti_peer_leave(p);
    if (g->hooks && g->hooks->outside && !p->is_inner)
        mcti_outside_forget(g->hooks->outside, p->number);
    if (g->activity && p->changed) {
        g->activity->n_departed++;
        mcti_activity_note(g->activity);
    }
    mcti_gw_trace_session(p);
    mcti_session_done(&p->session);
    mcti_gw_fan_skip(p);
    mcti_list_remove(&p->node);
    free(p->capabilities);
    free(p->client);
    free(p->client_info);
    free(p);
    if (had_level)
        mcti_gw_update_levels(g);
}

/* ---- changes ---- */

/* Notifies all peers of the changes collected since the last call. */
static void gateway_notify_all(void *data)
{
    struct mcti_gateway *g = data;
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (!p->dirty && !p->own_dirty)
            continue;
        if (!mcti_gw_fan_spend(g, MCT_LIMIT_FAN_TOLD)) {
            mcti_timer_set(g->sched, &g->tell, 1); /* the other peers follow in the next turn */
            return;
        }
        mcti_gw_tell_changes(p);
    }
}

static void schedule_notifications(struct mcti_gateway *g)
{
    if (!g->tell.set)
        mcti_timer_set(g->sched, &g->tell, TELL_AFTER_MS);
}

void mcti_peer_move(struct mcti_peer *p, struct mcti_view *view)
{
    p->endpoint = view;
    mcti_gw_results_offer(p);
    mcti_gw_take_view(p);
    p->own_dirty = view->own != NULL;
    if (p->own_dirty)
        schedule_notifications(p->gateway);
}

/* Returns which of the changes concern the lists of the peer: a view may hide the tools of its servers. */
static unsigned gateway_shown(const struct mcti_peer *p, unsigned kinds)
{
    const struct mcti_view_own *own = p->view->own;
    return own && own->alone && !p->lists_apps ? kinds & ~(1u << MCT_TOOL) : kinds;
}

/* Passes on that a server has announced a change, although its list is the same: clients may keep more than the list.
 * The tools of views themselves do not change by it. */
static void gateway_on_announced(struct mcti_watcher *w, struct mcti_provider *provider, unsigned kinds)
{
    struct mcti_gateway *g = MCT_CONTAINER(w, struct mcti_gateway, watcher);
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (mcti_view_lists(p->view, provider))
            p->dirty |= gateway_shown(p, kinds);
    }
    schedule_notifications(g);
}

static void gateway_on_changed(struct mcti_watcher *w, struct mcti_provider *provider, unsigned kinds)
{
    struct mcti_gateway *g = MCT_CONTAINER(w, struct mcti_gateway, watcher);
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (!mcti_view_lists(p->view, provider))
            continue;
        const struct mcti_view_own *own = p->view->own;
        p->dirty |= gateway_shown(p, kinds);
        p->own_dirty |= own && (own->follows & kinds);
    }
    schedule_notifications(g);
}

/* Tools that a view has of its own may depend on the servers that are connected. */
static void gateway_on_state(struct mcti_watcher *w, struct mcti_provider *provider)
{
    struct mcti_gateway *g = MCT_CONTAINER(w, struct mcti_gateway, watcher);
    bool any = false;
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (p->view->own && p->view->own->follows && mcti_view_shows(p->view, provider))
            any = p->own_dirty = true;
    }
    if (any)
        schedule_notifications(g);
}

static void gateway_on_updated(struct mcti_watcher *w, struct mcti_provider *provider, struct mcti_str params)
{
    mcti_gw_forward_update(MCT_CONTAINER(w, struct mcti_gateway, watcher), provider, params);
}

static void gateway_on_elicited(struct mcti_watcher *w, struct mcti_provider *provider, struct mcti_str params)
{
    mcti_gw_forward_elicited(MCT_CONTAINER(w, struct mcti_gateway, watcher), provider, params);
}

static void gateway_on_message(struct mcti_watcher *w, struct mcti_provider *provider, struct mcti_str params)
{
    mcti_gw_forward_message(MCT_CONTAINER(w, struct mcti_gateway, watcher), provider, params);
}

/* Forgets what came over a connection that ends. */
static void gateway_forget_connection(struct mcti_gateway *g, struct mcti_provider *connection)
{
    mcti_gw_fan_forget(g, connection);
    mcti_gw_open_tasks_drop(g, connection);
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (p->answered == connection)
            p->answered = NULL;
        mcti_gw_elicitations_clear(p, connection);
    }
}

static void gateway_on_ended(struct mcti_watcher *w, struct mcti_branch *b)
{
    struct mcti_gateway *g = MCT_CONTAINER(w, struct mcti_gateway, watcher);
    gateway_forget_connection(g, b->provider);
    MCT_LIST_EACH(it, &g->peers)
        mcti_gw_holds_clear(MCT_CONTAINER(it, struct mcti_peer, node), b);
    mcti_gw_subs_move(g, b);
}

static void gateway_on_left(struct mcti_watcher *w, struct mcti_provider *provider)
{
    struct mcti_gateway *g = MCT_CONTAINER(w, struct mcti_gateway, watcher);
    gateway_forget_connection(g, provider);
    mcti_gw_subs_leave(g, provider);
}

void mcti_principal_init(struct mcti_principal *p, struct mcti_memory *m, struct mcti_str name)
{
    *p = (struct mcti_principal){ .name = name, .authority = mcti_hash(0, name) };
    p->account =
        (struct mcti_account){ .parent = &m->whole, .rule = &m->rules[MCT_LEVEL_PRINCIPAL], .tally = &p->tally };
}

static void gateway_on_joined(struct mcti_watcher *w, struct mcti_provider *provider)
{
    struct mcti_gateway *g = MCT_CONTAINER(w, struct mcti_gateway, watcher);
    provider->payer.account.rule = &g->memory.rules[MCT_LEVEL_SERVER];
    mcti_gw_update_levels(g);
    mcti_gw_subs_follow(g, provider);
}

static void set_server_rules(struct mcti_gateway *g, const struct mcti_account_rule *rule)
{
    for (size_t i = 0; i < g->registry->n; i++)
        g->registry->v[i]->payer.account.rule = rule;
}

void mcti_gateway_init(struct mcti_gateway *g, struct mcti_registry *r, const struct mcti_log *log,
                       const struct mcti_gateway_opts *opts)
{
    *g = (struct mcti_gateway){ .registry = r,
                                .sched = r->sched,
                                .log = log,
                                .list_wait_ms = opts->list_wait_ms,
                                .instructions_wait_ms = opts->instructions_wait_ms,
                                .message_bytes = opts->message_bytes,
                                .page_items = opts->page_items ? opts->page_items : MCT_LIST_PAGE_ITEMS,
                                .era = opts->era,
                                .offer = opts->offer,
                                .app_rules = opts->app_rules,
                                .preferred = opts->preferred,
                                .apart = opts->apart,
                                .policy = opts->policy,
                                .events = opts->events,
                                .hooks = opts->hooks,
                                .present = opts->present,
                                .task_key_file = opts->task_key_file,
                                .dialect = opts->dialect ? *opts->dialect : mcti_dialect_defaults };
    if (!g->present.server_info)
        g->present.server_info = MCT_IMPLEMENTATION;
    mcti_gw_levels_init(g);
    mcti_random(g->seal_key, sizeof g->seal_key);
    mcti_list_init(&g->open_tasks);
    mcti_list_init(&g->own_tasks);
    mcti_map_init(&g->parks);
    mcti_list_init(&g->park_list);
    mcti_list_init(&g->peers);
    struct mcti_memory_opts memory = opts->memory;
    memory.apart = opts->apart;
    mcti_memory_init(&g->memory, &memory);
    mcti_principal_init(&g->local, &g->memory, MCT_STR("local"));
    mcti_map_init(&g->subs);
    mcti_map_init(&g->topics);
    g->max_subscriptions = opts->subscriptions ? opts->subscriptions : MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS;
    g->rates.rule = opts->rate;
    set_server_rules(g, &g->memory.rules[MCT_LEVEL_SERVER]);
    mcti_gw_fan_init(g);
    mcti_timer_init(&g->tell, gateway_notify_all, g);
    g->watcher = (struct mcti_watcher){ .changed = gateway_on_changed,
                                        .state = gateway_on_state,
                                        .announced = gateway_on_announced,
                                        .message = gateway_on_message,
                                        .updated = gateway_on_updated,
                                        .elicited = gateway_on_elicited,
                                        .joined = gateway_on_joined,
                                        .ended = gateway_on_ended,
                                        .left = gateway_on_left };
    /* before the gateway watches: the cache drops outdated texts before clients are notified */
    g->cache = mcti_cache_new(r, opts->cache ? opts->cache : &mcti_cache_defaults);
    g->dialect.cache = g->cache;
    mcti_gw_results_open(g, &opts->results);
    mcti_registry_watch(r, &g->watcher);
}

void mcti_gateway_update(struct mcti_gateway *g, const struct mcti_gateway_opts *opts)
{
    struct mcti_memory_opts memory = opts->memory;
    memory.apart = g->apart = opts->apart;
    mcti_memory_set(&g->memory, &memory);
    g->list_wait_ms = opts->list_wait_ms;
    g->instructions_wait_ms = opts->instructions_wait_ms;
    g->page_items = opts->page_items ? opts->page_items : MCT_LIST_PAGE_ITEMS;
    g->max_subscriptions = opts->subscriptions ? opts->subscriptions : MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS;
    g->policy = opts->policy;
    g->rates.rule = opts->rate;
    mcti_gw_results_update(g, &opts->results);
}

void mcti_gateway_tell_tools(struct mcti_gateway *g)
{
    MCT_LIST_EACH(it, &g->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        p->dirty |= 1u << MCT_TOOL;
    }
    schedule_notifications(g);
}

/* Returns the connection for a request of a resource tool: the one that the client's own requests use. */
static struct mcti_provider *gateway_connect(struct mcti_call *behalf, struct mcti_provider *p,
                                             struct mcti_branch **ret_branch, struct mct_error *err)
{
    return mcti_gw_connection_for(mcti_gw_of(behalf), p, ret_branch, err);
}

int mcti_gw_attach(struct mcti_gateway *g, struct mcti_view *v, const struct mcti_offer *offer)
{
    return mcti_dialects_attach(v, offer, &g->dialect, gateway_connect, g->log);
}

static int view_init(struct mcti_gateway *g, struct mcti_view *v, const struct mcti_view_opts *opts,
                     const struct mcti_offer *offer)
{
    if (mcti_view_init(v, g->registry, opts) < 0)
        return -1;
    v->form = mcti_model_form(offer->schemas);
    if (mcti_gw_attach(g, v, offer) == 0)
        return 0;
    mcti_view_done(v);
    return -1;
}

int mcti_gateway_view(struct mcti_gateway *g, struct mcti_view *v, const struct mcti_view_opts *opts,
                      const struct mcti_offer *offer)
{
    struct mcti_view_opts own = *opts;
    own.preferred = g->preferred;
    own.ruled = offer->ruled;
    own.unique_uris = !opts->single;
    own.app_rules = g->app_rules;
    if (view_init(g, v, &own, offer) < 0)
        return -1;
    for (int of = MCT_VIEW_HANDSHAKE; of < MCT_VIEW_N; of++) {
        own.of = (enum mcti_view_of)of;
        v->others[of] = calloc(1, sizeof *v->others[of]);
        if (v->others[of] && view_init(g, v->others[of], &own, offer) == 0) {
            v->others[of]->first = v;
            continue;
        }
        free(v->others[of]);
        v->others[of] = NULL;
        mcti_view_done(v);
        return -1;
    }
    return 0;
}

int mcti_gateway_observe(struct mcti_gateway *g)
{
    if (!g->activity)
        g->activity = mcti_activity_new(g->registry, g->events);
    return g->activity ? 0 : -1;
}

void mcti_gateway_done(struct mcti_gateway *g)
{
    mcti_activity_free(g->activity);
    g->activity = NULL;
    mcti_gateway_end_tasks(g, NULL, NULL);
    mcti_watcher_remove(&g->watcher);
    mcti_timer_stop(g->sched, &g->tell);
    mcti_timer_stop(g->sched, &g->levels_due);
    mcti_gw_fan_done(g);
    mcti_gw_open_tasks_drop(g, NULL);
    set_server_rules(g, NULL);
    mcti_map_done(&g->parks);
    mcti_map_done(&g->subs);
    mcti_map_done(&g->topics);
    mcti_gw_results_close(g);
    mcti_cache_free(g->cache);
    g->cache = NULL;
}
