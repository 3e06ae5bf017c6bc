#include "cli/command.h"

#include "config/serve.h"
#include "front/stdio.h"
#include "io/transport_fd.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_BESIDE = 512 }; /* descriptors that are no client's: servers, files, libraries */
enum { AUDIT_WAIT_MS = 1000 }; /* at the end, for whoever reads it */
enum { LOG_MODE = 0640 };

struct serve {
    struct mct_app *app;
    struct mct_gateway gateway;
    struct mct_front_http *http;
    struct mct_front_stdio stdio;
    struct mct_event_log audit;
    int access_fd, audit_fd; /* -1: none */
    bool on_stdio, over, drained;
};

static void on_client_gone(void *data)
{
    struct serve *s = data;
    s->over = true;
}

static void set_flag(void *data)
{
    *(bool *)data = true;
}

/* Every client is a descriptor: asks for as many as the connections need, and says how many connections
 * there can be. Children keep the limit this program was started with. */
static size_t make_room(struct mct_app *app)
{
    size_t wanted = app->config.connections;
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) < 0)
        return wanted;
    if (r.rlim_cur < wanted + FILES_BESIDE) {
        app->loop.child_files = (unsigned long)r.rlim_cur;
        r.rlim_cur = r.rlim_max < wanted + FILES_BESIDE ? r.rlim_max : wanted + FILES_BESIDE;
        setrlimit(RLIMIT_NOFILE, &r);
        getrlimit(RLIMIT_NOFILE, &r);
    }
    if (r.rlim_cur >= wanted + FILES_BESIDE)
        return wanted;
    size_t possible = r.rlim_cur > 2 * FILES_BESIDE ? (size_t)r.rlim_cur - FILES_BESIDE : (size_t)r.rlim_cur / 2;
    mct_log(&app->log, MCT_LOG_INFO, "at most %zu connections fit into the limit of open files", possible);
    return possible;
}

static int open_logs(struct serve *s, bool http, struct mct_error *err)
{
    struct mct_app *app = s->app;
    const char *accesses = http ? app->config.access_log : NULL;
    if (mct_open_log("serve.access_log", accesses, LOG_MODE, &s->access_fd, err) < 0 ||
        mct_open_log("serve.audit_log", app->config.audit_log, LOG_MODE, &s->audit_fd, err) < 0)
        return mct_error_wrap(err, "%s", app->config.settings_file);
    if (s->audit_fd >= 0) {
        mct_audit_log_open(&s->audit, &app->events, &app->loop.sched, s->audit_fd);
        mct_line_file_report(&s->audit.file, &app->log, "serve.audit_log");
    }
    return 0;
}

/* After logrotate or the like has moved them away. */
static void reopen_logs(void *data)
{
    const struct serve *s = data;
    struct mct_app *app = s->app;
    mct_reopen_log(&app->log, "serve.access_log", app->config.access_log, LOG_MODE, s->access_fd);
    mct_reopen_log(&app->log, "serve.audit_log", app->config.audit_log, LOG_MODE, s->audit_fd);
    mct_app_reopen_events(app);
}

/* The last calls have ended. */
static void close_logs(struct serve *s)
{
    s->app->reopen = NULL;
    mct_event_log_close(&s->audit, AUDIT_WAIT_MS);
    if (s->access_fd >= 0)
        close(s->access_fd);
    if (s->audit_fd >= 0)
        close(s->audit_fd);
}

static int open_http(struct serve *s, const struct mct_naming *naming, struct mct_error *err)
{
    const struct mct_app *app = s->app;
    const struct mct_config *c = &app->config;
    const char *address = app->opt.http ? app->opt.http : c->serve_http;
    struct mct_front_http_opts opts = mct_config_http(c, address, naming);
    opts.only = (const char *const *)app->opt.servers.v;
    opts.n_only = app->opt.servers.n;
    opts.connections = make_room(s->app);
    opts.legacy_sse |= app->opt.legacy_sse;
    opts.access_log = s->access_fd;
    opts.event_log = &app->event_log;
    opts.audit_log = &s->audit;
    if (!app->opt.insecure && mct_config_check_exposure(c, address, err) < 0)
        return mct_error_wrap(err, "without --insecure");
    s->http = mct_front_http_new(&s->app->loop, &s->gateway, &opts, err);
    return s->http ? 0 : -1;
}

