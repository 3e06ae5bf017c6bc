/* Calls on an MCP server. A call is one request, or several if it has to be repeated. */
#include "hub/server/alive.h"
#include "hub/server/call.h"
#include "hub/server/hold.h"
#include "hub/server/lazy.h"
#include "hub/server/question.h"

#include "base/limits.h"
#include "base/rand.h"
#include "mcp/http/headers.h"
#include "mcp/extension.h"
#include "hub/core/stage.h"

#include <stdlib.h>

enum wait { WAIT_NONE, WAIT_TURN, WAIT_LISTS, WAIT_CONNECTION, WAIT_PAUSE };

/* State of a call that may be sent later or again: after other calls, with corrected headers, or on a new connection.
 */
struct mcti_server_attempt {
    struct mcti_list node;
    struct mcti_server *owner;
    struct mcti_call *call;
    char *params; /* as sent, with `_meta` */
    size_t len;
    enum mcti_rev rev;
    enum wait wait;
    bool reheaded, replayed; /* each happens at most once */
    unsigned limit_ms;       /* of the whole call */
    struct mcti_timer timer;
};

/* ---- the request ---- */

/* Returns the progress token of the request; 0: none. A token that nobody needs makes servers send progress, and some
 * tools answer differently because of it. */
static uint64_t progress_token(const struct mcti_server *m, const struct mcti_call *call)
{
    return call->verb != MCT_VERB_TASKS_RESULT && (call->progress || m->opts.always_progress) ? call->out.id : 0;
}

static void make_stateless_meta(struct mcti_server *m, const struct mcti_call *call, struct mcti_meta_more *more)
{
    const struct mcti_caller *c = &call->caller;
    struct mcti_buf scratch;
    mcti_buf_init(&scratch, c->capabilities.len);
    struct mcti_str capabilities = mcti_str_of(m->capabilities);
    if (c->capabilities.p)
        capabilities = mcti_extensions_undeclare(c->capabilities, mcti_provider_keeps(&m->base, call), &scratch);
    more->log_level = c->log_level;
    more->tasks = call->tasks == MCT_TASKS_HELD || (call->tasks && !c->capabilities.p);
    mcti_meta_put_stateless(&m->meta, call->meta, c->client_info, capabilities, more);
    m->meta.failed |= !mcti_buf_ok(&scratch);
    mcti_buf_done(&scratch);
}

static void make_meta(struct mcti_server *m, const struct mcti_call *call)
{
    struct mcti_meta_more more = { .progress_token = progress_token(m, call), .traceparent = call->traceparent };
    mcti_buf_clear(&m->meta);
    if (mcti_server_is_stateless(m))
        make_stateless_meta(m, call, &more);
    else
        mcti_meta_put_handshake(&m->meta, call->meta, &more);
}

/* Appends the caller's params to the frame, with the subject and `_meta` replaced. */
static void server_call_put_params(struct mcti_server *m, struct mcti_buf *b, const struct mcti_call *call)
{
    make_meta(m, call);
    bool crosses = mcti_rev_is_stateless(call->caller.rev) && !mcti_server_is_stateless(m);
    struct mcti_json_set sets[4] = { { "_meta", m->meta.len > 2 ? mcti_buf_str(&m->meta) : MCT_STR_NONE } };
    size_t n = 1;
    if (call->subject.value.p)
        sets[n++] = call->subject;
    if (crosses)
        sets[n++] = (struct mcti_json_set){ "inputResponses", MCT_STR_NONE }; /* unknown to a handshake server */
    if (call->verb == MCT_VERB_TOOLS_CALL)
        sets[n++] = (struct mcti_json_set){ MCT_TASK_PARAM, call->task };
    mcti_json_put_object(b, call->params, sets, n);
    b->failed |= !mcti_buf_ok(&m->meta);
}

static const struct mcti_item *called_tool(struct mcti_server *m, struct mcti_str params)
{
    const struct mcti_item *item = NULL;
    struct mcti_str name;
    struct mcti_buf text;
    if (mcti_json_plain(mcti_json_get(params, "name"), &name))
        return mcti_items_find(&m->base.items[MCT_TOOL], name);
    mcti_buf_init(&text, MCT_LIMIT_NAME_BYTES);
    if (mcti_json_unescape(mcti_json_get(params, "name"), &text) == 0 && mcti_buf_ok(&text))
        item = mcti_items_find(&m->base.items[MCT_TOOL], mcti_buf_str(&text));
    mcti_buf_done(&text);
    return item;
}

