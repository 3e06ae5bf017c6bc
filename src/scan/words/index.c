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
static void each_word(struct mcti_scanner *s,
                      void (*each)(struct mcti_scanner *s, struct mcti_str word, const struct mcti_scan_words *row))
{
    for (const struct mcti_scan_words *const *language = mcti_scan_languages; *language; language++)
        for (const struct mcti_scan_words *row = *language; row->words; row++) {
            struct mcti_str word, rest = mcti_str_of(row->words);
            while (mcti_str_split(&rest, ';', &word))
                each(s, word, row);
        }
}

static void index_count(struct mcti_scanner *s, struct mcti_str word, const struct mcti_scan_words *row)
{
    (void)word;
    (void)row;
    s->n_words++;
}

/* Returns the word of the index, or NULL. Words of the same letters and of different kinds are different words. */
static struct scan_index_word *index_find(const struct mcti_scanner *s, uint32_t hash, struct mcti_str text,
                                          enum scan_index_kind kind)
{
    for (size_t at = hash % s->n_slots; s->slot[at]; at = (at + 1) % s->n_slots) {
        struct scan_index_word *w = &s->word[s->slot[at] - 1];
        if (w->kind == kind && w->len == text.len && memcmp(w->text, text.p, text.len) == 0)
            return w;
    }
    return NULL;
}

static enum scan_index_kind word_kind(struct mcti_str word, const struct mcti_scan_words *row)
{
    if (word.len && word.p[word.len - 1] == '*')
        return SCAN_INDEX_PREFIX;
    return row->over && memchr(word.p, ' ', word.len) ? SCAN_INDEX_OVER : SCAN_INDEX_WORD;
}

/* Adds a word; one that several rows share gets the concepts of all. */
static void words_add(struct mcti_scanner *s, struct mcti_str word, const struct mcti_scan_words *row)
{
    enum scan_index_kind kind = word_kind(word, row);
    struct mcti_str text = { word.p, word.len - (kind == SCAN_INDEX_PREFIX) };
    uint32_t hash = word_hash_of(text.p, text.len);
    struct scan_index_word *old = index_find(s, hash, text, kind);
    if (old) {
        old->mask |= row->mask;
        return;
    }
    size_t at = hash % s->n_slots;
    while (s->slot[at])
        at = (at + 1) % s->n_slots;
    s->word[s->n_words] = (struct scan_index_word){ text.p, row->mask, (uint32_t)text.len, kind };
    s->slot[at] = (uint32_t)++s->n_words;
}

enum { TURNED_LEAST = 4, TURNED_MOST = 24, FORMS = 3 }; /* a word, its letters turned by 13, and back to front */

static char letter_turned(char c)
{
    return c >= 'a' && c <= 'z' ? (char)('a' + (c - 'a' + 13) % 26) : c;
}

/* Adds the words of the lexicon in rot13 and back to front: texts with several of these are decoded. */
static void turned_add(struct mcti_scanner *s)
{
    static const struct mcti_scan_words row = { SCAN_MASK(TURNED), "", false };
    char *to = s->turned;
    for (size_t i = 0, n = s->n_words; i < n; i++) {
        struct mcti_str word = { s->word[i].text, s->word[i].len };
        if (word.len < TURNED_LEAST || word.len > TURNED_MOST || memchr(word.p, ' ', word.len) || word.p[0] < 'a' ||
            word.p[0] > 'z' || s->word[i].kind != SCAN_INDEX_WORD)
            continue;
        for (size_t k = 0; k < word.len; k++) {
            to[k] = letter_turned(word.p[k]);
            to[word.len + k] = word.p[word.len - 1 - k];
        }
        words_add(s, (struct mcti_str){ to, word.len }, &row);
        words_add(s, (struct mcti_str){ to + word.len, word.len }, &row);
        to += 2 * word.len;
    }
}

struct mcti_scanner *mcti_scanner_new(void)
{
    struct mcti_scanner *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    each_word(s, index_count);
    s->n_slots = 2 * FORMS * s->n_words + 1;
    s->slot = calloc(s->n_slots, sizeof *s->slot);
    s->word = calloc(FORMS * s->n_words, sizeof *s->word);
    s->turned = malloc(2 * TURNED_MOST * s->n_words);
    s->n_words = 0;
    if (!s->slot || !s->word || !s->turned) {
        mcti_scanner_free(s);
        return NULL;
    }
    each_word(s, words_add);
    turned_add(s);
    return s;
}

void mcti_scanner_free(struct mcti_scanner *s)
{
    if (!s)
        return;
    free(s->slot);
    free(s->word);
    free(s->turned);
    free(s);
}

static mcti_scan_mask word_whole(const struct mcti_scanner *s, struct mcti_str word)
{
    const struct scan_index_word *w = index_find(s, word_hash_of(word.p, word.len), word, SCAN_INDEX_WORD);
    return w ? w->mask : 0;
}

