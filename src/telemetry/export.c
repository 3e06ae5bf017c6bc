#include "telemetry/export.h"

#include "base/clock.h"
#include "base/rand.h"
#include "json/scan.h"
#include "telemetry/gzip.h"

#include <stdlib.h>
#include <time.h>

enum {
    QUEUE_BYTES = 16 << 20,
    ANSWER_BYTES = 64 << 10, /* of an answer that is read */
    MOST_ATTEMPTS = 6,
    FIRST_PAUSE_MS = 1000,
    LONGEST_PAUSE_MS = 30000,
    TOLD_EACH_MS = 60000, /* pause between two warnings */
};

static void export_next(struct mcti_export *e);

/* ---- messages ---- */

/* Logs a failure of the collector, at most once a minute. */
static void export_warn(struct mcti_export *e, const char *why)
{
    uint64_t now = mcti_sched_now(&e->opts.loop->sched);
    if (e->told_ms && now - e->told_ms < TOLD_EACH_MS)
        return;
    e->told_ms = now ? now : 1;
    mcti_log(e->opts.log, MCT_LOG_WARN, "telemetry: %s could not be sent: %s (%llu lost so far)", e->opts.what, why,
             (unsigned long long)e->n_dropped);
}

/* ---- the queue ---- */

/* Drops all records that wait: without memory, the records and their sizes may not fit together any more. */
static void export_lose_queue(struct mcti_export *e)
{
    e->n_dropped += e->n_queued;
    e->n_queued = 0;
    mcti_buf_clear(&e->queue);
    mcti_buf_clear(&e->sizes);
}

void mcti_export_add(struct mcti_export *e, struct mcti_str record)
{
    uint32_t size = (uint32_t)record.len + 1;
    struct mcti_sched *sched = &e->opts.loop->sched;
    if (record.p == mcti_buf_lost || e->n_queued >= e->opts.max_queue || e->queue.len + size > QUEUE_BYTES ||
        !mcti_buf_reserve(&e->queue, size) || !mcti_buf_reserve(&e->sizes, sizeof size)) {
        if (!mcti_buf_ok(&e->queue) || !mcti_buf_ok(&e->sizes))
            export_lose_queue(e);
        e->n_dropped++;
        export_warn(e, "the queue is full");
        return;
    }
    mcti_buf_add(&e->queue, record);
    mcti_buf_addc(&e->queue, ',');
    mcti_buf_add(&e->sizes, (struct mcti_str){ (const char *)&size, sizeof size });
    e->n_queued++;
    if (e->body || e->fetch)
        return;
    if (e->flushing || e->n_queued >= e->opts.max_batch)
        mcti_timer_set(sched, &e->timer, 0);
    else if (!e->timer.set)
        mcti_timer_set(sched, &e->timer, e->opts.delay_ms);
}

/* Moves up to max_batch records from the queue into the body of a request. Returns -1 when out of memory. */
static int export_take_batch(struct mcti_export *e)
{
    struct mcti_buf b;
    size_t n = e->n_queued < e->opts.max_batch ? e->n_queued : e->opts.max_batch, len = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t size;
        memcpy(&size, e->sizes.p + i * sizeof size, sizeof size);
        len += size;
    }
    mcti_buf_init(&b, QUEUE_BYTES + (1u << 20));
    mcti_buf_addz(&b, e->opts.head);
    mcti_buf_add(&b, (struct mcti_str){ e->queue.p, len - 1 });
    mcti_buf_addz(&b, e->opts.tail);
    mcti_buf_shift(&e->queue, len);
    mcti_buf_shift(&e->sizes, n * sizeof(uint32_t));
    e->n_queued -= n;
    e->n_body = n;
    if (e->opts.settings->gzip)
        mcti_gzip(&b);
    e->body_len = b.len;
    e->body = mcti_buf_take(&b);
    return e->body ? 0 : -1;
}

/* ---- one request ---- */

