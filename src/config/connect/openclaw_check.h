/* The folders of OpenClaw plugins: whether they hold plugins, and whether these accept their configuration. */
#ifndef MCT_CONFIG_CONNECT_OPENCLAW_CHECK_H
#define MCT_CONFIG_CONNECT_OPENCLAW_CHECK_H

#include "config/config.h"

/* Checks the plugin in folder `i` of the entry with its part of `config` (valid JSON with expanded variables; absent:
 * not checked). *ret_id receives its id, owned by the caller, or NULL if it cannot be told. On failure returns -1 and
 * sets *err, which names the key. */
int mcti_openclaw_check(const struct mcti_config_server *s, size_t i, struct mcti_str config, char **ret_id,
                        struct mct_error *err);

/* Adds a problem for each plugin that will not be loaded. Reads their folders. */
void mcti_openclaw_check_all(struct mcti_config *c);

#endif
