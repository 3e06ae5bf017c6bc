/*
 * libcurl, loaded at run time when the first HTTP server is configured: linking it would cost every program that uses
 * stdio only about 4 MB and 6 ms at its start. Each loader has its own function table; there is no global state.
 */
#ifndef MCT_IO_HTTP_CURL_H
#define MCT_IO_HTTP_CURL_H

#include "base/error.h"

#include <curl/curl.h>

/* clang-format off */
#define MCT_CURL_FUNCTIONS(X) \
    X(global_init) X(global_cleanup) X(easy_init) X(easy_cleanup) X(easy_reset) X(easy_setopt) X(easy_getinfo) \
    X(easy_strerror) X(easy_pause) X(easy_send) X(easy_recv) X(multi_init) X(multi_cleanup) X(multi_setopt) X(multi_add_handle) \
    X(multi_remove_handle) X(share_init) X(share_setopt) X(share_cleanup) X(multi_socket_action) X(multi_info_read) X(multi_assign) X(slist_append) \
    X(slist_free_all) X(url) X(url_cleanup) X(url_set) X(url_get) X(free)
/* clang-format on */

struct mcti_curl {
    void *library;
#define MCT_CURL_MEMBER(name) __typeof__(curl_##name) *name;
    MCT_CURL_FUNCTIONS(MCT_CURL_MEMBER)
#undef MCT_CURL_MEMBER
    /* of OpenSSL, if libcurl uses it; otherwise NULL */
    int (*ssl_has_pending)(const void *ssl);
    void (*ssl_set_read_ahead)(void *ssl, int yes);
    long (*ssl_ctrl)(void *ssl, int what, long n, void *p);
};

/* Loads libcurl. Returns -1 and sets *err if it is not installed or too old. */
int mcti_curl_load(struct mcti_curl *c, struct mct_error *err);
void mcti_curl_unload(struct mcti_curl *c);

#endif
