/*
 * The configuration: one model of all files that were read. Reading does not stop at a mistake: each one is noted as a
 * problem with file, line and key. A mistake in the entry of a server disables only that entry. The configuration
 * starts nothing: config/connect does.
 */
#ifndef MCT_CONFIG_CONFIG_H
#define MCT_CONFIG_CONFIG_H

#include "base/error.h"
#include "base/table/map.h"
#include "base/strings.h"
#include "config/sandbox/sandbox.h"
#include "config/trust/trust.h"
#include "gateway/gateway.h"
#include "hub/names/names.h"

/* Which rules apply: today's, or those of OpenClaw 2026.2. */
enum mcti_compat { MCT_COMPAT_NONE, MCT_COMPAT_2026_2 };
extern const struct mcti_word mcti_compat_words[];

struct mcti_config_rules;

struct mcti_config_rule_sets {
    struct mcti_config_rules *v; /* owned */
    size_t n;
};

/* Lists of tools of a "policy" section, a token, a profile, a group (whose members are in `allow`) or a model
 * provider. */
struct mcti_config_rules {
    char *name; /* name of the profile, group, provider or token; for a section, its file */
    char *profile, *provider;
    enum mcti_compat compat; /* for a section only */
    struct mcti_strings allow, also_allow, deny;
    struct mcti_strings owner_only;           /* for a section only */
    struct mcti_strings external, flow_tools; /* of "flow"; for a section only */
    enum mcti_outside_mode flow_mode;
    enum mcti_outside_approval flow_approval;
    struct mcti_config_rule_sets by_provider; /* for a section only */
    unsigned section;                         /* the number of the section that contains it */
};

/* UNSET: follows from `command` or `url`. HTTP is another word for STREAMABLE_HTTP. */
enum mcti_server_type {
    MCT_SERVER_UNSET,
    MCT_SERVER_STDIO,
    MCT_SERVER_STREAMABLE_HTTP,
    MCT_SERVER_HTTP,
    MCT_SERVER_SSE,
    MCT_SERVER_OPENCLAW,
    MCT_SERVER_PLUGIN,
    MCT_SERVER_SKILLS,
};

/* UNSET: a server with a URL gets a login if it asks for one, unless "headers" has credentials. OFF: it gets none. */
enum mcti_auth_type { MCT_AUTH_UNSET, MCT_AUTH_BEARER, MCT_AUTH_API_KEY, MCT_AUTH_OAUTH, MCT_AUTH_OFF };
enum { MCT_PROTOCOL_LEGACY = MCT_MATCH_NONE + 1 }; /* a value of "protocol" in addition to those of enum mcti_match */
enum mcti_capabilities { MCT_CAPABILITIES_ALL, MCT_CAPABILITIES_CLIENT };
enum mcti_progress { MCT_PROGRESS_ASKED, MCT_PROGRESS_ALWAYS };
enum mcti_list_changed { MCT_LIST_CHANGED_ALL, MCT_LIST_CHANGED_DIFFERENT };

extern const struct mcti_word mcti_server_types[], mcti_auth_types[], mcti_lifecycle_words[];

/* The revisions that the gateway may use with a server. */
struct mcti_server_protocol {
    enum mcti_era era;
    enum mcti_rev rev;     /* NONE: every revision of the era */
    enum mcti_match match; /* used if era is AUTO */
};

enum mcti_hooks_if_down { MCT_HOOKS_BLOCK, MCT_HOOKS_PASS };

/* When servers are started. PRESET: as all, and those as EAGER. */
enum mcti_lifecycle { MCT_LIFECYCLE_PRESET, MCT_LIFECYCLE_EAGER, MCT_LIFECYCLE_LAZY };

enum { MCT_IDLE_PRESET = 1 << 30 };
enum { MCT_PING_PRESET = 1 << 30 }; /* more than any value that can be configured */

