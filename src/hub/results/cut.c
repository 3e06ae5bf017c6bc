/* The beginning of a result that is over its budget, with a note for the model and a link to the rest. */
#include "hub/results/impl.h"

#include "json/write.h"
#include "mcp/era.h"

enum { NOTE_BYTES = 1100 }; /* room for the note and the link */

/* ---- the beginning of a text ---- */

/* A position in a string value: in the value as written, and in its text. */
struct cut_point {
    const char *p;
    size_t n_bytes;
};

static unsigned cut_hex4(const char *p)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++)
        n = n * 16 + (unsigned)mcti_hex_digit(p[i]);
    return n;
}

/* Moves `c` behind the escape at c->p. */
static void cut_skip_escape(struct cut_point *c, const char *end)
{
    bool is_unicode = c->p[1] == 'u';
    unsigned code = is_unicode ? cut_hex4(c->p + 2) : 0;
    bool high = code >= 0xd800 && code < 0xdc00 && end - c->p >= 12 && c->p[6] == '\\' && c->p[7] == 'u';
    unsigned low = high ? cut_hex4(c->p + 8) : 0;
    bool pair = low >= 0xdc00 && low < 0xe000;
    c->n_bytes += pair ? 4 : code >= 0x800 ? 3 : code >= 0x80 ? 2 : 1;
    c->p += pair ? 12 : is_unicode ? 6 : 2;
}

/* Moves `c` to `stop` or to the first escape before it. */
static void cut_skip_plain(struct cut_point *c, const char *stop, const char *end)
{
    const char *slash = memchr(c->p, '\\', (size_t)(stop - c->p));
    const char *to = slash ? slash : stop;
    while (!slash && to > c->p && to < end && ((unsigned char)*to & 0xc0) == 0x80)
        to--;
    c->n_bytes += (size_t)(to - c->p);
    c->p = to;
}

/* Returns the end of the part of a string value that has at most `room` bytes as written: after a line if one of its
 * last quarter ends there, otherwise between two characters. */
static struct cut_point cut_end(struct mcti_str value, size_t room)
{
    const char *begin = value.p + 1, *end = value.p + value.len - 1;
    const char *stop = (size_t)(end - begin) > room ? begin + room : end;
    struct cut_point c = { begin, 0 }, line = c, before;
    while (c.p < stop) {
        before = c;
        cut_skip_plain(&c, stop, end);
        if (c.p >= stop || *c.p != '\\')
            break;
        before = c;
        bool is_line = c.p[1] == 'n';
        cut_skip_escape(&c, end);
        if (c.p > stop)
            return line.p - begin > (stop - begin) / 4 * 3 ? line : before;
        if (is_line)
            line = c;
    }
    return stop < end && line.p - begin > (stop - begin) / 4 * 3 ? line : c;
}

/* ---- the content ---- */

static void cut_comma(struct mcti_result_cut *c)
{
    if (mcti_buf_last(&c->to) != '[')
        mcti_buf_addc(&c->to, ',');
}

/* Writes a text block with the beginning of its text. Its other members stay as they are written. */
static void cut_put_beginning(struct mcti_result_cut *c, const struct mcti_result_block *block, size_t at)
{
    struct mcti_str whole = block->whole, text = block->text;
    struct cut_point end = cut_end(text, c->room);
    cut_comma(c);
    mcti_buf_add(&c->to, mcti_str_range(whole.p, end.p));
    mcti_buf_addc(&c->to, '"');
    mcti_buf_add(&c->to, mcti_str_range(text.p + text.len, whole.p + whole.len));
    c->at = at + end.n_bytes;
    c->n_shown++;
    c->room = 0;
}

void mcti_result_cut_block(struct mcti_result_cut *c, const struct mcti_result_block *block, size_t at)
{
    struct mcti_str whole = block->whole, text = block->text;
    if (!c->is_over && whole.len <= c->room) {
        cut_comma(c);
        mcti_buf_add(&c->to, whole);
        c->room -= whole.len;
        c->n_shown++;
        return;
    }
    if (!c->is_over && at)
        c->at = at;
    /* a block has other members than its text, and they stay */
    if (!c->is_over && text.p && !block->is_resource && whole.len - text.len < c->room / 2) {
        c->room -= whole.len - text.len;
        cut_put_beginning(c, block, at);
    } else {
        c->n_left_out++;
    }
    c->is_over = true;
}

/* ---- the note ---- */

