/* Parts of a kept result: lines, bytes, matches of a search, a part of the structured content, a block. */
#include "hub/results/results.h"

#include "base/log/utf8.h"
#include "json/write.h"

#include <stdlib.h>

enum { MATCHES = 50, BEFORE_BYTES = 150, AFTER_BYTES = 350, NO_LIMIT = 0 };

const char mcti_result_template[] =
    "{\"uriTemplate\":\"" MCT_RESULT_URI "{id}{?line,lines,byte,bytes,search,ignore_case,context,path,block}\","
    "\"name\":\"tool result\",\"title\":\"Tool result that was too long\","
    "\"description\":\"A tool result that was shortened: whole, in lines or bytes, or the lines that contain `search`. "
    "`path` is a JSON pointer into its structured content, `block` the number of an image or other block.\"}";

/* ---- the source ---- */

/* Copies the next part of a JSON pointer to `to`, unescaped and NUL-terminated. */
static void range_pointer_part(struct mcti_str *rest, struct mcti_buf *to)
{
    struct mcti_str part;
    mcti_buf_clear(to);
    mcti_str_split(rest, '/', &part);
    for (size_t i = 0; i < part.len; i++) {
        bool escape = part.p[i] == '~' && i + 1 < part.len && (part.p[i + 1] == '0' || part.p[i + 1] == '1');
        mcti_buf_addc(to, !escape ? part.p[i] : part.p[i + 1] == '0' ? '~' : '/');
        i += escape;
    }
    mcti_buf_addc(to, '\0');
}

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

/* Returns the value at a JSON pointer (RFC 6901); absent if there is none. */
static struct mcti_str range_at(struct mcti_str value, struct mcti_str pointer)
{
    struct mcti_buf part;
    struct mcti_str rest = pointer, before;
    if (!pointer.len)
        return value;
    mcti_str_split(&rest, '/', &before);
    if (before.len)
        return MCT_STR_NONE; /* a pointer begins with a slash */
    mcti_buf_init(&part, pointer.len + 1);
    while (rest.p && value.p) {
        range_pointer_part(&rest, &part);
        const char *key = mcti_buf_ok(&part) ? part.p : "";
        value = mcti_json_type(value) == '[' ? range_item(value, key) : mcti_json_get(value, key);
    }
    mcti_buf_done(&part);
    return value;
}

/* Sets *ret to the text that lines and bytes count in; `scratch` may hold it. */
static int range_source(const struct mcti_kept *k, const struct mcti_result_query *q, struct mcti_buf *scratch,
                        struct mcti_str *ret, struct mct_error *err)
{
    *ret = (struct mcti_str){ k->text, k->len };
    if (!q->has_path)
        return 0;
    struct mcti_str value = range_at(mcti_json_get(mcti_str_of(k->rest), "structuredContent"), mcti_buf_str(&q->path));
    if (!value.p)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "the structured content has nothing at the path '%.*s'",
                         MCT_STR_ARG(mcti_buf_str(&q->path)));
    if (mcti_json_unescape_any(value, scratch) < 0)
        mcti_json_put_pretty(scratch, value);
    *ret = mcti_buf_str(scratch);
    return mcti_buf_ok(scratch) ? 0 : mcti_no_memory(err);
}

/* ---- bytes and lines ---- */

/* Returns the largest offset up to `at` that is between two characters. */
static size_t range_boundary(struct mcti_str text, size_t at)
{
    if (at >= text.len)
        return text.len;
    for (int i = 0; i < 3 && at && ((unsigned char)text.p[at] & 0xc0) == 0x80; i++)
        at--;
    return at;
}

static const char *range_line_end(const char *p, const char *end)
{
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    return nl ? nl + 1 : end;
}

static int range_put_bytes(struct mcti_buf *to, struct mcti_buf *note, struct mcti_str text,
                           const struct mcti_result_query *q, size_t max, struct mct_error *err)
{
    if (q->byte >= text.len && (q->byte || text.len))
        return mcti_fail(err, MCT_ERR_USAGE, "byte %llu is behind the end: the text has %zu bytes",
                         (unsigned long long)q->byte, text.len);
    size_t from = range_boundary(text, (size_t)q->byte), left = text.len - from;
    size_t n = q->bytes && q->bytes < left ? (size_t)q->bytes : left;
    if (max && n > max)
        n = max;
    size_t until = range_boundary(text, from + n);
    if (until == from && from < text.len) /* less than one character */
        do
            until++;
        while (until < text.len && ((unsigned char)text.p[until] & 0xc0) == 0x80);
    mcti_buf_add(to, mcti_str_range(text.p + from, text.p + until));
    mcti_buf_printf(note, "Bytes %zu to %zu of %zu.", from, until, text.len);
    if (until < text.len)
        mcti_buf_printf(note, " Go on with byte=%zu.", until);
    return 0;
}