/* Looks up the beginnings of a word. */
static mcti_scan_mask find_prefix(const struct mcti_scanner *s, struct mcti_str word)
{
    uint32_t hash = (uint32_t)HASH_START;
    mcti_scan_mask mask = 0;
    for (size_t i = 0; i < word.len && i < 24; i++) {
        hash = word_hash(hash, word.p[i]);
        if (i + 1 < SHORTEST_PREFIX)
            continue;
        const struct scan_index_word *w = index_find(s, hash, (struct mcti_str){ word.p, i + 1 }, SCAN_INDEX_PREFIX);
        mask = w ? w->mask : mask;
    }
    return mask;
}

/* The concepts that a verb keeps in "-ed" and "-ing": those of moving data. "Ignored" says what happened. */
#define MOVES (SCAN_MASK(SEND) | SCAN_MASK(PASS) | SCAN_MASK(READ) | SCAN_MASK(DISCLOSE))

/* Looks up the base form of "forwarded" and "forwarding": the word without its end, with 'e', and without a doubled
 * letter; "copied" is "copy". */
static mcti_scan_mask word_base(const struct mcti_scanner *s, struct mcti_str word)
{
    enum { LEAST = 6, MOST = 24 };
    char base[MOST + 2];
    bool ing = word.len > 3 && !memcmp(word.p + word.len - 3, "ing", 3);
    bool ed = !ing && word.len > 2 && !memcmp(word.p + word.len - 2, "ed", 2);
    if (word.len < LEAST || word.len > MOST || !(ing || ed))
        return 0;
    size_t n = word.len - (ing ? 3 : 2);
    memcpy(base, word.p, n);
    if (ed && base[n - 1] == 'i')
        base[n - 1] = 'y';
    base[n] = 'e';
    mcti_scan_mask mask = word_whole(s, (struct mcti_str){ base, n });
    mask = mask ? mask : word_whole(s, (struct mcti_str){ base, n + 1 });
    if (!mask && base[n - 1] == base[n - 2])
        mask = word_whole(s, (struct mcti_str){ base, n - 1 });
    return mask & MOVES;
}

/* Returns DOES for the third person of a verb: "copies", "passes", "sends". */
static mcti_scan_mask word_third_person(const struct mcti_scanner *s, struct mcti_str word)
{
    enum { LEAST = 4, MOST = 24 };
    char base[MOST + 1];
    if (word.len < LEAST || word.len > MOST || word.p[word.len - 1] != 's')
        return 0;
    memcpy(base, word.p, word.len);
    mcti_scan_mask mask = word_whole(s, (struct mcti_str){ base, word.len - 1 });
    if (base[word.len - 2] == 'e')
        mask |= word_whole(s, (struct mcti_str){ base, word.len - 2 });
    if (word.len > LEAST && base[word.len - 2] == 'e' && base[word.len - 3] == 'i') {
        base[word.len - 3] = 'y';
        mask |= word_whole(s, (struct mcti_str){ base, word.len - 2 });
    }
    return mask & SCAN_MASK(DO) ? SCAN_MASK(DOES) : 0;
}

mcti_scan_mask mcti_scanner_word(const struct mcti_scanner *s, struct mcti_str word)
{
    const struct scan_index_word *w = index_find(s, word_hash_of(word.p, word.len), word, SCAN_INDEX_WORD);
    return w ? w->mask : find_prefix(s, word);
}

void mcti_scanner_find(const struct mcti_scanner *s, const struct mcti_scan_text *t, size_t i,
                       struct mcti_scan_match *ret_match)
{
    const struct mcti_scan_span *first = &t->span[i];
    const char *base = t->folded.p + first->at;
    uint32_t hash = (uint32_t)HASH_START;
    size_t len = 0;
    *ret_match = (struct mcti_scan_match){ .n_words = 1, .n_over = 1 };
    for (size_t n = 1; n <= SCAN_PHRASE_WORDS && i + n <= t->n_spans; n++) {
        const struct mcti_scan_span *last = &t->span[i + n - 1];
        if (n > 1 && last->sentence != first->sentence)
            break;
        for (size_t end = last->at + last->len - first->at; len < end; len++)
            hash = word_hash(hash, base[len]);
        struct mcti_str phrase = { base, len };
        const struct scan_index_word *w = index_find(s, hash, phrase, SCAN_INDEX_WORD);
        const struct scan_index_word *over = index_find(s, hash, phrase, SCAN_INDEX_OVER);
        if (w) {
            ret_match->mask = w->mask;
            ret_match->n_words = n;
        }
        if (over) {
            ret_match->over = over->mask;
            ret_match->n_over = n;
        }
    }
    struct mcti_str word = { base, first->len };
    if (!ret_match->mask)
        ret_match->mask = find_prefix(s, word);
    if (!ret_match->mask)
        ret_match->mask = word_base(s, word);
    ret_match->mask |= word_third_person(s, word);
}
