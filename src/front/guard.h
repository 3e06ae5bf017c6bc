/*
 * Access rules of the HTTP front: Host and Origin rules against DNS rebinding (2025-11-25 "Streamable HTTP", "Security
 * Warning"), and bearer tokens. Pure functions.
 */
#ifndef MCT_FRONT_GUARD_H
#define MCT_FRONT_GUARD_H

#include "hub/view/prefs.h"

struct mcti_guard {
    bool loopback;              /* bound to a loopback address */
    struct mcti_str bound_host; /* the host part of the listening address */
    const char *const *hosts;   /* serve.hosts: further names of this gateway */
    size_t n_hosts;
    const char *const *origins; /* serve.origins: allowed web origins */
    size_t n_origins;
    const struct mcti_credential *tokens; /* serve.tokens; none: no token is required. Nobody has one without a text */
    size_t n_tokens;
};

/* Returns true if "host", "host:port" or "[v6]:port" is localhost or a loopback address. */
bool mcti_is_loopback_host(struct mcti_str host);

/* Returns the host of "host" or "host:port" if it is a domain name of this gateway; "localhost" for addresses. */
struct mcti_str mcti_guard_domain(struct mcti_str host);

/* Returns true if the value of the Host header is allowed. */
bool mcti_guard_host(const struct mcti_guard *g, struct mcti_str host);

/* Returns true if the value of the Origin header is allowed. An absent one is: only browsers send it. */
bool mcti_guard_origin(const struct mcti_guard *g, struct mcti_str origin, struct mcti_str host);

/* Returns true if web pages of this origin may read answers: it is listed in serve.origins, at index *ret_at. */
bool mcti_guard_cors(const struct mcti_guard *g, struct mcti_str origin, size_t *ret_at);

/* Returns the number of the principal: n for the n-th token, 0 if no tokens are configured, -1 if the token is missing
 * or unknown. `authorization` is the header's value. Tokens are compared in constant time. */
int mcti_guard_principal(const struct mcti_guard *g, struct mcti_str authorization);

#endif
