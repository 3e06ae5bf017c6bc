#include "hub/core/lists.h"

#include "mcp/http/headers.h"

#include <stdlib.h>

static void fetch(struct mct_lists *l, enum mct_kind kind);

static bool running(const struct mct_lists *l)
{
    for (int k = 0; k < MCT_KIND_N; k++)
        if (l->fetch[k].running)
            return true;
    return false;
}

static void report(struct mct_lists *l)
{
    if (!running(l))
        l->settled(l->data);
}

/* Over HTTP a tool whose annotations break the rules must not be used; the others can be. */
static bool has_good_headers(const struct mct_lists *l, const struct mct_item *item)
{
    struct mct_error err;
    if (!l->checks_headers || item->kind != MCT_TOOL || mct_param_headers_check(item->json, &err) == 0)
        return true;
    mct_log(l->provider->log, MCT_LOG_WARN, "server '%s': tool '%.*s' is left out: %s", l->provider->name,
            MCT_STR_ARG(item->id), err.message);
    return false;
}

static void on_item(struct mct_pager *pager, struct mct_str json)
{
    struct mct_list_fetch *f = MCT_CONTAINER(pager, struct mct_list_fetch, pager);
    struct mct_item *item = mct_item_new(pager->kind, json);
    if (!item) {
        f->n_unusable++;
    } else if (!has_good_headers(f->owner, item)) {
        free(item);
    } else if (mct_map_get(&f->ids, item->id)) {
        f->n_doubled++;
        free(item);
    } else if (!mct_provider_admits(f->owner->provider, item)) {
        free(item);
    } else if (mct_items_add(&f->fresh, item) < 0 || mct_map_put(&f->ids, &item->by_id, item->id) < 0) {
        f->n_lost++;
    }
}

static void note_failure(struct mct_lists *l, enum mct_kind kind, const struct mct_error *err)
{
    struct mct_provider *p = l->provider;
    p->list_error[kind] = *err;
    mct_error_wrap(&p->list_error[kind], "%s", mct_method(mct_kind_info(kind)->list_verb)->name);
    mct_log(p->log, MCT_LOG_WARN, "server '%s': %s", p->name, p->list_error[kind].message);
}

static void on_done(struct mct_pager *pager, const struct mct_error *err)
{
    struct mct_list_fetch *f = MCT_CONTAINER(pager, struct mct_list_fetch, pager);
    struct mct_lists *l = f->owner;
    struct mct_provider *p = l->provider;
    enum mct_kind kind = pager->kind;
    struct mct_error short_of;

    f->running = false;
    f->stale_ms = pager->has_ttl ? mct_sched_now(l->sched) + pager->ttl_ms : 0;
    p->list_error[kind] = (struct mct_error){ 0 };
    p->hint[kind] = (struct mct_hint){ f->stale_ms, pager->is_public };
    mct_map_done(&f->ids);
    if (f->n_doubled && !err)
        mct_log(p->log, MCT_LOG_WARN, "server '%s': %u %ss came twice; the first of each counts", p->name,
                f->n_doubled, mct_kind_info(kind)->word);
    if (f->n_unusable)
        mct_log(p->log, MCT_LOG_WARN, "server '%s': %u %ss without a usable %s were left out", p->name,
                f->n_unusable, mct_kind_info(kind)->word, mct_kind_info(kind)->id_key);
    if (err && kind == MCT_TEMPLATE && err->code == MCT_RPC_METHOD_NOT_FOUND)
        err = NULL; /* who has resources need not have templates, and many have no such method then */
    if (f->n_lost && !err) {
        mct_no_memory(&short_of);
        err = &short_of;
    }
    if (err)
        note_failure(l, kind, err);
    /* What arrived before an error is better than nothing, but not better than an older whole list. */
    if (!err || !p->items[kind].n)
        mct_provider_take_items(p, kind, &f->fresh);
    mct_items_clear(&f->fresh);
    if (f->again)
        fetch(l, kind);
    report(l);
}

