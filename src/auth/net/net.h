/*
 * One HTTP request to a place that a server or an authorization server named: size and time are limited, private
 * addresses are refused after name resolution, and redirects are followed for GET to the same origin only.
 */
#ifndef MCT_AUTH_NET_NET_H
#define MCT_AUTH_NET_NET_H

#include "base/log/log.h"
#include "io/fetch/client.h"

enum { MCT_AUTH_DOCUMENT_BYTES = 1 << 20, MCT_AUTH_REQUEST_MS = 10000 };

struct mcti_auth_net {
    struct mcti_loop *loop;
    struct mcti_http_client *http;
    const struct mcti_log *log;
    bool allow_private; /* the MCP server itself has a private address, or the configuration allows it */
};

struct mcti_auth_request;

struct mcti_auth_request_opts {
    const char *method;                 /* "GET" or "POST" */
    const char *url, *what;             /* what: "the token endpoint", for errors */
    const struct mcti_headers *headers; /* besides Accept: application/json and User-Agent; may be NULL */
    const char *type;                   /* media type of the body */
    struct mcti_str body;               /* copied; absent: none */
    unsigned timeout_ms;                /* 0: MCT_AUTH_REQUEST_MS */
};

/* An answer with any status; valid during the callback. */
struct mcti_auth_response {
    int status;
    struct mcti_str body;
    const struct mcti_fetch *fetch; /* for headers */
};

/* Called once, from the loop, unless cancelled: with the answer, or with the reason why there is none. The request is
 * freed afterwards. */
typedef void (*mcti_auth_response_fn)(void *data, const struct mcti_auth_response *r, const struct mct_error *err);

/* Checks the URL (wire/url.h) and sends the request. Returns NULL and sets *err on failure. */
struct mcti_auth_request *mcti_auth_request_start(const struct mcti_auth_net *net,
                                                  const struct mcti_auth_request_opts *opts, mcti_auth_response_fn done,
                                                  void *data, struct mct_error *err);
void mcti_auth_request_cancel(struct mcti_auth_request *r); /* NULL does nothing */

#endif
