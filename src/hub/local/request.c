/* Requests of the local provider: from the call that comes to the handler that answers. */
#include "hub/local/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static const char *const subjects[MCT_VERB_N] = {
    [MCT_VERB_TOOLS_CALL] = "name", [MCT_VERB_PROMPTS_GET] = "name", [MCT_VERB_RESOURCES_READ] = "uri",
};

/* ---- the end ---- */

/* Nothing of it happens any more; the call is its owner's again. */
static void detach(struct mct_local_request *r)
{
    mct_timer_stop(r->local->base.sched, &r->turn);
    mct_timer_stop(r->local->base.sched, &r->call->timer);
    mct_list_remove(&r->call->node);
    r->call->local = NULL;
    r->call->provider = NULL;
}

static void release(struct mct_local_request *r)
{
    if (r->end_side)
        r->end_side(r->side);
    local_unuse(r->item);
    free(r->memory);
    free(r);
}

void local_finish(struct mct_local_request *r, const struct mct_outcome *o)
{
    struct mct_call *call = r->call;
    detach(r);
    call->done(call, o);
    release(r);
}

static void tell_cancelled(struct mct_local_request *r)
{
    if (r->cancelled)
        r->cancelled(r, r->cancelled_data);
}

static void finish_failed(struct mct_local_request *r, const struct mct_error *why)
{
    struct mct_outcome o = { .failed = why, .rev = r->local->base.info.rev };
    struct mct_call *call = r->call;
    detach(r);
    tell_cancelled(r);
    call->done(call, &o);
    release(r);
}

void local_cancel(struct mct_provider *p, struct mct_call *call, const char *reason)
{
    struct mct_local_request *r = call->local;
    (void)p;
    (void)reason;
    detach(r);
    tell_cancelled(r);
    release(r);
}

void local_end_all(struct local *l, const struct mct_error *why)
{
    while (!mct_list_empty(&l->calls))
        finish_failed(MCT_CONTAINER(l->calls.next, struct mct_call, node)->local, why);
}

static void on_late(void *data)
{
    struct mct_call *call = data;
    struct mct_error err;
    mct_fail_late(&err, call->local->timeout_ms);
    mct_error_wrap(&err, "server '%s'", call->local->local->base.name);
    finish_failed(call->local, &err);
}

/* As a session does with the requests it has sent: progress starts the time anew, up to a hard end. */
static void arm(struct mct_local_request *r)
{
    uint64_t now = mct_sched_now(r->local->base.sched), in = r->timeout_ms;
    uint64_t left = r->deadline_ms > now ? r->deadline_ms - now : 0;
    if (in)
        mct_timer_set(r->local->base.sched, &r->call->timer, in < left ? in : left);
}

/* ---- turns ---- */

static void on_turn(void *data)
{
    struct mct_local_request *r = data;
    r->fn(r, r->fn_data);
}

void mct_local_later(struct mct_local_request *r, unsigned in_ms, mct_local_fn fn, void *data)
{
    r->fn = fn;
    r->fn_data = data;
    mct_timer_set(r->local->base.sched, &r->turn, in_ms);
}

void mct_local_on_cancel(struct mct_local_request *r, mct_local_fn fn, void *data)
{
    r->cancelled = fn;
    r->cancelled_data = data;
}

void *mct_local_memory(struct mct_local_request *r, size_t size)
{
    if (!r->memory)
        r->memory = calloc(1, size);
    return r->memory;
}

void mct_local_set_side(struct mct_local_request *r, void *side, void (*end)(void *side))
{
    r->side = side;
    r->end_side = end;
}

static void fail_unknown(struct mct_local_request *r, const char *what)
{
    enum mct_rev asked_in = r->call->caller.rev;
    bool uri = r->call->verb == MCT_VERB_RESOURCES_READ, old = asked_in && !mct_rev_is_stateless(asked_in);
    struct mct_buf data, why;
    mct_buf_init(&data, r->subject.len * 6 + 64);
    mct_buf_init(&why, r->subject.len + 64);
    mct_buf_addc(&data, '{');
    mct_json_put_member(&data, "uri", r->subject);
    mct_buf_addc(&data, '}');
    mct_buf_printf(&why, "%s: %.*s", what, MCT_STR_ARG(r->subject));
    mct_buf_addc(&why, '\0');
    mct_local_fail(r, uri && old ? MCT_RPC_RESOURCE_NOT_FOUND : MCT_RPC_INVALID_PARAMS, why.p ? why.p : what,
                   uri && mct_buf_ok(&data) ? mct_buf_str(&data) : MCT_STR_NONE);
    mct_buf_done(&data);
    mct_buf_done(&why);
}

static void use(struct mct_local_request *r, struct local_item *x)
{
    if (x)
        x->n_users++;
    local_unuse(r->item);
    r->item = x;
}

