/*
 * The login of one server: the credentials of its requests. It keeps tokens fresh, redeems each refresh token once for
 * all requests and processes, and asks a person only if it has one. One object for the gateway, the command line and
 * the library; connections to the same server share it.
 */
#ifndef MCT_AUTH_LOGIN_LOGIN_H
#define MCT_AUTH_LOGIN_LOGIN_H

#include "auth/auth.h"
#include "auth/store/record.h"
#include "auth/store/store.h"
#include "mcp/http/credentials.h"

struct mcti_login;

enum mcti_login_state {
    MCT_LOGIN_NONE,    /* no token, and the server has not asked for one */
    MCT_LOGIN_NEEDED,  /* the server wants a login, and a person must make it */
    MCT_LOGIN_RUNNING, /* an authorization is in progress */
    MCT_LOGIN_READY,   /* there is a token that has not been refused */
    MCT_LOGIN_EXPIRED, /* the token has expired and could not be renewed yet; it is tried again */
};
const char *mcti_login_state_word(enum mcti_login_state state); /* "none", "needed", "running", "ready", "expired" */

struct mcti_login_opts {
    struct mcti_loop *loop;
    struct mcti_http_client *http;
    const struct mcti_log *log;
    const char *name, *server_url, *principal; /* copied; principal "": the owner */
    const struct mcti_auth_settings *settings; /* outlives the login */
    struct mcti_auth_store *store;             /* outlives the login */
    const struct mcti_auth_person *person;     /* who is asked when a request is refused; NULL: nobody */
    bool background;                           /* renew tokens before they expire, also without requests */
    void (*changed)(void *data);               /* the state has changed; called from the loop; may be NULL */
    void *data;
    int64_t (*now_s)(void); /* seconds since 1970; NULL: the clock of the system */
};

/* Creates a login and reads what the store has. Returns NULL when out of memory: an unreadable store is an error of the
 * requests, not of this function. */
struct mcti_login *mcti_login_new(const struct mcti_login_opts *opts);
void mcti_login_free(struct mcti_login *l); /* waiting requests are dropped, not called */

/* Frees the login as mcti_login_free() does, but waits until a renewal in flight has been stored, which would otherwise
 * be lost with its refresh token: at most as long as a request takes. Calls `closed` from the loop. */
void mcti_login_close(struct mcti_login *l, mcti_later_fn closed, void *data);

/* The table for transports. */
struct mcti_credentials *mcti_login_credentials(struct mcti_login *l);

enum mcti_login_state mcti_login_state(const struct mcti_login *l);

/* What is known about the login; texts are borrowed until the next turn of the loop; NULL: unknown. */
struct mcti_login_facts {
    enum mcti_login_state state;
    const char *issuer, *client_id, *scope, *resource, *grant;
    enum mcti_client_kind client_kind;
    int64_t expires_at;                           /* seconds since 1970; 0: unknown */
    bool expired, can_refresh, can_revoke, bound; /* can_revoke: an endpoint for it is known; bound: DPoP */
    const struct mct_error *why;                  /* there is no valid token; NULL: unknown */
    const char *missing_scope;                    /* scopes that a refused call needs; NULL: none */
};
void mcti_login_describe(const struct mcti_login *l, struct mcti_login_facts *ret);

/* Called once, from the loop, unless the login is freed; at once when out of memory. `err` NULL: done. */
typedef void (*mcti_login_done_fn)(void *data, const struct mct_error *err);

/* Authorizes anew. */
struct mcti_login_wish {
    const char *scope, *issuer;            /* NULL: as the server says */
    const struct mcti_auth_person *person; /* NULL: the one of the login */
};
void mcti_login_begin(struct mcti_login *l, const struct mcti_login_wish *wish, mcti_login_done_fn done, void *data);

/* Takes the URL at which the browser arrived. Returns -1 and sets *err if no authorization waits for it. */
int mcti_login_paste(struct mcti_login *l, struct mcti_str url, struct mct_error *err);

/* Cancels the authorization in progress; its done() gets MCT_ERR_CANCELLED. */
void mcti_login_cancel(struct mcti_login *l);

/* Renews the token now, even if it has not expired. */
void mcti_login_refresh(struct mcti_login *l, mcti_login_done_fn done, void *data);

/* Revokes and forgets the current login; `all`: every login of the server, registrations included. If revoking fails,
 * the login is forgotten all the same, and `err` tells. */
void mcti_login_end(struct mcti_login *l, bool all, mcti_login_done_fn done, void *data);

/* Appends the access token, fresh if possible. Returns -1 and sets *err (MCT_ERR_AUTH) if there is none. */
int mcti_login_put_token(const struct mcti_login *l, struct mcti_buf *to, struct mct_error *err);

/* Drops the done() functions that were given with `data`: they are not called. What they wait for goes on. */
void mcti_login_drop_done(struct mcti_login *l, const void *data);

/* The same, and cancels the authorization that was begun with this `data`, if it is in progress. */
void mcti_login_abandon(struct mcti_login *l, const void *data);

/* Reads the store again: another process has changed it. Requests that wait for a login go on if there is one. */
void mcti_login_reload(struct mcti_login *l);

#endif
