/* Logins without a server behind them: they are what a golden file says. The functions stand in for those of auth/login
 * (see meson.build). */
#include "run_golden.h"

#include "auth/login/login.h"

#include <stdlib.h>

struct mcti_login {
    enum mcti_login_state state;
    int64_t expires_at, renewed_until;
    const char *refusal; /* of a renewal; NULL: it succeeds */
    mcti_login_done_fn done;
    void *data;
    struct mcti_task tell;
};

enum mcti_login_state __wrap_mcti_login_state(const struct mcti_login *l);
void __wrap_mcti_login_describe(const struct mcti_login *l, struct mcti_login_facts *ret);
void __wrap_mcti_login_refresh(struct mcti_login *l, mcti_login_done_fn done, void *data);
void __wrap_mcti_login_drop_done(struct mcti_login *l, const void *data);

static void login_tell(void *data)
{
    struct mcti_login *l = data;
    struct mct_error err;
    if (l->refusal)
        mcti_fail(&err, MCT_ERR_AUTH, "%s", l->refusal);
    else
        l->expires_at = l->renewed_until;
    if (!l->refusal)
        l->state = MCT_LOGIN_READY;
    if (l->done)
        l->done(l->data, l->refusal ? &err : NULL);
}

struct mcti_login *golden_login(const char *state, int64_t expires_at)
{
    struct mcti_login *l = calloc(1, sizeof *l);
    if (!l)
        die("out of memory");
    while (l->state < MCT_LOGIN_EXPIRED && strcmp(mcti_login_state_word(l->state), state) != 0)
        l->state++;
    if (strcmp(mcti_login_state_word(l->state), state) != 0)
        die("no such state: %s", state);
    l->expires_at = l->renewed_until = expires_at;
    mcti_task_init(&l->tell, login_tell, l);
    return l;
}

void golden_renews(struct mcti_login *l, int64_t until, const char *refusal)
{
    l->renewed_until = until;
    l->refusal = refusal;
}

enum mcti_login_state __wrap_mcti_login_state(const struct mcti_login *l)
{
    return l->state;
}

void __wrap_mcti_login_describe(const struct mcti_login *l, struct mcti_login_facts *ret)
{
    *ret = (struct mcti_login_facts){ .state = l->state,
                                      .expires_at = l->expires_at,
                                      .expired = l->state == MCT_LOGIN_EXPIRED };
}

void __wrap_mcti_login_refresh(struct mcti_login *l, mcti_login_done_fn done, void *data)
{
    l->done = done;
    l->data = data;
    mcti_task_post(&g.sched, &l->tell);
}

void __wrap_mcti_login_drop_done(struct mcti_login *l, const void *data)
{
    if (l->data == data)
        l->done = NULL;
}
