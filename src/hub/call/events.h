/*
 * Who hears of calls: each tools/call, prompts/get and resources/read made on somebody's behalf is told when it
 * begins and when it ends, to every listener. A call begins once what it names was found and it was given to a
 * provider, or answered from memory; it ends once, whatever ends it: a result, an error, a failure, or that nobody
 * wants it any more (an error of kind "cancelled"). Rounds of questions belong to the one call; an attempt at the next
 * server is a call of its own.
 *
 * One struct mcti_events for a gateway or program, which call->events names. It owns nothing; listeners are embedded
 * in their owners and removed before those go. Where nobody listens, a call costs one branch.
 */
#ifndef MCT_HUB_CALL_EVENTS_H
#define MCT_HUB_CALL_EVENTS_H

#include "hub/core/call.h"

/* Borrowed for the call of the listener. */
struct mcti_event {
    const char *id; /* the same at begin and end, and of no other call; its first word is random for each
                     * struct mcti_events */
    enum mcti_verb verb;
    struct mcti_str server;
    struct mcti_str tool;      /* the server's own name of the tool or prompt, or the URI; cut at MCT_LIMIT_URI_BYTES */
    struct mcti_str arguments; /* raw JSON as the caller wrote it; absent: none, or not kept for the end */
    size_t arguments_bytes;
    struct mcti_str principal; /* on whose authority */
    struct mcti_str client;    /* what the client calls itself; absent: unknown */
    uint64_t wall_ms;          /* when this happened: since 1970, UTC */

    /* Of an end. Exactly one of result and error is set. */
    enum mct_error_kind outcome; /* MCT_ERR_NONE; MCT_ERR_TOOL: a result with isError; or the error's kind */
    uint64_t duration_us;
    struct mcti_str result;        /* raw JSON as the server wrote it, also with isError */
    const struct mct_error *error; /* code 0: none; the message may be cut */
};

const char *mcti_outcome_word(enum mct_error_kind outcome); /* "ok", or the word of the kind */

/* Called from the loop, where it must not start, cancel or free calls. It hears the end of each call whose begin came
 * after it was added, unless it is removed before. */
struct mcti_event_listener {
    struct mcti_list node;
    void (*begin)(struct mcti_event_listener *l, const struct mcti_event *e); /* may be NULL */
    void (*end)(struct mcti_event_listener *l, const struct mcti_event *e);   /* may be NULL */
    bool keeps_arguments; /* wants them at the end, too: they are copied */
    uint64_t since;
};

struct mcti_events {
    struct mcti_list listeners;
    uint64_t n;      /* calls that were given a number */
    char process[9]; /* what ids begin with */
    /* Another clock than the system's; NULL: that. */
    void (*clock)(struct mcti_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us);
};

void mcti_events_init(struct mcti_events *e);
void mcti_events_add(struct mcti_events *e, struct mcti_event_listener *l);
void mcti_event_listener_remove(struct mcti_event_listener *l); /* safe when it was never added, if its node is zero */

/* `call` is answered without a provider, from what `p` has said before: tells its begin and its end. */
void mcti_call_event_answered(struct mcti_call *call, const struct mcti_provider *p, struct mcti_str result);

#endif
