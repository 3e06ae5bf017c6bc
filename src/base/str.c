#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool mcti_str_eq_nocase(struct mcti_str a, struct mcti_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (mcti_lower(a.p[i]) != mcti_lower(b.p[i]))
            return false;
    return true;
}

static inline bool str_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool str_is_white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline struct mcti_str str_trim(struct mcti_str s, bool (*is_trimmed)(char c))
{
    while (s.len && is_trimmed(s.p[0])) {
        s.p++;
        s.len--;
    }
    while (s.len && is_trimmed(s.p[s.len - 1]))
        s.len--;
    return s;
}

struct mcti_str mcti_str_trim(struct mcti_str s)
{
    return str_trim(s, str_is_blank);
}

struct mcti_str mcti_str_trim_white(struct mcti_str s)
{
    return str_trim(s, str_is_white);
}

char *mcti_str_dup(struct mcti_str s)
{
    char *copy = malloc(s.len + 1);
    if (!copy)
        return NULL;
    if (s.len)
        memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    return copy;
}

void mcti_secret_free(char *text)
{
    if (text)
        explicit_bzero(text, strlen(text));
    free(text);
}

bool mcti_str_is_token(struct mcti_str s)
{
    /* a bit for each ASCII character: letters, digits and !#$%&'*+-.^_`|~ */
    static const uint32_t allowed[8] = { 0, 0x03ff6cfa, 0xc7fffffe, 0x57ffffff };
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!(allowed[c >> 5] >> (c & 31) & 1))
            return false;
    }
    return s.len > 0;
}

int mcti_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int mcti_str_percent(struct mcti_str s, size_t at)
{
    int high = s.len - at > 2 && s.p[at] == '%' ? mcti_hex_digit(s.p[at + 1]) : -1;
    int low = high >= 0 ? mcti_hex_digit(s.p[at + 2]) : -1;
    return low >= 0 ? high << 4 | low : -1;
}

struct mcti_str mcti_str_keep(char **at, struct mcti_str s)
{
    struct mcti_str copy = { *at, s.len };
    if (!s.p)
        return s;
    memcpy(*at, s.p, s.len);
    *at += s.len;
    return copy;
}

int mcti_str_cmp(struct mcti_str a, struct mcti_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int r = n ? memcmp(a.p, b.p, n) : 0;
    if (r)
        return r;
    return a.len < b.len ? -1 : a.len > b.len;
}

static bool str_matches(struct mcti_str g, struct mcti_str t, bool (*same)(char pattern, char c))
{
    size_t gi = 0, ti = 0, star = (size_t)-1, mark = 0;

    while (ti < t.len) {
        if (gi < g.len && g.p[gi] == '*') {
            star = gi++;
            mark = ti;
        } else if (gi < g.len && same(g.p[gi], t.p[ti])) {
            gi++;
            ti++;
        } else if (star != (size_t)-1) {
            gi = star + 1;
            ti = ++mark;
        } else {
            return false;
        }
    }
    while (gi < g.len && g.p[gi] == '*')
        gi++;
    return gi == g.len;
}

static bool same_or_any(char pattern, char c)
{
    return pattern == '?' || pattern == c;
}

bool mcti_str_glob(struct mcti_str glob, struct mcti_str text)
{
    return str_matches(glob, text, same_or_any);
}

static bool same_nocase(char pattern, char c)
{
    return mcti_str_eq_nocase((struct mcti_str){ &pattern, 1 }, (struct mcti_str){ &c, 1 });
}

bool mcti_str_glob_nocase(struct mcti_str glob, struct mcti_str text)
{
    return str_matches(glob, text, same_nocase);
}

bool mcti_str_glob_any(const char *const *globs, size_t n, struct mcti_str text)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_str_glob(mcti_str_of(globs[i]), text))
            return true;
    return false;
}

bool mcti_str_split(struct mcti_str *rest, char sep, struct mcti_str *ret_part)
{
    if (!rest->p)
        return false;
    const char *at = rest->len ? memchr(rest->p, sep, rest->len) : NULL;
    if (!at) {
        *ret_part = *rest;
        *rest = MCT_STR_NONE;
        return true;
    }
    *ret_part = mcti_str_range(rest->p, at);
    *rest = mcti_str_range(at + 1, rest->p + rest->len);
    return true;
}

bool mcti_str_eq_secret(struct mcti_str a, struct mcti_str b)
{
    volatile unsigned char diff = a.len != b.len;
    for (size_t i = 0; i < a.len; i++)
        diff |= (unsigned char)(a.p[i] ^ (b.len ? b.p[i % b.len] : 0));
    return diff == 0;
}

const struct mcti_word *mcti_word_find(const struct mcti_word *words, struct mcti_str text)
{
    for (; words->word; words++)
        if (mcti_str_is(text, words->word))
            return words;
    return NULL;
}

const char *mcti_word_of(const struct mcti_word *words, unsigned value)
{
    while (words->word && words->value != value)
        words++;
    return words->word;
}

const char *mcti_words_text(const struct mcti_word *words, char *to, size_t size)
{
    size_t len = 0;
    to[0] = '\0';
    for (const struct mcti_word *w = words; w->word && len < size; w++) {
        const char *before = w == words ? "" : w[1].word ? ", " : " or ";
        len += (size_t)snprintf(to + len, size - len, "%s%s", before, w->word);
    }
    return to;
}
