#include "hub/call/events.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/rand.h"
#include "hub/call/stages.h"
#include "hub/core/provider.h"
#include "json/noted.h"

#include <stdlib.h>

enum { SPARES = 32, SPARE_TEXT = 256 };

/* A call that has listeners. */
struct call_event {
    struct mcti_stage base;
    struct mcti_events *events;
    struct mcti_event event;
    uint64_t number, begun_us;
    bool begun, has_arguments; /* has_arguments: the event includes a copy of the arguments */
    bool is_long;              /* its text is longer than SPARE_TEXT */
    char id[32];
    char text[]; /* text of the event's spans */
};

/* ---- listeners ---- */

void mcti_events_init(struct mcti_events *e)
{
    unsigned char bytes[4];
    *e = (struct mcti_events){ 0 };
    mcti_list_init(&e->listeners);
    mcti_random(bytes, sizeof bytes);
    mcti_hex(bytes, sizeof bytes, e->process);
}

void mcti_events_done(struct mcti_events *e)
{
    for (void *next; e->spares; e->spares = next) {
        next = *(void **)e->spares;
        free(e->spares);
    }
    e->n_spares = 0;
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

static bool any_keeps_arguments(const struct mcti_events *e)
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

/* ---- notifying ---- */

static void tell_begin(struct call_event *c)
{
    c->begun = true;
    MCT_LIST_EACH(it, &c->events->listeners) {
        struct mcti_event_listener *l = MCT_CONTAINER(it, struct mcti_event_listener, node);
        if (l->begin && l->since < c->number)
            l->begin(l, &c->event);
    }
}

/* Returns false for most short results, faster than a search for the member "isError". */
static bool may_be_error(struct mcti_str result)
{
    enum { SHORT_BYTES = 4096 }; /* long ones are mostly one member, which is passed over faster than searched */
    static const struct mcti_str tail = MCT_STR("Error\"");
    struct mcti_str rest = result;
    if (result.len > SHORT_BYTES)
        return true;
    for (const char *p; rest.len && (p = memchr(rest.p, 'E', rest.len));) {
        rest = mcti_str_range(p, rest.p + rest.len);
        if (mcti_str_starts(rest, tail))
            return true;
        rest = mcti_str_range(p + 1, rest.p + rest.len);
    }
    return result.len && memchr(result.p, '\\', result.len); /* the name may have an escape */
}

static bool is_tool_error(struct mcti_str result, const struct mcti_chunk *chunk)
{
    struct mcti_str is_error;
    if (!may_be_error(result))
        return false;
    if (!mcti_json_noted(chunk, result, "isError", &is_error))
        is_error = mcti_json_get(result, "isError");
    return mcti_json_true(is_error);
}

/* `chunk` may own the bytes of the result. */
static enum mct_error_kind outcome_of(enum mcti_verb verb, struct mcti_str result, const struct mcti_chunk *chunk,
                                      const struct mct_error *error)
{
    if (error)
        return error->kind;
    return verb == MCT_VERB_TOOLS_CALL && is_tool_error(result, chunk) ? MCT_ERR_TOOL : MCT_ERR_NONE;
}

static void tell_end(struct call_event *c, struct mcti_str result, const struct mcti_chunk *chunk,
                     const struct mct_error *error)
{
    uint64_t now_us;
    if (!c->begun)
        return;
    c->begun = false;
    read_clock(c->events, &c->event.wall_ms, &now_us);
    c->event.duration_us = now_us > c->begun_us ? now_us - c->begun_us : 0;
    c->event.outcome = outcome_of(c->event.verb, result, chunk, error);
    c->event.result = result;
    c->event.error = error;
    MCT_LIST_EACH(it, &c->events->listeners) {
        struct mcti_event_listener *l = MCT_CONTAINER(it, struct mcti_event_listener, node);
        if (l->end && l->since < c->number)
            l->end(l, &c->event);
    }
}

/* ---- one event ---- */

/* Returns memory for an event with a text of this length: a spare piece if one fits, because calls are many. */
static struct call_event *event_alloc(struct mcti_events *e, size_t len)
{
    struct call_event *c = len <= SPARE_TEXT ? e->spares : NULL;
    if (!c)
        return malloc(sizeof *c + (len > SPARE_TEXT ? len : SPARE_TEXT));
    e->spares = *(void **)c;
    e->n_spares--;
    return c;
}

static void call_event_free(struct call_event *c)
{
    struct mcti_events *e = c->events;
    if (c->is_long || e->n_spares == SPARES) {
        free(c);
        return;
    }
    *(void **)c = e->spares;
    e->spares = c;
    e->n_spares++;
}

/* Writes the id: "PROCESS-NUMBER". */
static void event_put_id(struct call_event *c)
{
    size_t n = 0, len = strlen(c->events->process);
    char digits[20], *to = c->id + len;
    for (uint64_t rest = c->number; rest || !n; rest /= 10)
        digits[n++] = (char)('0' + rest % 10);
    memcpy(c->id, c->events->process, len);
    *to++ = '-';
    while (n)
        *to++ = digits[--n];
    *to = '\0';
}

static struct mcti_str event_cut(struct mcti_str s, size_t max)
{
    return s.len > max ? (struct mcti_str){ s.p, max } : s;
}

/* Returns the text of a JSON string; a string with an unpaired surrogate is returned as written. */
static struct mcti_str text_of(struct mcti_str value, struct mcti_buf *scratch)
{
    struct mcti_str plain;
    if (mcti_json_plain(value, &plain))
        return plain;
    size_t from = scratch->len;
    if (mcti_json_unescape(value, scratch) < 0 || !mcti_buf_ok(scratch))
        return value;
    return (struct mcti_str){ scratch->p + from, scratch->len - from };
}

static struct mcti_str subject_of(const struct mcti_call *call)
{
    const char *key = mcti_method(call->verb)->subject;
    if (!key)
        key = mcti_json_get(call->params, "uri").p ? "uri" : "name";
    bool replaced = call->subject.value.p && !strcmp(call->subject.key, key);
    return replaced ? call->subject.value : mcti_json_get(call->params, key);
}

static struct call_event *event_make(const struct mcti_call *call, struct mcti_str tool, struct mcti_str client)
{
    bool is_foreign = call->verb == MCT_VERB_FOREIGN;
    struct mcti_str arguments = is_foreign ? call->params : mcti_json_get(call->params, "arguments");
    bool copied = any_keeps_arguments(call->events);
    size_t len = tool.len + client.len + call->principal.len + (copied ? arguments.len : 0);
    struct call_event *c = event_alloc(call->events, len);
    if (!c)
        return NULL;
    char *at = c->text;
    *c = (struct call_event){
        .events = call->events, .number = ++call->events->n, .has_arguments = copied, .is_long = len > SPARE_TEXT
    };
    c->event = (struct mcti_event){ .id = c->id,
                                    .verb = call->verb,
                                    .method = mcti_call_method(call),
                                    .arguments_bytes = arguments.len,
                                    .client_info = call->caller.client_info,
                                    .session = call->session,
                                    .rev = call->caller.rev };
    c->event.tool = mcti_str_keep(&at, tool);
    c->event.client = mcti_str_keep(&at, client);
    c->event.principal = mcti_str_keep(&at, call->principal);
    c->event.arguments = copied ? mcti_str_keep(&at, arguments) : arguments;
    event_put_id(c);
    read_clock(c->events, &c->event.wall_ms, &c->begun_us);
    return c;
}

static bool has_listeners(const struct mcti_call *call)
{
    bool is_told = mcti_method(call->verb)->subject || call->verb == MCT_VERB_FOREIGN;
    return is_told && call->events && !mcti_list_empty(&call->events->listeners) &&
           !mcti_verb_is_task(call->verb); /* the call that the task comes from has been told */
}

/* Creates the event of a call. Returns NULL when out of memory. */
static struct call_event *event_new(const struct mcti_call *call)
{
    struct mcti_buf tool_text, client_text;
    struct mcti_str client = call->client, name = mcti_json_get(call->caller.client_info, "name");
    mcti_buf_init(&tool_text, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&client_text, MCT_LIMIT_MESSAGE_BYTES);
    if (!client.p && name.p)
        client = text_of(name, &client_text);
    struct call_event *c = event_make(call, event_cut(text_of(subject_of(call), &tool_text), MCT_LIMIT_URI_BYTES),
                                      event_cut(client, MCT_LIMIT_CLIENT_NAME_BYTES));
    mcti_buf_done(&client_text);
    mcti_buf_done(&tool_text);
    return c;
}

static void event_begin(struct call_event *c, const struct mcti_call *call, const struct mcti_provider *p)
{
    c->event.server = mcti_str_of(call->event_server ? call->event_server : p->name);
    if (call->events)
        tell_begin(c);
    c->event.client_info = MCT_STR_NONE;
    if (!c->has_arguments)
        c->event.arguments = MCT_STR_NONE;
}

/* Notifies the listeners of the begin and the end of a call that no provider gets. */
static void tell_whole(const struct mcti_call *call, const struct mcti_provider *p, struct mcti_str result,
                       const struct mct_error *failed)
{
    struct call_event *c = has_listeners(call) ? event_new(call) : NULL;
    if (!c)
        return;
    event_begin(c, call, p);
    tell_end(c, result, NULL, failed);
    call_event_free(c);
}

void mcti_call_event_answered(struct mcti_call *call, const struct mcti_provider *p, struct mcti_str result)
{
    mcti_external_answered(call, p);
    tell_whole(call, p, result, NULL);
}

/* ---- the stage ---- */

static struct call_event *event_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct call_event, base);
}

