/*
 * A login: the registration at one authorization server and the tokens obtained there, for one server (its URL) and one
 * principal. The logins of a server are one JSON document of the store, so that one lock covers them; the newest one is
 * the current one. Nothing obtained from one issuer is used at another.
 */
#ifndef MCT_AUTH_STORE_RECORD_H
#define MCT_AUTH_STORE_RECORD_H

#include "base/error.h"
#include "base/buf.h"

#include <stdint.h>

enum { MCT_LIMIT_LOGINS = 16 }; /* of one server and principal */

/* How the client id came about. */
enum mcti_client_kind { MCT_CLIENT_NONE, MCT_CLIENT_CONFIGURED, MCT_CLIENT_DOCUMENT, MCT_CLIENT_REGISTERED };

struct mcti_auth_record {
    /* owned; NULL: unknown. `resource` NULL: the server publishes no metadata, and none is sent */
    char *issuer, *resource;
    char *grant; /* a word of mcti_grants */
    enum mcti_client_kind client_kind;
    char *client_id, *client_secret, *auth_method; /* secret and method: of a registration only */
    char *registration_token, *registration_uri, *redirect_uri;
    int64_t secret_expires_at; /* seconds since 1970; 0: never */
    char *token_endpoint, *revocation_endpoint;
    /* space-separated methods and signature algorithms that the token endpoint lists; NULL: it lists none */
    char *auth_methods, *auth_algs;
    char *access_token, *token_type, *refresh_token;
    char *scope;                     /* granted */
    char *asked;                     /* asked for, in all authorizations */
    int64_t obtained_at, expires_at; /* seconds since 1970; expires_at 0: unknown */
    char *dpop_key;                  /* private JWK; NULL: tokens are not bound */
};

struct mcti_auth_records {
    char *server;    /* URL; owned */
    char *principal; /* "": the owner */
    struct mcti_auth_record *v;
    size_t n, current; /* current: index; n: none */
};

/* Writes the document; `server` and `principal` must be set. The buffer, a secret one, fails if memory is
 * exhausted. */
void mcti_auth_records_put(struct mcti_buf *to, const struct mcti_auth_records *r);

/* Reads a document. Returns -1 and sets *err if it is damaged (MCT_ERR_CONFIG) or memory is exhausted; *ret is then
 * empty. An empty text is an empty document. */
int mcti_auth_records_read(struct mcti_auth_records *ret, struct mcti_str text, struct mct_error *err);
void mcti_auth_records_clear(struct mcti_auth_records *r);

/* Returns the login at the issuer, or NULL. */
struct mcti_auth_record *mcti_auth_records_find(struct mcti_auth_records *r, const char *issuer);
struct mcti_auth_record *mcti_auth_records_current(struct mcti_auth_records *r);

/* Adds the login or replaces the one of its issuer, and makes it the current one; beyond MCT_LIMIT_LOGINS it replaces
 * the oldest one. Returns -1 when out of memory; otherwise *take_r is empty afterwards. */
int mcti_auth_records_set(struct mcti_auth_records *r, struct mcti_auth_record *take_r);

/* Removes a login of the list. If it was the current one, the newest of the others takes its place. */
void mcti_auth_records_remove(struct mcti_auth_records *r, struct mcti_auth_record *which);

/* Copies a login. Returns -1 when out of memory; *to is then empty. */
int mcti_auth_record_copy(struct mcti_auth_record *to, const struct mcti_auth_record *from);
void mcti_auth_record_clear(struct mcti_auth_record *r); /* secrets are wiped */

#endif
