/*
 * What a handshake server asks its client: found out which call it came up in, and put to whoever answers for
 * that call.
 */
#include "hub/server/impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct question {
    struct mct_inbound in;
    struct mct_ask ask;
    struct mcp *owner;
    struct mct_list node;  /* in owner->questions */
    struct mct_call *call; /* it came up in; NULL: in none, or that is not clear yet */
    bool waits;            /* until that is clear */
    bool guessed;          /* of that call or another of its owner */
    uint64_t until_ms;
    char *params;
};

/* ---- whose is it? ---- */

/* A call that was cancelled may have asked just before it heard of that; one that asks, just after its end. */
void mcp_note_end(struct mcp *m, const struct mct_call *call, bool answered)
{
    if (answered) {
        m->answered = call->owner;
        m->answered_ms = mct_sched_now(m->opts.sched);
    }
    if (answered && call->habit == MCT_HABIT_ASKS) {
        m->asker = call->owner;
        m->asker_until_ms = mct_sched_now(m->opts.sched) + MCT_GHOST_MS;
    }
    if (answered)
        return;
    m->ghost = call->authority;
    m->ghost_until_ms = mct_sched_now(m->opts.sched) + MCT_GHOST_MS;
}

static bool is_haunted(const struct mcp *m, const struct mct_call *call)
{
    return mct_sched_now(m->opts.sched) < m->ghost_until_ms && m->ghost != call->authority;
}

static struct mct_call *call_at(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct mct_call, node);
}

static bool is_waiting(const struct mcp *m, const struct mct_call *call)
{
    return call->out.n_holds && mct_sched_now(m->opts.sched) - call->asked_ms >= MCT_ASKED_MS;
}

static bool have_one_authority(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->calls)
        if (call_at(it)->authority != call_at(m->calls.next)->authority)
            return false;
    return true;
}

/* How likely it is that this call asks now, of calls made on the same authority: one that waits for an answer already is not
 * expected to ask more (its client may never come back, and must not be in the way of others until its time is over), but
 * still rather than one that has never asked. */
enum chance { CHANCE_QUIET, CHANCE_WAITING, CHANCE_GOOD, CHANCE_N };

static enum chance chance_of(const struct mcp *m, const struct mct_call *call)
{
    return is_waiting(m, call) ? CHANCE_WAITING : call->habit == MCT_HABIT_QUIET ? CHANCE_QUIET : CHANCE_GOOD;
}

/* Of those with the best chance, if they have one owner: then it does not matter which of them it is. On several authorities
 * every call may have asked. */
static struct mct_call *may_ask(struct mcp *m, bool *ret_unclear)
{
    struct mct_call *best = NULL;
    bool several = !have_one_authority(m);
    int reached = -1;
    MCT_LIST_EACH(it, &m->calls) {
        struct mct_call *call = call_at(it);
        int chance = several ? CHANCE_GOOD : (int)chance_of(m, call);
        bool same = best && call->owner && best->owner == call->owner;
        if (chance < reached)
            continue;
        if (chance > reached)
            *ret_unclear = false;
        else
            *ret_unclear |= !same;
        if (chance > reached || (same && best->out.n_holds && !call->out.n_holds))
            best = call; /* rather one that has not asked */
        reached = chance;
    }
    return best;
}

/* A tool that asks has ended just now, and another client's that does not is all there is. */
static bool comes_late(const struct mcp *m, const struct mct_call *call)
{
    bool of_another = !call->owner || call->owner != m->asker;
    return call->habit == MCT_HABIT_QUIET && of_another && mct_sched_now(m->opts.sched) < m->asker_until_ms;
}

struct mct_call *mcp_call_about(struct mcp *m, bool *ret_unclear)
{
    *ret_unclear = false;
    if (m->transport && m->transport->about)
        return mcp_call_of(mct_session_find(&m->session, m->transport->about));
    struct mct_call *call = may_ask(m, ret_unclear);
    *ret_unclear |= call && is_haunted(m, call);
    return *ret_unclear ? NULL : call;
}

/* ---- tools that ask ---- */

enum mct_habit mcp_habit_of(const struct mcp *m, uint64_t what)
{
    const struct mcp_habit *h = &m->habits[what % MCT_LIMIT_HABITS];
    return h->what == what ? h->habit : MCT_HABIT_UNKNOWN;
}

void mcp_note_habit(struct mcp *m, struct mct_call *call, enum mct_habit habit)
{
    struct mcp_habit *h = &m->habits[call->what % MCT_LIMIT_HABITS];
    call->habit = habit;
    if (habit >= h->habit) /* who asks is not forgotten because of one who does not: its question may be laid to another */
        *h = (struct mcp_habit){ call->what, habit };
    MCT_LIST_EACH(it, &m->calls) /* what was taken for quiet is under way already */
        if (habit == MCT_HABIT_ASKS && call_at(it)->what == call->what)
            call_at(it)->habit = habit;
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
    mct_fail(&err, MCT_ERR_UNSUPPORTED, "calls of several clients are under way, and over this connection a server cannot "
             "say which of them asks; the operator can set \"isolation\" (session or principal) for it");
    mcp_warn_of_turns(q->owner);
    err.code = MCT_RPC_INTERNAL;
    MCT_LIST_EACH(it, &q->owner->calls) /* next time they will not run at once */
        mcp_note_habit(q->owner, call_at(it), MCT_HABIT_ASKS);
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
    q->guessed = !m->transport->about;
    if (call && q->guessed)
        mcp_note_habit(m, call, MCT_HABIT_ASKS);
    MCT_LIST_EACH(it, &m->calls) /* where it is a guess, any may have asked */
        call_at(it)->asked |= q->guessed || call_at(it) == call;
    if (call && call->out.n_holds++ == 0) /* a person may need longer than a call may take */
        call->asked_ms = mct_sched_now(m->opts.sched);
    if (!call)
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
    if (call && !m->transport->about && comes_late(m, call)) {
        fail_unclear(q);
        return;
    }
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
    }    if (mcp_calls_take_turns(m))
        mct_timer_set(m->opts.sched, &m->recheck, MCT_GHOST_MS);
}

/* ---- the end of a call ---- */

/* What was laid to this call because its owner made it may well be of another that he made. */
static bool pass_on(struct question *q)
{
    MCT_LIST_EACH(it, &q->owner->calls) {
        struct mct_call *other = call_at(it);
        if (!q->guessed || !other->owner || other->owner != q->call->owner)
            continue;
        q->call = other;
        q->ask.about = other;
        if (other->out.n_holds++ == 0)
            other->asked_ms = mct_sched_now(q->owner->opts.sched);
        return true;
    }
    return false;
}

/* One that waits may be of the call that has just ended: given up, or answered by a server that did not wait. Calls that
 * are known not to ask, and those on the same authority as the rest, are not suspected of the latter. */
static bool may_have_been_of(struct mcp *m, const struct mct_call *call, bool answered)
{
    if (!answered)
        return true;
    MCT_LIST_EACH(it, &m->calls)
        if (call->habit != MCT_HABIT_QUIET && call_at(it)->authority != call->authority)
            return true;
    return false;
}

void mcp_questions_end(struct mcp *m, const struct mct_call *call, bool answered)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_CANCELLED, "the call this was asked in is over");
    for (;;) {
        struct question *q = NULL;
        MCT_LIST_EACH(it, &m->questions) {
            struct question *one = MCT_CONTAINER(it, struct question, node);
            bool over = one->call == call && !pass_on(one);
            if (over || (one->waits && may_have_been_of(m, call, answered)))
                q = one;
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