enum mcti_pass mcti_events_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err)
{
    (void)start;
    if (!has_listeners(call))
        return MCT_PASS;
    struct call_event *c = event_new(call);
    if (!c) {
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    mcti_stage_put(call, &c->base);
    return MCT_PASS;
}

void mcti_events_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    struct call_event *c = event_of(s);
    event_begin(c, call, call->provider);
    if (!failed)
        return;
    tell_end(c, MCT_STR_NONE, NULL, failed);
    call_event_free(c);
}

void mcti_events_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct call_event *c = event_of(s);
    struct mct_error refused;
    if (o->error.p)
        mcti_msg_read_error(o->error, &refused);
    tell_end(c, o->result, o->chunk, o->error.p ? &refused : o->failed);
    mcti_stage_take(call, s);
    call_event_free(c);
    mcti_call_leave(call, o);
}

void mcti_events_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    struct mct_error why;
    (void)call;
    mcti_fail(&why, MCT_ERR_CANCELLED, "%s", reason ? reason : "the caller abandoned the call");
    tell_end(event_of(s), MCT_STR_NONE, NULL, &why);
    call_event_free(event_of(s));
}

void mcti_events_missed(struct mcti_call *call, const struct mct_error *why)
{
    tell_whole(call, call->provider, MCT_STR_NONE, why);
}
