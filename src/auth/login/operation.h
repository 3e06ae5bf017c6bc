/* What a login does: knocking, renewing, authorizing, stepping up, logging out. */
#ifndef MCT_AUTH_LOGIN_OPERATION_H
#define MCT_AUTH_LOGIN_OPERATION_H

#include "auth/flow/flow.h"
#include "auth/login/keep.h"

/* One request without credentials: whether the server has a public address, and where its metadata is. */
struct mcti_login_knock {
    struct mcti_login *l;
    struct mcti_auth_net net;
    struct mcti_auth_request *request;
    void (*then)(struct mcti_login *l);
};

struct mcti_login_renew {
    bool running, forced; /* forced: the server refused the token, or a caller wants a new one */
    uint64_t stamp;       /* of the token that is replaced */
    struct mcti_login_knock knock;
    struct mcti_login_lock lock;
    struct mcti_token_request *request;
    struct mcti_auth_record from; /* a copy of the login that is renewed */
    struct mcti_oauth_client client;
    struct mcti_oauth_endpoint at;
    struct mcti_strings methods;
    struct mcti_key *key, *dpop;
    struct mcti_timer timer;                  /* of renewals in the background */
    struct mcti_login_pause pause, postponed; /* postponed: the store cannot be written, and the token lasts */
    struct mcti_list told;
};

struct mcti_login_sign_in {
    bool running, compares; /* compares: only another authorization server is a reason to authorize */
    bool renews;            /* for a grant without a person, whose token expires */
    struct mcti_login_knock knock;
    struct mcti_discover *discover;
    struct mcti_flow *flow;
    struct mcti_auth_env env;
    struct mcti_auth_records known;
    char *scope, *issuer; /* owned; NULL: as the server says */
    bool only_scope, forget_registration;
    unsigned n_authorizations;
    struct mcti_auth_record got;
    bool has_got;
    struct mcti_login_lock lock;
    struct mcti_login_told *told; /* NULL: a refused request is the reason */
    struct mcti_login_pause pause;
};

struct mcti_login_steps {
    struct mcti_login_step {
        uint64_t mark; /* hash of operation and scopes */
        uint64_t until_ms;
    } v[MCT_LOGIN_STEPS_KEPT];
    size_t next;
    char *missing; /* scopes that a refused request needs; NULL: none */
};

struct mcti_login_end {
    bool running, started, all; /* started: nothing is in the way any more */
    struct mcti_login_knock knock;
    struct mcti_login_lock lock;
    struct mcti_auth_records list; /* a copy of all logins */
    size_t at, only;               /* the next one to revoke; the only one unless `all` */
    struct mcti_revocation *revocation;
    struct mcti_login_told *told;
};

/* ---- knock.c ---- */

/* Calls then(), at once if possible, when the address of the server is known or cannot be found out; with `wants_cause`
 * also whether the server refuses a request, and how. */
void mcti_login_knock(struct mcti_login_knock *k, struct mcti_login *l, bool wants_cause,
                      void (*then)(struct mcti_login *l));
void mcti_login_knock_cancel(struct mcti_login_knock *k);

/* ---- renew.c ---- */

void mcti_login_renew_init(struct mcti_login *l);
void mcti_login_renew_done(struct mcti_login *l);

/* Renews the token: with the refresh token, or, without a person, with the grant. Waiting requests go on at the end. */
void mcti_login_renew(struct mcti_login *l, bool forced);

/* Returns true if the token can be renewed, and no failure is a reason to wait. */
bool mcti_login_may_renew(const struct mcti_login *l);

/* Sets the timer of renewals in the background. */
void mcti_login_renew_plan(struct mcti_login *l);

/* ---- sign_in.c ---- */

struct mcti_login_sign_in_opts {
    const char *scope, *issuer;
    bool only_scope, compares, renews, forget_registration;
    const struct mcti_auth_person *person;
    struct mcti_login_told *take_told;
};

void mcti_login_sign_in_init(struct mcti_login *l);
void mcti_login_sign_in_done(struct mcti_login *l);
void mcti_login_sign_in(struct mcti_login *l, const struct mcti_login_sign_in_opts *opts);

/* Ends an authorization in progress unless its login has already arrived; the waiting requests get `why`; NULL: they
 * are sent. */
void mcti_login_sign_in_stop(struct mcti_login *l, const struct mct_error *why);

/* ---- step.c ---- */

/* The server wants more scopes for a request. Returns as refused() does. */
bool mcti_login_step_up(struct mcti_login *l, const struct mcti_credential_refusal *r, struct mcti_challenge *c,
                        struct mcti_credential_wait *w, struct mct_error *err);

/* Forgets what is said about scopes that the token now has. */
void mcti_login_steps_review(struct mcti_login *l);

/* ---- end.c ---- */

void mcti_login_end_init(struct mcti_login *l);
void mcti_login_end_done(struct mcti_login *l);

/* Goes on after a renewal that was in the way. */
void mcti_login_end_go_on(struct mcti_login *l);

#endif
