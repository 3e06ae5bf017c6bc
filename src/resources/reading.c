#include "resources/reading.h"

#include "base/limits.h"
#include "hub/results/results.h"
#include "hub/view/view.h"

#include <limits.h>
#include <stdlib.h>

static struct mcti_sched *reading_sched_of(const struct mcti_reading *r)
{
    return r->reach->view->registry->sched;
}

/* ---- end ---- */

static void reading_stop_waiting(struct mcti_reading *r)
{
    mcti_settle_stop(&r->settle);
    mcti_watcher_remove(&r->watcher);
    mcti_task_stop(&r->look);
}

static void reading_end(struct mcti_reading *r)
{
    r->over = true;
    mcti_timer_stop(reading_sched_of(r), &r->deadline);
    mcti_timer_stop(reading_sched_of(r), &r->turn);
    mcti_ready_done(&r->ready);
    mcti_task_post(reading_sched_of(r), &r->step);
}

static const struct mcti_provider *first_down(const struct mcti_reading *r)
{
    const struct mcti_view *v = r->reach->view;
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (mcti_view_provider(v, i)->state != MCT_CONNECTED)
            return mcti_view_provider(v, i);
    return NULL;
}

/* Returns true if the error says no more than that the server does not have the resource. */
static bool means_absent(const struct mct_error *err)
{
    return err->kind == MCT_ERR_NOT_FOUND || err->kind == MCT_ERR_UNSUPPORTED;
}

/* Sets the final error: that of the most informative attempt, or of the first server that is down if there was no
 * attempt. "Not found" remains only if no attempt failed otherwise. */
static void reading_conclude(struct mcti_reading *r)
{
    const struct mcti_read_attempt *worst = NULL;
    for (size_t i = 0; i < r->n_attempts; i++)
        if (!worst || means_absent(&worst->error))
            worst = &r->attempts[i];
    const struct mcti_provider *down = worst ? NULL : first_down(r);
    if (down) {
        mcti_reach_down(down, &r->error);
    } else if (worst && (r->only || !means_absent(&worst->error))) {
        r->error = worst->error;
        r->refused = r->error.code ? worst->provider : NULL;
    } else {
        const char *why = mcti_result_is_uri(r->uri)
                              ? ": its time is over, it made room for others, or the gateway that "
                                "kept it has ended; call the tool again"
                              : "";
        mcti_fail(&r->error, MCT_ERR_NOT_FOUND, "no server has the resource %s%s", r->text, why);
    }
    reading_end(r);
}

static void reading_note(struct mcti_reading *r, const struct mct_error *err)
{
    struct mcti_read_attempt *a = &r->attempts[r->n_attempts - 1];
    a->duration_ms = (unsigned)(mcti_sched_now(reading_sched_of(r)) - r->begun_ms);
    if (err)
        a->error = *err;
}

/* Records the failure and continues from the loop, because the current call may be in the middle of failing. */
static void reading_failed(struct mcti_reading *r, const struct mct_error *err)
{
    reading_note(r, err);
    mcti_timer_stop(reading_sched_of(r), &r->turn);
    mcti_ready_done(&r->ready);
    mcti_task_post(reading_sched_of(r), &r->step);
}

static void reading_on_deadline(void *data)
{
    struct mcti_reading *r = data;
    struct mct_error err;
    bool asked = r->call.provider != NULL;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "no answer after %g s", mcti_reach_seconds(r->deadline_ms));
    reading_stop_waiting(r);
    mcti_call_cancel(&r->call, "timed out");
    if (r->n_attempts)
        mcti_error_wrap(&err, "server '%s'", r->attempts[r->n_attempts - 1].provider->name);
    if (asked)
        reading_note(r, &err);
    r->error = err;
    reading_end(r);
}

