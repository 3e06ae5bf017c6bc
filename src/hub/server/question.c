/*
 * Questions of a handshake server: determines the call that a question belongs to, and passes it to the answerer of
 * that call.
 */
#include "hub/server/call.h"
#include "hub/server/question.h"

#include "base/limits.h"
#include "hub/core/entrance.h"
#include "hub/guard/related.h"

#include <stdlib.h>

struct question {
    struct mcti_inbound in;
    struct mcti_ask ask;
    struct mcti_server *owner;
    struct mcti_list node;  /* in owner->questions */
    struct mcti_call *call; /* call that it belongs to; NULL: none, or not determined yet */
    bool waits;             /* until the call can be determined */
    bool guessed;           /* it may belong to another call of the same owner */
    uint64_t until_ms;
    char *params;
};

/* ---- the call of a question ---- */

/* A question of a cancelled call may arrive if the server sent it before it received the cancellation. A question of an
 * ended call may arrive late if its tool asks questions. */
void mcti_server_note_end(struct mcti_server *m, const struct mcti_call *call, bool answered)
{
    if (answered) {
        m->answered_owner = call->owner;
        m->answered_ms = mcti_sched_now(m->opts.sched);
    }
    if (answered && call->habit == MCT_HABIT_ASKS) {
        m->asking_owner = call->owner;
        m->asking_until_ms = mcti_sched_now(m->opts.sched) + MCT_CANCELLED_GRACE_MS;
    }
    if (answered)
        return;
    m->cancelled_authority = call->authority;
    m->cancelled_until_ms = mcti_sched_now(m->opts.sched) + MCT_CANCELLED_GRACE_MS;
}

static bool was_cancelled_recently(const struct mcti_server *m, const struct mcti_call *call)
{
    return mcti_sched_now(m->opts.sched) < m->cancelled_until_ms && m->cancelled_authority != call->authority;
}

static struct mcti_call *call_at(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_call, node);
}

static bool is_waiting(const struct mcti_server *m, const struct mcti_call *call)
{
    return call->out.n_holds && mcti_sched_now(m->opts.sched) - call->asked_ms >= MCT_ASKED_MS;
}

static bool have_one_authority(struct mcti_server *m)
{
    MCT_LIST_EACH(it, &m->calls)
        if (call_at(it)->authority != call_at(m->calls.next)->authority)
            return false;
    return true;
}

/* Likelihood that a new question belongs to a call, among calls on the same authority. A call that waits for an answer
 * is unlikely to cause another question: its client may never answer, and must not block others until the call times
 * out. A call of a tool that has never asked is the least likely. */
enum chance { CHANCE_QUIET, CHANCE_WAITING, CHANCE_GOOD, CHANCE_N };

static enum chance chance_of(const struct mcti_server *m, const struct mcti_call *call)
{
    return is_waiting(m, call) ? CHANCE_WAITING : call->habit == MCT_HABIT_QUIET ? CHANCE_QUIET : CHANCE_GOOD;
}

/* Returns one of the most likely calls; sets *ret_unclear if these have different owners. With one owner it does not
 * matter which of the calls is returned. With several authorities in flight all calls count as equally likely. */
static struct mcti_call *server_question_may_ask(struct mcti_server *m, bool *ret_unclear)
{
    struct mcti_call *best = NULL;
    bool several = !have_one_authority(m);
    int reached = -1;
    MCT_LIST_EACH(it, &m->calls) {
        struct mcti_call *call = call_at(it);
        int chance = several ? CHANCE_GOOD : (int)chance_of(m, call);
        bool same = best && call->owner && best->owner == call->owner;
        if (chance < reached)
            continue;
        if (chance > reached)
            *ret_unclear = false;
        else
            *ret_unclear |= !same;
        if (chance > reached || (same && best->out.n_holds && !call->out.n_holds))
            best = call; /* prefer a call without an open question */
        reached = chance;
    }
    return best;
}

/* Returns true if the question more likely belongs to an ended call: a call of a tool that asks questions has just
 * ended, while `call` is made by another client, for a tool that asks no questions. */
