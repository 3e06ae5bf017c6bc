/* The store of kept results. */
#include "hub/results/impl.h"

#include "base/rand.h"
#include "base/text.h"
#include "json/write.h"

#include <stdio.h>
#include <stdlib.h>

static void store_free(struct mcti_kept *k)
{
    mcti_text_unref(k->from);
    free(k->text);
    free(k->rest);
    free(k->block_at);
    free(k->marks);
    free(k);
}

static void store_drop(struct mcti_results *r, struct mcti_kept *k)
{
    mcti_map_remove(&r->by_id, &k->by_id);
    mcti_list_remove(&k->node);
    if (r->opts.account)
        mcti_account_release(r->opts.account, MCT_HELD_PARKED, k->charged);
    r->bytes -= k->charged;
    r->n--;
    store_free(k);
}

static struct mcti_kept *store_first(const struct mcti_results *r)
{
    return mcti_list_empty(&r->kept) ? NULL : MCT_CONTAINER(r->kept.next, struct mcti_kept, node);
}

/* Drops expired results and sets the timer for the next one. Results are in the order of their last use, not of their
 * end, so all are visited. */
static void store_expire(void *data)
{
    struct mcti_results *r = data;
    uint64_t now = mcti_sched_now(r->sched), next = UINT64_MAX;
    for (struct mcti_list *it = r->kept.next, *after; it != &r->kept; it = after) {
        struct mcti_kept *k = MCT_CONTAINER(it, struct mcti_kept, node);
        after = it->next;
        if (k->until_ms <= now)
            store_drop(r, k);
        else if (k->until_ms < next)
            next = k->until_ms;
    }
    if (next != UINT64_MAX)
        mcti_timer_set(r->sched, &r->expiry, next - now);
}

void mcti_results_init(struct mcti_results *r, struct mcti_sched *sched, const struct mcti_results_opts *opts)
{
    *r = (struct mcti_results){ .opts = *opts, .sched = sched, .on = mcti_result_rules_any(opts->rules) };
    mcti_map_init(&r->by_id);
    mcti_list_init(&r->kept);
    mcti_timer_init(&r->expiry, store_expire, r);
}

void mcti_results_set(struct mcti_results *r, const struct mcti_results_opts *opts)
{
    struct mcti_account *account = r->opts.account;
    r->opts = *opts;
    r->opts.account = account;
    r->on = mcti_result_rules_any(opts->rules);
}

void mcti_results_done(struct mcti_results *r)
{
    if (!r->sched)
        return;
    while (store_first(r))
        store_drop(r, store_first(r));
    mcti_timer_stop(r->sched, &r->expiry);
    mcti_map_done(&r->by_id);
}

/* ---- the text of a result ---- */

/* Appends a line that stands for a block that is no text, and the block to `rest`, under its number. */
static void store_put_other(struct mcti_buf *to, struct mcti_buf *rest, struct mcti_str block, unsigned number)
{
    static const char *const about[] = { "mimeType", "uri", "name" };
    char key[16];
    mcti_buf_addc(to, '[');
    if (mcti_json_unescape_any(mcti_json_get(block, "type"), to) < 0)
        mcti_buf_addz(to, "unknown");
    mcti_buf_printf(to, ", %zu bytes of JSON", block.len);
    for (size_t i = 0; i < sizeof about / sizeof *about; i++) {
        struct mcti_str v = mcti_json_get(block, about[i]);
        if (mcti_json_type(v) != '"')
            continue;
        mcti_buf_addz(to, ", ");
        mcti_json_unescape_any(v, to);
    }
    mcti_buf_printf(to, "; block=%u]", number);
    snprintf(key, sizeof key, "%u", number);
    mcti_json_put_raw(rest, key, block);
}

/* Returns the text of a block that is one, or of an embedded resource; absent for others. */
static struct mcti_str store_text_of(struct mcti_str block)
{
    struct mcti_str type = mcti_json_get(block, "type"), text = MCT_STR_NONE;
    if (mcti_json_is(type, "text"))
        text = mcti_json_get(block, "text");
    else if (mcti_json_is(type, "resource"))
        text = mcti_json_get(mcti_json_get(block, "resource"), "text");
    return mcti_json_type(text) == '"' ? text : MCT_STR_NONE;
}

