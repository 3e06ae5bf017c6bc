#include "hub/core/lists.h"

#include "base/rand.h"
#include "mcp/http/headers.h"

#include <stdlib.h>

static void core_lists_fetch(struct mcti_lists *l, enum mcti_kind kind);

static bool core_lists_running(const struct mcti_lists *l)
{
    for (int k = 0; k < MCT_KIND_N; k++)
        if (l->fetch[k])
            return true;
    return false;
}

static void core_lists_report(struct mcti_lists *l)
{
    if (!core_lists_running(l))
        l->settled(l->data);
}

/* Returns whether the item may be used: over HTTP, a tool with an invalid x-mcp-header must not be. */
static bool has_good_headers(const struct mcti_lists *l, const struct mcti_item *item)
{
    struct mct_error err;
    if (!l->checks_headers || item->kind != MCT_TOOL || mcti_param_headers_check(mcti_item_json(item), &err) == 0)
        return true;
    mcti_log(l->provider->log, MCT_LOG_WARN, "server '%s': ignoring tool '%.*s': %s", l->provider->name,
             MCT_STR_ARG(mcti_item_id(item)), err.message);
    return false;
}

/* Returns whether the object has a usable name, so that only memory can have been missing. A name with escapes is
 * never counted as lost. */
static bool is_named(enum mcti_kind kind, struct mcti_str json)
{
    struct mcti_str id;
    return mcti_json_plain(mcti_json_get(json, mcti_kind_info(kind)->id_key), &id) && id.len > 0 &&
           id.len <= mcti_kind_info(kind)->id_bytes;
}

static void core_lists_on_item(struct mcti_pager *pager, struct mcti_str json)
{
    struct mcti_list_fetch *f = MCT_CONTAINER(pager, struct mcti_list_fetch, pager);
    struct mcti_item *item = mcti_item_new(pager->kind, json);
    if (!item && is_named(pager->kind, json)) {
        f->n_lost++;
    } else if (!item) {
        f->n_unusable++;
    } else if (!has_good_headers(f->owner, item)) {
        free(item);
    } else if (mcti_items_have(&f->fresh, &f->ids, mcti_item_id(item))) {
        f->n_doubled++;
        free(item);
    } else if (!mcti_provider_admits(f->owner->provider, item->kind, mcti_item_id(item))) {
        free(item);
    } else if (mcti_items_add(&f->fresh, item) < 0 || mcti_index_put(&f->ids, mcti_item_id(item), f->fresh.n - 1) < 0) {
        f->n_lost++;
    }
}

/* ---- failed fetches ---- */

/* Plans a retry after a pause that doubles; half of it is random, so that many gateways do not ask at the same time. */
static void core_lists_plan_retry(struct mcti_lists *l)
{
    unsigned char r;
    if (l->retry.set)
        return;
    if (!l->retry_ms)
        l->retry_ms = MCT_BACKOFF_FIRST_MS;
    mcti_random(&r, sizeof r);
    mcti_timer_set(l->sched, &l->retry, l->retry_ms / 2 + (unsigned)((uint64_t)l->retry_ms / 2 * r / 255));
    l->retry_ms = l->retry_ms * 2 < MCT_BACKOFF_MAX_MS ? l->retry_ms * 2 : MCT_BACKOFF_MAX_MS;
}

/* Records and logs the failure, and plans a retry. Logs the same failure in a row only once as a warning. */
static void note_failure(struct mcti_lists *l, enum mcti_kind kind, const struct mct_error *err)
{
    struct mcti_provider *p = l->provider;
    struct mct_error why = *err;
    mcti_error_wrap(&why, "%s", mcti_method(mcti_kind_info(kind)->list_verb)->name);
    bool known = p->list_error[kind]->kind && !strcmp(p->list_error[kind]->message, why.message);
    mcti_error_keep(&p->list_error[kind], &why);
    mcti_log(p->log, known ? MCT_LOG_DEBUG : MCT_LOG_WARN, "server '%s': %s", p->name, why.message);
    l->failed |= 1u << kind;
    core_lists_plan_retry(l);
}

static void note_success(struct mcti_lists *l, enum mcti_kind kind)
{
    struct mcti_provider *p = l->provider;
    if (p->list_error[kind]->kind)
        mcti_log(p->log, MCT_LOG_INFO, "server '%s': %s succeeds again", p->name,
                 mcti_method(mcti_kind_info(kind)->list_verb)->name);
    mcti_error_keep(&p->list_error[kind], NULL);
    l->failed &= ~(1u << kind);
    if (!l->failed) {
        l->retry_ms = 0;
        mcti_timer_stop(l->sched, &l->retry);
    }
}

