/* Parts of a kept result: lines, bytes, matches of a search, a part of the structured content, a block. */
#include "hub/results/impl.h"

#include "json/write.h"

#include <stdio.h>

enum {
    PRETTY_BYTES = 16 << 20, /* of a JSON value with line breaks; one that needs more is shown as the server wrote it */
    PATH_WORK = 128 << 20,   /* bytes of JSON that are searched for a path */
};

const char mcti_result_template[] =
    "{\"uriTemplate\":\"" MCT_RESULT_URI "{id}{?line,lines,byte,bytes,search,ignore_case,context,path,block}\","
    "\"name\":\"tool result\",\"title\":\"Tool result that was too long\","
    "\"description\":\"A tool result that was shortened: whole, in lines or bytes, or the lines that contain `search`. "
    "`path` is a JSON pointer into its structured content, `block` the number of an image or other block.\"}";

/* ---- the source ---- */

static struct mcti_str range_item(struct mcti_str array, const char *index)
{
    struct mcti_str item;
    uint64_t n;
    if (!mcti_json_uint(mcti_str_of(index), &n))
        return MCT_STR_NONE;
    for (struct mcti_json_iter it = mcti_json_open(array); mcti_json_next_item(&it, &item); n--)
        if (!n)
            return item;
    return MCT_STR_NONE;
}

/* Returns the value at a JSON pointer (RFC 6901); absent if there is none, or if it would take too long to find. */
static struct mcti_str range_at(struct mcti_str value, struct mcti_str pointer)
{
    struct mcti_buf part;
    struct mcti_str rest = pointer, token;
    size_t work = 0;
    if (!pointer.len)
        return value;
    mcti_str_split(&rest, '/', &token);
    if (token.len)
        return MCT_STR_NONE; /* a pointer begins with a slash */
    mcti_buf_init(&part, pointer.len + 1);
    while (value.p && mcti_str_split(&rest, '/', &token)) {
        mcti_buf_clear(&part);
        mcti_json_put_token(&part, token);
        mcti_buf_addc(&part, '\0');
        const char *key = mcti_buf_ok(&part) ? part.p : "";
        work += value.len;
        if (work > PATH_WORK)
            value = MCT_STR_NONE;
        else
            value = mcti_json_type(value) == '[' ? range_item(value, key) : mcti_json_get(value, key);
    }
    mcti_buf_done(&part);
    return value;
}

/* Sets r->text to the text that lines and bytes count in; `scratch` may hold it. */
static int range_source(struct mcti_range *r, const struct mcti_kept *k, struct mcti_buf *scratch,
                        struct mct_error *err)
{
    r->kept = r->q->has_path ? NULL : k;
    r->text = (struct mcti_str){ k->text, k->len };
    if (!r->q->has_path)
        return 0;
    struct mcti_str path = mcti_buf_str(&r->q->path);
    struct mcti_str value = range_at(mcti_json_get(mcti_str_of(k->rest), "structuredContent"), path);
    r->text = value;
    if (!value.p)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "the structured content has nothing at the path '%.*s'",
                         MCT_STR_ARG(path));
    bool is_text = mcti_json_type(value) == '"';
    mcti_buf_init(scratch, is_text ? value.len : PRETTY_BYTES);
    if (is_text)
        mcti_json_unescape_any(value, scratch);
    else if (value.len < PRETTY_BYTES)
        mcti_json_put_pretty(scratch, value);
    if (is_text && !mcti_buf_ok(scratch))
        return mcti_no_memory(err);
    if (is_text || (scratch->len && mcti_buf_ok(scratch)))
        r->text = mcti_buf_str(scratch);
    return 0;
}

/* ---- bytes and lines ---- */

/* Returns the largest offset up to `at` that is between two characters. */
size_t mcti_range_boundary(struct mcti_str text, size_t at)
{
    if (at >= text.len)
        return text.len;
    for (int i = 0; i < 3 && at && ((unsigned char)text.p[at] & 0xc0) == 0x80; i++)
        at--;
    return at;
}

const char *mcti_range_line_end(const char *p, const char *end)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    return nl ? nl + 1 : end;
}

