/* The store of kept results. */
#include "hub/results/impl.h"

#include "base/text.h"

#include <stdlib.h>

void mcti_kept_free(struct mcti_kept *k)
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
    mcti_kept_free(k);
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
    mcti_list_init(&r->jobs);
    mcti_task_init(&r->work, mcti_result_jobs_go_on, r);
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
    mcti_task_stop(&r->work);
    mcti_map_done(&r->by_id);
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

int mcti_results_put(struct mcti_results *r, struct mcti_kept *k, uint64_t authority)
{
    k->authority = authority;
    k->until_ms = mcti_sched_now(r->sched) + r->opts.ttl_ms;
    if (!store_make_room(r, authority, k->charged)) {
        mcti_kept_free(k);
        return -1;
    }
    mcti_list_append(&r->kept, &k->node);
    r->n++;
    r->bytes += k->charged;
    if (mcti_map_put(&r->by_id, &k->by_id, mcti_str_of(k->id)) < 0) {
        store_drop(r, k);
        return -1;
    }
    if (!r->expiry.set)
        mcti_timer_set(r->sched, &r->expiry, r->opts.ttl_ms);
    return 0;
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
