/* Markup that hides text or sends it: terminal escapes, comments, images, styles, URLs of code, and white space. */
#include "scan/impl.h"

#define M(name) SCAN_MASK(name)

enum { ESCAPES, WRITTEN, COMMENT, COMMENT_ORDER, BEACON, IMAGE, SCRIPT, STYLE, STYLE_ORDER, SPACE, CONTROL, ICON };

enum { MANY_BLANKS = 300, MANY_LINES = 40, SOME_LINES = 20, SOME_BLANKS = 120, MAX_HIDDEN = 65536 };

static const struct mcti_scan_rule rules[] = {
    [ESCAPES] = { "markup.terminal", MCT_SCAN_HARD, "MCP03", "controls a terminal",
                  "ESC [, ESC ], C1 controls, backspaces",
                  "Do not print it. The item hides text from people who use a terminal.", .weight = 2 },
    [WRITTEN] = { "markup.terminal-written", MCT_SCAN_SOFT, "MCP03", "has terminal escapes, written out",
                  "\\x1b[, \\u001b[, \\033[", "Usual in texts about terminals." },
    [COMMENT] = { "markup.comment", MCT_SCAN_SOFT, "MCP03", "has a comment that a page does not show", "<!-- … -->",
                  "Read the comment." },
    [COMMENT_ORDER] = { "markup.comment-order", MCT_SCAN_HARD, "MCP03", "has an order to the model in a comment",
                        "<!-- … --> with must, assistant, tools, secrets", "Do not use the item.", .weight = 2 },
    [BEACON] = { "markup.beacon", MCT_SCAN_HARD, "MCP10", "has an image whose address carries data away",
                 "![](URL?x={…}) with a place for data", "Do not use the item: showing it sends the data.",
                 .weight = 2 },
    [IMAGE] = { "markup.image", MCT_SCAN_SOFT, "MCP10", "has an image that is loaded from a URL with a query",
                "![](URL?…=), <img src=URL?…>", "Loading it tells the server that the text was read." },
    [SCRIPT] = { "markup.script", MCT_SCAN_HARD, "MCP03", "has a link that is code",
                 "](javascript:…), href=javascript:, data:text/html", "Do not follow it.", .weight = 2 },
    [STYLE] = { "markup.style", MCT_SCAN_SOFT, "MCP03", "has text with a style that hides it",
                "display:none, font-size:0, visibility:hidden, white on white", "Read the hidden text." },
    [STYLE_ORDER] = { "markup.style-order", MCT_SCAN_HARD, "MCP03", "has an order to the model in hidden text",
                      "hidden style + must, assistant, user, tools", "Do not use the item.", .weight = 2 },
    [SPACE] = { "markup.space", MCT_SCAN_SOFT, "MCP03", "moves text out of sight with white space",
                "twenty empty lines or 120 blanks, and text behind them", "Read to the end.", .weight = 2 },
    [CONTROL] = { "markup.control", MCT_SCAN_SOFT, "MCP03", "has control characters", "C0 except tab and line end",
                  "They have no place in descriptions." },
    [ICON] = { "markup.icon", MCT_SCAN_HARD, "MCP03", "has an icon whose source is code",
               "javascript:, data: that is no image, an unknown scheme", "Do not use the item.", .weight = 2 },
};

#define R(name) &rules[name]

static void markup_found(struct mcti_scan_run *run, int rule, struct mcti_str raw, struct mcti_str at)
{
    mcti_scan_found(run, &rules[rule], raw, at);
}

static bool begins_nocase(const char *p, const char *end, const char *z)
{
    size_t n = strlen(z);
    return (size_t)(end - p) >= n && mcti_str_eq_nocase((struct mcti_str){ p, n }, mcti_str_of(z));
}

/* ---- controls ---- */

