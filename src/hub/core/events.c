#include "hub/core/events.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "hub/core/provider.h"

#include <stdio.h>
#include <stdlib.h>

/* A call that somebody hears of. */
struct mcti_call_event {
    void (*done)(struct mcti_call *call, const struct mcti_outcome *outcome); /* the caller's */
    struct mcti_events *events;
    struct mcti_event event;
    uint64_t number, begun_us;
    bool begun, has_arguments; /* a copy of them */
    char id[32];
    char text[]; /* what the event's spans are on */
};

/* ---- who hears ---- */

void mcti_events_init(struct mcti_events *e)
{
    unsigned char bytes[4];
    *e = (struct mcti_events){ 0 };
    mcti_list_init(&e->listeners);
    mcti_random(bytes, sizeof bytes);
    mcti_hex(bytes, sizeof bytes, e->process);
}

void mcti_events_add(struct mcti_events *e, struct mcti_event_listener *l)
{
    l->since = e->n;
    mcti_list_append(&e->listeners, &l->node);
}

void mcti_event_listener_remove(struct mcti_event_listener *l)
{
    if (l->node.next)
        mcti_list_remove(&l->node);
}

const char *mcti_outcome_word(enum mct_error_kind outcome)
{
    return outcome ? mct_error_word(outcome) : "ok";
}

static bool anybody_keeps_arguments(const struct mcti_events *e)
{
    MCT_LIST_EACH(it, &e->listeners)
        if (MCT_CONTAINER(it, struct mcti_event_listener, node)->keeps_arguments)
            return true;
    return false;
}

static void read_clock(struct mcti_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us)
{
    if (e->clock) {
        e->clock(e, ret_wall_ms, ret_since_us);
        return;
    }
    *ret_wall_ms = mcti_clock_wall_ms();
    *ret_since_us = mcti_clock_since_us();
}

/* ---- what is told ---- */

static void tell_begin(struct mcti_call_event *c)
{
    c->begun = true;
    MCT_LIST_EACH(it, &c->events->listeners) {
        struct mcti_event_listener *l = MCT_CONTAINER(it, struct mcti_event_listener, node);
        if (l->begin && l->since < c->number)
            l->begin(l, &c->event);
    }
}

static enum mct_error_kind outcome_of(enum mcti_verb verb, struct mcti_str result, const struct mct_error *error)
{
    if (error)
        return error->kind;
    bool says_no = verb == MCT_VERB_TOOLS_CALL && mcti_json_true(mcti_json_get(result, "isError"));
    return says_no ? MCT_ERR_TOOL : MCT_ERR_NONE;
}

static void tell_end(struct mcti_call_event *c, struct mcti_str result, const struct mct_error *error)
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
        struct mcti_event_listener *l = MCT_CONTAINER(it, struct mcti_event_listener, node);
        if (l->end && l->since < c->number)
            l->end(l, &c->event);
    }
}

static void core_events_on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_call_event *c = call->event;
    struct mct_error refused;
    if (o->error.p)
        mcti_msg_read_error(o->error, &refused);
    tell_end(c, o->result, o->error.p ? &refused : o->failed);
    mcti_call_event_drop(call);
    call->done(call, o);
}

/* ---- what is kept ---- */

static struct mcti_str core_events_cut(struct mcti_str s, size_t max)
{
    return s.len > max ? (struct mcti_str){ s.p, max } : s;
}

/* The text of a string value; what has none (an unpaired surrogate) is told as it was written. */
static struct mcti_str core_events_text_of(struct mcti_str value, struct mcti_buf *scratch)
{
    struct mcti_str plain;
    if (mcti_json_plain(value, &plain))
        return plain;
    size_t from = scratch->len;
    if (mcti_json_unescape(value, scratch) < 0 || !mcti_buf_ok(scratch))
        return value;
    return (struct mcti_str){ scratch->p + from, scratch->len - from };
}