/* A cursor over lines. */
struct range_line {
    const char *p, *end; /* the line with its line feed; p == text end: there is none */
    uint64_t number;
};

/* Finds line `number`; ret->number is one more than the number of lines if there are fewer. Returns false then. */
static bool range_seek(struct mcti_str text, uint64_t number, struct range_line *ret)
{
    const char *p = text.p, *end = text.p + text.len;
    uint64_t n = 1;
    for (; n < number && p < end; n++)
        p = range_line_end(p, end);
    *ret = (struct range_line){ p, p < end ? range_line_end(p, end) : p, n };
    return p < end || (number == 1 && !text.len);
}

static int range_fail_line(struct mct_error *err, uint64_t asked, uint64_t n_lines)
{
    return mcti_fail(err, MCT_ERR_USAGE, "line %llu is behind the end: the text has %llu lines",
                     (unsigned long long)asked, (unsigned long long)n_lines);
}

static int range_put_lines(struct mcti_buf *to, struct mcti_buf *note, struct mcti_str text,
                           const struct mcti_result_query *q, size_t max, struct mct_error *err)
{
    struct range_line l;
    uint64_t first = q->line ? q->line : 1, n = 0, total;
    const char *end = text.p + text.len;
    if (!range_seek(text, first, &l))
        return range_fail_line(err, first, l.number - 1);
    const char *from = l.p, *p = from;
    for (; p < end && (!q->lines || n < q->lines); n++) {
        const char *stop = range_line_end(p, end);
        if (max && (size_t)(stop - from) > max)
            break;
        p = stop;
    }
    if (p == from && p < end) { /* not even one line fits */
        p = text.p + range_boundary(text, (size_t)(from - text.p) + max);
        mcti_buf_printf(note, "The beginning of line %llu, bytes %zu to %zu of %zu. Go on with byte=%zu.",
                        (unsigned long long)first, (size_t)(from - text.p), (size_t)(p - text.p), text.len,
                        (size_t)(p - text.p));
        mcti_buf_add(to, mcti_str_range(from, p));
        return 0;
    }
    mcti_buf_add(to, mcti_str_range(from, p));
    total = first - 1 + n;
    for (const char *rest = p; rest < end; rest = range_line_end(rest, end))
        total++;
    mcti_buf_printf(note, "Lines %llu to %llu of %llu.", (unsigned long long)first, (unsigned long long)(first - 1 + n),
                    (unsigned long long)total);
    if (p < end)
        mcti_buf_printf(note, " Go on with line=%llu.", (unsigned long long)(first + n));
    return 0;
}

/* ---- search ---- */

struct range_search {
    struct mcti_buf *to;
    struct mcti_str text, needle; /* needle: in lower case if ignore_case */
    struct mcti_buf lower;        /* a line in lower case */
    bool ignore_case;
    uint64_t context, shown; /* shown: number of the last line that was written */
    size_t max;
};

static void range_add_lower(struct mcti_buf *to, struct mcti_str s)
{
    size_t from = to->len;
    mcti_buf_add(to, s);
    for (size_t i = from; mcti_buf_ok(to) && i < to->len; i++)
        if (to->p[i] >= 'A' && to->p[i] <= 'Z')
            to->p[i] = (char)(to->p[i] + ('a' - 'A'));
}

/* Returns the offset of the needle in the line; -1 if it is not there. Linear in the length of the line. */
static long range_find(struct range_search *s, struct mcti_str line)
{
    struct mcti_str in = line;
    if (s->ignore_case) {
        mcti_buf_clear(&s->lower);
        range_add_lower(&s->lower, line);
        in = mcti_buf_str(&s->lower);
    }
    const char *at = in.len ? memmem(in.p, in.len, s->needle.p, s->needle.len) : NULL;
    return at ? (long)(at - in.p) : -1;
}

/* Returns the line without its line ending. */
static struct mcti_str range_bare(const char *p, const char *end)
{
    struct mcti_str line = mcti_str_range(p, end);
    if (line.len && line.p[line.len - 1] == '\n')
        line.len--;
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    return line;
}

/* Writes "12:text" for a match and "12-text" for a line around one; of a long line, what is around `at`. */
static void range_put_line(struct range_search *s, uint64_t number, struct mcti_str line, size_t at, char mark)
{
    size_t from = at > BEFORE_BYTES ? range_boundary(line, at - BEFORE_BYTES) : 0;
    size_t until = range_boundary(line, at + s->needle.len + AFTER_BYTES);
    if (s->to->len && number > s->shown + 1 && s->context)
        mcti_buf_addz(s->to, "--\n");
    mcti_buf_printf(s->to, "%llu%c", (unsigned long long)number, mark);
    mcti_buf_addz(s->to, from ? "\xe2\x80\xa6" : "");
    mcti_buf_add(s->to, mcti_str_range(line.p + from, line.p + until));
    if (until < line.len)
        mcti_buf_printf(s->to, "\xe2\x80\xa6 (byte=%zu)", (size_t)(line.p - s->text.p) + until);
    mcti_buf_addc(s->to, '\n');
    s->shown = number;
}

