/*
 * If the server makes a task of the call, follows the task until it ends, and gives the caller the result
 * of the tool (mcp/task.h). Questions of the task go to the answerer of the call. A call that its caller gives up
 * cancels the task.
 */
#include "hub/tasks/impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"
#include "hub/core/registry.h"

#include <math.h>
#include <stdlib.h>

enum { AT_ONCE_MS = 50, FAILURES = 8, QUESTIONS = 256 };

/* ---- beginning and end ---- */

static void hold_free(struct mcti_hold *h)
{
    mcti_round_stop(&h->round);
    mcti_timer_stop(h->provider->sched, &h->timer);
    mcti_strings_clear(&h->asked);
    free(h->texts);
    free(h->id);
    free(h->params);
    free(h);
}

/* Copies the texts that the call borrows from the caller while it is started: later requests need them. */
static int hold_keep(struct mcti_hold *h)
{
    struct mcti_caller *c = &h->caller;
    *c = h->call->caller;
    char *at = h->texts = malloc(c->client_info.len + c->capabilities.len + c->log_level.len + 1);
    if (!at)
        return -1;
    c->client_info = mcti_str_keep(&at, c->client_info);
    c->capabilities = mcti_str_keep(&at, c->capabilities);
    c->log_level = mcti_str_keep(&at, c->log_level);
    h->call->caller = *c;
    return 0;
}

/* Waits for the task that the call names. Without its id, the first answer ends the call. */
static void hold_resume(struct mcti_hold *h)
{
    uint64_t now = mcti_sched_now(h->provider->sched);
    h->resumes = true;
    h->verb = MCT_VERB_TASKS_GET;
    h->id = mcti_str_dup(mcti_json_get(h->call->params, "taskId"));
    h->until_ms = h->call->timeout_ms ? now + h->call->timeout_ms : UINT64_MAX;
}

struct mcti_stage *mcti_hold_new(struct mcti_call *call, bool is_2025, struct mct_error *err)
{
    struct mcti_hold *h = calloc(1, sizeof *h);
    if (h) {
        *h = (struct mcti_hold){
            .call = call, .provider = call->provider, .progress = call->progress, .is_2025 = is_2025
        };
        mcti_timer_init(&h->timer, mcti_hold_on_timer, h);
    }
    if (!h || hold_keep(h) < 0) {
        if (h)
            hold_free(h);
        mcti_no_memory(err);
        return NULL;
    }
    if (is_2025)
        mcti_hold_ask_for_task(h);
    if (call->verb == MCT_VERB_TASKS_GET)
        hold_resume(h);
    return &h->base;
}

void mcti_hold_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        hold_free(hold_of(s));
}

void mcti_hold_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    (void)call;
    (void)reason;
    mcti_hold_give_up(hold_of(s));
    hold_free(hold_of(s));
}

/* Passes the outcome of the tool on to the caller. */
void mcti_hold_finish(struct mcti_hold *h, const struct mcti_outcome *o)
{
    struct mcti_call *call = h->call;
    call->verb = MCT_VERB_TOOLS_CALL;
    call->progress = h->progress;
    call->subject.value = call->task = MCT_STR_NONE;
    mcti_stage_take(call, &h->base);
    hold_free(h);
    mcti_call_leave(call, o);
}

void mcti_hold_fail(struct mcti_hold *h, const struct mct_error *why, bool unasked)
{
    struct mct_error err = *why;
    const struct mcti_outcome o = { .failed = &err, .rev = h->rev, .unasked = unasked };
    mcti_error_wrap(&err, "server '%s'", h->provider->name);
    mcti_hold_finish(h, &o);
}

/* ---- requests about the task ---- */

static void hold_on_refused(struct mcti_hold *h, const struct mcti_outcome *o);

