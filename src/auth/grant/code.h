/* Judges the answer to an authorization request: the query with which the browser returns. */
#ifndef MCT_AUTH_GRANT_CODE_H
#define MCT_AUTH_GRANT_CODE_H

#include "auth/grant/grant.h"

/* What was recorded for the request. */
struct mcti_code_expected {
    char *state; /* owned by the request */
    const char *issuer;
    bool needs_iss; /* the authorization server says that it sends `iss` */
};

/* Judges a query. Returns 1 and appends the code; 0 if the query belongs to another request, is malformed or too long;
 * -1 if it belongs to this one, which has failed: *why is set, and *error too if it is an error of the authorization
 * server. After a mismatch of the issuer nothing of the query is in *why (RFC 9207 section 2.4). */
int mcti_code_judge(const struct mcti_code_expected *e, struct mcti_str query, struct mcti_buf *code,
                    struct mcti_oauth_error *error, struct mct_error *why);

#endif
