/* What is in a registry as one MCP endpoint. */
#include "api/impl.h"

#include "config/serve.h"
#include "io/transport_fd.h"

#include <stdlib.h>
#include <unistd.h>

/* Servers are told at their handshake what can be asked, and who is served may be asked anything: so this comes before
 * they are started. */
static int open_gateway(struct mct_instance *a, struct mct_error *err)
{
    if (a->phase != API_OPEN)
        return mcti_fail(err, MCT_ERR_USAGE, "what is to be served must be said before the registry is started");
    if (a->has_gateway)
        return 0;
    a->has_gateway = !a->failure.kind; /* known before servers are made, as it says what they are told */
    if (mcti_api_prepare(a, err) < 0) {
        a->has_gateway = false;
        return -1;
    }
    struct mcti_gateway_opts opts = mcti_config_gateway(&a->config, &a->offer, &a->dialect, &a->events);
    opts.hooks = &a->hooks;
    a->registry.max_branches = a->config.server_connections;
    mcti_gateway_init(&a->gateway, &a->registry, &a->log, &opts);
    return 0;
}

int mct_instance_serve_http(struct mct_instance *r, const char *address, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->http)
        return mcti_fail(err, MCT_ERR_USAGE, "the registry is served over HTTP already");
    if (open_gateway(a, err) < 0)
        return -1;
    free(a->address);
    a->address = strdup(address ? address : a->config.serve_http);
    if (!a->address)
        return mcti_no_memory(err);
    const struct mcti_front_http_opts opts = mcti_config_http(&a->config, a->address, &a->naming);
    if (mcti_config_check_exposure(&a->config, a->address, err) < 0)
        return -1;
    a->http = mcti_front_http_new(&a->loop, &a->gateway, &opts, err);
    a->gateway.sole = a->http ? NULL : a->gateway.sole;
    return a->http ? mcti_front_http_port(a->http) : -1;
}

static void api_serve_on_gone(void *data)
{
    struct mct_instance *a = data;
    a->stdio_gone = true;
    if (a->gone)
        a->gone(a->gone_data);
}

int mct_instance_serve_stdio(struct mct_instance *r, void (*gone)(void *data), void *data, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (a->on_stdio)
        return mcti_fail(err, MCT_ERR_USAGE, "the registry is served on stdio already");
    if (open_gateway(a, err) < 0)
        return -1;
    const struct mcti_view_opts view = { .naming = &a->naming, .ruled = a->offer.ruled };
    struct mcti_transport *t = mcti_transport_fd_new(&a->loop, STDIN_FILENO, STDOUT_FILENO, a->config.message_bytes);
    a->gone = gone;
    a->gone_data = data;
    a->stdio = (struct mcti_front_stdio){ .done = api_serve_on_gone, .data = a, .out_fd = STDOUT_FILENO };
    if (!t)
        return mcti_no_memory(err);
    if (mcti_front_stdio_open(&a->stdio, &a->gateway, t, &view, err) < 0)
        return -1;
    a->on_stdio = true;
    a->gateway.sole = a->http ? NULL : a->stdio.peer;
    return 0;
}

int mct_instance_serve_stdio_wait(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    if (mcti_api_may_wait(a, err) < 0 || mct_instance_serve_stdio(r, NULL, NULL, err) < 0 ||
        mct_instance_start(r, err) < 0)
        return -1;
    while (!a->stdio_gone && a->phase == API_STARTED)
        mcti_api_turn(a, UV_RUN_ONCE);
    return 0;
}