void mcti_server_put_param_headers(struct mcti_server *m, struct mcti_str params, struct mcti_headers *to)
{
    const struct mcti_item *tool = called_tool(m, params);
    if (tool && tool->annotated)
        mcti_headers_put_params(to, mcti_item_json(tool), mcti_json_get(params, "arguments"));
}

/* ---- calls with an attempt ---- */

static void attempt_free(struct mcti_server_attempt *a)
{
    if (!a)
        return;
    mcti_timer_stop(a->owner->opts.sched, &a->timer);
    mcti_list_remove(&a->node);
    a->call->attempt = NULL;
    free(a->params);
    free(a);
}

/* Removes the call, which is no longer in flight, and lets calls and questions proceed that waited for that. */
static void server_call_leave(struct mcti_server *m, struct mcti_call *call, bool answered)
{
    bool sent = !call->attempt || call->attempt->wait == WAIT_NONE;
    m->used_ms = mcti_sched_now(m->opts.sched);
    mcti_list_remove(&call->node);
    attempt_free(call->attempt);
    if (sent)
        mcti_server_note_end(m, call, answered);
    mcti_server_questions_end(m, call, answered || !sent);
    if (answered && !call->asked && call->habit == MCT_HABIT_UNKNOWN)
        mcti_server_note_habit(m, call, MCT_HABIT_QUIET);
    if (m->recheck.set) /* calls or questions wait */
        mcti_timer_set(m->opts.sched, &m->recheck, 0);
}

/* Takes what the server behind the running gateway wrote to stderr before the call failed. */
static void server_call_note_stderr(struct mcti_server *m, struct mcti_str error)
{
    struct mcti_buf said;
    mcti_buf_init(&said, MCT_LIMIT_JOURNAL_BYTES);
    if (mcti_json_unescape_any(mcti_json_get(mcti_json_get(error, "data"), MCT_DATA_STDERR), &said) == 0)
        mcti_server_on_stderr(m, mcti_buf_str(&said));
    mcti_buf_done(&said);
}

static void server_call_finish(struct mcti_call *call, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct mcti_provider *p = call->provider;
    struct mcti_outcome outcome = { .rev = p->info.rev };
    struct mct_error wrapped;
    server_call_leave(mcti_server_of(p), call, answer != NULL);
    (p->origin ? p->origin : p)->refuses_credentials = err && err->http_status == 401;
    bool relays = mcti_server_of(p)->transport && mcti_server_of(p)->transport->ops->relays;
    if (answer && answer->error.p && relays && mcti_msg_read_relayed(answer->error, &wrapped)) {
        server_call_note_stderr(mcti_server_of(p), answer->error);
        outcome.failed = &wrapped;
    } else if (answer) {
        outcome.result = answer->result;
        outcome.error = answer->error;
        outcome.chunk = answer->chunk;
    } else {
        wrapped = *err;
        mcti_error_wrap(&wrapped, "server '%s'", p->name);
        outcome.failed = &wrapped;
    }
    mcti_call_finish(call, &outcome);
}

/* Appends the params of a stored request with another progress token. */
static void put_with_token(struct mcti_server *m, struct mcti_buf *b, struct mcti_str params, uint64_t id)
{
    char token[24];
    snprintf(token, sizeof token, "%llu", (unsigned long long)id);
    const struct mcti_json_set number = { "progressToken", mcti_str_of(token) };
    mcti_buf_clear(&m->meta);
    mcti_json_put_object(&m->meta, mcti_json_get(params, "_meta"), &number, 1);
    const struct mcti_json_set meta = { "_meta", mcti_buf_str(&m->meta) };
    mcti_json_put_object(b, params, &meta, 1);
}

