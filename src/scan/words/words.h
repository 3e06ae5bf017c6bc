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
    X(URL) X(PAYLOAD) X(HARM) X(REPLY) X(USES) X(LIE) X(ACT) X(PRIVATE) X(READER) X(OMIT) X(FEIGN) X(CONFIG) X(DO) X(OBEY) X(TOOLOUT) X(OTHER) X(SERVERS) X(SHOULD) X(ALSO) X(SELF) X(HOME) X(TREAT) X(DOES) X(LETTER) X(ASK)
/* clang-format on */

enum {
#define MCTI_SCAN_BIT(name) SCAN_BIT_##name,
    MCTI_SCAN_CONCEPTS(MCTI_SCAN_BIT)
#undef MCTI_SCAN_BIT
        SCAN_N_CONCEPTS
};
/* A set of concepts. */
__extension__ typedef unsigned __int128 mcti_scan_mask;
_Static_assert(SCAN_N_CONCEPTS <= 128, "concepts are bits of a mask");

#define SCAN_MASK(name) ((mcti_scan_mask)1 << SCAN_BIT_##name)

/* Words and phrases of a concept; phrases have at most SCAN_PHRASE_WORDS words. Tables end in a row without words. */
struct mcti_scan_words {
    mcti_scan_mask mask;
    const char *words;
    bool over; /* phrases only: the words behind the first keep their own concepts */
};

enum { SCAN_PHRASE_WORDS = 8 };

extern const struct mcti_scan_words mcti_scan_english[], mcti_scan_english_more[], mcti_scan_german[],
    mcti_scan_french[], mcti_scan_spanish[], mcti_scan_russian[], mcti_scan_chinese[], mcti_scan_japanese[],
    mcti_scan_portuguese[], mcti_scan_italian[], mcti_scan_dutch[], mcti_scan_polish[], mcti_scan_ukrainian[],
    mcti_scan_turkish[], mcti_scan_korean[], mcti_scan_arabic[], mcti_scan_hindi[], mcti_scan_vietnamese[],
    mcti_scan_indonesian[], mcti_scan_swedish[];
extern const struct mcti_scan_words *const mcti_scan_languages[]; /* ends in NULL */

/* The index of all words. */
struct mcti_scanner {
    uint32_t *slot; /* 1 + number of the word in all languages; 0: empty */
    struct scan_index_word {
        const char *text;
        mcti_scan_mask mask;
        uint32_t len;
        enum scan_index_kind {
            SCAN_INDEX_WORD,   /* a word or phrase; the words of a phrase lose their own concepts */
            SCAN_INDEX_PREFIX, /* the beginning of a word */
            SCAN_INDEX_OVER,   /* a phrase that is laid over its words */
        } kind;
    } * word;
    char *turned; /* bytes of words in rot13 and back to front */
    size_t n_words, n_slots;
};

/* Words of a text, folded: letters without case, accents and look-alikes. Words of a span-less script are characters.
 */
struct mcti_scan_span {
    uint32_t at, len;   /* in the folded text */
    uint32_t raw, rend; /* in the original text */
    uint32_t sentence;
    bool glued; /* without a blank in front: characters of a script without blanks */
    mcti_scan_mask mask;
};

/* A word with concepts. */
struct mcti_scan_token {
    mcti_scan_mask mask;
    uint32_t pos;       /* in half words */
    uint32_t raw, rend; /* in the original text */
    uint32_t sentence;
    mcti_scan_mask around; /* concepts of the whole sentence */
    bool quoted;           /* it follows a word about attacks or examples in its sentence */
};

struct mcti_scan_text {
    struct mcti_str raw;
    struct mcti_buf folded;
    struct mcti_scan_span *span;
    size_t n_spans, span_cap;
    struct mcti_scan_token *token;
    size_t n_tokens, token_cap;
    mcti_scan_mask mask; /* of all tokens */
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

/* What begins at a word of a text. */
struct mcti_scan_match {
    mcti_scan_mask mask, over; /* concepts of the word or phrase, and those of a phrase laid over it; 0: none */
    size_t n_words, n_over;    /* spans that they take */
};

/* Finds the longest phrases that begin at span `i`. */
void mcti_scanner_find(const struct mcti_scanner *s, const struct mcti_scan_text *t, size_t i,
                       struct mcti_scan_match *ret_match);

/* Returns the concepts of one word that stands alone. */
mcti_scan_mask mcti_scanner_word(const struct mcti_scanner *s, struct mcti_str word);

/* How a text is read. */
struct mcti_scan_reader {
    const struct mcti_scanner *s;
    bool is_name; /* the parts of names such as create_issue are words */
    /* Returns the concepts of a name that stands in a text; 0: none. */
    mcti_scan_mask (*name_mask)(void *data, struct mcti_str name);
    void *data;
};

/* Cuts a text into words and looks them up. Ends with mcti_scan_text_done(), also if it has failed. */
void mcti_scan_text_read(struct mcti_scan_text *t, const struct mcti_scan_reader *reader, struct mcti_str raw);
void mcti_scan_text_done(struct mcti_scan_text *t);

#endif
