/*
 * The span scanner: strict RFC 8259 validation without a tree and without allocation, and iteration over validated
 * text. Relayed values are spans of the original bytes, so numbers, duplicate members and escapes are preserved.
 *
 * Decisions (each tested in tests/unit/json/test_json.c): invalid UTF-8, raw control characters in strings, NaN,
 * leading zeros, trailing commas, comments, a byte order mark and nesting beyond the limit are errors. Numbers of any
 * size or form, \u0000 and unpaired surrogate escapes are valid and relayed. Only mcti_json_unescape() rejects unpaired
 * surrogates, because they have no UTF-8 form.
 */
#ifndef MCT_JSON_SCAN_H
#define MCT_JSON_SCAN_H

#include "base/buf.h"
#include "base/error.h"

struct mcti_json_fault {
    size_t offset;   /* offset of the invalid byte */
    const char *why; /* string literal */
};

struct mcti_json_member {
    struct mcti_str key;   /* as written, without the quotes */
    struct mcti_str value; /* without surrounding white space */
};

/* Members of the outermost object and of the objects in it, recorded during validation. */
enum { MCT_JSON_TOP = 8, MCT_JSON_INNER = 8 };
struct mcti_json_top {
    struct mcti_json_member member[MCT_JSON_TOP];
    size_t n;              /* number of members; only the first MCT_JSON_TOP are stored */
    struct mcti_str value; /* the whole value without surrounding white space */
    struct mcti_json_inner {
        struct mcti_json_member member;
        size_t of; /* number of the outermost object's member that it belongs to */
    } inner[MCT_JSON_INNER];
    size_t n_inner; /* number of these members; only the first MCT_JSON_INNER are stored */
};

/* Returns true if `text` is one valid JSON text. `top` and `fault` may be NULL. */
bool mcti_json_valid(struct mcti_str text, int max_depth, struct mcti_json_top *top, struct mcti_json_fault *fault);

/* A validation in pieces, while the text arrives: no byte is checked twice. Needs no end. */
enum {
    MCT_JSON_LEVELS = 2048, /* deeper nesting is refused, whatever max_depth allows */
    MCT_JSON_NOTED = 3,     /* levels whose members are noted */
};
struct mcti_json_scan {
    size_t at;       /* bytes that are checked */
    const char *why; /* the fault at this byte; NULL: none yet */
    unsigned depth, max_depth;
    unsigned char state, number; /* what is expected next; where in a number */
    bool in_object;              /* the innermost container is one */
    bool is_whole;               /* no more bytes follow */
    const char *base, *end;      /* the bytes that are there */
    /* The members that are noted; offsets, because the text may move. */
    struct mcti_json_place {
        size_t key, key_end, value, value_end;
    } open[MCT_JSON_NOTED], member[MCT_JSON_TOP], inner[MCT_JSON_INNER]; /* open: at each depth the newest one */
    size_t inner_of[MCT_JSON_INNER];
    size_t n, n_inner;
    uint64_t objects[MCT_JSON_LEVELS / 64]; /* a bit for each open container: an object */
};

void mcti_json_scan_begin(struct mcti_json_scan *s, int max_depth);

/* Checks the new bytes of `text`, which begins with everything that was passed before. */
void mcti_json_scan_more(struct mcti_json_scan *s, struct mcti_str text);

/* Checks the rest of the whole text, and returns like mcti_json_valid(). */
bool mcti_json_scan_end(struct mcti_json_scan *s, struct mcti_str text, struct mcti_json_top *top,
                        struct mcti_json_fault *fault);

/* Goes on with the check of a long text of which more has arrived, if *check is NULL with a new one; short texts are
 * checked at their end. The caller frees *check. It is missing when out of memory, which is no error. */
void mcti_json_arrived(struct mcti_json_scan **check, struct mcti_str text);

/* Does the same as mcti_chunk_take() with the whole text; the chunk gets the check, which is freed if there is none. */
struct mcti_chunk *mcti_json_chunk_take(struct mcti_buf *text, struct mcti_json_scan **take_check);

