#include "resources/lines/block.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "resources/lines/value.h"

#define SELECTOR "\xef\xb8\x8f" /* U+FE0F: as a picture */

static const struct {
    const char *emoji, *word;
} states[MCT_BLOCK_N_STATES] = {
    [MCT_BLOCK_SUCCESS] = { "\xe2\x9c\x85", "success" },          /* U+2705 */
    [MCT_BLOCK_PARTIAL] = { "\xe2\x9a\xa0" SELECTOR, "partial" }, /* U+26A0 */
    [MCT_BLOCK_PENDING] = { "\xe2\x8f\xb8" SELECTOR, "pending" }, /* U+23F8 */
    [MCT_BLOCK_ERROR] = { "\xe2\x9d\x8c", "error" },              /* U+274C */
    [MCT_BLOCK_TIMEOUT] = { "\xe2\x8f\xb1" SELECTOR, "timeout" }, /* U+23F1 */
};

enum { EMOJI_BYTES = 3 }; /* of each, without the selector */

const char *mct_block_emoji(enum mct_block_state state)
{
    return states[state].emoji;
}

const char *mct_block_word(enum mct_block_state state)
{
    return states[state].word;
}

/* Bytes that are not UTF-8 become U+FFFD. */
static void put_summary(struct mct_buf *to, struct mct_str text)
{
    struct mct_str s = mct_str_trim(text);
    const char *end = s.p + s.len;
    for (const char *p = s.p; p < end;) {
        size_t n = mct_utf8_len(p, end);
        mct_value_put_char(to, n ? mct_utf8_at(p, n) : 0xfffd);
        p += n ? n : 1;
    }
}

/* ---- writing ---- */

static bool put_object(struct mct_buf *to, struct mct_str json, bool meta)
{
    struct mct_value_copy c = { .p = json.p, .end = json.p + json.len, .to = to, .lines = true, .bare_agent = meta };
    mct_value_skip_space(&c);
    if (c.p == c.end || *c.p != '{' || !mct_value_copy(&c))
        return false;
    mct_value_skip_space(&c);
    return c.p == c.end;
}

static bool put_fields(struct mct_buf *to, const struct mct_block *b)
{
    const struct {
        const char *name;
        struct mct_str json;
        bool meta;
    } fields[] = { { "data: ", b->data, false }, { "meta: ", b->meta, true } };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].json.p)
            continue;
        mct_buf_addz(to, b->one_line ? " | " : "\n  ");
        mct_buf_addz(to, fields[i].name);
        if (!put_object(to, fields[i].json, fields[i].meta))
            return false;
    }
    return mct_buf_ok(to);
}

int mct_block_put(struct mct_buf *to, const struct mct_block *b)
{
    size_t before = to->len;
    mct_buf_addz(to, states[b->state].emoji);
    mct_buf_addz(to, " mcp ");
    put_summary(to, b->summary);
    if (mct_buf_ok(to) && mct_buf_last(to) == ' ')
        to->len--;
    mct_buf_addz(to, "\n  state: ");
    mct_buf_addz(to, states[b->state].word);
    if (put_fields(to, b))
        return 0;
    to->len = before;
    return -1;
}

/* ---- reading ---- */

/* Where the spans of a block are in the buffer, which moves as it grows. */
struct place {
    size_t at, len;
    bool there;
};

struct reading {
    struct mct_value_copy c;
    struct mct_block *block;
    struct place summary, object[2]; /* data, meta */
};

static struct place place_since(const struct reading *r, size_t at)
{
    return (struct place){ at, r->c.to->len - at, true };
}

static bool take(struct reading *r, const char *z)
{
    if (!mct_str_starts(mct_str_range(r->c.p, r->c.end), mct_str_of(z)))
        return false;
    r->c.p += strlen(z);
    return true;
}

static bool skip_blanks(struct reading *r)
{
    const char *from = r->c.p;
    while (take(r, " ") || take(r, "\t"))
        ;
    return r->c.p > from;
}

static bool read_emoji(struct reading *r)
{
    struct mct_str rest = mct_str_range(r->c.p, r->c.end);
    for (int i = 0; i < MCT_BLOCK_N_STATES; i++) {
        if (mct_str_starts(rest, (struct mct_str){ states[i].emoji, EMOJI_BYTES })) {
            r->c.p += EMOJI_BYTES;
            take(r, SELECTOR);
            r->block->state = (enum mct_block_state)i;
            return true;
        }
    }
    return mct_value_fail(&r->c, "the emoji of a state expected");
}

