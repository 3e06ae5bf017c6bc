/* A span of borrowed bytes. They may have any value and are not NUL-terminated. */
#ifndef MCT_BASE_STR_H
#define MCT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct mcti_str {
    const char *p; /* NULL means "absent", which differs from empty */
    size_t len;
};

/* A string literal as a span. */
#define MCT_STR(lit) ((struct mcti_str){ "" lit, sizeof(lit) - 1 })
#define MCT_STR_NONE ((struct mcti_str){ NULL, 0 })

/* For printf: printf("%.*s", MCT_STR_ARG(s)). */
#define MCT_STR_ARG(s) (int)((s).len > 4096 ? 4096 : (s).len), ((s).p ? (s).p : "")

static inline struct mcti_str mcti_str_of(const char *z)
{
    return (struct mcti_str){ z, z ? strlen(z) : 0 };
}

static inline struct mcti_str mcti_str_range(const char *from, const char *to)
{
    return (struct mcti_str){ from, (size_t)(to - from) };
}

static inline bool mcti_str_eq(struct mcti_str a, struct mcti_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool mcti_str_is(struct mcti_str a, const char *z)
{
    if (!a.len)
        return !z || !*z;
    return z && *z == *a.p && mcti_str_eq(a, mcti_str_of(z)); /* most texts differ in the first byte */
}

static inline bool mcti_str_starts(struct mcti_str a, struct mcti_str prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.p, prefix.p, prefix.len) == 0);
}

/* Compares two spans; ASCII letters are case-insensitive, as in HTTP names and values. */
bool mcti_str_eq_nocase(struct mcti_str a, struct mcti_str b);

/* Removes spaces and tabs at both ends, as HTTP does. */
struct mcti_str mcti_str_trim(struct mcti_str s);
/* Removes all ASCII white space, including line breaks, at both ends, as JavaScript does: for text written by people
 * and programs. */
struct mcti_str mcti_str_trim_white(struct mcti_str s);

/* Returns a NUL-terminated copy to free(), or NULL if memory is exhausted. */
char *mcti_str_dup(struct mcti_str s);

/* Wipes and frees a secret text. NULL does nothing. */
void mcti_secret_free(char *text);

/* Returns an ASCII letter in lower case, any other byte as it is. */
static inline char mcti_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Returns whether the text is a token of HTTP (RFC 9110 section 5.6.2), such as the name of a header. */
bool mcti_str_is_token(struct mcti_str s);

/* Returns the value of a hexadecimal digit, -1 for another character. */
int mcti_hex_digit(char c);

/* Returns the byte that an escape %XX at that offset stands for; -1: there is none. */
int mcti_str_percent(struct mcti_str s, size_t at);

/* Copies `s` to *at, advances *at behind the copy and returns the copy. An absent span stays absent. */
struct mcti_str mcti_str_keep(char **at, struct mcti_str s);

/* Compares bytewise, like strcmp(); a prefix sorts first. For qsort(). */
int mcti_str_cmp(struct mcti_str a, struct mcti_str b);

/* Returns true if `text` matches `glob`: '*' matches any bytes, '?' one byte, every other byte itself. */
bool mcti_str_glob(struct mcti_str glob, struct mcti_str text);
/* Like mcti_str_glob(), but case-insensitive for ASCII, and '?' matches only itself. */
bool mcti_str_glob_nocase(struct mcti_str glob, struct mcti_str text);
bool mcti_str_glob_any(const char *const *globs, size_t n, struct mcti_str text);

/* Splits off the part before the first `sep` and moves *rest behind it. Returns false if *rest is absent. */
bool mcti_str_split(struct mcti_str *rest, char sep, struct mcti_str *ret_part);

/* Compares two secrets in a time that depends on their lengths only. */
bool mcti_str_eq_secret(struct mcti_str a, struct mcti_str b);

/* A word of a configuration key or option, with its value. Tables end with a row without a word. */
struct mcti_word {
    const char *word;
    unsigned value;
};

/* Returns the row of `text`, or NULL. */
const struct mcti_word *mcti_word_find(const struct mcti_word *words, struct mcti_str text);

/* Returns the first word with `value`, or NULL. */
const char *mcti_word_of(const struct mcti_word *words, unsigned value);

/* Writes "a, b or c" to `to`, cut at its size; returns `to`. */
const char *mcti_words_text(const struct mcti_word *words, char *to, size_t size);

#endif
