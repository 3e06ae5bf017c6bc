/* Validation: one loop over tokens, without recursion. It can stop after any byte and go on when more have arrived. */
#include "json/scan.h"

#include "base/limits.h"
#include "json/strings.h"

#include <stdlib.h>

/* What is expected next. The last three are inside of a token that may be long. */
enum {
    SCAN_VALUE,
    SCAN_FIRST_ITEM, /* a value or ']' */
    SCAN_FIRST_NAME, /* a name or '}' */
    SCAN_NAME,
    SCAN_COLON,
    SCAN_MORE, /* ',' or the end of the container */
    SCAN_OVER,
    SCAN_FAULT,
    SCAN_IN_NAME,
    SCAN_IN_STRING,
    SCAN_IN_NUMBER,
};

/* Where in a number; ordered so that those in which a number may end are the last ones. */
enum { NUMBER_SIGN, NUMBER_POINT, NUMBER_E, NUMBER_E_SIGN, NUMBER_ZERO, NUMBER_WHOLE, NUMBER_PART, NUMBER_POWER };

static const char *scan_bad(struct mcti_json_scan *s, const char *p, const char *why)
{
    s->why = why;
    s->state = SCAN_FAULT;
    return p;
}

static inline const char *scan_space(const char *p, const char *end)
{
    for (; p < end && (unsigned char)*p <= ' '; p++) {
        if (*p == ' ' && end - p >= 8 && memcmp(p, "        ", 8) == 0)
            p += 7;
        else if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t')
            break;
    }
    return p;
}

/* ---- strings ---- */

static inline bool scan_is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char *scan_unicode(struct mcti_json_scan *s, const char *p)
{
    for (int i = 2; i < 6; i++) {
        if (p + i == s->end && !s->is_whole)
            return p;
        if (p + i == s->end || !scan_is_hex(p[i]))
            return scan_bad(s, p, "\\u requires four hex digits");
    }
    return p + 6;
}

/* Returns the end of the escape at `p`; `p` itself if it is bad or not whole. */
static inline const char *scan_escape(struct mcti_json_scan *s, const char *p)
{
    if (s->end - p < 2)
        return s->is_whole ? scan_bad(s, p, "unterminated string") : p;
    if (p[1] == 'u')
        return scan_unicode(s, p);
    return mcti_escaped(p[1]) ? p + 2 : scan_bad(s, p, "invalid escape in a string");
}

static const char *scan_utf8(struct mcti_json_scan *s, const char *p)
{
    enum { LONGEST = 4 };
    size_t n = mcti_utf8_len(p, s->end);
    if (!n && (s->is_whole || s->end - p >= LONGEST))
        return scan_bad(s, p, "invalid UTF-8");
    return p + n;
}

/* Returns the end of bytes, escapes and characters that each are no plain byte; `p` itself if there is a fault, or one
 * that is not whole. */
static const char *scan_special(struct mcti_json_scan *s, const char *p)
{
    while (p < s->end) {
        unsigned char c = (unsigned char)*p;
        const char *next = c == '\\' ? scan_escape(s, p) : c >= 0x80 ? scan_utf8(s, p) : p;
        if (next == p)
            break;
        p = next;
    }
    return p;
}

/* Returns the quote that ends the string; otherwise where its checking ends. */
static inline const char *scan_string(struct mcti_json_scan *s, const char *p)
{
    while ((p = mcti_plain_run(p, s->end)) < s->end && *p != '"') {
        if ((unsigned char)*p < 0x20)
            return scan_bad(s, p, "control character in a string");
        const char *next = scan_special(s, p);
        if (next == p || s->why)
            return next;
        p = next;
    }
    return p;
}

/* ---- numbers ---- */

static inline const char *scan_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Goes on after a digit was expected at `p`; `state` follows. */
static const char *scan_first_digit(struct mcti_json_scan *s, const char *p, unsigned char state)
{
    if (*p < '0' || *p > '9')
        return scan_bad(s, p, "digit missing in a number");
    s->number = state;
    return p + 1;
}

