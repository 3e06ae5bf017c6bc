/* Makes the options of hub/policy/outside.h from the configuration. */
#ifndef MCT_CONFIG_CONNECT_OUTSIDE_H
#define MCT_CONFIG_CONNECT_OUTSIDE_H

#include "config/config.h"
#include "hub/policy/outside.h"

/* Sets the options of *o, which then borrows from the configuration. To be called when the rules have been made,
 * and again after each reload. Returns -1 when out of memory: results count as before. */
int mcti_config_renew_outside(const struct mcti_config *c, struct mcti_outside *o);

#endif
