/* Which proxy a request goes through. */
#ifndef MCT_IO_HTTP_PROXY_H
#define MCT_IO_HTTP_PROXY_H

#include "io/fetch/curl.h"

#include <stdbool.h>

/* Returns the proxy that the environment names for `url` (HTTPS_PROXY, ALL_PROXY, NO_PROXY, read as libcurl reads
 * them), or NULL if the connection is direct. */
const char *mcti_proxy_for(const struct mcti_curl *curl, const char *url);

#endif
