#include "resources/lines/answer.h"

#include "base/log/utf8.h"
#include "model/degrade.h"
#include "json/write.h"

#include <time.h>

void mcti_block_put_time(struct mcti_buf *to, uint64_t ms)
{
    uint64_t tenths = ms / 100 + (ms % 100 >= 50);
    mcti_buf_addu(to, tenths / 10);
    if (tenths % 10)
        mcti_buf_printf(to, ".%u", (unsigned)(tenths % 10));
}

void mcti_block_put_ts(struct mcti_buf *to, int64_t s)
{
    char text[40];
    time_t t = (time_t)s;
    struct tm tm;
    if (!gmtime_r(&t, &tm))
        memset(&tm, 0, sizeof tm);
    mcti_buf_add(to, (struct mcti_str){ text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) });
}

/* ---- building an answer ---- */

struct answer {
    enum mcti_block_state state;
    struct mcti_buf summary, data;
};

static void open_answer(struct answer *a, enum mcti_block_state state, const struct mcti_buf *to)
{
    a->state = state;
    mcti_buf_init(&a->summary, to->max);
    mcti_buf_init(&a->data, to->max);
    mcti_buf_addc(&a->data, '{');
}

static void lines_answer_put_meta(struct mcti_buf *to, const struct mcti_block_style *style)
{
    mcti_buf_addz(to, "{\"agent\":\"mcp\",\"time\":");
    mcti_block_put_time(to, style->took_ms);
    mcti_buf_addz(to, ",\"ts\":\"");
    mcti_block_put_ts(to, style->now_s);
    mcti_buf_addz(to, "\"}");
}

static int lines_answer_put_block(struct mcti_buf *to, const struct answer *a, const struct mcti_block_style *style)
{
    struct mcti_buf meta;
    struct mcti_block b = { .state = a->state, .one_line = style->one_line, .summary = mcti_buf_str(&a->summary) };
    mcti_buf_init(&meta, 256);
    if (style->format != MCT_BLOCK_SUMMARY) {
        lines_answer_put_meta(&meta, style);
        b.data = mcti_buf_str(&a->data);
        b.meta = mcti_buf_str(&meta);
    }
    int result = mcti_block_put(to, &b);
    mcti_buf_done(&meta);
    return result;
}

static int put_raw(struct mcti_buf *to, struct mcti_str text)
{
    mcti_buf_add(to, text);
    return mcti_buf_ok(to) ? 0 : -1;
}

static int close_answer(struct mcti_buf *to, struct answer *a, const struct mcti_block_style *style)
{
    int result = -1;
    mcti_buf_addc(&a->data, '}');
    if (mcti_buf_ok(&a->data) && mcti_buf_ok(&a->summary))
        result =
            style->format == MCT_BLOCK_RAW ? put_raw(to, mcti_buf_str(&a->data)) : lines_answer_put_block(to, a, style);
    mcti_buf_done(&a->summary);
    mcti_buf_done(&a->data);
    return result;
}

static void put_uint(struct mcti_buf *to, const char *key, uint64_t n)
{
    mcti_json_put_key(to, key);
    mcti_buf_addu(to, n);
}

static void put_bool(struct mcti_buf *to, const char *key, bool value)
{
    mcti_json_put_raw(to, key, value ? MCT_STR("true") : MCT_STR("false"));
}

static void put_strings(struct mcti_buf *to, const char *key, const struct mcti_str *texts, size_t n)
{
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            mcti_buf_addc(to, ',');
        mcti_json_put_string(to, texts[i]);
    }
    mcti_buf_addc(to, ']');
}

/* ---- errors ---- */

static void put_msg(struct mcti_buf *to, const struct mcti_block_error *e, const char *hint)
{
    struct mcti_buf text;
    mcti_buf_init(&text, to->max);
    mcti_buf_add(&text, e->msg);
    if (hint)
        mcti_buf_printf(&text, e->msg.len ? " (%s)" : "%s", hint);
    mcti_json_put_member(to, "msg", mcti_buf_str(&text));
    to->failed |= text.failed;
    mcti_buf_done(&text);
}

