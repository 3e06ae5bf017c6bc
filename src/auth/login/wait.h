/* Time in a login: its limits, pauses after failures, and who waits: requests, and those who asked for an operation. */
#ifndef MCT_AUTH_LOGIN_WAIT_H
#define MCT_AUTH_LOGIN_WAIT_H

#include "auth/login/login.h"

enum {
    MCT_LOGIN_LOCK_MS = 30000,   /* for another process to release the stored login */
    MCT_LOGIN_MARGIN_S = 30,     /* a token is renewed so long before it expires, if it lives long enough */
    MCT_LOGIN_FRESH_MS = 30000,  /* a new token that is refused so soon, before any success, is not replaced */
    MCT_LOGIN_LEAST_MS = 10000,  /* between two renewals, */
    MCT_LOGIN_QUICK = 3,         /* except for so many of tokens that the server has accepted and then refuses */
    MCT_LOGIN_CHECK_MS = 300000, /* longest sleep of the timer: clocks jump, and computers are suspended */
    MCT_LOGIN_TRIES = 8,         /* refusals of one request */
    MCT_LOGIN_STEPS = 2,         /* step-ups for one request */
    MCT_LOGIN_STEPS_KEPT = 16,   /* remembered step-ups without success, */
    MCT_LOGIN_STEP_MS = 600000,  /* for so long */
};

/* A time in which nothing is tried again, and the failure that is the reason. */
struct mcti_login_pause {
    uint64_t until_ms;
    unsigned n;
    struct mct_error why;
};

/* Somebody who wants to know how an operation ends. */
struct mcti_login_told {
    struct mcti_list node;
    mcti_login_done_fn fn;
    void *data;
    struct mct_error err; /* kind NONE: success */
};

/* Requests that wait. Those in `leaving` are called by the task. */
struct mcti_login_waits {
    struct mcti_login *l;
    struct mcti_list waiting, leaving;
    struct mcti_task task;
    struct mct_error err; /* for `leaving`; kind NONE: they are sent */
};

/* ---- wait.c ---- */

void mcti_waits_init(struct mcti_login_waits *ws, struct mcti_login *l);
void mcti_waits_done(struct mcti_login_waits *ws); /* drops all */
void mcti_waits_add(struct mcti_login_waits *ws, struct mcti_credential_wait *w);
void mcti_waits_pass(struct mcti_login_waits *ws, struct mcti_credential_wait *w); /* w is sent soon */

/* Ends the wait of all: `err` NULL: they are sent. */
void mcti_waits_end(struct mcti_login_waits *ws, const struct mct_error *err);

/* Returns NULL when out of memory; then fn has been called. */
struct mcti_login_told *mcti_told_new(mcti_login_done_fn fn, void *data);
void mcti_told_end(struct mcti_login *l, struct mcti_login_told *take_t, const struct mct_error *err);
void mcti_told_run(void *login); /* the task `tell` */

void mcti_pause_begin(const struct mcti_login *l, struct mcti_login_pause *p, const struct mct_error *why);
bool mcti_pause_lasts(const struct mcti_login *l, const struct mcti_login_pause *p);

#endif
