/*
 * What telemetry is told: requests of clients, calls to servers, and sessions. A span is the record of one request or
 * call. The tracer is above this room (src/telemetry/); struct mcti_events names it, NULL while telemetry is off. All
 * functions are called from the loop.
 */
#ifndef MCT_HUB_CORE_TRACER_H
#define MCT_HUB_CORE_TRACER_H

#include "base/error.h"
#include "base/str.h"
#include "mcp/method.h"

#include <stdint.h>

struct mcti_provider;
struct mcti_span; /* owned by the tracer */

/* What begins. Texts are borrowed during the call; absent ones are unknown. */
struct mcti_span_start {
    const struct mcti_provider *server; /* server of a call; NULL: the request of a client */
    const struct mcti_span *parent;     /* the request that a call is made for; NULL: none */
    enum mcti_verb verb;
    const char *method;
    struct mcti_str params;  /* an object: has the tool, prompt or URI, and `_meta` */
    struct mcti_str subject; /* name or URI that replaces the one in `params`, a JSON string */
    struct mcti_str context; /* traceparent outside of the message: a header of HTTP, or a variable */
    struct mcti_str id;      /* JSON-RPC id, raw JSON */
    struct mcti_str client;  /* clientInfo.name */
    struct mcti_str principal;
    enum mcti_rev rev;
    uint64_t session; /* number of the client's session; 0: none */
    bool over_http;   /* a client: connected over HTTP; otherwise over pipes */
};

/* How it ended: at most one of `error` and `failed` is set. */
struct mcti_span_end {
    struct mcti_str error;          /* JSON-RPC error object */
    const struct mct_error *failed; /* there was no answer */
    struct mcti_str result;         /* the result of a call; absent: not known */
    bool is_error;                  /* a result with isError */
};

struct mcti_tracer {
    /* Returns NULL when out of memory: the request or call is not recorded. */
    struct mcti_span *(*begin)(struct mcti_tracer *t, const struct mcti_span_start *start);
    void (*end)(struct mcti_tracer *t, struct mcti_span *take_s, const struct mcti_span_end *end);
    /* Returns the `traceparent` for messages that are sent because of the span, a JSON string that is valid as long as
     * the span. Absent: the messages keep theirs. */
    struct mcti_str (*traceparent)(const struct mcti_span *s);
    /* Records a session of a client that has ended. */
    void (*session_ended)(struct mcti_tracer *t, enum mcti_rev rev, bool over_http, uint64_t duration_ms);
};

#endif
