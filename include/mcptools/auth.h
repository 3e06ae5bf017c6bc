/*
 * Logins at servers with a URL (OAuth). Without this header an instance uses and renews the logins that
 * `mcptools login` has stored. With it a program makes logins itself, in its own window, and keeps them where
 * it wants.
 *
 *     static int show(struct mct_instance *instance, const struct mct_auth_invitation *i, void *data)
 *     {
 *         return my_window_open(i->server, i->url);
 *     }
 *
 *     const struct mct_auth_opts auth = { .size = sizeof auth, .invite = show };
 *     mct_instance_set_auth(instance, &auth, &err);
 *     mct_instance_start(instance, &err);
 *     …
 *     struct mct_request *q = mct_instance_login(instance, "issues", NULL, NULL, &err);
 *     puts(mct_request_wait(q, &err) == 0 ? "logged in" : err.message);
 *     mct_request_free(q);
 *
 * Tokens and secrets of clients are never in log lines, errors or results. A store gets them, as the text that it
 * keeps; a URL at which the browser arrives has a code that is valid once.
 */
#ifndef MCPTOOLS_AUTH_H
#define MCPTOOLS_AUTH_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/* ---- the person ---- */

/* What a person is asked to do. The library owns it; it is valid during the callback. */
struct mct_auth_invitation {
    const char *server;    /* name of the server, in the configuration */
    const char *url;       /* to open in a browser: https, or http at this machine */
    const char *user_code; /* to enter at the page of `url`; NULL: none is needed */
    bool takes_answer;     /* mct_instance_login_answer() takes the URL at which the browser arrives */
};

/* ---- the store ---- */

struct mct_auth_text; /* receives a text of `load` */

/*
 * Sets the text that `load` has found.
 *
 *   to    the argument of `load`
 *   text  what `save` has got; copied
 *   len   its length in bytes; at most 1 MiB
 *
 * Returns 0, or -1 if it is too long or memory is exhausted; `load` then returns -1.
 */
MCT_API int mct_auth_text_set(struct mct_auth_text *to, const char *text, size_t len);

/*
 * A place of the program for logins: texts under keys. A key is 64 hexadecimal digits, which stand for the URL of a
 * server; a text is JSON that contains secrets. Any function of the instance may call the callbacks, until `closed`
 * of mct_instance_close(). They must not wait long, nor call the library, except for mct_auth_text_set(). Those that
 * fail return -1 and may write the reason to err->message, without secrets.
 */
struct mct_auth_store {
    size_t size;
    /* Calls mct_auth_text_set() if there is a text, and returns 0. */
    int (*load)(void *data, const char *key, struct mct_auth_text *to, struct mct_error *err);
    /* Keeps the text for good before it returns 0, since a new refresh token replaces the old one; on failure the old
     * text stays. `text` NULL: removes it. */
    int (*save)(void *data, const char *key, const char *text, size_t len, struct mct_error *err);
    /* Tries to get the lock of a key, which keeps two processes from redeeming the same refresh token: 1: it has it,
     * 0: another process has it (the library tries again), -1: failure. Must not wait. NULL: no other process uses the
     * store. */
    int (*lock)(void *data, const char *key, struct mct_error *err);
    void (*unlock)(void *data, const char *key);
    void *data; /* passed to the callbacks */
};

#define MCT_AUTH_STORE_INIT MCT_SIZED(struct mct_auth_store)

/* ---- options ---- */

struct mct_auth_opts {
    size_t size;
    /* Shows the URL to the person, or opens it. Returns 0, or -1 if that is impossible: the login fails. NULL: logins
     * need no person (`auth.grant` of the configuration), or are not made. */
    int (*invite)(struct mct_instance *instance, const struct mct_auth_invitation *invitation, void *data);
    /* The invitation is over: the login goes on, has failed or was cancelled. May be NULL. */
    void (*over)(struct mct_instance *instance, const char *server, void *data);
    const char *redirect_uri; /* where the program receives the answer of the browser itself, for
                               * mct_instance_login_answer(): "com.example.app:/callback", or an https URL. NULL: the
                               * library listens at a port of 127.0.0.1 meanwhile */
    bool device;              /* show a page and a code (RFC 8628) where the authorization server offers it */
    bool only_asked;          /* invite only for mct_instance_login(). Otherwise also when a server refuses a request,
                               * which then waits for the login for up to 5 minutes */
    const struct mct_auth_store *store; /* NULL: as configured (`mcptools.auth.store`) */
    void *data;                         /* passed to the callbacks of this struct */
};