/* Returns the number of line feeds in 8 bytes, counted at once: there may be megabytes of empty lines. */
static unsigned range_count_feeds(const char *p)
{
    const uint64_t feeds = 0x0a0a0a0a0a0a0a0a, low = 0x7f7f7f7f7f7f7f7f, ones = 0x0101010101010101;
    uint64_t v;
    memcpy(&v, p, sizeof v);
    v ^= feeds;
    uint64_t is_feed = ~(((v & low) + low) | v | low); /* the highest bit of each byte that is zero now */
    return (unsigned)((is_feed >> 7) * ones >> 56);
}

const char *mcti_range_skip_lines(const char *p, const char *end, uint64_t *n)
{
    enum { AT_ONCE = 8 };
    for (; *n > AT_ONCE && end - p > AT_ONCE; p += AT_ONCE)
        *n -= range_count_feeds(p);
    for (; *n && p < end; (*n)--)
        p = mcti_range_line_end(p, end);
    return p;
}

static int range_put_bytes(const struct mcti_range *r, struct mct_error *err)
{
    const struct mcti_result_query *q = r->q;
    struct mcti_str text = r->text;
    if (q->byte >= text.len && (q->byte || text.len))
        return mcti_fail(err, MCT_ERR_USAGE, "byte %llu is behind the end: the text has %zu bytes",
                         (unsigned long long)q->byte, text.len);
    size_t from = mcti_range_boundary(text, (size_t)q->byte), left = text.len - from;
    size_t n = q->bytes && q->bytes < left ? (size_t)q->bytes : left;
    if (q->max && n > q->max)
        n = q->max;
    size_t until = mcti_range_boundary(text, from + n);
    if (until == from && from < text.len) /* less than one character */
        do
            until++;
        while (until < text.len && ((unsigned char)text.p[until] & 0xc0) == 0x80);
    mcti_buf_add(r->to, mcti_str_range(text.p + from, text.p + until));
    mcti_buf_printf(r->note, "Bytes %zu to %zu of %zu.", from, until, text.len);
    if (until < text.len)
        mcti_buf_printf(r->note, " Go on with byte=%zu.", until);
    return 0;
}

bool mcti_range_seek(const struct mcti_range *r, uint64_t number, struct mcti_range_line *ret)
{
    const struct mcti_kept *k = r->kept;
    const char *p = r->text.p, *end = p + r->text.len;
    uint64_t n = 1, mark = (number - 1) / MCT_RESULT_MARK_LINES;
    if (k && k->n_marks) {
        mark = mark < k->n_marks ? mark : k->n_marks - 1;
        p += k->marks[mark];
        n += mark * MCT_RESULT_MARK_LINES;
    }
    uint64_t left = number - n;
    p = mcti_range_skip_lines(p, end, &left);
    n = number - left;
    *ret = (struct mcti_range_line){ p, p < end ? mcti_range_line_end(p, end) : p, n };
    return p < end || (number == 1 && !r->text.len);
}

int mcti_range_fail_line(struct mct_error *err, uint64_t asked, uint64_t n_lines)
{
    return mcti_fail(err, MCT_ERR_USAGE, "line %llu is behind the end: the text has %llu lines",
                     (unsigned long long)asked, (unsigned long long)n_lines);
}

uint64_t mcti_range_n_lines(const struct mcti_range *r, const char *p, uint64_t n)
{
    const char *end = r->text.p + r->text.len;
    if (r->kept)
        return r->kept->n_lines;
    uint64_t left = UINT64_MAX;
    mcti_range_skip_lines(p, end, &left);
    return n + (UINT64_MAX - left);
}

/* Writes the beginning of a line that does not fit. */
static void range_put_line_part(const struct mcti_range *r, const struct mcti_range_line *l)
{
    size_t from = (size_t)(l->p - r->text.p), until = mcti_range_boundary(r->text, from + r->q->max);
    mcti_buf_printf(r->note, "The beginning of line %llu, bytes %zu to %zu of %zu. Go on with byte=%zu.",
                    (unsigned long long)l->number, from, until, r->text.len, until);
    mcti_buf_add(r->to, mcti_str_range(l->p, r->text.p + until));
}