/* Writes the content as text, and the other parts as JSON. Without content the text is the structured content. */
static void store_render(struct mcti_kept *k, struct mcti_str result, struct mcti_buf *to, struct mcti_buf *rest)
{
    struct mcti_str block, structured = mcti_json_get(result, "structuredContent");
    unsigned n = 0;
    mcti_buf_addz(rest, "{\"blocks\":{");
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "content"));
         mcti_json_next_item(&it, &block);) {
        struct mcti_str text = store_text_of(block);
        if (n)
            mcti_buf_addc(to, '\n');
        k->block_at[n++] = to->len;
        if (text.p)
            mcti_json_unescape_any(text, to);
        else
            store_put_other(to, rest, block, n);
    }
    mcti_buf_addc(rest, '}');
    if (!n && structured.p)
        mcti_json_put_pretty(to, structured);
    if (structured.p)
        mcti_json_put_raw(rest, "structuredContent", structured);
    mcti_buf_addc(rest, '}');
}

/* Counts the lines of the text, and notes where every MCT_RESULT_MARK_LINES-th of them begins: a line far behind is
 * found without a look at all before it. Returns -1 when out of memory. */
static int store_mark_lines(struct mcti_kept *k)
{
    const char *end = k->text + k->len;
    k->marks = calloc(k->len / MCT_RESULT_MARK_LINES + 1, sizeof *k->marks);
    if (!k->marks)
        return -1;
    for (const char *p = k->text; p < end;) {
        uint64_t n = MCT_RESULT_MARK_LINES;
        k->marks[k->n_marks++] = (size_t)(p - k->text);
        p = mcti_range_skip_lines(p, end, &n);
        k->n_lines += MCT_RESULT_MARK_LINES - n;
    }
    return 0;
}

/* ---- keeping ---- */

/* What a principal holds. */
struct store_share {
    size_t bytes, n;
};

static struct store_share store_share_of(const struct mcti_results *r, uint64_t authority)
{
    struct store_share own = { 0 };
    MCT_LIST_EACH(it, &r->kept) {
        const struct mcti_kept *k = MCT_CONTAINER(it, struct mcti_kept, node);
        own.bytes += k->authority == authority ? k->charged : 0;
        own.n += k->authority == authority;
    }
    return own;
}

/* Returns true if the principal may hold `n` bytes more. */
static bool store_in_share(const struct mcti_results *r, const struct store_share *own, size_t n)
{
    return own->bytes + n <= r->opts.bytes / 2 && own->n < MCT_LIMIT_KEPT_RESULTS / 2;
}

static bool store_has_room(const struct mcti_results *r, size_t n)
{
    return r->bytes + n <= r->opts.bytes && r->n < MCT_LIMIT_KEPT_RESULTS &&
           !(r->opts.account && mcti_account_over(r->opts.account, n, 0));
}

/* Makes room for `n` bytes and charges them: drops the least recently used results, those of the principal if it has
 * its share, otherwise any. Returns false if there is no room. */
static bool store_make_room(struct mcti_results *r, uint64_t authority, size_t n)
{
    struct store_share own = store_share_of(r, authority);
    if (n > r->opts.bytes / 2)
        return false;
    for (struct mcti_list *it = r->kept.next, *after; it != &r->kept; it = after) {
        struct mcti_kept *k = MCT_CONTAINER(it, struct mcti_kept, node);
        bool is_own = k->authority == authority, in_share = store_in_share(r, &own, n);
        after = it->next;
        if (in_share && store_has_room(r, n))
            break;
        if (!in_share && !is_own)
            continue;
        own.bytes -= is_own ? k->charged : 0;
        own.n -= is_own;
        r->n_evicted++;
        store_drop(r, k);
    }
    return store_has_room(r, n) && !(r->opts.account && mcti_account_charge(r->opts.account, MCT_HELD_PARKED, n));
}

static size_t store_count_blocks(struct mcti_str content)
{
    struct mcti_str block;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(content); mcti_json_next_item(&it, &block);)
        n++;
    return n;
}

