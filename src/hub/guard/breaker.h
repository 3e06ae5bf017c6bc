/*
 * A circuit breaker: after too many failures of a server, calls are refused at once, until single attempts show that
 * the server is well again. Knows failures and time, nothing of calls and servers.
 */
#ifndef MCT_HUB_GUARD_BREAKER_H
#define MCT_HUB_GUARD_BREAKER_H

#include "base/error.h"

#include <stdint.h>

struct mcti_breaker_opts {
    unsigned failures; /* in a row open it, and twice as many if they are half of the calls; 0: nothing does */
    unsigned pause_ms; /* the first pause; half of each is random */
};

/* Calls of half a window of time. */
struct mcti_breaker_part {
    uint64_t since_ms;
    unsigned n, failed;
};

struct mcti_breaker {
    bool is_open;
    struct mcti_breaker_part parts[2]; /* the present one, and the one before */
    unsigned in_row;                   /* failures since the last success */
    unsigned told_n, told_failed;      /* as it was opened: of so many calls, so many failed */
    unsigned pause_ms;                 /* the latest pause */
    uint64_t failed_ms;                /* time of the latest failure */
    uint64_t until_ms;                 /* end of the pause */
    uint64_t closed_ms;                /* time at which it was closed */
    const void *probe;                 /* the call that shows whether the server is well; only compared. NULL: none */
    uint64_t probe_ms;                 /* time at which that began */
    char last[160];                    /* message of the latest failure */
    uint64_t n_opened, n_refused;
};

/* What a note has changed. */
enum mcti_breaker_turn { MCT_BREAKER_SAME, MCT_BREAKER_OPENED, MCT_BREAKER_CLOSED };

/* Decides about `call` while the breaker is open: returns 0 if it may pass as the probe, else -1 with *err. */
int mcti_breaker_try(struct mcti_breaker *b, const void *call, uint64_t now_ms, struct mct_error *err);

/* Notes that the server has answered something. */
enum mcti_breaker_turn mcti_breaker_answered(struct mcti_breaker *b, uint64_t now_ms);

/* Notes a failure of the server with `call` (NULL: with something else); `weight` counts it several times. Failures at
 * the same time are one: they have one cause. */
enum mcti_breaker_turn mcti_breaker_failed(struct mcti_breaker *b, const struct mcti_breaker_opts *opts,
                                           const void *call, unsigned weight, const char *why, uint64_t now_ms);

/* Notes that `call` ended without saying anything about the server. `timed_out`: that will be known soon. */
void mcti_breaker_ended(struct mcti_breaker *b, const void *call, bool timed_out, uint64_t now_ms);

/* Forgets everything but the counters. */
void mcti_breaker_reset(struct mcti_breaker *b);

/* Returns the state in a word, "closed", "open" or "half-open". */
const char *mcti_breaker_word(const struct mcti_breaker *b, uint64_t now_ms);

#endif