/* Returns the length of a sequence that sets colours, "ESC [ 1 ; 31 m"; 0: it is another one, or hides text. */
static size_t colour_len(const char *p, const char *end)
{
    unsigned value = 0, front = 0, back = 0, skipped = 0;
    for (size_t n = 2; p + n < end && n < 40; n++) {
        if (p[n] >= '0' && p[n] <= '9') {
            value = value * 10 + (unsigned)(p[n] - '0');
            continue;
        }
        if (p[n] != ';' && p[n] != ':' && p[n] != 'm')
            return 0;
        if (skipped) {
            skipped--;
        } else {
            front = value >= 30 && value <= 37 ? value : front;
            back = value >= 40 && value <= 47 ? value : back;
            if (value == 8 || (front && front + 10 == back))
                return 0;
            skipped = value == 38 || value == 48 ? 4 : 0;
        }
        value = 0;
        if (p[n] == 'm')
            return n + 1;
    }
    return 0;
}

static void see_control(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len;
    unsigned char c = (unsigned char)*p;
    struct mcti_str at = { p, end - p < 24 ? (size_t)(end - p) : 24 };
    if (c == 0x1b && run->what->kind == MCT_SCAN_RESULT && p + 1 < end && p[1] == '[' && colour_len(p, end))
        mcti_scan_found_at(run, R(ESCAPES), (struct mcti_scan_degree){ MCT_SCAN_SOFT, 0 }, raw, at);
    else if (c == 0x1b && p + 1 < end && strchr("[]PX^_()#", p[1]) && p[1])
        markup_found(run, ESCAPES, raw, at);
    else if (c == '\b' || (c == 0xc2 && p + 1 < end && ((unsigned char)p[1] == 0x9b || (unsigned char)p[1] == 0x9d)))
        markup_found(run, ESCAPES, raw, at);
    else if ((c < 0x20 && !strchr("\t\n\r\f", c)) || c == 0x7f)
        markup_found(run, CONTROL, raw, at);
    else if (c == '\\' && (begins_nocase(p, end, "\\x1b[") || begins_nocase(p, end, "\\u001b[") ||
                           begins_nocase(p, end, "\\033[") || begins_nocase(p, end, "\\e[")))
        markup_found(run, WRITTEN, raw, at);
}

/* ---- hidden text ---- */

/* Returns true if hidden text has at least `n_signs` of the signs of an order. */
static bool gives_orders(struct mcti_scan_run *run, struct mcti_str hidden, unsigned n_signs)
{
    struct mcti_scan_text t;
    mcti_scan_run_read(run, &t, hidden);
    mcti_scan_mask mask = t.mask;
    unsigned n = ((mask & (M(MODEL) | M(FOREIGN) | M(KNOWN))) != 0) + ((mask & M(MUST)) != 0) +
                 ((mask & (M(IGNORE) | M(NEWTASK))) != 0) + ((mask & (M(SEND) | M(CALL))) != 0) +
                 ((mask & (M(CREDS) | M(FILES) | M(SYSTEM))) != 0) + ((mask & M(INSTR)) != 0) +
                 ((mask & (M(USER) | M(QUIET))) != 0) + ((mask & (M(DEST) | M(READ))) != 0) +
                 ((mask & (M(ACT) | M(LIE) | M(FEIGN))) != 0) + ((mask & (M(READER) | M(OMIT))) != 0);
    mcti_scan_text_done(&t);
    return n >= n_signs;
}

static void see_comment(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len, *to = memmem(p + 4, (size_t)(end - p - 4), "-->", 3);
    struct mcti_str inside = mcti_str_range(p + 4, to ? to : end);
    inside.len = inside.len < MAX_HIDDEN ? inside.len : MAX_HIDDEN;
    if (gives_orders(run, inside, 3))
        markup_found(run, COMMENT_ORDER, raw, inside);
    else if (run->what->kind != MCT_SCAN_RESULT)
        markup_found(run, COMMENT, raw, inside);
}

