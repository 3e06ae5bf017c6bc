/* What a browser shows when it returns from an authorization server. */
#ifndef MCT_AUTH_NET_PAGE_H
#define MCT_AUTH_NET_PAGE_H

#include "auth/net/redirect.h"
#include "base/buf.h"

/* Appends the HTML of the page, which names the MCP server and has nothing of the request. Returns its HTTP status. */
int mcti_page_put(struct mcti_buf *to, enum mcti_redirect_page page, const char *server);

/* Appends the header lines of each answer of the listener, each ending in \r\n: nothing is loaded, stored or told to
 * other sites. */
void mcti_page_put_headers(struct mcti_buf *to);

#endif
