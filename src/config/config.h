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

struct mct_config_rules;

struct mct_config_rule_sets {
    struct mct_config_rules *v; /* owned */
    size_t n;
};

/* Lists of tools: of a "policy" section, a token, a profile, a group (its members are `allow`), or a model provider. */
struct mct_config_rules {
    char *name;             /* of what it is of; the file of a section */
    char *profile, *provider, *compat;
    struct mct_strings allow, also_allow, deny;
    struct mct_strings owner_only;           /* of a section */
    struct mct_config_rule_sets by_provider; /* the same */
    unsigned section;       /* that it is of */
};

struct mct_config_server {
    char *name, *file;
    unsigned line;
    char *type;      /* as written; NULL: by command or url */
    char *command;
    struct mct_strings args;
    struct mct_pairs env;
    char *cwd, *url, *protocol, *isolation, *capabilities, *resource_tools;
    struct mct_pairs headers;
    char *auth_type, *auth_token, *auth_key, *auth_header; /* of "auth" */
    bool replay_idempotent;
    unsigned ping_ms;                      /* 0: never */
    bool enabled, required, trusted;
    bool disabled;   /* as written; `enabled` is what counts */
    unsigned timeout_ms, start_timeout_ms; /* 0: the global one */
    struct mct_strings plugins;            /* of "openclaw": folders, from that of the file on */
    char *plugin_config;                   /* "config": raw JSON object; NULL: none */
    char *plugin_path;                     /* of "plugin": the shared object, from the folder of the file on */
    char *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id; /* of its "context" */
    bool sandboxed;                        /* of the same */
    bool trial;
    struct mct_strings allow, deny;        /* globs over raw tool names */
    struct mct_error error;                /* why the entry cannot be used; kind NONE: it can */
};

/* A program that is run around calls of tools. */
struct mct_config_hook {
    char *on;                     /* as written */
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
    size_t broken_at;         /* which problem says so first */
    char *settings_file;      /* the first with a "mcptools" section, which decides; NULL: there is none */

    char *scheme, *separator;
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
    char *hooks_compat;                      /* "2026.2"; NULL: today's rules */
    struct mct_rules **rules; /* made of these: everybody's first; owned */
    size_t n_rules;
};

void mct_config_init(struct mct_config *c); /* the defaults */
void mct_config_done(struct mct_config *c);

/* Reads the text of one file in the native format or one of its relatives (Claude Desktop, .mcp.json).
 * Entries whose name is known already are left out: the first source wins. */
void mct_config_read(struct mct_config *c, const char *file, const char *text, size_t len);

/* Reads a file; -1 with *err when it cannot be opened. */
int mct_config_read_file(struct mct_config *c, const char *path, struct mct_error *err);

/* Reads every file found in the usual places, in order; returns how many there were. */
size_t mct_config_discover(struct mct_config *c);

/* Adds an ad-hoc server; the entry is good until the next one is added. NULL when out of memory. */
struct mct_config_server *mct_config_add_server(struct mct_config *c, const char *name);
struct mct_config_server *mct_config_find(const struct mct_config *c, struct mct_str name);

/* Splits a command line into words as a shell would, without expansions. */
int mct_config_split(const char *command_line, struct mct_config_server *ret, struct mct_error *err);

/* Whether the text begins as an http or https URL does. NULL is none. */
bool mct_is_url(const char *text);

int mct_strings_add(struct mct_strings *s, struct mct_str text);
void mct_strings_clear(struct mct_strings *s);
void mct_config_problem(struct mct_config *c, bool fatal, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The problem noted last makes the whole configuration unusable. */
void mct_config_break(struct mct_config *c);

/* How resource tools work; borrows from the configuration. */
struct mct_dialect_opts mct_config_dialect(const struct mct_config *c);

/* Warns of settings that are sound by themselves and have no effect, or not the one that was meant, with those servers and
 * what clients are offered. After the last file was read. */
void mct_config_check(struct mct_config *c, const struct mct_offer *offer);

void mct_config_clear_tokens(struct mct_config *c);

/* What callers may do, from now on. Borrows from *c. */
struct mct_policy mct_config_policy(const struct mct_config *c);

void mct_config_clear_server(struct mct_config_server *s);

void mct_config_clear_hooks(struct mct_config *c);

/* ---- rules.c ---- */

/* An empty set at the end, good until the next one is added. NULL when out of memory. */
struct mct_config_rules *mct_config_add_rules(struct mct_config_rule_sets *to);
void mct_config_clear_rules(struct mct_config_rules *r);
void mct_config_clear_rule_sets(struct mct_config_rule_sets *sets);

/* Makes the pipelines of everybody and of each token, whose preferences then name them; says what is wrong with what
 * they are made of. Once, after the last file was read. -1 when out of memory. */
int mct_config_make_rules(struct mct_config *c);
void mct_config_free_rules(struct mct_config *c);

/* Who comes without a token; the owner. Good as long as the configuration. */
struct mct_ruled mct_config_ruled(const struct mct_config *c);

/* ---- config.c ---- */

/* How names are to be made. */
struct mct_naming mct_config_naming(const struct mct_config *c, enum mct_prefix prefix);

#endif
