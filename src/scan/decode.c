/*
 * Encoded parts of texts: decoded, scanned again, and reported at the place where they stand. A decoded part is at most
 * as long as its text, and parts are decoded three deep.
 */
#include "scan/impl.h"

#include "base/base64.h"
#include "base/log/utf8.h"

#include <stdlib.h>

#define M(name) SCAN_MASK(name)

enum { PAYLOAD, FOLLOW };

enum { MIN_BASE64 = 24, MIN_HEX = 32, MIN_ESCAPES = 4, MIN_STYLED = 8, MIN_TURNED = 3, MAX_PART = 1 << 20 };

static const struct mcti_scan_rule rules[] = {
    [PAYLOAD] = { "encoded.text", MCT_SCAN_SOFT, "MCP03", "has readable text in an encoded part",
                  "base64, hexadecimal, percent signs, entities, rot13, reversed letters that decode to words",
                  "Look what it says." },
    [FOLLOW] = { "encoded.follow", MCT_SCAN_HARD, "MCP03", "orders the model to decode a text and to obey it",
                 "decode + encoded + follow/execute", "Do not use the item.", .weight = 2 },
};

/* clang-format would make stairs of the rows. */
/* clang-format off */
static const struct mcti_scan_pattern patterns[] = {
    { &rules[FOLLOW], { M(DECODE), M(FOLLOW) | M(CALL), M(INSTR) | M(RULES) | M(CODED) }, .words = 22, .spans = 1 },
};
/* clang-format on */

/* Returns true for text: valid UTF-8 of printable characters, a quarter of them letters. */
static bool is_readable(struct mcti_str s)
{
    size_t n_odd = 0, n_letters = 0;
    if (s.len < 12 || !mcti_utf8_valid(s))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        n_odd += (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f;
        n_letters += c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    return !n_odd && n_letters * 4 > s.len;
}

static void decode_done(struct mcti_scan_run *run, struct mcti_buf *text, struct mcti_str outer, const char *via)
{
    if (mcti_buf_ok(text) && is_readable(mcti_buf_str(text)))
        mcti_scan_run_decoded(run, mcti_buf_str(text), outer, via);
    mcti_buf_done(text);
}

/* ---- base64 and hexadecimal ---- */

static bool is_base64(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' ||
           c == '-' || c == '_';
}

/* Decodes without regard to padding; the alphabet may be either one. */
static void decode_base64(struct mcti_scan_run *run, struct mcti_str part)
{
    struct mcti_buf plain, text;
    mcti_buf_init(&plain, MAX_PART);
    mcti_buf_init(&text, MAX_PART);
    for (size_t i = 0; i < part.len; i++)
        mcti_buf_addc(&plain, part.p[i] == '+' ? '-' : part.p[i] == '/' ? '_' : part.p[i]);
    plain.len -= plain.len % 4 == 1;
    if (mcti_buf_ok(&plain) && mcti_base64url_get(&text, mcti_buf_str(&plain)) < 0 && plain.len > 4) {
        mcti_buf_clear(&text); /* loose bits in the last letters */
        plain.len -= plain.len % 4;
        if (mcti_base64url_get(&text, mcti_buf_str(&plain)) < 0)
            mcti_buf_clear(&text);
    }
    mcti_buf_done(&plain);
    decode_done(run, &text, part, "base64");
}

static void decode_hex(struct mcti_scan_run *run, struct mcti_str part)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MAX_PART);
    for (size_t i = 0; i + 1 < part.len; i += 2)
        mcti_buf_addc(&text, (char)(mcti_hex_digit(part.p[i]) * 16 + mcti_hex_digit(part.p[i + 1])));
    decode_done(run, &text, part, "hexadecimal");
}

/* Looks at runs of letters of base64, which may be broken by line ends. */
static void find_runs(struct mcti_scan_run *run, struct mcti_str raw)
{
    const char *end = raw.p + raw.len;
    for (const char *p = raw.p, *to; p < end; p = to + 1) {
        bool hex = true;
        for (to = p; to < end && is_base64(*to); to++)
            hex &= mcti_hex_digit(*to) >= 0;
        size_t n = (size_t)(to - p);
        if (hex && n >= MIN_HEX)
            decode_hex(run, mcti_str_range(p, to));
        else if (n >= MIN_BASE64 && n <= MAX_PART)
            decode_base64(run, mcti_str_range(p, to));
    }
}

/* ---- escapes ---- */

/* Reads "%41". */
static size_t escape_percent(const char *p, const char *end, unsigned *ret)
{
    int byte = mcti_str_percent(mcti_str_range(p, end), 0);
    if (byte < 0)
        return 0;
    *ret = (unsigned)byte;
    return 3;
}

