/* Hooks that are programs: each event is one run of the program, see docs/HOOKS.md. */
#ifndef MCT_CONFIG_CONNECT_HOOK_COMMAND_H
#define MCT_CONFIG_CONNECT_HOOK_COMMAND_H

#include "config/connect/connect.h"
#include "hub/hooks/hooks.h"

/* Adds the hooks of the configuration. `env` outlives them. -1 with *err, which names the place: without one of its
 * hooks no call must be made. */
int mcti_config_open_hooks(const struct mcti_config *c, const struct mcti_connect_env *env, struct mcti_hooks *to,
                           struct mct_error *err);

#endif
