/* The index of words: one table of all languages, made when a scanner is created. */
#include "scan/words/words.h"

#include <stdlib.h>

enum { SHORTEST_PREFIX = 3 };

/* FNV-1a. The index holds only our own words at half load, so a text cannot make its look-ups long. */
static uint32_t word_hash(uint32_t hash, char c)
{
    return (hash ^ (unsigned char)c) * 16777619u;
}

enum { HASH_START = (int)2166136261u };

static uint32_t word_hash_of(const char *text, size_t len)
{
    uint32_t hash = (uint32_t)HASH_START;
    for (size_t i = 0; i < len; i++)
        hash = word_hash(hash, text[i]);
    return hash;
}

/* Calls `each` with all words of all languages. */
static void each_word(struct mcti_scanner *s, void (*each)(struct mcti_scanner *s, struct mcti_str word, uint64_t mask))
{
    for (const struct mcti_scan_words *const *language = mcti_scan_languages; *language; language++)
        for (const struct mcti_scan_words *row = *language; row->words; row++) {
            struct mcti_str word, rest = mcti_str_of(row->words);
            while (mcti_str_split(&rest, ';', &word))
                each(s, word, row->mask);
        }
}

static void index_count(struct mcti_scanner *s, struct mcti_str word, uint64_t mask)
{
    (void)word;
    (void)mask;
    s->n_words++;
}

/* Returns the word of the index, or NULL. A prefix and a whole word of the same letters are different words. */
static struct scan_index_word *index_find(const struct mcti_scanner *s, uint32_t hash, struct mcti_str text,
                                          bool prefix)
{
    for (size_t at = hash % s->n_slots; s->slot[at]; at = (at + 1) % s->n_slots) {
        struct scan_index_word *w = &s->word[s->slot[at] - 1];
        if (w->prefix == prefix && w->len == text.len && memcmp(w->text, text.p, text.len) == 0)
            return w;
    }
    return NULL;
}

/* Adds a word; one that several rows share gets the concepts of all. */
static void words_add(struct mcti_scanner *s, struct mcti_str word, uint64_t mask)
{
    bool prefix = word.len && word.p[word.len - 1] == '*';
    struct mcti_str text = { word.p, word.len - prefix };
    uint32_t hash = word_hash_of(text.p, text.len);
    struct scan_index_word *old = index_find(s, hash, text, prefix);
    if (old) {
        old->mask |= mask;
        return;
    }
    size_t at = hash % s->n_slots;
    while (s->slot[at])
        at = (at + 1) % s->n_slots;
    s->word[s->n_words] = (struct scan_index_word){ text.p, mask, (uint32_t)text.len, prefix };
    s->slot[at] = (uint32_t)++s->n_words;
}

struct mcti_scanner *mcti_scanner_new(void)
{
    struct mcti_scanner *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    each_word(s, index_count);
    s->n_slots = 2 * s->n_words + 1;
    s->slot = calloc(s->n_slots, sizeof *s->slot);
    s->word = calloc(s->n_words, sizeof *s->word);
    s->n_words = 0;
    if (!s->slot || !s->word) {
        mcti_scanner_free(s);
        return NULL;
    }
    each_word(s, words_add);
    return s;
}

void mcti_scanner_free(struct mcti_scanner *s)
{
    if (!s)
        return;
    free(s->slot);
    free(s->word);
    free(s);
}

/* Looks up the beginnings of a word. */
static uint64_t find_prefix(const struct mcti_scanner *s, struct mcti_str word)
{
    uint32_t hash = (uint32_t)HASH_START;
    uint64_t mask = 0;
    for (size_t i = 0; i < word.len && i < 24; i++) {
        hash = word_hash(hash, word.p[i]);
        if (i + 1 < SHORTEST_PREFIX)
            continue;
        const struct scan_index_word *w = index_find(s, hash, (struct mcti_str){ word.p, i + 1 }, true);
        mask = w ? w->mask : mask;
    }
    return mask;
}

uint64_t mcti_scanner_word(const struct mcti_scanner *s, struct mcti_str word)
{
    const struct scan_index_word *w = index_find(s, word_hash_of(word.p, word.len), word, false);
    return w ? w->mask : find_prefix(s, word);
}

uint64_t mcti_scanner_find(const struct mcti_scanner *s, const struct mcti_scan_text *t, size_t i, size_t *ret_words)
{
    const struct mcti_scan_span *first = &t->span[i];
    const char *base = t->folded.p + first->at;
    uint32_t hash = (uint32_t)HASH_START;
    uint64_t mask = 0;
    size_t len = 0;
    *ret_words = 1;
    for (size_t n = 1; n <= SCAN_PHRASE_WORDS && i + n <= t->n_spans; n++) {
        const struct mcti_scan_span *last = &t->span[i + n - 1];
        if (n > 1 && last->sentence != first->sentence)
            break;
        for (size_t end = last->at + last->len - first->at; len < end; len++)
            hash = word_hash(hash, base[len]);
        const struct scan_index_word *w = index_find(s, hash, (struct mcti_str){ base, len }, false);
        if (w) {
            mask = w->mask;
            *ret_words = n;
        }
    }
    return mask ? mask : find_prefix(s, (struct mcti_str){ base, first->len });
}
