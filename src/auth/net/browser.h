/* Starts the person's browser, without a shell. */
#ifndef MCT_AUTH_NET_BROWSER_H
#define MCT_AUTH_NET_BROWSER_H

#include "base/error.h"

/* Starts the first command of $BROWSER that can be started (separated by colons, %s stands for the URL, otherwise it is
 * the last argument), or xdg-open if there is a display (on macOS: open). Does not wait: the browser is no child of
 * this process, has neither its terminal nor its open files, and outlives it. The URL is checked as in wire/url.h.
 * Returns -1 and sets *err if no browser can be started (MCT_ERR_NOT_FOUND) or the URL is refused (MCT_ERR_PROTOCOL).
 */
int mcti_browser_open(const char *url, struct mct_error *err);

#endif
