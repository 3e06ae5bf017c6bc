/* mcptools serve: runs the gateway until it is stopped or its client on stdio disconnects. */
#include "cli/command.h"
#include "cli/running/serving.h"
#include "config/import/import.h"
#include "config/connect/serve.h"
#include "instance/logs.h"

#include <sys/resource.h>

enum { FILES_BESIDE = 512 }; /* descriptors for other things than clients: servers, files, libraries */

/* Raises the limit of open files to serve the configured number of connections. Returns the possible number. Child
 * processes keep the original limit. */
static size_t cmd_serve_raise_file_limit(struct mcti_app *app)
{
    size_t wanted = app->inst.config.connections;
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) < 0)
        return wanted;
    if (r.rlim_cur < wanted + FILES_BESIDE) {
        app->inst.loop.child_files = (unsigned long)r.rlim_cur;
        r.rlim_cur = r.rlim_max < wanted + FILES_BESIDE ? r.rlim_max : wanted + FILES_BESIDE;
        setrlimit(RLIMIT_NOFILE, &r);
        getrlimit(RLIMIT_NOFILE, &r);
    }
    if (r.rlim_cur >= wanted + FILES_BESIDE)
        return wanted;
    size_t possible = r.rlim_cur > 2 * FILES_BESIDE ? (size_t)r.rlim_cur - FILES_BESIDE : (size_t)r.rlim_cur / 2;
    mcti_log(&app->log, MCT_LOG_INFO, "the limit of open files allows at most %zu connections", possible);
    return possible;
}

static void print_server(const struct mcti_app *app, const char *url, const struct mcti_provider *p)
{
    struct mcti_buf name;
    mcti_buf_init(&name, MCT_LIMIT_URI_BYTES);
    mcti_buf_add_percent(&name, mcti_str_of(p->name));
    mcti_err("  %-20s %s/%.*s%s\n", p->name, url, MCT_STR_ARG(mcti_buf_str(&name)),
             app->demo                ? "  (built in: nothing is configured)"
             : p->state == MCT_FAILED ? "  (cannot be started)"
                                      : "");
    mcti_buf_done(&name);
}

/* Prints the URLs of the endpoint and its servers, and a configuration to paste into a client. */
static void cmd_serve_print_summary(const struct mcti_app *app)
{
    struct mcti_str host = mcti_config_host(app->socket_address ? app->socket_address
                                            : app->opt.http     ? app->opt.http
                                                                : app->inst.config.serve_http);
    char url[300];
    if (!app->inst.service.http)
        return;
    snprintf(url, sizeof url, "http://%.*s:%d/mcp", MCT_STR_ARG(host.len ? host : MCT_STR("127.0.0.1")),
             mcti_front_http_port(app->inst.service.http));
    mcti_err("mcptools " MCT_VERSION " serves %s\n", url);
    for (size_t i = 0; i < app->inst.registry.n; i++)
        print_server(app, url, app->inst.registry.v[i]);
    if (app->inst.policy.read_only)
        mcti_err("  read-only: tools that may change something are refused\n");
    if (mcti_err_is_log())
        return;
    fprintf(stderr,
            "\nClient configuration:\n  { \"mcpServers\": { \"mcptools\": { \"type\": \"http\", "
            "\"url\": \"%s\" } } }\n\nStatus page: %.*s\n\nCtrl-C ends it.\n",
            url, (int)(strlen(url) - sizeof "mcp" + 1), url);
}

static void cmd_serve_on_client_gone(void *data)
{
    *(bool *)data = true;
}

static int open_fronts(struct mcti_app *app, int socket, struct mct_error *err)
{
    struct mcti_instance *i = &app->inst;
    bool http = app->opt.http || app->socket_address || !(app->opt.stdio || app->opt.socket_only);
    if (mcti_logs_open(i, http, err) < 0)
        return -1;
    if (http) {
        const struct mcti_service_http_opts opts = { .address = socket ? app->socket_address : app->opt.http,
                                                     .socket = socket,
                                                     .connections = cmd_serve_raise_file_limit(app),
                                                     .legacy_sse = app->opt.legacy_sse,
                                                     .any_host = app->opt.insecure,
                                                     .any_host_option = "--insecure",
                                                     .event_log = &app->event_log };
        if (mcti_instance_serve_http(i, &opts, err) < 0)
            return -1;
    }
    return app->opt.stdio ? mcti_instance_serve_stdio(i, cmd_serve_on_client_gone, &app->client_gone, err) : 0;
}

/* Fails if settings that were trusted cannot be had: without its tokens and policy the gateway might allow more. */
static int cmd_serve_check_trust(const struct mcti_config *c, struct mct_error *err)
{
    for (size_t i = 0; i < c->n_distrusted; i++) {
        const struct mcti_config_distrust *d = &c->distrusted[i];
        struct mcti_buf text;
        if (d->trust != MCT_TRUST_CHANGED || !d->had_settings)
            continue;
        mcti_buf_init(&text, sizeof err->message);
        mcti_config_put_distrust(&text, d->file, d->trust, "the gateway does not start without its settings");
        mcti_fail(err, MCT_ERR_POLICY, "%.*s", MCT_STR_ARG(mcti_buf_str(&text)));
        mcti_buf_done(&text);
        return -1;
    }
    return 0;
}

int mcti_cmd_serve(struct mcti_app *app)
{
    struct mct_error err;
    int socket = mcti_serving_take_socket(app, &err);
    if (socket < 0 || mcti_app_configure(app, &err) < 0 || cmd_serve_check_trust(&app->inst.config, &err) < 0 ||
        mcti_app_open(app, NULL, true, &err) < 0 || open_fronts(app, socket, &err) < 0 ||
        mcti_app_open_reload(app, &err) < 0 || mcti_serving_open(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    mcti_instance_start(&app->inst);
    cmd_serve_print_summary(app);
    mcti_follow_begin(app);
    mcti_serving_begin(app);
    mcti_app_wait(app, &app->client_gone);
    mcti_serving_end(app);
    mcti_follow_end(app);
    if (app->interrupted && app->progress)
        fprintf(stderr, "\nstopping; interrupt again to force\n");
    return 0; /* a signal is the normal end of a server */
}
