/* Shared by connect.c and the kinds of servers: a kind is one file and one row in connect.c. */
#ifndef MCT_CONFIG_CONNECT_IMPL_H
#define MCT_CONFIG_CONNECT_IMPL_H

#include "config/connect/connect.h"
#include "hub/server/server.h"

/* A server resolved from its entry. Owned by its provider; embedded in a larger struct by each kind of server. */
struct mcti_target_server {
    const struct mcti_connect_kind *kind;
    const struct mcti_connect_env *env; /* outlives the providers */
    const struct mcti_config *config;   /* lasts while the server is resolved */
    const struct mcti_strings *inherit; /* mcptools.env_inherit; lasts while the server is resolved */
    size_t message_bytes, requests;     /* as in struct mcti_url_opts */
    struct mcti_answerer answerer;      /* the environment's, with this server's roots */
    char *roots;
    struct mcti_strings allow, deny;  /* as in the entry, which may be read again while the provider lives */
    struct mcti_connect_login *login; /* NULL: none */
    const char *name;                 /* of an attached server; borrowed from its entry */
    unsigned wait_ms;                 /* the same: its start timeout */
    char verdict_key[65];             /* empty: verdicts are not stored */
    char catalogue_key[65];           /* empty: lists are not stored */
    struct mct_error error;           /* kind NONE: the server can be connected */
    void (*free)(struct mcti_target_server *t);
};

struct mcti_connect_kind {
    /* Returns a zeroed struct with `free` set, or NULL when out of memory. */
    struct mcti_target_server *(*new)(void);
    /* Fills the struct from the entry, and writes to `identity` the settings that distinguish this server. On failure
     * returns -1 and sets *err. */
    int (*resolve)(struct mcti_target_server *t, const struct mcti_config_server *s, struct mcti_buf *identity,
                   struct mct_error *err);
    struct mcti_transport *(*connect)(struct mcti_target_server *t, unsigned variant, struct mct_error *err);
    /* Adds to the error of a failed server what its stderr, `said`, explains. May be NULL. */
    void (*explain)(const struct mcti_target_server *t, struct mcti_str said, struct mct_error *err);
    unsigned n_variants, handshake_variants; /* as in struct mcti_mcp_opts */
    bool hosts_plugins;                      /* as in struct mcti_provider */
    /* Creates the provider of a kind that is not an MCP server; such a kind sets no other member. Returns NULL when out
     * of memory. */
    struct mcti_provider *(*make)(const struct mcti_config *c, const struct mcti_config_server *s,
                                  struct mcti_connect_env *env, const struct mcti_registry *r);
};

extern const struct mcti_connect_kind mcti_connect_stdio, mcti_connect_url, mcti_connect_http, mcti_connect_sse,
    mcti_connect_openclaw, mcti_connect_plugin, mcti_connect_skills, mcti_connect_attached;

/* A program to start over stdio; stdio.c. Kinds that start a program of their own fill it themselves. */
struct mcti_stdio_server {
    struct mcti_target_server base;
    struct mcti_strings argv, envp; /* both end in a NULL entry beyond n */
    size_t n_shared;                /* first entries of envp, which are those of env->inherited */
    char *cwd;
    struct mcti_sandbox_wish wish;
    struct mcti_strings network; /* peers that may be reached through the proxy, if the network is a list of them */
};

struct mcti_target_server *mcti_stdio_server_new(void);
struct mcti_stdio_server *mcti_stdio_server_of(struct mcti_target_server *t);

/* Appends a text and keeps the array terminated by NULL, for exec. Returns -1 when out of memory, also if the text is
 * NULL. */
int mcti_stdio_server_add(struct mcti_strings *list, char *take_text);
int mcti_stdio_server_borrow(struct mcti_strings *list, char *text); /* the same, but leaves the text to its owner */

/* Builds the environment of a child: the inherited variables, and those of the entry; environment.c. */
int mcti_stdio_server_env(struct mcti_stdio_server *to, const struct mcti_config_server *s, struct mct_error *err);

/* Adds a hint to the error of a server that failed, if its stderr names a variable that is set here and was not passed
 * to the server. */
void mcti_stdio_server_explain(const struct mcti_target_server *t, struct mcti_str said, struct mct_error *err);

/* Decides on the sandbox of a program whose argv, envp and cwd are known; sandbox.c. Returns -1 and sets *err on
 * failure. */
int mcti_connect_sandbox(struct mcti_stdio_server *to, const struct mcti_config *c, const struct mcti_config_server *s,
                         struct mct_error *err);

struct mcti_transport *mcti_stdio_server_connect(struct mcti_target_server *t, unsigned variant, struct mct_error *err);

/* ---- login.c ---- */

struct mcti_connect_login;

/* Creates the login for the entry of a server at `url`, unless it has other credentials. Returns -1 and sets *err on
 * failure. */
int mcti_connect_login_new(struct mcti_target_server *t, const struct mcti_config_server *s, const char *url,
                           struct mct_error *err);

/* Tells the login its provider, which has been created. */
void mcti_connect_login_attach(struct mcti_connect_login *l, struct mcti_provider *p, struct mcti_registry *r);

/* Ends the login together with its provider; the rest happens later, see mcti_connect_is_idle(). */
void mcti_connect_login_end(struct mcti_connect_login *l);

/* Frees what the logins of an environment share; there is none left. NULL does nothing. */
void mcti_connect_logins_free(struct mcti_connect_logins *all);

/* Returns the credentials for transports; NULL: none. */
struct mcti_credentials *mcti_connect_login_credentials(struct mcti_connect_login *l);

/* Ids of the extensions that the login is an instance of, as in struct mcti_answerer; NULL: none. */
const char *const *mcti_connect_login_extensions(const struct mcti_connect_login *l);

/* ---- http.c ---- */

/* Returns the HTTP client of the environment, and creates it if there is none yet; NULL with *err on failure. */
struct mcti_http_client *mcti_connect_client(const struct mcti_connect_env *env, struct mct_error *err);

#endif
