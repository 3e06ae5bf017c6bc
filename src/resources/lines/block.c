#include "resources/lines/block.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "resources/lines/value.h"

#define SELECTOR "\xef\xb8\x8f" /* U+FE0F: show as an emoji */

static const struct {
    const char *emoji, *word;
} states[MCT_BLOCK_N_STATES] = {
    [MCT_BLOCK_SUCCESS] = { "\xe2\x9c\x85", "success" },          /* U+2705 */
    [MCT_BLOCK_PARTIAL] = { "\xe2\x9a\xa0" SELECTOR, "partial" }, /* U+26A0 */
    [MCT_BLOCK_PENDING] = { "\xe2\x8f\xb8" SELECTOR, "pending" }, /* U+23F8 */
    [MCT_BLOCK_ERROR] = { "\xe2\x9d\x8c", "error" },              /* U+274C */
    [MCT_BLOCK_TIMEOUT] = { "\xe2\x8f\xb1" SELECTOR, "timeout" }, /* U+23F1 */
};

enum { EMOJI_BYTES = 3 }; /* of each emoji, without the selector */

const char *mcti_block_emoji(enum mcti_block_state state)
{
    return states[state].emoji;
}

const char *mcti_block_word(enum mcti_block_state state)
{
    return states[state].word;
}

/* Appends the summary; bytes that are not UTF-8 become U+FFFD. */
static void put_summary(struct mcti_buf *to, struct mcti_str text)
{
    struct mcti_str s = mcti_str_trim(text);
    const char *end = s.p + s.len;
    for (const char *p = s.p; p < end;) {
        size_t n = mcti_utf8_len(p, end);
        mcti_value_put_char(to, n ? mcti_utf8_at(p, n) : 0xfffd);
        p += n ? n : 1;
    }
}

/* ---- writing ---- */

static bool block_put_object(struct mcti_buf *to, struct mcti_str json, bool meta)
{
    struct mcti_value_copy c = { .p = json.p, .end = json.p + json.len, .to = to, .lines = true, .bare_agent = meta };
    mcti_value_skip_space(&c);
    if (c.p == c.end || *c.p != '{' || !mcti_value_copy(&c))
        return false;
    mcti_value_skip_space(&c);
    return c.p == c.end;
}

static bool put_fields(struct mcti_buf *to, const struct mcti_block *b)
{
    const struct {
        const char *name;
        struct mcti_str json;
        bool meta;
    } fields[] = { { "data: ", b->data, false }, { "meta: ", b->meta, true } };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].json.p)
            continue;
        mcti_buf_addz(to, b->one_line ? " | " : "\n  ");
        mcti_buf_addz(to, fields[i].name);
        if (!block_put_object(to, fields[i].json, fields[i].meta))
            return false;
    }
    return mcti_buf_ok(to);
}

int mcti_block_put(struct mcti_buf *to, const struct mcti_block *b)
{
    size_t before = to->len;
    mcti_buf_addz(to, states[b->state].emoji);
    mcti_buf_addz(to, " mcp ");
    put_summary(to, b->summary);
    if (mcti_buf_ok(to) && mcti_buf_last(to) == ' ')
        to->len--;
    mcti_buf_addz(to, "\n  state: ");
    mcti_buf_addz(to, states[b->state].word);
    if (put_fields(to, b))
        return 0;
    to->len = before;
    return -1;
}

/* ---- reading ---- */

/* Offsets of the spans of a block; offsets, because the buffer moves as it grows. */
struct mcti_config_place {
    size_t at, len;
    bool there;
};

struct reading {
    struct mcti_value_copy c;
    struct mcti_block *block;
    struct mcti_config_place summary, object[2]; /* data, meta */
};

static struct mcti_config_place place_since(const struct reading *r, size_t at)
{
    return (struct mcti_config_place){ at, r->c.to->len - at, true };
}

static bool block_take(struct reading *r, const char *z)
{
    if (!mcti_str_starts(mcti_str_range(r->c.p, r->c.end), mcti_str_of(z)))
        return false;
    r->c.p += strlen(z);
    return true;
}

static bool block_skip_blanks(struct reading *r)
{
    const char *from = r->c.p;
    while (block_take(r, " ") || block_take(r, "\t"))
        ;
    return r->c.p > from;
}

static bool read_emoji(struct reading *r)
{
    struct mcti_str rest = mcti_str_range(r->c.p, r->c.end);
    for (int i = 0; i < MCT_BLOCK_N_STATES; i++) {
        if (mcti_str_starts(rest, (struct mcti_str){ states[i].emoji, EMOJI_BYTES })) {
            r->c.p += EMOJI_BYTES;
            block_take(r, SELECTOR);
            r->block->state = (enum mcti_block_state)i;
            return true;
        }
    }
    return mcti_value_fail(&r->c, "a state's emoji (the first character of a block) expected");
}