/* Returns the rest of the time limit, at least 1; 0: there is no limit. */
static unsigned attempt_rest_ms(const struct mcti_server_attempt *a)
{
    uint64_t gone = mcti_sched_now(a->owner->opts.sched) - a->call->started_ms;
    return !a->limit_ms ? 0 : gone < a->limit_ms ? a->limit_ms - (unsigned)gone : 1;
}

/* Sends the stored request with a new id. */
static void server_call_send_again(struct mcti_server_attempt *a)
{
    struct mcti_server *m = a->owner;
    struct mcti_call *call = a->call;
    struct mct_error err;
    struct mcti_str params = { a->params, a->len };
    a->wait = WAIT_NONE;
    mcti_timer_stop(m->opts.sched, &a->timer);
    if (a->replayed)
        call->out.timeout_ms = attempt_rest_ms(a);
    struct mcti_buf *b = mcti_session_begin(&m->session, &call->out, mcti_call_method(call));
    if (progress_token(m, call))
        put_with_token(m, b, params, call->out.id);
    else
        mcti_buf_add(b, params);
    call->out.has_progressed = false;
    mcti_list_remove(&call->node);
    mcti_list_append(&m->calls, &call->node);
    if (mcti_session_send(&m->session, &call->out, &err) < 0)
        server_call_finish(call, NULL, &err);
}

static void attempt_wait(struct mcti_server_attempt *a, enum wait what, unsigned ms)
{
    a->wait = what;
    mcti_timer_set(a->owner->opts.sched, &a->timer, ms);
}

static void server_call_on_wait_over(void *data)
{
    struct mcti_server_attempt *a = data;
    struct mct_error err;
    if (a->wait == WAIT_PAUSE) {
        if (a->owner->up)
            server_call_send_again(a);
        else
            attempt_wait(a, WAIT_CONNECTION, attempt_rest_ms(a));
        return;
    }
    mcti_fail_timeout(&err, a->call->out.timeout_ms);
    if (a->wait == WAIT_TURN)
        mcti_fail(&err, MCT_ERR_TIMEOUT,
                  "waited %u s for its turn: a question of the server to another client is still open; "
                  "the operator can set \"isolation\" (session or principal) for this server",
                  a->call->out.timeout_ms / 1000);
    if (a->wait == WAIT_TURN)
        mcti_server_warn_of_turns(a->owner);
    server_call_finish(a->call, NULL, &err);
}

void mcti_server_warn_of_turns(struct mcti_server *m)
{
    if (m->warned_of_turns)
        return;
    m->warned_of_turns = true;
    mcti_log(m->base.log, MCT_LOG_WARN,
             "server '%s' asks questions without naming the call that they belong to: calls of different "
             "clients run one at a time or fail; set its \"isolation\" to session or principal",
             m->base.name);
}

/* ---- the answer ---- */

static bool tool_has_hint(struct mcti_server_attempt *a, const char *hint)
{
    const struct mcti_item *tool = called_tool(a->owner, (struct mcti_str){ a->params, a->len });
    return tool && mcti_json_true(mcti_json_get(mcti_json_get(mcti_item_json(tool), "annotations"), hint));
}

static bool call_only_reads(const struct mcti_call *call)
{
    return call->verb == MCT_VERB_RESOURCES_READ || call->verb == MCT_VERB_PROMPTS_GET ||
           call->verb == MCT_VERB_COMPLETE;
}

/* Returns whether the configuration lets the call be made twice: it only reads, or its tool says that it may. */
static bool may_repeat(struct mcti_server_attempt *a)
{
    const struct mcti_mcp_opts *o = &a->owner->opts;
    bool is_tool = a->call->verb == MCT_VERB_TOOLS_CALL;
    if (call_only_reads(a->call))
        return o->replay || o->retry_reads;
    return o->replay && (!is_tool || tool_has_hint(a, "readOnlyHint") || tool_has_hint(a, "idempotentHint"));
}

/* Returns whether the call may be sent again. A lost call may have run. */
static bool may_replay(struct mcti_server_attempt *a, const struct mct_error *err)
{
    struct mcti_server *m = a->owner;
    bool failed = err->http_status == 502 || err->http_status == 503 || err->http_status == 504;
    bool lost = err->unsent || (err->kind == MCT_ERR_CONNECT && (!err->http_status || failed));
    if (!lost || a->replayed || err->retry_after_ms || !m->opts.restart || m->stopping)
        return false;
    if (!(err->unsent && (m->opts.replay || call_only_reads(a->call))) && !may_repeat(a))
        return false;
    return mcti_gate_may_retry(mcti_gate_of(&m->base));
}

