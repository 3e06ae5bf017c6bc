/* Settings that change while an instance runs: rules and policy, tokens, hosts and origins, limits. */
#ifndef MCT_INSTANCE_SETTINGS_H
#define MCT_INSTANCE_SETTINGS_H

#include "instance/instance.h"

/* Prepares the settings of a configuration that was read again. Returns -1 with *err if they cannot be used by this
 * instance. */
int mcti_settings_prepare(const struct mcti_instance *i, struct mcti_config *fresh, struct mct_error *err);

/* Applies the settings of i->config, which has replaced `old`. Nothing borrows from `old` afterwards. Returns -1 when
 * out of memory: some of the settings may then not have effect. */
int mcti_settings_apply(struct mcti_instance *i, struct mcti_config *old);

#endif
