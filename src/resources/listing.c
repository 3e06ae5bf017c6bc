#include "resources/listing.h"

#include "base/limits.h"

#include <stdlib.h>

static void request(struct mct_listing_part *part, struct mct_str cursor);
static void take_remembered(struct mct_listing_part *part);

static struct mct_sched *sched_of(const struct mct_listing *l)
{
    return l->reach->view->registry->sched;
}

/* ---- the end of one part, and of all ---- */

static void stop_timers(struct mct_listing *l)
{
    mct_timer_stop(sched_of(l), &l->deadline);
    mct_timer_stop(sched_of(l), &l->settle);
}

static void on_told(void *data)
{
    struct mct_listing *l = data;
    stop_timers(l);
    for (size_t i = 0; i < l->n_parts; i++)
        if (l->parts[i].remembered)
            take_remembered(&l->parts[i]);
    l->done(l);
}

/* Who has answered does not wait long for the others. */
static void hurry(struct mct_listing *l)
{
    uint64_t gone = mct_sched_now(sched_of(l)) - l->started_ms, left = l->deadline_ms - gone;
    if (l->grace_ms && !l->only && gone < l->deadline_ms)
        mct_timer_set(sched_of(l), &l->deadline, left < l->grace_ms ? left : l->grace_ms);
}

static void close_items(struct mct_listing_part *part)
{
    part->items.failed = false; /* what did not fit has been told */
    mct_buf_addc(&part->items, ']');
}

/* err NULL: the list is whole. */
static void finish(struct mct_listing_part *part, const struct mct_error *err)
{
    struct mct_listing *l = part->listing;
    if (err)
        part->error = *err;
    part->over = true;
    part->duration_ms = (unsigned)(mct_sched_now(sched_of(l)) - l->started_ms);
    close_items(part);
    mct_pages_done(&part->pages);
    mct_ready_done(&part->ready);
    if (--l->n_open == 0)
        mct_task_post(sched_of(l), &l->told);
    else if (!err)
        hurry(l);
}

static void give_up(struct mct_listing_part *part)
{
    struct mct_listing *l = part->listing;
    bool asked = part->call.provider != NULL;
    unsigned ms = (unsigned)(mct_sched_now(sched_of(l)) - l->started_ms);
    struct mct_error err;
    mct_call_cancel(&part->call, "it took too long");
    mct_fail(&err, asked ? MCT_ERR_TIMEOUT : MCT_ERR_CONNECT, "server '%s': %s after %u s", part->provider->name,
             asked ? "no answer" : "still not connected", ms / 1000);
    finish(part, &err);
}

static void on_deadline(void *data)
{
    struct mct_listing *l = data;
    for (size_t i = 0; i < l->n_parts; i++)
        if (!l->parts[i].over)
            give_up(&l->parts[i]);
}

static void on_settle_over(void *data)
{
    struct mct_listing *l = data;
    for (size_t i = 0; i < l->n_parts; i++)
        if (!l->parts[i].over && !l->parts[i].call.provider)
            give_up(&l->parts[i]);
}

/* ---- pages ---- */

static bool is_enough(const struct mct_listing_part *part)
{
    return part->listing->max_items && part->n_items >= part->listing->max_items;
}

static bool on_item(struct mct_pages *pages, struct mct_str item)
{
    struct mct_listing_part *part = MCT_CONTAINER(pages, struct mct_listing_part, pages);
    size_t before = part->items.len;
    if (is_enough(part))
        return true;
    if (part->n_items)
        mct_buf_addc(&part->items, ',');
    mct_buf_add(&part->items, item);
    if (!mct_buf_ok(&part->items) || part->items.len > MCT_LIMIT_LISTED_BYTES) {
        part->items.len = before;
        return false;
    }
    part->n_items++;
    return true;
}

static void on_page(struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_listing_part *part = MCT_CONTAINER(call, struct mct_listing_part, call);
    struct mct_str cursor;
    struct mct_error err;
    if (!o->result.p) {
        mct_outcome_error(o, MCT_STR_NONE, &err);
        finish(part, &err);
    } else if (mct_pages_take(&part->pages, o->result, &cursor, &err) < 0) {
        mct_error_wrap(&err, "server '%s'", part->provider->name);
        finish(part, &err);
    } else if (cursor.p && part->listing->one_page) {
        part->cursor = mct_str_dup(cursor);
        finish(part, NULL);
    } else if (cursor.p && !is_enough(part)) {
        request(part, cursor);
    } else {
        finish(part, NULL);
    }
}

static void request(struct mct_listing_part *part, struct mct_str cursor)
{
    struct mct_listing *l = part->listing;
    struct mct_error err;
    const struct mct_json_set set = { "cursor", cursor };
    mct_buf_clear(&part->params);
    mct_json_put_object(&part->params, MCT_STR_NONE, &set, cursor.p ? 1 : 0);
    part->call = mct_reach_call(l->reach, mct_kind_info(l->kind)->list_verb);
    part->call.params = mct_buf_str(&part->params);
    part->call.done = on_page;
    if (mct_provider_call(part->ready.connection, &part->call, &err) < 0)
        finish(part, &err);
}

