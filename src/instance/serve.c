/* Serves an instance as one MCP endpoint over HTTP and stdio. */
#include "instance/instance.h"

#include "config/connect/serve.h"
#include "front/page/page.h"
#include "io/transport_fd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns the file of the key that seals ids of tasks, which outlive the gateway; NULL: there is no place for it. */
static char *task_key_file(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int r = state && *state == '/' ? asprintf(&path, "%s/mcptools/tasks.key", state)
            : home && *home == '/' ? asprintf(&path, "%s/.local/state/mcptools/tasks.key", home)
                                   : -1;
    return r < 0 ? NULL : path;
}

int mcti_instance_open_gateway(struct mcti_instance *i, struct mct_error *err)
{
    struct mcti_service *s = &i->service;
    if (s->gateway)
        return 0;
    s->gateway = calloc(1, sizeof *s->gateway);
    if (!s->gateway)
        return mcti_no_memory(err);
    struct mcti_gateway_opts opts = mcti_config_gateway(&i->config, &i->offer, &i->dialect, &i->events);
    opts.hooks = &i->hooks;
    opts.present = i->present;
    opts.task_key_file = s->task_key_file = task_key_file();
    i->registry.max_branches = i->config.server_connections;
    mcti_gateway_init(s->gateway, &i->registry, i->log, &opts);
    return 0;
}

struct mcti_answerer mcti_instance_forwarder(struct mcti_instance *i)
{
    struct mcti_answerer a = mcti_gateway_answerer;
    a.data = &i->service.gateway;
    return a;
}

/* If stdio is the only front, its client gets the questions that belong to no call. */
static void set_sole_client(struct mcti_service *s)
{
    s->gateway->sole = s->http || !s->on_stdio ? NULL : s->stdio.peer;
}

int mcti_instance_serve_http(struct mcti_instance *i, const struct mcti_service_http_opts *o, struct mct_error *err)
{
    struct mcti_service *s = &i->service;
    const char *address = o->address ? o->address : i->config.serve_http;
    if (mcti_instance_open_gateway(i, err) < 0)
        return -1;
    if (!o->any_host && mcti_config_check_exposure(&i->config, address, err) < 0)
        return o->any_host_option ? mcti_error_wrap(err, "without %s", o->any_host_option) : -1;
    if (mcti_config_expand_tokens(&i->config, err) < 0)
        return -1;
    struct mcti_front_http_opts opts = mcti_config_http(&i->config, address, &i->naming);
    opts.pages = &mcti_pages;
    opts.socket = o->socket;
    opts.only = i->names ? (const char *const *)i->names->v : NULL;
    opts.n_only = i->names ? i->names->n : 0;
    opts.connections = o->connections ? o->connections : opts.connections;
    opts.legacy_sse |= o->legacy_sse;
    opts.access_log = s->access_fd;
    opts.event_log = o->event_log;
    opts.audit_log = &s->audit;
    s->address = address;
    s->any_host = o->any_host;
    s->http = mcti_front_http_new(&i->loop, s->gateway, &opts, err);
    set_sole_client(s);
    return s->http ? 0 : -1;
}

int mcti_instance_serve_stdio(struct mcti_instance *i, void (*gone)(void *data), void *data, struct mct_error *err)
{
    struct mcti_service *s = &i->service;
    if (mcti_instance_open_gateway(i, err) < 0)
        return -1;
    const struct mcti_view_opts view = mcti_instance_view_opts(i);
    struct mcti_transport *t = mcti_transport_fd_new(&i->loop, STDIN_FILENO, STDOUT_FILENO, i->config.message_bytes);
    s->stdio = (struct mcti_front_stdio){ .done = gone, .data = data, .out_fd = STDOUT_FILENO };
    if (mcti_front_stdio_open(&s->stdio, s->gateway, t, &view, err) < 0) {
        mcti_front_stdio_close(&s->stdio);
        return -1;
    }
    s->on_stdio = true;
    set_sole_client(s);
    return 0;
}
