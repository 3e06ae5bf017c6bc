#include "resources/reading.h"

#include "base/limits.h"

#include <limits.h>
#include <stdlib.h>

static struct mct_sched *sched_of(const struct mct_reading *r)
{
    return r->reach->view->registry->sched;
}

/* ---- the end ---- */

static void stop_waiting(struct mct_reading *r)
{
    mct_settle_stop(&r->settle);
    mct_watcher_remove(&r->watcher);
    mct_task_stop(&r->look);
}

static void end(struct mct_reading *r)
{
    r->over = true;
    mct_timer_stop(sched_of(r), &r->deadline);
    mct_timer_stop(sched_of(r), &r->turn);
    mct_ready_done(&r->ready);
    mct_task_post(sched_of(r), &r->step);
}

static const struct mct_provider *first_down(const struct mct_reading *r)
{
    const struct mct_view *v = r->reach->view;
    for (size_t i = 0; i < mct_view_n_providers(v); i++)
        if (mct_view_provider(v, i)->state != MCT_CONNECTED)
            return mct_view_provider(v, i);
    return NULL;
}

static bool says_nothing(const struct mct_error *err)
{
    return err->kind == MCT_ERR_NOT_FOUND || err->kind == MCT_ERR_UNSUPPORTED;
}

/* What the attempts come to, or that nobody was there to be asked: the failure that says most, "not found" only where nobody said anything else. */
static void conclude(struct mct_reading *r)
{
    const struct mct_attempt_made *worst = NULL;
    for (size_t i = 0; i < r->n_made; i++)
        if (!worst || says_nothing(&worst->error))
            worst = &r->made[i];
    const struct mct_provider *down = worst ? NULL : first_down(r);
    if (down) {
        r->error = down->error;
        if (!r->error.kind)
            mct_fail(&r->error, MCT_ERR_CONNECT, "it is not connected");
        mct_error_wrap(&r->error, "server '%s'", down->name);
    } else if (worst && (r->only || !says_nothing(&worst->error))) {
        r->error = worst->error;
        r->refused = r->error.code ? worst->provider : NULL;
    } else {
        mct_fail(&r->error, MCT_ERR_NOT_FOUND, "no server has the resource %s", r->text);
    }
    end(r);
}

static void note(struct mct_reading *r, const struct mct_error *err)
{
    struct mct_attempt_made *a = &r->made[r->n_made - 1];
    a->duration_ms = (unsigned)(mct_sched_now(sched_of(r)) - r->begun_ms);
    if (err)
        a->error = *err;
}

/* The next attempt is made from the loop: this one may be in the middle of failing. */
static void failed(struct mct_reading *r, const struct mct_error *err)
{
    note(r, err);
    mct_timer_stop(sched_of(r), &r->turn);
    mct_ready_done(&r->ready);
    mct_task_post(sched_of(r), &r->step);
}

static void on_deadline(void *data)
{
    struct mct_reading *r = data;
    struct mct_error err;
    bool asked = r->call.provider != NULL;
    mct_fail(&err, MCT_ERR_TIMEOUT, "no answer after %u s", r->deadline_ms / 1000);
    stop_waiting(r);
    mct_call_cancel(&r->call, "it took too long");
    if (r->n_made)
        mct_error_wrap(&err, "server '%s'", r->made[r->n_made - 1].provider->name);
    if (asked)
        note(r, &err);
    r->error = err;
    end(r);
}

/* A server that says nothing does not use up the time of those behind it. */
static void on_turn_over(void *data)
{
    struct mct_reading *r = data;
    struct mct_error err;
    unsigned ms = (unsigned)(mct_sched_now(sched_of(r)) - r->begun_ms);
    mct_call_cancel(&r->call, "it took too long");
    mct_fail(&err, MCT_ERR_TIMEOUT, "server '%s': no answer after %u s", r->made[r->n_made - 1].provider->name, ms / 1000);
    failed(r, &err);
}

/* ---- one attempt ---- */

/* r->kept is the answer. */
static void succeed(struct mct_reading *r, size_t len)
{
    note(r, NULL);
    r->result = (struct mct_str){ r->kept, len };
    r->provider = r->made[r->n_made - 1].provider;
    end(r);
}