static void put_fault(struct answer *a, const struct mcti_block_error *e, enum mcti_language language)
{
    const struct mcti_block_fault_row *row = mcti_block_fault_row(e->fault);
    size_t n_listed = !row->hint_lists                       ? 0
                      : e->n_available < MCT_BLOCK_AVAILABLE ? e->n_available
                                                             : MCT_BLOCK_AVAILABLE;
    mcti_buf_printf(&a->summary, "%s: %s", row->type, mcti_phrase(row->summary, language));
    if (row->with_uri && e->uri.len) {
        mcti_buf_addz(&a->summary, ": ");
        mcti_buf_add(&a->summary, e->uri);
    }
    mcti_json_put_member(&a->data, "type", mcti_str_of(row->type));
    put_msg(&a->data, e, row->hint_lists && !n_listed ? NULL : row->hint);
    put_bool(&a->data, "recoverable", row->recoverable);
    if (n_listed)
        put_strings(&a->data, "available", e->available, n_listed);
}

/* Writes the timeout with the kernel's words, which differ from the agent's. A server may give up before the limit: no
 * more than the time that has passed is named. */
static void put_timeout(struct answer *a, const struct mcti_block_error *e, const struct mcti_block_style *style)
{
    uint64_t waited_ms = style->took_ms < style->limit_ms ? style->took_ms : style->limit_ms;
    a->state = MCT_BLOCK_TIMEOUT;
    mcti_buf_printf(&a->summary, "%s: %s (>", mcti_block_fault_row(e->fault)->type,
                    mcti_phrase(e->uri.p ? MCT_SAY_READ_LATE : MCT_SAY_LIST_LATE, style->language));
    mcti_block_put_time(&a->summary, waited_ms);
    mcti_buf_addz(&a->summary, "s)");
    if (e->uri.p)
        mcti_json_put_member(&a->data, "uri", e->uri);
    mcti_json_put_key(&a->data, "elapsed");
    mcti_block_put_time(&a->data, style->took_ms);
}

int mcti_block_put_error(struct mcti_buf *to, const struct mcti_block_error *e, const struct mcti_block_style *style)
{
    struct mcti_block_style whole = *style;
    struct answer a;
    if (whole.format == MCT_BLOCK_RAW)
        whole.format = MCT_BLOCK_DETAIL;
    open_answer(&a, MCT_BLOCK_ERROR, to);
    if (style->kernel && e->fault == MCT_FAULT_TIMEOUT)
        put_timeout(&a, e, style);
    else
        put_fault(&a, e, style->language);
    return close_answer(to, &a, &whole);
}

/* ---- reading ---- */

static struct mcti_str lines_answer_head(struct mcti_str text, uint64_t max_chars, size_t *ret_n)
{
    return mcti_utf8_head(text, max_chars < SIZE_MAX ? (size_t)max_chars : SIZE_MAX, ret_n);
}

static bool lines_answer_fits(struct mcti_str text, uint64_t max_chars)
{
    size_t n;
    return lines_answer_head(text, max_chars, &n).len == text.len;
}

void mcti_block_cut(struct mcti_block_read *r, uint64_t whole_chars, uint64_t shown_chars)
{
    size_t n;
    if (lines_answer_fits(r->content, whole_chars))
        return;
    struct mcti_str head = lines_answer_head(r->content, shown_chars, &n);
    if (head.len == r->content.len)
        return;
    r->content = head;
    r->truncated = true;
    r->shown = n;
}

void mcti_block_put_blob(struct mcti_buf *to, struct mcti_str mime_type, uint64_t n_bytes)
{
    mcti_buf_addz(to, "[blob: ");
    mcti_buf_add(to, mime_type.len ? mime_type : MCT_STR("application/octet-stream"));
    mcti_buf_addz(to, ", ");
    mcti_buf_addu(to, n_bytes);
    mcti_buf_addz(to, " bytes]");
}

static void put_read_summary(struct mcti_buf *to, const struct mcti_block_read *r, enum mcti_language language)
{
    mcti_buf_addz(to, mcti_phrase(MCT_SAY_READ, language));
    mcti_buf_add(to, r->uri);
    mcti_buf_addz(to, " (");
    if (r->truncated)
        mcti_buf_addz(to, mcti_phrase(MCT_SAY_CUT, language));
    else
        mcti_degrade_size(to, r->original_size);
    mcti_buf_addc(to, ')');
}

