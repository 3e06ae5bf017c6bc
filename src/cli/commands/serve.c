#include "cli/command.h"

#include "config/serve.h"
#include "front/stdio.h"
#include "io/transport_fd.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_BESIDE = 512 };   /* descriptors that are no client's: servers, files, libraries */
enum { AUDIT_WAIT_MS = 1000 }; /* at the end, for whoever reads it */
enum { LOG_MODE = 0640 };

struct serve {
    struct mcti_app *app;
    struct mcti_gateway gateway;
    struct mcti_front_http *http;
    struct mcti_front_stdio stdio;
    struct mcti_event_log audit;
    int access_fd, audit_fd; /* -1: none */
    bool on_stdio, over, drained;
};

static void cmd_serve_on_client_gone(void *data)
{
    struct serve *s = data;
    s->over = true;
}

static void cmd_serve_set_flag(void *data)
{
    *(bool *)data = true;
}

/* Every client is a descriptor: asks for as many as the connections need, and says how many connections
 * there can be. Children keep the limit this program was started with. */
static size_t cmd_serve_make_room(struct mcti_app *app)
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
    mcti_log(&app->log, MCT_LOG_INFO, "at most %zu connections fit into the limit of open files", possible);
    return possible;
}

static int open_logs(struct serve *s, bool http, struct mct_error *err)
{
    struct mcti_app *app = s->app;
    const char *accesses = http ? app->config.access_log : NULL;
    if (mcti_open_log("serve.access_log", accesses, LOG_MODE, &s->access_fd, err) < 0 ||
        mcti_open_log("serve.audit_log", app->config.audit_log, LOG_MODE, &s->audit_fd, err) < 0)
        return mcti_error_wrap(err, "%s", app->config.settings_file);
    if (s->audit_fd >= 0) {
        mcti_audit_log_open(&s->audit, &app->events, &app->loop.sched, s->audit_fd);
        mcti_line_file_report(&s->audit.file, &app->log, "serve.audit_log");
    }
    return 0;
}

/* After logrotate or the like has moved them away. */
static void reopen_logs(void *data)
{
    const struct serve *s = data;
    struct mcti_app *app = s->app;
    mcti_reopen_log(&app->log, "serve.access_log", app->config.access_log, LOG_MODE, s->access_fd);
    mcti_reopen_log(&app->log, "serve.audit_log", app->config.audit_log, LOG_MODE, s->audit_fd);
    mcti_app_reopen_events(app);
}

/* The last calls have ended. */
static void close_logs(struct serve *s)
{
    s->app->reopen = NULL;
    mcti_event_log_close(&s->audit, AUDIT_WAIT_MS);
    if (s->access_fd >= 0)
        close(s->access_fd);
    if (s->audit_fd >= 0)
        close(s->audit_fd);
}

static int open_http(struct serve *s, const struct mcti_naming *naming, struct mct_error *err)
{
    const struct mcti_app *app = s->app;
    const struct mcti_config *c = &app->config;
    const char *address = app->opt.http ? app->opt.http : c->serve_http;
    struct mcti_front_http_opts opts = mcti_config_http(c, address, naming);
    opts.only = (const char *const *)app->opt.servers.v;
    opts.n_only = app->opt.servers.n;
    opts.connections = cmd_serve_make_room(s->app);
    opts.legacy_sse |= app->opt.legacy_sse;
    opts.access_log = s->access_fd;
    opts.event_log = &app->event_log;
    opts.audit_log = &s->audit;
    if (!app->opt.insecure && mcti_config_check_exposure(c, address, err) < 0)
        return mcti_error_wrap(err, "without --insecure");
    s->http = mcti_front_http_new(&s->app->loop, &s->gateway, &opts, err);
    return s->http ? 0 : -1;
}

static int open_stdio(struct serve *s, const struct mcti_naming *naming, struct mct_error *err)
{
    struct mcti_app *app = s->app;
    s->on_stdio = true;
    s->stdio = (struct mcti_front_stdio){ .done = cmd_serve_on_client_gone, .data = s, .out_fd = STDOUT_FILENO };
    struct mcti_transport *t =
        mcti_transport_fd_new(&app->loop, STDIN_FILENO, STDOUT_FILENO, app->config.message_bytes);
    const struct mcti_view_opts opts = { .naming = naming,
                                         .only = (const char *const *)app->opt.servers.v,
                                         .n_only = app->opt.servers.n };
    return mcti_front_stdio_open(&s->stdio, &s->gateway, t, &opts, err);
}

