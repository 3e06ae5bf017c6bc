#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEEP = 65536, FIRST = 256 };

const char mcti_buf_lost[1];

void mcti_buf_init(struct mcti_buf *b, size_t max)
{
    *b = (struct mcti_buf){ .max = max };
}

void mcti_buf_done(struct mcti_buf *b)
{
    free(b->p);
    mcti_buf_init(b, b->max);
}

void mcti_buf_clear(struct mcti_buf *b)
{
    if (b->cap > KEEP) {
        mcti_buf_done(b);
        return;
    }
    b->len = 0;
    b->failed = false;
}

static bool buf_grow(struct mcti_buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : FIRST;
    while (cap < need)
        cap *= 2;
    if (cap > b->max)
        cap = b->max;
    char *p = realloc(b->p, cap);
    if (!p)
        return false;
    b->p = p;
    b->cap = cap;
    return true;
}

char *mcti_buf_reserve(struct mcti_buf *b, size_t more)
{
    if (b->failed)
        return NULL;
    if (more > b->cap - b->len && (b->len > b->max || more > b->max - b->len || !buf_grow(b, b->len + more))) {
        b->failed = true;
        return NULL;
    }
    return b->p + b->len;
}

void mcti_buf_add(struct mcti_buf *b, struct mcti_str s)
{
    if (!s.len) {
        mcti_buf_mind(b, s);
        return;
    }
    char *to = mcti_buf_reserve(b, s.len);
    if (!to)
        return;
    memcpy(to, s.p, s.len);
    b->len += s.len;
}

void mcti_buf_addz(struct mcti_buf *b, const char *z)
{
    mcti_buf_add(b, mcti_str_of(z));
}

void mcti_buf_addc(struct mcti_buf *b, char c)
{
    if (mcti_buf_reserve(b, 1))
        b->p[b->len++] = c;
}

void mcti_buf_addu(struct mcti_buf *b, uint64_t n)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    mcti_buf_add(b, (struct mcti_str){ digits + at, sizeof digits - at });
}

void mcti_buf_printf(struct mcti_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *to = n < 0 ? NULL : mcti_buf_reserve(b, (size_t)n + 1);
    if (to) {
        vsnprintf(to, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void mcti_buf_shift(struct mcti_buf *b, size_t n)
{
    if (!n)
        return;
    memmove(b->p, b->p + n, b->len - n);
    b->len -= n;
}

char *mcti_buf_take(struct mcti_buf *b)
{
    mcti_buf_addc(b, '\0');
    char *p = b->failed ? NULL : b->p;
    if (p)
        b->p = NULL;
    mcti_buf_done(b);
    return p;
}
