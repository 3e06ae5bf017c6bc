/* A histogram of durations with fixed buckets: adding is a few instructions, and nothing is allocated. */
#ifndef MCT_GATEWAY_ACTIVITY_LATENCY_H
#define MCT_GATEWAY_ACTIVITY_LATENCY_H

#include <stdint.h>

/* Eight buckets for each power of two, up to 19 hours. */
enum { MCT_LATENCY_BUCKETS = 272, MCT_LATENCY_SECONDS = 14 };

struct mcti_latency {
    uint64_t n, us, longest_us;            /* number and sum of the durations, and the longest */
    uint64_t fine[MCT_LATENCY_BUCKETS];    /* for percentiles */
    uint64_t seconds[MCT_LATENCY_SECONDS]; /* for /metrics, see mcti_latency_bounds; not cumulative */
};

/* The upper bounds of `seconds`. */
struct mcti_latency_bound {
    uint64_t us;
    const char *le; /* the same in seconds, as text */
};
extern const struct mcti_latency_bound mcti_latency_bounds[MCT_LATENCY_SECONDS];

void mcti_latency_add(struct mcti_latency *l, uint64_t us);

/* Returns a duration in µs that `percent` of all durations do not exceed, at most 13 % above the shortest such one; 0
 * without any. */
uint64_t mcti_latency_percentile(const struct mcti_latency *l, unsigned percent);

#endif
