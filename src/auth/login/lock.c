/* The lock of the stored login, which all processes respect. */
#include "auth/login/impl.h"

enum { FIRST_STEP_MS = 10, LAST_STEP_MS = 250 };

static void lock_try(void *data)
{
    struct mcti_login_lock *k = data;
    struct mcti_login *l = k->l;
    struct mct_error err;
    int got = l->opts.store->ops->lock(l->opts.store, l->key, &err);
    if (!got && mcti_login_now(l) < k->until_ms) {
        mcti_timer_set(mcti_login_sched(l), &k->timer, k->step_ms);
        k->step_ms = 2 * k->step_ms < LAST_STEP_MS ? 2 * k->step_ms : LAST_STEP_MS;
        return;
    }
    k->held = got > 0;
    if (!got)
        mcti_fail(&err, MCT_ERR_TIMEOUT, "another process has kept the stored login locked for %d seconds",
                  MCT_LOGIN_LOCK_MS / 1000);
    k->got(l, k->held ? NULL : &err);
}

void mcti_login_lock_init(struct mcti_login_lock *k, struct mcti_login *l,
                          void (*got)(struct mcti_login *l, const struct mct_error *err))
{
    *k = (struct mcti_login_lock){ .l = l, .got = got };
    mcti_timer_init(&k->timer, lock_try, k);
}

void mcti_login_lock(struct mcti_login_lock *k)
{
    k->until_ms = mcti_login_now(k->l) + MCT_LOGIN_LOCK_MS;
    k->step_ms = FIRST_STEP_MS;
    lock_try(k);
}

void mcti_login_unlock(struct mcti_login_lock *k)
{
    struct mcti_auth_store *store = k->l->opts.store;
    mcti_timer_stop(mcti_login_sched(k->l), &k->timer);
    if (k->held)
        store->ops->unlock(store, k->l->key);
    k->held = false;
}
