#include "hub/server/lazy.h"
#include "hub/server/call.h"

void mcti_server_show_stored(struct mcti_server *m, struct mcti_stored *stored)
{
    struct mcti_provider *p = &m->base;
    p->info = stored->info;
    stored->info = (struct mcti_server_info){ 0 };
    for (int k = 0; k < MCT_KIND_N; k++) {
        struct mcti_items *from = &stored->items[k];
        for (size_t i = 0; i < from->n; i++) {
            struct mcti_item *item = from->v[i];
            from->v[i] = NULL;
            if (mcti_provider_admits(p, item->kind, mcti_item_id(item)))
                mcti_items_add(&p->items[k], item); /* out of memory: it is fetched later */
            else
                free(item);
        }
        mcti_items_clear(from);
    }
    p->state = MCT_CONNECTED;
    p->standby = MCT_STANDBY_ASLEEP;
}

void mcti_server_drop_stored(struct mcti_server *m)
{
    if (!m->base.standby || m->opts.lazy || m->was_up)
        return;
    for (int k = 0; k < MCT_KIND_N; k++) {
        struct mcti_items none = { 0 };
        mcti_provider_take_items(&m->base, (enum mcti_kind)k, &none);
    }
    mcti_server_info_clear(&m->base.info);
}

void mcti_server_wake(struct mcti_server *m)
{
    if (m->open || m->restart.set || m->stopping)
        return;
    m->again = m->transport != NULL; /* the old process has not ended yet */
    mcti_timer_set(m->opts.sched, &m->restart, m->again ? MCT_BACKOFF_FIRST_MS : 0);
}

static bool lazy_is_used(const struct mcti_server *m)
{
    return mcti_server_is_busy(&m->base) || !mcti_list_empty(&m->questions) || !mcti_list_empty(&m->subs);
}

/* Stops the server and keeps its lists. */
static void server_sleep(struct mcti_server *m)
{
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CONNECT, "it was stopped, because it was idle");
    mcti_provider_note(&m->base, "stopping after %u s without a call; the next one starts it again",
                       m->opts.idle_ms / 1000);
    mcti_log(m->base.log, MCT_LOG_DEBUG, "server '%s': %s", m->base.name, why.message);
    m->transport->ops->close(m->transport);
    mcti_server_take_down(m, &why);
    mcti_provider_set_standby(&m->base, MCT_STANDBY_ASLEEP);
}

static void server_lazy_on_idle(void *data)
{
    struct mcti_server *m = data;
    uint64_t gone = mcti_sched_now(m->opts.sched) - m->used_ms;
    if (lazy_is_used(m))
        mcti_timer_set(m->opts.sched, &m->idle, m->opts.idle_ms);
    else if (gone < m->opts.idle_ms)
        mcti_timer_set(m->opts.sched, &m->idle, m->opts.idle_ms - (unsigned)gone);
    else
        server_sleep(m);
}

void mcti_server_lazy_init(struct mcti_server *m)
{
    mcti_timer_init(&m->idle, server_lazy_on_idle, m);
}

void mcti_server_idle_begin(struct mcti_server *m)
{
    m->used_ms = mcti_sched_now(m->opts.sched);
    if (m->opts.idle_ms)
        mcti_timer_set(m->opts.sched, &m->idle, m->opts.idle_ms);
}

void mcti_server_idle_end(struct mcti_server *m)
{
    mcti_timer_stop(m->opts.sched, &m->idle);
}
