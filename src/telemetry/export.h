/*
 * Sends the records of one signal to a collector as OTLP over HTTP with JSON. Records are queued and sent in batches
 * from the loop, one request at a time. A full queue drops the newest record and counts it. Requests that may succeed
 * later (429, 502, 503, 504, no connection) are repeated with growing pauses; others are dropped.
 */
#ifndef MCT_TELEMETRY_EXPORT_H
#define MCT_TELEMETRY_EXPORT_H

#include "io/fetch/client.h"
#include "telemetry/settings.h"

struct mcti_export_opts {
    struct mcti_loop *loop;
    const struct mcti_log *log;
    struct mcti_http_client *http;
    const struct mcti_signal_settings *settings; /* outlives the export */
    const char *what;                            /* "traces" … */
    const char *head, *tail;                     /* JSON text around the records; outlive the export */
    unsigned delay_ms, max_queue, max_batch;
};

struct mcti_export {
    struct mcti_export_opts opts;
    struct mcti_buf queue; /* records, each with a comma behind it */
    struct mcti_buf sizes; /* their sizes, as struct mcti_export_record */
    size_t n_queued;
    char *body; /* of the request in flight or to be repeated; NULL: none */
    size_t body_len, n_body;
    struct mcti_fetch *fetch; /* NULL: none in flight */
    struct mcti_buf answer;
    struct mcti_timer timer, deadline; /* timer: the next batch, or the next attempt */
    unsigned n_attempts;
    uint64_t n_dropped, told_ms;
    bool flushing;
    void (*idle)(void *data); /* called when nothing is left to send after mcti_export_flush(); NULL: not called */
    void *data;
};

void mcti_export_init(struct mcti_export *e, const struct mcti_export_opts *opts);
void mcti_export_done(struct mcti_export *e); /* drops what was not sent */

/* Queues one record, the text of a JSON object. */
void mcti_export_add(struct mcti_export *e, struct mcti_str record);

/* Sends everything now, without waiting for more. */
void mcti_export_flush(struct mcti_export *e);
bool mcti_export_is_idle(const struct mcti_export *e);

/* Returns the seconds of a Retry-After header: a number or a date of HTTP. `now_s` is the time since 1970. Returns 0
 * for a text that is neither. */
unsigned mcti_export_retry_after_s(struct mcti_str text, uint64_t now_s);

#endif
