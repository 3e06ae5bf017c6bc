#include "base/base64.h"

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char for_urls[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void base64_put(struct mcti_buf *to, const char *digits, bool padded, struct mcti_str s)
{
    for (size_t i = 0; i < s.len; i += 3) {
        size_t n = s.len - i < 3 ? s.len - i : 3;
        unsigned v = 0;
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (k < n ? (unsigned char)s.p[i + k] : 0u);
        char out[4] = { digits[v >> 18], digits[v >> 12 & 63], n > 1 ? digits[v >> 6 & 63] : '=',
                        n > 2 ? digits[v & 63] : '=' };
        mcti_buf_add(to, (struct mcti_str){ out, padded ? 4 : n + 1 });
    }
}

static int base64_value(const char *digits, char c)
{
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes a group of four characters, the last `pad` of which are missing. Their bits must be 0, so that each byte
 * sequence has only one encoding. */
static int base64_group(struct mcti_buf *to, const char *digits, const char *in, int pad)
{
    unsigned v = 0;
    for (int k = 0; k < 4; k++) {
        int d = k >= 4 - pad ? 0 : base64_value(digits, in[k]);
        if (d < 0)
            return -1;
        v = v << 6 | (unsigned)d;
    }
    if ((pad == 1 && (v & 0xff)) || (pad == 2 && (v & 0xffff)))
        return -1;
    char out[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
    mcti_buf_add(to, (struct mcti_str){ out, (size_t)(3 - pad) });
    return 0;
}

/* Decodes `t`, which has no padding. */
static int base64_get(struct mcti_buf *to, const char *digits, struct mcti_str t)
{
    if (t.len % 4 == 1)
        return -1;
    for (size_t i = 0; i < t.len; i += 4)
        if (base64_group(to, digits, t.p + i, t.len - i < 4 ? (int)(4 - (t.len - i)) : 0) < 0)
            return -1;
    return mcti_buf_ok(to) ? 0 : -1;
}

void mcti_base64_put(struct mcti_buf *to, struct mcti_str bytes)
{
    base64_put(to, standard, true, bytes);
}

void mcti_base64url_put(struct mcti_buf *to, struct mcti_str bytes)
{
    base64_put(to, for_urls, false, bytes);
}

int mcti_base64_get(struct mcti_buf *to, struct mcti_str text)
{
    if (text.len % 4)
        return -1;
    for (int pad = 0; pad < 2 && text.len && text.p[text.len - 1] == '='; pad++)
        text.len--;
    return base64_get(to, standard, text);
}

int mcti_base64url_get(struct mcti_buf *to, struct mcti_str text)
{
    return base64_get(to, for_urls, text);
}