static void on_answer(struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_reading *r = MCT_CONTAINER(call, struct mct_reading, call);
    struct mct_error err;
    if (r->place)
        mct_cache_put(r->place, call, o);
    r->place = NULL;
    bool asks = mct_json_is(mct_json_get(o->result, "resultType"), "input_required");
    bool has_contents = mct_json_type(mct_json_get(o->result, "contents")) == '[';
    if (o->result.p && !asks && !has_contents)
        mct_fail(&err, MCT_ERR_PROTOCOL, "server '%s': the answer has no array \"contents\"",
                 r->made[r->n_made - 1].provider->name);
    else if (asks)
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "server '%s' asks for something first, which cannot be passed on from here",
                 r->made[r->n_made - 1].provider->name);
    else if (o->result.p && !(r->kept = mct_str_dup(o->result)))
        mct_no_memory(&err);
    else if (!o->result.p)
        mct_outcome_error(o, r->uri, &err);
    if (r->kept)
        succeed(r, o->result.len);
    else
        failed(r, &err);
}

static void on_progress(struct mct_call *call, struct mct_str params)
{
    struct mct_reading *r = MCT_CONTAINER(call, struct mct_reading, call);
    r->progress(r, params);
}

/* False: it has to be asked. */
static bool recall(struct mct_reading *r)
{
    const struct mct_call *behalf = r->reach->behalf;
    const struct mct_cache_key key = { r->ready.connection, behalf ? behalf->authority : 0, r->uri };
    struct mct_outcome o;
    mct_cache_leave(r->place);
    r->place = NULL;
    if (!mct_cache_get(r->reach->cache, &key, &o, &r->place) || !(r->kept = mct_str_dup(o.result)))
        return false;
    succeed(r, o.result.len);
    return true;
}

static void ask(struct mct_reading *r)
{
    const struct mct_provider *p = r->ready.connection;
    struct mct_error err;
    if (p->state == MCT_CONNECTED && !mct_server_can(&p->info, "resources", NULL)) {
        mct_fail(&err, MCT_ERR_UNSUPPORTED, "server '%s' has no resources", p->name);
        failed(r, &err);
        return;
    }
    if (p->state == MCT_FAILED && p->error.kind) { /* says more than that it is not connected */
        err = p->error;
        mct_error_wrap(&err, "server '%s'", p->name);
        failed(r, &err);
        return;
    }
    if (r->reach->cache && recall(r))
        return;
    r->call = mct_reach_call(r->reach, MCT_VERB_RESOURCES_READ);
    r->call.params = mct_buf_str(&r->params);
    r->call.done = on_answer;
    r->call.progress = r->progress ? on_progress : NULL;
    if (mct_provider_call(r->ready.connection, &r->call, &err) < 0)
        failed(r, &err);
}

static void on_ready(struct mct_ready *w)
{
    ask(MCT_CONTAINER(w, struct mct_reading, ready));
}

/* With others behind it, a share of what is left: a half, a third where there are more. */
static void plan_turn(struct mct_reading *r)
{
    size_t behind = r->n_candidates - r->n_made;
    uint64_t left = r->deadline_ms - (r->begun_ms - r->started_ms);
    if (behind && r->deadline_ms)
        mct_timer_set(sched_of(r), &r->turn, left / (behind > 1 ? 3 : 2));
}

static void attempt(struct mct_reading *r, struct mct_provider *p)
{
    struct mct_error err;
    r->made[r->n_made++] = (struct mct_attempt_made){ .provider = p };
    r->begun_ms = mct_sched_now(sched_of(r));
    plan_turn(r);
    r->ready.done = on_ready;
    int ready = mct_ready_open(&r->ready, r->reach, p, &err);
    if (ready < 0)
        failed(r, &err);
    else if (ready > 0)
        ask(r);
}

/* ---- one after the other ---- */

static size_t count_listed(const struct mct_reading *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_candidates; i++)
        n += mct_items_find(&r->candidates[i]->items[MCT_RESOURCE], r->uri) != NULL;
    return n;
}

