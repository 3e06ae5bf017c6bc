/* Log messages: which servers are asked for, who gets to hear them. */
#include "gateway/impl.h"

#include "base/limits.h"

#define LEVEL(word) { word, "\"" word "\"" }

enum { LEVEL_DEFAULT = 1 }; /* info: set again when the last client that asked for a level has gone */

static const struct {
    const char *word, *json;
} levels[] = { LEVEL("debug"), LEVEL("info"), LEVEL("notice"), LEVEL("warning"), LEVEL("error"), LEVEL("critical"),
               LEVEL("alert"), LEVEL("emergency") };
enum { N_LEVELS = sizeof levels / sizeof *levels };

/* -1: it is none. */
static int find_level(struct mct_str value)
{
    for (int i = 0; i < N_LEVELS; i++)
        if (mct_json_is(value, levels[i].word))
            return i;
    return -1;
}

int gw_read_level(struct mct_str level)
{
    int i = find_level(level);
    return i < 0 ? GW_SILENT : i;
}

const char *gw_level_json(int level)
{
    return levels[level].json;
}

static void set_level(struct mct_provider *p, int level)
{
    if (p->ops->set_level)
        p->ops->set_level(p, levels[level].word);
}

/* Returns the most verbose level that a client wants now, GW_SILENT if no client has asked for one. */
static int wanted_level(const struct mct_gateway *g)
{
    int lowest = g->stateless_level;
    MCT_LIST_EACH(it, &g->peers) {
        const struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        if (p->level >= 0 && p->level < lowest)
            lowest = p->level;
    }
    return lowest;
}

/* A level cannot be unset: a server that has been given one gets the default back when nobody wants another. */
void gw_update_levels(struct mct_gateway *g)
{
    int level = wanted_level(g);
    if (level >= N_LEVELS && !g->has_set_level)
        return;
    if (level >= N_LEVELS)
        level = LEVEL_DEFAULT;
    g->has_set_level = true;
    for (size_t i = 0; i < g->registry->n; i++)
        set_level(g->registry->v[i], level);
    MCT_LIST_EACH(it, &g->registry->branches)
        set_level(MCT_CONTAINER(it, struct mct_branch, node)->provider, level);
}

/* Returns the most verbose level of the 2026-07-28 requests under way. */
static int level_under_way(const struct mct_gateway *g)
{
    int lowest = GW_SILENT;
    MCT_LIST_EACH(it, &g->peers) {
        const struct mct_peer *p = MCT_CONTAINER(it, struct mct_peer, node);
        MCT_LIST_EACH(one, &p->session.inbound) {
            const struct gw_request *r = MCT_CONTAINER(MCT_CONTAINER(one, struct mct_inbound, node),
                                                       struct gw_request, in);
            if (r->log_level < lowest)
                lowest = r->log_level;
        }
    }
    return lowest;
}

static void on_levels_due(void *data)
{
    struct mct_gateway *g = data;
    g->stateless_level = level_under_way(g);
    if (g->stateless_level < N_LEVELS)
        mct_timer_set(g->sched, &g->levels_due, MCT_LEVEL_KEEP_MS);
    gw_update_levels(g);
}

void gw_levels_init(struct mct_gateway *g)
{
    g->stateless_level = GW_SILENT;
    mct_timer_init(&g->levels_due, on_levels_due, g);
}

void gw_want_level(struct mct_gateway *g, int level)
{
    if (level >= N_LEVELS)
        return;
    mct_timer_set(g->sched, &g->levels_due, MCT_LEVEL_KEEP_MS);
    if (level >= g->stateless_level)
        return;
    g->stateless_level = level;
    gw_update_levels(g);
}

void gw_set_level(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    int level = find_level(mct_json_get(msg->params, "level"));
    (void)meta;
    if (level < 0) {
        mct_fail(&err, MCT_ERR_USAGE, "\"level\" must be one of debug, info, notice, warning, error, "
                 "critical, alert, emergency");
        gw_fail(r, &err);
        return;
    }
    struct mct_gateway *g = r->peer->gateway;
    r->peer->level = level;
    mct_inbound_result(&r->in, MCT_STR("{}"));
    gw_request_free(r);
    gw_update_levels(g);
}

