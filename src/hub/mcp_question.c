/*
 * What a handshake server asks its client: found out which call it came up in, and put to whoever answers for
 * that call.
 */
#include "hub/mcp_impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct question {
    struct mct_inbound in;
    struct mct_ask ask;
    struct mcp *owner;
    struct mct_list node;  /* in owner->questions */
    struct mct_call *call; /* it came up in; NULL: in none, or that is not clear yet */
    bool waits;            /* until that is clear */
    uint64_t until_ms;
    char *params;
};

/* ---- whose is it? ---- */

/* A call that was cancelled may have asked just before it heard of that. */
void mcp_note_ghost(struct mcp *m, const struct mct_call *call)
{
    m->ghost = call->owner;
    m->ghost_until_ms = mct_sched_now(m->opts.sched) + MCT_GHOST_MS;
}

static bool is_haunted(const struct mcp *m, const struct mct_call *call)
{
    bool of_same_owner = call->owner && call->owner == m->ghost;
    return mct_sched_now(m->opts.sched) < m->ghost_until_ms && !of_same_owner;
}

static struct mct_call *first_call(struct mcp *m)
{
    return mct_list_empty(&m->calls) ? NULL : MCT_CONTAINER(m->calls.next, struct mct_call, node);
}

/* Whether all calls under way have the same owner. */
static bool are_of_one(struct mcp *m)
{
    const struct mct_call *first = first_call(m);
    MCT_LIST_EACH(it, &m->calls) {
        const struct mct_call *call = MCT_CONTAINER(it, struct mct_call, node);
        if (call != first && (!call->owner || call->owner != first->owner))
            return false;
    }
    return true;
}

struct mct_call *mcp_call_about(struct mcp *m, bool *ret_unclear)
{
    struct mct_call *first = first_call(m);
    *ret_unclear = false;
    if (m->transport && m->transport->about)
        return mcp_call_of(mct_session_find(&m->session, m->transport->about));
    if (first && are_of_one(m) && !is_haunted(m, first))
        return first;
    *ret_unclear = first != NULL;
    return NULL;
}

/* ---- tools that ask ---- */

bool mcp_is_asker(const struct mcp *m, const struct mct_call *call)
{
    for (unsigned i = 0; i < m->n_askers; i++)
        if (m->askers[i] == call->what)
            return true;
    return false;
}

static void note_asker(struct mcp *m, struct mct_call *call)
{
    if (!call->asks)
        m->askers[m->n_askers++ % MCT_LIMIT_ASKERS] = call->what;
    if (m->n_askers > MCT_LIMIT_ASKERS)
        m->n_askers = MCT_LIMIT_ASKERS;
    call->asks = true;
}

/* ---- one question ---- */

static void end_wait(struct question *q)
{
    if (!q->waits)
        return;
    q->waits = false;
    q->owner->n_unclear--;
    if (q->owner->open)
        mct_timer_set(q->owner->opts.sched, &q->owner->recheck, 0);
}

static void release(struct question *q)
{
    end_wait(q);
    if (q->call)
        q->call->out.n_holds--;
    else
        q->owner->session.n_holds--;
    mct_list_remove(&q->node);
    free(q->params);
    free(q);
}

static void on_answered(struct mct_ask *a, struct mct_str result, const struct mct_error *err)
{
    struct question *q = MCT_CONTAINER(a, struct question, ask);
    if (result.p)
        mct_inbound_result(&q->in, result);
    else
        mct_inbound_fail(&q->in, err, MCT_STR_NONE);
    release(q);
}

static void on_progress(struct mct_ask *a, struct mct_str params)
{
    mct_inbound_progress(&MCT_CONTAINER(a, struct question, ask)->in, params);
}

/* The server takes it back, or the connection has gone. */
static void on_cancelled(struct mct_inbound *in)
{
    struct question *q = MCT_CONTAINER(in, struct question, in);
    mct_ask_withdraw(&q->ask);
    release(q);
}

static void fail_unclear(struct question *q)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "calls of several clients are under way and the server does not say which of "
             "them asks; \"isolation\": \"session\" gives each client a connection of its own");
    err.code = MCT_RPC_INTERNAL;
    MCT_LIST_EACH(it, &q->owner->calls) /* next time they will not run at once */
        note_asker(q->owner, MCT_CONTAINER(it, struct mct_call, node));
    mct_ask_fail(&q->ask, &err);
}

