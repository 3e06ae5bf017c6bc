/* Wall-clock time and durations for records. Timers belong to the scheduler (sched/sched.h). */
#ifndef MCT_BASE_CLOCK_H
#define MCT_BASE_CLOCK_H

#include "base/buf.h"

uint64_t mcti_clock_wall_ms(void);  /* since 1970, UTC */
uint64_t mcti_clock_wall_us(void);  /* the same in microseconds */
uint64_t mcti_clock_since_us(void); /* monotonic, from an arbitrary start: for durations */

/* Writes "2026-07-28T09:30:00.123Z", without quotes; times after the year 9999 are written as the end of 9999. */
void mcti_clock_put(struct mcti_buf *to, uint64_t wall_ms);
void mcti_clock_put_s(struct mcti_buf *to, uint64_t wall_s); /* "2026-07-28T09:30:00Z" */

#endif
