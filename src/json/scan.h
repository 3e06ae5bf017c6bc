/*
 * The span scanner: strict RFC 8259 validation without a tree and without allocation, and iteration
 * over what was validated. Relayed values are spans of the original bytes, so numbers, duplicate
 * members and escapes survive as they are.
 *
 * Decisions (tests/unit/json/test_json.c holds each): invalid UTF-8, raw control characters in strings,
 * NaN, leading zeros, trailing commas, comments, a byte order mark and nesting beyond the limit are
 * errors; numbers of any size or form, \u0000 and unpaired surrogate escapes are valid and relayed.
 * Only mcti_json_unescape() refuses unpaired surrogates, because they have no UTF-8 form.
 */
#ifndef MCT_JSON_SCAN_H
#define MCT_JSON_SCAN_H

#include "base/buf.h"
#include "base/error.h"

struct mcti_json_fault {
    size_t offset;   /* of the byte that is wrong */
    const char *why; /* static text */
};

struct mcti_json_member {
    struct mcti_str key;   /* between the quotes, as written */
    struct mcti_str value; /* without surrounding white space */
};

/* The members of the outermost object, noted while validating. */
enum { MCT_JSON_TOP = 8 };
struct mcti_json_top {
    struct mcti_json_member member[MCT_JSON_TOP];
    size_t n;              /* members seen; those beyond MCT_JSON_TOP are counted, not kept */
    struct mcti_str value; /* the whole text without surrounding white space */
};

/* Validates one JSON text. `top` may be NULL, `fault` too. */
bool mcti_json_valid(struct mcti_str text, int max_depth, struct mcti_json_top *top, struct mcti_json_fault *fault);

/* The object somebody has given as text. -1 with *err (MCT_ERR_USAGE) that begins with `what`; nothing at all is a
 * mistake, too. */
int mcti_json_read_object(struct mcti_str text, const char *what, struct mcti_str *ret, struct mct_error *err);

/* ---- below: for values that have been validated; they trust the grammar ---- */

struct mcti_json_iter {
    const char *p, *end;
};

/* Over an object or array; over anything else the iteration is empty. */
struct mcti_json_iter mcti_json_open(struct mcti_str container);
bool mcti_json_next_member(struct mcti_json_iter *it, struct mcti_json_member *ret);
bool mcti_json_next_item(struct mcti_json_iter *it, struct mcti_str *ret);

/* The first member with that name; absent span if there is none or `object` is no object. */
struct mcti_str mcti_json_get(struct mcti_str object, const char *key);

/* Whether a key as written (maybe with escapes) is `name`. */
bool mcti_json_key_is(struct mcti_str raw_key, const char *name);

/* Type of a value by its first byte: '{' '[' '"' '0' (number) 't' 'f' 'n', or 0 when absent. */
char mcti_json_type(struct mcti_str value);

/* The key of a member as a string value: with its quotes. */
static inline struct mcti_str mcti_json_key_value(struct mcti_str key)
{
    return (struct mcti_str){ key.p - 1, key.len + 2 };
}

/* A string value without escapes as a span of the original; false when it is no string or has one. */
bool mcti_json_plain(struct mcti_str value, struct mcti_str *ret);

/* Appends the text of a string value; -1 for non-strings and unpaired surrogates. */
int mcti_json_unescape(struct mcti_str value, struct mcti_buf *to);

/* The same with U+FFFD for unpaired surrogates: for text that is shown and not looked up. -1 for non-strings. */
int mcti_json_unescape_any(struct mcti_str value, struct mcti_buf *to);

/* The text of a string value as an owned, NUL-terminated copy; NULL for other types, for text with
 * U+0000 and for unpaired surrogates. */
char *mcti_json_dup(struct mcti_str value);

/* Whether the value is the string `z`. */
bool mcti_json_is(struct mcti_str value, const char *z);

/* A number that is a plain non-negative integer below 2^63; false otherwise. */
bool mcti_json_uint(struct mcti_str value, uint64_t *ret);
bool mcti_json_int(struct mcti_str value, int64_t *ret);
double mcti_json_double(struct mcti_str value); /* 0 for non-numbers */
static inline bool mcti_json_true(struct mcti_str value)
{
    return mcti_json_type(value) == 't';
}

#endif
