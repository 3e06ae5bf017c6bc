/* The gateway itself and its peers: how they begin, hear of changes, and end. */
#include "gateway/impl.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>

enum { TELL_AFTER_MS = 20 };

/* ---- peers ---- */

struct mct_peer *mct_peer_new(struct mct_gateway *g, struct mct_view *view,
                              const struct mct_peer_ops *ops, void *data)
{
    struct mct_peer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (struct mct_peer){ .gateway = g, .endpoint = view, .view = view, .ops = ops, .data = data, .level = -1,
                             .number = ++g->n_peers };
    mct_session_init(&p->session, &gw_session_ops, p, g->sched, MCT_LIMIT_ANSWER_FACTOR * g->message_bytes);
    p->session.answers_bad_frames = true;
    mct_list_init(&p->listens);
    mct_list_init(&p->subs.list);
    p->account = (struct mct_account){ .parent = &(ops->principal ? ops->principal(data, NULL) : &g->local)->account,
                                       .rule = &g->memory.rules[MCT_LEVEL_CLIENT] };
    mct_list_init(&p->elicitations);
    mct_list_init(&p->held);
    mct_list_init(&p->holds);
    mct_list_init(&p->behind);
    mct_list_append(&g->peers, &p->node);
    p->own_tools = gw_own_tools(p);
    return p;
}

void mct_peer_leave(struct mct_peer *p)
{
    struct mct_error why;
    struct mct_gateway *g = p->gateway;
    if (p->leaving)
        return;
    if (g->sole == p)
        g->sole = NULL;
    mct_fail(&why, MCT_ERR_CANCELLED, "the client has gone");
    p->leaving = true;
    gw_ask_drop(p);
    mct_session_drop(&p->session, &why);
    gw_parks_drop(p);
    gw_subs_clear(&p->subs);
    gw_elicitations_clear(p);
    gw_holds_clear(p);
    mct_branches_end(g->registry, p);
}

void mct_peer_free(struct mct_peer *p)
{
    if (!p)
        return;
    struct mct_gateway *g = p->gateway;
    bool had_level = p->level >= 0;
    mct_peer_leave(p);
    mct_session_done(&p->session);
    gw_fan_skip(p);
    mct_list_remove(&p->node);
    free(p->capabilities);
    free(p->client);
    free(p);
    if (had_level)
        gw_update_levels(g);
}

/* ---- changes ---- */

static void tell_all(void *data)
{
    struct mct_gateway *g = data;
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (!p->dirty && !p->own_dirty)
            continue;
        if (!gw_fan_spend(g, MCT_LIMIT_FAN_TOLD)) {
            mct_timer_set(g->sched, &g->tell, 1); /* the others in the next turn */
            return;
        }
        gw_tell_changes(p);
    }
}

static void plan_telling(struct mct_gateway *g)
{
    if (!g->tell.set)
        mct_timer_set(g->sched, &g->tell, TELL_AFTER_MS);
}

void mct_peer_move(struct mct_peer *p, struct mct_view *view)
{
    p->endpoint = view;
    gw_take_view(p);
    p->own_dirty = view->own != NULL;
    if (p->own_dirty)
        plan_telling(p->gateway);
}

static void on_changed(struct mct_watcher *w, struct mct_provider *provider, unsigned kinds)
{
    struct mct_gateway *g = MCT_CONTAINER(w, struct mct_gateway, watcher);
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (!mct_view_lists(p->view, provider))
            continue;
        const struct mct_view_own *own = p->view->own;
        p->dirty |= own && own->alone ? kinds & ~(1u << MCT_TOOL) : kinds;
        p->own_dirty |= own && (own->follows & kinds);
    }
    plan_telling(g);
}

/* What an endpoint has of its own may depend on which servers are there. */
static void on_state(struct mct_watcher *w, struct mct_provider *provider)
{
    struct mct_gateway *g = MCT_CONTAINER(w, struct mct_gateway, watcher);
    bool any = false;
    MCT_LIST_EACH(it, &g->peers) {
        struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (p->view->own && p->view->own->follows && mct_view_shows(p->view, provider))
            any = p->own_dirty = true;
    }
    if (any)
        plan_telling(g);
}

static void on_updated(struct mct_watcher *w, struct mct_provider *provider, struct mct_str params)
{
    gw_forward_update(MCT_CONTAINER(w, struct mct_gateway, watcher), provider, params);
}

static void on_elicited(struct mct_watcher *w, struct mct_provider *provider, struct mct_str params)
{
    gw_forward_elicited(MCT_CONTAINER(w, struct mct_gateway, watcher), provider, params);
}

static void on_message(struct mct_watcher *w, struct mct_provider *provider, struct mct_str params)
{
    gw_forward_message(MCT_CONTAINER(w, struct mct_gateway, watcher), provider, params);
}

