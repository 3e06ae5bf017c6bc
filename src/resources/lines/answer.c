#include "resources/lines/answer.h"

#include "base/log/utf8.h"
#include "model/degrade.h"
#include "json/write.h"

#include <time.h>

void mct_block_put_time(struct mct_buf *to, uint64_t ms)
{
    uint64_t tenths = ms / 100 + (ms % 100 >= 50);
    mct_buf_addu(to, tenths / 10);
    if (tenths % 10)
        mct_buf_printf(to, ".%u", (unsigned)(tenths % 10));
}

void mct_block_put_ts(struct mct_buf *to, int64_t s)
{
    char text[40];
    time_t t = (time_t)s;
    struct tm tm;
    if (!gmtime_r(&t, &tm))
        memset(&tm, 0, sizeof tm);
    mct_buf_add(to, (struct mct_str){ text, strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) });
}

/* ---- an answer being made ---- */

struct answer {
    enum mct_block_state state;
    struct mct_buf summary, data;
};

static void open_answer(struct answer *a, enum mct_block_state state, const struct mct_buf *to)
{
    a->state = state;
    mct_buf_init(&a->summary, to->max);
    mct_buf_init(&a->data, to->max);
    mct_buf_addc(&a->data, '{');
}

static void put_meta(struct mct_buf *to, const struct mct_block_look *look)
{
    mct_buf_addz(to, "{\"agent\":\"mcp\",\"time\":");
    mct_block_put_time(to, look->took_ms);
    mct_buf_addz(to, ",\"ts\":\"");
    mct_block_put_ts(to, look->now_s);
    mct_buf_addz(to, "\"}");
}

static int put_block(struct mct_buf *to, const struct answer *a, const struct mct_block_look *look)
{
    struct mct_buf meta;
    struct mct_block b = { .state = a->state, .one_line = look->one_line, .summary = mct_buf_str(&a->summary) };
    mct_buf_init(&meta, 256);
    if (look->format != MCT_BLOCK_SUMMARY) {
        put_meta(&meta, look);
        b.data = mct_buf_str(&a->data);
        b.meta = mct_buf_str(&meta);
    }
    int result = mct_block_put(to, &b);
    mct_buf_done(&meta);
    return result;
}

static int put_raw(struct mct_buf *to, struct mct_str text)
{
    mct_buf_add(to, text);
    return mct_buf_ok(to) ? 0 : -1;
}

static int close_answer(struct mct_buf *to, struct answer *a, const struct mct_block_look *look)
{
    int result = -1;
    mct_buf_addc(&a->data, '}');
    if (mct_buf_ok(&a->data) && mct_buf_ok(&a->summary))
        result = look->format == MCT_BLOCK_RAW ? put_raw(to, mct_buf_str(&a->data)) : put_block(to, a, look);
    mct_buf_done(&a->summary);
    mct_buf_done(&a->data);
    return result;
}

static void put_uint(struct mct_buf *to, const char *key, uint64_t n)
{
    mct_json_put_key(to, key);
    mct_buf_addu(to, n);
}

static void put_bool(struct mct_buf *to, const char *key, bool value)
{
    mct_json_put_raw(to, key, value ? MCT_STR("true") : MCT_STR("false"));
}

static void put_strings(struct mct_buf *to, const char *key, const struct mct_str *texts, size_t n)
{
    mct_json_put_key(to, key);
    mct_buf_addc(to, '[');
    for (size_t i = 0; i < n; i++) {
        if (i)
            mct_buf_addc(to, ',');
        mct_json_put_string(to, texts[i]);
    }
    mct_buf_addc(to, ']');
}

/* ---- errors ---- */

static void put_msg(struct mct_buf *to, const struct mct_block_error *e, const char *hint)
{
    struct mct_buf text;
    mct_buf_init(&text, to->max);
    mct_buf_add(&text, e->msg);
    if (hint)
        mct_buf_printf(&text, e->msg.len ? " (%s)" : "%s", hint);
    mct_json_put_member(to, "msg", mct_buf_str(&text));
    to->failed |= text.failed;
    mct_buf_done(&text);
}

static void put_fault(struct answer *a, const struct mct_block_error *e)
{
    const struct mct_block_fault_row *row = mct_block_fault_row(e->fault);
    size_t n_listed = !row->hint_lists ? 0
                      : e->n_available < MCT_BLOCK_AVAILABLE ? e->n_available : MCT_BLOCK_AVAILABLE;
    mct_buf_printf(&a->summary, "%s: %s", row->type, row->summary);
    if (row->with_uri && e->uri.len) {
        mct_buf_addz(&a->summary, ": ");
        mct_buf_add(&a->summary, e->uri);
    }
    mct_json_put_member(&a->data, "type", mct_str_of(row->type));
    put_msg(&a->data, e, row->hint_lists && !n_listed ? NULL : row->hint);
    put_bool(&a->data, "recoverable", row->recoverable);
    if (n_listed)
        put_strings(&a->data, "available", e->available, n_listed);
}

/* In the words of the kernel itself, which are not those of the agent. */
static void put_timeout(struct answer *a, const struct mct_block_error *e, const struct mct_block_look *look)
{
    a->state = MCT_BLOCK_TIMEOUT;
    mct_buf_addz(&a->summary, e->uri.p ? "Timeout: 资源读取超时 (>" : "Timeout: 资源列表超时 (>");
    mct_block_put_time(&a->summary, look->limit_ms);
    mct_buf_addz(&a->summary, "s)");
    if (e->uri.p)
        mct_json_put_member(&a->data, "uri", e->uri);
    mct_json_put_key(&a->data, "elapsed");
    mct_block_put_time(&a->data, look->took_ms);
}