#define MCT_AUTH_OPTS_INIT MCT_SIZED(struct mct_auth_opts)

/*
 * Sets how the instance logs in, once, before it is served or started.
 *
 *   opts  the options; copied with the store and the text
 *
 * Returns 0, or -1 with *err:
 *
 *   MCT_ERR_USAGE        the options are set already, the instance is served or started, `opts` is NULL, its store has
 *                        no `load` or `save`, or only one of `lock` and `unlock`, or a size is not set
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API int mct_instance_set_auth(struct mct_instance *instance, const struct mct_auth_opts *opts,
                                  struct mct_error *err);

/* ---- logging in and out ---- */

struct mct_login_opts {
    size_t size;
    const char *scope;  /* the scopes to ask for, with spaces between; NULL: as the server says */
    const char *issuer; /* the authorization server to use; NULL: as the server says */
};

#define MCT_LOGIN_OPTS_INIT MCT_SIZED(struct mct_login_opts)

/*
 * Logs in at a server, also if there is a login already. A server that was down for want of a login is connected
 * afterwards. Ends as a request: its result is the text of mct_instance_login_status(). Its errors are, among others:
 *
 *   MCT_ERR_AUTH         the person or the authorization server has refused
 *   MCT_ERR_NOT_FOUND    the server has no login
 *   MCT_ERR_USAGE        another login or logout of this server is in progress
 *   MCT_ERR_TIMEOUT      nobody answered within 5 minutes
 *   MCT_ERR_CANCELLED    cancelled; the invitation is over
 *
 *   server  name of the server
 *   login   options, copied; NULL: none
 *   opts    as for calls; NULL: none
 *
 * Returns the request, to be freed with mct_request_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE        not started or being closed, or a size is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_UNSUPPORTED  the server has no URL, or other credentials are configured; or options newer than the library
 *   MCT_ERR_CANCELLED    the token of `opts` was fired already
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_login(struct mct_instance *instance, const char *server,
                                               const struct mct_login_opts *login, const struct mct_call_opts *opts,
                                               struct mct_error *err);

/*
 * Takes the URL at which the browser arrived. Without `redirect_uri`, this is for a browser on another machine.
 *
 *   server  name of the server
 *   url     the whole URL, with its query
 *
 * Returns 0 if the login goes on or was refused by that URL, or -1 with *err:
 *
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_UNSUPPORTED  the server cannot log in
 *   MCT_ERR_USAGE        no login waits for this URL, or it is NULL
 */
MCT_API int mct_instance_login_answer(struct mct_instance *instance, const char *server, const char *url,
                                      struct mct_error *err);

/*
 * Revokes the tokens of a server and forgets them. Ends as a request, whose result is the text of
 * mct_instance_login_status(); a request that fails because the authorization server could not revoke has forgotten the
 * login all the same.
 *
 *   server  name of the server
 *   all     forgets registrations and the logins at all authorization servers, too
 *   opts    as for calls; NULL: none
 *
 * Returns the request, to be freed with mct_request_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE        not started or being closed
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_UNSUPPORTED  the server has no URL, or other credentials are configured; or `opts` newer than the library
 *   MCT_ERR_CANCELLED    the token of `opts` was fired already
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_logout(struct mct_instance *instance, const char *server, bool all,
                                                const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Returns what is known about the login of a server as JSON, without tokens and secrets:
 * {"server","state","issuer","resource","clientId","grant","scope","expiresAt","canRenew","missingScope",
 * "error":{"kind","message"}}. `state` is "none" (the server has not asked for a login), "needed", "running",
 * "ready" or "expired"; `expiresAt` is in seconds since 1970; members that are unknown are missing.
 *
 *   server  name of the server
 *
 * The text is to be freed with mct_free(). NULL with *err:
 *
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_UNSUPPORTED  the server cannot log in
 *   MCT_ERR_NO_MEMORY
 */
MCT_API char *mct_instance_login_status(const struct mct_instance *instance, const char *server, struct mct_error *err);

/*
 * Tells the instance that another process has changed a text of the program's store.
 *
 *   key  the key; NULL: unknown which
 */
MCT_API void mct_instance_login_changed(struct mct_instance *instance, const char *key);

MCT_END_DECLS

#endif
