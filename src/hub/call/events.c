#include "hub/call/events.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "hub/call/stages.h"
#include "hub/core/provider.h"

#include <stdio.h>
#include <stdlib.h>

/* A call that somebody hears of. */
struct call_event {
    struct mct_stage base;
    struct mct_events *events;
    struct mct_event event;
    uint64_t number, begun_us;
    bool begun, has_arguments; /* a copy of them */
    char id[32];
    char text[]; /* what the event's spans are on */
};

/* ---- who hears ---- */

void mct_events_init(struct mct_events *e)
{
    unsigned char bytes[4];
    *e = (struct mct_events){ 0 };
    mct_list_init(&e->listeners);
    mct_random(bytes, sizeof bytes);
    mct_hex(bytes, sizeof bytes, e->process);
}

void mct_events_add(struct mct_events *e, struct mct_event_listener *l)
{
    l->since = e->n;
    mct_list_append(&e->listeners, &l->node);
}

void mct_event_listener_remove(struct mct_event_listener *l)
{
    if (l->node.next)
        mct_list_remove(&l->node);
}

const char *mct_outcome_word(enum mct_error_kind outcome)
{
    return outcome ? mct_error_word(outcome) : "ok";
}

static bool anybody_keeps_arguments(const struct mct_events *e)
{
    MCT_LIST_EACH(it, &e->listeners)
        if (MCT_CONTAINER(it, struct mct_event_listener, node)->keeps_arguments)
            return true;
    return false;
}

static void read_clock(struct mct_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us)
{
    if (e->clock) {
        e->clock(e, ret_wall_ms, ret_since_us);
        return;
    }
    *ret_wall_ms = mct_clock_wall_ms();
    *ret_since_us = mct_clock_since_us();
}

/* ---- what is told ---- */

static void tell_begin(struct call_event *c)
{
    c->begun = true;
    MCT_LIST_EACH(it, &c->events->listeners) {
        struct mct_event_listener *l = MCT_CONTAINER(it, struct mct_event_listener, node);
        if (l->begin && l->since < c->number)
            l->begin(l, &c->event);
    }
}

static enum mct_error_kind outcome_of(enum mct_verb verb, struct mct_str result, const struct mct_error *error)
{
    if (error)
        return error->kind;
    bool says_no = verb == MCT_VERB_TOOLS_CALL && mct_json_true(mct_json_get(result, "isError"));
    return says_no ? MCT_ERR_TOOL : MCT_ERR_NONE;
}

static void tell_end(struct call_event *c, struct mct_str result, const struct mct_error *error)
{
    uint64_t now_us;
    if (!c->begun)
        return;
    c->begun = false;
    read_clock(c->events, &c->event.wall_ms, &now_us);
    c->event.duration_us = now_us > c->begun_us ? now_us - c->begun_us : 0;
    c->event.outcome = outcome_of(c->event.verb, result, error);
    c->event.result = result;
    c->event.error = error;
    MCT_LIST_EACH(it, &c->events->listeners) {
        struct mct_event_listener *l = MCT_CONTAINER(it, struct mct_event_listener, node);
        if (l->end && l->since < c->number)
            l->end(l, &c->event);
    }
}

/* ---- what is kept ---- */

static struct mct_str cut(struct mct_str s, size_t max)
{
    return s.len > max ? (struct mct_str){ s.p, max } : s;
}

/* The text of a string value; what has none (an unpaired surrogate) is told as it was written. */
static struct mct_str text_of(struct mct_str value, struct mct_buf *scratch)
{
    struct mct_str plain;
    if (mct_json_plain(value, &plain))
        return plain;
    size_t from = scratch->len;
    if (mct_json_unescape(value, scratch) < 0 || !mct_buf_ok(scratch))
        return value;
    return (struct mct_str){ scratch->p + from, scratch->len - from };
}

static struct mct_str subject_of(const struct mct_call *call)
{
    const char *key = mct_method(call->verb)->subject;
    bool replaced = call->subject.value.p && !strcmp(call->subject.key, key);
    return replaced ? call->subject.value : mct_json_get(call->params, key);
}

