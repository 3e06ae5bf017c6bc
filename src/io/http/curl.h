/*
 * libcurl, loaded when the first HTTP server is met: linking it would cost every start of a program
 * that speaks stdio only about 4 MB and 6 ms. Each loader has a table of its own; there is no global.
 */
#ifndef MCT_IO_HTTP_CURL_H
#define MCT_IO_HTTP_CURL_H

#include "base/error.h"

#include <curl/curl.h>

/* clang-format off */
#define MCT_CURL_FUNCTIONS(X) \
    X(global_init) X(global_cleanup) X(easy_init) X(easy_cleanup) X(easy_reset) X(easy_setopt) X(easy_getinfo) \
    X(easy_strerror) X(easy_pause) X(multi_init) X(multi_cleanup) X(multi_setopt) X(multi_add_handle) \
    X(multi_remove_handle) X(multi_socket_action) X(multi_info_read) X(multi_assign) X(slist_append) \
    X(slist_free_all) X(url) X(url_cleanup) X(url_set) X(url_get) X(free)
/* clang-format on */

struct mcti_curl {
    void *library;
#define MCT_CURL_MEMBER(name) __typeof__(curl_##name) *name;
    MCT_CURL_FUNCTIONS(MCT_CURL_MEMBER)
#undef MCT_CURL_MEMBER
};

/* -1 with *err when the machine has no libcurl that will do. */
int mcti_curl_load(struct mcti_curl *c, struct mct_error *err);
void mcti_curl_unload(struct mcti_curl *c);

#endif