/* Ends an attempt that has used up its share of the time, so that later candidates get theirs. */
static void reading_on_turn_over(void *data)
{
    struct mcti_reading *r = data;
    struct mct_error err;
    uint64_t ms = mcti_sched_now(reading_sched_of(r)) - r->begun_ms;
    mcti_call_cancel(&r->call, "timed out");
    mcti_fail(&err, MCT_ERR_TIMEOUT, "server '%s': no answer after %g s", r->attempts[r->n_attempts - 1].provider->name,
              mcti_reach_seconds(ms));
    reading_failed(r, &err);
}

/* ---- one attempt ---- */

/* Ends the reading with the result r->kept. */
static void reading_succeed(struct mcti_reading *r, size_t len)
{
    reading_note(r, NULL);
    r->result = (struct mcti_str){ r->kept, len };
    r->provider = r->attempts[r->n_attempts - 1].provider;
    reading_end(r);
}

static void reading_on_answer(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_reading *r = MCT_CONTAINER(call, struct mcti_reading, call);
    struct mct_error err;
    if (r->place)
        mcti_cache_put(r->place, call, o);
    r->place = NULL;
    bool asks = mcti_json_is(mcti_json_get(o->result, "resultType"), "input_required");
    bool has_contents = mcti_json_type(mcti_json_get(o->result, "contents")) == '[';
    if (o->result.p && !asks && !has_contents)
        mcti_fail(&err, MCT_ERR_PROTOCOL, "server '%s': the answer has no array \"contents\"",
                  r->attempts[r->n_attempts - 1].provider->name);
    else if (asks)
        mcti_fail(&err, MCT_ERR_SERVER, "server '%s' asks for something first, which cannot be passed on from here",
                  r->attempts[r->n_attempts - 1].provider->name);
    else if (o->result.p && !(r->kept = mcti_str_dup(o->result)))
        mcti_no_memory(&err);
    else if (!o->result.p)
        mcti_outcome_error(o, r->uri, &err);
    if (o->error.p) {
        free(r->refusal);
        r->refusal = mcti_str_dup(o->error);
    }
    if (r->kept)
        reading_succeed(r, o->result.len);
    else
        reading_failed(r, &err);
}

static void reading_on_progress(struct mcti_call *call, struct mcti_str params)
{
    struct mcti_reading *r = MCT_CONTAINER(call, struct mcti_reading, call);
    r->progress(r, params);
}

/* Answers from the cache; returns false if a request must be sent to the server. */
static bool reading_take_cached(struct mcti_reading *r)
{
    const struct mcti_call *behalf = r->reach->behalf;
    const struct mcti_cache_key key = { r->ready.connection, behalf ? behalf->authority : 0, r->uri };
    struct mcti_outcome o;
    mcti_cache_place_free(r->place);
    r->place = NULL;
    if (!mcti_cache_get(r->reach->cache, &key, &o, &r->place) || !(r->kept = mcti_str_dup(o.result)))
        return false;
    mcti_external_answered(&r->call, r->ready.connection);
    reading_succeed(r, o.result.len);
    return true;
}

static void reading_ask(struct mcti_reading *r)
{
    const struct mcti_provider *p = r->ready.connection;
    struct mct_error err;
    bool insists = r->only && r->insists;
    if (p->state == MCT_CONNECTED && !insists && !mcti_server_can(&p->info, "resources", NULL)) {
        mcti_fail(&err, MCT_ERR_UNSUPPORTED, "server '%s' has no resources", p->name);
        reading_failed(r, &err);
        return;
    }
    if (p->state == MCT_FAILED && p->error->kind) { /* more specific than "not connected" */
        mcti_reach_down(p, &err);
        reading_failed(r, &err);
        return;
    }
    r->call = mcti_reach_call(r->reach, MCT_VERB_RESOURCES_READ);
    if (r->reach->cache && reading_take_cached(r))
        return;
    r->call.params = mcti_buf_str(&r->params);
    r->call.done = reading_on_answer;
    r->call.progress = r->progress ? reading_on_progress : NULL;
    if (mcti_provider_call(r->ready.connection, &r->call, &err) < 0)
        reading_failed(r, &err);
}

static void reading_on_ready(struct mcti_ready *w)
{
    reading_ask(MCT_CONTAINER(w, struct mcti_reading, ready));
}

