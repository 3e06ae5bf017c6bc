/*
 * The configuration as one model of all its files. Reading never stops at a mistake: each mistake is noted with file, line and
 * key. One in the entry of a server disables this entry only.
 */
#ifndef MCT_CONFIG_CONFIG_H
#define MCT_CONFIG_CONFIG_H

#include "base/error.h"
#include "base/map.h"
#include "gateway/gateway.h"
#include "hub/names/names.h"

struct mct_strings {
    char **v; /* owned */
    size_t n;
};

struct mct_pair {
    char *key, *value;
};

struct mct_pairs {
    struct mct_pair *v;
    size_t n;
};

/* Which rules hold: today's, or those of OpenClaw 2026.2. */
enum mcti_compat { MCT_COMPAT_NONE, MCT_COMPAT_2026_2 };
extern const struct mcti_word mcti_compat_words[];

struct mct_config_rules;

struct mct_config_rule_sets {
    struct mct_config_rules *v; /* owned */
    size_t n;
};

/* Lists of tools: of a "policy" section, a token, a profile, a group (its members are `allow`), or a model provider. */
struct mct_config_rules {
    char *name;             /* of the profile, group, provider or token; the file of a section */
    char *profile, *provider;
    enum mcti_compat compat; /* of a section */
    struct mct_strings allow, also_allow, deny;
    struct mct_strings owner_only;           /* of a section */
    struct mct_config_rule_sets by_provider; /* of a section */
    unsigned section;       /* the number of the section that contains it */
};

/* UNSET: decided by `command` or `url`. HTTP is another word for STREAMABLE_HTTP. */
enum mcti_server_type {
    MCT_SERVER_UNSET,
    MCT_SERVER_STDIO,
    MCT_SERVER_STREAMABLE_HTTP,
    MCT_SERVER_HTTP,
    MCT_SERVER_SSE,
    MCT_SERVER_OPENCLAW,
    MCT_SERVER_PLUGIN,
};

enum mcti_auth_type { MCT_AUTH_NONE, MCT_AUTH_BEARER, MCT_AUTH_API_KEY };
enum { MCT_PROTOCOL_LEGACY = MCT_MATCH_NONE + 1 }; /* a word of "protocol" beside those of enum mct_match */
enum mcti_capabilities { MCT_CAPABILITIES_ALL, MCT_CAPABILITIES_CLIENT };

extern const struct mcti_word mcti_server_types[], mcti_auth_types[];

/* What the gateway may speak with a server. */
struct mcti_server_protocol {
    enum mct_era era;
    enum mct_rev rev;     /* NONE: every revision of the era */
    enum mct_match match; /* counts where era is AUTO */
};

struct mct_config_server {
    char *name, *file;
    unsigned line;
    enum mcti_server_type type;
    char *command;
    struct mct_strings args;
    struct mct_pairs env;
    char *cwd, *url;
    struct mcti_server_protocol protocol;
    enum mct_isolation isolation;
    enum mcti_capabilities capabilities;
    enum mct_resource_tools resource_tools;
    struct mct_pairs headers;
    enum mcti_auth_type auth_type;
    char *auth_token, *auth_key, *auth_header;
    bool replay_idempotent;
    unsigned ping_ms;                      /* 0: never */
    bool enabled, required, trusted;
    bool disabled;   /* as written; `enabled` is what counts */
    unsigned timeout_ms, start_timeout_ms; /* 0: the global one */
    struct mct_strings plugins;            /* of "openclaw": folders, relative to that of the file */
    char *plugin_config;                   /* "config": raw JSON object; NULL: none */
    char *plugin_path;                     /* of "plugin": the shared object, relative to the folder of the file */
    char *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id; /* of its "context" */
    bool sandboxed;                        /* of its "context" */
    bool trial;
    struct mct_strings allow, deny;        /* globs over raw tool names */
    struct mct_error error;                /* why the entry cannot be used; kind NONE: it can */
};

/* A program that runs around calls of tools. */
struct mct_config_hook {
    enum mct_hook_kind kind;
    struct mct_strings tools;     /* globs; none: every tool */
    struct mct_config_server run; /* its name (for logs), command, args, env, cwd and file; nothing else */
    int priority;
    unsigned timeout_ms;          /* 0: MCT_HOOK_MS */
};

struct mct_problem {
    bool fatal;   /* the entry or file is unusable; otherwise a warning */
    char *text;   /* "FILE:LINE: KEY: what is wrong and what to do" */
};

struct mct_config {
    struct mct_config_server *servers;
    size_t n_servers;
    struct mct_map names;     /* of servers: struct server_name of config.c */
    struct mct_problem *problems;
    size_t n_problems;
    struct mct_strings files; /* that were read */
    bool broken;              /* a whole file or a setting is unusable: do not go on */
    size_t broken_at;         /* the number of the first problem that broke it */
    char *settings_file;      /* the first file with a section "mcptools"; NULL: there is none */