static uint64_t cut_line_at(const struct mcti_kept *k, size_t at)
{
    uint64_t n = 1;
    const char *p = k->text, *end = p + at;
    for (const char *nl; p < end && (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1)
        n++;
    return n;
}

static void cut_put_way(struct mcti_buf *b, const struct mcti_result_cut *c, const struct mcti_results *r,
                        const struct mcti_kept *k, size_t structured)
{
    bool at_line = c->is_over && c->at && c->at <= k->len && k->text[c->at - 1] == '\n';
    mcti_buf_printf(b, " Read on with the tool " MCT_RESULT_TOOL ": {\"result\":\"" MCT_RESULT_URI "%s\"", k->id);
    if (at_line)
        mcti_buf_printf(b, ",\"line\":%llu}", (unsigned long long)cut_line_at(k, c->at));
    else
        mcti_buf_printf(b, ",\"byte\":%zu}", c->at);
    mcti_buf_addz(b, ", or search it: {\"result\":…,\"search\":\"TEXT\"}.");
    if (structured)
        mcti_buf_printf(b, " structuredContent (%zu bytes) is left out; {\"result\":…,\"path\":\"\"} reads it.",
                        structured);
    mcti_buf_printf(b, " It is kept for %u minutes.]", (r->opts.ttl_ms + 59999) / 60000);
}

static void cut_put_note(struct mcti_result_cut *c, const struct mcti_results *r, const struct mcti_kept *k,
                         size_t whole, size_t structured)
{
    struct mcti_buf b;
    mcti_buf_init(&b, NOTE_BYTES);
    mcti_buf_printf(&b, "[Shortened by mcptools: the whole result is too long (%zu bytes", k ? k->len : whole);
    if (k)
        mcti_buf_printf(&b, " in %zu lines", k->n_lines);
    mcti_buf_addz(&b, ").");
    if (c->is_over)
        mcti_buf_printf(&b, " Shown is its beginning, up to byte %zu.", c->at);
    if (c->n_left_out)
        mcti_buf_printf(&b, " %zu content blocks are left out.", c->n_left_out);
    if (k)
        cut_put_way(&b, c, r, k, structured);
    else
        mcti_buf_addz(&b, " The rest was not kept, because it does not fit into results.bytes: ask for less.]");
    cut_comma(c);
    mcti_buf_addz(&c->to, "{\"type\":\"text\"");
    mcti_json_put_member(&c->to, "text", mcti_buf_str(&b));
    mcti_buf_addc(&c->to, '}');
    mcti_buf_done(&b);
}

static void cut_put_link(struct mcti_result_cut *c, const struct mcti_kept *k)
{
    mcti_buf_printf(&c->to,
                    ",{\"type\":\"resource_link\",\"uri\":\"" MCT_RESULT_URI "%s\",\"name\":\"whole result\","
                    "\"mimeType\":\"text/plain\",\"size\":%zu}",
                    k->id, k->len);
}

/* ---- the result ---- */

/* Writes `_meta` of the result, unless it is long, with a member for programs: how long the whole is, where it is kept,
 * and how much is shown. */
static void cut_put_meta(struct mcti_result_cut *c, struct mcti_str meta, const struct mcti_results *r,
                         const struct mcti_kept *k, size_t whole)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 512);
    mcti_buf_printf(&b, "{\"resultBytes\":%zu", whole);
    if (k)
        mcti_buf_printf(&b, ",\"uri\":\"" MCT_RESULT_URI "%s\",\"bytes\":%zu,\"lines\":%zu,\"expiresInMs\":%u", k->id,
                        k->len, k->n_lines, r->opts.ttl_ms);
    if (c->is_over)
        mcti_buf_printf(&b, ",\"shownBytes\":%zu", c->at);
    mcti_buf_printf(&b, ",\"kept\":%s}", k ? "true" : "false");
    const struct mcti_json_set set = { MCT_META_RESULT, mcti_buf_str(&b) };
    mcti_json_put_key(&c->to, "_meta");
    mcti_json_put_object(&c->to, meta.len <= c->budget / 4 ? meta : MCT_STR_NONE, &set, 1);
    mcti_buf_done(&b);
}

void mcti_result_cut_init(struct mcti_result_cut *c, size_t budget)
{
    *c = (struct mcti_result_cut){ .budget = budget,
                                   .room = budget > 2 * NOTE_BYTES ? budget - NOTE_BYTES : budget / 2 };
    mcti_buf_init(&c->to, 16 * budget + 65536);
    mcti_buf_addz(&c->to, "{\"content\":[");
}

void mcti_result_cut_end(struct mcti_result_cut *c, const struct mcti_result_blocks *of, size_t whole,
                         const struct mcti_results *r, const struct mcti_kept *k)
{
    struct mcti_str structured = of->structured;
    bool stays = structured.p && !c->is_over && structured.len <= c->room;
    cut_put_note(c, r, k, whole, structured.p && !stays ? structured.len : 0);
    if (k)
        cut_put_link(c, k);
    mcti_buf_addc(&c->to, ']');
    if (stays)
        mcti_json_put_raw(&c->to, "structuredContent", structured);
    mcti_buf_add(&c->to, mcti_buf_str(of->others));
    cut_put_meta(c, of->meta, r, k, whole);
    mcti_buf_addc(&c->to, '}');
}