enum mcti_pkce { MCT_PKCE_REQUIRED, MCT_PKCE_ASSUMED };
enum mcti_callback_host { MCT_CALLBACK_ADDRESS, MCT_CALLBACK_LOCALHOST };

/* "auth" of type "oauth", as written: variables are not expanded. */
struct mcti_config_oauth {
    const char *grant; /* a word; NULL: authorization_code */
    char *client_id, *client_secret, *client_metadata_url, *issuer, *initial_access_token;
    char *private_key, *private_key_file, *key_id, *alg;
    struct mcti_strings scopes;
    unsigned callback_port; /* 0: any */
    unsigned callback_host; /* enum mcti_callback_host */
    unsigned dpop;          /* enum mcti_dpop */
    unsigned pkce;          /* enum mcti_pkce */
    bool allow_private;
    struct mcti_pairs extra_params;
    char *assertion, *assertion_file, *id_token;
    char *idp_issuer, *idp_token_endpoint, *idp_client_id, *idp_client_secret;
};

/* What happens to items with findings: that differ from their pins (pins/), or look hostile (scan/). */
enum mcti_vet_mode { MCT_VET_PRESET, MCT_VET_OFF, MCT_VET_WARN, MCT_VET_QUARANTINE };

/* What happens to items of servers without pins. */
enum mcti_pins_unpinned { MCT_UNPINNED_ADMIT, MCT_UNPINNED_WARN, MCT_UNPINNED_QUARANTINE };

extern const struct mcti_word mcti_vet_words[]; /* "off", "warn", "quarantine" */

struct mcti_config_server {
    char *name, *file;
    unsigned line;
    enum mcti_server_type type;
    char *command;
    struct mcti_strings args;
    struct mcti_pairs env;
    struct mcti_strings env_inherit; /* globs of variables that are passed on */
    char *cwd, *url;
    struct mcti_server_protocol protocol;
    enum mcti_isolation isolation;
    enum mcti_capabilities capabilities;
    enum mcti_resource_tools resource_tools;
    enum mcti_extensions extensions;
    enum mcti_progress progress;
    enum mcti_list_changed list_changed;
    enum mcti_vet_mode pins, scan; /* MCT_VET_PRESET: as in "policy" */
    struct mcti_pairs headers;
    enum mcti_auth_type auth_type;
    char *auth_token, *auth_key, *auth_header;
    struct mcti_config_oauth oauth;
    bool retry_reads, replay_idempotent;
    bool breaker;               /* calls are refused while the server fails */
    struct mcti_rate_rule rate; /* of all clients together */
    unsigned ping_ms;           /* 0: never; MCT_PING_PRESET: as the type of the server has it */
    unsigned hooks_if_down;     /* enum mcti_hooks_if_down */
    bool enabled, required, trusted;
    bool external;           /* its results are from outside */
    bool untrusted;          /* of a file that is not trusted: nothing else is known but name, file, line and error */
    bool is_mcptools;        /* starts this program again, with this file or what is found without --config */
    bool disabled;           /* as written; `enabled` holds the result */
    const char *client;      /* id of the program from whose file the entry was imported; NULL: it was not */
    const char *off_because; /* a list outside of the entry that disables it, for people; NULL: none */
    unsigned timeout_ms, start_timeout_ms; /* 0: the global value */
    unsigned max_calls;                    /* calls that run at a time; 0: the global value */
    enum mcti_lifecycle lifecycle;
    unsigned idle_ms;            /* 0: never; MCT_IDLE_PRESET: the global value */
    struct mcti_strings plugins; /* type "openclaw": folders, relative to the folder of the file */
    char *plugin_config;         /* "config": raw JSON object; NULL: none */
    char *plugin_path;           /* type "plugin": the shared object, relative to the folder of the file */
    char *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id; /* of its "context" */
    bool sandboxed;                                                                /* of its "context" */
    bool trial;
    struct mcti_config_sandbox sandbox;
    struct mcti_strings allow, deny; /* globs over raw tool names */
    struct mct_error error;          /* why the entry cannot be used; kind NONE: it can be used */
};