    const char *scheme; /* a word of mcti_scheme_words */
    char *separator;
    unsigned name_max;
    unsigned message_bytes, call_timeout_ms, start_timeout_ms, list_wait_ms, page_items, server_connections;
    unsigned server_requests; /* under way at once on one connection to a URL */
    unsigned connections, sessions, drain_ms; /* of serve */
    size_t memory_bytes;
    unsigned principal_share, client_share, server_share, subscriptions; /* too */
    char *serve_http, *access_log, *audit_log; /* logs: a file, "-": stderr, NULL: none */
    bool legacy_sse;
    struct mct_client_prefs prefs;            /* of serve: mode and dialects of clients that ask for nothing else */

    struct mct_dialect_opts dialect;          /* of "mcp"; its texts are those below, see mct_config_dialect() */
    struct mct_cache_opts cache;              /* of serve */
    struct mct_strings uri_allow;
    char *blob_dir;
    char *preferred;                          /* of "mcp": the server asked first for a URI nobody lists */
    struct mct_strings hosts, origins;
    struct mct_credential *tokens; /* owned, and what they hold */
    size_t n_tokens;
    struct mct_config_rule_sets token_rules; /* one for each token */
    bool read_only; /* of policy */
    struct mct_strings read_only_tools, mutating_tools;
    struct mct_config_rules section;         /* of policy, while a file is read */
    struct mct_config_rule_sets sections;    /* those with an effect: each narrows what the others leave */
    struct mct_config_rule_sets groups, profiles; /* of all sections; each means its own */
    struct mct_config_hook *hooks;           /* of all sections, in order */
    size_t n_hooks;
    enum mcti_compat hooks_compat;
    struct mct_rules **rules; /* made of these: everybody's first; owned */
    size_t n_rules;
};

void mct_config_init(struct mct_config *c); /* the defaults */
void mct_config_done(struct mct_config *c);

/* Reads the text of one file in the native format or one of its relatives (Claude Desktop, .mcp.json).
 * Leaves out entries whose name is known already: the first file wins. */
void mct_config_read(struct mct_config *c, const char *file, const char *text, size_t len);

/* Reads a file; returns -1 with *err if it cannot be opened. */
int mct_config_read_file(struct mct_config *c, const char *path, struct mct_error *err);

/* Reads every file found in the usual places, in order; returns how many there were. */
size_t mct_config_discover(struct mct_config *c);

/* Adds an ad-hoc server; the entry is good until the next one is added. NULL when out of memory. */
struct mct_config_server *mct_config_add_server(struct mct_config *c, const char *name);
struct mct_config_server *mct_config_find(const struct mct_config *c, struct mct_str name);

/* Splits a command line into words as a shell would, without expansions. */
int mct_config_split(const char *command_line, struct mct_config_server *ret, struct mct_error *err);

/* Returns true if the text begins as an http or https URL does. `text` may be NULL. */
bool mct_is_url(const char *text);

int mct_strings_add(struct mct_strings *s, struct mct_str text);
void mct_strings_clear(struct mct_strings *s);
void mct_config_problem(struct mct_config *c, bool fatal, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The problem noted last makes the whole configuration unusable. */
void mct_config_break(struct mct_config *c);

/* How resource tools work; borrows from the configuration. */
struct mct_dialect_opts mct_config_dialect(const struct mct_config *c);

/* Warns of settings that are valid, but have no effect, or not the intended one, with these servers and this offer. Called
 * after the last file was read. */
void mct_config_check(struct mct_config *c, const struct mct_offer *offer);

void mct_config_clear_tokens(struct mct_config *c);

/* Returns what callers may do, from now on. The result borrows from *c. */
struct mct_policy mct_config_policy(const struct mct_config *c);

void mct_config_clear_server(struct mct_config_server *s);

void mct_config_clear_hooks(struct mct_config *c);

/* ---- rules.c ---- */

/* Adds an empty set, which is valid until the next one is added. Returns NULL when out of memory. */
struct mct_config_rules *mct_config_add_rules(struct mct_config_rule_sets *to);
void mct_config_clear_rules(struct mct_config_rules *r);
void mct_config_clear_rule_sets(struct mct_config_rule_sets *sets);

/* Makes the rules of all clients and of each token, whose preferences then refer to them, and warns of lists without the
 * intended effect. Called once, after the last file was read. Returns -1 when out of memory. */
int mct_config_make_rules(struct mct_config *c);
void mct_config_free_rules(struct mct_config *c);

/* Returns the rules of the owner, who comes without a token. Valid as long as the configuration. */
struct mct_ruled mct_config_ruled(const struct mct_config *c);

/* Returns how exposed names are made. */
struct mct_naming mct_config_naming(const struct mct_config *c, enum mct_prefix prefix);

#endif