/* Returns true if the call will be sent again instead of ending with `answer` or `err`. */
static bool server_call_goes_on(struct mcti_server_attempt *a, const struct mcti_msg *answer,
                                const struct mct_error *err)
{
    struct mcti_call *call = a->call;
    int64_t code = 0;
    if (!answer) {
        if (!may_replay(a, err))
            return false;
        unsigned char r;
        mcti_random(&r, sizeof r);
        a->replayed = true;
        if (a->owner->up && a->owner->open)
            attempt_wait(a, WAIT_PAUSE, MCT_RETRY_PAUSE_MS / 2 + (unsigned)r * MCT_RETRY_PAUSE_MS / 510);
        else
            attempt_wait(a, WAIT_CONNECTION, attempt_rest_ms(a));
        return true;
    }
    if (answer->kind == MCT_MSG_RESULT)
        return false;
    mcti_json_int(mcti_json_get(answer->error, "code"), &code);
    if (code != MCT_RPC_HEADER_MISMATCH || call->verb != MCT_VERB_TOOLS_CALL || a->reheaded)
        return false;
    a->reheaded = true; /* the list of tools is outdated */
    mcti_lists_refetch(&a->owner->lists, 1u << MCT_TOOL);
    if (!mcti_lists_busy(&a->owner->lists, MCT_TOOL))
        return false;
    attempt_wait(a, WAIT_LISTS, call->out.timeout_ms);
    return true;
}

/* Copies the error and adds that a call which has timed out had to wait, or that the tool may have run if the
 * connection was lost during a tools/call. */
static void call_explain(const struct mcti_call *call, const struct mct_error *err, struct mct_error *ret)
{
    size_t n = strlen(err->message);
    *ret = *err;
    if (err->kind == MCT_ERR_TIMEOUT && call->waited_ms)
        snprintf(ret->message + n, sizeof ret->message - n, "; it had waited %u.%u s for its turn",
                 call->waited_ms / 1000, call->waited_ms % 1000 / 100);
    if (call->verb == MCT_VERB_TOOLS_CALL && err->kind == MCT_ERR_CONNECT && !err->unsent && !err->http_status)
        snprintf(ret->message + n, sizeof ret->message - n, "; the tool may have run, so the call was not repeated");
}

static void server_call_on_call_done(struct mcti_outbound *o, const struct mcti_msg *answer,
                                     const struct mct_error *err)
{
    struct mcti_call *call = MCT_CONTAINER(o, struct mcti_call, out);
    struct mct_error explained;
    if (call->attempt && server_call_goes_on(call->attempt, answer, err))
        return;
    if (err)
        call_explain(call, err, &explained);
    if (err && err->kind == MCT_ERR_TIMEOUT)
        mcti_server_check(mcti_server_of(call->provider), call->started_ms);
    server_call_finish(call, answer, err ? &explained : NULL);
}

struct mcti_call *mcti_server_call_of(struct mcti_outbound *o)
{
    return o && o->done == server_call_on_call_done ? MCT_CONTAINER(o, struct mcti_call, out) : NULL;
}

static void server_call_on_call_progress(struct mcti_outbound *o, struct mcti_str params)
{
    struct mcti_call *call = MCT_CONTAINER(o, struct mcti_call, out);
    if (call->progress)
        call->progress(call, params);
}

/* ---- operations ---- */

/* Returns true if the call may ask a person or a model a question. */
static bool server_call_may_ask(struct mcti_server *m, const struct mcti_call *call)
{
    const struct mcti_answerer *a = call->answerer;
    bool young = mcti_sched_now(m->opts.sched) - call->started_ms < MCT_NEW_TOOL_MS;
    return a && (a->form || a->url || a->sampling) &&
           (call->habit == MCT_HABIT_ASKS || (call->habit == MCT_HABIT_UNKNOWN && young));
}

