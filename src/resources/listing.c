#include "resources/listing.h"

#include "base/limits.h"
#include "hub/vet/vetted.h"
#include "mcp/apps/ui.h"

#include <stdlib.h>

static void listing_request(struct mcti_listing_part *part, struct mcti_str cursor);
static void listing_take_known(struct mcti_listing_part *part);

static struct mcti_sched *listing_sched_of(const struct mcti_listing *l)
{
    return l->reach->view->registry->sched;
}

/* ---- end of one part, and of the listing ---- */

static void listing_on_finish(void *data)
{
    struct mcti_listing *l = data;
    mcti_timer_stop(listing_sched_of(l), &l->deadline);
    for (size_t i = 0; i < l->n_parts; i++)
        if (l->parts[i].known)
            listing_take_known(&l->parts[i]);
    l->done(l);
}

/* After a complete answer, shortens the deadline of the other servers to grace_ms. */
static void listing_hurry(struct mcti_listing *l)
{
    uint64_t gone = mcti_sched_now(listing_sched_of(l)) - l->started_ms, left = l->deadline_ms - gone;
    if (l->grace_ms && !l->only && gone < l->deadline_ms)
        mcti_timer_set(listing_sched_of(l), &l->deadline, left < l->grace_ms ? left : l->grace_ms);
}

static void close_items(struct mcti_listing_part *part)
{
    part->items.failed = false; /* the error of the part already reports the overflow */
    mcti_buf_addc(&part->items, ']');
}

/* Ends a part; err NULL: its list is complete. */
static void listing_finish(struct mcti_listing_part *part, const struct mct_error *err)
{
    struct mcti_listing *l = part->listing;
    if (err)
        part->error = *err;
    part->over = true;
    part->duration_ms = (unsigned)(mcti_sched_now(listing_sched_of(l)) - l->started_ms);
    close_items(part);
    mcti_pages_done(&part->pages);
    mcti_ready_done(&part->ready);
    if (--l->n_open == 0)
        mcti_task_post(listing_sched_of(l), &l->finish);
    else if (!err)
        listing_hurry(l);
}

static void listing_give_up(struct mcti_listing_part *part)
{
    struct mcti_listing *l = part->listing;
    bool asked = part->call.provider || part->ready.connection->has_greeted;
    uint64_t ms = mcti_sched_now(listing_sched_of(l)) - l->started_ms;
    struct mct_error err;
    mcti_call_cancel(&part->call, "timed out");
    mcti_fail(&err, MCT_ERR_TIMEOUT, "server '%s': %s after %g s", part->provider->name,
              asked ? "no answer" : "still not connected", mcti_reach_seconds(ms));
    err.unsent = !asked;
    part->is_late = true;
    listing_finish(part, &err);
}

static void listing_on_deadline(void *data)
{
    struct mcti_listing *l = data;
    for (size_t i = 0; i < l->n_parts; i++)
        if (!l->parts[i].over)
            listing_give_up(&l->parts[i]);
}

/* ---- pages ---- */

static bool listing_is_enough(const struct mcti_listing_part *part)
{
    return part->listing->max_items && part->n_items >= part->listing->max_items;
}

static bool listing_on_item(struct mcti_pages *pages, struct mcti_str item)
{
    struct mcti_listing_part *part = MCT_CONTAINER(pages, struct mcti_listing_part, pages);
    size_t before = part->items.len;
    if (listing_is_enough(part) || (part->listing->kind == MCT_RESOURCE && mcti_ui_is_page(item)))
        return true; /* pages of apps are not for models; they can be read all the same */
    if (part->n_items)
        mcti_buf_addc(&part->items, ',');
    mcti_buf_add(&part->items, item);
    if (!mcti_buf_ok(&part->items) || part->items.len > MCT_LIMIT_LISTED_BYTES) {
        part->items.len = before;
        return false;
    }
    part->n_items++;
    return true;
}