static void choose(struct mct_reading *r)
{
    struct mct_view *v = r->reach->view;
    size_t n = mct_view_n_providers(v), sure = 0;
    r->candidates = calloc(n ? n + 1 : 1, sizeof *r->candidates);
    r->made = calloc(n ? n + 1 : 1, sizeof *r->made);
    if (!r->candidates || !r->made) {
        mct_no_memory(&r->error);
        end(r);
        return;
    }
    if (r->only)
        r->candidates[r->n_candidates++] = r->only;
    else
        r->n_candidates = mct_view_for_uri(v, r->uri, r->candidates, n, &sure);
    r->n_listed = count_listed(r);
}

static void on_step(void *data)
{
    struct mct_reading *r = data;
    if (!r->over && !r->made)
        choose(r);
    if (r->over)
        r->done(r);
    else if (r->n_made < r->n_candidates)
        attempt(r, r->candidates[r->n_made]);
    else
        conclude(r);
}

/* ---- who has it ---- */

static bool is_listed(const struct mct_reading *r)
{
    struct mct_provider *first;
    size_t sure;
    return mct_view_for_uri(r->reach->view, r->uri, &first, 1, &sure) && sure && first->state == MCT_CONNECTED &&
           mct_items_find(&first->items[MCT_RESOURCE], r->uri);
}

static void begin(struct mct_reading *r)
{
    stop_waiting(r);
    on_step(r);
}

static void on_settled(struct mct_settle *w)
{
    begin(MCT_CONTAINER(w, struct mct_reading, settle));
}

static void on_look(void *data)
{
    if (is_listed(data))
        begin(data);
}

/* Not from here: others are still to be told of the same change. */
static void on_changed(struct mct_watcher *w, struct mct_provider *p, unsigned kinds)
{
    if (kinds & 1u << MCT_RESOURCE)
        mct_task_post(p->sched, &MCT_CONTAINER(w, struct mct_reading, watcher)->look);
}

static void on_state(struct mct_watcher *w, struct mct_provider *p)
{
    on_changed(w, p, 1u << MCT_RESOURCE);
}

/* Who has it is known when all have said what they have; a part of the time is for asking them. */
static void wait(struct mct_reading *r)
{
    struct mct_registry *all = r->reach->view->registry;
    unsigned most = r->deadline_ms ? r->deadline_ms / 2 : UINT_MAX;
    r->settle.done = on_settled;
    r->watcher = (struct mct_watcher){ .changed = on_changed, .state = on_state };
    mct_registry_watch(all, &r->watcher);
    mct_registry_wait(all, &r->settle, r->reach->settle_ms < most ? r->reach->settle_ms : most);
}

/* ---- life ---- */

int mct_reading_start(struct mct_reading *r, struct mct_error *err)
{
    if (mct_reach_check(r->reach, r->only, r->uri, err) < 0)
        return -1;
    r->text = mct_str_dup(r->uri);
    if (!r->text)
        return mct_no_memory(err);
    r->uri.p = r->text;
    mct_buf_init(&r->params, 6 * r->uri.len + 64);
    mct_buf_addc(&r->params, '{');
    mct_json_put_member(&r->params, "uri", r->uri);
    mct_buf_addc(&r->params, '}');
    mct_timer_init(&r->deadline, on_deadline, r);
    mct_timer_init(&r->turn, on_turn_over, r);
    r->started_ms = mct_sched_now(sched_of(r));
    mct_task_init(&r->step, on_step, r);
    mct_task_init(&r->look, on_look, r);
    mct_list_init(&r->watcher.node);
    if (r->deadline_ms)
        mct_timer_set(sched_of(r), &r->deadline, r->deadline_ms);
    if (r->only || is_listed(r) || mct_registry_settled(r->reach->view->registry))
        mct_task_post(sched_of(r), &r->step);
    else
        wait(r);
    return 0;
}

void mct_reading_done(struct mct_reading *r)
{
    if (!r->text)
        return;
    mct_timer_stop(sched_of(r), &r->deadline);
    mct_timer_stop(sched_of(r), &r->turn);
    mct_task_stop(&r->step);
    stop_waiting(r);
    mct_call_cancel(&r->call, "nobody wants the resource any more");
    mct_ready_done(&r->ready);
    mct_cache_leave(r->place);
    mct_buf_done(&r->params);
    free(r->candidates);
    free(r->made);
    free(r->kept);
    free(r->text);
    *r = (struct mct_reading){ 0 };
}
