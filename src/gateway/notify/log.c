/* Log messages: the level requested from servers, and the clients that receive a message. */
#include "gateway/log.h"

#include "gateway/answer.h"
#include "gateway/branch.h"
#include "gateway/park.h"

#include "base/limits.h"

#define LEVEL(word)                                                                                                    \
    {                                                                                                                  \
        word, "\"" word "\""                                                                                           \
    }

enum { LEVEL_DEFAULT = 1 }; /* info: restored after the last client that requested a level */

static const struct {
    const char *word, *json;
} levels[] = { LEVEL("debug"), LEVEL("info"),     LEVEL("notice"), LEVEL("warning"),
               LEVEL("error"), LEVEL("critical"), LEVEL("alert"),  LEVEL("emergency") };
enum { N_LEVELS = sizeof levels / sizeof *levels };

/* Returns the level that the JSON string names, -1 if it names none. */
static int find_level(struct mcti_str value)
{
    for (int i = 0; i < N_LEVELS; i++)
        if (mcti_json_is(value, levels[i].word))
            return i;
    return -1;
}

int mcti_gw_read_level(struct mcti_str level)
{
    int i = find_level(level);
    return i < 0 ? GW_SILENT : i;
}

const char *mcti_gw_level_json(int level)
{
    return levels[level].json;
}

static void set_level(struct mcti_provider *p, int level)
{
    if (p->ops->set_level)
        p->ops->set_level(p, levels[level].word);
}

/* Returns the most verbose level that any client requests at present; GW_SILENT if there is none. */
static int wanted_level(const struct mcti_gateway *g)
{
    int lowest = g->stateless_level < g->program_level ? g->stateless_level : g->program_level;
    MCT_LIST_EACH(it, &g->peers) {
        const struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (p->level >= 0 && p->level < lowest)
            lowest = p->level;
    }
    return lowest;
}

/* A level cannot be unset. A server that was sent a level gets the default level when no client requests one any more.
 */
void mcti_gw_update_levels(struct mcti_gateway *g)
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
        set_level(MCT_CONTAINER(it, struct mcti_branch, node)->provider, level);
}

/* Returns the most verbose level of the open 2026-07-28 requests. */
static int level_under_way(const struct mcti_gateway *g)
{
    int lowest = GW_SILENT;
    MCT_LIST_EACH(it, &g->peers) {
        const struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        MCT_LIST_EACH(one, &p->session.inbound) {
            const struct mcti_gw_request *r =
                MCT_CONTAINER(MCT_CONTAINER(one, struct mcti_inbound, node), struct mcti_gw_request, in);
            if (r->log_level < lowest)
                lowest = r->log_level;
        }
    }
    return lowest;
}

static void gateway_log_on_levels_due(void *data)
{
    struct mcti_gateway *g = data;
    g->stateless_level = level_under_way(g);
    if (g->stateless_level < N_LEVELS)
        mcti_timer_set(g->sched, &g->levels_due, MCT_LEVEL_KEEP_MS);
    mcti_gw_update_levels(g);
}

void mcti_gateway_set_program_level(struct mcti_gateway *g, struct mcti_str level)
{
    g->program_level = mcti_gw_read_level(level);
    mcti_gw_update_levels(g);
}

void mcti_gw_levels_init(struct mcti_gateway *g)
{
    g->stateless_level = g->program_level = GW_SILENT;
    mcti_timer_init(&g->levels_due, gateway_log_on_levels_due, g);
}

void mcti_gw_want_level(struct mcti_gateway *g, int level)
{
    if (level >= N_LEVELS)
        return;
    mcti_timer_set(g->sched, &g->levels_due, MCT_LEVEL_KEEP_MS);
    if (level >= g->stateless_level)
        return;
    g->stateless_level = level;
    mcti_gw_update_levels(g);
}

void mcti_gw_set_level(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    int level = find_level(mcti_json_get(msg->params, "level"));
    (void)meta;
    if (level < 0) {
        mcti_fail(&err, MCT_ERR_USAGE,
                  "\"level\" must be one of debug, info, notice, warning, error, "
                  "critical, alert, emergency");
        mcti_gw_fail(r, &err);
        return;
    }
    struct mcti_gateway *g = r->peer->gateway;
    r->peer->level = level;
    mcti_inbound_result(&r->in, MCT_STR("{}"));
    mcti_gw_request_free(r);
    mcti_gw_update_levels(g);
}