/* Limits an attempt that is not the last to a share of the time left: a half, or a third if several candidates
 * follow. */
static void plan_turn(struct mcti_reading *r)
{
    size_t behind = r->n_candidates - r->n_attempts;
    uint64_t left = r->deadline_ms - (r->begun_ms - r->started_ms);
    if (behind && r->deadline_ms)
        mcti_timer_set(reading_sched_of(r), &r->turn, left / (behind > 1 ? 3 : 2));
}

static void reading_attempt(struct mcti_reading *r, struct mcti_provider *p)
{
    struct mct_error err;
    r->attempts[r->n_attempts++] = (struct mcti_read_attempt){ .provider = p };
    r->begun_ms = mcti_sched_now(reading_sched_of(r));
    plan_turn(r);
    r->ready.done = reading_on_ready;
    int ready = mcti_ready_open(&r->ready, r->reach, p, &err);
    if (ready < 0)
        reading_failed(r, &err);
    else if (ready > 0)
        reading_ask(r);
}

/* ---- candidates ---- */

static size_t count_listed(const struct mcti_reading *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_candidates; i++)
        n += mcti_items_find(&r->candidates[i]->items[MCT_RESOURCE], r->uri) != NULL;
    return n;
}

static void reading_choose(struct mcti_reading *r)
{
    struct mcti_view *v = r->reach->view;
    size_t n = mcti_view_n_providers(v), sure = 0;
    r->candidates = calloc(n ? n + 1 : 1, sizeof *r->candidates);
    r->attempts = calloc(n ? n + 1 : 1, sizeof *r->attempts);
    if (!r->candidates || !r->attempts) {
        mcti_no_memory(&r->error);
        reading_end(r);
        return;
    }
    if (r->only)
        r->candidates[r->n_candidates++] = r->only;
    else
        r->n_candidates = mcti_view_for_uri(v, r->uri, r->candidates, n, &sure);
    r->n_listed = count_listed(r);
}

static void reading_on_step(void *data)
{
    struct mcti_reading *r = data;
    if (!r->over && !r->attempts)
        reading_choose(r);
    if (r->over)
        r->done(r);
    else if (r->n_attempts < r->n_candidates)
        reading_attempt(r, r->candidates[r->n_attempts]);
    else
        reading_conclude(r);
}

/* ---- waiting for the owner of the URI ---- */

static bool reading_is_listed(const struct mcti_reading *r)
{
    struct mcti_provider *first;
    size_t sure;
    return mcti_view_for_uri(r->reach->view, r->uri, &first, 1, &sure) && sure && first->state == MCT_CONNECTED &&
           mcti_items_find(&first->items[MCT_RESOURCE], r->uri);
}

static void reading_begin(struct mcti_reading *r)
{
    reading_stop_waiting(r);
    reading_on_step(r);
}

static void reading_on_settled(struct mcti_settle *w)
{
    reading_begin(MCT_CONTAINER(w, struct mcti_reading, settle));
}

static void reading_on_look(void *data)
{
    if (reading_is_listed(data))
        reading_begin(data);
}

/* Defers to the loop: other watchers have yet to see the same change. */
static void reading_on_changed(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds)
{
    if (kinds & 1u << MCT_RESOURCE)
        mcti_task_post(p->sched, &MCT_CONTAINER(w, struct mcti_reading, watcher)->look);
}

static void reading_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    reading_on_changed(w, p, 1u << MCT_RESOURCE);
}

/* Waits until all servers have listed their resources, for at most half of the deadline; the rest is for reading. */
static void reading_wait(struct mcti_reading *r)
{
    struct mcti_registry *all = r->reach->view->registry;
    unsigned most = r->deadline_ms ? r->deadline_ms / 2 : UINT_MAX;
    r->settle.done = reading_on_settled;
    r->watcher = (struct mcti_watcher){ .changed = reading_on_changed, .state = reading_on_state };
    mcti_registry_watch(all, &r->watcher);
    mcti_registry_wait(all, &r->settle, r->reach->settle_ms < most ? r->reach->settle_ms : most);
}