void mcti_hold_send(struct mcti_hold *h, enum mcti_verb verb, struct mcti_buf *take_params)
{
    struct mcti_call *call = h->call;
    struct mct_error err;
    free(h->params);
    h->params = mcti_buf_take(take_params);
    h->verb = verb;
    call->verb = verb;
    call->params = mcti_str_of(h->params);
    call->meta = call->task = MCT_STR_NONE;
    call->subject = (struct mcti_json_set){ "taskId", mcti_str_of(h->id) }; /* no two tasks are the same item */
    call->chunk = NULL;
    call->caller = h->caller;
    call->progress = verb == MCT_VERB_TASKS_RESULT ? h->progress : NULL; /* tasks of 2026-07-28 have none */
    call->task_token = h->token;
    if (!h->params)
        mcti_no_memory(&err);
    if (!h->params || mcti_call_send(call, &err) < 0)
        hold_on_refused(h, &(struct mcti_outcome){ .failed = &err, .rev = h->rev });
}

static void hold_read(struct mcti_hold *h)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_TASK_ID_BYTES + 64);
    mcti_buf_addc(&b, '{');
    mcti_json_put_raw(&b, "taskId", mcti_str_of(h->id));
    mcti_buf_addc(&b, '}');
    mcti_hold_send(h, MCT_VERB_TASKS_GET, &b);
}

/* ---- time ---- */

static unsigned hold_limit_ms(const struct mcti_hold *h)
{
    return h->call->timeout_ms ? h->call->timeout_ms : h->provider->call_timeout_ms;
}

/* Extends the time of the call: the task has changed. */
static void hold_note_change(struct mcti_hold *h)
{
    uint64_t now = mcti_sched_now(h->provider->sched), limit = hold_limit_ms(h);
    uint64_t last = h->started_ms + MCT_PROGRESS_FACTOR * limit;
    if (h->resumes)
        return;
    h->until_ms = limit ? (now + limit < last ? now + limit : last) : UINT64_MAX;
}

static void hold_pause(struct mcti_hold *h, unsigned ms)
{
    uint64_t now = mcti_sched_now(h->provider->sched);
    uint64_t left = h->until_ms > now ? h->until_ms - now : 0;
    mcti_timer_set(h->provider->sched, &h->timer, ms < left ? ms : left);
}

void mcti_hold_on_timer(void *data)
{
    struct mcti_hold *h = data;
    struct mct_error err;
    if (mcti_sched_now(h->provider->sched) < h->until_ms) {
        h->is_2025 ? mcti_hold_read_2025(h) : hold_read(h);
        return;
    }
    mcti_fail(&err, MCT_ERR_TIMEOUT, "its task has not ended in time%s", h->resumes ? "" : ", and was cancelled");
    mcti_hold_give_up(h);
    mcti_hold_fail(h, &err, false);
}

/* ---- questions of the task ---- */

static void hold_on_answers(struct mcti_round *round, struct mcti_str responses, const struct mct_error *err)
{
    struct mcti_hold *h = MCT_CONTAINER(round, struct mcti_hold, round);
    struct mcti_buf b;
    hold_note_change(h); /* a person's time does not count */
    if (err) {
        mcti_hold_give_up(h);
        mcti_hold_fail(h, err, true);
        return;
    }
    mcti_buf_init(&b, responses.len + MCT_LIMIT_TASK_ID_BYTES + 64);
    mcti_buf_addc(&b, '{');
    mcti_json_put_raw(&b, "taskId", mcti_str_of(h->id));
    mcti_json_put_raw(&b, "inputResponses", responses);
    mcti_buf_addc(&b, '}');
    mcti_hold_send(h, MCT_VERB_TASKS_UPDATE, &b);
}

/* Writes the questions that have not been put yet as an object. Returns their number; -1 if there are too many. */
static int hold_new_questions(struct mcti_hold *h, struct mcti_str questions, struct mcti_buf *to)
{
    struct mcti_json_member m;
    int n = 0;
    mcti_buf_addc(to, '{');
    for (struct mcti_json_iter it = mcti_json_open(questions); mcti_json_next_member(&it, &m);) {
        if (mcti_strings_has(&h->asked, m.key))
            continue;
        if (h->asked.n == QUESTIONS || mcti_strings_add(&h->asked, m.key) < 0)
            return -1;
        mcti_buf_addz(to, n++ ? "," : "");
        mcti_buf_add(to, mcti_json_key_value(m.key));
        mcti_buf_addc(to, ':');
        mcti_buf_add(to, m.value);
    }
    mcti_buf_addc(to, '}');
    return mcti_buf_ok(to) ? n : -1;
}