static void fetch(struct mct_lists *l, enum mct_kind kind)
{
    struct mct_list_fetch *f = &l->fetch[kind];
    struct mct_error err;
    if (f->running) {
        f->again = true;
        return;
    }
    f->owner = l;
    f->running = true;
    f->again = false;
    f->n_unusable = f->n_doubled = f->n_lost = 0;
    mct_map_init(&f->ids);
    f->pager = (struct mct_pager){ .kind = kind, .timeout_ms = l->timeout_ms, .meta = l->meta,
                                   .on_item = on_item, .done = on_done };
    if (mct_pager_start(&f->pager, l->session, &err) < 0) {
        f->running = false;
        mct_map_done(&f->ids);
        note_failure(l, kind, &err);
    }
}

static void on_debounce(void *data)
{
    struct mct_lists *l = data;
    unsigned kinds = l->pending;
    l->pending = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (kinds & 1u << k)
            fetch(l, (enum mct_kind)k);
    l->timeout_ms = l->later_timeout_ms;
    report(l);
}

void mct_lists_init(struct mct_lists *l, struct mct_provider *p, struct mct_sched *sched,
                    void (*settled)(void *data), void *data)
{
    *l = (struct mct_lists){ .provider = p, .sched = sched, .settled = settled, .data = data };
    mct_timer_init(&l->debounce, on_debounce, l);
}

static unsigned offered(const struct mct_provider *p)
{
    unsigned kinds = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mct_server_can(&p->info, mct_kind_info((enum mct_kind)k)->capability, NULL))
            kinds |= 1u << k;
    return kinds;
}

void mct_lists_start(struct mct_lists *l, struct mct_session *session, struct mct_str meta,
                     unsigned first_timeout_ms, unsigned timeout_ms)
{
    l->session = session;
    l->meta = meta;
    l->timeout_ms = first_timeout_ms;
    l->later_timeout_ms = timeout_ms;
    l->pending = offered(l->provider);
    for (int k = 0; k < MCT_KIND_N; k++) {
        struct mct_items none = { 0 };
        if (!(l->pending & 1u << k)) /* it may have offered this before a restart */
            mct_provider_take_items(l->provider, (enum mct_kind)k, &none);
    }
    mct_timer_set(l->sched, &l->debounce, 0);
}

void mct_lists_refetch(struct mct_lists *l, unsigned kinds)
{
    if (!l->session)
        return;
    l->pending |= kinds & offered(l->provider);
    if (l->pending && !l->debounce.set)
        mct_timer_set(l->sched, &l->debounce, MCT_LIST_DEBOUNCE_MS);
}

bool mct_lists_busy(const struct mct_lists *l, enum mct_kind kind)
{
    return l->fetch[kind].running || (l->pending & 1u << kind);
}

static bool is_announced(const struct mct_lists *l, enum mct_kind kind)
{
    return mct_server_can(&l->provider->info, mct_kind_info(kind)->capability, "listChanged");
}

bool mct_lists_current(const struct mct_lists *l, enum mct_kind kind)
{
    return l->session && !mct_lists_busy(l, kind) &&
           (is_announced(l, kind) || mct_sched_now(l->sched) < l->fetch[kind].stale_ms);
}

void mct_lists_freshen(struct mct_lists *l)
{
    unsigned kinds = 0;
    for (int k = 0; k < MCT_KIND_N; k++) {
        const struct mct_list_fetch *f = &l->fetch[k];
        if (f->stale_ms && !f->running && !is_announced(l, (enum mct_kind)k) && mct_sched_now(l->sched) >= f->stale_ms)
            kinds |= 1u << k;
    }
    if (kinds)
        mct_lists_refetch(l, kinds);
}

void mct_lists_stop(struct mct_lists *l)
{
    mct_timer_stop(l->sched, &l->debounce);
    l->session = NULL;
    l->pending = 0;
    for (int k = 0; k < MCT_KIND_N; k++) {
        struct mct_list_fetch *f = &l->fetch[k];
        if (f->running) {
            mct_pager_stop(&f->pager);
            mct_map_done(&f->ids);
        }
        f->running = f->again = false;
        mct_items_clear(&f->fresh);
    }
}

void mct_lists_done(struct mct_lists *l)
{
    mct_lists_stop(l);
}
