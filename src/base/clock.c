#include "base/clock.h"

#include <time.h>

#define LAST_MS 253402300799999u

static uint64_t clock_us(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t mcti_clock_wall_ms(void)
{
    return clock_us(CLOCK_REALTIME) / 1000;
}

uint64_t mcti_clock_wall_us(void)
{
    return clock_us(CLOCK_REALTIME);
}

uint64_t mcti_clock_since_us(void)
{
    return clock_us(CLOCK_MONOTONIC);
}

static void put_seconds(struct mcti_buf *to, uint64_t s)
{
    struct tm tm;
    char text[32];
    time_t seconds = (time_t)s;
    gmtime_r(&seconds, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    mcti_buf_addz(to, text);
}

void mcti_clock_put(struct mcti_buf *to, uint64_t wall_ms)
{
    uint64_t ms = wall_ms < LAST_MS ? wall_ms : LAST_MS;
    put_seconds(to, ms / 1000);
    mcti_buf_printf(to, ".%03uZ", (unsigned)(ms % 1000));
}

void mcti_clock_put_s(struct mcti_buf *to, uint64_t wall_s)
{
    put_seconds(to, wall_s < LAST_MS / 1000 ? wall_s : LAST_MS / 1000);
    mcti_buf_addc(to, 'Z');
}