/* Writes the lines before a match that are not written yet. */
static void range_put_before(struct range_search *s, const struct range_line *match)
{
    const char *p = match->p;
    uint64_t number = match->number;
    while (p > s->text.p && number > s->shown + 1 && match->number - number < s->context) {
        const char *before = p - 1;
        while (before > s->text.p && before[-1] != '\n')
            before--;
        p = before;
        number--;
    }
    for (; number < match->number; number++) {
        const char *end = range_line_end(p, s->text.p + s->text.len);
        range_put_line(s, number, range_bare(p, end), 0, '-');
        p = end;
    }
}

static void range_put_found(struct mcti_buf *note, uint64_t n_shown, uint64_t n, uint64_t next, uint64_t n_lines)
{
    if (!n)
        mcti_buf_printf(note, "No line contains the text; the text has %llu lines.", (unsigned long long)n_lines);
    else
        mcti_buf_printf(note, "%llu of %llu lines with the text.", (unsigned long long)n_shown, (unsigned long long)n);
    if (n_shown < n)
        mcti_buf_printf(note, " Go on with line=%llu and the same search.", (unsigned long long)next);
}

static int range_put_matches(struct range_search *s, struct mcti_buf *note, const struct mcti_result_query *q,
                             struct mct_error *err)
{
    struct range_line l;
    uint64_t first = q->line ? q->line : 1, n = 0, n_shown = 0, next = 0, after = 0;
    const char *end = s->text.p + s->text.len;
    if (!range_seek(s->text, first, &l))
        return range_fail_line(err, first, l.number - 1);
    s->shown = first - 1;
    for (; l.p < end && (!q->lines || l.number < first + q->lines); l.number++) {
        l.end = range_line_end(l.p, end);
        struct mcti_str line = range_bare(l.p, l.end);
        long at = range_find(s, line);
        bool room = n_shown < MATCHES && (!s->max || s->to->len < s->max);
        n += at >= 0;
        if (at >= 0 && room && !next) {
            range_put_before(s, &l);
            range_put_line(s, l.number, line, (size_t)at, ':');
            n_shown++;
            after = s->context;
        } else if (at >= 0 && !next) {
            next = l.number;
        } else if (at < 0 && after && room && !next) {
            range_put_line(s, l.number, line, 0, '-');
            after--;
        }
        l.p = l.end;
    }
    range_put_found(note, n_shown, n, next, l.number - 1);
    return mcti_buf_ok(&s->lower) ? 0 : mcti_no_memory(err);
}

static int range_search(struct mcti_buf *to, struct mcti_buf *note, struct mcti_str text,
                        const struct mcti_result_query *q, size_t max, struct mct_error *err)
{
    struct mcti_buf needle;
    struct range_search s = {
        .to = to, .text = text, .ignore_case = q->ignore_case, .context = q->context, .max = max
    };
    mcti_buf_init(&needle, q->search.len);
    mcti_buf_init(&s.lower, text.len);
    if (q->ignore_case)
        range_add_lower(&needle, mcti_buf_str(&q->search));
    else
        mcti_buf_add(&needle, mcti_buf_str(&q->search));
    s.needle = mcti_buf_str(&needle);
    int r = mcti_buf_ok(&needle) ? range_put_matches(&s, note, q, err) : mcti_no_memory(err);
    mcti_buf_done(&needle);
    mcti_buf_done(&s.lower);
    return r;
}

/* ---- entries ---- */

int mcti_result_put_range(struct mcti_buf *to, struct mcti_buf *note, const struct mcti_kept *k,
                          const struct mcti_result_query *q, size_t max, struct mct_error *err)
{
    struct mcti_buf scratch;
    struct mcti_str text;
    mcti_buf_init(&scratch, 8 * (k->len + strlen(k->rest)) + 64);
    int r = range_source(k, q, &scratch, &text, err);
    if (r == 0 && q->search.len)
        r = range_search(to, note, text, q, max, err);
    else if (r == 0 && q->by_bytes)
        r = range_put_bytes(to, note, text, q, max, err);
    else if (r == 0)
        r = range_put_lines(to, note, text, q, max, err);
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
        r = mcti_result_put_range(&text, &note, k, q, NO_LIMIT, err);
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
