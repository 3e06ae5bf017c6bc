/* Two transports joined in memory, for tests and for servers inside this process. */
#ifndef MCT_IO_TRANSPORT_PAIR_H
#define MCT_IO_TRANSPORT_PAIR_H

#include "base/sched/sched.h"
#include "io/transport.h"

/* Creates both ends. Frames arrive in a later run of `sched`, in order. Closing or freeing one end closes the other one
 * once it has received all frames. Returns -1 if memory is exhausted. */
int mcti_transport_pair_new(struct mcti_sched *sched, struct mcti_transport *ret_ends[2]);

#endif
