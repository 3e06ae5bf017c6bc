/* The keys of "mcptools". Those of "policy", "serve.tokens" and "hooks": policy.c, tokens.c and settings/hooks.c. */
#include "base/limits.h"
#include "config/read_impl.h"
#include "config/sandbox/fields.h"

#define OWNER struct mcti_config

const struct mcti_word mcti_compat_words[] = { { "2026.2", MCT_COMPAT_2026_2 }, { 0 } };

static const struct mcti_config_field names_fields[] = {
    FIELD_WORD("scheme", scheme, mcti_scheme_words,
               "How exposed names are made: `double` makes `SERVER__TOOL`, `mcp` `mcp__SERVER__TOOL`, `nexo` "
               "`mcp_SERVER_TOOL`, `bare` `TOOL`."),
    FIELD_STRING("separator", separator, "Separates the name of the server from that of the tool.",
                 .preset = "the separator of the scheme"),
    FIELD_UINT("max_length", name_max, 16, 128, "Longest exposed name. Longer ones are cut and end in a hash.",
               .unit = "characters"),
    { 0 },
};

static const struct mcti_config_field limits_fields[] = {
    FIELD_UINT("message_bytes", message_bytes, 4096, 1u << 30, "Largest JSON-RPC message, in either direction.",
               .unit = "bytes"),
    FIELD_SECONDS("call_timeout_s", call_timeout_ms, 0, 86400,
                  "Time limit of one call, for servers without `timeout`. Progress extends it up to tenfold."),
    FIELD_SECONDS(
        "start_timeout_s", start_timeout_ms, 1, 3600,
        "Time limit for starting a server, for servers without `start_timeout`. Programs that install packages "
        "first are `npx`, `uvx`, `docker run` and the like.",
        .preset = "30; 300 for programs that install packages first, and under `serve` for each program"),
    FIELD_UINT(
        "parallel_starts", parallel_starts, 1, 100000,
        "Servers that are started at the same time. The others follow when these are up, have failed, or take long.",
        .preset = "8 for each CPU"),
    FIELD_SECONDS("idle_timeout_s", idle_ms, 0, 604800,
                  "A server without calls and subscriptions for this time is stopped, for servers without "
                  "`idle_timeout`. 0: never.",
                  .preset = "0; 600 for lazy servers"),
    FIELD_SECONDS("list_wait_s", list_wait_ms, 0, 3600,
                  "How long lists and the answer to `initialize` wait for a server that is starting. If it is ready "
                  "later, clients get `list_changed`."),
    FIELD_UINT("server_connections", server_connections, 1, 100000,
               "Connections to one server beside the shared one (`isolation`, `capabilities`)."),
    FIELD_UINT(
        "server_calls", server_calls, 1, 100000,
        "Calls that run at one server at a time, for servers without `max_calls`. Further ones wait, within their "
        "time limit; clients take turns."),
    FIELD_UINT(
        "server_queue", server_queue, 1, 1000000,
        "Calls that wait at one server. One more is refused, or takes the place of the newest call of the client "
        "that has most waiting."),
    FIELD_UINT("breaker_failures", breaker_failures, 0, 1000000,
               "So many failures of a server in a row, or twice as many if they are half of its calls in a minute, and "
               "calls to it are refused for a while. 0: never."),
    FIELD_SECONDS("breaker_pause_s", breaker_pause_ms, 1, 3600,
                  "How long calls are refused the first time. The pause doubles up to 60 s while the server does not "
                  "recover; up to half of it is left out at random."),
    FIELD_UINT(
        "calls_per_minute", rate.per_minute, 0, 10000000,
        "Calls that all clients together may make in a minute. Requests for lists and the like are counted apart, "
        "at ten times the rate. 0: no limit."),
    FIELD_UINT("calls_burst", rate.burst, 0, 10000000, "How many of these calls may come at once.",
               .preset = "the calls of ten seconds"),
    FIELD_UINT("server_requests", server_requests, 1, 100000,
               "Concurrent requests on one connection to a URL. Further ones wait, within their time limit."),
    FIELD_UINT("page_items", page_items, 1, 1u << 20,
               "Items on one page of a merged list. Cursors lead to the rest of the same snapshot.", .unit = "items"),
    FIELD_UINT("connections", connections, 1, 1000000, "Concurrent HTTP connections of clients."),
    FIELD_UINT("sessions", sessions, 1, 1000000, "Concurrent sessions of clients."),
    FIELD_SECONDS("drain_s", drain_ms, 0, 3600, "Time that running calls get to end when `serve` stops."),
    FIELD_BYTES("memory_bytes", memory_bytes, 1u << 20, MCT_LIMIT_MEMORY_MAX,
                "Memory that all clients and servers together may make the gateway hold."),
    FIELD_UINT("principal_share", principal_share, 1, 100, "Share of `limits.memory_bytes` for one token.",
               .unit = "percent"),
    FIELD_UINT("client_share", client_share, 1, 100, "Share of `limits.memory_bytes` for one connection or session.",
               .unit = "percent"),
    FIELD_UINT("server_share", server_share, 1, 100, "Share of `limits.memory_bytes` for the calls to one server.",
               .unit = "percent"),
    FIELD_UINT("subscriptions", subscriptions, 1, 1u << 24,
               "Resources that all sessions of one token together are notified about. One session is notified about at "
               "most 1024."),
    { 0 },
};

