/* Notifications as they come, one line each: list changes, resource updates, log messages, states. */
#include "base/limits.h"
#include "cli/target.h"
#include "json/write.h"

struct watch {
    struct mct_app *app;
    struct mct_watcher watcher;
    bool deaf;
};

/* One event: a line of JSON, or of text; `detail` is raw JSON. */
static void print(struct watch *w, const struct mct_provider *p, const char *event, struct mct_str detail)
{
    struct mct_buf b;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES * 2);
    if (w->app->opt.output == MCT_OUT_JSON) {
        mct_buf_addc(&b, '{');
        mct_json_put_member(&b, "server", mct_str_of(p->name));
        mct_json_put_member(&b, "event", mct_str_of(event));
        if (detail.p) {
            mct_json_put_key(&b, "params");
            mct_json_put_line(&b, detail);
        }
        mct_buf_addc(&b, '}');
    } else {
        mct_out_styled(w->app, MCT_BOLD, "%s", p->name);
        mct_out(w->app, detail.p ? " %s " : " %s", event);
        mct_json_put_line(&b, detail);
    }
    mct_out_json_line(w->app, mct_buf_ok(&b) ? mct_buf_str(&b) : MCT_STR(""));
    w->deaf = fflush(stdout) != 0; /* whoever read this has gone */
    mct_buf_done(&b);
}

static void on_changed(struct mct_watcher *watcher, struct mct_provider *p, unsigned kinds)
{
    struct watch *w = MCT_CONTAINER(watcher, struct watch, watcher);
    char count[48];
    for (int k = 0; k < MCT_KIND_N; k++) {
        if (p->origin || !(kinds & 1u << k))
            continue;
        snprintf(count, sizeof count, "{\"%s\":%zu}", mct_kind_info((enum mct_kind)k)->list_key, p->items[k].n);
        print(w, p, "list_changed", mct_str_of(count));
    }
}

static void on_state(struct mct_watcher *watcher, struct mct_provider *p)
{
    struct watch *w = MCT_CONTAINER(watcher, struct watch, watcher);
    struct mct_buf b;
    mct_buf_init(&b, 4096);
    mct_buf_addc(&b, '{');
    mct_json_put_member(&b, "state", mct_str_of(mct_state_word(p->state)));
    if (p->error.kind)
        mct_json_put_member(&b, "error", mct_str_of(p->error.message));
    mct_buf_addc(&b, '}');
    print(w, p, "state", mct_buf_str(&b));
    mct_buf_done(&b);
}

static void on_message(struct mct_watcher *watcher, struct mct_provider *p, struct mct_str params)
{
    print(MCT_CONTAINER(watcher, struct watch, watcher), p, "message", params);
}

static void on_updated(struct mct_watcher *watcher, struct mct_provider *p, struct mct_str params)
{
    print(MCT_CONTAINER(watcher, struct watch, watcher), p, "resource_updated", params);
}

/* A resource nobody watches is a reason to say so, not to stop watching the rest. */
static int subscribe(struct mct_app *app, struct mct_error *err)
{
    for (size_t i = 0; i < app->opt.subscribe.n; i++) {
        struct mct_str uri = mct_str_of(app->opt.subscribe.v[i]);
        struct mct_provider *list[1];
        size_t sure;
        if (!mct_view_for_uri(&app->inst.view, uri, list, 1, &sure) || !list[0]->ops->subscribe)
            return mct_fail(err, MCT_ERR_NOT_FOUND, "no connected server has the resource %s", app->opt.subscribe.v[i]);
        if (list[0]->ops->subscribe(list[0], uri, NULL, err) < 0)
            return mct_error_wrap(err, "server '%s'", list[0]->name);
    }
    return 0;
}

static void want_messages(struct mct_app *app)
{
    for (size_t i = 0; i < app->inst.registry.n; i++)
        if (app->inst.registry.v[i]->ops->set_level)
            app->inst.registry.v[i]->ops->set_level(app->inst.registry.v[i], "info");
}

int mct_cmd_watch(struct mct_app *app)
{
    struct watch w = { .app = app, .watcher = { .changed = on_changed, .state = on_state, .message = on_message,
                                                .updated = on_updated } };
    struct mct_target t;
    struct mct_error err;
    app->keep = true;
    int status = mct_target_open(app, app->argc ? app->argv[0] : NULL, MCT_TOOL, false, &t);
    if (status)
        return status;
    if (subscribe(app, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    want_messages(app);
    mct_registry_watch(&app->inst.registry, &w.watcher);
    if (mct_out_failures(app) == mct_error_exit_status(MCT_ERR_CONNECT))
        mct_log(&app->log, MCT_LOG_WARN, "no server is connected yet; they are tried again");
    bool deaf = mct_app_wait(app, &w.deaf);
    mct_watcher_remove(&w.watcher);
    return deaf || !app->interrupted ? 0 : 128 + app->interrupted;
}
