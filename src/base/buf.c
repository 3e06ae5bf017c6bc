#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEEP = 65536, FIRST = 256 };

const char mct_buf_lost[1];

void mct_buf_init(struct mct_buf *b, size_t max)
{
    *b = (struct mct_buf){ .max = max };
}

void mct_buf_done(struct mct_buf *b)
{
    free(b->p);
    mct_buf_init(b, b->max);
}

void mct_buf_clear(struct mct_buf *b)
{
    if (b->cap > KEEP) {
        mct_buf_done(b);
        return;
    }
    b->len = 0;
    b->failed = false;
}

static bool grow(struct mct_buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : FIRST;
    while (cap < need)
        cap *= 2;
    char *p = realloc(b->p, cap);
    if (!p)
        return false;
    b->p = p;
    b->cap = cap;
    return true;
}

char *mct_buf_reserve(struct mct_buf *b, size_t more)
{
    if (b->failed)
        return NULL;
    if (more > b->max || b->len > b->max - more ||
        (b->cap < b->len + more && !grow(b, b->len + more))) {
        b->failed = true;
        return NULL;
    }
    return b->p + b->len;
}

void mct_buf_add(struct mct_buf *b, struct mct_str s)
{
    mct_buf_mind(b, s);
    if (!s.len)
        return;
    char *to = mct_buf_reserve(b, s.len);
    if (!to)
        return;
    memcpy(to, s.p, s.len);
    b->len += s.len;
}

void mct_buf_addz(struct mct_buf *b, const char *z)
{
    mct_buf_add(b, mct_str_of(z));
}

void mct_buf_addc(struct mct_buf *b, char c)
{
    mct_buf_add(b, (struct mct_str){ &c, 1 });
}

void mct_buf_addu(struct mct_buf *b, uint64_t n)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    mct_buf_add(b, (struct mct_str){ digits + at, sizeof digits - at });
}

void mct_buf_printf(struct mct_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *to = n < 0 ? NULL : mct_buf_reserve(b, (size_t)n + 1);
    if (to) {
        vsnprintf(to, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void mct_buf_shift(struct mct_buf *b, size_t n)
{
    if (!n)
        return;
    memmove(b->p, b->p + n, b->len - n);
    b->len -= n;
}

char *mct_buf_take(struct mct_buf *b)
{
    mct_buf_addc(b, '\0');
    char *p = b->failed ? NULL : b->p;
    if (p)
        b->p = NULL;
    mct_buf_done(b);
    return p;
}