static struct call_event *event_make(const struct mct_call *call, struct mct_str tool, struct mct_str client)
{
    struct mct_str arguments = mct_json_get(call->params, "arguments");
    bool copied = anybody_keeps_arguments(call->events);
    size_t len = tool.len + client.len + call->principal.len + (copied ? arguments.len : 0);
    struct call_event *c = malloc(sizeof *c + len);
    if (!c)
        return NULL;
    char *at = c->text;
    *c = (struct call_event){ .events = call->events, .number = ++call->events->n, .has_arguments = copied };
    c->event = (struct mct_event){ .id = c->id, .verb = call->verb, .arguments_bytes = arguments.len };
    c->event.tool = mct_str_keep(&at, tool);
    c->event.client = mct_str_keep(&at, client);
    c->event.principal = mct_str_keep(&at, call->principal);
    c->event.arguments = copied ? mct_str_keep(&at, arguments) : arguments;
    snprintf(c->id, sizeof c->id, "%s-%llu", call->events->process, (unsigned long long)c->number);
    read_clock(c->events, &c->event.wall_ms, &c->begun_us);
    return c;
}

static bool is_heard(const struct mct_call *call)
{
    return call->events && !mct_list_empty(&call->events->listeners) && mct_method(call->verb)->subject;
}

/* NULL when out of memory. */
static struct call_event *event_new(const struct mct_call *call)
{
    struct mct_buf tool_text, client_text;
    struct mct_str client = call->client, name = mct_json_get(call->caller.client_info, "name");
    mct_buf_init(&tool_text, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&client_text, MCT_LIMIT_MESSAGE_BYTES);
    if (!client.p && name.p)
        client = text_of(name, &client_text);
    struct call_event *c = event_make(call, cut(text_of(subject_of(call), &tool_text), MCT_LIMIT_URI_BYTES),
                                      cut(client, MCT_LIMIT_CLIENT_NAME_BYTES));
    mct_buf_done(&client_text);
    mct_buf_done(&tool_text);
    return c;
}

static void event_begin(struct call_event *c, const struct mct_call *call, const struct mct_provider *p)
{
    c->event.server = mct_str_of(call->event_server ? call->event_server : p->name);
    if (call->events)
        tell_begin(c);
    if (!c->has_arguments)
        c->event.arguments = MCT_STR_NONE;
}

/* A call that no provider gets: its begin and its end at once. */
static void tell_whole(const struct mct_call *call, const struct mct_provider *p, struct mct_str result,
                       const struct mct_error *failed)
{
    struct call_event *c = is_heard(call) ? event_new(call) : NULL;
    if (!c)
        return;
    event_begin(c, call, p);
    tell_end(c, result, failed);
    free(c);
}

void mct_call_event_answered(struct mct_call *call, const struct mct_provider *p, struct mct_str result)
{
    tell_whole(call, p, result, NULL);
}

/* ---- the stage ---- */

static struct call_event *event_of(struct mct_stage *s)
{
    return MCT_CONTAINER(s, struct call_event, base);
}

enum mct_pass mct_events_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err)
{
    (void)start;
    if (!is_heard(call))
        return MCT_PASS;
    struct call_event *c = event_new(call);
    if (!c) {
        mct_no_memory(err);
        return MCT_ANSWER;
    }
    mct_stage_put(call, &c->base);
    return MCT_PASS;
}

void mct_events_sent(struct mct_stage *s, struct mct_call *call, const struct mct_error *failed)
{
    struct call_event *c = event_of(s);
    event_begin(c, call, call->provider);
    if (!failed)
        return;
    tell_end(c, MCT_STR_NONE, failed);
    free(c);
}

void mct_events_leave(struct mct_stage *s, struct mct_call *call, const struct mct_outcome *o)
{
    struct call_event *c = event_of(s);
    struct mct_error refused;
    if (o->error.p)
        mct_msg_read_error(o->error, &refused);
    tell_end(c, o->result, o->error.p ? &refused : o->failed);
    mct_stage_take(call, s);
    free(c);
    mct_call_leave(call, o);
}

void mct_events_cancel(struct mct_stage *s, struct mct_call *call, const char *reason)
{
    struct mct_error why;
    (void)call;
    mct_fail(&why, MCT_ERR_CANCELLED, "%s", reason ? reason : "nobody waits for it any more");
    tell_end(event_of(s), MCT_STR_NONE, &why);
    free(event_of(s));
}

void mct_events_missed(struct mct_call *call, const struct mct_error *why)
{
    tell_whole(call, call->provider, MCT_STR_NONE, why);
}
