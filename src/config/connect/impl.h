/* Shared by connect.c and the kinds of servers: a kind is one file and one row in connect.c. */
#ifndef MCT_CONFIG_CONNECT_IMPL_H
#define MCT_CONFIG_CONNECT_IMPL_H

#include "config/connect/connect.h"
#include "hub/server/server.h"

/* A server resolved from its entry. Owned by its provider; embedded in what its kind needs. */
struct mct_target_server {
    const struct mct_connect_kind *kind;
    const struct mct_connect_env *env; /* outlives the providers */
    size_t message_bytes, requests;    /* as in struct mct_url_opts */
    struct mct_answerer answerer;      /* the environment's, with this server's roots */
    char *roots;
    char verdict_key[65];              /* empty: nothing to remember */
    struct mct_error error;            /* kind NONE: it can be connected to */
    void (*free)(struct mct_target_server *t);
};

struct mct_connect_kind {
    /* A zeroed struct with `free` set; NULL when out of memory. */
    struct mct_target_server *(*new)(void);
    /* Fills it from the entry; -1 with *err. `identity` receives what tells this server from others. */
    int (*resolve)(struct mct_target_server *t, const struct mct_config_server *s, struct mct_buf *identity,
                   struct mct_error *err);
    struct mct_transport *(*connect)(struct mct_target_server *t, unsigned variant, struct mct_error *err);
    unsigned n_variants, handshake_variants; /* as in struct mct_mcp_opts */
    bool hosts_plugins;                      /* as in struct mct_provider */
    /* What is no MCP server makes its provider itself, and has none of the above; NULL: out of memory. */
    struct mct_provider *(*make)(const struct mct_config *c, const struct mct_config_server *s,
                                 struct mct_connect_env *env, const struct mct_registry *r);
};

extern const struct mct_connect_kind mct_connect_stdio, mct_connect_url, mct_connect_http, mct_connect_sse,
    mct_connect_openclaw, mct_connect_plugin;

/* A program to start over stdio; stdio.c. Kinds that start one of their own fill it themselves. */
struct mct_stdio_server {
    struct mct_target_server base;
    struct mct_strings argv, envp; /* both end in a NULL entry beyond n */
    char *cwd;
};

struct mct_target_server *mct_stdio_server_new(void);
struct mct_stdio_server *mct_stdio_server_of(struct mct_target_server *t);

/* Appends and keeps a NULL behind the end, as exec wants it; NULL as text is out of memory too. */
int mct_stdio_server_add(struct mct_strings *list, char *take_text);

/* What a child inherits, and what the entry adds. */
int mct_stdio_server_env(struct mct_stdio_server *s, const struct mct_pairs *env, struct mct_error *err);
struct mct_transport *mct_stdio_server_connect(struct mct_target_server *t, unsigned variant, struct mct_error *err);

#endif
