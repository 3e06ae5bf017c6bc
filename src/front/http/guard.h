/*
 * Who may talk to the endpoint at all: Host and Origin rules against DNS rebinding (2025-11-25
 * "Security Warning" of Streamable HTTP: 403), and bearer tokens. Pure functions.
 */
#ifndef MCT_FRONT_HTTP_GUARD_H
#define MCT_FRONT_HTTP_GUARD_H

#include "hub/view/prefs.h"

struct mcti_guard {
    bool loopback;              /* bound to a loopback address */
    struct mcti_str bound_host; /* the host part of the listening address */
    const char *const *hosts;   /* serve.hosts: further names this gateway is known by */
    size_t n_hosts;
    const char *const *origins; /* serve.origins: web origins that may call */
    size_t n_origins;
    const struct mcti_credential *tokens; /* serve.tokens; none: no token is asked for */
    size_t n_tokens;
};

/* Whether "host", "host:port" or "[v6]:port" is an address of this machine alone. */
bool mcti_is_loopback_host(struct mcti_str host);

bool mcti_guard_host(const struct mcti_guard *g, struct mcti_str host);

/* An absent origin is fine: it is no browser. */
bool mcti_guard_origin(const struct mcti_guard *g, struct mcti_str origin, struct mcti_str host);

/* Whether pages of that origin may read the answers: it is one of serve.origins. Its place in *ret_at. */
bool mcti_guard_cors(const struct mcti_guard *g, struct mcti_str origin, size_t *ret_at);

/* Whose request it is: n for the n-th token, 0 where no tokens are configured, -1 for nobody's.
 * `authorization` is the header's value. Compared in constant time. */
int mcti_guard_principal(const struct mcti_guard *g, struct mcti_str authorization);

#endif