static bool markup_hides(const char *p, const char *end)
{
    static const char *const styles[] = { "display:none",  "display: none",  "visibility:hidden", "visibility: hidden",
                                          "font-size:0",   "font-size: 0",   "opacity:0",         "opacity: 0;",
                                          "font-size:1px", "font-size: 1px", "color:#fff",        "color: #fff",
                                          "color:white",   "color: white",   "color:transparent", "left:-9999",
                                          "max-height:0",  "font-size:.1",   "text-indent:-9" };
    for (size_t i = 0; i < SCAN_COUNT(styles); i++) {
        size_t n = strlen(styles[i]);
        bool number = styles[i][n - 1] == '0' && p + n < end && (p[n] == '.' || (p[n] >= '1' && p[n] <= '9'));
        if (begins_nocase(p, end, styles[i]) && !number)
            return true;
    }
    return false;
}

/* The text behind the tag with the style, up to the next tag. */
static void see_style(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len, *from = memchr(p, '>', (size_t)(end - p));
    const char *to = from ? memchr(from, '<', (size_t)(end - from)) : NULL;
    if (!from)
        return;
    struct mcti_str inside = mcti_str_range(from + 1, to ? to : end);
    inside.len = inside.len < MAX_HIDDEN ? inside.len : MAX_HIDDEN;
    if (inside.len < 8)
        return;
    if (gives_orders(run, inside, 3))
        markup_found(run, STYLE_ORDER, raw, inside);
    else if (run->what->kind != MCT_SCAN_RESULT)
        markup_found(run, STYLE, raw, inside);
}

/* ---- addresses ---- */

/* Returns where a query has a value in capitals, "d=DATA", which is a place for data; NULL: nowhere. */
static const char *capitals_at(struct mcti_str query)
{
    enum { CAPITALS = 3 };
    const char *end = query.p + query.len;
    for (const char *p = memchr(query.p, '=', query.len); p; p = memchr(p + 1, '=', (size_t)(end - p - 1))) {
        const char *to = p + 1;
        while (to < end && ((*to >= 'A' && *to <= 'Z') || *to == '_'))
            to++;
        if (to - p > CAPITALS && (to == end || *to == '&'))
            return p;
    }
    return NULL;
}

/* A place for data in an address: {…}, <…>, $…, capitals, or a query that ends in '='. */
static bool carries_data(struct mcti_str url)
{
    const char *query = memchr(url.p, '?', url.len);
    if (!query)
        return false;
    struct mcti_str rest = mcti_str_range(query, url.p + url.len);
    const char *place = memmem(rest.p, rest.len, "={", 2);
    place = place ? place : memmem(rest.p, rest.len, "=[", 2);
    place = place ? place : memmem(rest.p, rest.len, "=<", 2);
    place = place ? place : memmem(rest.p, rest.len, "=$", 2);
    place = place ? place : memmem(rest.p, rest.len, "=%7B", 4);
    place = place ? place : capitals_at(rest);
    bool json = place && place + 3 < rest.p + rest.len && memchr(place, ':', (size_t)(rest.p + rest.len - place));
    return (place && !json) || rest.p[rest.len - 1] == '=';
}

/* ![alt](URL) */
static void see_image(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len, *from = NULL;
    size_t n = 0;
    for (const char *q = p + 2; q + 1 < end && q < p + 512 && *q != '\n' && !from; q++)
        from = q[0] == ']' && q[1] == '(' ? q + 2 : NULL;
    if (!from ||
        !(begins_nocase(from, end, "http:") || begins_nocase(from, end, "https:") || begins_nocase(from, end, "//")))
        return;
    while (from + n < end && from[n] != ')' && from[n] != '\n')
        n++;
    struct mcti_str url = { from, n };
    if (carries_data(url))
        markup_found(run, BEACON, raw, mcti_str_range(p, from + n));
    else if (memchr(url.p, '?', url.len) && run->what->kind != MCT_SCAN_RESULT)
        markup_found(run, IMAGE, raw, mcti_str_range(p, from + n));
}

