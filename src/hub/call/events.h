/*
 * Events of calls. Every listener is notified when a tools/call, prompts/get, resources/read or method of an extension
 * begins and when it ends.
 * A call begins when its item was found and it was given to a provider, or answered from the cache. It ends once: with
 * a result, an error, a failure, or a cancellation (an error of kind "cancelled"). Rounds of questions belong to one
 * call; an attempt at the next server is a call of its own.
 *
 * A gateway or program has one struct mcti_events, which call->events names. Listeners are embedded in their owners and
 * removed before these are freed. Without listeners, the overhead of a call is one comparison.
 */
#ifndef MCT_HUB_CALL_EVENTS_H
#define MCT_HUB_CALL_EVENTS_H

#include "hub/core/call.h"

/* Borrowed for the call of the listener. */
struct mcti_event {
    const char *id; /* unique for each call, the same at begin and end; its first part is random for each
                     * struct mcti_events */
    enum mcti_verb verb;
    const char *method;
    struct mcti_str server;
    struct mcti_str tool; /* the server's own name of the tool or prompt, or the URI; cut at MCT_LIMIT_URI_BYTES */
    struct mcti_str
        arguments; /* raw JSON as the caller wrote it, of a method of an extension its params; absent: none, or
                                * not kept for the end */
    size_t arguments_bytes;
    struct mcti_str principal;   /* name of the principal */
    struct mcti_str client;      /* clientInfo.name; absent: unknown */
    struct mcti_str client_info; /* clientInfo of a request without a session, raw JSON; absent at the end */
    uint64_t session;            /* number of the client's session; 0: none */
    enum mcti_rev rev;           /* revision of the client */
    uint64_t wall_ms;            /* time of the event: since 1970, UTC */

    /* Set only when the call ends. Exactly one of result and error is set; a result with isError is no `error`. */
    enum mct_error_kind outcome; /* MCT_ERR_NONE; MCT_ERR_TOOL: a result with isError; or the error's kind */
    uint64_t duration_us;
    struct mcti_str result;        /* raw JSON as the server wrote it, also with isError */
    const struct mct_error *error; /* code 0: none; the message may be cut */
};

const char *mcti_outcome_word(enum mct_error_kind outcome); /* "ok", or the word of the kind */

/* A listener. Called from the loop; must not start, cancel or free calls. Receives the end of each call that began
 * after the listener was added. */
struct mcti_event_listener {
    struct mcti_list node;
    void (*begin)(struct mcti_event_listener *l, const struct mcti_event *e); /* may be NULL */
    void (*end)(struct mcti_event_listener *l, const struct mcti_event *e);   /* may be NULL */
    bool keeps_arguments; /* needs the arguments at the end as well: they are copied */
    uint64_t since;
};

struct mcti_events {
    struct mcti_list listeners;
    struct mcti_tracer *tracer; /* records spans; NULL: telemetry is off */
    uint64_t n;                 /* number of the newest call */
    char process[9];            /* first part of all ids */
    void *spares;               /* memory of calls that have ended, for the next ones */
    unsigned n_spares;
    /* Replaces the system's clock; may be NULL. */
    void (*clock)(struct mcti_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us);
};

void mcti_events_init(struct mcti_events *e);
void mcti_events_done(struct mcti_events *e); /* there are no calls and no listeners any more */
void mcti_events_add(struct mcti_events *e, struct mcti_event_listener *l);
void mcti_event_listener_remove(struct mcti_event_listener *l); /* does nothing if its node is zero */

/* To be called for a read that was answered from the cache: notifies the listeners of its begin and its end, and
 * records that its client has received something from outside, if `p` gives that. */
void mcti_call_event_answered(struct mcti_call *call, const struct mcti_provider *p, struct mcti_str result);

#endif