static void core_lists_on_retry(void *data)
{
    struct mcti_lists *l = data;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (l->failed & 1u << k && !l->fetch[k])
            core_lists_fetch(l, (enum mcti_kind)k);
    core_lists_report(l);
}

/* Returns whether the error only says that the server has no such items, although its capabilities say that it has:
 * many servers do not implement all methods that they declare. Tools are the exception, because they are what a server
 * is used for. */
static bool core_lists_has_none(struct mcti_lists *l, enum mcti_kind kind, const struct mct_error *err)
{
    const struct mcti_provider *p = l->provider;
    if (!err || kind == MCT_TOOL || err->code != MCT_RPC_METHOD_NOT_FOUND)
        return false;
    if (kind != MCT_TEMPLATE)
        mcti_log(p->log, MCT_LOG_INFO, "server '%s': it declares %s but does not implement %s", p->name,
                 mcti_kind_info(kind)->capability, mcti_method(mcti_kind_info(kind)->list_verb)->name);
    return true;
}

static void core_lists_log_left_out(const struct mcti_list_fetch *f, enum mcti_kind kind, bool complete)
{
    const struct mcti_provider *p = f->owner->provider;
    const char *word = mcti_kind_info(kind)->word;
    if (f->n_doubled && complete)
        mcti_log(p->log, MCT_LOG_WARN, "server '%s': ignoring %u duplicate %ss; the first of each is used", p->name,
                 f->n_doubled, word);
    if (f->n_unusable)
        mcti_log(p->log, MCT_LOG_WARN, "server '%s': ignoring %u %ss without a usable %s", p->name, f->n_unusable, word,
                 mcti_kind_info(kind)->id_key);
}

/* ---- fetching ---- */

static void lists_fetch_free(struct mcti_list_fetch *f)
{
    mcti_index_done(&f->ids);
    mcti_items_clear(&f->fresh);
    free(f);
}

/* Publishes the fetched list. */
static void lists_take(struct mcti_lists *l, enum mcti_kind kind, struct mcti_items *fresh)
{
    struct mcti_provider *p = l->provider;
    unsigned bit = 1u << kind;
    bool differs = mcti_provider_take_items(p, kind, fresh);
    if (!differs && l->announced & bit && p->events.announced)
        p->events.announced(p->events.data, p, bit);
    l->announced &= ~bit;
}

static void core_lists_on_done(struct mcti_pager *pager, const struct mct_error *err)
{
    struct mcti_list_fetch *f = MCT_CONTAINER(pager, struct mcti_list_fetch, pager);
    struct mcti_lists *l = f->owner;
    struct mcti_provider *p = l->provider;
    enum mcti_kind kind = pager->kind;
    struct mct_error short_of;

    l->fetch[kind] = NULL;
    l->stale_ms[kind] = pager->has_ttl ? mcti_sched_now(l->sched) + pager->ttl_ms : 0;
    p->hint[kind] = (struct mcti_hint){ l->stale_ms[kind], pager->is_public };
    mcti_index_done(&f->ids);
    core_lists_log_left_out(f, kind, !err);
    if (core_lists_has_none(l, kind, err))
        err = NULL;
    if (f->n_lost && !err) {
        mcti_no_memory(&short_of);
        err = &short_of;
    }
    if (err)
        note_failure(l, kind, err);
    else
        note_success(l, kind);
    /* A partial list is used only if there is no complete older one. */
    if (!err || !p->items[kind].n)
        lists_take(l, kind, &f->fresh);
    lists_fetch_free(f);
    if (l->again & 1u << kind)
        core_lists_fetch(l, kind);
    core_lists_report(l);
}

static void core_lists_fetch(struct mcti_lists *l, enum mcti_kind kind)
{
    struct mct_error err;
    if (l->fetch[kind]) {
        l->again |= 1u << kind;
        return;
    }
    l->again &= ~(1u << kind);
    struct mcti_list_fetch *f = l->fetch[kind] = calloc(1, sizeof *f);
    int r = f ? 0 : mcti_no_memory(&err);
    if (f) {
        f->owner = l;
        f->pager = (struct mcti_pager){ .kind = kind,
                                        .timeout_ms = l->timeout_ms,
                                        .meta = l->meta,
                                        .on_item = core_lists_on_item,
                                        .done = core_lists_on_done };
        r = mcti_pager_start(&f->pager, l->session, &err);
    }
    if (r == 0)
        return;
    free(f);
    l->fetch[kind] = NULL;
    note_failure(l, kind, &err);
}

