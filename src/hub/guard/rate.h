/*
 * Rates: how many requests somebody may make in a time (the generic cell rate algorithm: one number, no timers). Knows
 * time and numbers only.
 */
#ifndef MCT_HUB_GUARD_RATE_H
#define MCT_HUB_GUARD_RATE_H

#include "base/error.h"

#include <stdint.h>

struct mcti_rate_rule {
    unsigned per_minute; /* 0: no limit */
    unsigned burst;      /* requests at once after a pause; 0: those of ten seconds, but at least one */
};

struct mcti_rate {
    uint64_t next_us; /* time at which nothing of the burst would be used up */
    uint64_t n_refused;
};

/* Takes one of `factor` requests that count as one. Returns 0, or the milliseconds until there is room for it. */
unsigned mcti_rate_take(struct mcti_rate *r, const struct mcti_rate_rule *rule, unsigned factor, uint64_t now_ms);

/* The rates of a client, or of all clients: calls, and the cheaper requests for lists and the like. */
struct mcti_rates {
    struct mcti_rate_rule rule;
    struct mcti_rate calls, others;
};

/* Counts a request. Returns 0; -1 with *err, which names `whose` rate it is, if it came too early. */
int mcti_rates_pay(struct mcti_rates *r, bool is_call, uint64_t now_ms, const char *whose, struct mct_error *err);

#endif