static void export_drop_body(struct mcti_export *e, const char *why)
{
    free(e->body);
    e->body = NULL;
    e->n_attempts = 0;
    if (!why)
        return;
    e->n_dropped += e->n_body;
    export_warn(e, why);
}

/* Drops the batch and goes on with the next one. */
static void export_give_up(struct mcti_export *e, const char *why)
{
    export_drop_body(e, why);
    export_next(e);
}

unsigned mcti_export_retry_after_s(struct mcti_str text, uint64_t now_s)
{
    char date[64], *end;
    struct tm tm = { 0 };
    snprintf(date, sizeof date, "%.*s", (int)(text.len < sizeof date ? text.len : sizeof date - 1),
             text.p ? text.p : "");
    unsigned long n = strtoul(date, &end, 10);
    if (*date >= '0' && *date <= '9' && !*end)
        return n < LONGEST_PAUSE_MS ? (unsigned)n : LONGEST_PAUSE_MS;
    end = strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    time_t at = end && !*end ? timegm(&tm) : 0;
    return at > 0 && (uint64_t)at > now_s ? (unsigned)((uint64_t)at - now_s) : 0;
}

/* Plans another attempt, or gives up. `after_s`: what the collector asked for; 0: nothing. */
static void export_try_later(struct mcti_export *e, unsigned after_s, const char *why)
{
    uint16_t jitter;
    if (++e->n_attempts >= MOST_ATTEMPTS || e->flushing) {
        export_give_up(e, why);
        return;
    }
    unsigned pause = FIRST_PAUSE_MS << (e->n_attempts - 1);
    mcti_random(&jitter, sizeof jitter);
    pause = pause < LONGEST_PAUSE_MS ? pause : LONGEST_PAUSE_MS;
    pause = pause / 2 + jitter % (pause / 2);
    if (after_s * 1000ull > pause)
        pause = after_s < LONGEST_PAUSE_MS / 1000 * 10 ? after_s * 1000 : LONGEST_PAUSE_MS * 10;
    mcti_timer_set(&e->opts.loop->sched, &e->timer, pause);
}

/* Reads partialSuccess of an answer: some records were refused, and are not sent again. */
static void export_read_answer(struct mcti_export *e)
{
    static const char *const keys[] = { "rejectedSpans", "rejectedDataPoints", "rejectedLogRecords" };
    struct mcti_str answer = mcti_buf_str(&e->answer), partial = MCT_STR_NONE, text;
    if (answer.len && mcti_json_valid(answer, 16, NULL, NULL))
        partial = mcti_json_get(answer, "partialSuccess");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct mcti_str n = mcti_json_get(partial, keys[i]);
        if (!mcti_json_plain(n, &text))
            text = n;
        unsigned long long refused = text.p ? strtoull(text.p, NULL, 10) : 0;
        if (refused) {
            e->n_dropped += refused;
            export_warn(e, "the collector refused some of them");
        }
    }
}

static void export_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct mcti_export *e = data;
    int status = err ? 0 : mcti_fetch_status(f);
    char why[64];
    unsigned after_s =
        err ? 0 : mcti_export_retry_after_s(mcti_fetch_header(f, "retry-after"), mcti_clock_wall_ms() / 1000);
    e->fetch = NULL;
    mcti_timer_stop(&e->opts.loop->sched, &e->deadline);
    snprintf(why, sizeof why, "HTTP %d", status);
    if (status >= 200 && status < 300) {
        export_read_answer(e);
        export_drop_body(e, NULL);
        export_next(e);
    } else if (err || status == 429 || status == 502 || status == 503 || status == 504) {
        export_try_later(e, after_s, err ? err->message : why);
    } else {
        export_give_up(e, why);
    }
}

static bool export_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    struct mcti_export *e = data;
    (void)f;
    if (e->answer.len + bytes->len <= ANSWER_BYTES)
        mcti_buf_add(&e->answer, *bytes);
    *bytes = (struct mcti_str){ bytes->p + bytes->len, 0 };
    return true;
}

