/*
 * Characters that people do not see, or see as others. Judged on the text as it came: joiners belong to emoji and to
 * scripts that need them, directions to texts with letters of both directions, selectors to emoji and ideographs.
 */
#include "scan/impl.h"

#include "base/log/utf8.h"

enum { TAGS, SMUGGLED, SPLIT, UNSEEN, MANY, BIDI, BIDI_SOFT, MIXED, PRIVATE };

enum { RUN_SMUGGLED = 3, MANY_UNSEEN = 8, MANY_PRIVATE = 8, FLAG_TAGS = 7 };

static const struct mcti_scan_rule rules[] = {
    [TAGS] = { "unicode.tags", MCT_SCAN_HARD, "MCP03", "hides text in tag characters",
               "U+E0000 to U+E007F that are no flag", "Do not use the item: the model reads what you do not see.",
               .weight = 2 },
    [SMUGGLED] = { "unicode.selectors", MCT_SCAN_HARD, "MCP03", "hides bytes in variation selectors",
                   "several selectors in a row, or U+E0100 and above that follow no ideograph", "Do not use the item.",
                   .weight = 2 },
    [SPLIT] = { "unicode.split-word", MCT_SCAN_HARD, "MCP03", "has unseen characters inside of words",
                "zero-width characters between Latin letters, or in a name", "Do not use the item: it evades filters.",
                .weight = 2 },
    [UNSEEN] = { "unicode.unseen", MCT_SCAN_SOFT, "MCP03", "has unseen characters",
                 "zero-width characters and fillers where no script needs them", "Look whether they have a purpose.",
                 .weight = 2 },
    [MANY] = { "unicode.many-unseen", MCT_SCAN_HARD, "MCP03", "has many unseen characters", "eight and more of them",
               "Do not use the item: they may carry a message.", .weight = 2 },
    [BIDI] = { "unicode.bidi-override", MCT_SCAN_HARD, "MCP03", "reverses the direction of text", "U+202D, U+202E",
               "Do not use the item: people read another text than the model.", .weight = 2 },
    [BIDI_SOFT] = { "unicode.bidi", MCT_SCAN_SOFT, "MCP03", "sets directions without letters that need them",
                    "U+202A, U+202B, U+2066 to U+2068 in text from left to right", "Look what they enclose." },
    [MIXED] = { "unicode.mixed-word", MCT_SCAN_HARD, "MCP03", "mixes look-alike letters into words",
                "Cyrillic, Greek and other letters that look like Latin ones in a Latin word",
                "Do not use the item: it evades filters, or imitates a name.", .weight = 2 },
    [PRIVATE] = { "unicode.private", MCT_SCAN_SOFT, "MCP03", "has characters for private use",
                  "U+E000 to U+F8FF, planes 15 and 16", "They have no common meaning; look for a reason.",
                  .weight = 2 },
};

#define R(name) &rules[name]

struct unicode_scan {
    struct mcti_scan_run *run;
    struct mcti_str raw;
    unsigned before, last; /* the characters in front: the last seen one, and the last one of any kind */
    const char *unseen_at; /* the first unseen character */
    size_t n_unseen, n_private, n_selectors;
    bool right_to_left; /* has letters of that direction */
    bool names;         /* of tools and arguments */
};

static void unicode_found(const struct unicode_scan *u, int rule, const char *from, const char *to)
{
    mcti_scan_found(u->run, &rules[rule], u->raw, mcti_str_range(from, to));
}

static bool is_right_to_left(unsigned c)
{
    return (c >= 0x590 && c <= 0x8ff) || (c >= 0xfb1d && c <= 0xfdff) || (c >= 0xfe70 && c <= 0xfefc) ||
           (c >= 0x10800 && c <= 0x10fff) || (c >= 0x1e800 && c <= 0x1efff);
}

/* Scripts in which joiners have a meaning: Arabic and its relatives, those of India and South-East Asia, Mongolian. */
static bool takes_joiners(unsigned c)
{
    return (c >= 0x600 && c <= 0x8ff) || (c >= 0x900 && c <= 0xdff) || (c >= 0xe00 && c <= 0xfff) ||
           (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x18af) || (c >= 0xfb50 && c <= 0xfdff) ||
           (c >= 0xfe70 && c <= 0xfefc) || (c >= 0xa840 && c <= 0xabff) || (c >= 0x11000 && c <= 0x11fff);
}

