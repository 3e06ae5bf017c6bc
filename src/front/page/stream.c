/* Event streams of the status page: the overview, then what changes; and the log of one server. */
#include "front/page/impl.h"

#include "base/limits.h"
#include "json/write.h"

#include <stdlib.h>

enum {
    FLUSH_MS = 200,  /* changes are collected for that long */
    WHOLE_MS = 2000, /* pause between complete lists of clients */
    BEAT_MS = 15000, /* a comment shows that the gateway is there */
    STREAMS_MAX = 32,
};

static void stream_free(struct mcti_page_state *page, struct mcti_page_stream *s)
{
    mcti_list_remove(&s->node);
    page->n_streams--;
    free(s->server);
    free(s);
}

/* Sends an event whose data is JSON. A client that is too slow is dropped, and mcti_page_abort() called later. */
static void stream_send(const struct mcti_page_stream *s, const char *name, const struct mcti_buf *json)
{
    struct mcti_buf b;
    if (!mcti_buf_ok(json))
        return;
    mcti_buf_init(&b, json->len + 64);
    mcti_buf_printf(&b, "event: %s\ndata: ", name);
    mcti_json_put_line(&b, mcti_buf_str(json));
    mcti_buf_addz(&b, "\n\n");
    mcti_http_stream_write(s->x, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* ---- the overview ---- */

static void stream_flush_overview(struct mcti_page_state *page, struct mcti_page_stream *s)
{
    struct mcti_gateway *g = page->front->gateway;
    uint64_t now = mcti_sched_now(g->sched);
    struct mcti_buf b;
    s->opts.all_clients = s->departed != g->activity->n_departed && now - s->whole_ms >= WHOLE_MS;
    if (s->opts.after == g->activity->now && !s->opts.all_clients)
        return;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_overview_put(&b, g, &s->opts);
    stream_send(s, s->opts.after ? "changes" : "overview", &b);
    mcti_buf_done(&b);
    if (s->opts.all_clients || !s->opts.after) {
        s->departed = g->activity->n_departed;
        s->whole_ms = now;
    }
    s->opts.after = g->activity->now;
}

/* ---- the log of a server ---- */

static void log_put_line(void *data, const struct mcti_journal_line *line)
{
    struct mcti_buf *b = data;
    mcti_buf_addz(b, mcti_buf_last(b) == '[' ? "" : ",");
    mcti_journal_put_line(b, line);
}

static void stream_flush_log(struct mcti_page_state *page, struct mcti_page_stream *s)
{
    const struct mcti_provider *p = mcti_registry_find(page->front->gateway->registry, mcti_str_of(s->server));
    struct mcti_buf b;
    if (!p || p->journal.last_seq == s->seq)
        return;
    if (p->journal.last_seq < s->seq)
        s->seq = 0; /* it was removed, and another one of that name is there */
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '[');
    mcti_journal_each(&p->journal, s->seq, log_put_line, &b);
    mcti_buf_addc(&b, ']');
    stream_send(s, "lines", &b);
    mcti_buf_done(&b);
    s->seq = p->journal.last_seq;
}

/* ---- all streams ---- */

static void stream_close(struct mcti_page_state *page, struct mcti_page_stream *s)
{
    struct mcti_http_exchange *x = s->x;
    stream_free(page, s);
    mcti_http_stream_close(x);
}

static bool is_late(const struct mcti_page_state *page, const struct mcti_page_stream *s)
{
    return !s->server && s->departed != page->front->gateway->activity->n_departed;
}

/* Sends what has changed. A stream whose reader may not see the same any more ends. */
static void stream_flush(struct mcti_page_state *page, struct mcti_page_stream *s)
{
    if (mcti_page_viewer_of(page->front, s->principal) != s->viewer)
        stream_close(page, s);
    else if (s->server)
        stream_flush_log(page, s);
    else
        stream_flush_overview(page, s);
}

static void page_on_flush(void *data)
{
    struct mcti_page_state *page = data;
    bool late = false;
    MCT_LIST_EACH(it, &page->streams)
        stream_flush(page, MCT_CONTAINER(it, struct mcti_page_stream, node));
    MCT_LIST_EACH(it, &page->streams)
        late |= is_late(page, MCT_CONTAINER(it, struct mcti_page_stream, node));
    if (late && !page->late.set)
        mcti_timer_set(page->front->gateway->sched, &page->late, WHOLE_MS);
}

static void page_on_beat(void *data)
{
    struct mcti_page_state *page = data;
    MCT_LIST_EACH(it, &page->streams)
        mcti_http_stream_write(MCT_CONTAINER(it, struct mcti_page_stream, node)->x, MCT_STR(": here\n\n"));
    if (page->n_streams)
        mcti_timer_set(page->front->gateway->sched, &page->beat, BEAT_MS);
}

static void page_changed(struct mcti_page_state *page)
{
    if (page->n_streams && !page->flush.set)
        mcti_timer_set(page->front->gateway->sched, &page->flush, FLUSH_MS);
}

static void page_on_news(struct mcti_activity_reader *r)
{
    page_changed(MCT_CONTAINER(r, struct mcti_page_state, reader));
}

static void page_on_said(struct mcti_watcher *w, struct mcti_provider *p, const struct mcti_journal_line *line)
{
    (void)p;
    (void)line;
    page_changed(MCT_CONTAINER(w, struct mcti_page_state, watcher));
}

/* Opens a stream; answers with an error and returns NULL if there are too many. */
static struct mcti_page_stream *stream_open(const struct mcti_http_visit *v)
{
    struct mcti_page_state *page = v->front->page_state;
    bool full = page->n_streams >= STREAMS_MAX || v->front->draining;
    struct mcti_page_stream *s = full ? NULL : calloc(1, sizeof *s);
    if (!s) {
        mcti_http_reply_plain(v->x, 503, MCT_STR_NONE, "limit", "too many status pages are open");
        return NULL;
    }
    s->x = v->x;
    s->principal = v->principal;
    s->viewer = mcti_page_viewer_of(v->front, v->principal);
    mcti_list_append(&page->streams, &s->node);
    page->n_streams++;
    if (!page->beat.set)
        mcti_timer_set(page->front->gateway->sched, &page->beat, BEAT_MS);
    mcti_http_stream_open(v->x, 200, "text/event-stream",
                          MCT_STR("Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n" MCT_PAGE_HEADERS));
    return s;
}

static void stream_hello(const struct mcti_http_visit *v, const struct mcti_page_stream *s, bool owner)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_buf_printf(&b, "{\"owner\":%s,\"tokens\":%s", owner ? "true" : "false",
                    v->front->guard.n_tokens ? "true" : "false");
    mcti_json_put_member(&b, "principal", v->front->visitors[v->principal]->principal->name);
    mcti_buf_addc(&b, '}');
    stream_send(s, "hello", &b);
    mcti_buf_done(&b);
}