static bool may_be_of_ended_call(const struct mcti_server *m, const struct mcti_call *call)
{
    bool of_another = !call->owner || call->owner != m->asking_owner;
    return call->habit == MCT_HABIT_QUIET && of_another && mcti_sched_now(m->opts.sched) < m->asking_until_ms;
}

struct mcti_call *mcti_server_call_about(struct mcti_server *m, bool *ret_unclear)
{
    *ret_unclear = false;
    if (m->transport && m->transport->about)
        return mcti_server_call_of(mcti_session_find(&m->session, m->transport->about));
    struct mcti_call *call = server_question_may_ask(m, ret_unclear);
    *ret_unclear |= call && was_cancelled_recently(m, call);
    return *ret_unclear ? NULL : call;
}

/* Returns one of the calls in flight if all have the same owner. Returns NULL without calls, or with several owners.
 * `wants_log`: considers only the calls that asked a 2026-07-28 server for log messages. */
static struct mcti_call *server_question_sole(struct mcti_server *m, bool wants_log)
{
    struct mcti_call *sole = NULL;
    MCT_LIST_EACH(it, &m->calls) {
        struct mcti_call *call = call_at(it);
        if (wants_log && !call->wants_log)
            continue;
        if (sole && (!sole->owner || call->owner != sole->owner))
            return NULL;
        sole = call;
    }
    return sole;
}

struct mcti_call *mcti_server_call_aside(struct mcti_server *m, bool is_log)
{
    bool unclear, is_known = m->transport && m->transport->about;
    struct mcti_call *call = is_log && !is_known ? server_question_sole(m, true) : NULL;
    if (!call && (is_known || server_question_sole(m, false)))
        call = mcti_server_call_about(m, &unclear);
    return is_known || (call && !was_cancelled_recently(m, call)) ? call : NULL;
}

/* ---- tools that ask questions ---- */

void mcti_server_note_habit(struct mcti_server *m, struct mcti_call *call, enum mcti_habit habit)
{
    mcti_habits_note(&m->habits, call->what, habit);
    call->habit = habit;
    MCT_LIST_EACH(it, &m->calls) /* calls in flight that were expected not to ask */
        if (habit == MCT_HABIT_ASKS && call_at(it)->what == call->what)
            call_at(it)->habit = habit;
}

/* ---- one question ---- */

/* Suspends the time limit of the call, because a person may need longer, and lets others use its place. */
static void server_question_hold(struct mcti_server *m, struct mcti_call *call)
{
    if (call->out.n_holds++)
        return;
    call->asked_ms = mcti_sched_now(m->opts.sched);
    mcti_call_pause(call, true);
}

static void server_question_unhold(struct mcti_call *call)
{
    if (--call->out.n_holds == 0)
        mcti_call_pause(call, false);
}

static void server_question_end_wait(struct question *q)
{
    if (!q->waits)
        return;
    q->waits = false;
    q->owner->n_unclear--;
    if (q->owner->open)
        mcti_timer_set(q->owner->opts.sched, &q->owner->recheck, 0);
}

static void server_question_release(struct question *q)
{
    server_question_end_wait(q);
    if (q->call)
        server_question_unhold(q->call);
    else
        q->owner->session.n_holds--;
    mcti_list_remove(&q->node);
    free(q->params);
    free(q);
}

static void server_question_on_answered(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err)
{
    struct question *q = MCT_CONTAINER(a, struct question, ask);
    if (result.p)
        mcti_inbound_result(&q->in, result);
    else
        mcti_inbound_fail(&q->in, err, MCT_STR_NONE);
    server_question_release(q);
}

static void server_question_on_progress(struct mcti_ask *a, struct mcti_str params)
{
    mcti_inbound_progress(&MCT_CONTAINER(a, struct question, ask)->in, params);
}

/* The server has cancelled the question, or the connection has closed. */
static void server_question_on_cancelled(struct mcti_inbound *in)
{
    struct question *q = MCT_CONTAINER(in, struct question, in);
    mcti_ask_withdraw(&q->ask);
    server_question_release(q);
}

