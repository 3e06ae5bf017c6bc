/* Reads what is asked of a kept result, from a URI or from the arguments of a tool. */
#include "hub/results/results.h"

#include "base/limits.h"

#include <stddef.h>

enum { SEARCH_MAX = 1000, PATH_MAX_BYTES = 4096, CONTEXT_MAX = 20 };

#define MOST 999999999999999u /* of a number: fifteen digits, which every JSON library has exactly */

void mcti_result_query_init(struct mcti_result_query *q)
{
    *q = (struct mcti_result_query){ 0 };
    mcti_buf_init(&q->id, 64);
    mcti_buf_init(&q->search, SEARCH_MAX);
    mcti_buf_init(&q->path, PATH_MAX_BYTES);
}

void mcti_result_query_done(struct mcti_result_query *q)
{
    mcti_buf_done(&q->id);
    mcti_buf_done(&q->search);
    mcti_buf_done(&q->path);
}

/* ---- the values ---- */

static const struct query_number {
    const char *key;
    size_t offset;
    uint64_t least, most;
} numbers[] = {
    { "line", offsetof(struct mcti_result_query, line), 1, MOST },
    { "lines", offsetof(struct mcti_result_query, lines), 1, MOST },
    { "byte", offsetof(struct mcti_result_query, byte), 0, MOST },
    { "bytes", offsetof(struct mcti_result_query, bytes), 1, MOST },
    { "block", offsetof(struct mcti_result_query, block), 1, INT32_MAX },
    { "context", offsetof(struct mcti_result_query, context), 0, CONTEXT_MAX },
};

static const struct query_number *query_number_of(struct mcti_str key)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (mcti_str_is(key, numbers[i].key))
            return &numbers[i];
    return NULL;
}

static int query_set_number(struct mcti_result_query *q, const struct query_number *n, struct mcti_str value,
                            struct mct_error *err)
{
    uint64_t v;
    if (!mcti_json_uint(value, &v) || v < n->least || v > n->most)
        return mcti_fail(err, MCT_ERR_USAGE, "\"%s\" must be a whole number from %llu to %llu", n->key,
                         (unsigned long long)n->least, (unsigned long long)n->most);
    *(uint64_t *)((char *)q + n->offset) = v;
    q->by_bytes |=
        n->offset == offsetof(struct mcti_result_query, byte) || n->offset == offsetof(struct mcti_result_query, bytes);
    return 0;
}

/* Checks what belongs together. */
static int query_check(const struct mcti_result_query *q, struct mct_error *err)
{
    unsigned n = (q->by_bytes ? 1u : 0) + (q->block ? 1u : 0) + (q->search.len || q->line || q->lines ? 1u : 0);
    if (q->search.failed)
        return mcti_fail(err, MCT_ERR_USAGE, "\"search\" must have at most %d bytes", SEARCH_MAX);
    if (q->path.failed)
        return mcti_fail(err, MCT_ERR_USAGE, "\"path\" must have at most %d bytes", PATH_MAX_BYTES);
    if (memchr(q->search.len ? q->search.p : "", '\n', q->search.len))
        return mcti_fail(err, MCT_ERR_USAGE, "\"search\" must not contain a line feed: lines are searched one by one");
    if (n > 1)
        return mcti_fail(err, MCT_ERR_USAGE, "lines, bytes and a block cannot be combined: ask for one of them");
    if (q->block && q->has_path)
        return mcti_fail(err, MCT_ERR_USAGE, "\"path\" and \"block\" cannot be combined");
    return 0;
}

/* ---- URIs ---- */

/* Appends the percent-decoded text. Returns -1 if an escape is broken. */
static int query_decode(struct mcti_str text, bool plus, struct mcti_buf *to)
{
    for (size_t i = 0; i < text.len; i++) {
        int byte = mcti_str_percent(text, i);
        if (byte < 0 && text.p[i] == '%')
            return -1;
        mcti_buf_addc(to, byte >= 0 ? (char)byte : plus && text.p[i] == '+' ? ' ' : text.p[i]);
        i += byte >= 0 ? 2 : 0;
    }
    return 0;
}

static int query_fail_uri(struct mct_error *err, const char *what)
{
    return mcti_fail(err, MCT_ERR_USAGE,
                     "%s; the form is " MCT_RESULT_URI "ID?line=N&lines=N, ?byte=N&bytes=N, ?search=TEXT, "
                     "?path=/json/pointer or ?block=N",
                     what);
}

