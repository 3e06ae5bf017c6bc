/* DPoP nonces of servers (RFC 9449 section 8), the newest for each origin. */
#ifndef MCT_AUTH_WIRE_NONCE_H
#define MCT_AUTH_WIRE_NONCE_H

#include "base/str.h"

enum { MCT_LIMIT_NONCES = 8, MCT_LIMIT_NONCE_BYTES = 512 };

struct mcti_nonces {
    struct {
        char *origin, *nonce; /* owned */
    } v[MCT_LIMIT_NONCES];
    size_t n, next; /* next: the entry that a new origin replaces when the table is full */
};

/* Remembers the nonce of the URL's origin, if it is visible ASCII and not too long. An absent nonce changes nothing.
 * Returns true if it is new. */
bool mcti_nonces_set(struct mcti_nonces *n, struct mcti_str url, struct mcti_str nonce);

/* Returns the nonce for the URL's origin; absent: none. */
struct mcti_str mcti_nonces_get(const struct mcti_nonces *n, struct mcti_str url);
void mcti_nonces_clear(struct mcti_nonces *n);

#endif
