/* Requests that wait, and operations whose end somebody waits for. All of them are called from tasks: whoever is called
 * may do anything, also free the login. */
#include "auth/login/impl.h"

#include "base/limits.h"

static struct mcti_credential_wait *wait_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_credential_wait, node);
}

/* Calls one request a time, because that may end the login and with it this task. */
static void waits_run(void *data)
{
    struct mcti_login_waits *ws = data;
    if (mcti_list_empty(&ws->leaving))
        return;
    struct mcti_credential_wait *w = wait_of(ws->leaving.next);
    struct mct_error err = ws->err;
    mcti_list_remove(&w->node);
    if (!mcti_list_empty(&ws->leaving))
        mcti_task_post(mcti_login_sched(ws->l), &ws->task);
    w->done(w, err.kind ? &err : NULL);
}

void mcti_waits_init(struct mcti_login_waits *ws, struct mcti_login *l)
{
    ws->l = l;
    mcti_list_init(&ws->waiting);
    mcti_list_init(&ws->leaving);
    mcti_task_init(&ws->task, waits_run, ws);
}

static void waits_drop(struct mcti_list *list)
{
    MCT_LIST_EACH(it, list) {
        mcti_list_remove(it);
    }
}

void mcti_waits_done(struct mcti_login_waits *ws)
{
    waits_drop(&ws->waiting);
    waits_drop(&ws->leaving);
    mcti_task_stop(&ws->task);
}

void mcti_waits_add(struct mcti_login_waits *ws, struct mcti_credential_wait *w)
{
    mcti_list_append(&ws->waiting, &w->node);
}

/* Sets the outcome for `leaving`. If some are already leaving to be sent, the others are sent as well: that is safe,
 * because the server refuses them again. */
static void waits_decide(struct mcti_login_waits *ws, const struct mct_error *err)
{
    if (!err)
        ws->err.kind = MCT_ERR_NONE;
    else if (mcti_list_empty(&ws->leaving))
        ws->err = *err;
    mcti_task_post(mcti_login_sched(ws->l), &ws->task);
}

void mcti_waits_pass(struct mcti_login_waits *ws, struct mcti_credential_wait *w)
{
    waits_decide(ws, NULL);
    mcti_list_append(&ws->leaving, &w->node);
}

void mcti_waits_end(struct mcti_login_waits *ws, const struct mct_error *err)
{
    if (mcti_list_empty(&ws->waiting))
        return;
    waits_decide(ws, err);
    MCT_LIST_EACH(it, &ws->waiting) {
        mcti_list_remove(it);
        mcti_list_append(&ws->leaving, it);
    }
}

/* ---- operations ---- */

struct mcti_login_told *mcti_told_new(mcti_login_done_fn fn, void *data)
{
    struct mct_error err;
    struct mcti_login_told *t = calloc(1, sizeof *t);
    if (!t) {
        mcti_no_memory(&err);
        fn(data, &err);
        return NULL;
    }
    mcti_list_init(&t->node);
    t->fn = fn;
    t->data = data;
    return t;
}

void mcti_told_end(struct mcti_login *l, struct mcti_login_told *take_t, const struct mct_error *err)
{
    if (!take_t)
        return;
    if (err)
        take_t->err = *err;
    mcti_list_remove(&take_t->node);
    mcti_list_append(&l->tells, &take_t->node);
    mcti_task_post(mcti_login_sched(l), &l->tell);
}

void mcti_told_run(void *login)
{
    struct mcti_login *l = login;
    if (mcti_list_empty(&l->tells))
        return;
    struct mcti_login_told *t = MCT_CONTAINER(l->tells.next, struct mcti_login_told, node), told = *t;
    mcti_list_remove(&t->node);
    free(t);
    if (!mcti_list_empty(&l->tells))
        mcti_task_post(mcti_login_sched(l), &l->tell);
    told.fn(told.data, told.err.kind ? &told.err : NULL);
}

static void told_nothing(void *data, const struct mct_error *err)
{
    (void)data, (void)err;
}

static void told_drop(struct mcti_login_told *t, const void *data)
{
    if (t && t->data == data)
        t->fn = told_nothing;
}

void mcti_login_drop_done(struct mcti_login *l, const void *data)
{
    MCT_LIST_EACH(it, &l->renew.told)
        told_drop(MCT_CONTAINER(it, struct mcti_login_told, node), data);
    MCT_LIST_EACH(it, &l->tells)
        told_drop(MCT_CONTAINER(it, struct mcti_login_told, node), data);
    told_drop(l->sign_in.told, data);
    told_drop(l->end.told, data);
}

/* ---- pauses ---- */

void mcti_pause_begin(const struct mcti_login *l, struct mcti_login_pause *p, const struct mct_error *why)
{
    unsigned shift = p->n < 6 ? p->n : 6;
    uint64_t ms = (uint64_t)MCT_BACKOFF_FIRST_MS << shift;
    p->n++;
    p->until_ms = mcti_login_now(l) + (ms < MCT_BACKOFF_MAX_MS ? ms : MCT_BACKOFF_MAX_MS);
    p->why = *why;
}

bool mcti_pause_lasts(const struct mcti_login *l, const struct mcti_login_pause *p)
{
    return p->n && mcti_login_now(l) < p->until_ms;
}
