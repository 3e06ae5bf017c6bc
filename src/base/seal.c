#define OPENSSL_SUPPRESS_DEPRECATED /* for the reason base/rand.c gives */

#include "base/seal.h"

#include "base/base64.h"

#include <openssl/sha.h>

enum { BLOCK = 64, DIGEST = SHA256_DIGEST_LENGTH, DIGEST_TEXT = 43 };

/* The digest of the two, one behind the other. Not SHA256(), which goes through EVP. */
static bool digest(struct mct_str head, struct mct_str text, unsigned char ret[DIGEST])
{
    SHA256_CTX ctx;
    return SHA256_Init(&ctx) && SHA256_Update(&ctx, head.p, head.len) && SHA256_Update(&ctx, text.p, text.len) &&
           SHA256_Final(ret, &ctx);
}

int mct_hmac_sha256(struct mct_str key, struct mct_str text, unsigned char ret[DIGEST])
{
    unsigned char block[BLOCK] = { 0 }, inner[DIGEST];
    const struct mct_str head = { (const char *)block, BLOCK };
    if (key.len > BLOCK && !digest(key, MCT_STR(""), block))
        return -1;
    if (key.len && key.len <= BLOCK)
        memcpy(block, key.p, key.len);
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= 0x36;
    if (!digest(head, text, inner))
        return -1;
    for (int i = 0; i < BLOCK; i++)
        block[i] ^= 0x36 ^ 0x5c;
    return digest(head, (struct mct_str){ (const char *)inner, DIGEST }, ret) ? 0 : -1;
}

/* The digest of `body` as text. */
static void put_digest(struct mct_buf *to, struct mct_str key, struct mct_str body)
{
    unsigned char mac[DIGEST];
    if (mct_hmac_sha256(key, body, mac) < 0)
        to->failed = true;
    else
        mct_base64url_put(to, (struct mct_str){ (const char *)mac, DIGEST });
}

void mct_seal(struct mct_buf *to, struct mct_str key, struct mct_str text)
{
    struct mct_buf mac;
    size_t start = to->len;
    mct_buf_init(&mac, DIGEST_TEXT);
    mct_base64url_put(to, text);
    struct mct_str all = mct_buf_str(to);
    if (mct_buf_ok(to))
        put_digest(&mac, key, (struct mct_str){ all.p + start, all.len - start });
    mct_buf_addc(to, '.');
    mct_buf_add(to, mct_buf_str(&mac));
    to->failed |= mac.failed;
    mct_buf_done(&mac);
}

int mct_unseal(struct mct_buf *to, struct mct_str key, struct mct_str sealed)
{
    struct mct_buf mac;
    struct mct_str body;
    size_t before = to->len;
    int r = -1;
    if (!mct_str_split(&sealed, '.', &body) || !sealed.p)
        return -1;
    mct_buf_init(&mac, DIGEST_TEXT);
    put_digest(&mac, key, body);
    if (mct_buf_ok(&mac) && mct_str_eq_secret(sealed, mct_buf_str(&mac)))
        r = mct_base64url_get(to, body);
    mct_buf_done(&mac);
    if (r < 0)
        to->len = before;
    return r;
}
