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

struct mcti_splices;

struct mcti_buf {
    char *p;
    size_t len, cap, max;
    bool failed, secret;
    struct mcti_splices *splices; /* receives long spans instead of copies, see "chunks" below; NULL: none */
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
static inline void mcti_buf_addz(struct mcti_buf *b, const char *z) /* inline: the length of a literal is known */
{
    mcti_buf_add(b, mcti_str_of(z));
}
void mcti_buf_addc(struct mcti_buf *b, char c);
void mcti_buf_addu(struct mcti_buf *b, uint64_t n); /* decimal */

/* Appends a text with its ASCII letters in lower case. */
void mcti_buf_add_lower(struct mcti_buf *b, struct mcti_str s);

/* Appends text with everything but letters, digits and "-._~" percent-encoded; a space becomes "%20". */
void mcti_buf_add_percent(struct mcti_buf *b, struct mcti_str s);
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

/*
 * ---- chunks ----
 *
 * A chunk owns the bytes of one long message and is shared by reference, so that the message travels from a server to a
 * client without being copied. Its bytes stay where they are until the last reference ends.
 *
 * A message that is mostly a part of another one is written as pieces: the new text in a buffer, and between it spans
 * of the chunk (the splices). A buffer refers to long spans of `splices->chunk` instead of copying them while its owner
 * has set mcti_buf.splices; who does that must read the buffer with mcti_pieces_of().
 */

enum {
    MCT_SPLICE_BYTES = 256 * 1024, /* shorter spans are copied */
    MCT_SPLICES = 4,               /* of one message; further spans are copied */
};

struct mcti_json_scan;

struct mcti_chunk {
    unsigned refs;
    char *p;
    size_t len;
    struct mcti_json_scan *check; /* of the JSON text that the bytes are, as far as it came; NULL: none */
    size_t text_at;               /* where that text begins */
};

/* Moves the bytes of `b` into a new chunk, which the caller owns. Returns NULL and leaves `b` as it is if memory is
 * exhausted, or if there are so few bytes that a chunk is not worthwhile. */
struct mcti_chunk *mcti_chunk_take(struct mcti_buf *b);
/* Moves the bytes back into the empty buffer `b` if the caller has the only reference, and ends that reference. */
void mcti_chunk_give_back(struct mcti_chunk *take_chunk, struct mcti_buf *b);

struct mcti_chunk *mcti_chunk_ref(struct mcti_chunk *chunk);
void mcti_chunk_unref(struct mcti_chunk *chunk); /* accepts NULL */

static inline struct mcti_str mcti_chunk_str(const struct mcti_chunk *chunk)
{
    return (struct mcti_str){ chunk->p, chunk->len };
}

/* Spans of a chunk that belong into a buffer at offset `at` of its own bytes. */
struct mcti_splices {
    struct mcti_chunk *chunk; /* borrowed */
    size_t len;               /* of all spans */
    unsigned n;
    struct {
        size_t at;
        struct mcti_str span;
    } item[MCT_SPLICES];
};

/* Records `s` as a splice of `b`. Returns false if it has to be copied. */
bool mcti_splices_take(struct mcti_buf *b, struct mcti_str s);

/* A text in pieces, in order. Pieces in `chunk` may be kept by a reference to it, the others are valid during the call.
 */
struct mcti_pieces {
    struct mcti_chunk *chunk; /* borrowed; NULL: none */
    size_t len;               /* of all pieces */
    unsigned n;
    struct mcti_str item[2 * MCT_SPLICES + 3]; /* with room for a frame around them */
};

/* Returns a text in one piece. */
static inline struct mcti_pieces mcti_pieces_one(struct mcti_str text)
{
    return (struct mcti_pieces){ .len = text.len, .n = 1, .item = { text } };
}

/* Returns the text of a buffer with its splices. */
struct mcti_pieces mcti_pieces_of(const struct mcti_buf *b);

/* Returns true if piece `i` lies in the chunk. */
bool mcti_pieces_shared(const struct mcti_pieces *p, unsigned i);

/* Appends a copy of the text. */
void mcti_pieces_copy(struct mcti_buf *to, const struct mcti_pieces *p);

#endif
