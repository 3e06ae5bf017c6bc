/* What the time is, for records that people and programs read later. Waiting is the scheduler's (sched/sched.h). */
#ifndef MCT_BASE_CLOCK_H
#define MCT_BASE_CLOCK_H

#include "base/buf.h"

uint64_t mcti_clock_wall_ms(void);  /* since 1970, UTC */
uint64_t mcti_clock_since_us(void); /* from an unknown moment, and never back: for durations */

/* "2026-07-28T09:30:00.123Z" without quotes; what is past the year 9999 is written as its end. */
void mcti_clock_put(struct mcti_buf *to, uint64_t wall_ms);
void mcti_clock_put_s(struct mcti_buf *to, uint64_t wall_s); /* "2026-07-28T09:30:00Z" */

#endif
