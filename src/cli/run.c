/* Runs the event loop until servers have settled, hooks are known or a call has ended. */
#include "base/limits.h"
#include "cli/answers.h"
#include "cli/command.h"

#include <stdlib.h>

struct settled {
    struct mcti_settle wait;
    bool done;
};

static void on_settled(struct mcti_settle *w)
{
    MCT_CONTAINER(w, struct settled, wait)->done = true;
}

/* Returns true if an allocation failed in a command other than serve: the answer it waits for may never come. */
static bool has_failed_allocation(const struct mcti_app *app)
{
    return !app->command->serves && mcti_memory_failures();
}

bool mcti_app_wait(struct mcti_app *app, const bool *flag)
{
    while (!*flag && !app->interrupted && !has_failed_allocation(app))
        uv_run(&app->inst.loop.uv, UV_RUN_ONCE);
    return *flag;
}

int mcti_app_await(struct mcti_app *app, const bool *done, struct mct_error *err)
{
    bool is_done = mcti_app_wait(app, done);
    mcti_out_progress_end(app);
    if (is_done)
        return 0;
    if (!app->interrupted)
        return mcti_no_memory(err), mcti_error_exit_status(err->kind);
    mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    return 128 + app->interrupted;
}

int mcti_app_settle(struct mcti_app *app)
{
    mcti_live_begin(app, false);
    mcti_instance_start(&app->inst);
    return mcti_app_wait_settled(app);
}

int mcti_app_wait_settled(struct mcti_app *app)
{
    struct settled s = { .wait.done = on_settled };
    /* each step of a server has its own deadline; this one bounds their sum */
    unsigned longest = mcti_connect_longest_start_ms(&app->inst.config, app->restart);
    mcti_registry_wait(&app->inst.registry, &s.wait, 4 * longest + MCT_PROBE_TIMEOUT_MS);
    mcti_live_begin(app, false);
    bool done = mcti_app_wait(app, &s.done);
    mcti_live_end(app);
    mcti_settle_stop(&s.wait);
    return done ? 0 : -1;
}

void mcti_app_await_hooks(struct mcti_app *app)
{
    while (app->inst.hooks.n_unknown && !app->interrupted && !has_failed_allocation(app))
        uv_run(&app->inst.loop.uv, UV_RUN_ONCE);
}

/* ---- one call ---- */

/* Calls that run at the same time. */
struct batch {
    size_t n_left;
    bool done;
};

struct running {
    struct mcti_app *app;
    struct batch *batch;
    struct mcti_call call;
    struct mcti_app_outcome *ret;
    bool done;
};

static void run_on_progress(struct mcti_call *call, struct mcti_str params)
{
    mcti_out_progress(MCT_CONTAINER(call, struct running, call)->app, params);
}

void mcti_app_add_code(struct mct_error *err)
{
    size_t n = strlen(err->message);
    if (err->code)
        snprintf(err->message + n, sizeof err->message - n, " (code %d)%s", err->code,
                 err->code == MCT_RPC_MISSING_CAPABILITY
                     ? "; allow what it requests with --elicit, --sampling-command or --root"
                     : "");
}

/* Adds the extensions that the server needs. Returns false if it needs none. */
static bool run_say_lacking(struct mct_error *err, struct mcti_str error)
{
    size_t n = strlen(err->message);
    struct mcti_buf ids;
    mcti_buf_init(&ids, sizeof err->message);
    bool lacks = err->code == MCT_RPC_MISSING_CAPABILITY && mcti_extensions_put_lacking(&ids, error);
    if (lacks)
        snprintf(err->message + n, sizeof err->message - n,
                 " (code %d); the server needs an extension that mcptools does not have: %.*s", err->code,
                 MCT_STR_ARG(mcti_buf_str(&ids)));
    mcti_buf_done(&ids);
    return lacks;
}

static void running_end(struct running *r)
{
    r->done = true;
    r->batch->done = --r->batch->n_left == 0;
}

