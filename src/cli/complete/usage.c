/*
 * Usage lines as a grammar: words with blanks between them, in brackets if they are optional, with "..." behind them if
 * they repeat, and with '|' between alternatives. Capital letters stand for values. Options are not part of it.
 */
#include "cli/complete/impl.h"

#include <ctype.h>

enum { USAGE_WORDS = 16 };

struct usage_word {
    struct mcti_str text;
    bool optional, repeats;
};

static bool has_capital(struct mcti_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (isupper((unsigned char)s.p[i]))
            return true;
    return false;
}

static bool usage_ends(struct mcti_str s, const char *ending)
{
    size_t n = strlen(ending);
    return s.len >= n && !memcmp(s.p + s.len - n, ending, n);
}

static struct usage_word usage_word_of(struct mcti_str text)
{
    struct usage_word w = { .repeats = usage_ends(text, "...") };
    text.len -= w.repeats ? 3 : 0;
    w.optional = text.len > 2 && *text.p == '[' && usage_ends(text, "]");
    w.text = w.optional ? (struct mcti_str){ text.p + 1, text.len - 2 } : text;
    return w;
}

/* Splits a usage line into at most USAGE_WORDS words. Returns their number. */
static size_t usage_split(struct mcti_str line, struct usage_word ret[USAGE_WORDS])
{
    struct mcti_str text;
    size_t n = 0;
    while (n < USAGE_WORDS && mcti_str_split(&line, ' ', &text)) {
        bool bracket = text.len && *text.p == '[';
        struct mcti_str name = bracket ? (struct mcti_str){ text.p + 1, text.len - 1 } : text;
        if (mcti_str_starts(name, MCT_STR("--")) && name.len > 2) {
            const struct mcti_option *o = mcti_option_find(name, NULL);
            if (o && o->argument)
                mcti_str_split(&line, ' ', &text); /* the value of the option */
        } else if (text.len && !mcti_str_is(text, "--")) {
            ret[n++] = usage_word_of(text);
        }
    }
    return n;
}

static bool usage_accepts(const struct usage_word *w, const char *word)
{
    struct mcti_str rest = w->text, one;
    while (mcti_str_split(&rest, '|', &one))
        if (has_capital(one) || mcti_str_is(one, word))
            return true;
    return false;
}

/* Returns `at` and what can be reached from there by leaving out optional words. Bits are indexes into the words. */
static unsigned usage_spread(const struct usage_word *v, size_t n, unsigned at)
{
    for (size_t i = 0; i < n; i++)
        if (at & 1u << i && v[i].optional)
            at |= 1u << (i + 1);
    return at;
}

/* Returns what can follow the words. */
static unsigned usage_walk(const struct usage_word *v, size_t n, const struct mcti_strings *words)
{
    unsigned at = usage_spread(v, n, 1);
    for (size_t k = 0; k < words->n; k++) {
        unsigned after = 0;
        for (size_t i = 0; i < n; i++)
            if (at & 1u << i && usage_accepts(&v[i], words->v[k]))
                after |= 1u << (i + 1) | (v[i].repeats ? 1u << i : 0);
        at = usage_spread(v, n, after);
    }
    return at;
}

void mcti_complete_alternatives(struct mcti_complete *c, struct mcti_str word, mcti_complete_next_fn next)
{
    struct mcti_str one;
    while (mcti_str_split(&word, '|', &one))
        next(c, one, !has_capital(one));
}

void mcti_complete_usage(struct mcti_complete *c, const char *usage, mcti_complete_next_fn next)
{
    struct mcti_str lines = mcti_str_of(usage), line;
    while (mcti_str_split(&lines, '\n', &line)) {
        struct usage_word v[USAGE_WORDS];
        size_t n = usage_split(line, v);
        unsigned at = usage_walk(v, n, &c->words);
        for (size_t i = 0; i < n; i++)
            if (at & 1u << i)
                mcti_complete_alternatives(c, v[i].text, next);
    }
}
