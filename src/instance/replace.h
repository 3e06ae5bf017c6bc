/* Replaces servers of a running instance: a new one starts beside the old one and takes its place when it is ready. */
#ifndef MCT_INSTANCE_REPLACE_H
#define MCT_INSTANCE_REPLACE_H

#include "instance/instance.h"

struct mcti_replacements {
    struct mcti_instance *instance;
    struct mcti_list list; /* struct replacement of replace.c */
};

void mcti_replacements_init(struct mcti_replacements *all, struct mcti_instance *i);

/* Starts the server of the entry, which becomes the successor of `old`. If `old` is not connected it takes its place at
 * once, otherwise when it is connected, has failed, or takes longer than half a minute. Returns -1 when out of memory.
 */
int mcti_replacements_begin(struct mcti_replacements *all, const struct mcti_config_server *s,
                            struct mcti_provider *old);

/* Ends the successor of the server with this name, if there is one; NULL: all of them. */
void mcti_replacements_drop(struct mcti_replacements *all, const char *name);

/* Returns how long running calls of a server may take that was removed or replaced. */
unsigned mcti_replacements_drain_ms(const struct mcti_instance *i);

#endif
