#include "mcp/paging.h"

#include "json/write.h"

#include <stdlib.h>

void mct_pages_done(struct mct_pages *p)
{
    free(p->seen);
    p->seen = NULL;
    p->n_seen = 0;
}

/* Remembers the cursor; -1 when it was there before or there are too many. */
static int guard(struct mct_pages *p, struct mct_str cursor, struct mct_error *err)
{
    size_t max = p->max_pages ? p->max_pages : MCT_LIMIT_PAGES;
    uint64_t hash = mct_hash(0, cursor);
    for (size_t i = 0; i < p->n_seen; i++)
        if (p->seen[i] == hash)
            return mct_fail(err, MCT_ERR_PROTOCOL, "the list never ends: a page's cursor came again "
                            "after %zu items", p->n_items);
    if (p->n_seen + 1 >= max)
        return mct_fail(err, MCT_ERR_LIMIT, "the list has more than %zu pages", max);
    uint64_t *seen = realloc(p->seen, (p->n_seen + 1) * sizeof *seen);
    if (!seen)
        return mct_no_memory(err);
    p->seen = seen;
    seen[p->n_seen++] = hash;
    return 0;
}

static int take_items(struct mct_pages *p, struct mct_str items, struct mct_error *err)
{
    size_t max = p->max_items ? p->max_items : MCT_LIMIT_ITEMS;
    struct mct_str item;
    if (mct_json_type(items) != '[')
        return mct_fail(err, MCT_ERR_PROTOCOL, "the answer has no array \"%s\"",
                        mct_kind_info(p->kind)->list_key);
    for (struct mct_json_iter it = mct_json_open(items); mct_json_next_item(&it, &item);) {
        if (++p->n_items > max)
            return mct_fail(err, MCT_ERR_LIMIT, "the list has more than %zu items", max);
        if (!p->on_item(p, item))
            return mct_fail(err, MCT_ERR_LIMIT, "the list is too large: no more than %zu items were taken", p->n_items - 1);
    }
    return 0;
}

int mct_pages_take(struct mct_pages *p, struct mct_str result, struct mct_str *ret_cursor, struct mct_error *err)
{
    struct mct_str cursor = mct_json_get(result, "nextCursor");
    *ret_cursor = MCT_STR_NONE;
    if (take_items(p, mct_json_get(result, mct_kind_info(p->kind)->list_key), err) < 0)
        return -1;
    if (mct_json_type(cursor) != '"' || (p->empty_ends && cursor.len == 2))
        return 0;
    if (guard(p, cursor, err) < 0)
        return -1;
    *ret_cursor = cursor;
    return 0;
}

/* ---- fetching them over a session ---- */

static void finish(struct mct_pager *p, const struct mct_error *err)
{
    mct_pages_done(&p->pages);
    p->done(p, err);
}

static int request(struct mct_pager *p, struct mct_str cursor, struct mct_error *err)
{
    const char *method = mct_method(mct_kind_info(p->kind)->list_verb)->name;
    struct mct_buf *b = mct_session_begin(p->session, &p->out, method);
    const struct mct_json_set sets[] = { { "cursor", cursor }, { "_meta", p->meta } };
    mct_json_put_object(b, MCT_STR_NONE, sets, 2);
    return mct_session_send(p->session, &p->out, err);
}

static bool on_item(struct mct_pages *pages, struct mct_str item)
{
    struct mct_pager *p = MCT_CONTAINER(pages, struct mct_pager, pages);
    p->on_item(p, item);
    return true;
}

/* Servers that know ttlMs say it on every page: one without, or with something unusable, means 0. The list
 * is as good as the worst of its pages. */
static void note_ttl(struct mct_pager *p, struct mct_str result)
{
    struct mct_str text = mct_json_get(result, "ttlMs");
    uint64_t ttl = 0;
    mct_json_uint(text, &ttl);
    p->ttl_ms = p->has_ttl && p->ttl_ms < ttl ? p->ttl_ms : ttl;
    p->has_ttl |= text.p != NULL;
    p->is_public &= mct_json_is(mct_json_get(result, "cacheScope"), "public");
}

static void on_page(struct mct_pager *p, struct mct_str result)
{
    struct mct_error err;
    struct mct_str cursor;
    note_ttl(p, result);
    if (mct_pages_take(&p->pages, result, &cursor, &err) < 0 || (cursor.p && request(p, cursor, &err) < 0))
        finish(p, &err);
    else if (!cursor.p)
        finish(p, NULL);
}

static void on_done(struct mct_outbound *o, const struct mct_msg *answer, const struct mct_error *err)
{
    struct mct_pager *p = MCT_CONTAINER(o, struct mct_pager, out);
    struct mct_error refused;
    struct mct_str message;
    int64_t code;
    if (!answer) {
        finish(p, err);
    } else if (answer->kind == MCT_MSG_ERROR) {
        mct_msg_error_parts(answer->error, &code, &message);
        mct_fail(&refused, MCT_ERR_SERVER, "the server refused: %.*s (code %lld)",
                 MCT_STR_ARG(message), (long long)code);
        refused.code = (int)code;
        finish(p, &refused);
    } else {
        on_page(p, answer->result);
    }
}

int mct_pager_start(struct mct_pager *p, struct mct_session *session, struct mct_error *err)
{
    p->session = session;
    p->out = (struct mct_outbound){ .done = on_done, .timeout_ms = p->timeout_ms };
    p->pages = (struct mct_pages){ .kind = p->kind, .on_item = on_item };
    p->has_ttl = false;
    p->ttl_ms = 0;
    p->is_public = true;
    return request(p, MCT_STR_NONE, err);
}

void mct_pager_stop(struct mct_pager *p)
{
    mct_session_cancel(&p->out, NULL);
    mct_pages_done(&p->pages);
}