static void on_ended(struct mct_watcher *w, struct mct_branch *b)
{
    struct mct_gateway *g = MCT_CONTAINER(w, struct mct_gateway, watcher);
    gw_fan_forget(g, b->provider);
    gw_subs_move(g, b);
}

void mct_principal_init(struct mct_principal *p, struct mct_memory *m, struct mct_str name)
{
    *p = (struct mct_principal){ .name = name, .authority = mct_hash(0, name) };
    p->account = (struct mct_account){ .parent = &m->whole, .rule = &m->rules[MCT_LEVEL_PRINCIPAL], .tally = &p->tally };
}

static void set_server_rules(struct mct_gateway *g, const struct mct_account_rule *rule)
{
    for (size_t i = 0; i < g->registry->n; i++)
        g->registry->v[i]->account.rule = rule;
}

void mct_gateway_init(struct mct_gateway *g, struct mct_registry *r, const struct mct_log *log,
                      const struct mct_gateway_opts *opts)
{
    *g = (struct mct_gateway){ .registry = r, .sched = r->sched, .log = log,
                               .list_wait_ms = opts->list_wait_ms,
                               .instructions_wait_ms = opts->instructions_wait_ms,
                               .message_bytes = opts->message_bytes,
                               .page_items = opts->page_items ? opts->page_items : MCT_LIST_PAGE_ITEMS,
                               .era = opts->era, .offer = opts->offer, .preferred = opts->preferred, .apart = opts->apart, .policy = opts->policy,
                               .events = opts->events, .hooks = opts->hooks,
                               .dialect = opts->dialect ? *opts->dialect : mct_dialect_defaults };
    gw_levels_init(g);
    mct_random(g->seal_key, sizeof g->seal_key);
    mct_map_init(&g->parks);
    mct_list_init(&g->park_list);
    mct_list_init(&g->peers);
    struct mct_memory_opts memory = opts->memory;
    memory.apart = opts->apart;
    mct_memory_init(&g->memory, &memory);
    mct_principal_init(&g->local, &g->memory, MCT_STR("local"));
    mct_map_init(&g->subs);
    mct_map_init(&g->topics);
    g->max_subscriptions = opts->subscriptions ? opts->subscriptions : MCT_LIMIT_PRINCIPAL_SUBSCRIPTIONS;
    set_server_rules(g, &g->memory.rules[MCT_LEVEL_SERVER]);
    gw_fan_init(g);
    mct_timer_init(&g->tell, tell_all, g);
    g->watcher = (struct mct_watcher){ .changed = on_changed, .state = on_state, .message = on_message,
                                        .updated = on_updated, .elicited = on_elicited, .ended = on_ended };
    g->cache = mct_cache_new(r, opts->cache ? opts->cache : &mct_cache_defaults); /* hears of changes before clients do */
    g->dialect.cache = g->cache;
    mct_registry_watch(r, &g->watcher);
}

/* Requests of a resource tool go over the connections that the client's own would. */
static struct mct_provider *connect(struct mct_call *behalf, struct mct_provider *p, struct mct_branch **ret_branch,
                                    struct mct_error *err)
{
    return gw_connection_for(gw_of(behalf), p, ret_branch, err);
}

static int view_init(struct mct_gateway *g, struct mct_view *v, const struct mct_view_opts *opts,
                     const struct mct_offer *offer)
{
    if (mct_view_init(v, g->registry, opts) < 0)
        return -1;
    if (mct_dialects_attach(v, offer, &g->dialect, connect, g->log) == 0)
        return 0;
    mct_view_done(v);
    return -1;
}

int mct_gateway_view(struct mct_gateway *g, struct mct_view *v, const struct mct_view_opts *opts,
                     const struct mct_offer *offer)
{
    struct mct_view_opts own = *opts;
    own.preferred = g->preferred;
    own.ruled = offer->ruled;
    if (view_init(g, v, &own, offer) < 0)
        return -1;
    for (int of = MCT_VIEW_HANDSHAKE; of < MCT_VIEW_N; of++) {
        own.of = (enum mct_view_of)of;
        v->others[of] = calloc(1, sizeof *v->others[of]);
        if (v->others[of] && view_init(g, v->others[of], &own, offer) == 0) {
            v->others[of]->first = v;
            continue;
        }
        free(v->others[of]);
        v->others[of] = NULL;
        mct_view_done(v);
        return -1;
    }
    return 0;
}

void mct_gateway_done(struct mct_gateway *g)
{
    mct_watcher_remove(&g->watcher);
    mct_timer_stop(g->sched, &g->tell);
    mct_timer_stop(g->sched, &g->levels_due);
    gw_fan_done(g);
    set_server_rules(g, NULL);
    mct_map_done(&g->parks);
    mct_map_done(&g->subs);
    mct_map_done(&g->topics);
    mct_cache_free(g->cache);
    g->cache = NULL;
}
