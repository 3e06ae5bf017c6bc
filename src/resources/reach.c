#include "resources/reach.h"

#include "resources/cause.h"

/* A call that is not interactive has no client capabilities: a 2026-07-28 client could answer a question only with
 * another call. */
struct mcti_call mcti_reach_call(const struct mcti_reach *reach, enum mcti_verb verb)
{
    struct mcti_call *behalf = reach->behalf;
    if (!behalf)
        return (struct mcti_call){ .verb = verb,
                                   .caller = { .rev = MCT_REV_LATEST },
                                   .interactive = true,
                                   .events = reach->events,
                                   .principal = MCT_STR("local") };
    return (struct mcti_call){
        .verb = verb,
        .caller = { .rev = MCT_REV_LATEST,
                    .capabilities = behalf->interactive ? behalf->caller.capabilities : MCT_STR("{}"),
                    .log_level = behalf->caller.log_level },
        .behalf = behalf,
        .answerer = behalf->answerer,
        .owner = behalf->owner,
        .authority = behalf->authority,
        .principal = behalf->principal,
        .session = behalf->session,
        .session_info = behalf->session_info,
        .interactive = behalf->interactive,
        .log = behalf->log,
    };
}

static struct mcti_str scheme_of(struct mcti_str uri)
{
    const char *colon = uri.len ? memchr(uri.p, ':', uri.len) : NULL;
    return colon ? mcti_str_range(uri.p, colon) : uri;
}

int mcti_reach_admits(const struct mcti_reach *reach, struct mcti_str uri, struct mct_error *err)
{
    struct mcti_str scheme = scheme_of(uri);
    for (size_t i = 0; i < reach->n_uri_allow; i++)
        if (mcti_str_is(scheme, reach->uri_allow[i]))
            return 0;
    return reach->n_uri_allow
               ? mcti_fail(err, MCT_ERR_POLICY, "URI scheme '%.*s' is not allowed by resource_uri_allowlist",
                           MCT_STR_ARG(scheme))
               : 0;
}

int mcti_reach_check(const struct mcti_reach *reach, struct mcti_provider *only, struct mcti_str uri,
                     struct mct_error *err)
{
    size_t sure;
    if (mcti_reach_admits(reach, uri, err) == 0)
        return 0;
    if (only || mcti_view_for_uri(reach->view, uri, &only, 1, &sure))
        only->n_uris_refused++;
    return -1;
}

/* In 2026-07-28 -32602 means that the resource does not exist. In earlier revisions it may concern any parameter. */
static bool reach_says_not_found(const struct mcti_outcome *o, const struct mct_error *err, struct mcti_str uri)
{
    enum mcti_cause means = mcti_cause_of(err, uri);
    if (means != MCT_CAUSE_OTHER)
        return means == MCT_CAUSE_ABSENT;
    return err->code == MCT_RPC_INVALID_PARAMS && mcti_rev_is_stateless(o->rev);
}

void mcti_outcome_error(const struct mcti_outcome *o, struct mcti_str uri, struct mct_error *ret)
{
    if (o->failed) {
        *ret = *o->failed;
        return;
    }
    mcti_msg_read_error(o->error, ret);
    if (ret->code == MCT_RPC_METHOD_NOT_FOUND)
        ret->kind = MCT_ERR_UNSUPPORTED;
    else if (uri.p && reach_says_not_found(o, ret, uri))
        ret->kind = MCT_ERR_NOT_FOUND;
}

void mcti_reach_down(const struct mcti_provider *p, struct mct_error *ret)
{
    *ret = *p->error;
    if (!ret->kind)
        mcti_fail(ret, MCT_ERR_CONNECT, "it is not connected");
    else if (ret->kind == MCT_ERR_SERVER || ret->kind == MCT_ERR_PROTOCOL || ret->kind == MCT_ERR_UNSUPPORTED)
        ret->kind = MCT_ERR_CONNECT; /* it answered the handshake so */
    mcti_error_wrap(ret, "server '%s'", p->name);
}

/* ---- waiting for a connection ---- */

static void reach_on_notify(void *data)
{
    struct mcti_ready *w = data;
    mcti_watcher_remove(&w->watcher);
    w->done(w);
}

/* Defers to the loop: other watchers have yet to see the same change. */
static void reach_on_state(struct mcti_watcher *watcher, struct mcti_provider *p)
{
    struct mcti_ready *w = MCT_CONTAINER(watcher, struct mcti_ready, watcher);
    if (p == w->origin && p->settled)
        mcti_task_post(p->sched, &w->notify);
}

static void reach_on_settled(struct mcti_settle *settle)
{
    struct mcti_ready *w = MCT_CONTAINER(settle, struct mcti_ready, settle);
    w->connection = mcti_branch_provider(w->branch);
    w->done(w);
}

int mcti_ready_open(struct mcti_ready *w, const struct mcti_reach *reach, struct mcti_provider *p,
                    struct mct_error *err)
{
    w->reach = reach;
    w->origin = w->connection = p;
    w->branch = NULL;
    mcti_list_init(&w->watcher.node);
    mcti_task_init(&w->notify, reach_on_notify, w);
    w->watcher.state = reach_on_state;
    w->settle.done = reach_on_settled;
    if (reach->behalf && reach->connect)
        w->connection = reach->connect(reach->behalf, p, &w->branch, err);
    if (!w->connection)
        return -1;
    if (w->connection->settled)
        return 1;
    if (w->branch)
        mcti_branch_wait(w->branch, &w->settle, 0);
    else
        mcti_registry_watch(reach->view->registry, &w->watcher);
    return 0;
}

void mcti_ready_done(struct mcti_ready *w)
{
    if (!w->reach)
        return;
    mcti_watcher_remove(&w->watcher);
    mcti_task_stop(&w->notify);
    mcti_settle_stop(&w->settle);
    mcti_branch_unuse(w->branch);
    *w = (struct mcti_ready){ 0 };
}
