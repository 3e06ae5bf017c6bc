/*
 * How removed providers are freed. Requests hold pointers to providers over turns of the loop, and counting each of
 * them would cost every call. Instead a request takes one lease, which keeps all providers that exist when it begins.
 *
 * A provider that was removed and has stopped, and whose branches are freed, is reported to the watchers (`left`):
 * objects that outlive requests drop it then. It is freed, from the loop, when the leases from before that report have
 * ended. If there were any, `left` is called once more just before: their requests may have stored it in the meantime
 * where it is compared only.
 *
 * Whatever keeps a pointer to a provider of a registry beyond the turn of the loop therefore either belongs to a lease,
 * or drops the pointer in `left` and is never given a removed provider to call.
 */
#ifndef MCT_HUB_CORE_LEASE_H
#define MCT_HUB_CORE_LEASE_H

#include "hub/core/registry.h"

/* Embedded in a request; zeroed: not taken. */
struct mcti_lease {
    struct mcti_list node;
    struct mcti_registry *registry; /* NULL: not taken, or the registry is gone */
    uint64_t number;
};

void mcti_lease_begin(struct mcti_lease *l, struct mcti_registry *r);

/* Ends the lease. Call it last: the members of the request must not name providers any more. Does nothing if the lease
 * is not taken. */
void mcti_lease_end(struct mcti_lease *l);

#endif