/* Reads "&#65;" and "&#x41;". */
static size_t escape_entity(const char *p, const char *end, unsigned *ret)
{
    bool hex = end - p > 3 && (p[2] == 'x' || p[2] == 'X');
    size_t n = hex ? 3 : 2, from = n;
    unsigned value = 0;
    if (end - p < 4 || p[0] != '&' || p[1] != '#')
        return 0;
    for (; p + n < end && n < from + 7 && (hex ? mcti_hex_digit(p[n]) >= 0 : p[n] >= '0' && p[n] <= '9'); n++)
        value = value * (hex ? 16 : 10) + (unsigned)mcti_hex_digit(p[n]);
    *ret = value;
    return n > from && value < 0x110000 && !(value >= 0xd800 && value < 0xe000) ? n + (p + n < end && p[n] == ';') : 0;
}

/* Reads "\u0041" and "\x41". */
static size_t escape_backslash(const char *p, const char *end, unsigned *ret)
{
    size_t digits = end - p >= 2 && p[1] == 'u' ? 4 : end - p >= 2 && p[1] == 'x' ? 2 : 0;
    if (*p != '\\' || !digits || (size_t)(end - p) < 2 + digits)
        return 0;
    *ret = 0;
    for (size_t i = 0; i < digits; i++) {
        int d = mcti_hex_digit(p[2 + i]);
        if (d < 0)
            return 0;
        *ret = *ret * 16 + (unsigned)d;
    }
    return *ret >= 0xd800 && *ret < 0xe000 ? 0 : 2 + digits;
}

static const struct {
    char sign;
    const char *via;
    bool bytes;
    size_t (*read)(const char *p, const char *end, unsigned *ret);
} escapes[] = {
    { '%', "percent encoding", true, escape_percent },
    { '&', "HTML entities", false, escape_entity },
    { '\\', "escapes", false, escape_backslash },
};

/* Decodes the whole text if it has several such escapes. */
static void decode_escapes(struct mcti_scan_run *run, struct mcti_str raw, size_t kind)
{
    struct mcti_buf text;
    unsigned n = 0, value = 0;
    const char *end = raw.p + raw.len;
    if (!memchr(raw.p, escapes[kind].sign, raw.len))
        return;
    mcti_buf_init(&text, 2 * raw.len + 16);
    for (const char *p = raw.p; p < end;) {
        size_t len = escapes[kind].read(p, end, &value);
        if (len && escapes[kind].bytes)
            mcti_buf_addc(&text, (char)value);
        else if (len)
            mcti_utf8_put(&text, value);
        else
            mcti_buf_addc(&text, *p);
        n += len != 0;
        p += len ? len : 1;
    }
    if (n < MIN_ESCAPES)
        mcti_buf_clear(&text);
    decode_done(run, &text, raw, escapes[kind].via);
}

/* Full-width, mathematical and circled letters: the plain text is scanned as well, with its addresses and paths. */
static void decode_styled(struct mcti_scan_run *run, struct mcti_str raw)
{
    struct mcti_buf text;
    size_t n = 0;
    mcti_buf_init(&text, 2 * raw.len + 16);
    for (const char *p = raw.p, *end = p + raw.len; p < end;) {
        unsigned c = mcti_scan_next(&p, end);
        unsigned f =
            (c >= 0xff01 && c <= 0xff5e) || c >= 0x1d400 || (c >= 0x24b6 && c <= 0x24e9) ? mcti_scan_fold(c) : c;
        n += f != c && f && f < 0x80;
        if (f)
            mcti_utf8_put(&text, f);
    }
    if (n < MIN_STYLED)
        mcti_buf_clear(&text);
    decode_done(run, &text, raw, "styled letters");
}

static void decode_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    find_runs(run, raw);
    decode_styled(run, raw);
    for (size_t i = 0; i < SCAN_COUNT(escapes); i++)
        decode_escapes(run, raw, i);
}

/* ---- turned and reversed letters ---- */

static char decode_turn(char c)
{
    if (c >= 'a' && c <= 'z')
        return (char)('a' + (c - 'a' + 13) % 26);
    return c >= 'A' && c <= 'Z' ? (char)('A' + (c - 'A' + 13) % 26) : c;
}

static size_t count_tokens(const struct mcti_scan_text *t, mcti_scan_mask mask)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_tokens; i++)
        n += (t->token[i].mask & mask) != 0;
    return n;
}

/* Appends the text with turned letters, or back to front. */
static void decode_letters(struct mcti_scan_run *run, struct mcti_str raw, bool turned)
{
    struct mcti_buf text;
    mcti_buf_init(&text, raw.len + 1);
    for (size_t i = 0; i < raw.len; i++)
        mcti_buf_addc(&text, turned ? decode_turn(raw.p[i]) : raw.p[raw.len - 1 - i]);
    decode_done(run, &text, raw, turned ? "rot13" : "reversed letters");
}

static void decode_words(struct mcti_scan_run *run, const struct mcti_scan_text *t)
{
    mcti_scan_patterns(run, t, patterns, SCAN_COUNT(patterns));
    if (count_tokens(t, M(TURNED)) >= MIN_TURNED) {
        decode_letters(run, t->raw, true);
        decode_letters(run, t->raw, false);
    }
}

const struct mcti_scan_family mcti_scan_decode = { rules, SCAN_COUNT(rules), decode_raw, decode_words };