static const struct mcti_config_field serve_fields[] = {
    FIELD_STRING("http", serve_http, "`HOST:PORT` to listen on. An address other than loopback needs `serve.tokens`."),
    FIELD_TOKENS("tokens", mcti_config_token_fields,
                 "Bearer tokens of clients: each a string, or an object with the keys below."),
    FIELD_STRINGS("hosts", hosts, "Further names that the Host header of a request may have."),
    FIELD_STRINGS("origins", origins,
                  "Web origins whose pages may use the gateway; they get CORS headers. Each is written out: "
                  "`https://app.example.com`."),
    FIELD_BOOL("legacy_sse", legacy_sse, "`true` also serves HTTP+SSE of 2024-11-05, at `/sse` and `/sse/SERVER`."),
    FIELD_STRING("access_log", access_log,
                 "File with a line of JSON for each HTTP request, or `-` for stderr. It has no queries, headers, "
                 "bodies, tokens or unknown paths."),
    FIELD_DIALECTS("dialects", prefs, "Resource tools for clients that choose none: names of dialects."),
    FIELD_ENUM("mode", prefs.mode, mcti_mode_words,
               "Tools for clients that choose no mode: `full` shows every tool, `router` resource tools only, `search` "
               "three tools that find, describe and call the others.",
               .preset = "`full`"),
    FIELD_ENUM("schemas", prefs.schemas, mcti_schemas_words,
               "Schemas and descriptions of tools for clients that choose none: `original`, or as the named model "
               "provider accepts them, for clients that pass them on unchanged.",
               .preset = "`original`"),
    FIELD_OBJECT("apps", mcti_config_apps_fields, "MCP Apps, see docs/EXTENSIONS.md."),
    FIELD_BOOL("watch", watch, "`false` reads changed configuration files at SIGHUP only, not as soon as they change."),
    FIELD_STRING("audit_log", audit_log,
                 "File with a line of JSON for each call that has ended, or `-` for stderr: caller, tool, outcome, "
                 "duration and sizes, without arguments and results."),
    { 0 },
};

static const struct mcti_config_field lines_fields[] = {
    FIELD_UINT("whole_chars", dialect.whole, 1, 1u << 30, "Dialect `lines`: longest content that is shown whole.",
               .preset = "10000, or `shown_chars` if only that is set", .unit = "characters"),
    FIELD_UINT("shown_chars", dialect.shown, 0, 1u << 30,
               "Dialect `lines`: how much of a longer content is shown, from its beginning.", .unit = "characters"),
    FIELD_ENUM("language", dialect.language, mcti_language_words,
               "Dialect `lines`: language of the first line of a block, Chinese (`zh`) or English (`en`).",
               .preset = "`zh`; for `mcptools agent`, the locale"),
    FIELD_BOOL("kernel", dialect.lines_kernel, "Dialect `lines`: `true` makes a time-out a state of its own."),
    FIELD_BOOL("one_line", dialect.lines_short, "Dialect `lines`: `true` writes state, data and meta on one line."),
    { 0 },
};

