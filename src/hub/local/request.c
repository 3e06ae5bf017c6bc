/* Requests of the local provider: from the call to the answer of its handler. */
#include "hub/local/def.h"

#include "base/limits.h"
#include "hub/core/stage.h"

#include <math.h>
#include <stdlib.h>

static const char *const subjects[MCT_VERB_N] = {
    [MCT_VERB_TOOLS_CALL] = "name",
    [MCT_VERB_PROMPTS_GET] = "name",
    [MCT_VERB_RESOURCES_READ] = "uri",
};

/* ---- the end ---- */

/* Stops the timers of the request and gives the call back to its owner. */
static void local_request_detach(struct mcti_local_request *r)
{
    mcti_timer_stop(r->local->base.sched, &r->turn);
    mcti_timer_stop(r->local->base.sched, &r->call->timer);
    mcti_list_remove(&r->call->node);
    r->call->local = NULL;
}

static void local_request_release(struct mcti_local_request *r)
{
    if (r->end_side)
        r->end_side(r->side);
    mcti_local_unuse(r->item);
    free(r->memory);
    free(r);
}

void mcti_local_finish(struct mcti_local_request *r, const struct mcti_outcome *o)
{
    struct mcti_call *call = r->call;
    local_request_detach(r);
    mcti_call_finish(call, o);
    local_request_release(r);
}

static void report_cancelled(struct mcti_local_request *r)
{
    if (r->cancelled)
        r->cancelled(r, r->cancelled_data);
}

static void finish_failed(struct mcti_local_request *r, const struct mct_error *why)
{
    struct mcti_outcome o = { .failed = why, .rev = r->local->base.info.rev };
    struct mcti_call *call = r->call;
    local_request_detach(r);
    report_cancelled(r);
    mcti_call_finish(call, &o);
    local_request_release(r);
}

void mcti_local_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason)
{
    struct mcti_local_request *r = call->local;
    (void)p;
    (void)reason;
    local_request_detach(r);
    report_cancelled(r);
    local_request_release(r);
}

void mcti_local_end_all(struct mcti_local *l, const struct mct_error *why)
{
    while (!mcti_list_empty(&l->calls))
        finish_failed(MCT_CONTAINER(l->calls.next, struct mcti_call, node)->local, why);
}

static void local_request_on_late(void *data)
{
    struct mcti_call *call = data;
    struct mct_error err;
    mcti_fail_timeout(&err, call->local->timeout_ms);
    mcti_error_wrap(&err, "server '%s'", call->local->local->base.name);
    finish_failed(call->local, &err);
}

/* Sets the timeout as a session does: progress restarts it, up to deadline_ms. */
static void local_request_arm(struct mcti_local_request *r)
{
    uint64_t now = mcti_sched_now(r->local->base.sched), in = r->timeout_ms;
    uint64_t left = r->deadline_ms > now ? r->deadline_ms - now : 0;
    if (in && !r->suspended)
        mcti_timer_set(r->local->base.sched, &r->call->timer, in < left ? in : left);
}

void mcti_local_suspend(struct mcti_local_request *r, bool suspend)
{
    r->suspended = suspend;
    mcti_timer_stop(r->local->base.sched, &r->call->timer);
    r->deadline_ms = mcti_sched_now(r->local->base.sched) + (uint64_t)r->timeout_ms * MCT_PROGRESS_FACTOR;
    local_request_arm(r);
}

/* ---- turns ---- */

static void local_request_on_turn(void *data)
{
    struct mcti_local_request *r = data;
    r->fn(r, r->fn_data);
}

void mcti_local_later(struct mcti_local_request *r, unsigned in_ms, mcti_local_fn fn, void *data)
{
    r->fn = fn;
    r->fn_data = data;
    mcti_timer_set(r->local->base.sched, &r->turn, in_ms);
}

void mcti_local_on_cancel(struct mcti_local_request *r, mcti_local_fn fn, void *data)
{
    r->cancelled = fn;
    r->cancelled_data = data;
}

void *mcti_local_memory(struct mcti_local_request *r, size_t size)
{
    if (!r->memory)
        r->memory = calloc(1, size);
    return r->memory;
}

void mcti_local_set_side(struct mcti_local_request *r, void *side, void (*end)(void *side))
{
    r->side = side;
    r->end_side = end;
}

void *mcti_local_side(const struct mcti_local_request *r)
{
    return r->side;
}