static int query_set(struct mcti_result_query *q, struct mcti_str name, struct mcti_str value, struct mct_error *err)
{
    const struct query_number *n = query_number_of(name);
    if (n)
        return query_set_number(q, n, value, err);
    if (mcti_str_is(name, "search"))
        return query_decode(value, true, &q->search) < 0 ? query_fail_uri(err, "broken escape in \"search\"") : 0;
    if (mcti_str_is(name, "path")) {
        q->has_path = true;
        return query_decode(value, true, &q->path) < 0 ? query_fail_uri(err, "broken escape in \"path\"") : 0;
    }
    if (!mcti_str_is(name, "ignore_case"))
        return query_fail_uri(err, "unknown parameter");
    q->ignore_case = mcti_str_is(value, "true") || mcti_str_is(value, "1");
    return 0;
}

static int query_read_pairs(struct mcti_result_query *q, struct mcti_str text, struct mct_error *err)
{
    struct mcti_str pair, name;
    int r = 0;
    while (r == 0 && mcti_str_split(&text, '&', &pair)) {
        if (!pair.len)
            continue;
        mcti_str_split(&pair, '=', &name);
        r = query_set(q, name, pair.p ? pair : MCT_STR(""), err);
    }
    return r;
}

/* Reads "L10", "L10-L20" or "L10-20". */
static int query_read_fragment(struct mcti_result_query *q, struct mcti_str text, struct mct_error *err)
{
    struct mcti_str first;
    uint64_t from, to;
    mcti_str_split(&text, '-', &first);
    if (!first.len || *first.p != 'L' || !mcti_json_uint((struct mcti_str){ first.p + 1, first.len - 1 }, &from) ||
        !from)
        return query_fail_uri(err, "the fragment must be #L10 or #L10-L20");
    q->line = from;
    q->lines = 1;
    if (!text.p)
        return 0;
    if (text.len && *text.p == 'L')
        text = (struct mcti_str){ text.p + 1, text.len - 1 };
    if (!mcti_json_uint(text, &to) || to < from)
        return query_fail_uri(err, "the fragment must be #L10 or #L10-L20");
    q->lines = to - from + 1;
    return 0;
}

int mcti_result_query_read(struct mcti_result_query *q, struct mcti_str uri, struct mct_error *err)
{
    struct mcti_str rest = uri, before, id;
    if (!mcti_result_is_uri(uri) || uri.len > MCT_LIMIT_URI_BYTES)
        return query_fail_uri(err, "not the URI of a result");
    rest = (struct mcti_str){ uri.p + sizeof MCT_RESULT_URI - 1, uri.len - (sizeof MCT_RESULT_URI - 1) };
    mcti_str_split(&rest, '#', &before);
    mcti_str_split(&before, '?', &id);
    if (id.len && id.p[id.len - 1] == '/')
        id.len--;
    mcti_buf_add(&q->id, id);
    if (!id.len || !mcti_buf_ok(&q->id))
        return mcti_fail_no_result(err);
    if (before.p && query_read_pairs(q, before, err) < 0)
        return -1;
    if (rest.p && query_read_fragment(q, rest, err) < 0)
        return -1;
    return query_check(q, err);
}

/* ---- arguments ---- */

static int query_arg(struct mcti_result_query *q, const struct mcti_json_member *m, struct mct_error *err)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (mcti_json_key_is(m->key, numbers[i].key))
            return query_set_number(q, &numbers[i], m->value, err);
    bool is_text = mcti_json_type(m->value) == '"';
    if (mcti_json_key_is(m->key, "ignore_case"))
        q->ignore_case = mcti_json_true(m->value);
    else if (mcti_json_key_is(m->key, "search") && is_text)
        mcti_json_unescape_any(m->value, &q->search);
    else if (mcti_json_key_is(m->key, "path") && is_text && (q->has_path = true))
        mcti_json_unescape_any(m->value, &q->path);
    else if (mcti_json_key_is(m->key, "search") || mcti_json_key_is(m->key, "path"))
        return mcti_fail(err, MCT_ERR_USAGE, "\"search\" and \"path\" must be strings");
    return 0;
}

int mcti_result_query_args(struct mcti_result_query *q, struct mcti_str args, struct mct_error *err)
{
    struct mcti_json_member m;
    struct mcti_buf uri;
    struct mcti_str result = mcti_json_get(args, "result");
    mcti_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    int r = mcti_json_unescape(result, &uri) == 0 && uri.len ? 0 : -1;
    if (r < 0)
        mcti_fail(err, MCT_ERR_USAGE, "\"result\" must be the URI or id that the shortened result names");
    else if (mcti_result_is_uri(mcti_buf_str(&uri)))
        r = mcti_result_query_read(q, mcti_buf_str(&uri), err);
    else
        mcti_buf_add(&q->id, mcti_buf_str(&uri));
    mcti_buf_done(&uri);
    if (r == 0 && !mcti_buf_ok(&q->id))
        r = mcti_fail_no_result(err);
    for (struct mcti_json_iter it = mcti_json_open(args); r == 0 && mcti_json_next_member(&it, &m);)
        if (mcti_json_type(m.value) != 'n')
            r = query_arg(q, &m, err);
    return r < 0 ? -1 : query_check(q, err);
}
