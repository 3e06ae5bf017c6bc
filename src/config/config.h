/*
 * The configuration as one model of all its files. Reading never stops at a mistake: each mistake is noted with file,
 * line and key. One in the entry of a server disables this entry only.
 */
#ifndef MCT_CONFIG_CONFIG_H
#define MCT_CONFIG_CONFIG_H

#include "base/error.h"
#include "base/map.h"
#include "gateway/gateway.h"
#include "hub/names/names.h"

struct mcti_strings {
    char **v; /* owned */
    size_t n;
};

struct mcti_pair {
    char *key, *value;
};

struct mcti_pairs {
    struct mcti_pair *v;
    size_t n;
};

/* Which rules hold: today's, or those of OpenClaw 2026.2. */
enum mcti_compat { MCT_COMPAT_NONE, MCT_COMPAT_2026_2 };
extern const struct mcti_word mcti_compat_words[];

struct mcti_config_rules;

struct mcti_config_rule_sets {
    struct mcti_config_rules *v; /* owned */
    size_t n;
};

/* Lists of tools: of a "policy" section, a token, a profile, a group (its members are `allow`), or a model provider. */
struct mcti_config_rules {
    char *name; /* of the profile, group, provider or token; the file of a section */
    char *profile, *provider;
    enum mcti_compat compat; /* of a section */
    struct mcti_strings allow, also_allow, deny;
    struct mcti_strings owner_only;           /* of a section */
    struct mcti_config_rule_sets by_provider; /* of a section */
    unsigned section;                         /* the number of the section that contains it */
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
enum { MCT_PROTOCOL_LEGACY = MCT_MATCH_NONE + 1 }; /* a word of "protocol" beside those of enum mcti_match */
enum mcti_capabilities { MCT_CAPABILITIES_ALL, MCT_CAPABILITIES_CLIENT };

extern const struct mcti_word mcti_server_types[], mcti_auth_types[];

/* What the gateway may speak with a server. */
struct mcti_server_protocol {
    enum mcti_era era;
    enum mcti_rev rev;     /* NONE: every revision of the era */
    enum mcti_match match; /* counts where era is AUTO */
};

struct mcti_config_server {
    char *name, *file;
    unsigned line;
    enum mcti_server_type type;
    char *command;
    struct mcti_strings args;
    struct mcti_pairs env;
    char *cwd, *url;
    struct mcti_server_protocol protocol;
    enum mcti_isolation isolation;
    enum mcti_capabilities capabilities;
    enum mcti_resource_tools resource_tools;
    struct mcti_pairs headers;
    enum mcti_auth_type auth_type;
    char *auth_token, *auth_key, *auth_header;
    bool replay_idempotent;
    unsigned ping_ms; /* 0: never */
    bool enabled, required, trusted;
    bool disabled;                         /* as written; `enabled` is what counts */
    unsigned timeout_ms, start_timeout_ms; /* 0: the global one */
    struct mcti_strings plugins;           /* of "openclaw": folders, relative to that of the file */
    char *plugin_config;                   /* "config": raw JSON object; NULL: none */
    char *plugin_path;                     /* of "plugin": the shared object, relative to the folder of the file */
    char *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id; /* of its "context" */
    bool sandboxed;                                                                /* of its "context" */
    bool trial;
    struct mcti_strings allow, deny; /* globs over raw tool names */
    struct mct_error error;          /* why the entry cannot be used; kind NONE: it can */
};

/* A program that runs around calls of tools. */
struct mcti_config_hook {
    enum mct_hook_kind kind;
    struct mcti_strings tools;     /* globs; none: every tool */
    struct mcti_config_server run; /* its name (for logs), command, args, env, cwd and file; nothing else */
    int priority;
    unsigned timeout_ms; /* 0: MCT_HOOK_MS */
};

struct mcti_problem {
    bool fatal; /* the entry or file is unusable; otherwise a warning */
    char *text; /* "FILE:LINE: KEY: what is wrong and what to do" */
};

struct mcti_config {
    struct mcti_config_server *servers;
    size_t n_servers;
    struct mcti_map names; /* of servers: struct server_name of config.c */
    struct mcti_problem *problems;
    size_t n_problems;
    struct mcti_strings files; /* that were read */
    bool broken;               /* a whole file or a setting is unusable: do not go on */
    size_t broken_at;          /* the number of the first problem that broke it */
    char *settings_file;       /* the first file with a section "mcptools"; NULL: there is none */