/* Validates `text`, given by a user, as a JSON object. Returns -1 and sets *err (MCT_ERR_USAGE), with `what` as the
 * name of the input; an empty text is an error, too. */
int mcti_json_read_object(struct mcti_str text, const char *what, struct mcti_str *ret, struct mct_error *err);

/* ---- functions for validated values; they do not check the syntax ---- */

struct mcti_json_iter {
    const char *p, *end;
};

/* Iterates over an object or array; any other value has no elements. */
struct mcti_json_iter mcti_json_open(struct mcti_str container);
bool mcti_json_next_member(struct mcti_json_iter *it, struct mcti_json_member *ret);
bool mcti_json_next_item(struct mcti_json_iter *it, struct mcti_str *ret);

/* Returns the first member with that name; absent if there is none or `object` is not an object. */
struct mcti_str mcti_json_get(struct mcti_str object, const char *key);

/* Compares a key as written, possibly with escapes, with a name. */
bool mcti_json_key_compare(struct mcti_str raw_key, const char *name);

/* Returns true if a key as written is `name`. */
static inline bool mcti_json_key_is(struct mcti_str raw_key, const char *name)
{
    bool differs = raw_key.len && *raw_key.p != *name && *raw_key.p != '\\'; /* as most do */
    return !differs && mcti_json_key_compare(raw_key, name);
}

/* Returns which of `n` names, texts that end with NUL, a key as written is; `n`: none. */
size_t mcti_json_key_find(struct mcti_str raw_key, const struct mcti_str *names, size_t n);

/* Returns the type of a value, its first byte: '{' '[' '"' 't' 'f' 'n', '0' for a number, or 0 if absent. */
char mcti_json_type(struct mcti_str value);

/* Returns the key of a member as a string value, with its quotes. */
static inline struct mcti_str mcti_json_key_value(struct mcti_str key)
{
    return (struct mcti_str){ key.p - 1, key.len + 2 };
}

/* Returns a string value without escapes as a span of the original; false if it is not a string or has escapes. */
bool mcti_json_plain(struct mcti_str value, struct mcti_str *ret);

/* Appends the text of a string value. Returns -1 for other types and unpaired surrogates. */
int mcti_json_unescape(struct mcti_str value, struct mcti_buf *to);

/* Like mcti_json_unescape(), with U+FFFD for unpaired surrogates: for text that is only displayed. Returns -1 for other
 * types. */
int mcti_json_unescape_any(struct mcti_str value, struct mcti_buf *to);

/* Appends a token of a JSON Pointer (RFC 6901), decoded: ~1 is a slash, ~0 a tilde. */
void mcti_json_put_token(struct mcti_buf *to, struct mcti_str token);

/* Iterates over the text of a string value in pieces of bounded size, so that a long text is never held twice. Other
 * values have no text. */
struct mcti_json_text {
    const char *p, *end;
};
struct mcti_json_text mcti_json_text_open(struct mcti_str value);

/* Appends the next piece: at least one character, and about `max` bytes at most, with U+FFFD for unpaired surrogates.
 * It ends between two characters. Returns false at the end. */
bool mcti_json_text_next(struct mcti_json_text *it, size_t max, struct mcti_buf *to);

/* Returns the text of a string value as an owned, NUL-terminated copy; NULL for other types, for text with U+0000 and
 * for unpaired surrogates. */
char *mcti_json_dup(struct mcti_str value);

/* Returns true if both values are strings of the same text, however it is escaped. */
bool mcti_json_same_text(struct mcti_str a, struct mcti_str b);

/* Returns true if the value is the string `z`. */
bool mcti_json_is(struct mcti_str value, const char *z);

/* Reads a plain non-negative integer below 2^63. Returns false for any other value. */
bool mcti_json_uint(struct mcti_str value, uint64_t *ret);
bool mcti_json_int(struct mcti_str value, int64_t *ret);
double mcti_json_double(struct mcti_str value); /* 0 for other types */
static inline bool mcti_json_true(struct mcti_str value)
{
    return mcti_json_type(value) == 't';
}

#endif
