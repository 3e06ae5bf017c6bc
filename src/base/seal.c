#define OPENSSL_SUPPRESS_DEPRECATED /* see base/rand.c */

#include "base/seal.h"

#include "base/base64.h"

#include <openssl/sha.h>

enum { BLOCK = 64, DIGEST = SHA256_DIGEST_LENGTH, DIGEST_TEXT = 43 };

/* Computes the digest of `head` followed by `text`. Does not call SHA256(), which uses EVP. */
static bool seal_digest(struct mcti_str head, struct mcti_str text, unsigned char ret[DIGEST])
{
    SHA256_CTX ctx;
    return SHA256_Init(&ctx) && SHA256_Update(&ctx, head.p, head.len) && SHA256_Update(&ctx, text.p, text.len) &&
           SHA256_Final(ret, &ctx);
}

int mcti_hmac_sha256(struct mcti_str key, struct mcti_str text, unsigned char ret[DIGEST])
{
    unsigned char block[BLOCK] = { 0 }, inner[DIGEST];
    const struct mcti_str head = { (const char *)block, BLOCK };
    if (key.len > BLOCK && !seal_digest(key, MCT_STR(""), block))
        return -1;
    if (key.len && key.len <= BLOCK)
        memcpy(block, key.p, key.len);
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= 0x36;
    if (!seal_digest(head, text, inner))
        return -1;
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= 0x36 ^ 0x5c;
    return seal_digest(head, (struct mcti_str){ (const char *)inner, DIGEST }, ret) ? 0 : -1;
}

/* Appends the digest of `body` as text. */
static void put_digest(struct mcti_buf *to, struct mcti_str key, struct mcti_str body)
{
    unsigned char mac[DIGEST];
    if (mcti_hmac_sha256(key, body, mac) < 0)
        to->failed = true;
    else
        mcti_base64url_put(to, (struct mcti_str){ (const char *)mac, DIGEST });
}

void mcti_seal(struct mcti_buf *to, struct mcti_str key, struct mcti_str text)
{
    struct mcti_buf mac;
    size_t start = to->len;
    mcti_buf_init(&mac, DIGEST_TEXT);
    mcti_base64url_put(to, text);
    struct mcti_str all = mcti_buf_str(to);
    if (mcti_buf_ok(to))
        put_digest(&mac, key, (struct mcti_str){ all.p + start, all.len - start });
    mcti_buf_addc(to, '.');
    mcti_buf_add(to, mcti_buf_str(&mac));
    to->failed |= mac.failed;
    mcti_buf_done(&mac);
}

int mcti_unseal(struct mcti_buf *to, struct mcti_str key, struct mcti_str sealed)
{
    struct mcti_buf mac;
    struct mcti_str body;
    size_t before = to->len;
    int r = -1;
    if (!mcti_str_split(&sealed, '.', &body) || !sealed.p)
        return -1;
    mcti_buf_init(&mac, DIGEST_TEXT);
    put_digest(&mac, key, body);
    if (mcti_buf_ok(&mac) && mcti_str_eq_secret(sealed, mcti_buf_str(&mac)))
        r = mcti_base64url_get(to, body);
    mcti_buf_done(&mac);
    if (r < 0)
        to->len = before;
    return r;
}
