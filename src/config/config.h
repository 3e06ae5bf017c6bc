/*
 * The configuration as one model, whatever file it came from. Reading never stops at a mistake: each
 * is noted with file, line and key, and costs only the entry it stands in.
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

struct mcti_config_rules;

struct mcti_config_rule_sets {
    struct mcti_config_rules *v; /* owned */
    size_t n;
};

/* Lists of tools: of a "policy" section, a token, a profile, a group (its members are `allow`), or a model provider. */
struct mcti_config_rules {
    char *name; /* of what it is of; the file of a section */
    char *profile, *provider, *compat;
    struct mcti_strings allow, also_allow, deny;
    struct mcti_strings owner_only;           /* of a section */
    struct mcti_config_rule_sets by_provider; /* the same */
    unsigned section;                         /* that it is of */
};

struct mcti_config_server {
    char *name, *file;
    unsigned line;
    char *type; /* as written; NULL: by command or url */
    char *command;
    struct mcti_strings args;
    struct mcti_pairs env;
    char *cwd, *url, *protocol, *isolation, *capabilities, *resource_tools;
    struct mcti_pairs headers;
    char *auth_type, *auth_token, *auth_key, *auth_header; /* of "auth" */
    bool replay_idempotent;
    unsigned ping_ms; /* 0: never */
    bool enabled, required, trusted;
    bool disabled;                         /* as written; `enabled` is what counts */
    unsigned timeout_ms, start_timeout_ms; /* 0: the global one */
    struct mcti_strings plugins;           /* of "openclaw": folders, from that of the file on */
    char *plugin_config;                   /* "config": raw JSON object; NULL: none */
    char *plugin_path;                     /* of "plugin": the shared object, from the folder of the file on */
    char *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id; /* of its "context" */
    bool sandboxed;                                                                /* of the same */
    bool trial;
    struct mcti_strings allow, deny; /* globs over raw tool names */
    struct mct_error error;          /* why the entry cannot be used; kind NONE: it can */
};

/* A program that is run around calls of tools. */
struct mcti_config_hook {
    char *on; /* as written */
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
    size_t broken_at;          /* which problem says so first */
    char *settings_file;       /* the first with a "mcptools" section, which decides; NULL: there is none */

    char *scheme, *separator;
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
    char *hooks_compat;        /* "2026.2"; NULL: today's rules */
    struct mcti_rules **rules; /* made of these: everybody's first; owned */
    size_t n_rules;
};

void mcti_config_init(struct mcti_config *c); /* the defaults */
void mcti_config_done(struct mcti_config *c);

/* Reads the text of one file in the native format or one of its relatives (Claude Desktop, .mcp.json).
 * Entries whose name is known already are left out: the first source wins. */
void mcti_config_read(struct mcti_config *c, const char *file, const char *text, size_t len);

/* Reads a file; -1 with *err when it cannot be opened. */
int mcti_config_read_file(struct mcti_config *c, const char *path, struct mct_error *err);

/* Reads every file found in the usual places, in order; returns how many there were. */
size_t mcti_config_discover(struct mcti_config *c);

/* Adds an ad-hoc server; the entry is good until the next one is added. NULL when out of memory. */
struct mcti_config_server *mcti_config_add_server(struct mcti_config *c, const char *name);
struct mcti_config_server *mcti_config_find(const struct mcti_config *c, struct mcti_str name);

/* Splits a command line into words as a shell would, without expansions. */
int mcti_config_split(const char *command_line, struct mcti_config_server *ret, struct mct_error *err);

/* Whether the text begins as an http or https URL does. NULL is none. */
bool mcti_is_url(const char *text);

int mcti_strings_add(struct mcti_strings *s, struct mcti_str text);
void mcti_strings_clear(struct mcti_strings *s);
void mcti_config_problem(struct mcti_config *c, bool fatal, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The problem noted last makes the whole configuration unusable. */
void mcti_config_break(struct mcti_config *c);

/* How resource tools work; borrows from the configuration. */
struct mcti_dialect_opts mcti_config_dialect(const struct mcti_config *c);

/* Warns of settings that are sound by themselves and have no effect, or not the one that was meant, with those servers
 * and what clients are offered. After the last file was read. */
void mcti_config_check(struct mcti_config *c, const struct mcti_offer *offer);

void mcti_config_clear_tokens(struct mcti_config *c);

/* What callers may do, from now on. Borrows from *c. */
struct mcti_policy mcti_config_policy(const struct mcti_config *c);

void mcti_config_clear_server(struct mcti_config_server *s);

void mcti_config_clear_hooks(struct mcti_config *c);

/* ---- rules.c ---- */

/* An empty set at the end, good until the next one is added. NULL when out of memory. */
struct mcti_config_rules *mcti_config_add_rules(struct mcti_config_rule_sets *to);
void mcti_config_clear_rules(struct mcti_config_rules *r);
void mcti_config_clear_rule_sets(struct mcti_config_rule_sets *sets);

/* Makes the pipelines of everybody and of each token, whose preferences then name them; says what is wrong with what
 * they are made of. Once, after the last file was read. -1 when out of memory. */
int mcti_config_make_rules(struct mcti_config *c);
void mcti_config_free_rules(struct mcti_config *c);

/* Who comes without a token; the owner. Good as long as the configuration. */
struct mcti_ruled mcti_config_ruled(const struct mcti_config *c);

/* How names are to be made. */
struct mcti_naming mcti_config_naming(const struct mcti_config *c, enum mcti_prefix prefix);

#endif