static int open_stdio(struct serve *s, const struct mct_naming *naming, struct mct_error *err)
{
    struct mct_app *app = s->app;
    s->on_stdio = true;
    s->stdio = (struct mct_front_stdio){ .done = on_client_gone, .data = s, .out_fd = STDOUT_FILENO };
    struct mct_transport *t =
        mct_transport_fd_new(&app->loop, STDIN_FILENO, STDOUT_FILENO, app->config.message_bytes);
    const struct mct_view_opts opts = { .naming = naming, .only = (const char *const *)app->opt.servers.v,
                                        .n_only = app->opt.servers.n };
    return mct_front_stdio_open(&s->stdio, &s->gateway, t, &opts, err);
}

/* What a person needs to know: where, what is behind it, and what to paste into a client. */
static void greet(const struct serve *s)
{
    const struct mct_app *app = s->app;
    struct mct_str host = mct_config_host(app->opt.http ? app->opt.http : app->config.serve_http);
    char url[300];
    if (!s->http)
        return;
    snprintf(url, sizeof url, "http://%.*s:%d/mcp", MCT_STR_ARG(host.len ? host : MCT_STR("127.0.0.1")),
             mct_front_http_port(s->http));
    mct_err("mcptools " MCT_VERSION " serves %s\n", url);
    for (size_t i = 0; i < app->registry.n; i++)
        mct_err("  %-20s %s/%s%s\n", app->registry.v[i]->name, url, app->registry.v[i]->name,
                app->demo ? "  (built in: nothing is configured)"
                : app->registry.v[i]->state == MCT_FAILED ? "  (cannot be started)" : "");
    if (s->gateway.policy.read_only)
        mct_err("  read-only: tools that may change something are refused\n");
    fprintf(stderr, "\nClient configuration:\n  { \"mcpServers\": { \"mcptools\": { \"type\": \"http\", "
                    "\"url\": \"%s\" } } }\n\nCtrl-C ends it.\n", url);
}

static void on_deadline(void *data)
{
    struct serve *s = data;
    s->drained = true;
}

/* Orderly: answers that are under way leave, then the clients go, then the servers. */
static void finish(struct serve *s)
{
    struct mct_timer deadline;
    int signal = s->app->interrupted;
    mct_timer_init(&deadline, on_deadline, s);
    if (signal && s->app->progress)
        fprintf(stderr, "\nstopping; once more to force\n");
    s->app->interrupted = 0;
    if (s->http) {
        mct_timer_set(&s->app->loop.sched, &deadline, s->app->config.drain_ms);
        mct_front_http_drain(s->http, set_flag, &s->drained);
        mct_app_wait(s->app, &s->drained);
        mct_timer_stop(&s->app->loop.sched, &deadline);
        mct_front_http_free(s->http);
    }
    if (s->on_stdio && s->stdio.peer) {
        mct_peer_end_listens(s->stdio.peer);
        uv_run(&s->app->loop.uv, UV_RUN_NOWAIT); /* so that it leaves */
    }
    if (s->on_stdio)
        mct_front_stdio_close(&s->stdio);
    mct_app_let_hooks_end(s->app, s->app->config.drain_ms);
    s->app->gateway = NULL;
    mct_gateway_done(&s->gateway);
    close_logs(s);
    s->app->interrupted = signal;
}

int mct_cmd_serve(struct mct_app *app)
{
    struct serve s = { .app = app, .access_fd = -1, .audit_fd = -1 };
    struct mct_error err;
    if (mct_app_configure(app, &err) < 0 || mct_app_open(app, NULL, true, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    struct mct_naming naming = mct_config_naming(&app->config, app->opt.prefix);
    const struct mct_dialect_opts dialect = mct_config_dialect(&app->config);
    struct mct_gateway_opts opts = mct_config_gateway(&app->config, &app->offer, &dialect, &app->events);
    opts.hooks = &app->hooks;
    app->registry.max_branches = app->config.server_connections;
    mct_gateway_init(&s.gateway, &app->registry, &app->log, &opts);
    bool http = app->opt.http || !app->opt.stdio;
    int r = open_logs(&s, http, &err);
    app->reopen = reopen_logs;
    app->reopen_data = &s;
    if (r == 0 && http)
        r = open_http(&s, &naming, &err);
    if (r == 0 && app->opt.stdio)
        r = open_stdio(&s, &naming, &err);
    app->gateway = &s.gateway;
    s.gateway.sole = http ? NULL : s.stdio.peer;
    if (r == 0) {
        mct_registry_start_all(&app->registry);
        greet(&s);
        mct_app_wait(app, &s.over);
    }
    finish(&s);
    if (r < 0)
        return mct_out_fail(app, &err, NULL);
    return 0; /* being told to stop is how a server ends */
}