static const struct mcti_config_field cache_fields[] = {
    FIELD_BOOL("enabled", cache.enabled, "`true` keeps the results of `resources/read` for a while."),
    FIELD_BOOL("by_ttl", cache.by_ttl,
               "`false` does not keep results of 2026-07-28 servers for the time that they give them (`ttlMs`)."),
    FIELD_SECONDS("ttl_s", cache.ttl_ms, 0, 86400, "Longest time that a result stays in the cache."),
    FIELD_UINT("max_entries", cache.max_entries, 1, 1u << 20, "Largest number of cached results."),
    FIELD_UINT("max_bytes", cache.max_bytes, 1, 1u << 30, "Largest total size of cached results.", .unit = "bytes"),
    { 0 },
};

static const struct mcti_config_field mcp_fields[] = {
    FIELD_UINT("list_max_resources", dialect.list_max, 1, 1u << 20, "Entries in a list if the model gives no number.",
               .unit = "entries"),
    FIELD_UINT("list_max_resources_ceiling", dialect.list_ceiling, 1, 1u << 20,
               "Upper limit of the number of entries in a list.", .unit = "entries"),
    FIELD_UINT("resource_max_bytes", dialect.read_max, 1, 1u << 30, "Size of one text if the model gives none.",
               .unit = "bytes"),
    FIELD_UINT("resource_max_bytes_ceiling", dialect.read_ceiling, 1, 1u << 30, "Upper limit of the size of one text.",
               .unit = "bytes"),
    FIELD_STRINGS(
        "resource_uri_allowlist", uri_allow,
        "URI schemes that may be read, such as `https`. The list also applies to `resources/read` of clients.",
        .preset = "every scheme"),
    FIELD_SECONDS("list_timeout_s", dialect.list_ms, 1, 3600,
                  "Time limit of a list, for all servers together. A list waits so long for slow servers."),
    FIELD_SECONDS("read_timeout_s", dialect.read_ms, 1, 3600, "Time limit of a read, for all servers together."),
    FIELD_SECONDS(
        "list_grace_s", dialect.grace_ms, 0, 3600,
        "How long a list waits for the next server's answer after the latest one. 0: until `list_timeout_s`."),
    FIELD_ENUM(
        "list_errors", dialect.told, mcti_told_words,
        "Dialects `codex`, `bridge` and `claude`: which servers a list names as left out. `late`: those that did "
        "not answer in time, or are being connected again. `all`: also those that are down or refuse."),
    FIELD_UINT("list_max_pages", dialect.max_pages, 1, 1000, "Largest number of pages fetched of one server's list.",
               .unit = "pages"),
    FIELD_STRING("default_server", preferred, "Server that is asked first for a URI that no server lists."),
    FIELD_STRING("blob_dir", blob_dir, "Dialect `claude`: folder for binary contents.",
                 .preset = "in the user's cache"),
    FIELD_STRING("bridge_prefix", bridge_prefix,
                 "Dialect `bridge`: beginning of the names of its tools, for hosts that have tools of these names.",
                 .preset = "`mcp`"),
    FIELD_BOOL("auth_tool", dialect.auth_tool, "Dialect `nexo`: `false` leaves out the tool `McpAuth`."),
    FIELD_BOOL("strict_nexo", dialect.strict_nexo, "Dialect `nexo`: `true` writes results exactly like nexo."),
    FIELD_BOOL("codex_null_fields", dialect.codex_nulls,
               "Dialect `codex`: `true` writes an absent cursor or server as null."),
    FIELD_BOOL("codex_alphabetical", dialect.codex_alphabetical,
               "Dialect `codex`: `true` writes members in alphabetical order, as its first generation does."),
    FIELD_OBJECT("lines", lines_fields, "Options of the dialect `lines`."),
    FIELD_OBJECT("resource_cache", cache_fields, "Cache of the results of reads."),
    { 0 },
};

static const struct mcti_word auth_stores[] = { { "file", 0 }, { "secret-service", 0 }, { "memory", 0 }, { 0 } };

static const struct mcti_config_field auth_fields[] = {
    FIELD_WORD(
        "store", auth_store, auth_stores,
        "Where logins are kept: `file` in a folder of the user, `secret-service` in such files, sealed with a key "
        "of the desktop's keyring, `memory` until the program ends.",
        .preset = "`file`"),
    { 0 },
};

