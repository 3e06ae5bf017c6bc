/*
 * Stored events. An event's id is STREAM-NUMBER. Their number and bytes are limited per session, their bytes also per
 * principal: the oldest events are freed first, sent or not. A finished stream is freed with its last event. Events are
 * charged to the account of their session.
 */
#include "front/http/events.h"

#include "base/limits.h"
#include "json/write.h"

#include <stdlib.h>

struct event {
    struct mcti_list in_lane, in_session, in_store;
    struct mcti_lane *lane;
    struct mcti_text *line;
    uint64_t at_ms;
    unsigned number;
    unsigned size; /* charged to the session */
};

void mcti_http_event_put(struct mcti_buf *to, const struct mcti_lane *l, unsigned number, struct mcti_str line)
{
    mcti_buf_addz(to, "event: message\n");
    if (number)
        mcti_buf_printf(to, "id: %u-%u\n", l->number, number);
    mcti_buf_addz(to, "data: ");
    mcti_buf_add(to, line);
    mcti_buf_addz(to, "\n\n");
}

static struct mcti_http_visitor *visitor_of(const struct mcti_http_session *s)
{
    return s->front->visitors[s->principal];
}

static void event_free(struct event *e)
{
    struct mcti_http_session *s = e->lane->session;
    mcti_list_remove(&e->in_lane);
    mcti_list_remove(&e->in_session);
    mcti_list_remove(&e->in_store);
    mcti_account_release(&s->peer->account, MCT_HELD_EVENT, e->size);
    s->n_events--;
    s->event_bytes -= e->size;
    visitor_of(s)->event_bytes -= e->size;
    s->front->counters.forgotten++;
    mcti_text_unref(e->line);
    free(e);
}

static void drop_event(struct event *e)
{
    struct mcti_lane *l = e->lane;
    event_free(e);
    if (l->over && mcti_list_empty(&l->events))
        mcti_lane_free(l);
}

void mcti_http_events_forget(struct mcti_lane *l)
{
    while (!mcti_list_empty(&l->events))
        event_free(MCT_CONTAINER(l->events.next, struct event, in_lane));
}

/* Frees old events until there is room for `size` bytes, and charges the session. Frees none for the account's sake if
 * all of them would not be enough. Returns false if there is no room. */
static bool http_events_make_room(struct mcti_http_session *s, size_t size)
{
    struct mcti_http_visitor *v = visitor_of(s);
    while (s->n_events &&
           (s->n_events >= MCT_LIMIT_SESSION_EVENTS || s->event_bytes + size > MCT_LIMIT_SESSION_EVENT_BYTES))
        drop_event(MCT_CONTAINER(s->events.next, struct event, in_session));
    while (!mcti_list_empty(&v->events) && v->event_bytes + size > MCT_LIMIT_EVENT_BYTES)
        drop_event(MCT_CONTAINER(v->events.next, struct event, in_store));
    bool helps = !mcti_account_over(&s->peer->account, size, s->event_bytes);
    while (helps && mcti_account_over(&s->peer->account, size, 0))
        drop_event(MCT_CONTAINER(s->events.next, struct event, in_session));
    return !mcti_account_charge(&s->peer->account, MCT_HELD_EVENT, size);
}

/* Stores the event and charges `size` bytes for it. On failure releases take_line and returns false. */
static bool http_events_keep(struct mcti_lane *l, struct mcti_text *take_line, size_t size)
{
    struct mcti_http_session *s = l->session;
    struct mcti_http_visitor *v = visitor_of(s);
    struct event *e = take_line ? malloc(sizeof *e) : NULL;
    if (!e || !http_events_make_room(s, size)) {
        free(e);
        mcti_text_unref(take_line);
        return false;
    }
    *e = (struct event){ .lane = l,
                         .line = take_line,
                         .at_ms = mcti_sched_now(&s->front->loop->sched),
                         .number = ++l->last,
                         .size = (unsigned)size };
    mcti_list_append(&l->events, &e->in_lane);
    mcti_list_append(&s->events, &e->in_session);
    mcti_list_append(&v->events, &e->in_store);
    s->n_events++;
    s->event_bytes += (unsigned)size;
    v->event_bytes += size;
    s->front->counters.kept++;
    return true;
}