void mcti_local_fail_unknown(struct mcti_local_request *r, const char *what)
{
    enum mcti_rev asked_in = r->call->caller.rev;
    bool uri = r->call->verb == MCT_VERB_RESOURCES_READ, old = asked_in && !mcti_rev_is_stateless(asked_in);
    struct mcti_buf data, why;
    mcti_buf_init(&data, r->subject.len * 6 + 64);
    mcti_buf_init(&why, r->subject.len + 64);
    mcti_buf_addc(&data, '{');
    mcti_json_put_member(&data, "uri", r->subject);
    mcti_buf_addc(&data, '}');
    mcti_buf_printf(&why, "%s: %.*s", what, MCT_STR_ARG(r->subject));
    mcti_buf_addc(&why, '\0');
    mcti_local_fail(r, uri && old ? MCT_RPC_RESOURCE_NOT_FOUND : MCT_RPC_INVALID_PARAMS, why.p ? why.p : what,
                    uri && mcti_buf_ok(&data) ? mcti_buf_str(&data) : MCT_STR_NONE);
    mcti_buf_done(&data);
    mcti_buf_done(&why);
}

void mcti_local_use(struct mcti_local_request *r, struct mcti_local_item *x)
{
    if (x)
        x->n_users++;
    mcti_local_unuse(r->item);
    r->item = x;
}

static void run_item(struct mcti_local_request *r, struct mcti_local_item *x, const char *unknown)
{
    if (!x) {
        mcti_local_fail_unknown(r, unknown);
        return;
    }
    mcti_local_use(r, x);
    x->fn(r, x->data);
}

/* Returns the called tool. A tool that was removed after the call still answers, unless its name is taken by now. */
static struct mcti_local_item *tool_of(const struct mcti_local_request *r)
{
    struct mcti_local_item *x = mcti_local_find(r->local, MCT_TOOL, r->subject);
    return x ? x : r->item;
}

static void list_items(struct mcti_local_request *r, enum mcti_kind kind)
{
    const struct mcti_items *items = &r->local->base.items[kind];
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_json_put_key(&b, mcti_kind_info(kind)->list_key);
    for (size_t i = 0; i < items->n; i++) {
        mcti_buf_addc(&b, i ? ',' : '[');
        mcti_buf_add(&b, mcti_item_json(items->v[i]));
    }
    mcti_buf_addz(&b, items->n ? "]}" : "[]}");
    if (mcti_buf_ok(&b))
        mcti_local_result(r, mcti_buf_str(&b));
    else
        mcti_local_fail(r, MCT_RPC_INTERNAL, "the list is too large", MCT_STR_NONE);
    mcti_buf_done(&b);
}

static bool local_request_lists(struct mcti_local_request *r)
{
    int kind = 0;
    while (kind < MCT_KIND_N && mcti_kind_info((enum mcti_kind)kind)->list_verb != r->call->verb)
        kind++;
    if (kind < MCT_KIND_N)
        list_items(r, (enum mcti_kind)kind);
    return kind < MCT_KIND_N;
}

/* Answers a method of the provider's extension. Returns false if it has no such method. */
static bool local_request_extends(struct mcti_local_request *r)
{
    const struct mcti_local_extension *x = r->call->verb == MCT_VERB_FOREIGN ? r->local->extension : NULL;
    for (size_t i = 0; x && i < x->n_methods; i++)
        if (!strcmp(x->methods[i].name, r->call->method)) {
            x->methods[i].fn(r, r->local->extension_data);
            return true;
        }
    return false;
}

/* Answers a completion for a prompt or a template that is a definition. */
static void complete_def(struct mcti_local_request *r)
{
    struct mcti_str ref = mcti_json_get(r->params, "ref");
    bool prompt = mcti_json_is(mcti_json_get(ref, "type"), "ref/prompt");
    struct mcti_buf id;
    mcti_buf_init(&id, MCT_LIMIT_URI_BYTES);
    int read = mcti_json_unescape(mcti_json_get(ref, prompt ? "name" : "uri"), &id);
    struct mcti_local_item *x =
        read < 0 ? NULL : mcti_local_find(r->local, prompt ? MCT_PROMPT : MCT_TEMPLATE, mcti_buf_str(&id));
    mcti_buf_done(&id);
    if (!x) {
        mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "\"ref\" names no prompt and no resource template of this server",
                        MCT_STR_NONE);
        return;
    }
    mcti_local_use(r, x);
    mcti_local_def_complete(r, mcti_local_def_of(x));
}