/* Creates a result without text. */
static struct mcti_kept *store_new(struct mcti_str result)
{
    struct mcti_kept *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->n_blocks = store_count_blocks(mcti_json_get(result, "content"));
    k->block_at = calloc(k->n_blocks ? k->n_blocks : 1, sizeof *k->block_at);
    if (k->block_at)
        return k;
    free(k);
    return NULL;
}

/* Returns the text of a buffer without unused memory behind it; NULL when out of memory. */
static char *store_take(struct mcti_buf *b)
{
    size_t len = b->len;
    char *text = mcti_buf_take(b), *fit = text ? realloc(text, len + 1) : NULL;
    return fit ? fit : text;
}

/* Fills in the text and the other parts, at most `max` bytes each. Returns -1 if they are longer, or when out of
 * memory. */
static int store_fill(struct mcti_kept *k, struct mcti_str result, size_t max)
{
    struct mcti_buf text, rest;
    mcti_buf_init(&text, max);
    mcti_buf_init(&rest, max);
    store_render(k, result, &text, &rest);
    bool fits = mcti_buf_ok(&text) && mcti_buf_ok(&rest);
    k->len = text.len;
    k->charged = sizeof *k + k->n_blocks * sizeof *k->block_at + text.len + rest.len +
                 (text.len / MCT_RESULT_MARK_LINES + 1) * sizeof *k->marks;
    k->text = fits ? store_take(&text) : NULL;
    k->rest = fits ? store_take(&rest) : NULL;
    mcti_buf_done(&text);
    mcti_buf_done(&rest);
    return k->text && k->rest ? store_mark_lines(k) : -1;
}

struct mcti_kept *mcti_results_keep(struct mcti_results *r, struct mcti_str result, uint64_t authority)
{
    enum { ESCAPED_BYTES = 6 }; /* of a character in JSON, at most: no look is needed at a result that cannot fit */
    bool may_fit = result.len / ESCAPED_BYTES <= r->opts.bytes / 2;
    struct mcti_kept *k = may_fit ? store_new(result) : NULL;
    if (!k)
        return NULL;
    mcti_random_id(k->id);
    k->authority = authority;
    k->until_ms = mcti_sched_now(r->sched) + r->opts.ttl_ms;
    if (store_fill(k, result, r->opts.bytes / 2) < 0 || !store_make_room(r, authority, k->charged)) {
        store_free(k);
        return NULL;
    }
    mcti_list_append(&r->kept, &k->node);
    r->n++;
    r->bytes += k->charged;
    if (mcti_map_put(&r->by_id, &k->by_id, mcti_str_of(k->id)) < 0) {
        store_drop(r, k);
        return NULL;
    }
    if (!r->expiry.set)
        mcti_timer_set(r->sched, &r->expiry, r->opts.ttl_ms);
    return k;
}

const struct mcti_kept *mcti_results_find(struct mcti_results *r, struct mcti_str id, const uint64_t *authority)
{
    struct mcti_map_node *n = mcti_map_get(&r->by_id, id);
    struct mcti_kept *k = n ? MCT_CONTAINER(n, struct mcti_kept, by_id) : NULL;
    if (!k || (authority && k->authority != *authority) || k->until_ms <= mcti_sched_now(r->sched))
        return NULL;
    mcti_list_remove(&k->node);
    mcti_list_append(&r->kept, &k->node);
    return k;
}

int mcti_fail_no_result(struct mct_error *err)
{
    return mcti_fail(err, MCT_ERR_NOT_FOUND,
                     "there is no such result: its time is over, it made room for others, or its id is wrong; call the "
                     "tool again");
}

const struct mcti_kept *mcti_results_read(struct mcti_results *r, struct mcti_str uri, const uint64_t *authority,
                                          struct mcti_buf *to, struct mct_error *err)
{
    struct mcti_result_query q;
    const struct mcti_kept *kept = NULL;
    mcti_result_query_init(&q);
    int result = mcti_result_query_read(&q, uri, err);
    if (result == 0) {
        kept = mcti_results_find(r, mcti_buf_str(&q.id), authority);
        result = kept ? mcti_result_put_read(to, kept, &q, uri, err) : mcti_fail_no_result(err);
    }
    mcti_result_query_done(&q);
    return result == 0 ? kept : NULL;
}