bool mcti_http_event_keep(struct mcti_lane *l, struct mcti_str line)
{
    size_t size = sizeof(struct event) + sizeof(struct mcti_text) + line.len;
    return size <= MCT_LIMIT_SESSION_EVENT_BYTES && http_events_keep(l, mcti_text_new(line, NULL, NULL), size);
}

bool mcti_http_event_share(struct mcti_lane *l, struct mcti_text *line)
{
    if (line->len > MCT_LIMIT_SHARED_EVENT_BYTES)
        return mcti_http_event_keep(l, mcti_text_str(line));
    return http_events_keep(l, mcti_text_ref(line), sizeof(struct event));
}

/* Frees expired events. An event that was never sent stays until the session ends, unless its stream is over. */
static void http_events_expire(struct mcti_list *events, uint64_t now)
{
    for (struct mcti_list *it = events->next, *next; it != events; it = next) {
        struct event *e = MCT_CONTAINER(it, struct event, in_store);
        next = it->next;
        if (now - e->at_ms < MCT_SSE_KEEP_MS)
            return;
        if (e->lane->over || e->number <= e->lane->sent)
            drop_event(e);
    }
}

void mcti_http_events_expire(struct mcti_front_http *f)
{
    for (size_t i = 0; i < f->n_visitors; i++)
        http_events_expire(&f->visitors[i]->events, mcti_sched_now(&f->loop->sched));
}

/* ---- resuming ---- */

static bool take_number(struct mcti_str *rest, unsigned *ret)
{
    uint64_t n = 0;
    size_t i = 0;
    for (; i < rest->len && i < 10 && rest->p[i] >= '0' && rest->p[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(rest->p[i] - '0');
    *rest = (struct mcti_str){ rest->p + i, rest->len - i };
    *ret = (unsigned)n;
    return i && n <= UINT32_MAX;
}

static struct mcti_lane *http_events_find_in(struct mcti_list *lanes, unsigned number)
{
    MCT_LIST_EACH(it, lanes) {
        struct mcti_lane *l = MCT_CONTAINER(it, struct mcti_lane, node);
        if (l->number == number)
            return l;
    }
    return NULL;
}

/* Returns true if all events after `number` are stored. */
static bool has_all_after(const struct mcti_lane *l, unsigned number)
{
    if (number >= l->last)
        return number == l->last;
    return !mcti_list_empty(&l->events) && MCT_CONTAINER(l->events.next, struct event, in_lane)->number <= number + 1;
}

struct mcti_lane *mcti_http_events_find(struct mcti_http_session *s, struct mcti_str id, unsigned *ret_number)
{
    unsigned stream;
    if (!take_number(&id, &stream) || !id.len || id.p[0] != '-')
        return NULL;
    id = (struct mcti_str){ id.p + 1, id.len - 1 };
    if (!take_number(&id, ret_number) || id.len)
        return NULL;
    struct mcti_lane *l = stream ? http_events_find_in(&s->lanes, stream) : mcti_http_session_stream(s);
    l = l ? l : http_events_find_in(&s->kept, stream);
    return l && (l->resumable || !stream) && has_all_after(l, *ret_number) ? l : NULL;
}

/* Sends all stored events after `number` in one write, so that a long replay does not count as a slow reader. */
static void http_events_replay(struct mcti_lane *l, unsigned number)
{
    struct mcti_buf b;
    mcti_buf_init(&b, SIZE_MAX); /* limited by the stored events */
    MCT_LIST_EACH(it, &l->events) {
        const struct event *e = MCT_CONTAINER(it, struct event, in_lane);
        if (e->number <= number)
            continue;
        mcti_http_event_put(&b, l, e->number, mcti_text_str(e->line));
        l->front->counters.replayed++;
    }
    if (mcti_http_stream_write(l->x, mcti_buf_str(&b)) == 0)
        l->sent = l->last;
    mcti_buf_done(&b);
}

void mcti_http_events_resume(struct mcti_lane *l, struct mcti_http_exchange *x, unsigned number)
{
    if (l->x) { /* the client has given up the old connection, even if the gateway has not noticed yet */
        struct mcti_http_exchange *old = l->x;
        mcti_lane_detach(l);
        mcti_http_stream_close(old);
    }
    mcti_lane_attach(l, x);
    l->sent = number;
    mcti_lane_open_stream(l);
    http_events_replay(l, number);
    if (!l->over)
        return;
    mcti_lane_detach(l);
    mcti_http_stream_close(x);
}