static struct mcti_str core_events_subject_of(const struct mcti_call *call)
{
    const char *key = mcti_method(call->verb)->subject;
    bool replaced = call->subject.value.p && !strcmp(call->subject.key, key);
    return replaced ? call->subject.value : mcti_json_get(call->params, key);
}

static struct mcti_call_event *core_events_make(const struct mcti_call *call, struct mcti_str tool,
                                                struct mcti_str client)
{
    struct mcti_str arguments = mcti_json_get(call->params, "arguments");
    bool copied = anybody_keeps_arguments(call->events);
    size_t len = tool.len + client.len + call->principal.len + (copied ? arguments.len : 0);
    struct mcti_call_event *c = malloc(sizeof *c + len);
    if (!c)
        return NULL;
    char *at = c->text;
    *c = (struct mcti_call_event){
        .done = call->done, .events = call->events, .number = ++call->events->n, .has_arguments = copied
    };
    c->event = (struct mcti_event){ .id = c->id, .verb = call->verb, .arguments_bytes = arguments.len };
    c->event.tool = mcti_str_keep(&at, tool);
    c->event.client = mcti_str_keep(&at, client);
    c->event.principal = mcti_str_keep(&at, call->principal);
    c->event.arguments = copied ? mcti_str_keep(&at, arguments) : arguments;
    snprintf(c->id, sizeof c->id, "%s-%llu", call->events->process, (unsigned long long)c->number);
    read_clock(c->events, &c->event.wall_ms, &c->begun_us);
    return c;
}

int mcti_call_event_prepare(struct mcti_call *call)
{
    struct mcti_buf tool_text, client_text;
    struct mcti_str client = call->client, name = mcti_json_get(call->caller.client_info, "name");
    if (!call->events || mcti_list_empty(&call->events->listeners) || !mcti_method(call->verb)->subject)
        return 0;
    mcti_buf_init(&tool_text, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&client_text, MCT_LIMIT_MESSAGE_BYTES);
    if (!client.p && name.p)
        client = core_events_text_of(name, &client_text);
    call->event = core_events_make(
        call, core_events_cut(core_events_text_of(core_events_subject_of(call), &tool_text), MCT_LIMIT_URI_BYTES),
        core_events_cut(client, MCT_LIMIT_CLIENT_NAME_BYTES));
    mcti_buf_done(&client_text);
    mcti_buf_done(&tool_text);
    if (!call->event)
        return -1;
    call->done = core_events_on_done;
    return 0;
}

/* ---- the way of a call ---- */

void mcti_call_event_begin(struct mcti_call *call, const struct mcti_provider *p, const struct mct_error *failed)
{
    struct mcti_call_event *c = call->event;
    if (!c)
        return;
    c->event.server = mcti_str_of(call->event_server ? call->event_server : p->name);
    if (call->events)
        tell_begin(c);
    if (!c->has_arguments)
        c->event.arguments = MCT_STR_NONE;
    if (!failed)
        return;
    tell_end(c, MCT_STR_NONE, failed);
    mcti_call_event_drop(call);
}

void mcti_call_event_answered(struct mcti_call *call, const struct mcti_provider *p, struct mcti_str result)
{
    call->event = NULL;
    if (mcti_call_event_prepare(call) < 0 || !call->event)
        return;
    mcti_call_event_begin(call, p, NULL);
    tell_end(call->event, result, NULL);
    mcti_call_event_drop(call);
}

void mcti_call_event_cancel(struct mcti_call *call, const char *reason)
{
    struct mct_error why;
    if (!call->event)
        return;
    mcti_fail(&why, MCT_ERR_CANCELLED, "%s", reason ? reason : "nobody waits for it any more");
    tell_end(call->event, MCT_STR_NONE, &why);
}

void mcti_call_event_drop(struct mcti_call *call)
{
    struct mcti_call_event *c = call->event;
    if (!c)
        return;
    call->event = NULL;
    call->done = c->done;
    free(c);
}
