/* The orderly shutdown of an instance. It proceeds in steps between turns of the loop, because no function may wait. */
#include "instance/instance.h"

#include "instance/logs.h"
#include "instance/reload.h"
#include "instance/telemetry.h"
#include "instance/vetting.h"

#include <stdlib.h>

enum { TELEMETRY_MS = 3000 }; /* longest wait for the collector at the end */

static void set_flag(void *flag)
{
    *(bool *)flag = true;
}

static void limit_wait(struct mcti_instance *i, unsigned ms)
{
    i->ending.late = false;
    mcti_timer_set(&i->loop.sched, &i->ending.deadline, ms);
}

static bool is_cut_short(struct mcti_instance *i)
{
    return i->ending.late || i->ending.hurried;
}

/* ---- the steps ---- */

/* Starts to drain the HTTP front and the owner's other clients: answers in progress may take drain_ms. */
static void drain_clients(struct mcti_instance *i)
{
    const struct mcti_other_clients *others = i->service.others;
    if (i->service.http || others)
        limit_wait(i, i->config.drain_ms);
    if (i->service.http)
        mcti_front_http_drain(i->service.http, set_flag, &i->ending.drained);
    if (others)
        others->drain(others->data);
}

static bool clients_are_drained(struct mcti_instance *i)
{
    const struct mcti_other_clients *others = i->service.others;
    bool others_are = !others || others->is_drained(others->data);
    return ((!i->service.http || i->ending.drained) && others_are) || is_cut_short(i);
}

static void end_clients(struct mcti_instance *i)
{
    struct mcti_service *s = &i->service;
    mcti_timer_stop(&i->loop.sched, &i->ending.deadline);
    mcti_front_http_free(s->http);
    s->http = NULL;
    if (s->others)
        s->others->close(s->others->data);
    s->others = NULL;
    if (!s->on_stdio)
        return;
    if (s->stdio.peer)
        mcti_peer_end_listens(s->stdio.peer);
    i->ending.turned = false;
    mcti_task_post(&i->loop.sched, &i->ending.turn);
}

/* Returns true after one more turn, in which the last messages to the client on stdio are written. */
static bool output_is_flushed(struct mcti_instance *i)
{
    return !i->service.on_stdio || i->ending.turned;
}

static void finish_hooks(struct mcti_instance *i)
{
    if (i->service.on_stdio)
        mcti_front_stdio_close(&i->service.stdio);
    i->service.on_stdio = false;
    i->ending.late = i->ending.opts.hooks_ms == 0;
    if (!i->ending.late && i->ending.opts.hooks_ms != MCTI_HOOKS_TO_THEIR_END)
        limit_wait(i, i->ending.opts.hooks_ms);
}

static bool hooks_are_finished(struct mcti_instance *i)
{
    return mcti_hooks_idle(&i->hooks) || is_cut_short(i);
}

static void stop_servers(struct mcti_instance *i)
{
    mcti_timer_stop(&i->loop.sched, &i->ending.deadline);
    mcti_reload_close(i);
    mcti_instance_use_pins(i, NULL);
    if (i->service.gateway)
        mcti_gateway_done(i->service.gateway);
    free(i->service.gateway);
    i->service.gateway = NULL;
    free(i->service.task_key_file);
    i->service.task_key_file = NULL;
    mcti_logs_close(i);
    mcti_hook_hosts_close(&i->hook_hosts);
    mcti_hooks_done(&i->hooks);
    mcti_registry_stop(&i->registry, set_flag, &i->ending.stopped);
}

static bool servers_have_stopped(struct mcti_instance *i)
{
    return i->ending.stopped;
}

/* Sends the last records of telemetry, for at most TELEMETRY_MS. */
static void flush_telemetry(struct mcti_instance *i)
{
    limit_wait(i, TELEMETRY_MS);
    mcti_instance_flush_telemetry(i, set_flag, &i->ending.flushed);
}

static bool telemetry_is_flushed(struct mcti_instance *i)
{
    return i->ending.flushed || is_cut_short(i);
}

static void free_servers(struct mcti_instance *i)
{
    mcti_timer_stop(&i->loop.sched, &i->ending.deadline);
    mcti_instance_close_telemetry(i);
    mcti_view_done(&i->view);
    mcti_registry_done(&i->registry);
    mcti_outside_done(&i->outside);
    mcti_vet_done(&i->vet);
}

static bool logins_have_ended(struct mcti_instance *i)
{
    return mcti_connect_is_idle(&i->env);
}

/* Frees what the servers needed. Only handles remain, which libuv closes in later turns. */
static void free_hub(struct mcti_instance *i)
{
    mcti_connect_done(&i->env);
    mcti_verdicts_done(&i->verdicts);
    mcti_catalogue_done(&i->catalogue);
    mcti_reaper_unwatch(&i->reaper);
    mcti_task_stop(&i->ending.turn);
    if (i->ending.opts.hub_freed)
        i->ending.opts.hub_freed(i->ending.opts.data);
}

static bool handles_are_closed(struct mcti_instance *i)
{
    return !mcti_loop_busy(&i->loop);
}

static const struct {
    void (*begin)(struct mcti_instance *i);
    bool (*is_over)(struct mcti_instance *i);
} steps[] = {
    { drain_clients, clients_are_drained },    { end_clients, output_is_flushed },
    { finish_hooks, hooks_are_finished },      { stop_servers, servers_have_stopped },
    { flush_telemetry, telemetry_is_flushed }, { free_servers, logins_have_ended },
    { free_hub, handles_are_closed },
};

enum { N_STEPS = sizeof steps / sizeof *steps, N_WAITING_STEPS = 3 };

/* ---- running the steps ---- */

void mcti_instance_stop(struct mcti_instance *i, const struct mcti_stop_opts *o)
{
    struct mcti_ending *e = &i->ending;
    if (!i->log)
        return;
    *e = (struct mcti_ending){ .opts = *o, .has_begun = true };
    mcti_timer_init(&e->deadline, set_flag, &e->late);
    mcti_task_init(&e->turn, set_flag, &e->turned);
    mcti_task_post(&i->loop.sched, &e->turn); /* wakes the loop */
    steps[0].begin(i);
}

bool mcti_instance_step(struct mcti_instance *i)
{
    struct mcti_ending *e = &i->ending;
    while (e->has_begun && e->step < N_STEPS && steps[e->step].is_over(i))
        if (++e->step < N_STEPS)
            steps[e->step].begin(i);
    return !i->log || e->step == N_STEPS;
}

bool mcti_instance_hurry(struct mcti_instance *i)
{
    struct mcti_ending *e = &i->ending;
    if (!e->has_begun || e->hurried || e->step >= N_WAITING_STEPS)
        return false;
    e->hurried = true;
    return true;
}

void mcti_instance_done(struct mcti_instance *i)
{
    if (!i->log)
        return;
    mcti_loop_done(&i->loop);
    mcti_reaper_stop(&i->reaper);
    mcti_reload_free(i);
    mcti_events_done(&i->events);
    mcti_config_done(&i->config);
    i->log = NULL;
}
