/*
 * What was said on the streams of sessions, kept for clients that come back ("Resumability and
 * Redelivery", 2025-03-26 and later). An event's id is STREAM-NUMBER. Bounded in number and bytes for
 * each session and in bytes for all: the oldest go first, sent or not, and with the last event of a
 * stream that is over the stream goes.
 */
#include "front/http_impl.h"

#include "base/limits.h"
#include "json/write.h"

#include <stdlib.h>

struct event {
    struct mct_list in_lane, in_session, in_store;
    struct lane *lane;
    uint64_t at_ms;
    unsigned number;
    unsigned len;
    char text[];
};

struct mct_str event_make(struct lane *l, struct mct_str frame, bool with_id)
{
    struct mct_buf *b = &l->front->scratch;
    mct_buf_clear(b);
    mct_buf_addz(b, "event: message\n");
    if (with_id)
        mct_buf_printf(b, "id: %u-%u\n", l->number, l->last + 1);
    mct_buf_addz(b, "data: ");
    mct_json_put_line(b, frame);
    mct_buf_addz(b, "\n\n");
    return mct_buf_ok(b) ? mct_buf_str(b) : MCT_STR_NONE;
}

static void event_free(struct event *e)
{
    struct lane *l = e->lane;
    size_t size = sizeof *e + e->len;
    mct_list_remove(&e->in_lane);
    mct_list_remove(&e->in_session);
    mct_list_remove(&e->in_store);
    l->session->n_events--;
    l->session->event_bytes -= (unsigned)size;
    l->front->event_bytes -= size;
    l->front->counters.forgotten++;
    free(e);
}

static void drop_event(struct event *e)
{
    struct lane *l = e->lane;
    event_free(e);
    if (l->over && mct_list_empty(&l->events))
        lane_free(l);
}

void events_forget(struct lane *l)
{
    while (!mct_list_empty(&l->events))
        event_free(MCT_CONTAINER(l->events.next, struct event, in_lane));
}

static void make_room(struct http_session *s, size_t size)
{
    struct mct_front_http *f = s->front;
    while (s->n_events && (s->n_events >= MCT_LIMIT_SESSION_EVENTS ||
                           s->event_bytes + size > MCT_LIMIT_SESSION_EVENT_BYTES))
        drop_event(MCT_CONTAINER(s->events.next, struct event, in_session));
    while (!mct_list_empty(&f->events) && f->event_bytes + size > MCT_LIMIT_EVENT_BYTES)
        drop_event(MCT_CONTAINER(f->events.next, struct event, in_store));
}

bool event_keep(struct lane *l)
{
    struct http_session *s = l->session;
    struct mct_front_http *f = l->front;
    struct mct_str text = mct_buf_str(&f->scratch);
    size_t size = sizeof(struct event) + text.len;
    struct event *e = size <= MCT_LIMIT_SESSION_EVENT_BYTES ? malloc(size) : NULL;
    if (!e)
        return false;
    make_room(s, size);
    *e = (struct event){ .lane = l, .at_ms = mct_sched_now(&f->loop->sched), .number = ++l->last,
                         .len = (unsigned)text.len };
    memcpy(e->text, text.p, text.len);
    mct_list_append(&l->events, &e->in_lane);
    mct_list_append(&s->events, &e->in_session);
    mct_list_append(&f->events, &e->in_store);
    s->n_events++;
    s->event_bytes += (unsigned)size;
    f->event_bytes += size;
    f->counters.kept++;
    return true;
}

/* What nobody has been sent waits for the session's end, unless its stream is over. */
void events_expire(struct mct_front_http *f)
{
    uint64_t now = mct_sched_now(&f->loop->sched);
    for (struct mct_list *it = f->events.next, *next; it != &f->events; it = next) {
        struct event *e = MCT_CONTAINER(it, struct event, in_store);
        next = it->next;
        if (now - e->at_ms < MCT_SSE_KEEP_MS)
            return;
        if (e->lane->over || e->number <= e->lane->sent)
            drop_event(e);
    }
}

/* ---- coming back ---- */

static bool take_number(struct mct_str *rest, unsigned *ret)
{
    uint64_t n = 0;
    size_t i = 0;
    for (; i < rest->len && i < 10 && rest->p[i] >= '0' && rest->p[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(rest->p[i] - '0');
    *rest = (struct mct_str){ rest->p + i, rest->len - i };
    *ret = (unsigned)n;
    return i && n <= UINT32_MAX;
}

static struct lane *find_in(struct mct_list *lanes, unsigned number)
{
    MCT_LIST_EACH(it, lanes) {
        struct lane *l = MCT_CONTAINER(it, struct lane, node);
        if (l->number == number)
            return l;
    }
    return NULL;
}

/* Whether what came after that event can be sent again without a gap. */
static bool has_all_after(const struct lane *l, unsigned number)
{
    if (number >= l->last)
        return number == l->last;
    return !mct_list_empty(&l->events) &&
           MCT_CONTAINER(l->events.next, struct event, in_lane)->number <= number + 1;
}

struct lane *events_find(struct http_session *s, struct mct_str id, unsigned *ret_number)
{
    unsigned stream;
    if (!take_number(&id, &stream) || !id.len || id.p[0] != '-')
        return NULL;
    id = (struct mct_str){ id.p + 1, id.len - 1 };
    if (!take_number(&id, ret_number) || id.len)
        return NULL;
    struct lane *l = stream ? find_in(&s->lanes, stream) : session_stream(s);
    l = l ? l : find_in(&s->kept, stream);
    return l && (l->resumable || !stream) && has_all_after(l, *ret_number) ? l : NULL;
}

/* All at once: a client that takes its time over the replay is not a slow one. */
static void replay(struct lane *l, unsigned number)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_SESSION_EVENT_BYTES);
    MCT_LIST_EACH(it, &l->events) {
        const struct event *e = MCT_CONTAINER(it, struct event, in_lane);
        if (e->number <= number)
            continue;
        mct_buf_add(&b, (struct mct_str){ e->text, e->len });
        l->front->counters.replayed++;
    }
    if (mct_http_stream_write(l->x, mct_buf_str(&b)) == 0)
        l->sent = l->last;
    mct_buf_done(&b);
}

void events_resume(struct lane *l, struct mct_http_exchange *x, unsigned number)
{
    if (l->x) { /* the client knows better than we that this connection is of no use */
        struct mct_http_exchange *old = l->x;
        lane_detach(l);
        mct_http_stream_close(old);
    }
    lane_attach(l, x);
    l->sent = number; /* what the new connection begins with */
    lane_open_stream(l);
    replay(l, number);
    if (!l->over)
        return;
    lane_detach(l);
    mct_http_stream_close(x);
}
