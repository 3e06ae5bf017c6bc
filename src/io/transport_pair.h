/* Two transports joined in memory, for tests and for servers that live in this process. */
#ifndef MCT_IO_TRANSPORT_PAIR_H
#define MCT_IO_TRANSPORT_PAIR_H

#include "base/sched/sched.h"
#include "io/transport.h"

/* Frames arrive in a later run of `sched`, in order. Closing or freeing one end closes the other once
 * what was sent has arrived. Returns -1 when out of memory. */
int mcti_transport_pair_new(struct mcti_sched *sched, struct mcti_transport *ret_ends[2]);

#endif