static void core_lists_on_debounce(void *data)
{
    struct mcti_lists *l = data;
    unsigned kinds = l->pending;
    l->pending = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (kinds & 1u << k)
            core_lists_fetch(l, (enum mcti_kind)k);
    l->timeout_ms = l->later_timeout_ms;
    core_lists_report(l);
}

void mcti_lists_init(struct mcti_lists *l, struct mcti_provider *p, struct mcti_sched *sched,
                     void (*settled)(void *data), void *data)
{
    *l = (struct mcti_lists){ .provider = p, .sched = sched, .settled = settled, .data = data };
    mcti_timer_init(&l->debounce, core_lists_on_debounce, l);
    mcti_timer_init(&l->retry, core_lists_on_retry, l);
}

static unsigned core_lists_offered(const struct mcti_provider *p)
{
    unsigned kinds = 0;
    for (int k = 0; k < MCT_KIND_N; k++)
        if (mcti_server_can(&p->info, mcti_kind_info((enum mcti_kind)k)->capability, NULL))
            kinds |= 1u << k;
    return kinds;
}

void mcti_lists_start(struct mcti_lists *l, struct mcti_session *session, struct mcti_str meta,
                      unsigned first_timeout_ms, unsigned timeout_ms)
{
    l->session = session;
    l->meta = meta;
    l->timeout_ms = first_timeout_ms;
    l->later_timeout_ms = timeout_ms;
    l->pending = core_lists_offered(l->provider);
    for (int k = 0; k < MCT_KIND_N; k++) {
        struct mcti_items none = { 0 };
        if (l->pending & 1u << k)
            continue;
        mcti_provider_take_items(l->provider, (enum mcti_kind)k, &none); /* it may have offered this before a restart */
        mcti_error_keep(&l->provider->list_error[k], NULL);
    }
    l->failed = 0;
    l->retry_ms = 0;
    mcti_timer_set(l->sched, &l->debounce, 0);
}

void mcti_lists_refetch(struct mcti_lists *l, unsigned kinds)
{
    if (!l->session)
        return;
    l->pending |= kinds & core_lists_offered(l->provider);
    if (l->pending && !l->debounce.set)
        mcti_timer_set(l->sched, &l->debounce, MCT_LIST_DEBOUNCE_MS);
}

void mcti_lists_announced(struct mcti_lists *l, unsigned kinds, bool tells)
{
    l->announced |= tells ? kinds & core_lists_offered(l->provider) : 0;
    mcti_lists_refetch(l, kinds);
}

bool mcti_lists_busy(const struct mcti_lists *l, enum mcti_kind kind)
{
    return l->fetch[kind] || (l->pending & 1u << kind);
}

static bool is_announced(const struct mcti_lists *l, enum mcti_kind kind)
{
    return mcti_server_can(&l->provider->info, mcti_kind_info(kind)->capability, "listChanged");
}

bool mcti_lists_current(const struct mcti_lists *l, enum mcti_kind kind)
{
    return l->session && !mcti_lists_busy(l, kind) && !(l->failed & 1u << kind) &&
           (is_announced(l, kind) || mcti_sched_now(l->sched) < l->stale_ms[kind]);
}

void mcti_lists_freshen(struct mcti_lists *l)
{
    unsigned kinds = 0;
    for (int k = 0; k < MCT_KIND_N; k++) {
        if (l->stale_ms[k] && !l->fetch[k] && !is_announced(l, (enum mcti_kind)k) &&
            mcti_sched_now(l->sched) >= l->stale_ms[k])
            kinds |= 1u << k;
    }
    if (kinds)
        mcti_lists_refetch(l, kinds);
}

void mcti_lists_stop(struct mcti_lists *l)
{
    mcti_timer_stop(l->sched, &l->debounce);
    mcti_timer_stop(l->sched, &l->retry);
    l->session = NULL;
    l->pending = l->failed = l->announced = l->again = 0;
    for (int k = 0; k < MCT_KIND_N; k++) {
        if (!l->fetch[k])
            continue;
        mcti_pager_stop(&l->fetch[k]->pager);
        lists_fetch_free(l->fetch[k]);
        l->fetch[k] = NULL;
    }
}

void mcti_lists_done(struct mcti_lists *l)
{
    mcti_lists_stop(l);
}