/* If the view has several servers, puts the server's name before the logger's. The program itself has none. */
void mcti_gw_put_message(struct mcti_buf *to, const struct mcti_view *v, const struct mcti_provider *p,
                         struct mcti_str params)
{
    struct mcti_buf name, quoted;
    mcti_buf_init(&name, 4096);
    mcti_buf_init(&quoted, 8192);
    mcti_buf_addz(&name, p->name);
    struct mcti_str logger = mcti_json_get(params, "logger");
    if (mcti_json_type(logger) == '"') {
        mcti_buf_addc(&name, '/');
        mcti_json_unescape(logger, &name);
    }
    mcti_json_put_string(&quoted, mcti_buf_str(&name));
    const struct mcti_json_set set = { "logger", mcti_buf_str(&quoted) };
    mcti_json_put_object(to, params, &set, mcti_view_n_providers(v) > 1 && !p->bare ? 1 : 0);
    mcti_buf_done(&name);
    mcti_buf_done(&quoted);
}

bool mcti_gw_admits(const struct mcti_gw_request *r, struct mcti_str params)
{
    int wanted = mcti_rev_is_stateless(r->rev) ? r->log_level : r->peer->level;
    return find_level(mcti_json_get(params, "level")) >= wanted;
}

void mcti_gw_on_log(struct mcti_call *call, struct mcti_str params)
{
    static const char method[] = "notifications/message";
    struct mcti_gw_request *r = mcti_gw_of(call);
    struct mcti_buf b;
    if (!mcti_gw_admits(r, params))
        return;
    mcti_buf_init(&b, params.len + 16384);
    mcti_gw_put_message(&b, r->peer->view, call->provider, params);
    if (mcti_buf_ok(&b) && mcti_gw_park_notify(r, method, mcti_buf_str(&b)) == GO_ON)
        mcti_inbound_notify(&r->in, method, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Returns whether the session had an answer of the server a moment ago: messages that belong to a call may come after
 * its answer. A resource tool may have called any server. */
static bool has_called(const struct mcti_peer *p, const struct mcti_provider *provider)
{
    bool at = p->answered == provider || (p->answered && p->view->own && p->answered == p->view->own->provider);
    return at && mcti_sched_now(p->gateway->sched) - p->answered_ms < MCT_ASIDE_MS;
}

static bool gateway_log_calls(const struct mcti_peer *p, const struct mcti_provider *provider)
{
    MCT_LIST_EACH(it, &p->session.inbound) {
        const struct mcti_gw_request *r =
            MCT_CONTAINER(MCT_CONTAINER(it, struct mcti_inbound, node), struct mcti_gw_request, in);
        if (r->call.provider == provider || (provider->ops->runs_for && provider->ops->runs_for(provider, &r->call)))
            return true;
    }
    return false;
}

/* Returns whether the session may receive messages of this connection; those of a separate connection go to its owner
 * and its users only. */
static bool gateway_log_concerns(const struct mcti_peer *p, const struct mcti_provider *provider)
{
    if (!provider->origin)
        return mcti_view_shows(p->view, provider);
    MCT_LIST_EACH(it, &p->gateway->registry->branches) {
        const struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        if (b->provider == provider)
            return b->owner ? b->owner == p : mcti_gw_holds(p, b) || gateway_log_calls(p, provider);
    }
    return false;
}

bool mcti_gw_is_called(const struct mcti_gateway *g, const struct mcti_provider *provider)
{
    MCT_LIST_EACH(it, &g->peers)
        if (gateway_log_calls(MCT_CONTAINER(it, struct mcti_peer, node), provider))
            return true;
    return false;
}

int mcti_gw_level_of(struct mcti_str params)
{
    return find_level(mcti_json_get(params, "level"));
}

bool mcti_gw_hears(const struct mcti_peer *p, const struct mcti_provider *provider, int level, bool busy)
{
    if (!mcti_gw_is_ready(p) || level < p->level)
        return false;
    return (!busy || has_called(p, provider) || gateway_log_calls(p, provider)) && gateway_log_concerns(p, provider);
}
