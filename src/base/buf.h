/*
 * A growing byte buffer with a size limit. Single appends do not report errors: when the limit is reached or memory is
 * exhausted, the buffer has failed, ignores further appends, and mcti_buf_ok() returns false. A buffer to which the
 * text of a failed buffer is appended fails as well, so no message contains a partial text.
 *
 * A secret buffer wipes its memory before it frees, moves or empties it.
 */
#ifndef MCT_BASE_BUF_H
#define MCT_BASE_BUF_H

#include "base/str.h"

#include <stdint.h>

struct mcti_buf {
    char *p;
    size_t len, cap, max;
    bool failed, secret;
};

void mcti_buf_init(struct mcti_buf *b, size_t max);
void mcti_buf_init_secret(struct mcti_buf *b, size_t max);
void mcti_buf_done(struct mcti_buf *b);  /* frees the bytes; the buffer may be initialized again */
void mcti_buf_clear(struct mcti_buf *b); /* empties the buffer and clears its failure; keeps up to 64 KiB of memory */

/* Like mcti_buf_reserve(), for a buffer that does not have the space yet. */
char *mcti_buf_grow(struct mcti_buf *b, size_t more);

/* Reserves space for `more` bytes and returns its address, or NULL (the buffer has failed). Does not change len. */
static inline char *mcti_buf_reserve(struct mcti_buf *b, size_t more)
{
    return !b->failed && more <= b->cap - b->len ? b->p + b->len : mcti_buf_grow(b, more);
}

void mcti_buf_add(struct mcti_buf *b, struct mcti_str s);
void mcti_buf_addz(struct mcti_buf *b, const char *z);
void mcti_buf_addc(struct mcti_buf *b, char c);
void mcti_buf_addu(struct mcti_buf *b, uint64_t n); /* decimal */
void mcti_buf_printf(struct mcti_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Removes the first `n` bytes. */
void mcti_buf_shift(struct mcti_buf *b, size_t n);

static inline bool mcti_buf_ok(const struct mcti_buf *b)
{
    return !b->failed;
}

/* The last byte; 0 if there is none. */
static inline char mcti_buf_last(const struct mcti_buf *b)
{
    return b->len ? b->p[b->len - 1] : '\0';
}

/* The text of buffers that failed: empty, known by its address. */
extern const char mcti_buf_lost[1];

static inline struct mcti_str mcti_buf_str(const struct mcti_buf *b)
{
    return b->failed ? (struct mcti_str){ mcti_buf_lost, 0 } : (struct mcti_str){ b->p ? b->p : "", b->len };
}

/* Makes `to` fail if `s` is the text of a buffer that failed. */
static inline void mcti_buf_mind(struct mcti_buf *to, struct mcti_str s)
{
    to->failed |= s.p == mcti_buf_lost;
}

/* Returns the bytes with a NUL appended, to free(), or NULL if the buffer has failed. The buffer is empty afterwards.
 */
char *mcti_buf_take(struct mcti_buf *b);

#endif