int mct_block_put_error(struct mct_buf *to, const struct mct_block_error *e, const struct mct_block_look *look)
{
    struct mct_block_look whole = *look;
    struct answer a;
    if (whole.format == MCT_BLOCK_RAW)
        whole.format = MCT_BLOCK_DETAIL;
    open_answer(&a, MCT_BLOCK_ERROR, to);
    if (look->kernel && e->fault == MCT_FAULT_TIMEOUT)
        put_timeout(&a, e, look);
    else
        put_fault(&a, e);
    return close_answer(to, &a, &whole);
}

/* ---- reading ---- */

void mct_block_cut(struct mct_block_read *r, uint64_t max_chars)
{
    size_t n;
    struct mct_str head = mct_utf8_head(r->content, max_chars < SIZE_MAX ? (size_t)max_chars : SIZE_MAX, &n);
    if (head.len == r->content.len)
        return;
    r->content = head;
    r->truncated = true;
    r->shown = n;
}

void mct_block_put_blob(struct mct_buf *to, struct mct_str mime_type, uint64_t n_bytes)
{
    mct_buf_addz(to, "[blob: ");
    mct_buf_add(to, mime_type.len ? mime_type : MCT_STR("application/octet-stream"));
    mct_buf_addz(to, ", ");
    mct_buf_addu(to, n_bytes);
    mct_buf_addz(to, " bytes]");
}

static void put_read_summary(struct mct_buf *to, const struct mct_block_read *r)
{
    mct_buf_addz(to, "资源读取: ");
    mct_buf_add(to, r->uri);
    mct_buf_addz(to, " (");
    if (r->truncated)
        mct_buf_addz(to, "内容已截断");
    else
        mct_degrade_size(to, r->original_size);
    mct_buf_addc(to, ')');
}

int mct_block_put_read(struct mct_buf *to, const struct mct_block_read *r, const struct mct_block_look *look)
{
    struct answer a;
    if (look->format == MCT_BLOCK_RAW)
        return put_raw(to, r->content);
    open_answer(&a, r->truncated ? MCT_BLOCK_PARTIAL : MCT_BLOCK_SUCCESS, to);
    put_read_summary(&a.summary, r);
    mct_json_put_member(&a.data, "uri", r->uri);
    mct_json_put_member(&a.data, "content", r->content);
    put_bool(&a.data, "truncated", r->truncated);
    put_uint(&a.data, "original_size", r->original_size);
    if (r->truncated)
        put_uint(&a.data, "shown", r->shown);
    return close_answer(to, &a, look);
}

/* ---- lists ---- */

static void put_servers(struct mct_buf *to, const struct mct_block_list *l)
{
    mct_json_put_key(to, "servers");
    mct_buf_addc(to, '[');
    for (size_t i = 0; i < l->n_servers; i++) {
        mct_buf_addz(to, i ? ",{" : "{");
        mct_json_put_member(to, "name", l->servers[i].name);
        put_strings(to, "resources", l->servers[i].uris, l->servers[i].n_uris);
        mct_buf_addc(to, '}');
    }
    mct_buf_addc(to, ']');
}

static void put_failures(struct mct_buf *to, const struct mct_block_list *l)
{
    mct_json_put_key(to, "failed");
    mct_buf_addc(to, '[');
    for (size_t i = 0; i < l->n_failed; i++) {
        mct_buf_addz(to, i ? ",{" : "{");
        mct_json_put_member(to, "name", l->failed[i].name);
        mct_json_put_member(to, "type", mct_str_of(mct_block_fault_row(l->failed[i].fault)->type));
        mct_json_put_member(to, "msg", l->failed[i].msg);
        mct_buf_addc(to, '}');
    }
    mct_buf_addc(to, ']');
}

static int put_all_failed(struct mct_buf *to, const struct mct_block_list *l, const struct mct_block_look *look)
{
    struct mct_block_error e = { .fault = l->n_failed == 1 ? l->failed[0].fault : MCT_FAULT_CONNECTION };
    struct mct_buf msg;
    mct_buf_init(&msg, to->max);
    for (size_t i = 0; i < l->n_failed; i++) {
        mct_buf_addz(&msg, i ? "; " : "");
        mct_buf_add(&msg, l->failed[i].name);
        mct_buf_addz(&msg, ": ");
        mct_buf_add(&msg, l->failed[i].msg);
    }
    e.msg = mct_buf_str(&msg);
    int result = mct_buf_ok(&msg) ? mct_block_put_error(to, &e, look) : -1;
    mct_buf_done(&msg);
    return result;
}

static void put_list_summary(struct mct_buf *to, const struct mct_block_list *l)
{
    mct_buf_addz(to, "资源列表: 发现 ");
    mct_buf_addu(to, l->n_servers);
    mct_buf_addz(to, " 个服务器, 共 ");
    mct_buf_addu(to, l->n_resources);
    mct_buf_addz(to, " 个资源");
}

int mct_block_put_list(struct mct_buf *to, const struct mct_block_list *l, const struct mct_block_look *look)
{
    struct answer a;
    if (!l->n_servers && l->n_failed)
        return put_all_failed(to, l, look);
    open_answer(&a, l->n_failed ? MCT_BLOCK_PARTIAL : MCT_BLOCK_SUCCESS, to);
    put_list_summary(&a.summary, l);
    put_servers(&a.data, l);
    put_uint(&a.data, "total_servers", l->n_servers);
    put_uint(&a.data, "total_resources", l->n_resources);
    if (l->n_failed)
        put_failures(&a.data, l);
    return close_answer(to, &a, look);
}
