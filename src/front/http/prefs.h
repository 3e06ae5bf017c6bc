/*
 * Preferences of a client in the query of the endpoint's URL: dialect=NAME[,NAME]…, mode=full|router|search,
 * read_only=1. Pure functions.
 */
#ifndef MCT_FRONT_HTTP_PREFS_H
#define MCT_FRONT_HTTP_PREFS_H

#include "base/error.h"
#include "hub/view/prefs.h"

/*
 * Adds the preferences of a URL to *prefs; settings of the operator that it already holds take precedence. `query` is
 * the encoded query without the '?'; may be absent. `now_s` is the wall clock time. Ignores unknown parameters. If a
 * parameter is invalid or duplicate, returns -1, sets *err and leaves *prefs as it is.
 */
int mcti_http_prefs_read(struct mcti_str query, int64_t now_s, struct mcti_client_prefs *prefs, struct mct_error *err);

#endif
