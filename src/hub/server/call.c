/* Calls on an MCP server: one request, or, for those that may need it, several. */
#include "hub/server/impl.h"

#include "base/limits.h"
#include "mcp/http/headers.h"
#include "mcp/task.h"

#include <stdlib.h>

enum wait { WAIT_NONE, WAIT_TURN, WAIT_LISTS, WAIT_CONNECTION };

/* What a call needs to be sent later, or again: in its turn, with better headers, on another connection. */
struct mcp_attempt {
    struct mct_list node;
    struct mcp *owner;
    struct mct_call *call;
    char *params;  /* as they were sent, with `_meta` */
    size_t len;
    enum mct_rev rev;
    enum wait wait;
    bool reheaded, replayed; /* each is done once */
    struct mct_timer timer;
};

/* ---- the request ---- */

static void make_stateless_meta(struct mcp *m, const struct mct_call *call)
{
    const struct mct_caller *c = &call->caller;
    struct mct_buf scratch;
    mct_buf_init(&scratch, c->capabilities.len);
    struct mct_str capabilities = c->capabilities.p ? mct_task_undeclare(c->capabilities, &scratch)
                                                    : mct_str_of(m->capabilities);
    mct_meta_put_stateless(&m->meta, call->meta, c->client_info, capabilities, c->log_level, call->out.id);
    m->meta.failed |= !mct_buf_ok(&scratch);
    mct_buf_done(&scratch);
}

static void make_meta(struct mcp *m, const struct mct_call *call)
{
    mct_buf_clear(&m->meta);
    if (mcp_is_stateless(m))
        make_stateless_meta(m, call);
    else
        mct_meta_put_handshake(&m->meta, call->meta, call->out.id);
}

/* The caller's params with subject and `_meta` replaced, straight into the frame. */
static void put_params(struct mcp *m, struct mct_buf *b, const struct mct_call *call)
{
    make_meta(m, call);
    bool crosses = mct_rev_is_stateless(call->caller.rev) && !mcp_is_stateless(m);
    struct mct_json_set sets[4] = { { "_meta", mct_buf_str(&m->meta) } };
    size_t n = 1;
    if (call->subject.value.p)
        sets[n++] = call->subject;
    if (crosses)
        sets[n++] = (struct mct_json_set){ "inputResponses", MCT_STR_NONE }; /* means nothing to a handshake server */
    if (call->verb == MCT_VERB_TOOLS_CALL)
        sets[n++] = (struct mct_json_set){ MCT_TASK_PARAM, MCT_STR_NONE };
    mct_json_put_object(b, call->params, sets, n);
    b->failed |= !mct_buf_ok(&m->meta);
}

static const struct mct_item *called_tool(struct mcp *m, struct mct_str params)
{
    const struct mct_item *item = NULL;
    struct mct_str name;
    struct mct_buf text;
    if (mct_json_plain(mct_json_get(params, "name"), &name))
        return mct_items_find(&m->base.items[MCT_TOOL], name);
    mct_buf_init(&text, MCT_LIMIT_NAME_BYTES);
    if (mct_json_unescape(mct_json_get(params, "name"), &text) == 0 && mct_buf_ok(&text))
        item = mct_items_find(&m->base.items[MCT_TOOL], mct_buf_str(&text));
    mct_buf_done(&text);
    return item;
}

void mcp_put_param_headers(struct mcp *m, struct mct_str params, struct mct_headers *to)
{
    const struct mct_item *tool = called_tool(m, params);
    if (tool)
        mct_headers_put_params(to, tool->json, mct_json_get(params, "arguments"));
}

/* ---- calls that may need more ---- */

static void attempt_free(struct mcp_attempt *a)
{
    if (!a)
        return;
    mct_timer_stop(a->owner->opts.sched, &a->timer);
    mct_list_remove(&a->node);
    a->call->attempt = NULL;
    free(a->params);
    free(a);
}

/* It is not under way any more; others may have waited for that. */
static void leave(struct mcp *m, struct mct_call *call, bool answered)
{
    bool sent = !call->attempt || call->attempt->wait == WAIT_NONE;
    mct_list_remove(&call->node);
    attempt_free(call->attempt);
    if (sent)
        mcp_note_end(m, call, answered);
    mcp_questions_end(m, call, answered || !sent);
    if (answered && !call->asked && call->habit == MCT_HABIT_UNKNOWN)
        mcp_note_habit(m, call, MCT_HABIT_QUIET);
    if (m->recheck.set) /* something waits for it */
        mct_timer_set(m->opts.sched, &m->recheck, 0);
}