static void export_on_deadline(void *data)
{
    struct mcti_export *e = data;
    mcti_fetch_cancel(e->fetch);
    e->fetch = NULL;
    export_try_later(e, 0, "the collector did not answer in time");
}

static void export_put_headers(const struct mcti_export *e, struct mcti_headers *h)
{
    const struct mcti_pairs *more = &e->opts.settings->headers;
    mcti_headers_add(h, "Content-Type", MCT_STR("application/json"));
    mcti_headers_add(h, "User-Agent", MCT_STR("OTel-OTLP-Exporter-C/" MCT_VERSION " mcptools/" MCT_VERSION));
    if (e->opts.settings->gzip)
        mcti_headers_add(h, "Content-Encoding", MCT_STR("gzip"));
    for (size_t i = 0; i < more->n; i++)
        mcti_headers_add(h, more->v[i].key, mcti_str_of(more->v[i].value));
}

static void export_send(struct mcti_export *e)
{
    static const struct mcti_fetch_events events = { .on_body = export_on_body, .on_done = export_on_done };
    struct mcti_fetch_events mine = events;
    struct mcti_headers headers;
    struct mct_error err;
    mine.data = e;
    mcti_headers_init(&headers);
    export_put_headers(e, &headers);
    mcti_buf_clear(&e->answer);
    const struct mcti_fetch_opts opts = { .method = "POST",
                                          .url = e->opts.settings->url,
                                          .headers = &headers,
                                          .body = { e->body, e->body_len },
                                          .no_redirects = true,
                                          .ca_file = e->opts.settings->ca_file,
                                          .cert_file = e->opts.settings->cert_file,
                                          .key_file = e->opts.settings->key_file };
    e->fetch = mcti_fetch_start(e->opts.http, &opts, &mine, &err);
    mcti_headers_done(&headers);
    if (e->fetch)
        mcti_timer_set(&e->opts.loop->sched, &e->deadline, e->opts.settings->timeout_ms);
    else
        export_give_up(e, err.message);
}

/* ---- batches ---- */

bool mcti_export_is_idle(const struct mcti_export *e)
{
    return !e->body && !e->n_queued;
}

/* Plans the next batch after a request has ended. */
static void export_next(struct mcti_export *e)
{
    bool is_due = e->flushing || e->n_queued >= e->opts.max_batch;
    if (e->n_queued)
        mcti_timer_set(&e->opts.loop->sched, &e->timer, is_due ? 0 : e->opts.delay_ms);
    else if (e->flushing && e->idle)
        e->idle(e->data);
}

static void export_on_timer(void *data)
{
    struct mcti_export *e = data;
    if (e->fetch || (!e->body && !e->n_queued))
        return;
    if (!e->body && export_take_batch(e) < 0)
        export_give_up(e, MCT_NO_MEMORY_TEXT);
    else
        export_send(e);
}

void mcti_export_init(struct mcti_export *e, const struct mcti_export_opts *opts)
{
    *e = (struct mcti_export){ .opts = *opts };
    mcti_buf_init(&e->queue, QUEUE_BYTES);
    mcti_buf_init(&e->sizes, QUEUE_BYTES);
    mcti_buf_init(&e->answer, ANSWER_BYTES);
    mcti_timer_init(&e->timer, export_on_timer, e);
    mcti_timer_init(&e->deadline, export_on_deadline, e);
}

void mcti_export_flush(struct mcti_export *e)
{
    e->flushing = true;
    if (!e->fetch && !mcti_export_is_idle(e))
        mcti_timer_set(&e->opts.loop->sched, &e->timer, 0);
}

void mcti_export_done(struct mcti_export *e)
{
    if (!e->opts.loop)
        return;
    if (e->fetch)
        mcti_fetch_cancel(e->fetch);
    mcti_timer_stop(&e->opts.loop->sched, &e->timer);
    mcti_timer_stop(&e->opts.loop->sched, &e->deadline);
    mcti_buf_done(&e->queue);
    mcti_buf_done(&e->sizes);
    mcti_buf_done(&e->answer);
    free(e->body);
    *e = (struct mcti_export){ 0 };
}