/*
 * Returns true if the call must wait. Over stdio to a handshake server a question does not name its call, so calls that
 * may ask questions must not run in parallel. A call runs beside each other call in flight that meets one condition:
 *
 *   other call                                   | this call
 *   ---------------------------------------------+--------------------------------------------------
 *   does not ask questions                       | any
 *   waits for the result of a task               | any
 *   any                                          | does not ask questions, or has the same owner
 *   has an open question                         | has the same authority, or is of an unknown tool
 *
 * (If a tool of the last row does ask, its question is refused.) While the call of a question is undetermined, every
 * call waits. Over HTTP a call waits only for a change of the log level.
 */
static bool must_wait(struct mcti_server *m, const struct mcti_call *call)
{
    if (m->transport->ops->http && m->level_out.session)
        return true; /* the call might arrive before the new log level */
    if (m->transport->ops->http || mcti_server_is_stateless(m))
        return false;
    if (m->n_unclear)
        return true;
    if (call->habit == MCT_HABIT_QUIET || call->verb == MCT_VERB_TASKS_RESULT)
        return false;
    MCT_LIST_EACH(it, &m->calls) {
        const struct mcti_call *other = MCT_CONTAINER(it, struct mcti_call, node);
        if (other->verb == MCT_VERB_TASKS_RESULT)
            continue;
        bool passes = other->out.n_holds && (other->authority == call->authority || call->habit == MCT_HABIT_UNKNOWN);
        bool same = call->owner && other->owner == call->owner;
        if (!passes && !same && server_call_may_ask(m, other))
            return true;
    }
    return false;
}

static bool may_need_more(const struct mcti_server *m, const struct mcti_call *call)
{
    return m->opts.replay || (m->opts.retry_reads && call_only_reads(call)) ||
           (m->transport->ops->http && call->verb == MCT_VERB_TOOLS_CALL && mcti_server_is_stateless(m));
}

/* Creates the attempt of the call, with a copy of the params. */
static int server_call_keep(struct mcti_server *m, struct mcti_call *call, struct mcti_str params)
{
    struct mcti_server_attempt *a = calloc(1, sizeof *a);
    char *copy = a ? mcti_str_dup(params) : NULL;
    if (!copy) {
        free(a);
        return -1;
    }
    *a = (struct mcti_server_attempt){ .owner = m,
                                       .call = call,
                                       .params = copy,
                                       .len = params.len,
                                       .rev = m->session.rev,
                                       .limit_ms = call->out.timeout_ms };
    mcti_timer_init(&a->timer, server_call_on_wait_over, a);
    mcti_list_append(&m->attempts, &a->node);
    call->attempt = a;
    return 0;
}

static void note_start(struct mcti_server *m, struct mcti_call *call)
{
    struct mcti_str name = call->subject.value.p ? call->subject.value : mcti_json_get(call->params, "name");
    call->what = mcti_hash((uint64_t)call->verb, name);
    call->habit = call->verb == MCT_VERB_COMPLETE ? MCT_HABIT_QUIET : mcti_habits_get(m->habits, call->what);
    call->asked = false;
    call->wants_log = mcti_server_is_stateless(m) && call->caller.log_level.p;
    call->started_ms = mcti_sched_now(m->opts.sched);
}

int mcti_server_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    struct mcti_server *m = mcti_server_of(p);
    call->attempt = NULL;
    mcti_list_init(&call->node);
    if (!m->up && mcti_server_may_wake(m))
        return mcti_server_hold(m, call, err);
    if (!m->up)
        return mcti_fail(err, MCT_ERR_CONNECT, "not connected%s%s", p->error->kind ? ": " : "",
                         p->error->kind ? p->error->message : "");
    call->out = (struct mcti_outbound){
        .done = server_call_on_call_done,
        .progress = server_call_on_call_progress,
        .timeout_ms = mcti_call_rest_ms(call, call->timeout_ms ? call->timeout_ms : m->opts.call_timeout_ms),
    };
    note_start(m, call);
    struct mcti_splices splices;
    bool waits = must_wait(m, call);
    struct mcti_buf *b = mcti_session_begin(&m->session, &call->out, mcti_call_method(call));
    size_t from = b->len;
    bool keeps = waits || may_need_more(m, call);
    if (!keeps && m->transport->ops->send_pieces)
        mcti_session_splice(&m->session, &splices, call->chunk);
    server_call_put_params(m, b, call);
    if (mcti_buf_ok(b) && keeps && server_call_keep(m, call, (struct mcti_str){ b->p + from, b->len - from }) < 0)
        b->failed = true;
    if (waits && call->attempt) {
        mcti_buf_clear(b);
        attempt_wait(call->attempt, WAIT_TURN, call->out.timeout_ms);
        if (!m->recheck.set)
            mcti_timer_set(m->opts.sched, &m->recheck, MCT_NEW_TOOL_MS);
        return 0;
    }
    mcti_list_append(&m->calls, &call->node);
    if (mcti_session_send(&m->session, &call->out, err) == 0)
        return 0;
    mcti_list_remove(&call->node);
    attempt_free(call->attempt);
    return -1;
}