static bool read_summary(struct reading *r)
{
    struct mcti_str line, rest = mcti_str_range(r->c.p, r->c.end);
    size_t at = r->c.to->len;
    mcti_str_split(&rest, '\n', &line);
    const char *line_end = line.p + line.len;
    while (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    for (size_t n; r->c.p < line_end; r->c.p += n)
        if (!(n = mcti_utf8_len(r->c.p, line_end)))
            return mcti_value_fail(&r->c, "invalid UTF-8");
    put_summary(r->c.to, line);
    r->summary = place_since(r, at);
    return true;
}

static bool read_first_line(struct reading *r)
{
    mcti_value_skip_space(&r->c);
    if (!read_emoji(r))
        return false;
    if (!block_skip_blanks(r))
        return mcti_value_fail(&r->c, "a space expected after the emoji");
    if (!block_take(r, "mcp"))
        return mcti_value_fail(&r->c, "'mcp' expected");
    if (r->c.p < r->c.end && *r->c.p != '\n' && *r->c.p != '\r' && !block_skip_blanks(r))
        return mcti_value_fail(&r->c, "a space expected after 'mcp'");
    return read_summary(r);
}

static bool read_state(struct reading *r)
{
    const char *from = r->c.p;
    if (mcti_str_is(mcti_value_word(&r->c), states[r->block->state].word))
        return true;
    r->c.p = from;
    return mcti_value_fail(&r->c, "the state does not match the emoji");
}

static bool read_object(struct reading *r, int field)
{
    size_t at = r->c.to->len;
    if (r->c.p == r->c.end || *r->c.p != '{')
        return mcti_value_fail(&r->c, "'{' expected");
    r->c.bare_agent = field == 2;
    if (!mcti_value_copy(&r->c))
        return false;
    r->object[field - 1] = place_since(r, at);
    return true;
}

/* Reads the separator of two fields: a line break or, after the state, a bar. */
static bool read_separator(struct reading *r, int next, bool *ret_bar)
{
    block_skip_blanks(r);
    const char *line_end = r->c.p;
    mcti_value_skip_space(&r->c);
    *ret_bar = next > 0 && block_take(r, "|");
    if (*ret_bar)
        mcti_value_skip_space(&r->c);
    r->block->one_line |= *ret_bar;
    return r->c.p > line_end || r->c.p == r->c.end || mcti_value_fail(&r->c, "a line break or '|' expected");
}

/* Reads the name of the next field; returns its index, or -1 if it is not one of those allowed here. */
static int read_name(struct reading *r, int first)
{
    static const char *const names[] = { "state", "data", "meta" };
    const char *from = r->c.p;
    struct mcti_str word = mcti_value_word(&r->c);
    int n = first ? 3 : 1; /* data and meta are optional, the state is not */
    for (int i = first; i < n; i++)
        if (mcti_str_is(word, names[i]))
            return i;
    r->c.p = from;
    return -1;
}

static bool read_field(struct reading *r, int *next, bool bar)
{
    static const char *const expected[][2] = {
        { "'state' expected", NULL },
        { "'data', 'meta' or the end expected", "'data' or 'meta' expected" },
        { "'meta' or the end expected", "'meta' expected" },
        { "the end expected", "the end expected; remove the '|' before it" },
    };
    int field = read_name(r, *next);
    if (field < 0)
        return mcti_value_fail(&r->c, expected[*next][bar]);
    block_skip_blanks(r);
    if (!block_take(r, ":"))
        return mcti_value_fail(&r->c, "':' expected");
    mcti_value_skip_space(&r->c);
    *next = field + 1;
    return field ? read_object(r, field) : read_state(r);
}

static bool read_block(struct reading *r)
{
    bool bar;
    int next = 0;
    if (!read_first_line(r))
        return false;
    for (;;) {
        if (!read_separator(r, next, &bar))
            return false;
        if (r->c.p == r->c.end && next && !bar)
            return mcti_buf_ok(r->c.to) || mcti_value_fail(&r->c, "too large");
        if (!read_field(r, &next, bar))
            return false;
    }
}

static struct mcti_str block_span(const struct mcti_buf *keep, struct mcti_config_place place)
{
    return place.there ? (struct mcti_str){ mcti_buf_str(keep).p + place.at, place.len } : MCT_STR_NONE;
}

int mcti_block_parse(struct mcti_str text, struct mcti_buf *keep, struct mcti_block *ret, struct mcti_json_fault *fault)
{
    struct mcti_block block = { .one_line = false };
    struct mcti_str s = text.p ? text : MCT_STR("");
    struct reading r = { .c = { .p = s.p, .end = s.p + s.len, .to = keep }, .block = &block };
    size_t before = keep->len;
    if (s.len > MCT_LIMIT_MESSAGE_BYTES ? !mcti_value_fail(&r.c, "too large") : !read_block(&r)) {
        if (fault)
            *fault = (struct mcti_json_fault){ (size_t)(r.c.p - s.p), r.c.why };
        keep->len = before;
        return -1;
    }
    block.summary = block_span(keep, r.summary);
    block.data = block_span(keep, r.object[0]);
    block.meta = block_span(keep, r.object[1]);
    *ret = block;
    return 0;
}
