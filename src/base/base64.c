#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void mct_base64_put(struct mct_buf *to, struct mct_str s)
{
    for (size_t i = 0; i < s.len; i += 3) {
        size_t n = s.len - i < 3 ? s.len - i : 3;
        unsigned v = 0;
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (k < n ? (unsigned char)s.p[i + k] : 0u);
        char out[4] = { digits[v >> 18], digits[v >> 12 & 63], n > 1 ? digits[v >> 6 & 63] : '=',
                        n > 2 ? digits[v & 63] : '=' };
        mct_buf_add(to, (struct mct_str){ out, 4 });
    }
}

static int value(char c)
{
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static int group(struct mct_buf *to, const char *in, bool last)
{
    int pad = !last || in[3] != '=' ? 0 : in[2] == '=' ? 2 : 1;
    unsigned v = 0;
    for (int k = 0; k < 4; k++) {
        int d = k >= 4 - pad ? 0 : value(in[k]);
        if (d < 0)
            return -1;
        v = v << 6 | (unsigned)d;
    }
    if ((pad == 1 && (v & 0xff)) || (pad == 2 && (v & 0xffff)))
        return -1;
    char out[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
    mct_buf_add(to, (struct mct_str){ out, (size_t)(3 - pad) });
    return 0;
}

int mct_base64_get(struct mct_buf *to, struct mct_str t)
{
    if (t.len % 4)
        return -1;
    for (size_t i = 0; i < t.len; i += 4)
        if (group(to, t.p + i, i + 4 == t.len) < 0)
            return -1;
    return mct_buf_ok(to) ? 0 : -1;
}