/* What a person needs to know: where, what is behind it, and what to paste into a client. */
static void cmd_serve_greet(const struct serve *s)
{
    const struct mcti_app *app = s->app;
    struct mcti_str host = mcti_config_host(app->opt.http ? app->opt.http : app->config.serve_http);
    char url[300];
    if (!s->http)
        return;
    snprintf(url, sizeof url, "http://%.*s:%d/mcp", MCT_STR_ARG(host.len ? host : MCT_STR("127.0.0.1")),
             mcti_front_http_port(s->http));
    mcti_err("mcptools " MCT_VERSION " serves %s\n", url);
    for (size_t i = 0; i < app->registry.n; i++)
        mcti_err("  %-20s %s/%s%s\n", app->registry.v[i]->name, url, app->registry.v[i]->name,
                 app->demo                                 ? "  (built in: nothing is configured)"
                 : app->registry.v[i]->state == MCT_FAILED ? "  (cannot be started)"
                                                           : "");
    if (s->gateway.policy.read_only)
        mcti_err("  read-only: tools that may change something are refused\n");
    fprintf(stderr,
            "\nClient configuration:\n  { \"mcpServers\": { \"mcptools\": { \"type\": \"http\", "
            "\"url\": \"%s\" } } }\n\nCtrl-C ends it.\n",
            url);
}

static void cmd_serve_on_deadline(void *data)
{
    struct serve *s = data;
    s->drained = true;
}

/* Orderly: answers that are under way leave, then the clients go, then the servers. */
static void cmd_serve_finish(struct serve *s)
{
    struct mcti_timer deadline;
    int signal = s->app->interrupted;
    mcti_timer_init(&deadline, cmd_serve_on_deadline, s);
    if (signal && s->app->progress)
        fprintf(stderr, "\nstopping; once more to force\n");
    s->app->interrupted = 0;
    if (s->http) {
        mcti_timer_set(&s->app->loop.sched, &deadline, s->app->config.drain_ms);
        mcti_front_http_drain(s->http, cmd_serve_set_flag, &s->drained);
        mcti_app_wait(s->app, &s->drained);
        mcti_timer_stop(&s->app->loop.sched, &deadline);
        mcti_front_http_free(s->http);
    }
    if (s->on_stdio && s->stdio.peer) {
        mcti_peer_end_listens(s->stdio.peer);
        uv_run(&s->app->loop.uv, UV_RUN_NOWAIT); /* so that it leaves */
    }
    if (s->on_stdio)
        mcti_front_stdio_close(&s->stdio);
    mcti_app_let_hooks_end(s->app, s->app->config.drain_ms);
    s->app->gateway = NULL;
    mcti_gateway_done(&s->gateway);
    close_logs(s);
    s->app->interrupted = signal;
}

int mcti_cmd_serve(struct mcti_app *app)
{
    struct serve s = { .app = app, .access_fd = -1, .audit_fd = -1 };
    struct mct_error err;
    if (mcti_app_configure(app, &err) < 0 || mcti_app_open(app, NULL, true, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    struct mcti_naming naming = mcti_config_naming(&app->config, app->opt.prefix);
    const struct mcti_dialect_opts dialect = mcti_config_dialect(&app->config);
    struct mcti_gateway_opts opts = mcti_config_gateway(&app->config, &app->offer, &dialect, &app->events);
    opts.hooks = &app->hooks;
    app->registry.max_branches = app->config.server_connections;
    mcti_gateway_init(&s.gateway, &app->registry, &app->log, &opts);
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
        mcti_registry_start_all(&app->registry);
        cmd_serve_greet(&s);
        mcti_app_wait(app, &s.over);
    }
    cmd_serve_finish(&s);
    if (r < 0)
        return mcti_out_fail(app, &err, NULL);
    return 0; /* being told to stop is how a server ends */
}