static int range_put_lines(const struct mcti_range *r, struct mct_error *err)
{
    const struct mcti_result_query *q = r->q;
    struct mcti_range_line l;
    uint64_t first = q->line ? q->line : 1, n = 0;
    const char *end = r->text.p + r->text.len;
    if (!mcti_range_seek(r, first, &l))
        return mcti_range_fail_line(err, first, l.number - 1);
    const char *p = l.p;
    for (; p < end && (!q->lines || n < q->lines); n++) {
        const char *stop = mcti_range_line_end(p, end);
        if (q->max && (size_t)(stop - l.p) > q->max)
            break;
        p = stop;
    }
    if (p == l.p && p < end) { /* not even one line fits */
        range_put_line_part(r, &l);
        return 0;
    }
    mcti_buf_add(r->to, mcti_str_range(l.p, p));
    mcti_buf_printf(r->note, "Lines %llu to %llu of %llu.", (unsigned long long)first,
                    (unsigned long long)(first - 1 + n), (unsigned long long)mcti_range_n_lines(r, p, first - 1 + n));
    if (p < end)
        mcti_buf_printf(r->note, " Go on with line=%llu.", (unsigned long long)(first + n));
    return 0;
}

/* ---- entries ---- */

int mcti_result_put_range(struct mcti_buf *to, struct mcti_buf *note, const struct mcti_kept *k,
                          const struct mcti_result_query *q, struct mct_error *err)
{
    struct mcti_range range = { .to = to, .note = note, .q = q };
    struct mcti_buf scratch;
    mcti_buf_init(&scratch, 0);
    int r = range_source(&range, k, &scratch, err);
    if (r == 0)
        r = q->search.len ? mcti_range_search(&range, err)
            : q->by_bytes ? range_put_bytes(&range, err)
                          : range_put_lines(&range, err);
    mcti_buf_done(&scratch);
    return r < 0 ? -1 : mcti_buf_ok(to) && mcti_buf_ok(note) ? 0 : mcti_no_memory(err);
}

struct mcti_str mcti_result_block(const struct mcti_kept *k, uint64_t number, struct mct_error *err)
{
    char key[24];
    snprintf(key, sizeof key, "%llu", (unsigned long long)number);
    struct mcti_str block = mcti_json_get(mcti_json_get(mcti_str_of(k->rest), "blocks"), key);
    if (!block.p)
        mcti_fail(err, MCT_ERR_NOT_FOUND, "the result has no block %s that is not text", key);
    return block;
}

/* Writes an image, audio or embedded blob as contents of a resource; any other block as JSON. */
static void range_put_block(struct mcti_buf *to, struct mcti_str block)
{
    struct mcti_str inner = mcti_json_get(block, "resource"), from = inner.p ? inner : block;
    struct mcti_str data = mcti_json_get(from, inner.p ? "blob" : "data"), mime = mcti_json_get(from, "mimeType");
    bool is_blob = mcti_json_type(data) == '"';
    if (is_blob && mcti_json_type(mime) == '"')
        mcti_json_put_raw(to, "mimeType", mime);
    else if (!is_blob)
        mcti_json_put_member(to, "mimeType", MCT_STR("application/json"));
    if (is_blob)
        mcti_json_put_raw(to, "blob", data);
    else
        mcti_json_put_member(to, "text", block);
}

int mcti_result_put_read(struct mcti_buf *to, const struct mcti_kept *k, const struct mcti_result_query *q,
                         struct mcti_str uri, struct mct_error *err)
{
    struct mcti_buf text, note;
    struct mcti_str block = MCT_STR_NONE;
    mcti_buf_init(&text, to->max);
    mcti_buf_init(&note, 1024);
    int r = 0;
    if (q->block)
        r = (block = mcti_result_block(k, q->block, err)).p ? 0 : -1;
    else
        r = mcti_result_put_range(&text, &note, k, q, err);
    mcti_buf_addz(to, "{\"contents\":[{");
    mcti_json_put_member(to, "uri", uri);
    if (block.p) {
        range_put_block(to, block);
    } else {
        mcti_json_put_member(to, "mimeType", MCT_STR("text/plain"));
        if (q->search.len)
            mcti_buf_add(&text, mcti_buf_str(&note)); /* a program reads a range by its numbers, a search by this */
        mcti_json_put_member(to, "text", mcti_buf_str(&text));
    }
    mcti_buf_addz(to, "}]}");
    to->failed |= text.failed;
    mcti_buf_done(&text);
    mcti_buf_done(&note);
    return r < 0 ? -1 : mcti_buf_ok(to) ? 0 : mcti_no_memory(err);
}
