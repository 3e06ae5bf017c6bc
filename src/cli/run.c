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
    struct settled s = { .wait.done = on_settled };
    mcti_instance_start(&app->inst);
    /* each step of a server has its own deadline; this one bounds their sum */
    mcti_registry_wait(&app->inst.registry, &s.wait, 4 * app->inst.config.start_timeout_ms + MCT_PROBE_TIMEOUT_MS);
    bool done = mcti_app_wait(app, &s.done);
    mcti_settle_stop(&s.wait);
    return done ? 0 : -1;
}

void mcti_app_await_hooks(struct mcti_app *app)
{
    while (app->inst.hooks.n_unknown && !app->interrupted && !has_failed_allocation(app))
        uv_run(&app->inst.loop.uv, UV_RUN_ONCE);
}

/* ---- one call ---- */

struct running {
    struct mcti_app *app;
    struct mcti_call call;
    bool done, blocked;
    char *result;
    struct mct_error err;
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

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct running *r = MCT_CONTAINER(call, struct running, call);
    r->done = true;
    r->blocked = o->blocked;
    if (o->result.p) {
        r->result = mcti_str_dup(o->result);
    } else if (o->failed) {
        r->err = *o->failed;
    } else {
        mcti_msg_read_error(o->error, &r->err);
        mcti_app_add_code(&r->err);
    }
}

/* Waits for the end of the call. Returns the exit status, with *ret_result or *err. */
static int await_call(struct running *r, char **ret_result, struct mct_error *err)
{
    int status = mcti_app_await(r->app, &r->done, err);
    if (status) {
        mcti_call_cancel(&r->call, "interrupted by the user");
        return status;
    }
    if (!r->result) {
        *err = r->err;
        return mcti_error_exit_status(err->kind);
    }
    *ret_result = r->result;
    return r->blocked ? mcti_error_exit_status(MCT_ERR_POLICY) : 0;
}

/* Copies the data of a tool that is needed after the call: the tool may be removed during it. */
static void copy_tool(const struct mcti_exposure *x, struct mcti_app_outcome *ret)
{
    ret->server = x ? strdup(x->provider->name) : NULL;
    ret->output_schema = x ? mcti_str_dup(mcti_json_get(x->item->json, "outputSchema")) : NULL;
}

int mcti_app_run_call(struct mcti_app *app, const struct mcti_app_call *w, struct mcti_app_outcome *ret,
                      struct mct_error *err)
{
    struct mcti_call_start start = { .name = w->name, .found = w->found, .is_looked_up = true };
    struct running r = { .app = app, .call = { .verb = w->verb, .timeout_ms = app->opt.timeout_ms, .done = on_done } };
    if (app->progress)
        r.call.progress = run_on_progress;
    *ret = (struct mcti_app_outcome){ 0 };
    int failed = w->format ? mcti_instance_call_model(&app->inst, w->format, &r.call, &start, w->arguments, err)
                           : mcti_instance_call(&app->inst, &r.call, &start, w->arguments, err);
    copy_tool(start.found, ret);
    return failed ? mcti_error_exit_status(err->kind) : await_call(&r, &ret->result, err);
}

void mcti_app_outcome_done(struct mcti_app_outcome *o)
{
    free(o->result);
    free(o->server);
    free(o->output_schema);
}