/* An entry in which nothing is set. */
extern const struct mcti_config_server mcti_config_server_preset;

/* A program that runs around calls of tools. */
struct mcti_config_hook {
    enum mct_hook_kind kind;
    struct mcti_strings tools;     /* globs; none: every tool */
    struct mcti_config_server run; /* only its name (for logs), command, args, env, cwd and file are set */
    int priority;
    unsigned timeout_ms; /* 0: MCT_HOOK_MS */
};

/* "telemetry". The values of headers may name variables until telemetry is opened. */
struct mcti_config_telemetry {
    char *endpoint; /* NULL: off, unless the environment has one */
    struct mcti_pairs headers;
    bool traces, metrics, logs, arguments;
};

/* "results" */
struct mcti_config_results {
    struct mcti_result_rules rules; /* owned */
    size_t bytes;
    unsigned ttl_ms;
};

struct mcti_problem {
    bool fatal; /* the entry or file is unusable; otherwise a warning */
    char *text; /* "FILE:LINE: KEY: what is wrong and what to do" */
};

/* A file that was found and may not be used. */
struct mcti_config_distrust {
    char *file; /* as in `files`; owned */
    enum mcti_trust trust;
    bool had_settings; /* a content that was trusted had a section "mcptools" */
};

/* Which entries of a file are read. Claude Code's has some for one project: LOCAL. */
enum mcti_config_part { MCT_CONFIG_WHOLE, MCT_CONFIG_LOCAL, MCT_CONFIG_NOT_LOCAL };

struct mcti_config {
    struct mcti_config_server *servers;
    size_t n_servers;
    struct mcti_map names; /* servers by name: struct server_name of config.c */
    struct mcti_problem *problems;
    size_t n_problems;
    struct mcti_strings files;               /* files that were read */
    struct mcti_config_distrust *distrusted; /* files without trust, which are among them; owned */
    size_t n_distrusted;
    bool trusts_all;         /* files are only shown, so none needs trust */
    bool broken;             /* a whole file or a setting is unusable: the program must not start */
    size_t broken_at;        /* index of the problem that made it unusable */
    const char *format_name; /* the format of the files read, as chosen by the user; NULL: find out */
    enum mcti_config_part part;
    bool is_scan;               /* the file was looked for: that it has no servers is no mistake */
    bool for_import;            /* servers are written to another file: references to variables are kept */
    struct mcti_strings import; /* programs whose servers are used, too; see clients/places.h */
    bool import_all;            /* every program's are */
    char *settings_file;        /* the first file with a section "mcptools"; NULL: none */

    struct mcti_strings env_inherit;    /* for all servers */
    struct mcti_config_sandbox sandbox; /* for servers that do not say otherwise */
    const char *scheme;                 /* a word of mcti_scheme_words */
    char *separator;
    unsigned name_max;
    enum mcti_lifecycle lifecycle;
    unsigned idle_ms;          /* 0: never; MCT_IDLE_PRESET: it depends on the lifecycle */
    unsigned parallel_starts;  /* 0: it depends on the machine */
    unsigned start_timeout_ms; /* 0: it depends on the server, see mcti_connect_start_limits() */
    unsigned message_bytes, call_timeout_ms, list_wait_ms, page_items, server_connections;
    unsigned server_calls, server_queue; /* calls that run at one server, and that wait for that */
    unsigned breaker_failures, breaker_pause_ms;
    struct mcti_rate_rule rate;               /* of all clients together */
    unsigned server_requests;                 /* concurrent requests on one connection to a URL */
    unsigned connections, sessions, drain_ms; /* of "serve" */
    size_t memory_bytes;
    unsigned principal_share, client_share, server_share, subscriptions; /* also of "serve" */
    char *serve_http, *access_log, *audit_log;                           /* logs: a file, "-": stderr, NULL: none */
    bool legacy_sse;
    bool watch;                     /* the files are watched, and read again when they change */
    struct mcti_client_prefs prefs; /* of "serve": mode and dialects of clients that choose none */

