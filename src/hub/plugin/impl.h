/* Checks of a plugin. Shared by the files of this folder only. */
#ifndef MCT_HUB_PLUGIN_IMPL_H
#define MCT_HUB_PLUGIN_IMPL_H

#include "hub/plugin/plugin.h"

/* Checks the ABI of the plugin and fills h->plugin. On failure returns -1 and sets *err. */
int mcti_plugin_check_abi(struct mct_plugin_host *h, const struct mct_plugin *given, struct mct_error *err);

/* Checks the plugin's description and its configuration, and sets the provider's information. On failure returns -1 and
 * sets *err. */
int mcti_plugin_check(const struct mct_plugin_host *h, struct mct_error *err);

/* Returns -1 if another user owns the file or every user may write to it. */
int mcti_plugin_check_owner(const char *path, struct mct_error *err);

#endif
