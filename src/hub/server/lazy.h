/* Servers that are started by their first use, and stopped when nobody uses them. */
#ifndef MCT_HUB_SERVER_LAZY_H
#define MCT_HUB_SERVER_LAZY_H

#include "hub/server/impl.h"

void mcti_server_lazy_init(struct mcti_server *m);

/* Shows what is stored of the server. */
void mcti_server_show_stored(struct mcti_server *m, struct mcti_stored *take_stored);

/* Forgets what is stored of a server that could not be started. A lazy one keeps it, because the next use starts it
 * again; and so does one that was up before. */
void mcti_server_drop_stored(struct mcti_server *m);

/* Returns true if the server sleeps until it is used, instead of being started with the others. */
static inline bool mcti_server_sleeps(const struct mcti_server *m)
{
    return m->opts.lazy && m->base.standby == MCT_STANDBY_ASLEEP;
}

/* Returns true if calls wait until the server is up, and start it if need be. */
static inline bool mcti_server_may_wake(const struct mcti_server *m)
{
    return !m->up && !m->stopping && !m->base.retired && (m->base.standby || m->opts.lazy);
}

/* Starts the server unless it is being started. */
void mcti_server_wake(struct mcti_server *m);

void mcti_server_idle_begin(struct mcti_server *m); /* it is up */
void mcti_server_idle_end(struct mcti_server *m);

#endif