    struct mcti_dialect_opts dialect; /* of "mcp"; its texts are the members below, see mcti_config_dialect() */
    struct mcti_cache_opts cache;     /* of "serve" */
    struct mcti_config_results results;
    struct mcti_app_rules apps; /* of "serve" */
    char *bridge_prefix;
    struct mcti_strings uri_allow;
    char *blob_dir;
    char *preferred; /* of "mcp": server to try first for a URI that no server lists */
    struct mcti_strings hosts, origins;
    struct mcti_credential *tokens; /* owned with their contents */
    size_t n_tokens;
    struct mcti_config_rule_sets token_rules; /* one for each token */
    enum mcti_vet_mode pins, scan;            /* of "policy"; the next seven as well */
    struct mcti_strings scan_ignore;
    enum mcti_pins_unpinned pins_unpinned;
    enum mcti_outside_mark external_mark;
    enum mcti_outside_scope flow_scope;
    unsigned flow_remember_ms;
    bool read_only;
    struct mcti_strings read_only_tools, mutating_tools;
    struct mcti_config_rules section;              /* the section "policy" of the file being read */
    struct mcti_config_rule_sets sections;         /* sections with an effect; a tool must pass each of them */
    struct mcti_config_rule_sets groups, profiles; /* of all sections; a section uses only its own */
    struct mcti_config_hook *hooks;                /* of all sections, in order */
    size_t n_hooks;
    enum mcti_compat hooks_compat;
    char *packages_url; /* of "registry"; NULL: the official one */
    struct mcti_config_telemetry telemetry;
    const char *auth_store;    /* of "auth": a kind of store, see mcti_auth_store_open(); NULL: the default */
    struct mcti_rules **rules; /* built from these lists, owned; the first applies to all clients */
    size_t n_rules;
};

void mcti_config_init(struct mcti_config *c); /* sets the defaults */
void mcti_config_done(struct mcti_config *c);

/* Adds a server that no file configures; the entry is valid until the next one is added. Returns NULL when out of
 * memory. */
struct mcti_config_server *mcti_config_add_server(struct mcti_config *c, const char *name);
struct mcti_config_server *mcti_config_find(const struct mcti_config *c, struct mcti_str name);

/* Moves an entry of another configuration, which keeps an empty one, to the end of `to`. Returns as
 * mcti_config_add_server(). */
struct mcti_config_server *mcti_config_move_server(struct mcti_config *to, struct mcti_config_server *take_s);

/* Disables the server of that name, if there is one, and frees the name for another one. */
void mcti_config_remove_server(struct mcti_config *c, const char *name);

/* Splits a command line into words like a shell, without expansions. On failure returns -1 and sets *err. */
int mcti_config_split(const char *command_line, struct mcti_config_server *ret, struct mct_error *err);

/* Returns true if the text may be the value of an HTTP header: tabs and the printable characters of ASCII. */
bool mcti_is_header_value(struct mcti_str text);

/* Returns true if the text may be the name of an HTTP header: a token of RFC 9110. */
bool mcti_is_header_name(const char *text);

/* Returns true if the text begins as an http or https URL does. `text` may be NULL. */
bool mcti_is_url(const char *text);

/* Writes a URL as users may see it: credentials and query are replaced by "***". */
void mcti_config_put_url(struct mcti_buf *to, const char *url);

/* Writes an argument of a server's command as users may see it: a value behind the name of a secret is replaced by
 * "***", as in "--api-key V", "TOKEN=V" and "Authorization: V", unless it is a variable. */
void mcti_config_put_arg(struct mcti_buf *to, const struct mcti_strings *args, size_t i);

/* Returns true if the value of this name (a variable, header, key or option) is a secret, and no variable. */
bool mcti_config_is_secret(const char *name, const char *value);

/* Writes the text of a file with its secrets replaced by "***"; a text that is not JSON is not written at all. */
void mcti_config_put_masked(struct mcti_buf *to, struct mcti_str text);

