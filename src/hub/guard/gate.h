/*
 * The gate of one MCP server, and of all connections to it: how many calls run there at a time, in which order the
 * others follow, and whether the server is well enough for calls. The provider of the server embeds it. Its entrance is
 * the only way of calls to the server.
 */
#ifndef MCT_HUB_GUARD_GATE_H
#define MCT_HUB_GUARD_GATE_H

#include "hub/core/entrance.h"
#include "hub/core/provider.h"
#include "hub/guard/breaker.h"
#include "hub/guard/fair.h"
#include "hub/guard/rate.h"

/* Settings; may change while calls run. */
struct mcti_gate_opts {
    unsigned max_calls;   /* calls that run at the server at a time; 0: MCT_LIMIT_SERVER_CALLS */
    unsigned max_waiting; /* calls that wait for that; 0: MCT_LIMIT_SERVER_QUEUE */
    struct mcti_breaker_opts breaker;
    struct mcti_rate_rule rate; /* of calls to the server */
};

struct mcti_gate {
    struct mcti_entrance base;
    struct mcti_provider *provider;
    struct mcti_gate_opts opts;
    const unsigned *call_timeout_ms; /* of calls without a time limit of their own */
    size_t n_running;                /* counted calls */
    struct mcti_fair waiting;        /* struct mcti_turn */
    struct mcti_task next;           /* lets waiting calls go on */
    struct mcti_breaker breaker;
    struct mcti_rate rate;
    unsigned saved;         /* tenths of a retry that calls have earned */
    struct mcti_rate spare; /* retries that need not be earned */
    uint64_t n_retries, n_not_retried;
    uint64_t held_until_ms;       /* the server wants no calls before; 0: it wants them */
    unsigned careful;             /* calls that run at a time after the server was overloaded; grows. 0: no limit */
    struct mcti_timer opens;      /* the end of a pause */
    uint64_t n_waited, n_refused; /* calls that have waited, and that found the queue full */
};

void mcti_gate_init(struct mcti_gate *g, struct mcti_provider *p, const unsigned *call_timeout_ms,
                    const struct mcti_gate_opts *opts);
void mcti_gate_done(struct mcti_gate *g); /* no call is counted or waits any more */

/* Sets other limits. */
void mcti_gate_set(struct mcti_gate *g, const struct mcti_gate_opts *opts);

/* Returns the gate of the server that `p` is a connection to; NULL: it has none. */
struct mcti_gate *mcti_gate_of(const struct mcti_provider *p);

/* Reports whether a server that let a call time out has answered a ping; err NULL: it has. */
void mcti_gate_pinged(struct mcti_gate *g, const struct mct_error *err);

/* Takes one retry of a call from the budget: a tenth of the calls, and a few each minute. Returns false if none is
 * left: retries must not multiply a failure. */
bool mcti_gate_may_retry(struct mcti_gate *g);

/* Holds calls back for a time, because the server wants none (HTTP 429 or 503 with Retry-After). */
void mcti_gate_hold(struct mcti_gate *g, unsigned ms);

/* Ends all waiting calls because of `why`. */
void mcti_gate_fail_all(struct mcti_gate *g, const struct mct_error *why);

#endif
