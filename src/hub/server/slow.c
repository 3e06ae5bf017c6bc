#include "hub/server/slow.h"

/* Logs that the start takes long. Further connections of a server are mentioned in its journal only. */
static void slow_tell(struct mcti_server *m, unsigned elapsed_s)
{
    unsigned limit_s = m->opts.start_timeout_ms / 1000;
    mcti_log(m->base.log, m->base.origin ? MCT_LOG_DEBUG : MCT_LOG_WARN,
             "server '%s' is still starting (%u s); limits.start_timeout_s or --timeout changes the limit of %u s",
             m->base.name, elapsed_s, limit_s);
    mcti_provider_note(&m->base, "still starting after %u s; the limit (start_timeout) is %u s", elapsed_s, limit_s);
}

static void slow_on_timer(void *data)
{
    struct mcti_server *m = data;
    struct mct_error why;
    unsigned settle = m->opts.settle_ms, now = (unsigned)(mcti_sched_now(m->opts.sched) - m->start_ms);
    slow_tell(m, now / 1000);
    if (!settle || settle >= m->opts.start_timeout_ms)
        return;
    if (now < settle) {
        mcti_timer_set(m->opts.sched, &m->slow, settle - now);
        return;
    }
    mcti_fail(&why, MCT_ERR_TIMEOUT, "it is still starting, after %u s", now / 1000);
    mcti_error_keep(&m->base.error, &why);
    mcti_provider_settle(&m->base);
}

void mcti_server_slow_init(struct mcti_server *m)
{
    mcti_timer_init(&m->slow, slow_on_timer, m);
}

void mcti_server_slow_begin(struct mcti_server *m)
{
    m->start_ms = mcti_sched_now(m->opts.sched);
    m->start_deadline_ms = m->start_ms + m->opts.start_timeout_ms;
    if (m->opts.start_timeout_ms > MCT_START_NOTE_MS)
        mcti_timer_set(m->opts.sched, &m->slow, MCT_START_NOTE_MS);
}

void mcti_server_slow_end(struct mcti_server *m)
{
    mcti_timer_stop(m->opts.sched, &m->slow);
}