void mcti_config_problem(struct mcti_config *c, bool fatal, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Marks the whole configuration unusable because of the last problem. */
void mcti_config_break(struct mcti_config *c);

/* Returns the options of resource tools. They borrow from the configuration. */
struct mcti_dialect_opts mcti_config_dialect(const struct mcti_config *c);

/* Warns about valid settings that have no effect, or an unintended effect, with these servers and this offer.
 * Called after the last file was read. */
void mcti_config_check(struct mcti_config *c, const struct mcti_offer *offer);

/* Replaces the variables in the tokens of clients, once, before the gateway is served: reading the configuration runs
 * no commands. Returns -1 and sets *err, which names the client, if a token cannot be had or is not one. */
int mcti_config_expand_tokens(struct mcti_config *c, struct mct_error *err);

void mcti_config_clear_tokens(struct mcti_config *c);

/* Returns the policy for all later calls. The result borrows from *c. */
struct mcti_policy mcti_config_policy(const struct mcti_config *c);

void mcti_config_clear_server(struct mcti_config_server *s);

void mcti_config_clear_hooks(struct mcti_config *c);

/* ---- settings/auth.c ---- */

/* Forgets the settings of logins if the entry has no URL. Returns false if there were none. */
bool mcti_config_drop_auth(struct mcti_config_server *s);

/* Returns the mistake in the credentials of an entry, or NULL. Decides on auth_type if it is not written. */
const char *mcti_config_settle_auth(struct mcti_config_server *s);

/* Returns true if "headers" has the header of this name. */
bool mcti_config_has_header(const struct mcti_config_server *s, const char *name);

/* Returns the texts of "auth" in which variables are expanded; the array ends in NULL. */
enum { MCT_CONFIG_AUTH_TEXTS = 24 };
void mcti_config_auth_texts(struct mcti_config_server *s, char **ret[MCT_CONFIG_AUTH_TEXTS]);
void mcti_config_clear_auth(struct mcti_config_server *s);

/* ---- rules.c ---- */

/* Adds an empty set, which is valid until the next one is added. Returns NULL when out of memory. */
struct mcti_config_rules *mcti_config_add_rules(struct mcti_config_rule_sets *to);
void mcti_config_clear_rules(struct mcti_config_rules *r);
void mcti_config_clear_rule_sets(struct mcti_config_rule_sets *sets);

/* Builds the rules of all clients and of each token, sets the tokens' preferences to refer to them, and warns about
 * lists that do not have the intended effect. Called once, after the last file was read. Returns -1 when out of memory.
 */
int mcti_config_make_rules(struct mcti_config *c);
void mcti_config_free_rules(struct mcti_config *c);

/* Returns true if the lists have the same texts in the same order. */
bool mcti_config_same_strings(const struct mcti_strings *a, const struct mcti_strings *b);

/* Returns true if the lists and profiles of a token are the same. */
bool mcti_config_same_lists(const struct mcti_config_rules *a, const struct mcti_config_rules *b);

/* Returns true if the token `a` of `x` is the token `b` of `y`, with the same settings. */
typedef bool (*mcti_same_token_fn)(const struct mcti_config *x, size_t a, const struct mcti_config *y, size_t b);

/* Gives the rules of `fresh` the addresses of those of `old` that they replace: everything that points to these now has
 * the new rules. Rules of tokens that are not in `fresh` remove all tools. Returns -1 when out of memory. */
int mcti_config_carry_rules(struct mcti_config *fresh, struct mcti_config *old, mcti_same_token_fn same);

/* Returns the rules of the owner, whose requests have no token. Valid as long as the configuration. */
struct mcti_ruled mcti_config_ruled(const struct mcti_config *c);

/* ---- config.c ---- */

/* Returns the rules for exposed names. */
struct mcti_naming mcti_config_naming(const struct mcti_config *c, enum mcti_prefix prefix);

#endif