/* ---- how one server is asked ---- */

static bool is_remembered(const struct mct_listing_part *part)
{
    const struct mct_provider *p = part->ready.connection;
    enum mct_kind kind = part->listing->kind;
    return !part->listing->one_page && p == part->provider && !p->list_error[kind].kind &&
           (!p->ops->list_is_current || p->ops->list_is_current(p, kind));
}

/* Not before all have answered: copies of long lists are not kept while somebody is waited for. */
static void take_remembered(struct mct_listing_part *part)
{
    const struct mct_items *items = &part->provider->items[part->listing->kind];
    bool fits = true;
    part->items.len = 1; /* it was closed empty */
    for (size_t i = 0; fits && i < items->n && !is_enough(part); i++)
        fits = on_item(&part->pages, items->v[i]->json);
    if (!fits)
        mct_fail(&part->error, MCT_ERR_LIMIT, "server '%s': the list is too large: no more than %zu items were taken",
                 part->provider->name, part->n_items);
    close_items(part);
}

/* Down, and not just starting for the first time. */
static bool is_down(const struct mct_listing_part *part)
{
    const struct mct_provider *p = part->ready.connection;
    return p->state == MCT_FAILED || (p->state != MCT_CONNECTED && !part->listing->only);
}

static void tell_down(struct mct_listing_part *part)
{
    const struct mct_provider *p = part->ready.connection;
    struct mct_error err = p->error;
    if (!err.kind)
        mct_fail(&err, MCT_ERR_CONNECT, "it is not connected");
    mct_error_wrap(&err, "server '%s'", part->provider->name);
    finish(part, &err);
}

static void ask(struct mct_listing_part *part)
{
    const struct mct_provider *p = part->ready.connection;
    struct mct_error err;
    if (p->state == MCT_CONNECTED && !mct_server_can(&p->info, mct_kind_info(part->listing->kind)->capability, NULL)) {
        part->lacks = true;
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "server '%s' has no resources", part->provider->name);
        finish(part, &err);
    } else if (is_down(part)) {
        tell_down(part);
    } else if (p->state == MCT_CONNECTED && is_remembered(part)) {
        part->remembered = true;
        finish(part, NULL);
    } else {
        request(part, part->listing->cursor);
    }
}

static void on_ready(struct mct_ready *w)
{
    ask(MCT_CONTAINER(w, struct mct_listing_part, ready));
}

static void begin(struct mct_listing_part *part)
{
    struct mct_error err;
    part->ready.done = on_ready;
    int r = mct_ready_open(&part->ready, part->listing->reach, part->provider, &err);
    if (r < 0)
        finish(part, &err);
    else if (r > 0)
        ask(part);
}

/* ---- all ---- */

int mct_listing_start(struct mct_listing *l)
{
    struct mct_view *v = l->reach->view;
    struct mct_sched *sched = sched_of(l);
    size_t n = l->only ? 1 : mct_view_n_providers(v);
    l->parts = calloc(n ? n : 1, sizeof *l->parts);
    if (!l->parts)
        return -1;
    l->n_parts = n;
    l->n_open = n + 1; /* one for this function */
    l->started_ms = mct_sched_now(sched);
    mct_timer_init(&l->deadline, on_deadline, l);
    mct_task_init(&l->told, on_told, l);
    mct_timer_init(&l->settle, on_settle_over, l);
    mct_timer_set(sched, &l->deadline, l->deadline_ms);
    if (!l->only)
        mct_timer_set(sched, &l->settle, l->reach->settle_ms);
    for (size_t i = 0; i < n; i++) {
        struct mct_listing_part *part = &l->parts[i];
        part->listing = l;
        part->provider = l->only ? l->only : mct_view_provider(v, i);
        part->pages = (struct mct_pages){ .kind = l->kind, .max_pages = l->max_pages, .on_item = on_item, .empty_ends = true };
        mct_buf_init(&part->items, MCT_LIMIT_LISTED_BYTES + 1); /* and a bracket */
        mct_buf_init(&part->params, MCT_LIMIT_MESSAGE_BYTES);
        mct_buf_addc(&part->items, '[');
    }
    for (size_t i = 0; i < n; i++)
        begin(&l->parts[i]);
    if (--l->n_open == 0)
        mct_task_post(sched, &l->told);
    return 0;
}

void mct_listing_done(struct mct_listing *l)
{
    if (!l->parts)
        return;
    stop_timers(l);
    mct_task_stop(&l->told);
    for (size_t i = 0; i < l->n_parts; i++) {
        struct mct_listing_part *part = &l->parts[i];
        mct_call_cancel(&part->call, "nobody wants the list any more");
        mct_ready_done(&part->ready);
        mct_pages_done(&part->pages);
        mct_buf_done(&part->items);
        mct_buf_done(&part->params);
        free(part->cursor);
    }
    free(l->parts);
    l->parts = NULL;
    l->n_parts = 0;
}
