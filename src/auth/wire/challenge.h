/* WWW-Authenticate (RFC 9110 section 11.6.1): the challenges of a 401 or 403 answer of an MCP server. */
#ifndef MCT_AUTH_WIRE_CHALLENGE_H
#define MCT_AUTH_WIRE_CHALLENGE_H

#include "base/str.h"
#include "io/fetch/client.h"

/* What the Bearer and DPoP challenges of an answer say together; the first of each parameter counts. */
struct mcti_challenge {
    bool bearer, dpop;       /* such a challenge is there */
    char *resource_metadata; /* owned; NULL: not there */
    char *scope, *error;
    char *error_description; /* harmless: visible characters only, cut */
    char *algs;              /* of DPoP: space-separated */
};

/* Reads one header value, which may have several challenges, by the grammar; unknown schemes are skipped, and so are
 * the rest of a malformed value and parameters with characters that they cannot have. *c must be initialized. Returns
 * -1 when out of memory. */
int mcti_challenge_read(struct mcti_challenge *c, struct mcti_str header_value);

/* Reads all WWW-Authenticate headers of an answer into *ret, which need not be initialized. Returns -1 when out of
 * memory; *ret is valid in any case. */
int mcti_challenge_take(struct mcti_challenge *ret, const struct mcti_fetch *fetch);
void mcti_challenge_clear(struct mcti_challenge *c);

/* ---- scope.c ---- */

/* Writes the union of two space-separated scope lists in the order of their first occurrence. */
void mcti_scope_put_union(struct mcti_buf *to, struct mcti_str a, struct mcti_str b);

/* Returns true if each scope of `part` is in `whole`. */
bool mcti_scope_covers(struct mcti_str whole, struct mcti_str part);

/* Returns true if the text is a list of scope tokens of RFC 6749 section 3.3 (visible ASCII without `"` and `\`) of at
 * most MCT_LIMIT_AUTH_SCOPE_BYTES. */
bool mcti_scope_is_valid(struct mcti_str scope);

#endif