static bool read_summary(struct reading *r)
{
    struct mct_str line, rest = mct_str_range(r->c.p, r->c.end);
    size_t at = r->c.to->len;
    mct_str_split(&rest, '\n', &line);
    const char *line_end = line.p + line.len;
    while (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    for (size_t n; r->c.p < line_end; r->c.p += n)
        if (!(n = mct_utf8_len(r->c.p, line_end)))
            return mct_value_fail(&r->c, "invalid UTF-8");
    put_summary(r->c.to, line);
    r->summary = place_since(r, at);
    return true;
}

static bool read_first_line(struct reading *r)
{
    mct_value_skip_space(&r->c);
    if (!read_emoji(r))
        return false;
    if (!skip_blanks(r))
        return mct_value_fail(&r->c, "a blank expected behind the emoji");
    if (!take(r, "mcp"))
        return mct_value_fail(&r->c, "'mcp' expected");
    if (r->c.p < r->c.end && *r->c.p != '\n' && *r->c.p != '\r' && !skip_blanks(r))
        return mct_value_fail(&r->c, "a blank expected behind 'mcp'");
    return read_summary(r);
}

static bool read_state(struct reading *r)
{
    const char *from = r->c.p;
    if (mct_str_is(mct_value_word(&r->c), states[r->block->state].word))
        return true;
    r->c.p = from;
    return mct_value_fail(&r->c, "the state that goes with the emoji expected");
}

static bool read_object(struct reading *r, int field)
{
    size_t at = r->c.to->len;
    if (r->c.p == r->c.end || *r->c.p != '{')
        return mct_value_fail(&r->c, "'{' expected");
    r->c.bare_agent = field == 2;
    if (!mct_value_copy(&r->c))
        return false;
    r->object[field - 1] = place_since(r, at);
    return true;
}

/* What stands between two fields: a line break or, behind the state, a bar. */
static bool read_separator(struct reading *r, int next, bool *ret_bar)
{
    skip_blanks(r);
    const char *line_end = r->c.p;
    mct_value_skip_space(&r->c);
    *ret_bar = next > 0 && take(r, "|");
    if (*ret_bar)
        mct_value_skip_space(&r->c);
    r->block->one_line |= *ret_bar;
    return r->c.p > line_end || r->c.p == r->c.end || mct_value_fail(&r->c, "a line break or '|' expected");
}

/* Which field comes; -1: none of those that may. */
static int read_name(struct reading *r, int first)
{
    static const char *const names[] = { "state", "data", "meta" };
    const char *from = r->c.p;
    struct mct_str word = mct_value_word(&r->c);
    int n = first ? 3 : 1; /* data and meta may be missing, the state not */
    for (int i = first; i < n; i++)
        if (mct_str_is(word, names[i]))
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
        { "the end expected", "the end expected, and no bar before it" },
    };
    int field = read_name(r, *next);
    if (field < 0)
        return mct_value_fail(&r->c, expected[*next][bar]);
    skip_blanks(r);
    if (!take(r, ":"))
        return mct_value_fail(&r->c, "':' expected");
    mct_value_skip_space(&r->c);
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
            return mct_buf_ok(r->c.to) || mct_value_fail(&r->c, "too large");
        if (!read_field(r, &next, bar))
            return false;
    }
}

static struct mct_str span(const struct mct_buf *keep, struct place place)
{
    return place.there ? (struct mct_str){ mct_buf_str(keep).p + place.at, place.len } : MCT_STR_NONE;
}

int mct_block_parse(struct mct_str text, struct mct_buf *keep, struct mct_block *ret, struct mct_json_fault *fault)
{
    struct mct_block block = { .one_line = false };
    struct mct_str s = text.p ? text : MCT_STR("");
    struct reading r = { .c = { .p = s.p, .end = s.p + s.len, .to = keep }, .block = &block };
    size_t before = keep->len;
    if (s.len > MCT_LIMIT_MESSAGE_BYTES ? !mct_value_fail(&r.c, "too large") : !read_block(&r)) {
        if (fault)
            *fault = (struct mct_json_fault){ (size_t)(r.c.p - s.p), r.c.why };
        keep->len = before;
        return -1;
    }
    block.summary = span(keep, r.summary);
    block.data = span(keep, r.object[0]);
    block.meta = span(keep, r.object[1]);
    *ret = block;
    return 0;
}