int mcti_block_put_read(struct mcti_buf *to, const struct mcti_block_read *r, const struct mcti_block_style *style)
{
    struct answer a;
    if (style->format == MCT_BLOCK_RAW)
        return put_raw(to, r->content);
    open_answer(&a, r->truncated ? MCT_BLOCK_PARTIAL : MCT_BLOCK_SUCCESS, to);
    put_read_summary(&a.summary, r, style->language);
    mcti_json_put_member(&a.data, "uri", r->uri);
    mcti_json_put_member(&a.data, "content", r->content);
    put_bool(&a.data, "truncated", r->truncated);
    put_uint(&a.data, "original_size", r->original_size);
    if (r->truncated)
        put_uint(&a.data, "shown", r->shown);
    return close_answer(to, &a, style);
}

/* ---- lists ---- */

static void lines_answer_put_servers(struct mcti_buf *to, const struct mcti_block_list *l)
{
    mcti_json_put_key(to, "servers");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < l->n_servers; i++) {
        mcti_buf_addz(to, i ? ",{" : "{");
        mcti_json_put_member(to, "name", l->servers[i].name);
        put_strings(to, "resources", l->servers[i].uris, l->servers[i].n_uris);
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addc(to, ']');
}

static void put_failures(struct mcti_buf *to, const struct mcti_block_list *l)
{
    mcti_json_put_key(to, "failed");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < l->n_failed; i++) {
        mcti_buf_addz(to, i ? ",{" : "{");
        mcti_json_put_member(to, "name", l->failed[i].name);
        mcti_json_put_member(to, "type", mcti_str_of(mcti_block_fault_row(l->failed[i].fault)->type));
        mcti_json_put_member(to, "msg", l->failed[i].msg);
        mcti_buf_addc(to, '}');
    }
    mcti_buf_addc(to, ']');
}

/* Returns the common row of the failures. If they differ: ConnectionFailed if one of them is, otherwise the first. */
static enum mcti_block_fault common_fault(const struct mcti_block_list *l)
{
    enum mcti_block_fault first = l->failed[0].fault;
    bool same = true, unconnected = false;
    for (size_t i = 0; i < l->n_failed; i++) {
        same &= l->failed[i].fault == first;
        unconnected |= l->failed[i].fault == MCT_FAULT_CONNECTION;
    }
    return !same && unconnected ? MCT_FAULT_CONNECTION : first;
}

static int put_all_failed(struct mcti_buf *to, const struct mcti_block_list *l, const struct mcti_block_style *style)
{
    struct mcti_block_error e = { .fault = common_fault(l) };
    struct mcti_buf msg;
    mcti_buf_init(&msg, to->max);
    for (size_t i = 0; i < l->n_failed; i++) {
        mcti_buf_addz(&msg, i ? "; " : "");
        mcti_buf_add(&msg, l->failed[i].name);
        mcti_buf_addz(&msg, ": ");
        mcti_buf_add(&msg, l->failed[i].msg);
    }
    e.msg = mcti_buf_str(&msg);
    int result = mcti_buf_ok(&msg) ? mcti_block_put_error(to, &e, style) : -1;
    mcti_buf_done(&msg);
    return result;
}

int mcti_block_put_list(struct mcti_buf *to, const struct mcti_block_list *l, const struct mcti_block_style *style)
{
    struct answer a;
    if (!l->n_servers && l->n_failed)
        return put_all_failed(to, l, style);
    open_answer(&a, l->n_failed ? MCT_BLOCK_PARTIAL : MCT_BLOCK_SUCCESS, to);
    mcti_phrase_put_list(&a.summary, style->language, l->n_servers, l->n_resources);
    lines_answer_put_servers(&a.data, l);
    put_uint(&a.data, "total_servers", l->n_servers);
    put_uint(&a.data, "total_resources", l->n_resources);
    if (l->n_failed)
        put_failures(&a.data, l);
    return close_answer(to, &a, style);
}