/* ---- life ---- */

static bool reading_is_kept(const struct mcti_reading *r)
{
    return mcti_results_may_have(r->reach->results) && mcti_result_is_uri(r->uri);
}

/* Reads a result of a tool that is kept: no server is asked. */
static void reading_take_kept(struct mcti_reading *r)
{
    const struct mcti_call *behalf = r->reach->behalf;
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    const struct mcti_kept *kept =
        mcti_results_read(r->reach->results, r->uri, behalf ? &behalf->authority : NULL, &b, &r->error);
    if (kept) {
        if (behalf)
            mcti_external_kept(r->reach->behalf, r->reach->view->registry->outside, kept->from);
        size_t len = b.len;
        r->kept = mcti_buf_take(&b);
        r->result = (struct mcti_str){ r->kept, r->kept ? len : 0 };
        if (!r->kept)
            mcti_no_memory(&r->error);
    }
    mcti_buf_done(&b);
    reading_end(r);
}

/* Returns a copy of the URI. That of a page in the form for clients becomes the one of its server, which alone is
 * asked. NULL when out of memory. */
static char *reading_take_uri(struct mcti_reading *r)
{
    struct mcti_view *v = r->reach->view;
    struct mcti_buf own;
    mcti_buf_init(&own, r->uri.len + MCT_LIMIT_URI_BYTES);
    mcti_view_items(v, MCT_RESOURCE); /* updates v->apps */
    struct mcti_provider *p = r->only ? NULL : mcti_app_uri_read(&v->apps, r->uri, &own);
    if (p && !mcti_str_eq(mcti_buf_str(&own), r->uri)) {
        r->only = p;
        r->uri.len = own.len;
    } else {
        mcti_buf_clear(&own);
        mcti_buf_add(&own, r->uri);
    }
    return mcti_buf_take(&own);
}

int mcti_reading_start(struct mcti_reading *r, struct mct_error *err)
{
    bool is_kept = reading_is_kept(r);
    if (!is_kept && mcti_reach_check(r->reach, r->only, r->uri, err) < 0)
        return -1;
    r->text = is_kept ? mcti_str_dup(r->uri) : reading_take_uri(r);
    if (!r->text)
        return mcti_no_memory(err);
    r->uri.p = r->text;
    mcti_buf_init(&r->params, 6 * r->uri.len + 64);
    mcti_buf_addc(&r->params, '{');
    mcti_json_put_member(&r->params, "uri", r->uri);
    mcti_buf_addc(&r->params, '}');
    mcti_timer_init(&r->deadline, reading_on_deadline, r);
    mcti_timer_init(&r->turn, reading_on_turn_over, r);
    r->started_ms = mcti_sched_now(reading_sched_of(r));
    mcti_task_init(&r->step, reading_on_step, r);
    mcti_task_init(&r->look, reading_on_look, r);
    mcti_list_init(&r->watcher.node);
    if (r->deadline_ms)
        mcti_timer_set(reading_sched_of(r), &r->deadline, r->deadline_ms);
    if (is_kept)
        reading_take_kept(r);
    else if (r->only || reading_is_listed(r) || mcti_registry_settled(r->reach->view->registry))
        mcti_task_post(reading_sched_of(r), &r->step);
    else
        reading_wait(r);
    return 0;
}

void mcti_reading_done(struct mcti_reading *r)
{
    if (!r->text)
        return;
    mcti_timer_stop(reading_sched_of(r), &r->deadline);
    mcti_timer_stop(reading_sched_of(r), &r->turn);
    mcti_task_stop(&r->step);
    reading_stop_waiting(r);
    mcti_call_cancel(&r->call, "the resource is no longer needed");
    mcti_ready_done(&r->ready);
    mcti_cache_place_free(r->place);
    mcti_buf_done(&r->params);
    free(r->candidates);
    free(r->attempts);
    free(r->kept);
    free(r->refusal);
    free(r->text);
    *r = (struct mcti_reading){ 0 };
}