/* Puts new questions to the caller. Returns false if there are none; otherwise the task is read after the answers. */
static bool hold_ask(struct mcti_hold *h, struct mcti_str questions)
{
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, questions.len + 64);
    int n = hold_new_questions(h, questions, &b);
    if (n > 0) {
        mcti_round_stop(&h->round);
        h->round = (struct mcti_round){ .answerer = h->call->answerer ? h->call->answerer : h->provider->answerer,
                                        .server = h->provider->name,
                                        .about = h->call,
                                        .done = hold_on_answers };
        mcti_round_start(&h->round, mcti_buf_str(&b), MCT_STR_NONE);
    } else if (n < 0) {
        mcti_fail(&err, MCT_ERR_LIMIT, "its task asks too many questions");
        mcti_hold_give_up(h);
        mcti_hold_fail(h, &err, true);
    }
    mcti_buf_done(&b);
    return n != 0;
}

/* ---- states ---- */

/* Tells the caller what the server says of the task. */
static void hold_tell(struct mcti_hold *h, struct mcti_str message)
{
    struct mcti_buf b;
    if (!h->progress || !message.p)
        return;
    mcti_buf_init(&b, message.len + 64);
    mcti_buf_printf(&b, "{\"progressToken\":0,\"progress\":%llu", (unsigned long long)++h->progressed);
    mcti_json_put_raw(&b, "message", message);
    mcti_buf_addc(&b, '}');
    if (mcti_buf_ok(&b))
        h->progress(h->call, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void hold_on_working(struct mcti_hold *h, const struct mcti_task_state *t)
{
    uint64_t seen = mcti_hash(mcti_hash((uint64_t)t->status, t->updated), t->message);
    if (seen != h->seen) {
        h->seen = seen;
        hold_note_change(h);
        hold_tell(h, t->message);
    }
    h->pause_ms = mcti_task_pause_ms(t, h->pause_ms);
    if (t->status != MCT_TASK_INPUT_REQUIRED || !hold_ask(h, t->questions))
        hold_pause(h, h->pause_ms);
}

static void hold_on_cancelled(struct mcti_hold *h, const struct mcti_task_state *t)
{
    struct mcti_buf text, b;
    struct mct_error err;
    mcti_buf_init(&text, t->message.len + 64);
    mcti_buf_init(&b, 6 * t->message.len + 256);
    mcti_buf_addz(&text, "The task of this call was cancelled");
    if (t->message.p) {
        mcti_buf_addz(&text, ": ");
        mcti_json_unescape_any(t->message, &text);
    }
    mcti_shape_tool_says(&b, mcti_buf_str(&text));
    if (mcti_buf_ok(&text) && mcti_buf_ok(&b)) {
        mcti_hold_finish(h, &(struct mcti_outcome){ .result = mcti_buf_str(&b), .rev = MCT_REV_LATEST_HANDSHAKE });
    } else {
        mcti_no_memory(&err);
        mcti_hold_fail(h, &err, false);
    }
    mcti_buf_done(&text);
    mcti_buf_done(&b);
}

static void hold_on_over(struct mcti_hold *h, const struct mcti_task_state *t)
{
    struct mct_error err;
    if (t->status == MCT_TASK_COMPLETED && t->result.p)
        mcti_hold_finish(h, &(struct mcti_outcome){ .result = t->result, .rev = h->rev });
    else if (t->status == MCT_TASK_FAILED && t->error.p)
        mcti_hold_finish(h, &(struct mcti_outcome){ .error = t->error, .rev = h->rev });
    else if (t->status == MCT_TASK_CANCELLED)
        hold_on_cancelled(h, t);
    else {
        mcti_fail(&err, MCT_ERR_PROTOCOL, "its task has ended without a result or an error");
        mcti_hold_fail(h, &err, false);
    }
}

static void hold_take_state(struct mcti_hold *h, struct mcti_str result)
{
    struct mcti_task_state t;
    struct mct_error err;
    h->n_failures = 0;
    if (mcti_task_read(result, &t, &err) < 0) {
        mcti_hold_fail(h, &err, false);
        return;
    }
    h->call->task_status = t.status;
    if (mcti_task_is_over(t.status))
        hold_on_over(h, &t);
    else
        hold_on_working(h, &t);
}

/* ---- outcomes ---- */

int mcti_hold_note_task(struct mcti_hold *h, const struct mcti_task_state *t, struct mct_error *err)
{
    const struct mcti_outbound *out = &h->call->out;
    h->id = mcti_str_dup(t->id);
    h->token = out->id;
    h->started_ms = mcti_sched_now(h->provider->sched);
    h->progressed = out->has_progressed && out->progressed < 1e15 ? (uint64_t)ceil(fabs(out->progressed)) : 0;
    hold_note_change(h);
    return h->id ? 0 : mcti_no_memory(err);
}

/* Begins to follow the task that the server has made of the call. */
static void hold_begin(struct mcti_hold *h, struct mcti_str result)
{
    struct mcti_task_state t;
    struct mct_error err;
    if (mcti_task_read(result, &t, &err) < 0) {
        mcti_hold_fail(h, &err, false);
        return;
    }
    if (mcti_hold_note_task(h, &t, &err) < 0) {
        mcti_hold_fail(h, &err, false);
    } else if (t.status == MCT_TASK_WORKING) {
        hold_on_working(h, &t);
    } else {
        hold_pause(h, AT_ONCE_MS); /* what it ended with, or asks, is not in this result */
    }
}

/* Returns whether the request that has failed may be repeated: reading a task changes nothing. */
static bool hold_may_repeat(struct mcti_hold *h, const struct mcti_outcome *o)
{
    int64_t code = 0;
    mcti_json_int(mcti_json_get(o->error, "code"), &code);
    bool passes = o->failed ? o->failed->kind == MCT_ERR_CONNECT || o->failed->kind == MCT_ERR_TIMEOUT ||
                                  o->failed->kind == MCT_ERR_LIMIT
                            : code == MCT_RPC_BUSY;
    bool is_late = o->failed && o->failed->kind == MCT_ERR_TIMEOUT && h->verb == MCT_VERB_TASKS_RESULT;
    return h->verb != MCT_VERB_TASKS_UPDATE && passes && !is_late && ++h->n_failures < FAILURES;
}

static void hold_on_refused(struct mcti_hold *h, const struct mcti_outcome *o)
{
    struct mct_error err;
    if (hold_may_repeat(h, o)) {
        h->pause_ms = mcti_task_pause_ms(&(struct mcti_task_state){ 0 }, h->pause_ms);
        hold_pause(h, h->pause_ms);
        return;
    }
    if (!o->failed)
        mcti_msg_read_error(o->error, &err);
    if (!o->failed && err.code == MCT_RPC_INVALID_PARAMS) {
        mcti_fail(&err, MCT_ERR_SERVER, "it does not know the task of this call any more");
        h->call->task_status = MCT_TASK_UNKNOWN;
        mcti_hold_fail(h, &err, false);
    } else {
        if (o->failed)
            mcti_hold_give_up(h);
        mcti_hold_finish(h, o);
    }
}

void mcti_hold_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_hold *h = hold_of(s);
    call->caller = h->caller;
    h->rev = o->rev;
    if (!h->id && o->result.p && h->is_2025)
        mcti_hold_begin_2025(h, o);
    else if (!h->id && o->result.p && mcti_rev_is_stateless(o->rev) && mcti_result_is_task(o->result))
        hold_begin(h, o->result);
    else if (!h->id)
        mcti_hold_finish(h, o);
    else if (!o->result.p)
        hold_on_refused(h, o);
    else if (h->verb == MCT_VERB_TASKS_UPDATE)
        hold_pause(h, AT_ONCE_MS);
    else if (h->is_2025)
        mcti_hold_take_2025(h, o);
    else
        hold_take_state(h, o->result);
}