static void run_item(struct mct_local_request *r, struct local_item *x, const char *unknown)
{
    if (!x) {
        fail_unknown(r, unknown);
        return;
    }
    use(r, x);
    x->fn(r, x->data);
}

/* A tool that was removed after it was called still answers, unless another has its name by now. */
static struct local_item *tool_of(const struct mct_local_request *r)
{
    struct local_item *x = local_find(r->local, MCT_TOOL, r->subject);
    return x ? x : r->item;
}

static void list_items(struct mct_local_request *r, enum mct_kind kind)
{
    const struct mct_items *items = &r->local->base.items[kind];
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_ANSWER_FACTOR * MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    mct_json_put_key(&b, mct_kind_info(kind)->list_key);
    for (size_t i = 0; i < items->n; i++) {
        mct_buf_addc(&b, i ? ',' : '[');
        mct_buf_add(&b, items->v[i]->json);
    }
    mct_buf_addz(&b, items->n ? "]}" : "[]}");
    if (mct_buf_ok(&b))
        mct_local_result(r, mct_buf_str(&b));
    else
        mct_local_fail(r, MCT_RPC_INTERNAL, "the list is too large", MCT_STR_NONE);
    mct_buf_done(&b);
}

static bool lists(struct mct_local_request *r)
{
    int kind = 0;
    while (kind < MCT_KIND_N && mct_kind_info((enum mct_kind)kind)->list_verb != r->call->verb)
        kind++;
    if (kind < MCT_KIND_N)
        list_items(r, (enum mct_kind)kind);
    return kind < MCT_KIND_N;
}

/* The first turn: who answers? */
static void begin(struct mct_local_request *r, void *data)
{
    struct local *l = r->local;
    enum mct_verb verb = r->call->verb;
    (void)data;
    if (r->bad_state)
        mct_local_fail(r, MCT_RPC_INVALID_PARAMS, "\"requestState\" is not what this request was given", MCT_STR_NONE);
    else if (verb == MCT_VERB_TOOLS_CALL)
        run_item(r, tool_of(r), "unknown tool");
    else if (verb == MCT_VERB_PROMPTS_GET)
        run_item(r, local_find(l, MCT_PROMPT, r->subject), "unknown prompt");
    else if (verb == MCT_VERB_RESOURCES_READ)
        run_item(r, local_find_uri(l, r->subject), "no such resource");
    else if (verb == MCT_VERB_COMPLETE && l->complete)
        l->complete(r, l->complete_data);
    else if (!lists(r))
        mct_local_fail(r, MCT_RPC_METHOD_NOT_FOUND, "method not found", MCT_STR_NONE);
}

/* ---- the beginning ---- */

void local_put_state_head(struct mct_buf *to, const struct mct_local_request *r)
{
    mct_buf_addz(to, mct_method(r->call->verb)->name);
    mct_buf_addc(to, ' ');
    mct_buf_add(to, r->subject);
    mct_buf_addc(to, '\n');
}

/* Opens what the client has kept and appends the state in it to *to. */
static int open_state(const struct mct_local_request *r, struct mct_str kept, struct mct_buf *to)
{
    struct mct_buf head, text;
    struct mct_str sealed = MCT_STR_NONE;
    struct mct_str key = { r->local->key, sizeof r->local->key };
    int result = -1;
    mct_buf_init(&head, r->subject.len + 64);
    mct_buf_init(&text, kept.len);
    local_put_state_head(&head, r);
    if (mct_buf_ok(&head) && mct_json_plain(kept, &sealed) && mct_unseal(&text, key, sealed) == 0 &&
        mct_str_starts(mct_buf_str(&text), mct_buf_str(&head))) {
        mct_buf_add(to, (struct mct_str){ text.p + head.len, text.len - head.len });
        result = 0;
    }
    mct_buf_done(&head);
    mct_buf_done(&text);
    return result;
}

static struct mct_str part(const struct mct_buf *b, size_t from, size_t to)
{
    return (struct mct_str){ b->p + from, to - from };
}

static void move(struct mct_str *s, const char *from, const char *to)
{
    if (s->p)
        s->p = to + (s->p - from);
}

/* Writes params, subject and state one behind the other into *b, with spans of *r on them. */
static void gather(struct mct_local_request *r, struct mct_buf *b)
{
    struct mct_call *call = r->call;
    const char *key = subjects[call->verb];
    struct mct_str subject = call->subject.value, kept = mct_json_get(call->params, "requestState");
    mct_json_put_object(b, call->params, &call->subject, subject.p ? 1 : 0);
    size_t params_end = b->len;
    if (key)
        mct_json_unescape(subject.p ? subject : mct_json_get(call->params, key), b);
    size_t subject_end = b->len;
    r->subject = part(b, params_end, subject_end);
    r->bad_state = kept.p && open_state(r, kept, b) < 0;
    r->params = part(b, 0, params_end); /* the bytes may have moved */
    r->subject = part(b, params_end, subject_end);
    r->state = kept.p ? part(b, subject_end, b->len) : MCT_STR_NONE;
}

