/* URL functions, with libcurl as the parser. */
#ifndef MCT_IO_HTTP_URL_H
#define MCT_IO_HTTP_URL_H

#include "io/fetch/curl.h"

#include <stdbool.h>

/* Returns the host of `url` as libcurl reads it, an IPv6 address in brackets, for curl->free(); NULL: not a URL. */
char *mcti_url_host(const struct mcti_curl *curl, const char *url);

/* Returns true if `url` names this machine. A proxy could not reach our loopback, whatever the environment sets. */
bool mcti_url_is_loopback(const struct mcti_curl *curl, const char *url);

/* Implements mcti_http_resolve() of io/fetch/client.h. */
char *mcti_url_resolve(const struct mcti_curl *curl, const char *base, const char *reference, struct mct_error *err);

#endif
