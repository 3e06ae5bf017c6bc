/* URLs, as libcurl reads them. */
#ifndef MCT_IO_HTTP_URL_H
#define MCT_IO_HTTP_URL_H

#include "io/http/curl.h"

#include <stdbool.h>

/* Whether it leads to this machine: a proxy could not reach our loopback, whatever the environment says. */
bool mcti_url_is_loopback(const struct mcti_curl *curl, const char *url);

/* As mcti_http_resolve() in io/http/client.h. */
char *mcti_url_resolve(const struct mcti_curl *curl, const char *base, const char *reference, struct mct_error *err);

#endif