    const char *scheme; /* a word of mcti_scheme_words */
    char *separator;
    unsigned name_max;
    unsigned message_bytes, call_timeout_ms, start_timeout_ms, list_wait_ms, page_items, server_connections;
    unsigned server_requests;                 /* under way at once on one connection to a URL */
    unsigned connections, sessions, drain_ms; /* of serve */
    size_t memory_bytes;
    unsigned principal_share, client_share, server_share, subscriptions; /* too */
    char *serve_http, *access_log, *audit_log;                           /* logs: a file, "-": stderr, NULL: none */
    bool legacy_sse;
    struct mcti_client_prefs prefs; /* of serve: mode and dialects of clients that ask for nothing else */

    struct mcti_dialect_opts dialect; /* of "mcp"; its texts are those below, see mcti_config_dialect() */
    struct mcti_cache_opts cache;     /* of serve */
    struct mcti_strings uri_allow;
    char *blob_dir;
    char *preferred; /* of "mcp": the server asked first for a URI nobody lists */
    struct mcti_strings hosts, origins;
    struct mcti_credential *tokens; /* owned, and what they hold */
    size_t n_tokens;
    struct mcti_config_rule_sets token_rules; /* one for each token */
    bool read_only;                           /* of policy */
    struct mcti_strings read_only_tools, mutating_tools;
    struct mcti_config_rules section;              /* of policy, while a file is read */
    struct mcti_config_rule_sets sections;         /* those with an effect: each narrows what the others leave */
    struct mcti_config_rule_sets groups, profiles; /* of all sections; each means its own */
    struct mcti_config_hook *hooks;                /* of all sections, in order */
    size_t n_hooks;
    enum mcti_compat hooks_compat;
    struct mcti_rules **rules; /* made of these: everybody's first; owned */
    size_t n_rules;
};

void mcti_config_init(struct mcti_config *c); /* the defaults */
void mcti_config_done(struct mcti_config *c);

/* Reads the text of one file in the native format or one of its relatives (Claude Desktop, .mcp.json).
 * Leaves out entries whose name is known already: the first file wins. */
void mcti_config_read(struct mcti_config *c, const char *file, const char *text, size_t len);

/* Reads a file; returns -1 with *err if it cannot be opened. */
int mcti_config_read_file(struct mcti_config *c, const char *path, struct mct_error *err);

/* Reads every file found in the usual places, in order; returns how many there were. */
size_t mcti_config_discover(struct mcti_config *c);

/* Adds an ad-hoc server; the entry is good until the next one is added. NULL when out of memory. */
struct mcti_config_server *mcti_config_add_server(struct mcti_config *c, const char *name);
struct mcti_config_server *mcti_config_find(const struct mcti_config *c, struct mcti_str name);

/* Splits a command line into words as a shell would, without expansions. */
int mcti_config_split(const char *command_line, struct mcti_config_server *ret, struct mct_error *err);

/* Returns true if the text begins as an http or https URL does. `text` may be NULL. */
bool mcti_is_url(const char *text);

int mcti_strings_add(struct mcti_strings *s, struct mcti_str text);
void mcti_strings_clear(struct mcti_strings *s);
void mcti_config_problem(struct mcti_config *c, bool fatal, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The problem noted last makes the whole configuration unusable. */
void mcti_config_break(struct mcti_config *c);

/* How resource tools work; borrows from the configuration. */
struct mcti_dialect_opts mcti_config_dialect(const struct mcti_config *c);

/* Warns of settings that are valid, but have no effect, or not the intended one, with these servers and this offer.
 * Called after the last file was read. */
void mcti_config_check(struct mcti_config *c, const struct mcti_offer *offer);

void mcti_config_clear_tokens(struct mcti_config *c);

/* Returns what callers may do, from now on. The result borrows from *c. */
struct mcti_policy mcti_config_policy(const struct mcti_config *c);

void mcti_config_clear_server(struct mcti_config_server *s);

void mcti_config_clear_hooks(struct mcti_config *c);

/* ---- rules.c ---- */

/* Adds an empty set, which is valid until the next one is added. Returns NULL when out of memory. */
struct mcti_config_rules *mcti_config_add_rules(struct mcti_config_rule_sets *to);
void mcti_config_clear_rules(struct mcti_config_rules *r);
void mcti_config_clear_rule_sets(struct mcti_config_rule_sets *sets);

/* Makes the rules of all clients and of each token, whose preferences then refer to them, and warns of lists without
 * the intended effect. Called once, after the last file was read. Returns -1 when out of memory. */
int mcti_config_make_rules(struct mcti_config *c);
void mcti_config_free_rules(struct mcti_config *c);

/* Returns the rules of the owner, who comes without a token. Valid as long as the configuration. */
struct mcti_ruled mcti_config_ruled(const struct mcti_config *c);

/* ---- config.c ---- */

/* Returns how exposed names are made. */
struct mcti_naming mcti_config_naming(const struct mcti_config *c, enum mcti_prefix prefix);

#endif