static void finish(struct mct_call *call, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mct_provider *p = call->provider;
    struct mct_outcome outcome = { .rev = p->info.rev };
    struct mct_error wrapped;
    leave(mcp_of(p), call, answer != NULL);
    call->provider = NULL;
    if (answer) {
        outcome.result = answer->result;
        outcome.error = answer->error;
    } else {
        wrapped = *err;
        mct_error_wrap(&wrapped, "server '%s'", p->name);
        outcome.failed = &wrapped;
    }
    call->done(call, &outcome);
}

/* The same request, once more or at last, with a new id. */
static void send_again(struct mcp_attempt *a)
{
    struct mcp *m = a->owner;
    struct mct_call *call = a->call;
    struct mct_error err;
    char token[24];
    struct mct_str params = { a->params, a->len };
    a->wait = WAIT_NONE;
    mct_timer_stop(m->opts.sched, &a->timer);
    struct mct_buf *b = mct_session_begin(&m->session, &call->out, mct_method(call->verb)->name);
    snprintf(token, sizeof token, "%llu", (unsigned long long)call->out.id);
    const struct mct_json_set number = { "progressToken", mct_str_of(token) };
    mct_buf_clear(&m->meta);
    mct_json_put_object(&m->meta, mct_json_get(params, "_meta"), &number, 1);
    const struct mct_json_set meta = { "_meta", mct_buf_str(&m->meta) };
    mct_json_put_object(b, params, &meta, 1);
    call->out.has_progressed = false;
    mct_list_remove(&call->node);
    mct_list_append(&m->calls, &call->node);
    if (mct_session_send(&m->session, &call->out, &err) < 0)
        finish(call, NULL, &err);
}

static void on_wait_over(void *data)
{
    struct mcp_attempt *a = data;
    struct mct_error err;
    mct_fail_late(&err, a->call->out.timeout_ms);
    if (a->wait == WAIT_TURN)
        mct_fail(&err, MCT_ERR_TIMEOUT, "waited %u s for its turn: a question of the server to another client is still open, "
                 "and the two must not be mixed up; the operator can set \"isolation\" (session or principal) for it",
                 a->call->out.timeout_ms / 1000);
    if (a->wait == WAIT_TURN)
        mcp_warn_of_turns(a->owner);
    finish(a->call, NULL, &err);
}

void mcp_warn_of_turns(struct mcp *m)
{
    if (m->warned_of_turns)
        return;
    m->warned_of_turns = true;
    mct_log(m->base.log, MCT_LOG_WARN, "server '%s' asks its clients back over a connection that cannot say in which call: "
            "calls of different clients take turns or fail; set its \"isolation\" to session or principal", m->base.name);
}

static void wait_for(struct mcp_attempt *a, enum wait what, unsigned ms)
{
    a->wait = what;
    mct_timer_set(a->owner->opts.sched, &a->timer, ms);
}

/* ---- the answer ---- */

static bool tool_says(struct mcp_attempt *a, const char *hint)
{
    const struct mct_item *tool = called_tool(a->owner, (struct mct_str){ a->params, a->len });
    return tool && mct_json_true(mct_json_get(mct_json_get(tool->json, "annotations"), hint));
}

/* A lost call may have run: only what does no harm twice is sent again. */
static bool may_replay(struct mcp_attempt *a, const struct mct_error *err)
{
    const struct mct_call *call = a->call;
    bool lost = err->unsent || (err->kind == MCT_ERR_CONNECT && !err->http_status);
    if (!lost || a->replayed || !a->owner->opts.replay || !a->owner->opts.restart || a->owner->stopping)
        return false;
    return call->verb != MCT_VERB_TOOLS_CALL || err->unsent || tool_says(a, "readOnlyHint") ||
           tool_says(a, "idempotentHint");
}