static void question_fail_unclear(struct question *q)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_UNSUPPORTED,
              "the question cannot be assigned to a call, because calls of several clients are in flight; "
              "the operator can set \"isolation\" (session or principal) for this server");
    mcti_server_warn_of_turns(q->owner);
    err.code = MCT_RPC_INTERNAL;
    MCT_LIST_EACH(it, &q->owner->calls) /* these will not run in parallel again */
        mcti_server_note_habit(q->owner, call_at(it), MCT_HABIT_ASKS);
    mcti_ask_fail(&q->ask, &err);
}

/* Passes the question to the answerer of the call, which `is_named` by it or guessed. If that one cannot answer
 * roots/list, the provider's own answerer does. */
static void server_question_put(struct question *q, struct mcti_call *call, bool is_named)
{
    struct mcti_server *m = q->owner;
    const struct mcti_answerer *by = call && call->answerer ? call->answerer : m->base.answerer;
    bool here = q->ask.kind == MCT_ASK_ROOTS && !mcti_answerer_can(by, q->ask.kind, q->ask.params) &&
                m->base.answerer && m->base.answerer->roots;
    server_question_end_wait(q);
    m->session.n_holds--;
    q->call = call;
    q->guessed = !m->transport->about && !is_named;
    if (call && q->guessed)
        mcti_server_note_habit(m, call, MCT_HABIT_ASKS);
    MCT_LIST_EACH(it, &m->calls) /* a guess: any of them may have asked */
        call_at(it)->asked |= q->guessed || call_at(it) == call;
    if (call)
        server_question_hold(m, call);
    else
        m->session.n_holds++;
    q->ask.about = call;
    mcti_ask_start(&q->ask, here ? m->base.answerer : by);
}

/* Passes on the question, or lets it wait until only calls of one client are in flight. */
static void server_question_attribute(struct question *q)
{
    struct mcti_server *m = q->owner;
    bool unclear = false;
    struct mcti_call *named = mcti_related_to_task(&m->calls, q->ask.params);
    struct mcti_call *call = named ? named : mcti_server_call_about(m, &unclear);
    if (!named && call && !m->transport->about && may_be_of_ended_call(m, call)) {
        question_fail_unclear(q);
        return;
    }
    if (!unclear) {
        server_question_put(q, call, named);
        return;
    }
    q->waits = true;
    m->n_unclear++;
    q->until_ms = mcti_sched_now(m->opts.sched) + MCT_UNCLEAR_MS;
    mcti_timer_set(m->opts.sched, &m->recheck, MCT_CANCELLED_GRACE_MS);
}

static struct question *server_question_first_waiting(struct mcti_server *m)
{
    MCT_LIST_EACH(it, &m->questions)
        if (MCT_CONTAINER(it, struct question, node)->waits)
            return MCT_CONTAINER(it, struct question, node);
    return NULL;
}

void mcti_server_questions_recheck(void *data)
{
    struct mcti_server *m = data;
    struct question *q;
    bool unclear;
    if (!m->open || !m->transport)
        return;
    m->transport->about = 0;
    while ((q = server_question_first_waiting(m))) {
        struct mcti_call *call = mcti_server_call_about(m, &unclear);
        if (unclear && mcti_sched_now(m->opts.sched) < q->until_ms) {
            mcti_timer_set(m->opts.sched, &m->recheck, MCT_CANCELLED_GRACE_MS);
            return;
        }
        if (unclear)
            question_fail_unclear(q);
        else
            server_question_put(q, call, false);
    }
    if (mcti_server_calls_send_waiting(m))
        mcti_timer_set(m->opts.sched, &m->recheck, MCT_CANCELLED_GRACE_MS);
}

/* ---- the end of a call ---- */

