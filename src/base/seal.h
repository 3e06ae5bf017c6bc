/*
 * Sealed text is passed to a peer that must return it unchanged, such as the requestState of 2026-07-28. Anyone can
 * read it, but only the owner of the key can create it. The caller must add and check any further conditions, such as
 * an expiry time and the recipient.
 */
#ifndef MCT_BASE_SEAL_H
#define MCT_BASE_SEAL_H

#include "base/buf.h"

enum { MCT_SEAL_KEY_BYTES = 32 };

/* Appends base64url(text) "." base64url(HMAC-SHA256 of the part before the dot), both without padding, so that no
 * escapes are needed in JSON, headers and URLs. `key` may have any length. The buffer fails if the digest cannot be
 * computed. */
void mcti_seal(struct mcti_buf *to, struct mcti_str key, struct mcti_str text);

/* Appends the text that was sealed. If it was not sealed with this key, returns -1 and appends nothing. */
int mcti_unseal(struct mcti_buf *to, struct mcti_str key, struct mcti_str sealed);

/* Computes HMAC (RFC 2104) with SHA-256. Returns -1 if the library fails. */
int mcti_hmac_sha256(struct mcti_str key, struct mcti_str text, unsigned char ret[32]);

#endif