/* Whether the call goes on instead of ending with this. */
static bool goes_on(struct mcp_attempt *a, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mct_call *call = a->call;
    int64_t code = 0;
    if (!answer) {
        if (!may_replay(a, err))
            return false;
        a->replayed = true;
        wait_for(a, WAIT_CONNECTION, call->out.timeout_ms);
        return true;
    }
    if (answer->kind == MCT_MSG_RESULT)
        return false;
    mct_json_int(mct_json_get(answer->error, "code"), &code);
    if (code != MCT_RPC_HEADER_MISMATCH || call->verb != MCT_VERB_TOOLS_CALL || a->reheaded)
        return false;
    a->reheaded = true; /* our list of its tools is old */
    mct_lists_refetch(&a->owner->lists, 1u << MCT_TOOL);
    if (!mct_lists_busy(&a->owner->lists, MCT_TOOL))
        return false;
    wait_for(a, WAIT_LISTS, call->out.timeout_ms);
    return true;
}

/* A connection that went away says nothing of whether the tool has run. */
static void say_not_repeated(const struct mct_call *call, const struct mct_error *err, struct mct_error *ret)
{
    size_t n = strlen(err->message);
    *ret = *err;
    if (call->verb == MCT_VERB_TOOLS_CALL && err->kind == MCT_ERR_CONNECT && !err->unsent && !err->http_status)
        snprintf(ret->message + n, sizeof ret->message - n, "; the tool may have run, so the call was not repeated");
}

static void on_call_done(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mct_call *call = MCT_CONTAINER(o, struct mct_call, out);
    struct mct_error told;
    if (call->attempt && goes_on(call->attempt, answer, err))
        return;
    if (err)
        say_not_repeated(call, err, &told);
    finish(call, answer, err ? &told : NULL);
}

struct mct_call *mcp_call_of(struct mct_outbound *o)
{
    return o && o->done == on_call_done ? MCT_CONTAINER(o, struct mct_call, out) : NULL;
}

static void on_call_progress(struct mct_outbound *o, struct mct_str params)
{
    struct mct_call *call = MCT_CONTAINER(o, struct mct_call, out);
    if (call->progress)
        call->progress(call, params);
}

/* ---- operations ---- */

/* It may ask a person or a model something, as far as is known. */
static bool may_ask(struct mcp *m, const struct mct_call *call)
{
    const struct mct_answerer *a = call->answerer;
    bool young = mct_sched_now(m->opts.sched) - call->started_ms < MCT_PROBATION_MS;
    return a && (a->form || a->url || a->sampling) &&
           (call->habit == MCT_HABIT_ASKS || (call->habit == MCT_HABIT_UNKNOWN && young));
}

/*
 * Where a question does not say in which call it came up, no two calls run at a time that may ask, unless both would ask
 * the same client, or one has asked already and waits: that one is passed on the same authority, and by what is not known
 * yet (its question, if it has one, is refused then). And while it is unclear whose a question is there shall be fewer
 * calls, not more.
 */
static bool must_wait(struct mcp *m, const struct mct_call *call)
{
    if (m->transport->ops->http && m->level_out.session)
        return true; /* the call might be there before the new log level */
    if (m->transport->ops->http || mcp_is_stateless(m))
        return false;
    if (m->n_unclear)
        return true;
    if (call->habit == MCT_HABIT_QUIET)
        return false;
    MCT_LIST_EACH(it, &m->calls) {
        const struct mct_call *other = MCT_CONTAINER(it, struct mct_call, node);
        bool passes = other->out.n_holds && (other->authority == call->authority || call->habit == MCT_HABIT_UNKNOWN);
        bool same = call->owner && other->owner == call->owner;
        if (!passes && !same && may_ask(m, other))
            return true;
    }
    return false;
}

static bool may_need_more(const struct mcp *m, const struct mct_call *call)
{
    return m->opts.replay ||
           (m->transport->ops->http && call->verb == MCT_VERB_TOOLS_CALL && mcp_is_stateless(m));
}

/* Remembers what has just been written as params, for another time. */
static int keep(struct mcp *m, struct mct_call *call, struct mct_str params)
{
    struct mcp_attempt *a = calloc(1, sizeof *a);
    char *copy = a ? mct_str_dup(params) : NULL;
    if (!copy) {
        free(a);
        return -1;
    }
    *a = (struct mcp_attempt){ .owner = m, .call = call, .params = copy, .len = params.len, .rev = m->session.rev };
    mct_timer_init(&a->timer, on_wait_over, a);
    mct_list_append(&m->attempts, &a->node);
    call->attempt = a;
    return 0;
}

