/* Shared by the plugin*.c files only. */
#ifndef MCT_HUB_PLUGIN_IMPL_H
#define MCT_HUB_PLUGIN_IMPL_H

#include "hub/plugin/plugin.h"

/* Fills h->plugin, or says which side is too old. */
int mcti_plugin_shake_hands(struct mct_plugin_host *h, const struct mct_plugin *given, struct mct_error *err);

/* Who it is, and whether its configuration is what it wants; then its provider has that information, too. */
int mcti_plugin_check(const struct mct_plugin_host *h, struct mct_error *err);

#endif
