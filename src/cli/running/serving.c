#include "cli/running/serving.h"

#include "io/systemd.h"

#include <signal.h>

/* ---- --idle ---- */

enum { RETRY_MS = 3000 };              /* between two attempts to get the socket that another gateway has */
enum { LOOKS = 8, LONGEST_MS = 1000 }; /* how often the gateway is looked at during the time of --idle */

static uint64_t idle_count_calls(const struct mcti_registry *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += r->v[i]->n_calls;
    return n;
}

static bool idle_has_clients(const struct mcti_app *app)
{
    const struct mcti_service *s = &app->inst.service;
    return app->control.n_conns || s->on_stdio || (s->http && mcti_front_http_connections(s->http));
}

static void idle_look(void *data)
{
    struct mcti_app *app = data;
    struct mcti_idle *idle = &app->idle;
    uint64_t now = mcti_sched_now(&app->inst.loop.sched), n = idle_count_calls(&app->inst.registry);
    if (n != idle->n_calls || idle_has_clients(app))
        idle->since_ms = now;
    idle->n_calls = n;
    if (now - idle->since_ms >= app->opt.idle_ms) {
        mcti_log(&app->log, MCT_LOG_INFO, "the gateway was idle for %u s: it ends", app->opt.idle_ms / 1000);
        app->control.stop(app->control.data);
        return;
    }
    unsigned step = app->opt.idle_ms / LOOKS;
    mcti_timer_set(&app->inst.loop.sched, &idle->timer, step < LONGEST_MS ? step + 1 : LONGEST_MS);
}

void mcti_serving_begin(struct mcti_app *app)
{
    mcti_systemd_notify("READY=1");
    app->idle.since_ms = mcti_sched_now(&app->inst.loop.sched);
    mcti_timer_init(&app->idle.timer, idle_look, app);
    if (app->opt.idle_ms)
        mcti_timer_set(&app->inst.loop.sched, &app->idle.timer, 1);
}

void mcti_serving_end(struct mcti_app *app)
{
    if (app->opt.idle_ms)
        mcti_timer_stop(&app->inst.loop.sched, &app->idle.timer);
    mcti_timer_stop(&app->inst.loop.sched, &app->idle.retry);
    mcti_systemd_notify("STOPPING=1");
}

/* ---- the sockets ---- */

static void serving_retry(void *data);

int mcti_serving_take_socket(struct mcti_app *app, struct mct_error *err)
{
    int fd = mcti_systemd_take_socket(&app->socket_address, err);
    if (fd > 0 && app->opt.http)
        return mcti_fail(err, MCT_ERR_USAGE, "--http %s: systemd has opened a socket already", app->opt.http);
    return fd;
}

static void serving_drain(void *data)
{
    mcti_control_drain(data);
}

static bool serving_is_drained(void *data)
{
    return mcti_control_is_drained(data);
}

static void serving_close(void *data)
{
    mcti_control_close(data);
}

/* Ends the gateway as SIGTERM does. */
static void serving_on_stop(void *data)
{
    (void)data;
    raise(SIGTERM);
}

/* Opens the socket. If another gateway has it, tries again later. */
static int serving_open_control(struct mcti_app *app, struct mct_error *err)
{
    if (mcti_control_open(&app->control, &app->inst, err) < 0) {
        if (err->kind == MCT_ERR_LIMIT)
            mcti_timer_set(&app->inst.loop.sched, &app->idle.retry, RETRY_MS);
        return -1;
    }
    app->control_clients = (struct mcti_other_clients){
        .drain = serving_drain, .is_drained = serving_is_drained, .close = serving_close, .data = &app->control
    };
    app->inst.service.others = &app->control_clients;
    mcti_gateway_observe(app->inst.service.gateway); /* for status; without memory it knows less */
    mcti_log(&app->log, MCT_LOG_DEBUG, "commands use this gateway through %s", app->control.socket.place.socket);
    return 0;
}

static void serving_retry(void *data)
{
    struct mcti_app *app = data;
    struct mct_error err;
    if (serving_open_control(app, &err) == 0)
        mcti_log(&app->log, MCT_LOG_INFO, "commands use this gateway now: the other one has ended");
}

int mcti_serving_open(struct mcti_app *app, struct mct_error *err)
{
    app->control.stop = serving_on_stop;
    mcti_timer_init(&app->idle.retry, serving_retry, app);
    if (mcti_instance_open_gateway(&app->inst, err) < 0)
        return -1;
    if (serving_open_control(app, err) < 0) {
        mcti_log(&app->log, MCT_LOG_INFO, "commands will not use this gateway: %s", err->message);
        return app->inst.service.http || app->inst.service.on_stdio ? 0 : -1;
    }
    if (!app->inst.service.http && !app->inst.service.on_stdio)
        mcti_err("mcptools " MCT_VERSION " serves commands of this user\n");
    return 0;
}