void mcti_page_events(const struct mcti_http_visit *v)
{
    struct mcti_page_stream *s = mcti_page_admit(v, "GET", MCT_VIEWER_MEMBER) ? stream_open(v) : NULL;
    if (!s)
        return;
    bool owner = mcti_page_viewer_of(v->front, v->principal) == MCT_VIEWER_OWNER;
    s->opts.quiet = !owner;
    if (!owner)
        s->opts.principal = v->front->visitors[v->principal]->principal->name;
    stream_hello(v, s, owner);
    stream_flush(v->front->page_state, s);
}

void mcti_page_log(const struct mcti_http_visit *v)
{
    struct mcti_buf name;
    mcti_buf_init(&name, MCT_LIMIT_NAME_BYTES);
    bool is_named = mcti_page_admit(v, "GET", MCT_VIEWER_OWNER) && mcti_page_param(v, "server", &name);
    struct mcti_page_stream *s = NULL;
    if (is_named && !mcti_registry_find(v->front->gateway->registry, mcti_buf_str(&name)))
        mcti_page_reply_unknown(v);
    else if (is_named)
        s = stream_open(v);
    if (s) {
        s->server = mcti_str_dup(mcti_buf_str(&name));
        mcti_http_stream_write(s->x, MCT_STR(": open\n\n"));
        if (s->server)
            stream_flush(v->front->page_state, s);
    }
    mcti_buf_done(&name);
}

/* ---- life ---- */

void *mcti_page_open(struct mcti_front_http *f)
{
    struct mcti_page_state *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->front = f;
    mcti_list_init(&page->streams);
    mcti_timer_init(&page->flush, page_on_flush, page);
    mcti_timer_init(&page->late, page_on_flush, page);
    mcti_timer_init(&page->beat, page_on_beat, page);
    page->reader.news = page_on_news;
    mcti_activity_read(f->gateway->activity, &page->reader);
    page->watcher = (struct mcti_watcher){ .said = page_on_said };
    mcti_registry_watch(f->gateway->registry, &page->watcher);
    return page;
}

bool mcti_page_abort(void *state, struct mcti_http_exchange *x)
{
    struct mcti_page_state *page = state;
    MCT_LIST_EACH(it, &page->streams) {
        struct mcti_page_stream *s = MCT_CONTAINER(it, struct mcti_page_stream, node);
        if (s->x != x)
            continue;
        stream_free(page, s);
        return true;
    }
    return false;
}

void mcti_page_end(void *state)
{
    struct mcti_page_state *page = state;
    while (!mcti_list_empty(&page->streams))
        stream_close(page, MCT_CONTAINER(page->streams.next, struct mcti_page_stream, node));
}

void mcti_page_free(void *state)
{
    struct mcti_page_state *page = state;
    if (!page)
        return;
    mcti_page_end(page);
    mcti_activity_reader_remove(&page->reader);
    mcti_watcher_remove(&page->watcher);
    mcti_timer_stop(page->front->gateway->sched, &page->flush);
    mcti_timer_stop(page->front->gateway->sched, &page->late);
    mcti_timer_stop(page->front->gateway->sched, &page->beat);
    free(page);
}
