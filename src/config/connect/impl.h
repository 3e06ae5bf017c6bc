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
    struct mct_error error;            /* kind NONE: the server can be connected */
    void (*free)(struct mct_target_server *t);
};

struct mct_connect_kind {
    /* Returns a zeroed struct with `free` set, or NULL when out of memory. */
    struct mct_target_server *(*new)(void);
    /* Fills the struct from the entry; returns -1 with *err. Writes to `identity` what distinguishes this server. */
    int (*resolve)(struct mct_target_server *t, const struct mct_config_server *s, struct mct_buf *identity,
                   struct mct_error *err);
    struct mct_transport *(*connect)(struct mct_target_server *t, unsigned variant, struct mct_error *err);
    unsigned n_variants, handshake_variants; /* as in struct mct_mcp_opts */
    bool hosts_plugins;                      /* as in struct mct_provider */
    /* Makes the provider of a kind that is no MCP server; such a kind has none of the above. NULL when out of memory. */
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

/* Appends a text and keeps a NULL behind the end, for exec. Returns -1 when out of memory, also if the text is NULL. */
int mct_stdio_server_add(struct mct_strings *list, char *take_text);

/* Makes the environment of a child: the variables it inherits, and those of the entry. */
int mct_stdio_server_env(struct mct_stdio_server *s, const struct mct_pairs *env, struct mct_error *err);
struct mct_transport *mct_stdio_server_connect(struct mct_target_server *t, unsigned variant, struct mct_error *err);

#endif
