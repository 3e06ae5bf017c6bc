/* What the files of this folder share. */
#ifndef MCT_AUTH_LOGIN_IMPL_H
#define MCT_AUTH_LOGIN_IMPL_H

#include "auth/flow/flow.h"
#include "auth/login/login.h"

enum {
    MCT_LOGIN_LOCK_MS = 30000,    /* for another process to release the stored login */
    MCT_LOGIN_MARGIN_S = 30,      /* a token is renewed so long before it expires, if it lives long enough */
    MCT_LOGIN_FRESH_MS = 30000,   /* a new token that is refused so soon, before any success, is not replaced */
    MCT_LOGIN_LEAST_MS = 10000,   /* between two renewals, */
    MCT_LOGIN_QUICK = 3,          /* except for so many of tokens that the server has accepted and then refuses */
    MCT_LOGIN_CHECK_MS = 300000,  /* longest sleep of the timer: clocks jump, and computers are suspended */
    MCT_LOGIN_TRIES = 8,          /* refusals of one request */
    MCT_LOGIN_STEPS = 2,          /* step-ups for one request */
    MCT_LOGIN_STEPS_KEPT = 16,    /* remembered step-ups without success, */
    MCT_LOGIN_STEP_MS = 600000,   /* for so long */
    MCT_LOGIN_SCOPE_BYTES = 4096, /* longest list of scopes that is asked for */
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

struct mcti_login_lock {
    struct mcti_login *l;
    struct mcti_timer timer;
    uint64_t until_ms;
    unsigned step_ms;
    bool held;
    void (*got)(struct mcti_login *l, const struct mct_error *err); /* err: not locked; MCT_ERR_TIMEOUT: by others */
};

/* Requests that wait. Those in `leaving` are called by the task. */
struct mcti_login_waits {
    struct mcti_login *l;
    struct mcti_list waiting, leaving;
    struct mcti_task task;
    struct mct_error err; /* for `leaving`; kind NONE: they are sent */
};

/* ASIDE: renewed, of a login that is not the current one any more. */
enum mcti_login_source { MCT_TOKEN_STORED, MCT_TOKEN_RENEWED, MCT_TOKEN_GRANTED, MCT_TOKEN_ASIDE };

/* The token in use, besides what its record says. */
struct mcti_login_token {
    uint64_t stamp, n_stamps; /* stamp 0: there is no token; n_stamps: the last one */
    uint64_t mark;            /* hash of its text and expiry; 0: there is no token */
    enum mcti_login_source source;
    uint64_t since_ms;         /* when it came into use here */
    uint64_t due_ms, renew_ms; /* monotonic: when it expires, and when it is renewed in the background */
    int64_t margin_s;
    bool expires;     /* the two times are known */
    bool refused;     /* by the server, and not accepted since then */
    bool accepted;    /* a request has succeeded since it came into use */
    unsigned n_quick; /* renewals in a row, each less than MCT_LOGIN_LEAST_MS after the last */
    struct mcti_key *dpop;
};

/* The document of the store. */
struct mcti_login_keep {
    struct mcti_auth_records records;
    struct mcti_auth_record *rec; /* the login in use; NULL: none */
    uint64_t seen;                /* hash of the text that was read or written last */
    bool has_seen;
    bool unsaved;    /* `records` has a login that could not be written */
    bool unreadable; /* the stored text; that has been logged */
    struct mcti_timer timer;
    struct mcti_login_pause pause;
    struct mcti_login_lock lock;
};

/* One request without credentials: whether the server has a public address, and where its metadata is. */
struct mcti_login_knock {
    struct mcti_login *l;
    struct mcti_auth_net net;
    struct mcti_auth_request *request;
    void (*then)(struct mcti_login *l);
};

struct mcti_login_renew {
    bool running, forced; /* forced: the token was refused, or somebody wants a new one */
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

/* ---- lock.c ---- */

void mcti_login_lock_init(struct mcti_login_lock *k, struct mcti_login *l,
                          void (*got)(struct mcti_login *l, const struct mct_error *err));

/* Calls got(), at once if possible. */
void mcti_login_lock(struct mcti_login_lock *k);
void mcti_login_unlock(struct mcti_login_lock *k); /* also ends waiting for it */

/* ---- keep.c ---- */

/* Reads the store, if its text is another one than before, and uses what it has. Returns -1 and sets *err if it cannot
 * be read; everything is as before then. */
int mcti_login_sync(struct mcti_login *l, struct mct_error *err);

/* Writes the document. Returns -1 and sets *err if that fails. */
int mcti_login_save(struct mcti_login *l, struct mct_error *err);

/* Writes the document after a change. If that fails: warns, sets *err, tries again later, and returns -1. */
int mcti_login_store(struct mcti_login *l, struct mct_error *err);

/* Stores a login and begins to use it. Returns -1 and sets *err if it could not be stored; it is used all the same
 * unless err->kind is MCT_ERR_NO_MEMORY. */
int mcti_login_keep(struct mcti_login *l, struct mcti_auth_record *take_rec, enum mcti_login_source source,
                    struct mct_error *err);

/* Chooses the login to use after `records` has changed. */
void mcti_login_choose(struct mcti_login *l, enum mcti_login_source source);

/* Copies the document. Returns -1 when out of memory; *to is then empty. */
int mcti_login_copy(const struct mcti_login *l, struct mcti_auth_records *to);

void mcti_login_keep_init(struct mcti_login *l);
int mcti_login_keep_begin(struct mcti_login *l); /* an empty document; returns -1 when out of memory */
void mcti_login_keep_done(struct mcti_login *l);

/* ---- token.c ---- */

/* Begins to use keep.rec. Returns -1 if its key cannot be read. */
int mcti_token_begin(struct mcti_login *l, enum mcti_login_source source);
bool mcti_token_expired(const struct mcti_login *l, int64_t margin_s); /* true without a token */
bool mcti_token_can_renew(const struct mcti_login *l);

/* Returns a hash of the token that differs if it is another one, or lasts longer; 0: there is none. */
uint64_t mcti_token_mark(const struct mcti_auth_record *rec);

/* Returns true if the token in use has just been issued: another one would be refused as well. */
bool mcti_token_is_fresh(const struct mcti_login *l);

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

/* ---- use.c ---- */

extern const struct mcti_credentials_ops mcti_login_ops;

/* The parts of a request's n_tries. */
enum { MCT_TRY = 1, MCT_TRY_MASK = 0xff, MCT_TRY_NONCE = 0x100, MCT_TRY_COMPARED = 0x200, MCT_TRY_STEP = 0x10000 };

/* Records the refusal about which something is done next. */
void mcti_login_note_cause(struct mcti_login *l, struct mcti_challenge *take_c, int status);

/* ---- end.c ---- */

void mcti_login_end_init(struct mcti_login *l);
void mcti_login_end_done(struct mcti_login *l);

/* Goes on after a renewal that was in the way. */
void mcti_login_end_go_on(struct mcti_login *l);

#endif
