/*
 * The ways to obtain tokens. Each is one file and one row of mcti_grants: authorization_code, device_code,
 * client_credentials, enterprise (ID-JAG), workload_identity. A refresh (refresh.c) needs no discovery and is apart.
 */
#ifndef MCT_AUTH_GRANT_GRANT_H
#define MCT_AUTH_GRANT_GRANT_H

#include "auth/grant/token.h"

#define MCT_GRANT_TYPE_DEVICE "urn:ietf:params:oauth:grant-type:device_code" /* RFC 8628 section 3.4 */

struct mcti_grant;

struct mcti_grant_opts {
    const struct mcti_auth_env *env;
    const struct mcti_issuer_metadata *as;
    const struct mcti_oauth_client *client; /* NULL for a grant without one */
    const char *resource;                   /* NULL: not sent */
    const char *scope;                      /* NULL or "": not sent */
    bool consent;                           /* the person must be asked again: prompt=consent */
    const char *redirect_uri;               /* authorization_code only */
    const struct mcti_key *dpop;
    struct mcti_nonces *nonces;
    /* Called once, from the loop, unless cancelled. The grant is freed afterwards. */
    void (*done)(void *data, const struct mcti_token_outcome *o);
    void *data;
};

struct mcti_grant_ops {
    const char *word;      /* value of the setting "grant", also stored with the login */
    const char *extension; /* identifier that the client announces in its capabilities; NULL: none */
    bool person;           /* a person authorizes */
    bool registers;        /* a client id is obtained by a document or registration if none is configured */
    bool needs_client;
    struct mcti_grant *(*start)(const struct mcti_grant_opts *opts, struct mct_error *err);
    /* Takes the query with which the browser returned. Returns 1: it belongs to this grant, which goes on; 0: it does
     * not, and is ignored; -1: it does, and the authorization has been refused (done() follows). NULL: no grant of that
     * kind. */
    int (*answer)(struct mcti_grant *g, struct mcti_str query);
    void (*cancel)(struct mcti_grant *g);
};

struct mcti_grant {
    const struct mcti_grant_ops *ops;
};

/* Ends with NULL. */
extern const struct mcti_grant_ops *const mcti_grants[];
const struct mcti_grant_ops *mcti_grant_find(const char *word); /* NULL word: authorization_code */

extern const struct mcti_grant_ops mcti_grant_code, mcti_grant_device, mcti_grant_client_credentials,
    mcti_grant_enterprise, mcti_grant_workload;

/* Exchanges a refresh token (RFC 6749 section 6). done() as for a token request. */
struct mcti_token_request *mcti_refresh_start(const struct mcti_token_request_opts *opts, const char *refresh_token,
                                              const char *resource, struct mct_error *err);

#endif