/* Assigns a guessed question of an ended call to another call of the same owner. Returns false if there is none. */
static bool question_pass_on(struct question *q)
{
    MCT_LIST_EACH(it, &q->owner->calls) {
        struct mcti_call *other = call_at(it);
        if (!q->guessed || !other->owner || other->owner != q->call->owner)
            continue;
        q->call = other;
        q->ask.about = other;
        server_question_hold(q->owner, other);
        return true;
    }
    return false;
}

/* Returns true if a waiting question may belong to the call that has just ended: because that was cancelled, or because
 * the server answered it without waiting for the question. The latter does not apply to calls of tools that are known
 * not to ask, nor if the other calls have the same authority. */
static bool may_have_been_of(struct mcti_server *m, const struct mcti_call *call, bool answered)
{
    if (!answered)
        return true;
    MCT_LIST_EACH(it, &m->calls)
        if (call->habit != MCT_HABIT_QUIET && call_at(it)->authority != call->authority)
            return true;
    return false;
}

void mcti_server_questions_end(struct mcti_server *m, const struct mcti_call *call, bool answered)
{
    struct mct_error err;
    for (;;) {
        struct question *q = NULL;
        MCT_LIST_EACH(it, &m->questions) {
            struct question *one = MCT_CONTAINER(it, struct question, node);
            bool over = one->call == call && !question_pass_on(one);
            if (over || (one->waits && may_have_been_of(m, call, answered)))
                q = one;
        }
        if (!q)
            return;
        mcti_ask_withdraw(&q->ask);
        mcti_fail(&err, MCT_ERR_CANCELLED, "the call that this question belongs to has ended");
        if (q->waits)
            question_fail_unclear(q);
        else
            mcti_ask_fail(&q->ask, &err);
    }
}

/* ---- arrival ---- */

static void server_question_refuse(struct mcti_server *m, const struct mcti_msg *msg, void *lane, const char *why)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_UNSUPPORTED, "%s %.*s", why, MCT_STR_ARG(msg->method));
    mcti_session_refuse(&m->session, msg, lane, &err, MCT_STR_NONE);
}

static void server_question_ask(struct mcti_server *m, enum mcti_ask_kind kind, const struct mcti_msg *msg, void *lane)
{
    struct mcti_msg_meta meta = { 0 };
    struct question *q = calloc(1, sizeof *q);
    if (q && msg->params.p)
        q->params = mcti_str_dup(msg->params);
    if (!q || (msg->params.p && !q->params) || m->session.n_inbound >= MCT_LIMIT_ASKS) {
        if (q)
            free(q->params);
        free(q);
        server_question_refuse(m, msg, lane, "too many open questions to accept another");
        return;
    }
    mcti_msg_read_meta(msg, &meta, NULL);
    if (mcti_inbound_init(&q->in, &m->session, msg, meta.progress_token, lane) < 0) {
        free(q->params);
        free(q);
        return;
    }
    q->owner = m;
    q->in.cancelled = server_question_on_cancelled;
    q->ask = (struct mcti_ask){ .kind = kind,
                                .params = mcti_str_of(q->params),
                                .server = m->base.name,
                                .answered = server_question_on_answered,
                                .progress = meta.progress_token.p ? server_question_on_progress : NULL };
    mcti_list_append(&m->questions, &q->node);
    m->session.n_holds++; /* suspends the timeout of all calls until the call is determined */
    server_question_attribute(q);
}

void mcti_server_on_request(struct mcti_server *m, const struct mcti_msg *msg, void *lane)
{
    struct mcti_inbound in = { 0 };
    enum mcti_ask_kind kind = mcti_ask_find(msg->method);
    if (mcti_server_is_stateless(m))
        return; /* 2026-07-28 "Transports": a server must not send requests, and a client must not answer them */
    if (mcti_str_is(msg->method, "ping")) {
        if (mcti_inbound_init(&in, &m->session, msg, MCT_STR_NONE, lane) == 0)
            mcti_inbound_result(&in, MCT_STR("{}"));
    } else if (kind != MCT_ASK_N) {
        server_question_ask(m, kind, msg, lane);
    } else {
        server_question_refuse(m, msg, lane, "this client does not offer");
    }
}
