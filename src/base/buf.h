/*
 * A growing byte buffer, born with a ceiling. Appends never fail one by one: a buffer that met its
 * ceiling or ran out of memory is "failed", ignores further appends and says so in mct_buf_ok(). The
 * text of a failed buffer makes each buffer fail to which it is appended, so that half of a text never
 * becomes a part of another.
 */
#ifndef MCT_BASE_BUF_H
#define MCT_BASE_BUF_H

#include "base/str.h"

#include <stdint.h>

struct mct_buf {
    char *p;
    size_t len, cap, max;
    bool failed;
};

void mct_buf_init(struct mct_buf *b, size_t max);
void mct_buf_done(struct mct_buf *b);  /* frees the bytes; the buffer may be initialised again */
void mct_buf_clear(struct mct_buf *b); /* empty and unfailed, memory kept up to 64 KiB */

/* Makes room for `more` bytes and returns where they go, or NULL (and fails). Does not change len. */
char *mct_buf_reserve(struct mct_buf *b, size_t more);

void mct_buf_add(struct mct_buf *b, struct mct_str s);
void mct_buf_addz(struct mct_buf *b, const char *z);
void mct_buf_addc(struct mct_buf *b, char c);
void mct_buf_addu(struct mct_buf *b, uint64_t n); /* decimal */
void mct_buf_printf(struct mct_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first n bytes. */
void mct_buf_shift(struct mct_buf *b, size_t n);

static inline bool mct_buf_ok(const struct mct_buf *b)
{
    return !b->failed;
}

/* The last byte; 0 if there is none. */
static inline char mct_buf_last(const struct mct_buf *b)
{
    return b->len ? b->p[b->len - 1] : '\0';
}

/* The text of buffers that failed: empty, known by its address. */
extern const char mct_buf_lost[1];

static inline struct mct_str mct_buf_str(const struct mct_buf *b)
{
    return b->failed ? (struct mct_str){ mct_buf_lost, 0 } : (struct mct_str){ b->p ? b->p : "", b->len };
}

/* Makes `to` fail if `s` is the text of a buffer that failed. */
static inline void mct_buf_mind(struct mct_buf *to, struct mct_str s)
{
    to->failed |= s.p == mct_buf_lost;
}

/* The bytes with a NUL behind them, to free(); NULL if failed. The buffer is empty afterwards. */
char *mct_buf_take(struct mct_buf *b);

#endif
