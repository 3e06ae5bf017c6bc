/* JSON answers of an authorization server: tokens, errors, registrations, device codes. */
#ifndef MCT_AUTH_WIRE_ANSWER_H
#define MCT_AUTH_WIRE_ANSWER_H

#include "base/error.h"
#include "base/strings.h"

#include <stdint.h>

/* A successful answer of the token endpoint (RFC 6749 section 5.1, RFC 8693). */
struct mcti_token_set {
    char *access_token, *token_type, *refresh_token, *scope, *id_token, *issued_token_type; /* owned; NULL: absent */
    int64_t expires_in_s; /* seconds; -1: unknown, or not positive */
};

/* An error of an endpoint (RFC 6749 section 5.2). Texts are harmless: visible characters only, cut. */
struct mcti_oauth_error {
    char error[64];        /* "invalid_grant"; "": the body is not an OAuth error */
    char description[256]; /* of the error, or the beginning of a body that is not JSON */
};

/* An answer to a registration (RFC 7591). */
struct mcti_registration {
    char *client_id, *client_secret, *auth_method, *registration_token, *registration_uri;
    int64_t secret_expires_at; /* seconds since 1970; 0: never */
    struct mcti_strings redirect_uris;
};

/* An answer of the device authorization endpoint (RFC 8628 section 3.2). */
struct mcti_device_codes {
    char *device_code, *user_code, *verification_uri, *verification_uri_complete;
    int64_t expires_in_s, interval_s; /* interval: 5 if absent, at most 300 */
};

/* Read an answer. On failure return -1 and set *err (MCT_ERR_PROTOCOL), naming the member; *ret is then empty. Tokens
 * must be visible ASCII; expires_in may also be a string of digits. */
int mcti_token_set_read(struct mcti_token_set *ret, struct mcti_str json, struct mct_error *err);
int mcti_registration_read(struct mcti_registration *ret, struct mcti_str json, struct mct_error *err);
int mcti_device_codes_read(struct mcti_device_codes *ret, struct mcti_str json, struct mct_error *err);

/* Reads an error body of any shape. Not for answers with status 200, whose text may be a token. */
void mcti_oauth_error_read(struct mcti_oauth_error *ret, struct mcti_str body);

/* Free the texts; those that are secret are wiped. */
void mcti_token_set_clear(struct mcti_token_set *t);
void mcti_registration_clear(struct mcti_registration *r);
void mcti_device_codes_clear(struct mcti_device_codes *d);

#endif