/* Goes on behind the digits; another state than SCAN_IN_NUMBER means that the number ends at `p`. */
static const char *scan_behind_digits(struct mcti_json_scan *s, const char *p)
{
    bool has_digit = *p >= '0' && *p <= '9'; /* only behind a zero: other digits were passed over */
    if (has_digit)
        return scan_bad(s, p, "number with a leading zero");
    if (*p == '.' && s->number <= NUMBER_WHOLE) {
        s->number = NUMBER_POINT;
        return p + 1;
    }
    if ((*p == 'e' || *p == 'E') && s->number <= NUMBER_PART) {
        s->number = NUMBER_E;
        return p + 1;
    }
    s->state = SCAN_MORE;
    return p;
}

static const char *scan_number(struct mcti_json_scan *s, const char *p)
{
    while (p < s->end && s->state == SCAN_IN_NUMBER && !s->why) {
        switch (s->number) {
        case NUMBER_SIGN:
            p = scan_first_digit(s, p, *p == '0' ? NUMBER_ZERO : NUMBER_WHOLE);
            continue;
        case NUMBER_POINT:
            p = scan_first_digit(s, p, NUMBER_PART);
            continue;
        case NUMBER_E:
            s->number = NUMBER_E_SIGN;
            p += *p == '+' || *p == '-';
            continue;
        case NUMBER_E_SIGN:
            p = scan_first_digit(s, p, NUMBER_POWER);
            continue;
        case NUMBER_WHOLE:
        case NUMBER_PART:
        case NUMBER_POWER:
            p = scan_digits(p, s->end);
        }
        if (p < s->end)
            p = scan_behind_digits(s, p);
    }
    return p;
}

/* ---- values ---- */

/* Notes a member that has ended. */
static void scan_note(struct mcti_json_scan *s)
{
    if (s->depth == 1) {
        if (s->n < MCT_JSON_TOP)
            s->member[s->n] = s->open[1];
        s->n++;
        return;
    }
    if (s->n_inner < MCT_JSON_INNER) {
        s->inner[s->n_inner] = s->open[2];
        s->inner_of[s->n_inner] = s->n;
    }
    s->n_inner++;
}

/* Notes the end of a value. */
static inline void scan_ended(struct mcti_json_scan *s, const char *p)
{
    s->state = SCAN_MORE;
    if (s->depth >= MCT_JSON_NOTED)
        return;
    s->open[s->depth].value_end = (size_t)(p - s->base);
    if (!s->depth)
        s->state = SCAN_OVER;
    else if (s->in_object)
        scan_note(s);
}

/* Goes on in a string that is a value. */
static const char *scan_in_text(struct mcti_json_scan *s, const char *p)
{
    p = scan_string(s, p);
    if (p == s->end || *p != '"' || s->why)
        return p;
    scan_ended(s, ++p);
    return p;
}

static const char *scan_in_number(struct mcti_json_scan *s, const char *p)
{
    p = scan_number(s, p);
    if (s->state == SCAN_MORE)
        scan_ended(s, p);
    return p;
}

/* Begins a number. Most are short whole ones, with a comma or bracket behind them. */
static const char *scan_first_of_number(struct mcti_json_scan *s, const char *p)
{
    const char *next = *p == '0' ? p + 1 : scan_digits(p, s->end);
    if (next > p && next < s->end && (*next == ',' || *next == '}' || *next == ']')) {
        scan_ended(s, next);
        return next;
    }
    if (next == p && *p != '-')
        return scan_bad(s, p, "expected a value");
    s->state = SCAN_IN_NUMBER;
    s->number = *p == '-' ? NUMBER_SIGN : *p == '0' ? NUMBER_ZERO : NUMBER_WHOLE;
    return scan_in_number(s, p + 1);
}

static const char *scan_word(struct mcti_json_scan *s, const char *p, struct mcti_str word)
{
    size_t n = (size_t)(s->end - p) < word.len ? (size_t)(s->end - p) : word.len;
    if (memcmp(p, word.p, n) != 0 || (n < word.len && s->is_whole))
        return scan_bad(s, p, "invalid word; only true, false and null need no quotes");
    return n < word.len ? p : p + n;
}

static inline const char *scan_open(struct mcti_json_scan *s, const char *p)
{
    if (++s->depth > s->max_depth)
        return scan_bad(s, p + 1, "nested too deeply");
    uint64_t bit = (uint64_t)1 << s->depth % 64, *bits = &s->objects[s->depth / 64];
    s->in_object = *p == '{';
    *bits = s->in_object ? *bits | bit : *bits & ~bit;
    s->state = *p == '{' ? SCAN_FIRST_NAME : SCAN_FIRST_ITEM;
    return p + 1;
}