/* What this client can be asked. */
static struct mct_answerer abilities(const struct mct_provider *p, const struct mct_call *call)
{
    const struct mct_answerer *by = call->answerer ? call->answerer : p->answerer;
    struct mct_answerer can = { 0 };
    if (call->caller.capabilities.p)
        mct_capabilities_read(call->caller.capabilities, &can);
    else if (by)
        can = *by;
    return can;
}

int local_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err)
{
    struct mct_local_request made = { .local = local_of(p), .call = call, .can = abilities(p, call), .fn = begin };
    struct mct_local_request *r = NULL;
    struct mct_buf b;
    mct_buf_init(&b, 3 * call->params.len + call->subject.value.len + 64);
    gather(&made, &b);
    if (mct_buf_ok(&b))
        r = malloc(sizeof *r + b.len);
    if (r) {
        char *bytes = (char *)(r + 1);
        memcpy(bytes, b.p, b.len);
        move(&made.params, b.p, bytes);
        move(&made.subject, b.p, bytes);
        move(&made.state, b.p, bytes);
        *r = made;
    }
    mct_buf_done(&b);
    if (!r)
        return mct_no_memory(err);
    call->local = r;
    if (call->verb == MCT_VERB_TOOLS_CALL)
        use(r, local_find(r->local, MCT_TOOL, r->subject));
    mct_timer_init(&r->turn, on_turn, r);
    mct_timer_init(&call->timer, on_late, call);
    mct_list_append(&made.local->calls, &call->node);
    r->timeout_ms = call->timeout_ms ? call->timeout_ms : made.local->timeout_ms;
    r->deadline_ms = mct_sched_now(p->sched) + (uint64_t)r->timeout_ms * MCT_PROGRESS_FACTOR;
    arm(r);
    mct_timer_set(p->sched, &r->turn, 0);
    return 0;
}

/* ---- what was asked ---- */

struct mct_str mct_local_params(const struct mct_local_request *r)
{
    return r->params;
}

struct mct_call *mct_local_call(const struct mct_local_request *r)
{
    return r->call;
}

struct mct_str mct_local_argument(const struct mct_local_request *r, const char *name)
{
    return mct_json_get(mct_json_get(r->params, "arguments"), name);
}

struct mct_str mct_local_uri(const struct mct_local_request *r)
{
    return r->subject;
}

bool mct_local_can(const struct mct_local_request *r, enum mct_ask_kind kind)
{
    return mct_answerer_can(&r->can, kind, MCT_STR_NONE);
}

struct mct_str mct_local_input(const struct mct_local_request *r, const char *key)
{
    struct mct_str v = mct_json_get(mct_json_get(r->params, "inputResponses"), key);
    return mct_json_type(v) == '{' ? v : MCT_STR_NONE;
}

struct mct_str mct_local_state(const struct mct_local_request *r)
{
    return r->state;
}

/* ---- notifications ---- */

void mct_local_progress(struct mct_local_request *r, double progress, double total, const char *message)
{
    struct mct_buf b;
    if (r->has_progressed && !(progress > r->progressed))
        return;
    r->has_progressed = true;
    r->progressed = progress;
    arm(r);
    if (!r->call->progress)
        return;
    mct_buf_init(&b, (message ? strlen(message) * 6 : 0) + 256);
    mct_buf_printf(&b, "{\"progressToken\":0,\"progress\":%.15g", progress);
    if (total > 0)
        mct_buf_printf(&b, ",\"total\":%.15g", total);
    if (message)
        mct_json_put_member(&b, "message", mct_str_of(message));
    mct_buf_addc(&b, '}');
    if (mct_buf_ok(&b))
        r->call->progress(r->call, mct_buf_str(&b));
    mct_buf_done(&b);
}

void mct_local_hang_up(struct mct_local_request *r)
{
    if (r->call->hang_up)
        r->call->hang_up(r->call);
}

void mct_local_log(struct mct_local_request *r, const char *level, const char *logger, struct mct_str data)
{
    struct mct_provider *p = &r->local->base;
    struct mct_buf b;
    if (!mct_json_valid(data, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        return;
    mct_buf_init(&b, data.len + (logger ? strlen(logger) * 6 : 0) + 256);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "level", mct_str_of(level));
    if (logger)
        mct_json_put_member(&b, "logger", mct_str_of(logger));
    mct_json_put_raw(&b, "data", data);
    mct_buf_addc(&b, '}');
    if (mct_buf_ok(&b) && r->call->log)
        r->call->log(r->call, mct_buf_str(&b));
    else if (mct_buf_ok(&b) && p->events.message)
        p->events.message(p->events.data, p, mct_buf_str(&b));
    mct_buf_done(&b);
}
