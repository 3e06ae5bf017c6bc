/*
 * What a client says of itself in the query of the endpoint's URL: dialect=NAME[,NAME]…, mode=router|full, read_only=1.
 * Pure functions.
 */
#ifndef MCT_FRONT_HTTP_PREFS_H
#define MCT_FRONT_HTTP_PREFS_H

#include "base/error.h"
#include "hub/view/prefs.h"

/*
 * Adds the client's wishes to *prefs, which holds what the operator has set for it: that stays as it is. `query` is as
 * it was sent, without the '?'; absent: there is none. `now_s` (wall clock) is when a wish begins. Parameters of other
 * names are ignored. -1 with *err naming the parameter that is not understood or there twice; then *prefs is untouched.
 */
int mcti_http_prefs_read(struct mcti_str query, int64_t now_s, struct mcti_client_prefs *prefs, struct mct_error *err);

#endif
