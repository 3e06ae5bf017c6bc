#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

bool mct_str_eq_nocase(struct mct_str a, struct mct_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

static struct mct_str trim(struct mct_str s, struct mct_str blanks)
{
    while (s.len && memchr(blanks.p, s.p[0], blanks.len)) {
        s.p++;
        s.len--;
    }
    while (s.len && memchr(blanks.p, s.p[s.len - 1], blanks.len))
        s.len--;
    return s;
}

struct mct_str mct_str_trim(struct mct_str s)
{
    return trim(s, MCT_STR(" \t"));
}

struct mct_str mct_str_trim_white(struct mct_str s)
{
    return trim(s, MCT_STR(" \t\r\n\v\f"));
}

char *mct_str_dup(struct mct_str s)
{
    char *copy = malloc(s.len + 1);
    if (!copy)
        return NULL;
    if (s.len)
        memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    return copy;
}

struct mct_str mct_str_keep(char **at, struct mct_str s)
{
    struct mct_str copy = { *at, s.len };
    if (!s.p)
        return s;
    memcpy(*at, s.p, s.len);
    *at += s.len;
    return copy;
}

int mct_str_cmp(struct mct_str a, struct mct_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int r = n ? memcmp(a.p, b.p, n) : 0;
    if (r)
        return r;
    return a.len < b.len ? -1 : a.len > b.len;
}

static bool matches(struct mct_str g, struct mct_str t, bool (*same)(char pattern, char c))
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

bool mct_str_glob(struct mct_str glob, struct mct_str text)
{
    return matches(glob, text, same_or_any);
}

static bool same_nocase(char pattern, char c)
{
    return mct_str_eq_nocase((struct mct_str){ &pattern, 1 }, (struct mct_str){ &c, 1 });
}

bool mct_str_glob_nocase(struct mct_str glob, struct mct_str text)
{
    return matches(glob, text, same_nocase);
}

bool mct_str_glob_any(const char *const *globs, size_t n, struct mct_str text)
{
    for (size_t i = 0; i < n; i++)
        if (mct_str_glob(mct_str_of(globs[i]), text))
            return true;
    return false;
}

bool mct_str_split(struct mct_str *rest, char sep, struct mct_str *ret_part)
{
    if (!rest->p)
        return false;
    const char *at = rest->len ? memchr(rest->p, sep, rest->len) : NULL;
    if (!at) {
        *ret_part = *rest;
        *rest = MCT_STR_NONE;
        return true;
    }
    *ret_part = mct_str_range(rest->p, at);
    *rest = mct_str_range(at + 1, rest->p + rest->len);
    return true;
}

bool mct_str_eq_secret(struct mct_str a, struct mct_str b)
{
    volatile unsigned char diff = a.len != b.len;
    for (size_t i = 0; i < a.len; i++)
        diff |= (unsigned char)(a.p[i] ^ (b.len ? b.p[i % b.len] : 0));
    return diff == 0;
}

const struct mcti_word *mcti_word_find(const struct mcti_word *words, struct mct_str text)
{
    for (; words->word; words++)
        if (mct_str_is(text, words->word))
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
