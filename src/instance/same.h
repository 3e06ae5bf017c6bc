/* Compares configurations by their meaning, and tells which settings cannot change while the program runs. */
#ifndef MCT_INSTANCE_SAME_H
#define MCT_INSTANCE_SAME_H

#include "config/config.h"

/* Returns true if two entries describe the same server. The order of keys and of pairs, comments, other names of keys
 * and the place in the file do not matter. */
bool mcti_same_server(const struct mcti_config_server *a, const struct mcti_config_server *b);

/* Exchanges the settings of "mcptools" that can only be set at the start, so that `fresh` has those of `old`, whose
 * texts are in use. Calls `kept` with the key of each that differs, such as "serve.http". */
void mcti_same_keep(struct mcti_config *fresh, struct mcti_config *old, void (*kept)(void *data, const char *key),
                    void *data);

/* Exchanges the entries of a server, which both configurations have. */
void mcti_same_exchange(struct mcti_config *a, struct mcti_config *b, const char *name);

/* Returns true if both configurations have the same tokens: the number `a` in `x` and `b` in `y`, with the same name,
 * preferences and lists. */
bool mcti_same_token(const struct mcti_config *x, size_t a, const struct mcti_config *y, size_t b);

#endif