/* Begins a value. One that ends here leaves another state than SCAN_VALUE. */
static inline const char *scan_value(struct mcti_json_scan *s, const char *p)
{
    const char *next = p;
    if (s->depth < MCT_JSON_NOTED)
        s->open[s->depth].value = (size_t)(p - s->base);
    switch (*p) {
    case '{':
    case '[':
        return scan_open(s, p);
    case '"':
        s->state = SCAN_IN_STRING;
        return scan_in_text(s, p + 1);
    case 't':
        next = scan_word(s, p, MCT_STR("true"));
        break;
    case 'f':
        next = scan_word(s, p, MCT_STR("false"));
        break;
    case 'n':
        next = scan_word(s, p, MCT_STR("null"));
        break;
    default:
        return scan_first_of_number(s, p);
    }
    if (next > p)
        scan_ended(s, next);
    return next;
}

/* ---- members and items ---- */

/* Takes the colon, and the value if it begins here. */
static inline const char *scan_colon(struct mcti_json_scan *s, const char *p)
{
    p = scan_space(p, s->end);
    if (p == s->end)
        return p;
    if (*p != ':')
        return scan_bad(s, p, "':' expected");
    s->state = SCAN_VALUE;
    p = scan_space(p + 1, s->end);
    return p < s->end ? scan_value(s, p) : p;
}

/* Goes on in a name. */
static const char *scan_in_name(struct mcti_json_scan *s, const char *p)
{
    p = scan_string(s, p);
    if (p == s->end || *p != '"' || s->why)
        return p;
    if (s->depth < MCT_JSON_NOTED)
        s->open[s->depth].key_end = (size_t)(p - s->base);
    s->state = SCAN_COLON;
    return scan_colon(s, p + 1);
}

static inline const char *scan_name(struct mcti_json_scan *s, const char *p)
{
    if (*p != '"')
        return scan_bad(s, p, "expected a member name in quotes");
    if (s->depth < MCT_JSON_NOTED)
        s->open[s->depth].key = (size_t)(p + 1 - s->base);
    s->state = SCAN_IN_NAME;
    return scan_in_name(s, p + 1);
}

static inline const char *scan_close(struct mcti_json_scan *s, const char *p)
{
    s->depth--;
    s->in_object = s->objects[s->depth / 64] >> s->depth % 64 & 1;
    scan_ended(s, p + 1);
    return p + 1;
}

static inline const char *scan_more(struct mcti_json_scan *s, const char *p)
{
    if (*p == ',') {
        s->state = s->in_object ? SCAN_NAME : SCAN_VALUE;
        return p + 1;
    }
    if (*p == (s->in_object ? '}' : ']'))
        return scan_close(s, p);
    return scan_bad(s, p, s->in_object ? "',' or '}' expected" : "',' or ']' expected");
}

/* ---- the text ---- */

/* Takes a step at `p`, which is before the end. Returns `p` if more bytes are needed for it. */
static inline const char *scan_step(struct mcti_json_scan *s, const char *p)
{
    switch (s->state) {
    case SCAN_FIRST_ITEM:
        return *p == ']' ? scan_close(s, p) : scan_value(s, p);
    case SCAN_VALUE:
        return scan_value(s, p);
    case SCAN_FIRST_NAME:
        return *p == '}' ? scan_close(s, p) : scan_name(s, p);
    case SCAN_NAME:
        return scan_name(s, p);
    case SCAN_COLON:
        return scan_colon(s, p);
    case SCAN_MORE:
        return scan_more(s, p);
    case SCAN_OVER:
        return scan_bad(s, p, "unexpected text after the value");
    case SCAN_FAULT:
        return p;
    case SCAN_IN_NUMBER:
        return scan_in_number(s, p);
    case SCAN_IN_NAME:
        return scan_in_name(s, p);
    default:
        return scan_in_text(s, p);
    }
}

void mcti_json_scan_begin(struct mcti_json_scan *s, int max_depth)
{
    s->at = s->n = s->n_inner = 0;
    s->open[0] = (struct mcti_json_place){ 0 };
    s->depth = 0;
    s->max_depth = max_depth < MCT_JSON_LEVELS ? (unsigned)max_depth : MCT_JSON_LEVELS - 1;
    s->in_object = false;
    s->state = SCAN_VALUE;
    s->is_whole = false;
    s->why = NULL;
}