/* The first turn: finds the handler. */
static void local_request_begin(struct mcti_local_request *r, void *data)
{
    struct mcti_local *l = r->local;
    enum mcti_verb verb = r->call->verb;
    (void)data;
    if (r->bad_state)
        mcti_local_fail(r, MCT_RPC_INVALID_PARAMS, "invalid \"requestState\": not issued for this request",
                        MCT_STR_NONE);
    else if (verb == MCT_VERB_TOOLS_CALL)
        run_item(r, tool_of(r), "unknown tool");
    else if (verb == MCT_VERB_PROMPTS_GET)
        run_item(r, mcti_local_find(l, MCT_PROMPT, r->subject), "unknown prompt");
    else if (verb == MCT_VERB_RESOURCES_READ)
        run_item(r, mcti_local_find_uri(l, r->subject), "no such resource");
    else if (verb == MCT_VERB_COMPLETE && l->defined)
        complete_def(r);
    else if (verb == MCT_VERB_COMPLETE && l->complete)
        l->complete(r, l->complete_data);
    else if (!local_request_lists(r) && !local_request_extends(r))
        mcti_local_fail(r, MCT_RPC_METHOD_NOT_FOUND, "method not found", MCT_STR_NONE);
}

/* ---- start ---- */

void mcti_local_put_state_head(struct mcti_buf *to, const struct mcti_local_request *r)
{
    mcti_buf_addz(to, mcti_method(r->call->verb)->name);
    mcti_buf_addc(to, ' ');
    mcti_buf_add(to, r->subject);
    mcti_buf_addc(to, '\n');
}

/* Unseals the requestState `kept` and appends the state to *to. Returns -1 if it was not sealed for this item. */
static int local_request_open_state(const struct mcti_local_request *r, struct mcti_str kept, struct mcti_buf *to)
{
    struct mcti_buf head, text;
    struct mcti_str sealed = MCT_STR_NONE;
    struct mcti_str key = { r->local->key, sizeof r->local->key };
    int result = -1;
    mcti_buf_init(&head, r->subject.len + 64);
    mcti_buf_init(&text, kept.len);
    mcti_local_put_state_head(&head, r);
    if (mcti_buf_ok(&head) && mcti_json_plain(kept, &sealed) && mcti_unseal(&text, key, sealed) == 0 &&
        mcti_str_starts(mcti_buf_str(&text), mcti_buf_str(&head))) {
        mcti_buf_add(to, (struct mcti_str){ text.p + head.len, text.len - head.len });
        result = 0;
    }
    mcti_buf_done(&head);
    mcti_buf_done(&text);
    return result;
}

static struct mcti_str local_request_part(const struct mcti_buf *b, size_t from, size_t to)
{
    return (struct mcti_str){ b->p + from, to - from };
}

static void local_request_move(struct mcti_str *s, const char *from, const char *to)
{
    if (s->p)
        s->p = to + (s->p - from);
}

/* Writes params, subject and state into *b, and points the spans of *r to them. */
static void local_request_gather(struct mcti_local_request *r, struct mcti_buf *b)
{
    struct mcti_call *call = r->call;
    const char *key = subjects[call->verb];
    struct mcti_str subject = call->subject.value, kept = mcti_json_get(call->params, "requestState");
    mcti_json_put_object(b, call->params, &call->subject, subject.p ? 1 : 0);
    size_t params_end = b->len;
    if (key)
        mcti_json_unescape(subject.p ? subject : mcti_json_get(call->params, key), b);
    size_t subject_end = b->len;
    r->subject = local_request_part(b, params_end, subject_end);
    r->bad_state = kept.p && local_request_open_state(r, kept, b) < 0;
    size_t state_end = b->len;
    struct mcti_str info = call->session_info.p ? call->session_info : call->caller.client_info;
    mcti_buf_add(b, call->principal);
    size_t principal_end = b->len;
    mcti_buf_add(b, info);
    r->params = local_request_part(b, 0, params_end); /* the bytes may have moved */
    r->subject = local_request_part(b, params_end, subject_end);
    r->state = kept.p ? local_request_part(b, subject_end, state_end) : MCT_STR_NONE;
    r->principal = call->principal.p ? local_request_part(b, state_end, principal_end) : MCT_STR_NONE;
    r->client_info = info.p ? local_request_part(b, principal_end, b->len) : MCT_STR_NONE;
}

/* Returns the questions that this client supports. */
static struct mcti_answerer local_request_abilities(const struct mcti_provider *p, const struct mcti_call *call)
{
    const struct mcti_answerer *by = call->answerer ? call->answerer : p->answerer;
    struct mcti_answerer can = { 0 };
    if (call->caller.capabilities.p)
        mcti_capabilities_read(call->caller.capabilities, &can);
    else if (by)
        can = *by;
    return can;
}

