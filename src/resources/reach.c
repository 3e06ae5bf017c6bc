#include "resources/reach.h"

/* A client that is not asked anything (2026-07-28: it would have to come back with another call) can do nothing. */
struct mct_call mct_reach_call(const struct mct_reach *reach, enum mct_verb verb)
{
    struct mct_call *behalf = reach->behalf;
    if (!behalf)
        return (struct mct_call){ .verb = verb, .caller = { .rev = MCT_REV_LATEST }, .interactive = true,
                                  .events = reach->events, .principal = MCT_STR("local") };
    return (struct mct_call){
        .verb = verb,
        .caller = { .rev = MCT_REV_LATEST,
                    .capabilities = behalf->interactive ? behalf->caller.capabilities : MCT_STR("{}"),
                    .log_level = behalf->caller.log_level },
        .behalf = behalf,
        .answerer = behalf->answerer,
        .owner = behalf->owner,
        .authority = behalf->authority,
        .interactive = behalf->interactive,
        .log = behalf->log,
    };
}

static struct mct_str scheme_of(struct mct_str uri)
{
    const char *colon = uri.len ? memchr(uri.p, ':', uri.len) : NULL;
    return colon ? mct_str_range(uri.p, colon) : uri;
}

int mct_reach_admits(const struct mct_reach *reach, struct mct_str uri, struct mct_error *err)
{
    struct mct_str scheme = scheme_of(uri);
    for (size_t i = 0; i < reach->n_uri_allow; i++)
        if (mct_str_is(scheme, reach->uri_allow[i]))
            return 0;
    return reach->n_uri_allow ? mct_fail(err, MCT_ERR_POLICY, "URI scheme '%.*s' is not allowed by resource_uri_allowlist",
                                         MCT_STR_ARG(scheme))
                              : 0;
}

int mct_reach_check(const struct mct_reach *reach, struct mct_provider *only, struct mct_str uri, struct mct_error *err)
{
    size_t sure;
    if (mct_reach_admits(reach, uri, err) == 0)
        return 0;
    if (only || mct_view_for_uri(reach->view, uri, &only, 1, &sure))
        only->n_uris_refused++;
    return -1;
}

/* -32602 says so in 2026-07-28; before that it may be about anything, unless it names the URI. */
static bool says_not_found(const struct mct_outcome *o, const struct mct_error *err, struct mct_str uri)
{
    if (err->code == MCT_RPC_RESOURCE_NOT_FOUND)
        return true;
    bool named = memmem(err->message, strlen(err->message), uri.p, uri.len) != NULL;
    return err->code == MCT_RPC_INVALID_PARAMS && (named || mct_rev_is_stateless(o->rev));
}

void mct_outcome_error(const struct mct_outcome *o, struct mct_str uri, struct mct_error *ret)
{
    if (o->failed) {
        *ret = *o->failed;
        return;
    }
    mct_msg_read_error(o->error, ret);
    if (uri.p && says_not_found(o, ret, uri))
        ret->kind = MCT_ERR_NOT_FOUND;
    else if (ret->code == MCT_RPC_METHOD_NOT_FOUND)
        ret->kind = MCT_ERR_UNSUPPORTED;
}

/* ---- waiting for a connection ---- */

static void on_told(void *data)
{
    struct mct_ready *w = data;
    mct_watcher_remove(&w->watcher);
    w->done(w);
}

/* Not from here: others are still to be told of the same change. */
static void on_state(struct mct_watcher *watcher, struct mct_provider *p)
{
    struct mct_ready *w = MCT_CONTAINER(watcher, struct mct_ready, watcher);
    if (p == w->origin && p->settled)
        mct_task_post(p->sched, &w->told);
}

static void on_settled(struct mct_settle *settle)
{
    struct mct_ready *w = MCT_CONTAINER(settle, struct mct_ready, settle);
    w->connection = mct_branch_provider(w->branch);
    w->done(w);
}

int mct_ready_open(struct mct_ready *w, const struct mct_reach *reach, struct mct_provider *p, struct mct_error *err)
{
    w->reach = reach;
    w->origin = w->connection = p;
    w->branch = NULL;
    mct_list_init(&w->watcher.node);
    mct_task_init(&w->told, on_told, w);
    w->watcher.state = on_state;
    w->settle.done = on_settled;
    if (reach->behalf && reach->connect)
        w->connection = reach->connect(reach->behalf, p, &w->branch, err);
    if (!w->connection)
        return -1;
    if (w->connection->settled)
        return 1;
    if (w->branch)
        mct_branch_wait(w->branch, &w->settle, 0);
    else
        mct_registry_watch(reach->view->registry, &w->watcher);
    return 0;
}

void mct_ready_done(struct mct_ready *w)
{
    if (!w->reach)
        return;
    mct_watcher_remove(&w->watcher);
    mct_task_stop(&w->told);
    mct_settle_stop(&w->settle);
    mct_branch_unuse(w->branch);
    *w = (struct mct_ready){ 0 };
}
