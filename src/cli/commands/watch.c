/* mcptools watch: prints list changes, resource updates, log messages and states of servers, one line each. */
#include "base/limits.h"
#include "cli/target.h"
#include "json/write.h"

struct watch {
    struct mcti_app *app;
    struct mcti_watcher watcher;
    bool closed; /* stdout has no reader any more */
};

/* Prints one event as a line of JSON or text. `detail`: raw JSON; may be absent. */
static void cmd_watch_print(struct watch *w, const struct mcti_provider *p, const char *event, struct mcti_str detail)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES * 2);
    if (w->app->opt.output == MCT_OUT_JSON) {
        mcti_buf_addc(&b, '{');
        mcti_json_put_member(&b, "server", mcti_str_of(p->name));
        mcti_json_put_member(&b, "event", mcti_str_of(event));
        if (detail.p) {
            mcti_json_put_key(&b, "params");
            mcti_json_put_line(&b, detail);
        }
        mcti_buf_addc(&b, '}');
    } else {
        mcti_out_styled(w->app, MCT_BOLD, "%s", p->name);
        mcti_out(w->app, detail.p ? " %s " : " %s", event);
        mcti_json_put_line(&b, detail);
    }
    mcti_out_json_line(w->app, mcti_buf_ok(&b) ? mcti_buf_str(&b) : MCT_STR(""));
    w->closed = fflush(stdout) != 0;
    mcti_buf_done(&b);
}

static void cmd_watch_on_changed(struct mcti_watcher *watcher, struct mcti_provider *p, unsigned kinds)
{
    struct watch *w = MCT_CONTAINER(watcher, struct watch, watcher);
    char count[48];
    for (int k = 0; k < MCT_KIND_N; k++) {
        if (p->origin || !(kinds & 1u << k))
            continue;
        snprintf(count, sizeof count, "{\"%s\":%zu}", mcti_kind_info((enum mcti_kind)k)->list_key, p->items[k].n);
        cmd_watch_print(w, p, "list_changed", mcti_str_of(count));
    }
}

static void cmd_watch_on_state(struct mcti_watcher *watcher, struct mcti_provider *p)
{
    struct watch *w = MCT_CONTAINER(watcher, struct watch, watcher);
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "state", mcti_str_of(mcti_provider_state_word(p)));
    if (p->error->kind)
        mcti_json_put_member(&b, "error", mcti_str_of(p->error->message));
    mcti_buf_addc(&b, '}');
    cmd_watch_print(w, p, "state", mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void cmd_watch_on_message(struct mcti_watcher *watcher, struct mcti_provider *p, struct mcti_str params)
{
    cmd_watch_print(MCT_CONTAINER(watcher, struct watch, watcher), p, "message", params);
}

static void cmd_watch_on_updated(struct mcti_watcher *watcher, struct mcti_provider *p, struct mcti_str params)
{
    cmd_watch_print(MCT_CONTAINER(watcher, struct watch, watcher), p, "resource_updated", params);
}

/* Subscribes to the resources of --subscribe. Returns -1 with *err. */
static int cmd_watch_subscribe(struct mcti_app *app, struct mct_error *err)
{
    for (size_t i = 0; i < app->opt.subscribe.n; i++) {
        struct mcti_str uri = mcti_str_of(app->opt.subscribe.v[i]);
        struct mcti_provider *list[1];
        size_t sure;
        if (!mcti_view_for_uri(&app->inst.view, uri, list, 1, &sure) || !list[0]->ops->subscribe)
            return mcti_fail(err, MCT_ERR_NOT_FOUND, "no connected server has the resource %s",
                             app->opt.subscribe.v[i]);
        if (list[0]->ops->subscribe(list[0], uri, NULL, err) < 0)
            return mcti_error_wrap(err, "server '%s'", list[0]->name);
    }
    return 0;
}

static void cmd_watch_request_messages(struct mcti_app *app)
{
    for (size_t i = 0; i < app->inst.registry.n; i++)
        if (app->inst.registry.v[i]->ops->set_level)
            app->inst.registry.v[i]->ops->set_level(app->inst.registry.v[i], "info");
}

int mcti_cmd_watch(struct mcti_app *app)
{
    struct watch w = { .app = app,
                       .watcher = { .changed = cmd_watch_on_changed,
                                    .state = cmd_watch_on_state,
                                    .message = cmd_watch_on_message,
                                    .updated = cmd_watch_on_updated } };
    struct mcti_target t;
    struct mct_error err;
    app->restart = true;
    int status = mcti_target_open(app, app->argc ? app->argv[0] : NULL, MCT_TOOL, false, &t);
    if (status)
        return status;
    if (cmd_watch_subscribe(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    cmd_watch_request_messages(app);
    mcti_registry_watch(&app->inst.registry, &w.watcher);
    if (mcti_out_failures(app) == mcti_error_exit_status(MCT_ERR_CONNECT))
        mcti_log(&app->log, MCT_LOG_WARN, "no server is connected yet; retrying");
    bool closed = mcti_app_wait(app, &w.closed);
    mcti_watcher_remove(&w.watcher);
    return closed || !app->interrupted ? 0 : 128 + app->interrupted;
}