int mcti_local_op_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    struct mcti_local_request made = {
        .local = mcti_local_of(p), .call = call, .can = local_request_abilities(p, call), .fn = local_request_begin
    };
    struct mcti_local_request *r = NULL;
    struct mcti_buf b;
    mcti_buf_init(&b, 3 * call->params.len + call->subject.value.len + call->principal.len + call->session_info.len +
                          call->caller.client_info.len + 64);
    local_request_gather(&made, &b);
    if (mcti_buf_ok(&b))
        r = malloc(sizeof *r + b.len);
    if (r) {
        char *bytes = (char *)(r + 1);
        memcpy(bytes, b.p, b.len);
        local_request_move(&made.params, b.p, bytes);
        local_request_move(&made.subject, b.p, bytes);
        local_request_move(&made.state, b.p, bytes);
        local_request_move(&made.principal, b.p, bytes);
        local_request_move(&made.client_info, b.p, bytes);
        *r = made;
    }
    mcti_buf_done(&b);
    if (!r)
        return mcti_no_memory(err);
    call->local = r;
    if (call->verb == MCT_VERB_TOOLS_CALL)
        mcti_local_use(r, mcti_local_find(r->local, MCT_TOOL, r->subject));
    mcti_timer_init(&r->turn, local_request_on_turn, r);
    mcti_timer_init(&call->timer, local_request_on_late, call);
    mcti_list_append(&made.local->calls, &call->node);
    r->timeout_ms = call->timeout_ms ? call->timeout_ms : made.local->timeout_ms;
    r->deadline_ms = mcti_sched_now(p->sched) + (uint64_t)r->timeout_ms * MCT_PROGRESS_FACTOR;
    local_request_arm(r);
    mcti_timer_set(p->sched, &r->turn, 0);
    return 0;
}

/* ---- the request ---- */

struct mcti_str mcti_local_params(const struct mcti_local_request *r)
{
    return r->params;
}

struct mcti_call *mcti_local_call(const struct mcti_local_request *r)
{
    return r->call;
}

struct mcti_str mcti_local_argument(const struct mcti_local_request *r, const char *name)
{
    return mcti_json_get(mcti_json_get(r->params, "arguments"), name);
}

struct mcti_str mcti_local_uri(const struct mcti_local_request *r)
{
    return r->subject;
}

bool mcti_local_can(const struct mcti_local_request *r, enum mcti_ask_kind kind)
{
    return mcti_answerer_can(&r->can, kind, MCT_STR_NONE);
}

struct mcti_str mcti_local_input(const struct mcti_local_request *r, const char *key)
{
    struct mcti_str v = mcti_json_get(mcti_json_get(r->params, "inputResponses"), key);
    return mcti_json_type(v) == '{' ? v : MCT_STR_NONE;
}

struct mcti_str mcti_local_state(const struct mcti_local_request *r)
{
    return r->state;
}

/* ---- notifications ---- */

void mcti_local_progress(struct mcti_local_request *r, double progress, double total, const char *message)
{
    struct mcti_buf b;
    if (!isfinite(progress) || (r->has_progressed && !(progress > r->progressed)))
        return;
    r->has_progressed = true;
    r->progressed = progress;
    local_request_arm(r);
    if (!r->call->progress)
        return;
    mcti_buf_init(&b, (message ? strlen(message) * 6 : 0) + 256);
    mcti_buf_addz(&b, "{\"progressToken\":0,\"progress\":");
    mcti_json_put_double(&b, progress);
    if (total > 0 && isfinite(total)) {
        mcti_json_put_key(&b, "total");
        mcti_json_put_double(&b, total);
    }
    if (message)
        mcti_json_put_member(&b, "message", mcti_str_of(message));
    mcti_buf_addc(&b, '}');
    if (mcti_buf_ok(&b))
        r->call->progress(r->call, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_local_hang_up(struct mcti_local_request *r)
{
    if (r->call->hang_up)
        r->call->hang_up(r->call);
}

void mcti_local_log(struct mcti_local_request *r, const char *level, const char *logger, struct mcti_str data)
{
    struct mcti_provider *p = &r->local->base;
    struct mcti_buf b;
    if (!mcti_json_valid(data, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        return;
    mcti_buf_init(&b, data.len + (logger ? strlen(logger) * 6 : 0) + 256);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "level", mcti_str_of(level));
    if (logger)
        mcti_json_put_member(&b, "logger", mcti_str_of(logger));
    mcti_json_put_raw(&b, "data", data);
    mcti_buf_addc(&b, '}');
    if (mcti_buf_ok(&b) && r->call->log)
        r->call->log(r->call, mcti_buf_str(&b));
    else if (mcti_buf_ok(&b) && p->events.message)
        p->events.message(p->events.data, p, mcti_buf_str(&b));
    mcti_buf_done(&b);
}
