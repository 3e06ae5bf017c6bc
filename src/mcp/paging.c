#include "mcp/paging.h"

#include "json/write.h"

#include <stdlib.h>

void mcti_pages_done(struct mcti_pages *p)
{
    free(p->seen);
    p->seen = NULL;
    p->n_seen = 0;
}

/* Records the cursor. Returns -1 if it is repeated or there are too many. */
static int paging_guard(struct mcti_pages *p, struct mcti_str cursor, struct mct_error *err)
{
    size_t max = p->max_pages ? p->max_pages : MCT_LIMIT_PAGES;
    uint64_t hash = mcti_hash(0, cursor);
    for (size_t i = 0; i < p->n_seen; i++)
        if (p->seen[i] == hash)
            return mcti_fail(err, MCT_ERR_PROTOCOL,
                             "the list never ends: a page's cursor came again "
                             "after %zu items",
                             p->n_items);
    if (p->n_seen + 1 >= max)
        return mcti_fail(err, MCT_ERR_LIMIT, "the list has more than %zu pages", max);
    uint64_t *seen = realloc(p->seen, (p->n_seen + 1) * sizeof *seen);
    if (!seen)
        return mcti_no_memory(err);
    p->seen = seen;
    seen[p->n_seen++] = hash;
    return 0;
}

static const char *paging_key(const struct mcti_pages *p)
{
    return p->key ? p->key : mcti_kind_info(p->kind)->list_key;
}

static int take_items(struct mcti_pages *p, struct mcti_str items, struct mct_error *err)
{
    size_t max = p->max_items ? p->max_items : MCT_LIMIT_ITEMS;
    const char *key = paging_key(p);
    struct mcti_str item;
    if (mcti_json_type(items) != '[')
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the answer has no array \"%s\"", key);
    for (struct mcti_json_iter it = mcti_json_open(items); mcti_json_next_item(&it, &item);) {
        if (++p->n_items > max)
            return mcti_fail(err, MCT_ERR_LIMIT, "the list has more than %zu items", max);
        p->n_bytes += item.len;
        if (p->n_bytes > MCT_LIMIT_LIST_BYTES)
            return mcti_fail(err, MCT_ERR_LIMIT, "the list is larger than %u bytes", MCT_LIMIT_LIST_BYTES);
        if (!p->on_item(p, item))
            return mcti_fail(err, MCT_ERR_LIMIT, "the list is too large: only its first %zu items were read",
                             p->n_items - 1);
    }
    return 0;
}

int mcti_pages_take(struct mcti_pages *p, struct mcti_str result, struct mcti_str *ret_cursor, struct mct_error *err)
{
    struct mcti_str cursor = mcti_json_get(result, "nextCursor");
    *ret_cursor = MCT_STR_NONE;
    if (take_items(p, mcti_json_get(result, paging_key(p)), err) < 0)
        return -1;
    if (mcti_json_type(cursor) != '"' || (cursor.len == 2 && !mcti_rev_is_stateless(p->rev)))
        return 0;
    if (paging_guard(p, cursor, err) < 0)
        return -1;
    *ret_cursor = cursor;
    return 0;
}

/* ---- fetching pages over a session ---- */

static void paging_finish(struct mcti_pager *p, const struct mct_error *err)
{
    mcti_pages_done(&p->pages);
    p->done(p, err);
}

static int paging_request(struct mcti_pager *p, struct mcti_str cursor, struct mct_error *err)
{
    const char *method = mcti_method(mcti_kind_info(p->kind)->list_verb)->name;
    struct mcti_buf *b = mcti_session_begin(p->session, &p->out, method);
    const struct mcti_json_set sets[] = { { "cursor", cursor }, { "_meta", p->meta } };
    mcti_json_put_object(b, MCT_STR_NONE, sets, 2);
    return mcti_session_send(p->session, &p->out, err);
}

static bool paging_on_item(struct mcti_pages *pages, struct mcti_str item)
{
    struct mcti_pager *p = MCT_CONTAINER(pages, struct mcti_pager, pages);
    p->on_item(p, item);
    return true;
}

/* Updates the list's time to live to the shortest of its pages. Servers that support ttlMs send it with every page, so
 * a page without a usable value means 0. */
static void note_ttl(struct mcti_pager *p, struct mcti_str result)
{
    struct mcti_str text = mcti_json_get(result, "ttlMs");
    uint64_t ttl = 0;
    mcti_json_uint(text, &ttl);
    p->ttl_ms = p->has_ttl && p->ttl_ms < ttl ? p->ttl_ms : ttl;
    p->has_ttl |= text.p != NULL;
    p->is_public &= mcti_json_is(mcti_json_get(result, "cacheScope"), "public");
}

static void paging_on_page(struct mcti_pager *p, struct mcti_str result)
{
    struct mct_error err;
    struct mcti_str cursor;
    note_ttl(p, result);
    if (mcti_pages_take(&p->pages, result, &cursor, &err) < 0 || (cursor.p && paging_request(p, cursor, &err) < 0))
        paging_finish(p, &err);
    else if (!cursor.p)
        paging_finish(p, NULL);
}

static void paging_on_done(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct mcti_pager *p = MCT_CONTAINER(o, struct mcti_pager, out);
    struct mct_error refused;
    struct mcti_str message;
    int64_t code;
    if (!answer) {
        paging_finish(p, err);
    } else if (answer->kind == MCT_MSG_ERROR) {
        mcti_msg_error_parts(answer->error, &code, &message);
        mcti_fail(&refused, MCT_ERR_SERVER, "the server refused: %.*s (code %lld)", MCT_STR_ARG(message),
                  (long long)code);
        refused.code = (int)code;
        paging_finish(p, &refused);
    } else {
        paging_on_page(p, answer->result);
    }
}

int mcti_pager_start(struct mcti_pager *p, struct mcti_session *session, struct mct_error *err)
{
    p->session = session;
    p->out = (struct mcti_outbound){ .done = paging_on_done, .timeout_ms = p->timeout_ms };
    p->pages = (struct mcti_pages){ .kind = p->kind, .rev = session->rev, .on_item = paging_on_item };
    p->has_ttl = false;
    p->ttl_ms = 0;
    p->is_public = true;
    return paging_request(p, MCT_STR_NONE, err);
}

void mcti_pager_stop(struct mcti_pager *p)
{
    mcti_session_cancel(&p->out, NULL);
    mcti_pages_done(&p->pages);
}