static void note_start(struct mcp *m, struct mct_call *call)
{
    struct mct_str name = call->subject.value.p ? call->subject.value : mct_json_get(call->params, "name");
    call->what = mct_hash((uint64_t)call->verb, name);
    call->habit = call->verb == MCT_VERB_COMPLETE ? MCT_HABIT_QUIET : mcp_habit_of(m, call->what);
    call->asked = false;
    call->started_ms = mct_sched_now(m->opts.sched);
}

int mcp_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    struct mcp *m = mcp_of(p);
    call->attempt = NULL;
    mct_list_init(&call->node);
    if (!m->open || p->state != MCT_CONNECTED)
        return mct_fail(err, MCT_ERR_CONNECT, "not connected%s%s", p->error.kind ? ": " : "",
                        p->error.kind ? p->error.message : "");
    call->out = (struct mct_outbound){
        .done = on_call_done,
        .progress = on_call_progress,
        .timeout_ms = call->timeout_ms ? call->timeout_ms : m->opts.call_timeout_ms,
    };
    note_start(m, call);
    bool waits = must_wait(m, call);
    struct mct_buf *b = mct_session_begin(&m->session, &call->out, mct_method(call->verb)->name);
    size_t from = b->len;
    put_params(m, b, call);
    if (mct_buf_ok(b) && (waits || may_need_more(m, call)) &&
        keep(m, call, (struct mct_str){ b->p + from, b->len - from }) < 0)
        b->failed = true;
    if (waits && call->attempt) {
        mct_buf_clear(b);
        wait_for(call->attempt, WAIT_TURN, call->out.timeout_ms);
        if (!m->recheck.set)
            mct_timer_set(m->opts.sched, &m->recheck, MCT_PROBATION_MS);
        return 0;
    }
    mct_list_append(&m->calls, &call->node);
    if (mct_session_send(&m->session, &call->out, err) == 0)
        return 0;
    mct_list_remove(&call->node);
    attempt_free(call->attempt);
    return -1;
}

void mcp_cancel(struct mct_provider *p, struct mct_call *call, const char *reason)
{
    leave(mcp_of(p), call, false);
    mct_session_cancel(&call->out, reason);
}

bool mcp_runs_for(const struct mct_provider *p, const struct mct_call *behalf)
{
    struct mcp *m = mcp_of(p);
    MCT_LIST_EACH(it, &m->calls)
        if (MCT_CONTAINER(it, struct mct_call, node)->behalf == behalf)
            return true;
    return false;
}

static struct mcp_attempt *first_waiting(struct mcp *m, enum wait what)
{
    MCT_LIST_EACH(it, &m->attempts) {
        struct mcp_attempt *a = MCT_CONTAINER(it, struct mcp_attempt, node);
        if (a->wait == what)
            return a;
    }
    return NULL;
}

/* What it says was written for one revision. */
static void send_or_fail(struct mcp_attempt *a)
{
    struct mct_error err;
    if (a->rev == a->owner->session.rev) {
        send_again(a);
        return;
    }
    mct_fail(&err, MCT_ERR_CONNECT, "the connection was lost, and the new one speaks another revision");
    finish(a->call, NULL, &err);
}

void mcp_calls_go_on(struct mcp *m)
{
    struct mcp_attempt *a;
    while (!mct_lists_busy(&m->lists, MCT_TOOL) && (a = first_waiting(m, WAIT_LISTS)))
        send_again(a);
    while ((a = first_waiting(m, WAIT_CONNECTION)))
        send_or_fail(a);
    if (first_waiting(m, WAIT_TURN))
        mct_timer_set(m->opts.sched, &m->recheck, 0);
}

bool mcp_calls_take_turns(struct mcp *m)
{
    struct mcp_attempt *a;
    while ((a = first_waiting(m, WAIT_TURN))) { /* in order */
        a->call->habit = mcp_habit_of(m, a->call->what);
        if (must_wait(m, a->call))
            return true;
        a->call->started_ms = mct_sched_now(m->opts.sched);
        send_or_fail(a);
    }
    return false;
}

static struct mcp_attempt *first_idle(struct mcp *m)
{
    MCT_LIST_EACH(it, &m->attempts) {
        struct mcp_attempt *a = MCT_CONTAINER(it, struct mcp_attempt, node);
        if (!a->call->out.session)
            return a;
    }
    return NULL;
}

void mcp_calls_fail(struct mcp *m, const struct mct_error *why)
{
    struct mcp_attempt *a;
    while ((a = first_idle(m)))
        finish(a->call, NULL, why);
}
