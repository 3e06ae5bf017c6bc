#include "base/clock.h"

#include <time.h>

#define LAST_MS 253402300799999u

uint64_t mct_clock_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t mct_clock_since_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void mct_clock_put(struct mct_buf *to, uint64_t wall_ms)
{
    struct tm tm;
    char text[32];
    uint64_t ms = wall_ms < LAST_MS ? wall_ms : LAST_MS;
    time_t seconds = (time_t)(ms / 1000);
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    mct_buf_printf(to, "%s.%03uZ", text, (unsigned)(ms % 1000));
}
