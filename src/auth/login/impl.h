/* What the files of this folder share. */
#ifndef MCT_AUTH_LOGIN_IMPL_H
#define MCT_AUTH_LOGIN_IMPL_H

#include "auth/login/operation.h"

struct mcti_login {
    struct mcti_credentials base;
    struct mcti_login_opts opts; /* with our copies of the texts */
    const struct mcti_grant_ops *grant;
    char key[MCT_AUTH_KEY_CHARS + 1];
    struct mcti_auth_env env;
    enum { PEER_UNKNOWN, PEER_PUBLIC, PEER_PRIVATE } peer;
    struct mcti_nonces nonces;
    struct mcti_challenge cause; /* of the latest refusal that something was done about */
    int cause_status;
    struct mcti_login_token token;
    struct mcti_login_keep keep;
    struct mcti_login_waits ready, refused;
    struct mcti_login_renew renew;
    struct mcti_login_sign_in sign_in;
    struct mcti_login_steps steps;
    struct mcti_login_end end;
    bool needed; /* the server wants a login that cannot be made now */
    struct mct_error why;
    struct mcti_list tells; /* struct mcti_login_told whose operation has ended */
    struct mcti_task tell, change;
    enum mcti_login_state shown; /* the state that opts.changed() knows */
    bool closing;
    struct mcti_task close;
    mcti_later_fn closed;
    void *closed_data;
};

static inline struct mcti_sched *mcti_login_sched(const struct mcti_login *l)
{
    return &l->opts.loop->sched;
}

static inline uint64_t mcti_login_now(const struct mcti_login *l)
{
    return mcti_sched_now(mcti_login_sched(l));
}

/* ---- login.c ---- */

/* Records the address of the server that answered. */
void mcti_login_meet(struct mcti_login *l, const struct mcti_fetch *fetch);

/* Calls opts.changed() soon if the state is another one. */
void mcti_login_note_change(struct mcti_login *l);

/* Frees a login that is being closed soon, if nothing is in flight that must not be lost. */
void mcti_login_try_close(struct mcti_login *l);

/* Sets *err to "needs a login: …"; returns -1. */
int mcti_login_fail_needed(const struct mcti_login *l, struct mct_error *err);

/* ---- use.c ---- */

extern const struct mcti_credentials_ops mcti_login_ops;

/* The parts of a request's n_tries. */
enum { MCT_TRY = 1, MCT_TRY_MASK = 0xff, MCT_TRY_NONCE = 0x100, MCT_TRY_COMPARED = 0x200, MCT_TRY_STEP = 0x10000 };

/* Records the refusal about which something is done next. */
void mcti_login_note_cause(struct mcti_login *l, struct mcti_challenge *take_c, int status);

#endif