/* Takes an item that the provider does not keep. */
static bool listing_on_fresh_item(struct mcti_pages *pages, struct mcti_str item)
{
    const struct mcti_listing_part *part = MCT_CONTAINER(pages, struct mcti_listing_part, pages);
    if (part->listing->of)
        return listing_on_item(pages, item);
    return !mcti_vetted_passes(part->ready.connection, part->listing->kind, item) || listing_on_item(pages, item);
}

static void listing_on_page(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_listing_part *part = MCT_CONTAINER(call, struct mcti_listing_part, call);
    struct mcti_str cursor;
    struct mct_error err;
    if (!o->result.p) {
        mcti_outcome_error(o, MCT_STR_NONE, &err);
        part->refusal = o->error.p ? mcti_str_dup(o->error) : NULL;
        part->is_late = err.kind == MCT_ERR_TIMEOUT;
        listing_finish(part, &err);
    } else if (mcti_pages_take(&part->pages, o->result, &cursor, &err) < 0) {
        mcti_error_wrap(&err, "server '%s'", part->provider->name);
        listing_finish(part, &err);
    } else if (cursor.p && part->listing->one_page) {
        part->cursor = mcti_str_dup(cursor);
        listing_finish(part, NULL);
    } else if (cursor.p && !listing_is_enough(part)) {
        listing_request(part, cursor);
    } else {
        listing_finish(part, NULL);
    }
}

static void listing_request(struct mcti_listing_part *part, struct mcti_str cursor)
{
    struct mcti_listing *l = part->listing;
    struct mct_error err;
    const struct mcti_json_set set = { "cursor", cursor };
    part->pages.rev = part->ready.connection->info.rev;
    mcti_buf_clear(&part->params);
    mcti_json_put_object(&part->params, MCT_STR_NONE, &set, cursor.p ? 1 : 0);
    part->call = mcti_reach_call(l->reach, l->of ? MCT_VERB_FOREIGN : mcti_kind_info(l->kind)->list_verb);
    part->call.method = l->of ? l->of->method : NULL;
    part->call.params = mcti_buf_str(&part->params);
    part->call.done = listing_on_page;
    if (mcti_provider_call(part->ready.connection, &part->call, &err) < 0)
        listing_finish(part, &err);
}

/* ---- one server ---- */

static bool listing_is_known(const struct mcti_listing_part *part)
{
    const struct mcti_provider *p = part->ready.connection;
    enum mcti_kind kind = part->listing->kind;
    return !part->listing->of && !part->listing->one_page && p == part->provider && !p->list_error[kind]->kind &&
           (!p->ops->list_is_current || p->ops->list_is_current(p, kind));
}

/* Copies the provider's list into the part. Runs after all servers have answered, so that copies of long lists are not
 * held during the wait. */
static void listing_take_known(struct mcti_listing_part *part)
{
    const struct mcti_items *items = &part->provider->items[part->listing->kind];
    bool fits = true;
    part->items.len = 1; /* it was closed as an empty array */
    for (size_t i = 0; fits && i < items->n && !listing_is_enough(part); i++)
        fits = listing_on_item(&part->pages, mcti_item_json(items->v[i]));
    if (!fits)
        mcti_fail(&part->error, MCT_ERR_LIMIT,
                  "server '%s': the list is too large: only the first %zu items were taken", part->provider->name,
                  part->n_items);
    close_items(part);
}

/* Returns true if the server is down, rather than starting for the first time. */
static bool listing_is_down(const struct mcti_listing_part *part)
{
    const struct mcti_provider *p = part->ready.connection;
    return p->state == MCT_FAILED || (p->state != MCT_CONNECTED && !part->listing->only);
}

static void listing_fail_down(struct mcti_listing_part *part)
{
    struct mct_error err;
    mcti_reach_down(part->ready.connection, &err);
    part->is_late = part->ready.connection->info.rev != 0; /* it was connected before */
    listing_finish(part, &err);
}