/* Keeps the result: a copy of a short one, a reference to the chunk of a long one. */
static void run_keep_result(struct mcti_app_outcome *ret, const struct mcti_outcome *o)
{
    ret->chunk = o->chunk ? mcti_chunk_ref(o->chunk) : NULL;
    ret->text = o->chunk ? NULL : mcti_str_dup(o->result);
    ret->result = o->chunk ? o->result : (struct mcti_str){ ret->text, ret->text ? o->result.len : 0 };
}

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct running *r = MCT_CONTAINER(call, struct running, call);
    struct mcti_app_outcome *ret = r->ret;
    ret->task = call->task_status;
    if (o->result.p) {
        run_keep_result(ret, o);
    } else if (o->failed) {
        ret->err = *o->failed;
    } else {
        mcti_msg_read_error(o->error, &ret->err);
        if (!run_say_lacking(&ret->err, o->error))
            mcti_app_add_code(&ret->err);
    }
    if (o->result.p && !ret->result.p)
        mcti_no_memory(&ret->err);
    ret->status = mcti_error_exit_status(!ret->result.p ? ret->err.kind : o->blocked ? MCT_ERR_POLICY : MCT_ERR_NONE);
    running_end(r);
}

/* Copies the data of a tool that is needed after the call: the tool may be removed during it. */
static void copy_tool(const struct mcti_exposure *x, const struct mcti_app_call *w, struct mcti_app_outcome *ret)
{
    ret->server = x ? strdup(x->provider->name) : NULL;
    ret->output_schema = x ? mcti_str_dup(mcti_json_get(mcti_item_json(x->item), "outputSchema")) : NULL;
    ret->item = x && x == w->found ? mcti_str_dup(mcti_item_id(x->item)) : NULL;
}

/* Returns the time limit of a call. Resource tools keep to --timeout themselves and then tell what they have so far, so
 * their calls get a little more; see mcti_app_configure(). */
static unsigned run_limit_ms(const struct mcti_app *app, const struct mcti_exposure *x)
{
    enum { MORE_MS = 2000 };
    const struct mcti_view_own *own = app->inst.view.own;
    unsigned ms = app->opt.timeout_ms;
    return ms && x && own && x->provider == own->provider ? ms + MORE_MS : ms;
}

static void running_start(struct running *r, const struct mcti_app_call *w)
{
    struct mcti_call_start start = { .name = w->name, .found = w->found, .is_looked_up = true };
    struct mcti_app *app = r->app;
    r->call = (struct mcti_call){ .verb = w->verb,
                                  .timeout_ms = run_limit_ms(app, w->found),
                                  .tasks = w->detaches ? MCT_TASKS_FOLLOWED : MCT_TASKS_NONE,
                                  .done = on_done,
                                  .progress = app->progress ? run_on_progress : NULL };
    int failed = w->format
                     ? mcti_instance_call_model(&app->inst, w->format, &r->call, &start, w->arguments, &r->ret->err)
                     : mcti_instance_call(&app->inst, &r->call, &start, w->arguments, &r->ret->err);
    copy_tool(start.found, w, r->ret);
    if (!failed)
        return;
    r->ret->status = mcti_error_exit_status(r->ret->err.kind);
    running_end(r);
}

static void run_batch(struct mcti_app *app, const struct mcti_app_call *w, size_t n, struct mcti_app_outcome *ret)
{
    struct batch batch = { .n_left = n, .done = !n };
    struct running *all = calloc(n ? n : 1, sizeof *all);
    struct mct_error err;
    for (size_t i = 0; i < n; i++) {
        ret[i] = (struct mcti_app_outcome){ .err.kind = MCT_ERR_NONE };
        if (!all)
            ret[i].status = (mcti_no_memory(&ret[i].err), mcti_error_exit_status(ret[i].err.kind));
    }
    if (!all)
        return;
    for (size_t i = 0; i < n; i++) {
        all[i].app = app;
        all[i].batch = &batch;
        all[i].ret = &ret[i];
        running_start(&all[i], &w[i]);
    }
    int status = mcti_app_await(app, &batch.done, &err);
    for (size_t i = 0; status && i < n; i++) {
        if (all[i].done)
            continue;
        mcti_call_cancel(&all[i].call, "interrupted by the user");
        ret[i].err = err;
        ret[i].status = status;
    }
    free(all);
}

