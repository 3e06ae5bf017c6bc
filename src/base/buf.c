#include "base/buf.h"

#include <openssl/crypto.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEEP = 65536, FIRST = 256 };

const char mcti_buf_lost[1];

void mcti_buf_init(struct mcti_buf *b, size_t max)
{
    *b = (struct mcti_buf){ .max = max };
}

void mcti_buf_init_secret(struct mcti_buf *b, size_t max)
{
    *b = (struct mcti_buf){ .max = max, .secret = true };
}

void mcti_buf_done(struct mcti_buf *b)
{
    if (b->secret && b->p)
        OPENSSL_cleanse(b->p, b->cap);
    free(b->p);
    *b = (struct mcti_buf){ .max = b->max, .secret = b->secret };
}

void mcti_buf_clear(struct mcti_buf *b)
{
    if (b->cap > KEEP || b->secret) {
        mcti_buf_done(b);
        return;
    }
    b->len = 0;
    b->failed = false;
    b->splices = NULL;
}

/* Like realloc(), which may leave a copy of a secret behind. */
static char *buf_resize(struct mcti_buf *b, size_t cap)
{
    if (!b->secret)
        return realloc(b->p, cap);
    char *p = malloc(cap);
    if (p && b->p) {
        memcpy(p, b->p, b->len);
        OPENSSL_cleanse(b->p, b->cap);
        free(b->p);
    }
    return p;
}

char *mcti_buf_grow(struct mcti_buf *b, size_t more)
{
    size_t cap = b->cap ? b->cap : FIRST;
    if (b->failed)
        return NULL;
    b->failed = true;
    if (b->len > b->max || more > b->max - b->len)
        return NULL;
    while (cap < b->len + more)
        cap *= 2;
    if (cap > b->max)
        cap = b->max;
    char *p = buf_resize(b, cap);
    if (!p)
        return NULL;
    b->p = p;
    b->cap = cap;
    b->failed = false;
    return b->p + b->len;
}

void mcti_buf_add(struct mcti_buf *b, struct mcti_str s)
{
    if (!s.len) {
        mcti_buf_mind(b, s);
        return;
    }
    if (s.len >= MCT_SPLICE_BYTES && b->splices && mcti_splices_take(b, s))
        return;
    char *to = mcti_buf_reserve(b, s.len);
    if (!to)
        return;
    memcpy(to, s.p, s.len);
    b->len += s.len;
}

void mcti_buf_addc(struct mcti_buf *b, char c)
{
    if (mcti_buf_reserve(b, 1))
        b->p[b->len++] = c;
}

void mcti_buf_add_lower(struct mcti_buf *b, struct mcti_str s)
{
    char *to = s.len ? mcti_buf_reserve(b, s.len) : NULL;
    mcti_buf_mind(b, s);
    for (size_t i = 0; to && i < s.len; i++)
        to[i] = mcti_lower(s.p[i]);
    b->len += to ? s.len : 0;
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
    enum { SPARE = 64 };
    mcti_buf_addc(b, '\0');
    char *p = b->failed ? NULL : b->p;
    size_t len = b->len, spare = b->secret ? 0 : b->cap - len; /* moving a secret would leave a copy behind */
    if (p)
        b->p = NULL;
    mcti_buf_done(b);
    char *fitting = p && spare > SPARE ? realloc(p, len) : NULL;
    return fitting ? fitting : p;
}

/* ---- chunks ---- */

struct mcti_chunk *mcti_chunk_take(struct mcti_buf *b)
{
    struct mcti_chunk *chunk = b->len >= MCT_SPLICE_BYTES && !b->failed && !b->secret ? malloc(sizeof *chunk) : NULL;
    if (!chunk)
        return NULL;
    *chunk = (struct mcti_chunk){ .refs = 1, .p = b->p, .len = b->len };
    b->p = NULL;
    mcti_buf_done(b);
    return chunk;
}

struct mcti_chunk *mcti_chunk_ref(struct mcti_chunk *chunk)
{
    chunk->refs++;
    return chunk;
}

void mcti_chunk_unref(struct mcti_chunk *chunk)
{
    if (!chunk || --chunk->refs)
        return;
    free(chunk->check);
    free(chunk->p);
    free(chunk);
}

void mcti_chunk_give_back(struct mcti_chunk *chunk, struct mcti_buf *b)
{
    if (!chunk)
        return;
    if (chunk->refs == 1) {
        b->p = chunk->p;
        b->len = b->cap = chunk->len;
        chunk->p = NULL;
    }
    mcti_chunk_unref(chunk);
}

static bool chunk_has(const struct mcti_chunk *chunk, struct mcti_str s)
{
    return chunk && (uintptr_t)s.p >= (uintptr_t)chunk->p && s.len <= chunk->len &&
           (uintptr_t)s.p - (uintptr_t)chunk->p <= chunk->len - s.len;
}

bool mcti_splices_take(struct mcti_buf *b, struct mcti_str s)
{
    struct mcti_splices *to = b->splices;
    if (b->failed || to->n == MCT_SPLICES || !chunk_has(to->chunk, s))
        return false;
    if (b->len + to->len > b->max || s.len > b->max - b->len - to->len) {
        b->failed = true;
        return true;
    }
    to->item[to->n].at = b->len;
    to->item[to->n++].span = s;
    to->len += s.len;
    return true;
}

static void pieces_add(struct mcti_pieces *p, struct mcti_str s)
{
    if (!s.len)
        return;
    p->item[p->n++] = s;
    p->len += s.len;
}

struct mcti_pieces mcti_pieces_of(const struct mcti_buf *b)
{
    const struct mcti_splices *s = b->splices;
    struct mcti_pieces p = { .chunk = s ? s->chunk : NULL };
    struct mcti_str own = mcti_buf_str(b);
    size_t at = 0;
    for (unsigned i = 0; s && i < s->n; i++) {
        pieces_add(&p, (struct mcti_str){ own.p + at, s->item[i].at - at });
        pieces_add(&p, s->item[i].span);
        at = s->item[i].at;
    }
    pieces_add(&p, (struct mcti_str){ own.p + at, own.len - at });
    return p;
}

bool mcti_pieces_shared(const struct mcti_pieces *p, unsigned i)
{
    return chunk_has(p->chunk, p->item[i]);
}

void mcti_pieces_copy(struct mcti_buf *to, const struct mcti_pieces *p)
{
    for (unsigned i = 0; i < p->n; i++)
        mcti_buf_add(to, p->item[i]);
}

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

void mcti_buf_add_percent(struct mcti_buf *b, struct mcti_str s)
{
    mcti_buf_mind(b, s);
    for (size_t i = 0; i < s.len; i++)
        if (is_unreserved(s.p[i]))
            mcti_buf_addc(b, s.p[i]);
        else
            mcti_buf_printf(b, "%%%02X", (unsigned char)s.p[i]);
}
