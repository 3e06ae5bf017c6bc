/*
 * Texts as words with concepts. Concepts are the meanings that rules combine, whatever the word or language: "tell",
 * "user", "private file". A text is folded first, so that accents, styles, look-alikes and digits for letters do not
 * matter.
 */
#ifndef MCT_SCAN_WORDS_WORDS_H
#define MCT_SCAN_WORDS_WORDS_H

#include "base/buf.h"

#define SCAN_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- concepts: the meanings of words that rules combine ---- */

/* clang-format would make stairs of this list. */
/* clang-format off */
#define MCTI_SCAN_CONCEPTS(X) \
    X(NEG) X(WITHOUT) X(TELL) X(SHOW) X(USER) X(AWARE) X(QUIET) X(COVERT) X(IGNORE) X(PRIOR) X(EVERY) X(YOUR) \
    X(INSTR) X(RULES) X(ALLOW) X(VOID) X(NEWTASK) X(FOLLOW) X(READ) X(SEND) X(PASS) X(PARAM) X(FILES) X(CREDS) \
    X(SYSTEM) X(TALK) X(WHOLE) X(HAD) X(DEST) X(MUST) X(BEFORE) X(WHEN) X(CALL) X(OTHERS) X(INSTEAD) X(MODEL) \
    X(THIS) X(TAMPER) X(PAYEE) X(ANYWAY) X(CONSENT) X(DECODE) X(CODED) X(ROLE) X(FREE) X(DEFENCE) X(RANK) X(STAND) \
    X(DELETE) X(FOREIGN) X(KNOWN) X(TURNED) X(EXFIL) X(LATER) X(BADTOOL) X(APPROVED) X(FAILS) X(ABOVE) X(DISCLOSE) \
    X(URL) X(PAYLOAD) X(HARM) X(REPLY) X(USES)
/* clang-format on */

enum {
#define MCTI_SCAN_BIT(name) SCAN_BIT_##name,
    MCTI_SCAN_CONCEPTS(MCTI_SCAN_BIT)
#undef MCTI_SCAN_BIT
        SCAN_N_CONCEPTS
};
_Static_assert(SCAN_N_CONCEPTS <= 64, "concepts are bits of a mask");

#define SCAN_MASK(name) ((uint64_t)1 << SCAN_BIT_##name)

/* Words and phrases of a concept; phrases have at most SCAN_PHRASE_WORDS words. Tables end in a row without words. */
struct mcti_scan_words {
    uint64_t mask;
    const char *words;
};

enum { SCAN_PHRASE_WORDS = 8 };

extern const struct mcti_scan_words mcti_scan_english[], mcti_scan_german[], mcti_scan_french[], mcti_scan_spanish[],
    mcti_scan_russian[], mcti_scan_chinese[], mcti_scan_japanese[];
extern const struct mcti_scan_words *const mcti_scan_languages[]; /* ends in NULL */

/* The index of all words. */
struct mcti_scanner {
    uint32_t *slot; /* 1 + number of the word in all languages; 0: empty */
    struct scan_index_word {
        const char *text;
        uint64_t mask;
        uint32_t len;
        bool prefix;
    } * word;
    size_t n_words, n_slots;
};

/* Words of a text, folded: letters without case, accents and look-alikes. Words of a span-less script are characters.
 */
struct mcti_scan_span {
    uint32_t at, len;   /* in the folded text */
    uint32_t raw, rend; /* in the original text */
    uint32_t sentence;
    bool glued; /* without a blank in front: characters of a script without blanks */
    uint64_t mask;
};

/* A word with concepts. */
struct mcti_scan_token {
    uint64_t mask;
    uint32_t pos;       /* in half words */
    uint32_t raw, rend; /* in the original text */
    uint32_t sentence;
    uint64_t around; /* concepts of the whole sentence */
    bool quoted;     /* it follows a word about attacks or examples in its sentence */
};

struct mcti_scan_text {
    struct mcti_str raw;
    struct mcti_buf folded;
    struct mcti_scan_span *span;
    size_t n_spans, span_cap;
    struct mcti_scan_token *token;
    size_t n_tokens, token_cap;
    uint64_t mask; /* of all tokens */
    uint32_t pos, sentence;
    bool failed;
};

/* ---- fold.c: characters ---- */

/* Returns the plain form of a character: lower case, without accents, and for styled and full-width letters the ASCII
 * letter. Returns 0 for characters that are not seen. */
unsigned mcti_scan_fold(unsigned c);

/* Returns the ASCII letter that a folded character of another script looks like, or 0. */
unsigned mcti_scan_lookalike(unsigned c);

/* Returns the letter that stands for a digit or sign in "l33t", or 0. */
unsigned mcti_scan_leet(unsigned c);

bool mcti_scan_is_latin(unsigned c);
bool mcti_scan_is_word(unsigned c);  /* a letter or digit */
bool mcti_scan_is_glued(unsigned c); /* of a script without blanks between words */
bool mcti_scan_is_emoji(unsigned c);

/* Returns the character at *p and moves *p behind it; U+FFFD for an invalid byte. */
unsigned mcti_scan_next(const char **p, const char *end);

/* ---- index.c, text.c ---- */

/* Creates the index. NULL: out of memory. */
struct mcti_scanner *mcti_scanner_new(void);
void mcti_scanner_free(struct mcti_scanner *s);

/* Sets *ret_words to the number of spans of the longest phrase that begins at span `i`. Returns its concepts, or 0. */
uint64_t mcti_scanner_find(const struct mcti_scanner *s, const struct mcti_scan_text *t, size_t i, size_t *ret_words);

/* Returns the concepts of one word that stands alone. */
uint64_t mcti_scanner_word(const struct mcti_scanner *s, struct mcti_str word);

/* How a text is read. */
struct mcti_scan_reader {
    const struct mcti_scanner *s;
    bool is_name; /* the parts of names such as create_issue are words */
    /* Returns the concepts of a name that stands in a text; 0: none. */
    uint64_t (*name_mask)(void *data, struct mcti_str name);
    void *data;
};

/* Cuts a text into words and looks them up. Ends with mcti_scan_text_done(), also if it has failed. */
void mcti_scan_text_read(struct mcti_scan_text *t, const struct mcti_scan_reader *reader, struct mcti_str raw);
void mcti_scan_text_done(struct mcti_scan_text *t);

#endif