static unsigned next_seen(const char *p, const char *end)
{
    while (p < end) {
        unsigned c = mcti_scan_next(&p, end);
        if (mcti_scan_fold(c) || c == ' ')
            return c;
    }
    return 0;
}

static bool is_selector(unsigned c)
{
    return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

static bool is_zero_width(unsigned c)
{
    return (c >= 0x200b && c <= 0x200d) || (c >= 0x2060 && c <= 0x2064) || (c >= 0x206a && c <= 0x206f) ||
           c == 0xfeff || c == 0x180e || c == 0x34f || c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0 ||
           c == 0x17b4 || c == 0x17b5 || c == 0x2800 || (c >= 0xfff9 && c <= 0xfffb);
}

static bool is_latin_letter(unsigned c)
{
    return c < 0x250 && mcti_scan_is_latin(c);
}

static void see_zero_width(struct unicode_scan *u, unsigned c, const char *at, const char *next)
{
    const char *end = u->raw.p + u->raw.len;
    unsigned after = next_seen(next, end);
    bool joins = c == 0x200c || c == 0x200d || c == 0x200b || c == 0x34f || c == 0x2060;
    if ((joins && (takes_joiners(u->before) || takes_joiners(after))) || (c == 0xfeff && at == u->raw.p))
        return;
    if (c == 0x200d && (mcti_scan_is_emoji(u->before) || is_selector(u->last)) && mcti_scan_is_emoji(after))
        return;
    if (c == 0x200b && (mcti_scan_is_glued(u->before) || mcti_scan_is_glued(after)))
        return;
    u->unseen_at = u->unseen_at ? u->unseen_at : at;
    u->n_unseen++;
    bool inside = is_latin_letter(u->before) && is_latin_letter(after) && c != 0x2800;
    if (inside || u->names)
        unicode_found(u, SPLIT, at, next);
}

/* Flags of regions of countries: a black flag, tags, and the cancel tag. Returns the end of the flag, or NULL. */
static const char *flag_end(const char *at, const char *end)
{
    for (unsigned n = 0; at < end && n <= FLAG_TAGS; n++) {
        unsigned c = mcti_scan_next(&at, end);
        if (c == 0xe007f)
            return n ? at : NULL;
        if (!((c >= 0xe0061 && c <= 0xe007a) || (c >= 0xe0030 && c <= 0xe0039)))
            return NULL;
    }
    return NULL;
}

/* Decodes the hidden text and scans it, too. Returns the end of the tags. */
static const char *see_tags(struct unicode_scan *u, const char *at)
{
    const char *end = u->raw.p + u->raw.len, *p = at, *flag = flag_end(at, end);
    struct mcti_buf text;
    if (u->before == 0x1f3f4 && flag)
        return flag;
    mcti_buf_init(&text, u->raw.len + 1);
    while (p < end) {
        const char *q = p;
        unsigned c = mcti_scan_next(&q, end);
        if (c < 0xe0000 || c > 0xe007f)
            break;
        mcti_buf_addc(&text, c >= 0xe0020 && c < 0xe007f ? (char)(c - 0xe0000) : ' ');
        p = q;
    }
    unicode_found(u, TAGS, at, p);
    mcti_scan_run_decoded(u->run, mcti_buf_str(&text), mcti_str_range(at, p), "tag characters");
    mcti_buf_done(&text);
    return p;
}

static void see_selector(struct unicode_scan *u, unsigned c, const char *at, const char *next)
{
    bool high = c >= 0xe0100, ideograph = mcti_scan_is_glued(u->before) || (u->before >= 0x1820 && u->before <= 0x18aa);
    u->n_selectors = is_selector(u->last) ? u->n_selectors + 1 : 1;
    if (u->n_selectors >= RUN_SMUGGLED || (high && !(ideograph && u->n_selectors == 1)))
        unicode_found(u, SMUGGLED, at, next);
}

/* Selectors carry bytes: 0 to 15 in the first block, 16 to 255 in the second. */
static void decode_selectors(struct unicode_scan *u)
{
    struct mcti_buf bytes;
    const char *p = u->raw.p, *end = p + u->raw.len;
    mcti_buf_init(&bytes, u->raw.len + 1);
    while (p < end) {
        unsigned c = mcti_scan_next(&p, end);
        if (is_selector(c))
            mcti_buf_addc(&bytes, (char)(c >= 0xe0100 ? c - 0xe0100 + 16 : c - 0xfe00));
    }
    mcti_scan_run_decoded(u->run, mcti_buf_str(&bytes), u->raw, "variation selectors");
    mcti_buf_done(&bytes);
}

static void see_direction(struct unicode_scan *u, unsigned c, const char *at, const char *next)
{
    if (c == 0x202d || c == 0x202e)
        unicode_found(u, BIDI, at, next);
    else if (c != 0x202c && c != 0x2069 && !u->right_to_left)
        unicode_found(u, BIDI_SOFT, at, next);
}

static void see_private(struct unicode_scan *u, const char *at, const char *next)
{
    u->n_private++;
    unicode_found(u, PRIVATE, at, next);
    if (u->n_private >= MANY_PRIVATE)
        unicode_found(u, MANY, at, next);
}

/* Looks at one character that may be unseen. Returns the end of what it has looked at. */
static const char *see_character(struct unicode_scan *u, unsigned c, const char *at, const char *next)
{
    if (c >= 0xe0000 && c <= 0xe007f)
        return see_tags(u, at);
    if (is_selector(c))
        see_selector(u, c, at, next);
    else if (is_zero_width(c))
        see_zero_width(u, c, at, next);
    else if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
        see_direction(u, c, at, next);
    else if ((c >= 0xe000 && c <= 0xf8ff) || c >= 0xf0000)
        see_private(u, at, next);
    return next;
}

/* ---- words of two scripts ---- */

struct mixed_word {
    const char *from;
    size_t n_latin, n_like, n_other, n_greek;
};

/* Greek letters alone stand for quantities next to Latin ones: a word needs more Latin letters then. */
static void mixed_end(const struct unicode_scan *u, struct mixed_word *w, const char *to)
{
    size_t needed = w->n_greek || u->names ? 3 : 2;
    if (w->n_like && !w->n_other && w->n_latin >= needed && w->n_latin >= w->n_like)
        unicode_found(u, MIXED, w->from, to);
    *w = (struct mixed_word){ 0 };
}

static void mixed_feed(const struct unicode_scan *u, struct mixed_word *w, unsigned c, const char *at)
{
    unsigned f = mcti_scan_fold(c);
    if (!f)
        return;
    if (!mcti_scan_is_word(f)) {
        mixed_end(u, w, at);
        return;
    }
    w->from = w->from ? w->from : at;
    if (mcti_scan_is_latin(c))
        w->n_latin++;
    else if (f > 0x24f && mcti_scan_lookalike(f) && f != 0x3b1 && f != 0x3c3 && f != 0x3c9)
        w->n_like++;
    else if (f > 0x24f && c < 0x10000)
        w->n_other++;
    w->n_greek += f >= 0x370 && f <= 0x3ff;
}

/* ---- */

static void unicode_walk(struct unicode_scan *u)
{
    const char *end = u->raw.p + u->raw.len;
    struct mixed_word word = { 0 };
    for (const char *p = u->raw.p; p < end;) {
        const char *at = p;
        unsigned c = mcti_scan_next(&p, end);
        mixed_feed(u, &word, c, at);
        if (c >= 0x80)
            p = see_character(u, c, at, p);
        if (c < 0xe0000 && mcti_scan_fold(c) && !is_zero_width(c))
            u->before = c;
        u->last = c;
    }
    mixed_end(u, &word, end);
}

static bool has_right_to_left(struct mcti_str raw)
{
    for (const char *p = raw.p, *end = raw.p + raw.len; p < end;)
        if (is_right_to_left(mcti_scan_next(&p, end)))
            return true;
    return false;
}

static bool is_ascii(struct mcti_str raw)
{
    for (size_t i = 0; i < raw.len; i++)
        if ((unsigned char)raw.p[i] >= 0x80)
            return false;
    return true;
}

static void unicode_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    if (is_ascii(raw))
        return;
    struct unicode_scan u = { .run = run, .raw = raw, .right_to_left = has_right_to_left(raw) };
    u.names = run->role == SCAN_ROLE_NAME || run->role == SCAN_ROLE_PROPERTY;
    unicode_walk(&u);
    if (u.n_unseen)
        unicode_found(&u, u.n_unseen >= MANY_UNSEEN ? MANY : UNSEEN, u.unseen_at, u.unseen_at + 3);
    if (u.n_selectors >= RUN_SMUGGLED)
        decode_selectors(&u);
}

const struct mcti_scan_family mcti_scan_unicode = { rules, SCAN_COUNT(rules), unicode_raw, NULL };
