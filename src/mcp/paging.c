#include "mcp/paging.h"

#include "json/write.h"

#include <stdlib.h>

static void release(struct mct_pager *p)
{
    free(p->seen);
    p->seen = NULL;
    p->n_seen = 0;
}

static void finish(struct mct_pager *p, const struct mct_error *err)
{
    release(p);
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

/* Remembers the cursor; -1 when it was there before or there are too many. */
static int guard(struct mct_pager *p, struct mct_str cursor, struct mct_error *err)
{
    uint64_t hash = mct_hash(0, cursor);
    for (size_t i = 0; i < p->n_seen; i++)
        if (p->seen[i] == hash)
            return mct_fail(err, MCT_ERR_PROTOCOL, "the list never ends: a page's cursor came again "
                            "after %zu items", p->n_items);
    if (p->n_seen >= MCT_LIMIT_PAGES)
        return mct_fail(err, MCT_ERR_LIMIT, "the list has more than %d pages", MCT_LIMIT_PAGES);
    uint64_t *seen = realloc(p->seen, (p->n_seen + 1) * sizeof *seen);
    if (!seen)
        return mct_fail(err, MCT_ERR_INTERNAL, "out of memory");
    p->seen = seen;
    seen[p->n_seen++] = hash;
    return 0;
}

static int take_items(struct mct_pager *p, struct mct_str items, struct mct_error *err)
{
    struct mct_str item;
    if (mct_json_type(items) != '[')
        return mct_fail(err, MCT_ERR_PROTOCOL, "the answer has no array \"%s\"",
                        mct_kind_info(p->kind)->list_key);
    for (struct mct_json_iter it = mct_json_open(items); mct_json_next_item(&it, &item);) {
        if (++p->n_items > MCT_LIMIT_ITEMS)
            return mct_fail(err, MCT_ERR_LIMIT, "the list has more than %d items", MCT_LIMIT_ITEMS);
        p->on_item(p, item);
    }
    return 0;
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
    note_ttl(p, result);
    struct mct_str cursor = mct_json_get(result, "nextCursor");
    if (take_items(p, mct_json_get(result, mct_kind_info(p->kind)->list_key), &err) < 0)
        finish(p, &err);
    else if (mct_json_type(cursor) != '"')
        finish(p, NULL);
    else if (guard(p, cursor, &err) < 0 || request(p, cursor, &err) < 0)
        finish(p, &err);
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
        finish(p, &refused);
    } else {
        on_page(p, answer->result);
    }
}

int mct_pager_start(struct mct_pager *p, struct mct_session *session, struct mct_error *err)
{
    p->session = session;
    p->out = (struct mct_outbound){ .done = on_done, .timeout_ms = p->timeout_ms };
    p->seen = NULL;
    p->n_seen = p->n_items = 0;
    p->has_ttl = false;
    p->ttl_ms = 0;
    p->is_public = true;
    return request(p, MCT_STR_NONE, err);
}

void mct_pager_stop(struct mct_pager *p)
{
    mct_session_cancel(&p->out, NULL);
    release(p);
}
