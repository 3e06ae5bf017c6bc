/*
 * Logins on the command line: the server that a word names and its login, what the user is shown while an authorization
 * runs, and texts about a login. The offer to log in during another command is in offer.c, see command.h.
 */
#ifndef MCT_CLI_LOGIN_SIGNIN_H
#define MCT_CLI_LOGIN_SIGNIN_H

#include "auth/login/login.h"
#include "cli/command.h"

/* A server with a login. */
struct mcti_signin_server {
    const char *name;               /* as configured; "url" for a URL */
    char shown[200];                /* the name for people: of an ad-hoc server its URL */
    struct mcti_provider *provider; /* not started */
    struct mcti_login *login;
    bool is_machine; /* its grant needs no person */
};

/* ---- server.c ---- */

/* Opens the app with the server that `word` names, a name or a URL, without starting it. Returns 0, or the exit status
 * after printing the error: there is no such server, or it has no login. */
int mcti_signin_open(struct mcti_app *app, const char *word, struct mcti_signin_server *ret);

/* Finds the server of this configured name, which has been opened. Returns -1 if it has no login. */
int mcti_signin_find(struct mcti_app *app, const char *name, struct mcti_signin_server *ret);

/* Returns the reason why the server of this name has no login although its entry allows one: a mistake in "auth". NULL:
 * its entry does not allow one. */
const struct mct_error *mcti_signin_fault(struct mcti_app *app, const char *name);

/* Waits until *done, which the done() function that was given with `data` sets. Returns 0, or the exit status after an
 * interruption: then done() is not called any more. */
int mcti_signin_wait(struct mcti_app *app, const struct mcti_signin_server *s, const bool *done, const void *data);

/* ---- signin.c ---- */

struct mcti_signin {
    struct mcti_app *app;
    const struct mcti_signin_server *server;
    const char *scope, *issuer; /* NULL: as the server says */
    bool device;                /* the device flow */
    bool no_browser;            /* shows the URL instead of opening it */
    unsigned limit_ms;          /* for the person; 0: the usual time */
};

/* Logs in: tells on stderr what to do, opens the browser, takes a pasted URL, and waits. Returns -1 with *err
 * (MCT_ERR_CANCELLED when interrupted); nothing goes on then. */
int mcti_signin_run(const struct mcti_signin *s, struct mct_error *err);

/* Returns true if a person can be asked: stdin and stderr are a terminal, and this job is in its foreground. */
bool mcti_signin_has_terminal(void);

/* Puts a yes-or-no question on the terminal; an empty answer means yes. Returns false also when interrupted or if
 * there is no terminal. */
bool mcti_signin_ask(struct mcti_app *app, const char *question);

/* ---- tell.c ---- */

/* Appends "; run: " and the command that logs in to the server, with the options that this command has, quoted for a
 * shell. It replaces the shorter command that the login itself puts there. `scope`: for --scope; may be NULL. */
void mcti_signin_add_command(const struct mcti_app *app, struct mct_error *err, const char *server, const char *scope);

/* Appends the host (and port) of a URL; absent or something else: as it is. */
void mcti_signin_put_host(struct mcti_buf *to, const char *url);

/* Appends "in 59 minutes", "2 days ago"; "unknown" if the time is unknown. */
void mcti_signin_put_expiry(struct mcti_buf *to, const struct mcti_login_facts *facts);

/* Appends "WHAT 'SERVER' (issuer HOST, scopes A B, expires in 59 minutes, renewed automatically)", as far as
 * known. */
void mcti_signin_put_done(struct mcti_buf *to, const char *what, const struct mcti_signin_server *server);

/* Prints the same as a line on stdout; with -o json the login as an object. */
void mcti_signin_print_done(const struct mcti_app *app, const char *what, const struct mcti_signin_server *server);

/* Appends a login as a JSON object; never a token. `server`: its name for people. */
void mcti_signin_put_json(struct mcti_buf *to, const char *server, const struct mcti_login_facts *facts);

const char *mcti_signin_client_word(enum mcti_client_kind kind); /* "registered" …; NULL: none */

/* ---- stored.c ---- */

typedef void (*mcti_signin_stored_fn)(void *data, const char *url, const struct mcti_login_facts *facts);

/* Calls `each` for the logins in the store; unless `all`, for those that no server of the configuration has. Returns -1
 * with *err if the store cannot be read. */
int mcti_signin_each_stored(struct mcti_app *app, bool all, mcti_signin_stored_fn each, void *data,
                            struct mct_error *err);

#endif
