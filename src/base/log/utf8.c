#include "base/log/utf8.h"

static bool utf8_tail(const char *p, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)p[i] & 0xc0) != 0x80)
            return false;
    return true;
}

size_t mcti_utf8_len(const char *p, const char *end)
{
    unsigned char a = (unsigned char)*p;
    if (a < 0x80)
        return 1;
    size_t n = a >= 0xc2 && a <= 0xdf ? 2 : a >= 0xe0 && a <= 0xef ? 3 : a >= 0xf0 && a <= 0xf4 ? 4 : 0;
    if (!n || (size_t)(end - p) < n || !utf8_tail(p, n))
        return 0;
    unsigned char b = (unsigned char)p[1];
    if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f) || (a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f))
        return 0;
    return n;
}

bool mcti_utf8_valid(struct mcti_str s)
{
    const char *end = s.p + s.len;
    for (const char *p = s.p; p < end;) {
        size_t n = mcti_utf8_len(p, end);
        if (!n)
            return false;
        p += n;
    }
    return true;
}

unsigned mcti_utf8_at(const char *p, size_t n)
{
    unsigned c = (unsigned char)*p;
    if (n == 1)
        return c;
    c &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)p[i] & 63);
    return c;
}

struct mcti_str mcti_utf8_head(struct mcti_str s, size_t n_max, size_t *ret_n)
{
    const char *p = s.p, *end = s.p + s.len;
    size_t n = 0;
    for (; p < end && n < n_max; n++) {
        size_t len = mcti_utf8_len(p, end);
        p += len ? len : 1;
    }
    *ret_n = n;
    return mcti_str_range(s.p, p);
}

static bool is_white(unsigned c)
{
    static const struct {
        unsigned first, last;
    } white[] = { { 0x09, 0x0d },     { 0x20, 0x20 },     { 0x85, 0x85 },     { 0xa0, 0xa0 },     { 0x1680, 0x1680 },
                  { 0x2000, 0x200a }, { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 } };
    for (size_t i = 0; i < sizeof white / sizeof *white; i++)
        if (c >= white[i].first && c <= white[i].last)
            return true;
    return false;
}

struct mcti_str mcti_utf8_trim(struct mcti_str s)
{
    if (!s.len)
        return s;
    const char *p = s.p, *end = s.p + s.len, *last = s.p;
    size_t n = 1;
    while (p < end && (n = mcti_utf8_len(p, end)) && is_white(mcti_utf8_at(p, n)))
        p += n;
    for (const char *at = last = p; at < end; at += n) {
        n = mcti_utf8_len(at, end);
        if (!n || !is_white(mcti_utf8_at(at, n)))
            last = at + (n ? n : 1);
        n = n ? n : 1;
    }
    return mcti_str_range(p, last);
}

void mcti_utf8_put(struct mcti_buf *to, unsigned c)
{
    if (c < 0x80) {
        mcti_buf_addc(to, (char)c);
    } else if (c < 0x800) {
        mcti_buf_addc(to, (char)(0xc0 | c >> 6));
        mcti_buf_addc(to, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        mcti_buf_addc(to, (char)(0xe0 | c >> 12));
        mcti_buf_addc(to, (char)(0x80 | (c >> 6 & 63)));
        mcti_buf_addc(to, (char)(0x80 | (c & 63)));
    } else {
        mcti_buf_addc(to, (char)(0xf0 | c >> 18));
        mcti_buf_addc(to, (char)(0x80 | (c >> 12 & 63)));
        mcti_buf_addc(to, (char)(0x80 | (c >> 6 & 63)));
        mcti_buf_addc(to, (char)(0x80 | (c & 63)));
    }
}
