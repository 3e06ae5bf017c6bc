/* What serve says while it runs: a line for each change of a server's state, and one when all have started. */
#include "base/clock.h"
#include "cli/live/lines.h"
#include "mcp/apps/ui.h"

#include <stdlib.h>

enum { LINE_BYTES = 1024 };

/* A server, and what was said about it last. */
struct followed {
    const struct mcti_provider *provider;
    enum mcti_state said;
};

struct mcti_follow {
    struct mcti_app *app;
    struct mcti_watcher watcher;
    struct mcti_settle started;
    struct followed *v;
    size_t n;
};

/* ---- lines ---- */

static void follow_say(const struct mcti_app *app, struct mcti_buf *line)
{
    mcti_live_hide(app);
    if (mcti_buf_ok(line) && app->opt.log_level >= MCT_LOG_WARN)
        mcti_err("%.*s\n", MCT_STR_ARG(mcti_buf_str(line)));
    mcti_buf_done(line);
}

static void follow_tell_connected(const struct mcti_follow *f, const struct mcti_provider *p)
{
    size_t n = p->items[MCT_TOOL].n;
    struct mcti_buf b;
    mcti_buf_init(&b, LINE_BYTES);
    mcti_buf_printf(&b, "server '%s' connected: %zu tool%s, ", p->name, n, n == 1 ? "" : "s");
    mcti_live_put_seconds(&b, mcti_sched_now(p->sched) - p->started_ms);
    follow_say(f->app, &b);
}

static void follow_tell_ready(const struct mcti_follow *f)
{
    const struct mcti_registry *r = &f->app->inst.registry;
    size_t n_connected = 0, n_tools = 0, n_servers = 0, n_idle = 0;
    struct mcti_buf b;
    for (size_t i = 0; i < r->n; i++) {
        bool connected = r->v[i]->state == MCT_CONNECTED && r->v[i]->standby != MCT_STANDBY_STARTING;
        n_servers += !r->v[i]->bare;
        n_connected += connected && !r->v[i]->bare;
        n_idle += r->v[i]->standby == MCT_STANDBY_ASLEEP;
        n_tools += connected ? r->v[i]->items[MCT_TOOL].n : 0;
    }
    mcti_buf_init(&b, LINE_BYTES);
    mcti_buf_printf(&b, "ready: %zu of %zu server%s, %zu tool%s in ", n_connected, n_servers, n_servers == 1 ? "" : "s",
                    n_tools, n_tools == 1 ? "" : "s");
    mcti_live_put_seconds(&b, mcti_clock_since_us() / 1000 - f->app->started_ms);
    if (n_idle)
        mcti_buf_printf(&b, "; %zu of them idle until the first call", n_idle);
    follow_say(f->app, &b);
}

static bool follow_has_app(const struct mcti_provider *p)
{
    for (size_t i = 0; i < p->items[MCT_TOOL].n; i++)
        if (p->items[MCT_TOOL].v[i]->ui & MCT_UI_LINKED)
            return true;
    return false;
}

/* Names the servers with apps, which have no names of other servers to mind at an endpoint of their own. */
static void follow_tell_apps(const struct mcti_follow *f)
{
    const struct mcti_registry *r = &f->app->inst.registry;
    const struct mcti_gateway *g = f->app->inst.service.gateway;
    const char *url = g ? g->url : NULL;
    struct mcti_buf b;
    size_t n = 0;
    mcti_buf_init(&b, LINE_BYTES);
    for (size_t i = 0; url && r->n > 1 && i < r->n; i++)
        if (follow_has_app(r->v[i]))
            mcti_buf_printf(&b, "%s%s", n++ ? ", " : "MCP Apps of ", r->v[i]->name);
    if (n)
        mcti_buf_printf(&b, ": hosts that show them work best with %s/SERVER", url);
    if (n)
        follow_say(f->app, &b);
    else
        mcti_buf_done(&b);
}

/* ---- changes ---- */

static struct followed *follow_find(struct mcti_follow *f, const struct mcti_provider *p)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->v[i].provider == p)
            return &f->v[i];
    struct followed *v = realloc(f->v, (f->n + 1) * sizeof *v);
    if (!v)
        return NULL;
    f->v = v;
    v[f->n] = (struct followed){ .provider = p };
    return &v[f->n++];
}

/* A failure is logged by the server itself. A server that sleeps and wakes up is connected all the time. */
static void follow_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_follow *f = MCT_CONTAINER(w, struct mcti_follow, watcher);
    struct followed *one = p->retired ? NULL : follow_find(f, p);
    if (!one)
        return;
    if (p->state == MCT_CONNECTED && p->standby)
        return; /* it shows what it had before */
    if (p->state == MCT_CONNECTED && one->said != MCT_CONNECTED)
        follow_tell_connected(f, p);
    if (p->state == MCT_CONNECTED || p->state == MCT_FAILED)
        one->said = p->state;
}

static void follow_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_follow *f = MCT_CONTAINER(w, struct mcti_follow, watcher);
    for (size_t i = f->n; i-- > 0;)
        if (f->v[i].provider == p)
            f->v[i] = f->v[--f->n];
}

static void follow_on_started(struct mcti_settle *w)
{
    struct mcti_follow *f = MCT_CONTAINER(w, struct mcti_follow, started);
    mcti_live_end(f->app);
    follow_tell_ready(f);
    follow_tell_apps(f);
}

/* ---- life ---- */

void mcti_follow_begin(struct mcti_app *app)
{
    struct mcti_registry *r = &app->inst.registry;
    struct mcti_follow *f = calloc(1, sizeof *f);
    if (!f)
        return;
    *f = (struct mcti_follow){ .app = app, .started.done = follow_on_started };
    f->watcher = (struct mcti_watcher){ .state = follow_on_state, .left = follow_on_left };
    mcti_registry_watch(r, &f->watcher);
    mcti_registry_wait(r, &f->started, UINT_MAX);
    if (app->progress)
        mcti_live_begin(app, true);
    app->follow = f;
}

void mcti_follow_end(struct mcti_app *app)
{
    struct mcti_follow *f = app->follow;
    if (!f)
        return;
    mcti_live_end(app);
    mcti_settle_stop(&f->started);
    mcti_watcher_remove(&f->watcher);
    free(f->v);
    free(f);
    app->follow = NULL;
}