/* What the call's own client cannot answer may be known here: the roots. */
static void put(struct question *q, struct mct_call *call)
{
    struct mcp *m = q->owner;
    const struct mct_answerer *by = call && call->answerer ? call->answerer : m->base.answerer;
    bool here = q->ask.kind == MCT_ASK_ROOTS && !mct_answerer_can(by, q->ask.kind, q->ask.params) &&
                m->base.answerer && m->base.answerer->roots;
    end_wait(q);
    m->session.n_holds--;
    q->call = call;
    if (call && !m->transport->about)
        note_asker(m, call);
    if (call)
        call->out.n_holds++; /* a person may need longer than a call may take */
    else
        m->session.n_holds++;
    q->ask.about = call;
    mct_ask_start(&q->ask, here ? m->base.answerer : by);
}

/* Puts it, or lets it wait until calls of one client only are under way. */
static void attribute(struct question *q)
{
    struct mcp *m = q->owner;
    bool unclear;
    struct mct_call *call = mcp_call_about(m, &unclear);
    if (!unclear) {
        put(q, call);
        return;
    }
    q->waits = true;
    m->n_unclear++;
    q->until_ms = mct_sched_now(m->opts.sched) + MCT_UNCLEAR_MS;
    mct_timer_set(m->opts.sched, &m->recheck, MCT_GHOST_MS);
}

static struct question *first_waiting(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->questions)
        if (MCT_CONTAINER(it, struct question, node)->waits)
            return MCT_CONTAINER(it, struct question, node);
    return NULL;
}

void mcp_questions_recheck(void *data)
{
    struct mcp *m = data;
    struct question *q;
    bool unclear;
    if (!m->open || !m->transport)
        return;
    m->transport->about = 0;
    while ((q = first_waiting(m))) {
        struct mct_call *call = mcp_call_about(m, &unclear);
        if (unclear && mct_sched_now(m->opts.sched) < q->until_ms) {
            mct_timer_set(m->opts.sched, &m->recheck, MCT_GHOST_MS);
            return;
        }
        if (unclear)
            fail_unclear(q);
        else
            put(q, call);
    }    mcp_calls_take_turns(m);
}

/* ---- the end of a call ---- */

void mcp_questions_end(struct mcp *m, const struct mct_call *call, bool answered)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_CANCELLED, "the call this was asked in is over");
    for (;;) {
        struct question *q = NULL;
        MCT_LIST_EACH(it, &m->questions) {
            struct question *one = MCT_CONTAINER(it, struct question, node);
            if (one->call == call || (one->waits && !answered))
                q = one; /* one that waits may be of the call that was given up */
        }
        if (!q)
            return;
        mct_ask_withdraw(&q->ask);
        if (q->waits)
            fail_unclear(q);
        else
            mct_ask_fail(&q->ask, &err);
    }
}

/* ---- arrival ---- */

static void refuse(struct mcp *m, const struct mct_msg *msg, void *lane, const char *why)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "%s %.*s", why, MCT_STR_ARG(msg->method));
    mct_session_refuse(&m->session, msg, lane, &err, MCT_STR_NONE);
}

static void ask(struct mcp *m, enum mct_ask_kind kind, const struct mct_msg *msg, void *lane)
{
    struct mct_msg_meta meta = { 0 };
    struct question *q = calloc(1, sizeof *q);
    if (q && msg->params.p)
        q->params = mct_str_dup(msg->params);
    if (!q || (msg->params.p && !q->params) || m->session.n_inbound >= MCT_LIMIT_ASKS) {
        if (q)
            free(q->params);
        free(q);
        refuse(m, msg, lane, "too many questions are open for another");
        return;
    }
    mct_msg_read_meta(msg, &meta, NULL);
    if (mct_inbound_init(&q->in, &m->session, msg, meta.progress_token, lane) < 0) {
        free(q->params);
        free(q);
        return;
    }
    q->owner = m;
    q->in.cancelled = on_cancelled;
    q->ask = (struct mct_ask){ .kind = kind, .params = mct_str_of(q->params), .server = m->base.name,
                               .answered = on_answered, .progress = meta.progress_token.p ? on_progress : NULL };
    mct_list_append(&m->questions, &q->node);
    m->session.n_holds++; /* until it is known which call is to be held */
    attribute(q);
}

void mcp_on_request(struct mcp *m, const struct mct_msg *msg, void *lane)
{
    struct mct_inbound in = { 0 };
    enum mct_ask_kind kind = mct_ask_find(msg->method);
    if (mcp_is_stateless(m))
        return; /* it may not ask this way, and we may not answer (2026-07-28, "Transports") */
    if (mct_str_is(msg->method, "ping")) {
        if (mct_inbound_init(&in, &m->session, msg, MCT_STR_NONE, lane) == 0)
            mct_inbound_result(&in, MCT_STR("{}"));
    } else if (kind != MCT_ASK_N) {
        ask(m, kind, msg, lane);
    } else {
        refuse(m, msg, lane, "this client does not offer");
    }
}
