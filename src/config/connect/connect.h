/* Creates a provider in the registry for each configured entry. The kinds of servers are rows in connect.c. */
#ifndef MCT_CONFIG_CONNECT_CONNECT_H
#define MCT_CONFIG_CONNECT_CONNECT_H

#include "config/config.h"
#include "config/connect/verdicts.h"
#include "hub/catalogue/catalogue.h"
#include "hub/plugin/plugin.h"
#include "hub/core/registry.h"
#include "io/fetch/client.h"
#include "io/loop.h"
#include "io/process/reaper.h"
#include "mcp/ask.h"

/* What the owner of an instance brings for logins; outlives the servers. */
struct mcti_connect_owner {
    /* Returns the person whom the login of a server asks when a request is refused; NULL: nobody. */
    const struct mcti_auth_person *(*person)(void *data, const char *server);
    /* Opens the store. NULL: the configured one. */
    struct mcti_auth_store *(*open_store)(void *data, struct mct_error *err);
    void *data;
};

/* The running gateway of this user, through which servers are reached instead of connecting to them. */
struct mcti_connect_attach {
    /* Returns true if the gateway has the server. *ret_stateless tells whether it speaks 2026-07-28. */
    bool (*has)(void *data, const char *server, bool *ret_stateless);
    /* Creates the transport of a connection; `wait_ms`: for a server that is starting. NULL with *err on failure. */
    struct mcti_transport *(*connect)(void *data, const char *server, unsigned wait_ms, struct mct_error *err);
    void *data;
};

struct mcti_connect_env {
    struct mcti_loop *loop;
    struct mcti_reaper *reaper; /* may be NULL */
    const struct mcti_log *log;
    struct mcti_http_client *http;            /* created for the first server with a URL; see mcti_connect_done() */
    struct mcti_verdicts *verdicts;           /* stored verdicts on servers; NULL: none are read or stored */
    const struct mcti_catalogue *catalogue;   /* stored lists of servers; NULL: none are read or stored */
    bool shows_stored;                        /* also servers that are not lazy show them */
    const struct mcti_answerer *answerer;     /* answers servers' questions; its roots are ignored; may be NULL */
    const struct mcti_strings *roots;         /* roots for all servers; NULL or empty: each server's own cwd */
    bool asks_roots;                          /* roots come from the answerer; the entries' own folders are not sent */
    struct mcti_hooks *hooks;                 /* gets the hooks of C plugins; NULL: C plugins cannot have hooks */
    bool restart;                             /* restart servers that end, and keep their logins fresh */
    const struct mcti_connect_owner *owner;   /* what it brings for logins; may be NULL */
    const struct mcti_connect_attach *attach; /* outlives the servers; NULL: none */
    const char *auth_store;                   /* where logins are kept, see mcti_auth_store_open(); NULL: in files */
    struct mcti_connect_logins *logins;       /* created for the first server with a login */
    struct mcti_strings *inherited;           /* variables that programs inherit, which they share; created as needed */
    unsigned stop_eof_ms, stop_term_ms;       /* 0: the defaults */
};

/* Adds a provider for the entry. An unusable entry becomes a provider in the state "error", so that it is listed with
 * the reason. Returns -1 when out of memory. */
int mcti_connect_server(const struct mcti_config *c, const struct mcti_config_server *s, struct mcti_connect_env *env,
                        struct mcti_registry *r);

/* Creates the provider for an entry, which the caller adds to `r`. Returns NULL when out of memory. */
struct mcti_provider *mcti_connect_make(const struct mcti_config *c, const struct mcti_config_server *s,
                                        struct mcti_connect_env *env, struct mcti_registry *r);

/* Time limits of the start of a server; 0: none. */
struct mcti_start_limits {
    unsigned start_ms;  /* then the start has failed */
    unsigned page_ms;   /* for each page of a list */
    unsigned settle_ms; /* then others do not wait for the start any more */
};

/* Returns the limits that are configured for the server. If none are, a program that installs packages first may take
 * long, and so may every program while the instance runs on (`restart`): its process is not ended for being slow. */
struct mcti_start_limits mcti_connect_start_limits(const struct mcti_config *c, const struct mcti_config_server *s,
                                                   bool restart);

/* Returns the longest start limit of all servers. */
unsigned mcti_connect_longest_start_ms(const struct mcti_config *c, bool restart);

/* Returns true if the program is one that installs packages before it starts them, such as npx. */
bool mcti_connect_installs(const char *command, const struct mcti_strings *args);

/* Returns the mode of a server's sandbox; OFF if nothing says otherwise, and for the program of a hook, which has no
 * configuration of servers (`c` NULL). */
enum mcti_sandbox_mode mcti_connect_sandbox_mode(const struct mcti_config *c, const struct mcti_config_server *s);

/* Gives the provider of an entry the time limits for starts and calls that apply now. */
void mcti_connect_retime(const struct mcti_config *c, const struct mcti_config_server *s, bool restart,
                         struct mcti_provider *p);

/* Appends a folder as a Root object (2025-11-25 "Roots"). */
void mcti_put_root(struct mcti_buf *to, const char *path);

/* Returns the login of a server that was created; NULL: it cannot log in. */
struct mcti_login *mcti_connect_login(const struct mcti_connect_env *env, const char *server_name);

/* Returns true if no login of a freed provider has a request in flight, which is not to be cut off: the authorization
 * server may have replaced the refresh token. */
bool mcti_connect_is_idle(const struct mcti_connect_env *env);

/* Frees the members that mcti_connect_server() created. Called after the registry and before the loop is freed, when
 * mcti_connect_is_idle() returns true. */
void mcti_connect_done(struct mcti_connect_env *env);

#endif
