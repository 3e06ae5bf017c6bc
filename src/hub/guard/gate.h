/*
 * The gate of one MCP server, and of all connections to it: how many calls run there at a time, and in which order the
 * others follow. The server's provider embeds it. Its entrance is the only way of calls to the server.
 */
#ifndef MCT_HUB_GUARD_GATE_H
#define MCT_HUB_GUARD_GATE_H

#include "hub/core/entrance.h"
#include "hub/core/provider.h"
#include "hub/guard/fair.h"

/* Settings; may change while calls run. */
struct mcti_gate_opts {
    unsigned max_calls;   /* calls that run at the server at a time; 0: MCT_LIMIT_SERVER_CALLS */
    unsigned max_waiting; /* calls that wait for that; 0: MCT_LIMIT_SERVER_QUEUE */
};

struct mcti_gate {
    struct mcti_entrance base;
    struct mcti_provider *provider;
    struct mcti_gate_opts opts;
    const unsigned *call_timeout_ms; /* of calls without a time limit of their own */
    size_t n_running;                /* counted calls */
    struct mcti_fair waiting;        /* struct mcti_turn */
    struct mcti_task next;           /* lets waiting calls go on */
    uint64_t n_waited, n_refused;    /* calls that have waited, and that found the queue full */
};

void mcti_gate_init(struct mcti_gate *g, struct mcti_provider *p, const unsigned *call_timeout_ms,
                    const struct mcti_gate_opts *opts);
void mcti_gate_done(struct mcti_gate *g); /* no call is counted or waits any more */

/* Sets other limits. */
void mcti_gate_set(struct mcti_gate *g, const struct mcti_gate_opts *opts);

/* Returns the guard of the server that `p` is a connection to; NULL: it has none. */
const struct mcti_gate *mcti_gate_of(const struct mcti_provider *p);

/* Ends all waiting calls because of `why`. */
void mcti_gate_fail_all(struct mcti_gate *g, const struct mct_error *why);

#endif
