#include "gateway/activity/latency.h"

const struct mcti_latency_bound mcti_latency_bounds[MCT_LATENCY_SECONDS] = {
    { 5000, "0.005" },  { 10000, "0.01" },  { 25000, "0.025" }, { 50000, "0.05" },      { 100000, "0.1" },
    { 250000, "0.25" }, { 500000, "0.5" },  { 1000000, "1" },   { 2500000, "2.5" },     { 5000000, "5" },
    { 10000000, "10" }, { 30000000, "30" }, { 60000000, "60" }, { UINT64_MAX, "+Inf" },
};

/* Returns the bucket of a duration: the position of its highest bit, and the three bits below it. */
static unsigned latency_bucket(uint64_t us)
{
    if (us < 8)
        return (unsigned)us;
    unsigned top = 63 - (unsigned)__builtin_clzll(us);
    unsigned at = 8 * (top - 2) + (unsigned)((us >> (top - 3)) & 7);
    return at < MCT_LATENCY_BUCKETS ? at : MCT_LATENCY_BUCKETS - 1;
}

/* Returns the longest duration of a bucket. */
static uint64_t latency_upper(unsigned bucket)
{
    if (bucket < 8)
        return bucket;
    if (bucket == MCT_LATENCY_BUCKETS - 1)
        return UINT64_MAX;
    unsigned top = bucket / 8 + 2;
    return (((uint64_t)bucket % 8 + 9) << (top - 3)) - 1;
}

void mcti_latency_add(struct mcti_latency *l, uint64_t us)
{
    unsigned i = 0;
    while (us > mcti_latency_bounds[i].us)
        i++;
    l->seconds[i]++;
    l->fine[latency_bucket(us)]++;
    l->n++;
    l->us += us;
    if (us > l->longest_us)
        l->longest_us = us;
}

uint64_t mcti_latency_percentile(const struct mcti_latency *l, unsigned percent)
{
    uint64_t rank = (l->n * percent + 99) / 100, seen = 0;
    unsigned i = 0;
    if (!l->n)
        return 0;
    for (; i < MCT_LATENCY_BUCKETS - 1; i++) {
        seen += l->fine[i];
        if (seen >= rank && seen)
            break;
    }
    uint64_t upper = latency_upper(i);
    return upper < l->longest_us ? upper : l->longest_us;
}