/* With several servers behind one endpoint the logger says which one speaks. */
void gw_put_message(struct mct_buf *to, const struct mct_view *v, const struct mct_provider *p, struct mct_str params)
{
    struct mct_buf name, quoted;
    mct_buf_init(&name, 4096);
    mct_buf_init(&quoted, 8192);
    mct_buf_addz(&name, p->name);
    struct mct_str logger = mct_json_get(params, "logger");
    if (mct_json_type(logger) == '"') {
        mct_buf_addc(&name, '/');
        mct_json_unescape(logger, &name);
    }
    mct_json_put_string(&quoted, mct_buf_str(&name));
    const struct mct_json_set set = { "logger", mct_buf_str(&quoted) };
    mct_json_put_object(to, params, &set, mct_view_n_providers(v) > 1 ? 1 : 0);
    mct_buf_done(&name);
    mct_buf_done(&quoted);
}

bool gw_admits(const struct gw_request *r, struct mct_str params)
{
    int wanted = mct_rev_is_stateless(r->rev) ? r->log_level : r->peer->level;
    return find_level(mct_json_get(params, "level")) >= wanted;
}

/* It belongs to one call: on that call's stream. */
void gw_on_log(struct mct_call *call, struct mct_str params)
{
    static const char method[] = "notifications/message";
    struct gw_request *r = gw_of(call);
    struct mct_buf b;
    if (!gw_admits(r, params))
        return;
    mct_buf_init(&b, params.len + 16384);
    gw_put_message(&b, r->peer->view, call->provider, params);
    if (mct_buf_ok(&b) && !gw_park_notify(r, method, mct_buf_str(&b)))
        mct_inbound_notify(&r->in, method, mct_buf_str(&b));
    mct_buf_done(&b);
}

/* What a server sends beside a call may come after the answer; a resource tool's call may have been at any. */
static bool has_called(const struct mct_peer *p, const struct mct_provider *provider)
{
    bool at = p->answered == provider || (p->answered && p->view->own && p->answered == p->view->own->provider);
    return at && mct_sched_now(p->gateway->sched) - p->answered_ms < MCT_ASIDE_MS;
}

static bool calls(const struct mct_peer *p, const struct mct_provider *provider)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        const struct gw_request *r = MCT_CONTAINER(MCT_CONTAINER(it, struct mct_inbound, node), struct gw_request, in);
        if (r->call.provider == provider || (provider->ops->runs_for && provider->ops->runs_for(provider, &r->call)))
            return true;
    }
    return false;
}

/* A connection that others do not share is nobody else's business. */
static bool concerns(const struct mct_peer *p, const struct mct_provider *provider)
{
    if (!provider->origin)
        return mct_view_shows(p->view, provider);
    MCT_LIST_EACH(it, &p->gateway->registry->branches) {
        const struct mct_branch *b = MCT_CONTAINER(it, struct mct_branch, node);
        if (b->provider == provider)
            return b->owner ? b->owner == p : gw_holds(p, b) || calls(p, provider);
    }
    return false;
}

bool gw_is_called(const struct mct_gateway *g, const struct mct_provider *provider)
{
    MCT_LIST_EACH(it, &g->peers)
        if (calls(MCT_CONTAINER(it, struct mct_peer, node), provider))
            return true;
    return false;
}

int gw_level_of(struct mct_str params)
{
    return find_level(mct_json_get(params, "level"));
}

/* A 2026-07-28 request hears only what is certainly its own. */
bool gw_hears(const struct mct_peer *p, const struct mct_provider *provider, int level, bool busy)
{
    if (!gw_is_ready(p) || level < p->level)
        return false;
    return (!busy || has_called(p, provider) || calls(p, provider)) && concerns(p, provider);
}