/* Returns true if the server is connected without announcing resources, and need not be asked all the same. */
static bool listing_lacks(const struct mcti_listing_part *part)
{
    const struct mcti_provider *p = part->ready.connection;
    bool insists = part->listing->only && part->listing->insists;
    if (part->listing->of)
        return p->state == MCT_CONNECTED && !part->listing->of->declared(mcti_str_of(p->info.capabilities));
    return p->state == MCT_CONNECTED && !insists &&
           !mcti_server_can(&p->info, mcti_kind_info(part->listing->kind)->capability, NULL);
}

static void listing_ask(struct mcti_listing_part *part)
{
    const struct mcti_provider *p = part->ready.connection;
    struct mct_error err;
    if (listing_lacks(part)) {
        part->lacks = true;
        mcti_fail(&err, MCT_ERR_UNSUPPORTED, "server '%s' has no %s", part->provider->name,
                  part->listing->of ? part->listing->of->what : "resources");
        listing_finish(part, &err);
    } else if (listing_is_down(part)) {
        listing_fail_down(part);
    } else if (p->state == MCT_CONNECTED && listing_is_known(part)) {
        part->known = true;
        listing_finish(part, NULL);
    } else {
        listing_request(part, part->listing->cursor);
    }
}

static void listing_on_ready(struct mcti_ready *w)
{
    listing_ask(MCT_CONTAINER(w, struct mcti_listing_part, ready));
}

static void listing_begin(struct mcti_listing_part *part)
{
    struct mct_error err;
    part->ready.done = listing_on_ready;
    int r = mcti_ready_open(&part->ready, part->listing->reach, part->provider, &err);
    if (r < 0)
        listing_finish(part, &err);
    else if (r > 0)
        listing_ask(part);
}

/* ---- life ---- */

int mcti_listing_start(struct mcti_listing *l)
{
    struct mcti_view *v = l->reach->view;
    struct mcti_sched *sched = listing_sched_of(l);
    size_t n = l->only ? 1 : mcti_view_n_providers(v);
    l->parts = calloc(n ? n : 1, sizeof *l->parts);
    if (!l->parts)
        return -1;
    l->n_parts = n;
    l->n_open = n + 1; /* one held by this function */
    l->started_ms = mcti_sched_now(sched);
    mcti_timer_init(&l->deadline, listing_on_deadline, l);
    mcti_task_init(&l->finish, listing_on_finish, l);
    mcti_timer_set(sched, &l->deadline, l->deadline_ms);
    for (size_t i = 0; i < n; i++) {
        struct mcti_listing_part *part = &l->parts[i];
        part->listing = l;
        part->provider = l->only ? l->only : mcti_view_provider(v, i);
        part->pages =
            (struct mcti_pages){ .kind = l->kind, .max_pages = l->max_pages, .on_item = listing_on_fresh_item };
        part->pages.key = l->of ? l->of->key : NULL;
        mcti_buf_init(&part->items, MCT_LIMIT_LISTED_BYTES + 1); /* plus the closing bracket */
        mcti_buf_init(&part->params, MCT_LIMIT_MESSAGE_BYTES);
        mcti_buf_addc(&part->items, '[');
    }
    for (size_t i = 0; i < n; i++)
        listing_begin(&l->parts[i]);
    if (--l->n_open == 0)
        mcti_task_post(sched, &l->finish);
    return 0;
}

void mcti_listing_done(struct mcti_listing *l)
{
    if (!l->parts)
        return;
    mcti_timer_stop(listing_sched_of(l), &l->deadline);
    mcti_task_stop(&l->finish);
    for (size_t i = 0; i < l->n_parts; i++) {
        struct mcti_listing_part *part = &l->parts[i];
        mcti_call_cancel(&part->call, "the list is no longer needed");
        mcti_ready_done(&part->ready);
        mcti_pages_done(&part->pages);
        mcti_buf_done(&part->items);
        mcti_buf_done(&part->params);
        free(part->cursor);
        free(part->refusal);
    }
    free(l->parts);
    l->parts = NULL;
    l->n_parts = 0;
}
