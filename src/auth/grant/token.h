/* Requests to the endpoints of an authorization server: client authentication (RFC 6749 section 2.3, RFC 7523), DPoP
 * proofs with nonces, and the meaning of answers. Used by all grants. */
#ifndef MCT_AUTH_GRANT_TOKEN_H
#define MCT_AUTH_GRANT_TOKEN_H

#include "auth/auth.h"
#include "auth/jose/key.h"
#include "auth/store/record.h"
#include "auth/wire/answer.h"
#include "auth/wire/metadata.h"
#include "auth/wire/nonce.h"

/* A form has up to a token of MCT_AUTH_DOCUMENT_BYTES, escaped. */
enum { MCT_OAUTH_FORM_BYTES = 4 * MCT_AUTH_DOCUMENT_BYTES };

/* A client at one authorization server; borrowed texts. */
struct mcti_oauth_client {
    enum mcti_client_kind kind;
    const char *id, *secret, *auth_method; /* auth_method: that a registration returned; NULL: unknown */
    const struct mcti_key *key;            /* for private_key_jwt; NULL: none */
    const char *key_id, *alg;
};

/* An endpoint of an authorization server, from its metadata or from a stored login; borrowed. */
struct mcti_oauth_endpoint {
    const char *issuer, *url, *what;         /* what: "the token endpoint" */
    bool lists_methods;                      /* auth_methods is what it supports; otherwise unknown */
    const struct mcti_strings *auth_methods; /* may be NULL */
    const struct mcti_strings *auth_algs;    /* may be NULL */
};

/* Returns the token endpoint of an authorization server; lasts as long as its metadata. */
struct mcti_oauth_endpoint mcti_oauth_token_endpoint(const struct mcti_issuer_metadata *as);

/* How the client authenticates: "none", "client_secret_basic", "client_secret_post" or "private_key_jwt". */
const char *mcti_oauth_client_method(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at);

/* A form that is sent to an endpoint, and the headers that belong to it. Both are wiped. */
struct mcti_oauth_post {
    struct mcti_buf form;
    struct mcti_headers headers;
    const struct mcti_oauth_client *client; /* that authenticates; borrowed; NULL: none */
};

void mcti_oauth_post_init(struct mcti_oauth_post *p);
void mcti_oauth_post_done(struct mcti_oauth_post *p);
bool mcti_oauth_post_ok(const struct mcti_oauth_post *p); /* nothing is missing for want of memory */

/* Adds the authentication of the client; NULL adds nothing. The client must last as long as the form. Returns -1 and
 * sets *err (MCT_ERR_CONFIG) if its key cannot sign with an algorithm that the endpoint takes. */
int mcti_oauth_put_client(const struct mcti_oauth_client *c, const struct mcti_oauth_endpoint *at, int64_t now_s,
                          struct mcti_oauth_post *to, struct mct_error *err);

/* Returns the request that sends the form to the endpoint; borrows from both. */
struct mcti_auth_request_opts mcti_oauth_post_request(const struct mcti_oauth_post *p,
                                                      const struct mcti_oauth_endpoint *at);

/* Reads an answer that is no success: *ret is the endpoint's error, and *err a text for people. Secrets of the form
 * `sent` that the endpoint repeats are in neither. err->http_status stays 0: it is for the MCP server. */
void mcti_oauth_refusal_read(const struct mcti_auth_response *r, const struct mcti_oauth_endpoint *at,
                             const struct mcti_oauth_post *sent, struct mcti_oauth_error *ret, struct mct_error *err);

/* Removes texts of an error that repeat `secret`, or a part of it. */
void mcti_oauth_error_hide(struct mcti_oauth_error *e, struct mcti_str secret);

/* Returns true if an HTTP status tells of a fault that passes. */
bool mcti_oauth_status_passes(int status);

/* The outcome of a token request: tokens, or the reason why there are none. */
struct mcti_token_outcome {
    struct mcti_token_set *tokens;          /* may be moved from; NULL: failed or refused */
    const struct mcti_oauth_error *refused; /* the endpoint's error; NULL: it named none */
    int status;                             /* HTTP status; 0: no answer */
    const struct mct_error *failed;         /* set unless `tokens` is: a text for people in any case */
};

struct mcti_token_request;

struct mcti_token_request_opts {
    const struct mcti_auth_env *env;
    const struct mcti_oauth_endpoint *at;
    const struct mcti_oauth_client *client; /* NULL: the request has no client authentication and no client_id */
    struct mcti_str form;                   /* grant_type and its parameters, form-encoded; copied */
    const char *token_type;                 /* that is expected; NULL: Bearer, or DPoP with a proof */
    const struct mcti_key *dpop;            /* NULL: no proof */
    struct mcti_nonces *nonces;             /* needed with dpop */
    void (*done)(void *data, const struct mcti_token_outcome *o); /* called once, from the loop, unless cancelled */
    void *data;
};

/* Sends a token request; after use_dpop_nonce once more with the nonce. What `opts` points to must last until done().
 * Returns NULL and sets *err on failure. */
struct mcti_token_request *mcti_token_request_start(const struct mcti_token_request_opts *opts, struct mct_error *err);
void mcti_token_request_cancel(struct mcti_token_request *r); /* NULL does nothing */

/* Revokes the tokens of a login (RFC 7009): the refresh token, then the access token. done() gets the first failure, or
 * NULL. Returns NULL and sets *err if the login cannot be revoked at all (MCT_ERR_UNSUPPORTED: no endpoint). */
struct mcti_revocation;
struct mcti_revocation *mcti_revocation_start(const struct mcti_auth_env *env, const struct mcti_auth_record *login,
                                              void (*done)(void *data, const struct mct_error *err), void *data,
                                              struct mct_error *err);
void mcti_revocation_cancel(struct mcti_revocation *r);

/* Fills the client and the token endpoint for requests about a stored login. `key` is the settings' private key, or
 * NULL; `lists` receives what the endpoint lists and is owned by the caller. Returns -1 when out of memory. */
int mcti_oauth_of_login(const struct mcti_auth_record *login, const struct mcti_auth_settings *settings,
                        const struct mcti_key *key, struct mcti_strings *lists, struct mcti_oauth_client *ret_client,
                        struct mcti_oauth_endpoint *ret_token);

#endif
