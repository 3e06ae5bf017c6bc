/* Starts the person's browser, without a shell. */
#ifndef MCT_AUTH_NET_BROWSER_H
#define MCT_AUTH_NET_BROWSER_H

#include "base/error.h"

/* Starts $BROWSER, or xdg-open if there is a display (on macOS: open), with the URL as its argument, detached from the
 * * terminal, and does not wait. The URL is checked as in wire/url.h. Returns -1 and sets *err if no browser can be
 * started * (MCT_ERR_NOT_FOUND) or the URL is refused (MCT_ERR_PROTOCOL). */
int mcti_browser_open(const char *url, struct mct_error *err);

#endif