void mcti_server_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason)
{
    struct mcti_server *m = mcti_server_of(p);
    if (mcti_server_unhold(m, call))
        return;
    server_call_leave(m, call, false);
    mcti_session_cancel(&call->out, reason);
}

bool mcti_server_runs_for(const struct mcti_provider *p, const struct mcti_call *behalf)
{
    struct mcti_server *m = mcti_server_of(p);
    MCT_LIST_EACH(it, &m->calls)
        if (MCT_CONTAINER(it, struct mcti_call, node)->behalf == behalf)
            return true;
    return false;
}

bool mcti_server_is_busy(const struct mcti_provider *p)
{
    const struct mcti_server *m = mcti_server_of(p);
    return !mcti_list_empty(&m->calls) || !mcti_list_empty(&m->attempts) || !mcti_list_empty(&m->held) ||
           m->gate.waiting.n || m->base.n_tasks;
}

static struct mcti_server_attempt *server_call_first_waiting(struct mcti_server *m, enum wait what)
{
    MCT_LIST_EACH(it, &m->attempts) {
        struct mcti_server_attempt *a = MCT_CONTAINER(it, struct mcti_server_attempt, node);
        if (a->wait == what)
            return a;
    }
    return NULL;
}

/* Sends the stored request, or fails the call if the new connection has another revision than the params. */
static void attempt_send_or_fail(struct mcti_server_attempt *a)
{
    struct mct_error err;
    if (a->rev == a->owner->session.rev) {
        server_call_send_again(a);
        return;
    }
    mcti_fail(&err, MCT_ERR_CONNECT, "the connection was lost, and the new one uses another protocol revision");
    server_call_finish(a->call, NULL, &err);
}

void mcti_server_calls_go_on(struct mcti_server *m)
{
    struct mcti_server_attempt *a;
    while (!mcti_lists_busy(&m->lists, MCT_TOOL) && (a = server_call_first_waiting(m, WAIT_LISTS)))
        server_call_send_again(a);
    while ((a = server_call_first_waiting(m, WAIT_CONNECTION)))
        attempt_send_or_fail(a);
    if (server_call_first_waiting(m, WAIT_TURN))
        mcti_timer_set(m->opts.sched, &m->recheck, 0);
}

bool mcti_server_calls_send_waiting(struct mcti_server *m)
{
    struct mcti_server_attempt *a;
    while ((a = server_call_first_waiting(m, WAIT_TURN))) {
        a->call->habit = mcti_habits_get(m->habits, a->call->what);
        if (must_wait(m, a->call))
            return true;
        a->call->started_ms = mcti_sched_now(m->opts.sched);
        attempt_send_or_fail(a);
    }
    return false;
}

static struct mcti_server_attempt *first_idle(struct mcti_server *m)
{
    MCT_LIST_EACH(it, &m->attempts) {
        struct mcti_server_attempt *a = MCT_CONTAINER(it, struct mcti_server_attempt, node);
        if (!a->call->out.session)
            return a;
    }
    return NULL;
}

void mcti_server_calls_fail(struct mcti_server *m, const struct mct_error *why)
{
    struct mcti_server_attempt *a;
    mcti_server_held_fail(m, why);
    while ((a = first_idle(m)))
        server_call_finish(a->call, NULL, why);
    mcti_gate_fail_all(&m->gate, why);
}
