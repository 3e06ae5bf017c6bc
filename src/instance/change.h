/* Changes of the set of servers of a running instance. */
#ifndef MCT_INSTANCE_CHANGE_H
#define MCT_INSTANCE_CHANGE_H

#include "instance/instance.h"

/* Adds the servers of `from` that the instance does not have, and moves their entries into its configuration. Before
 * mcti_instance_connect() nothing else happens; afterwards the servers are created, and with `start` also started.
 * Other settings of `from` are ignored. Returns -1 with *err if an entry has plugins (then nothing is added), if the
 * system refuses a process, or when out of memory. */
int mcti_instance_add_servers(struct mcti_instance *i, struct mcti_config *from, bool start, struct mct_error *err);

/* Removes a started server, see mcti_registry_retire(). Returns -1 with *err if it has plugins, or when out of
 * memory. */
int mcti_instance_remove_server(struct mcti_instance *i, struct mcti_provider *p, struct mct_error *err);

/* Returns true if the server has plugins, which stay until the end. */
bool mcti_change_has_plugins(const struct mcti_config_server *s);

/* Updates whether a bare name means a tool of the only server. */
void mcti_change_update_only_one(struct mcti_registry *r);

#endif