static void see_link(struct mcti_scan_run *run, struct mcti_str raw, const char *p)
{
    const char *end = raw.p + raw.len;
    static const char *const code[] = { "](javascript:",      "](vbscript:",       "](data:text/html",
                                        "href=\"javascript:", "href='javascript:", "src=\"javascript:",
                                        "href=javascript:" };
    for (size_t i = 0; i < SCAN_COUNT(code); i++)
        if (begins_nocase(p, end, code[i]) && !begins_nocase(p, end, "href=\"javascript:void"))
            markup_found(run, SCRIPT, raw, (struct mcti_str){ p, strlen(code[i]) });
}

/* ---- white space ---- */

/* Returns the number of blanks or line ends at `p`; counts the lines. */
static size_t blanks_at(const char *p, const char *end, size_t *ret_lines)
{
    size_t n = 0;
    *ret_lines = 0;
    for (; p + n < end && (p[n] == ' ' || p[n] == '\n' || p[n] == '\r' || p[n] == '\t'); n++)
        *ret_lines += p[n] == '\n';
    return n;
}

static void see_space(struct mcti_scan_run *run, struct mcti_str raw, const char *p, size_t n, size_t lines)
{
    const char *end = raw.p + raw.len;
    if (p == raw.p || p + n >= end || !(lines >= SOME_LINES || (n >= SOME_BLANKS && lines < 2)))
        return;
    struct mcti_str behind = mcti_str_range(p + n, end);
    struct mcti_str some = { behind.p, behind.len < 4096 ? behind.len : 4096 };
    bool far_away = lines >= MANY_LINES || n >= MANY_BLANKS;
    bool hard = run->what->kind != MCT_SCAN_RESULT && far_away && gives_orders(run, some, 2);
    mcti_scan_found_at(run, R(SPACE), (struct mcti_scan_degree){ hard ? MCT_SCAN_HARD : MCT_SCAN_SOFT, 2 }, raw, some);
}

/* ---- */

static void see_icon(struct mcti_scan_run *run, struct mcti_str raw)
{
    const char *end = raw.p + raw.len;
    if (!begins_nocase(raw.p, end, "https:") && !begins_nocase(raw.p, end, "http:") &&
        !begins_nocase(raw.p, end, "data:image/") && memchr(raw.p, ':', raw.len))
        markup_found(run, ICON, raw, raw);
}

/* Each look is at most as long as the text behind it; that of comments and styles is bounded, because a text of
 * "<!--" alone would be read again and again. */
static void markup_raw(struct mcti_scan_run *run, struct mcti_str raw)
{
    const char *end = raw.p + raw.len;
    unsigned n_looks = 0;
    enum { MAX_LOOKS = 64 };
    if (run->role == SCAN_ROLE_ICON) {
        see_icon(run, raw);
        return;
    }
    for (const char *p = raw.p; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < 0x20 || c == 0x7f || c == '\\' || c == 0xc2)
            see_control(run, raw, p);
        if (c == '!' && p + 1 < end && p[1] == '[' && n_looks < 16 * MAX_LOOKS)
            (void)n_looks++, see_image(run, raw, p);
        if (c == '<' && n_looks < MAX_LOOKS && begins_nocase(p, end, "<!--"))
            (void)n_looks++, see_comment(run, raw, p);
        if ((strchr("dvfoclmt", c) && c) && n_looks < MAX_LOOKS && markup_hides(p, end))
            (void)n_looks++, see_style(run, raw, p);
        if (c == ']' || c == 'h' || c == 's')
            see_link(run, raw, p);
        if ((c == ' ' || c == '\n') && p + 1 < end && (p[1] == ' ' || p[1] == '\n' || p[1] == '\r')) {
            size_t lines, n = blanks_at(p, end, &lines);
            see_space(run, raw, p, n, lines);
            p += n - 1;
        }
    }
}

const struct mcti_scan_family mcti_scan_markup = { rules, SCAN_COUNT(rules), markup_raw, NULL };
