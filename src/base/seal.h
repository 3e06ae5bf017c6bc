/*
 * Text that is given to somebody who must return it unchanged, such as the requestState of 2026-07-28. It can be read
 * by everybody, but only the owner of the key can have written it. What else a text must say to be believed (until
 * when, to whom, to what it belongs) is the caller's to put in and to check.
 */
#ifndef MCT_BASE_SEAL_H
#define MCT_BASE_SEAL_H

#include "base/buf.h"

enum { MCT_SEAL_KEY_BYTES = 32 };

/* Appends base64url(text) "." base64url(HMAC-SHA256 of the part before the dot); both without padding, so it needs no
 * escapes in JSON, headers and URLs. `key` may be of any length. Fails the buffer if the digest cannot be made. */
void mcti_seal(struct mcti_buf *to, struct mcti_str key, struct mcti_str text);

/* Appends the text; -1, with nothing appended, when it was not sealed with this key. */
int mcti_unseal(struct mcti_buf *to, struct mcti_str key, struct mcti_str sealed);

/* RFC 2104 over SHA-256. -1 when the library fails. */
int mcti_hmac_sha256(struct mcti_str key, struct mcti_str text, unsigned char ret[32]);

#endif
