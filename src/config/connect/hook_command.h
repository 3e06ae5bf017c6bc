/* Hooks that are programs: each event is one run of the program, see docs/HOOKS.md. */
#ifndef MCT_CONFIG_CONNECT_HOOK_COMMAND_H
#define MCT_CONFIG_CONNECT_HOOK_COMMAND_H

#include "config/connect/connect.h"
#include "hub/hooks/hooks.h"

/* Adds the hooks of the configuration to `to`; `env` must outlive them. On failure returns -1 and sets *err, which
 * names the hook; then no call may be made, because a hook is missing. */
int mcti_config_open_hooks(const struct mcti_config *c, const struct mcti_connect_env *env, struct mcti_hooks *to,
                           struct mct_error *err);

#endif