/* A list of names, or "all" or true for all. */
static bool read_import(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config *c = to;
    struct mcti_str item;
    (void)at;
    c->import_all = mcti_json_true(m->value) || mcti_json_is(m->value, "all");
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_item(&it, &item);) {
        char *name = mcti_json_dup(item);
        int r = name ? mcti_strings_add(&c->import, mcti_str_of(name)) : -1;
        free(name);
        if (r < 0)
            return false;
    }
    return c->import_all || mcti_json_type(m->value) == '[' || mcti_json_type(m->value) == 'f';
}

static const struct mcti_config_field registry_fields[] = {
    FIELD_STRING("url", packages_url,
                 "Base URL of the registry. `--registry` and the variable `MCPTOOLS_REGISTRY_URL` have precedence.",
                 .preset = "the official MCP registry"),
    { 0 },
};

static const struct mcti_config_field sandbox_fields[] = {
    FIELDS_OF_SANDBOX("`off`"),
    { 0 },
};

static const struct mcti_config_field telemetry_fields[] = {
    FIELD_STRING("endpoint", telemetry.endpoint,
                 "Base URL of a collector for OTLP over HTTP, such as `http://127.0.0.1:4318`. The variables of "
                 "OpenTelemetry (`OTEL_EXPORTER_OTLP_ENDPOINT` and others) win over this section.",
                 .preset = "none: telemetry is off"),
    FIELD_PAIRS("headers", telemetry.headers, "Headers of the requests to the collector."),
    FIELD_BOOL("traces", telemetry.traces, "`false` sends no spans, and passes the trace context on unchanged."),
    FIELD_BOOL("metrics", telemetry.metrics, "`false` sends no durations."),
    FIELD_BOOL("logs", telemetry.logs, "`false` sends no log messages."),
    FIELD_BOOL("arguments", telemetry.arguments,
               "`true` adds the arguments and results of tools to spans, which may be secret. Each is cut at 4 KiB."),
    { 0 },
};

const struct mcti_config_field mcti_config_settings_fields[] = {
    FIELD_SPECIAL("import", read_import, "must be a list of programs (\"cursor\", \"codex\" …), \"all\", true or false",
                  "Programs whose servers are used, too: a list of names (docs/CLIENTS.md), or `\"all\"`. "
                  "Their files are read where they lie; see docs/IMPORTING.md.",
                  .unit = "list of strings, or `\"all\"`", .preset = "none", .first_only = true),
    FIELD_ENUM("lifecycle", lifecycle, mcti_lifecycle_words, "As `lifecycle` of a server, for servers without it.",
               .preset = "`eager`", .first_only = true),
    FIELD_STRINGS("env_inherit", env_inherit, "As `env_inherit` of a server, for all servers.", .first_only = true),
    FIELD_OBJECT("sandbox", sandbox_fields,
                 "As `sandbox` of a server, for all servers with `command`. Paths and `allow` add up; of the other "
                 "keys, those of the server win.",
                 .words = mcti_sandbox_modes, .first_only = true),
    FIELD_OBJECT("names", names_fields, "How tools and prompts are named.", .first_only = true),
    FIELD_OBJECT("limits", limits_fields, "Time limits, sizes and numbers.", .first_only = true),
    FIELD_OBJECT("serve", serve_fields, "The gateway.", .first_only = true),
    FIELD_OBJECT("policy", mcti_config_policy_fields, "Which tools are available, and to which clients."),
    FIELD_OBJECT("results", mcti_config_results_fields, "Results of tools that are too long for a conversation.",
                 .first_only = true),
    FIELD_OBJECT("auth", auth_fields, "Logins at servers.", .first_only = true),
    FIELD_OBJECT("mcp", mcp_fields, "Resource tools.", .first_only = true),
    FIELD_OBJECT("registry", registry_fields,
                 "The registry in which `mcptools search` and `mcptools add` find servers.", .first_only = true),
    FIELD_OBJECT("telemetry", telemetry_fields, "Spans, durations and log messages for a collector of OpenTelemetry.",
                 .first_only = true),
    FIELD_HOOKS("hooks", mcti_config_hook_fields,
                "Programs that run around calls of tools: objects with the keys below."),
    FIELD_ENUM("hooks_compat", hooks_compat, mcti_compat_words, "`2026.2` runs hooks by the rules of OpenClaw 2026.2.",
               .preset = "current rules", .first_only = true),
    { 0 },
};
