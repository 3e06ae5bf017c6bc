/* Grants without a person, which end with one token request at the authorization server of the MCP server. */
#ifndef MCT_AUTH_GRANT_MACHINE_H
#define MCT_AUTH_GRANT_MACHINE_H

#include "auth/grant/grant.h"

#define MCT_GRANT_JWT_BEARER "urn:ietf:params:oauth:grant-type:jwt-bearer"

/* Embedded at the start of each of these grants. */
struct mcti_machine_grant {
    struct mcti_grant grant;
    struct mcti_grant_opts opts;
    struct mcti_oauth_endpoint at;
    struct mcti_token_request *request;
    void (*done)(struct mcti_machine_grant *m); /* frees what the grant has besides; may be NULL */
};

/* Creates a grant of `size` bytes. Returns NULL and sets *err when out of memory. */
void *mcti_machine_new(size_t size, const struct mcti_grant_ops *ops, const struct mcti_grant_opts *opts,
                       struct mct_error *err);
void mcti_machine_free(struct mcti_machine_grant *m);
void mcti_machine_cancel(struct mcti_grant *g);

/* Sends the token request, with resource and scope added to the form; its outcome is that of the grant. Returns -1 and
 * sets *err on failure; the grant still exists. */
int mcti_machine_send(struct mcti_machine_grant *m, struct mcti_buf *form, struct mct_error *err);

/* Frees the grant and calls its done(). */
void mcti_machine_end(struct mcti_machine_grant *m, const struct mcti_token_outcome *o);
void mcti_machine_fail(struct mcti_machine_grant *m, const struct mct_error *why);

/* Reads a token that the settings name (a file, a variable, a program); `setting` is for errors. Returns a text for
 * mcti_secret_free(), or NULL and sets *err. */
char *mcti_machine_read(const struct mcti_auth_settings *settings, const char *text, const char *setting,
                        struct mct_error *err);

/* Fills the form of a token request with an assertion (RFC 7523 section 2.1). */
void mcti_machine_put_assertion(struct mcti_buf *form, const char *assertion);

#endif