int mcti_app_run_task(struct mcti_app *app, const struct mcti_app_task *t, struct mcti_app_outcome *ret)
{
    struct batch batch = { .n_left = 1 };
    struct running one = { .app = app, .batch = &batch, .ret = ret };
    struct mct_error err;
    bool waits = t->verb == MCT_VERB_TASKS_GET && t->waits;
    *ret = (struct mcti_app_outcome){ .err.kind = MCT_ERR_NONE };
    one.call = (struct mcti_call){ .verb = t->verb,
                                   .timeout_ms = app->opt.timeout_ms,
                                   .tasks = waits ? MCT_TASKS_HELD : MCT_TASKS_FOLLOWED,
                                   .done = on_done,
                                   .progress = waits && app->progress ? run_on_progress : NULL };
    if (mcti_instance_task(&app->inst, &one.call, t->provider, t->id, &ret->err) < 0)
        return ret->status = mcti_error_exit_status(ret->err.kind);
    int status = mcti_app_await(app, &batch.done, &err);
    if (status) {
        mcti_call_cancel(&one.call, "interrupted by the user");
        ret->err = err;
        ret->status = status;
    }
    return ret->status;
}

/* Finds the tool of a finished call again, because its list may have changed since. Returns NULL if it is gone. */
static const struct mcti_exposure *run_find_again(struct mcti_app *app, enum mcti_verb verb,
                                                  const struct mcti_app_outcome *o)
{
    enum mcti_kind kind = verb == MCT_VERB_PROMPTS_GET ? MCT_PROMPT : MCT_TOOL;
    const struct mcti_provider *p = o->item ? mcti_registry_find(&app->inst.registry, mcti_str_of(o->server)) : NULL;
    const struct mcti_item *item = p ? mcti_items_find(&p->items[kind], mcti_str_of(o->item)) : NULL;
    return item ? mcti_view_of_item(&app->inst.view, item) : NULL;
}

/* Repeats a call that was refused as long as the user logs in for it. */
static void run_after_login(struct mcti_app *app, const struct mcti_app_call *w, struct mcti_app_outcome *ret)
{
    for (unsigned n = 0; !ret->result.p && mcti_signin_retry(app, ret->item ? ret->server : NULL, n, &ret->err); n++) {
        struct mcti_app_outcome before = *ret;
        struct mcti_app_call again = *w;
        again.found = run_find_again(app, w->verb, &before);
        again.name = mcti_str_of(before.item);
        if (!again.found) {
            mcti_fail(&ret->err, MCT_ERR_NOT_FOUND, "server '%s' no longer has '%s'", before.server, before.item);
            break;
        }
        run_batch(app, &again, 1, ret);
        mcti_app_outcome_done(&before);
    }
    if (!ret->result.p)
        ret->status = app->interrupted ? 128 + app->interrupted : mcti_error_exit_status(ret->err.kind);
}

void mcti_app_run_calls(struct mcti_app *app, const struct mcti_app_call *w, size_t n, struct mcti_app_outcome *ret)
{
    run_batch(app, w, n, ret);
    for (size_t i = 0; i < n; i++)
        run_after_login(app, &w[i], &ret[i]);
}

int mcti_app_run_call(struct mcti_app *app, const struct mcti_app_call *w, struct mcti_app_outcome *ret,
                      struct mct_error *err)
{
    mcti_app_run_calls(app, w, 1, ret);
    if (!ret->result.p)
        *err = ret->err;
    return ret->status;
}

void mcti_app_outcome_done(struct mcti_app_outcome *o)
{
    free(o->text);
    mcti_chunk_unref(o->chunk);
    free(o->server);
    free(o->output_schema);
    free(o->item);
}
