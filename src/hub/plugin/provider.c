#include "hub/plugin/provider.h"

#include "hub/local/local.h"
#include "io/process/trial.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct plugin {
    struct mcti_provider_plugin_opts opts;
    struct mct_plugin_host host;
    struct mcti_trial *trial; /* NULL: not running */
};

static void plugin_provider_fail(struct plugin *q, const struct mct_error *err)
{
    struct mcti_provider *p = q->host.provider;
    mcti_log(p->log, q->opts.is_outcome ? MCT_LOG_DEBUG : MCT_LOG_WARN, "server '%s': %s", p->name, err->message);
    mcti_provider_set_state(p, MCT_FAILED, err);
}

static void plugin_provider_load(struct plugin *q)
{
    struct mct_error err;
    if (mcti_plugin_load(&q->host, false, &err) < 0) {
        plugin_provider_fail(q, &err);
        return;
    }
    q->host.provider->info.rev = MCT_REV_LATEST;
    q->host.provider->transport = "plugin";
    mcti_local_ready(q->host.provider);
}

/* ---- the trial ---- */

/* Written by the trial process at the begin of each phase, and with its result. */
struct report {
    enum mcti_plugin_phase phase;
    enum mct_error_kind kind;
    char message[sizeof((struct mct_error *)0)->message];
};

/* All reports together fit into the pipe. A lost report looks like a crash in the phase before. */
static void write_report(int fd, const struct report *r)
{
    (void)!write(fd, r, sizeof *r);
}

static void plugin_provider_on_phase(enum mcti_plugin_phase phase, void *data)
{
    write_report(*(const int *)data, &(struct report){ .phase = phase });
}

/* Runs in the trial process: loads the plugin and, if that succeeds, unloads it. */
static void plugin_provider_try(int fd, void *data)
{
    struct plugin *q = data;
    struct report last = { .phase = MCT_PLUGIN_DONE };
    struct mct_error err = { 0 };
    q->host.provider->log = NULL; /* the real load logs the same messages */
    q->host.on_phase = plugin_provider_on_phase;
    q->host.phase_data = &fd;
    if (mcti_plugin_load(&q->host, true, &err) == 0)
        mcti_plugin_unload(&q->host);
    last.kind = err.kind;
    memcpy(last.message, err.message, sizeof last.message);
    write_report(fd, &last);
}

/* Sets *err for a trial process that ended or timed out in `phase`. Returns -1. */
static int fail_died(struct mct_error *err, const struct mcti_trial_end *end, enum mcti_plugin_phase phase,
                     unsigned limit_ms)
{
    static const char *const when[] = {
        [MCT_PLUGIN_OPENING] = "while loading",     [MCT_PLUGIN_SETUP] = "in setup()",
        [MCT_PLUGIN_FACTORY] = "in a tool factory", [MCT_PLUGIN_TEARDOWN] = "in teardown()",
        [MCT_PLUGIN_CLOSING] = "while unloading",
    };
    if (end->late)
        return mcti_fail(err, MCT_ERR_TIMEOUT, "timed out %s after %u s (start_timeout)", when[phase], limit_ms / 1000);
    if (end->status >= 0 && WIFSIGNALED(end->status))
        return mcti_fail(err, MCT_ERR_CONNECT, "crashed %s: signal %d (%s)", when[phase], WTERMSIG(end->status),
                         strsignal(WTERMSIG(end->status)));
    return mcti_fail(err, MCT_ERR_CONNECT, "ended the process %s", when[phase]);
}

static void plugin_provider_on_tried(const struct mcti_trial_end *end, void *data)
{
    struct plugin *q = data;
    struct report last = { .phase = MCT_PLUGIN_OPENING };
    struct mct_error err = { 0 };
    size_t n = end->said.len / sizeof last;
    q->trial = NULL;
    if (n)
        memcpy(&last, end->said.p + (n - 1) * sizeof last, sizeof last);
    if (last.phase != MCT_PLUGIN_DONE) {
        fail_died(&err, end, last.phase, q->opts.start_timeout_ms);
        mcti_error_wrap(&err, "%s", q->opts.plugin.path);
    } else if (last.kind) {
        mcti_fail(&err, last.kind, "%s", last.message);
    }
    if (err.kind)
        plugin_provider_fail(q, &err);
    else
        plugin_provider_load(q);
}

/* ---- start and end ---- */

static void plugin_provider_on_start(void *data)
{
    struct plugin *q = data;
    struct mct_error err = q->opts.error;
    const struct mcti_trial_opts trial = { .loop = q->opts.loop,
                                           .reaper = q->opts.reaper,
                                           .limit_ms = q->opts.start_timeout_ms,
                                           .run = plugin_provider_try,
                                           .done = plugin_provider_on_tried,
                                           .data = q };
    if (!err.kind && !q->opts.trial) {
        plugin_provider_load(q);
        return;
    }
    if (!err.kind)
        q->trial = mcti_trial_start(&trial, &err);
    if (!q->trial)
        plugin_provider_fail(q, &err);
}

static void plugin_provider_on_stop(void *data)
{
    struct plugin *q = data;
    mcti_trial_cancel(q->trial);
    q->trial = NULL;
    mcti_plugin_unhook(&q->host);
}

static void free_plugin(struct plugin *q)
{
    q->opts.free_data(q->opts.data);
    free(q);
}

static void plugin_provider_on_gone(void *data)
{
    struct plugin *q = data;
    mcti_trial_cancel(q->trial);
    mcti_plugin_unload(&q->host);
    free_plugin(q);
}

static const struct mcti_local_life life = { .start = plugin_provider_on_start,
                                             .stop = plugin_provider_on_stop,
                                             .gone = plugin_provider_on_gone };

struct mcti_provider *mcti_provider_plugin_new(const char *name, const struct mcti_provider_plugin_opts *opts)
{
    struct plugin *q = calloc(1, sizeof *q);
    struct mcti_provider *p = q ? mcti_provider_local_new(name, &opts->loop->sched, opts->log) : NULL;
    if (!p) {
        free(q);
        opts->free_data(opts->data);
        return NULL;
    }
    q->opts = *opts;
    q->host.opts = &q->opts.plugin;
    q->host.provider = p;
    mcti_server_info_clear(&p->info); /* unknown until the plugin is loaded */
    p->allow = opts->allow;
    p->n_allow = opts->n_allow;
    p->deny = opts->deny;
    p->n_deny = opts->n_deny;
    p->asks = true;
    p->answerer = opts->answerer;
    mcti_local_set_timeout(p, opts->call_timeout_ms);
    mcti_local_set_life(p, &life, q);
    return p;
}