void mcti_json_scan_more(struct mcti_json_scan *s, struct mcti_str text)
{
    const char *p = text.p + s->at, *end = text.p + text.len;
    s->base = text.p;
    s->end = end;
    for (;;) {
        const char *from = p;
        unsigned char state = s->state;
        if (state < SCAN_FAULT)
            p = scan_space(p, end);
        if (p < end)
            p = scan_step(s, p);
        if (s->state == SCAN_MORE && p < end && *p == ',')
            p = scan_more(s, p);
        if (p == from && s->state == state)
            break; /* more bytes are needed, or there is a fault */
    }
    s->at = (size_t)(p - text.p);
}

/* Returns what is missing at the end of the text; NULL: nothing. */
static const char *scan_missing(const struct mcti_json_scan *s)
{
    switch (s->state) {
    case SCAN_OVER:
        return NULL;
    case SCAN_FIRST_NAME:
    case SCAN_NAME:
        return "expected a member name in quotes";
    case SCAN_COLON:
        return "':' expected";
    case SCAN_MORE:
        return s->in_object ? "unterminated object" : "unterminated array";
    case SCAN_IN_NAME:
    case SCAN_IN_STRING:
        return "unterminated string";
    default:
        return "unexpected end, expected a value";
    }
}

/* Ends a number at the end of the text. */
static void scan_end_number(struct mcti_json_scan *s)
{
    if (s->number < NUMBER_ZERO)
        s->why = "digit missing in a number";
    else
        scan_ended(s, s->base + s->at);
}

static struct mcti_json_member scan_member(const char *base, const struct mcti_json_place *m)
{
    return (struct mcti_json_member){ { base + m->key, m->key_end - m->key },
                                      { base + m->value, m->value_end - m->value } };
}

static void scan_put_top(const struct mcti_json_scan *s, const char *base, struct mcti_json_top *ret)
{
    const struct mcti_json_place *whole = &s->open[0];
    ret->n = s->n;
    ret->n_inner = s->n_inner;
    ret->value = (struct mcti_str){ base + whole->value, s->why ? 0 : whole->value_end - whole->value };
    for (size_t i = 0; i < s->n && i < MCT_JSON_TOP; i++)
        ret->member[i] = scan_member(base, &s->member[i]);
    for (size_t i = 0; i < s->n_inner && i < MCT_JSON_INNER; i++)
        ret->inner[i] = (struct mcti_json_inner){ scan_member(base, &s->inner[i]), s->inner_of[i] };
}

bool mcti_json_scan_end(struct mcti_json_scan *s, struct mcti_str text, struct mcti_json_top *top,
                        struct mcti_json_fault *fault)
{
    s->is_whole = true;
    mcti_json_scan_more(s, text);
    if (s->state == SCAN_IN_NUMBER && !s->why)
        scan_end_number(s);
    if (!s->why)
        s->why = scan_missing(s);
    if (top)
        scan_put_top(s, text.p, top);
    if (s->why && fault)
        *fault = (struct mcti_json_fault){ s->at, s->why };
    return !s->why;
}

void mcti_json_arrived(struct mcti_json_scan **check, struct mcti_str text)
{
    enum { LONG_BYTES = 64 * 1024 };
    if (text.len < LONG_BYTES)
        return;
    if (!*check && (*check = malloc(sizeof **check)))
        mcti_json_scan_begin(*check, MCT_LIMIT_JSON_DEPTH);
    if (*check)
        mcti_json_scan_more(*check, text);
}

struct mcti_chunk *mcti_json_chunk_take(struct mcti_buf *text, struct mcti_json_scan **take_check)
{
    struct mcti_chunk *chunk = mcti_chunk_take(text);
    if (chunk)
        chunk->check = *take_check;
    else
        free(*take_check);
    *take_check = NULL;
    return chunk;
}

bool mcti_json_valid(struct mcti_str text, int max_depth, struct mcti_json_top *top, struct mcti_json_fault *fault)
{
    struct mcti_json_scan s;
    mcti_json_scan_begin(&s, max_depth);
    return mcti_json_scan_end(&s, text.p ? text : MCT_STR(""), top, fault);
}

int mcti_json_read_object(struct mcti_str text, const char *what, struct mcti_str *ret, struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: not valid JSON at byte %zu: %s", what, fault.offset, fault.why);
    if (mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_USAGE, "%s: must be a JSON object", what);
    *ret = top.value;
    return 0;
}
