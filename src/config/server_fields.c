/* The keys of an entry of "mcpServers". */
#include "config/read_impl.h"
#include "config/sandbox/fields.h"

#define OWNER struct mcti_config_server

static const char not_yet[] = "has no effect in this version";

enum {
    ONLY_OPENCLAW = 1 << MCT_SERVER_OPENCLAW,
    ONLY_PLUGIN = 1 << MCT_SERVER_PLUGIN,
    ONLY_PATH = ONLY_PLUGIN | 1 << MCT_SERVER_SKILLS
};

const struct mcti_word mcti_server_types[] = {
    { "stdio", MCT_SERVER_STDIO },       { "streamable-http", MCT_SERVER_STREAMABLE_HTTP },
    { "http", MCT_SERVER_HTTP },         { "sse", MCT_SERVER_SSE },
    { "openclaw", MCT_SERVER_OPENCLAW }, { "plugin", MCT_SERVER_PLUGIN },
    { "skills", MCT_SERVER_SKILLS },     { 0 },
};

static const struct mcti_word protocols[] = {
    { "auto", MCT_MATCH_AUTO },
    { "match", MCT_MATCH_ALL },
    { "single", MCT_MATCH_NONE },
    { "legacy", MCT_PROTOCOL_LEGACY },
    { 0 },
};

static const struct mcti_word isolations[] = {
    { "shared", MCT_SHARED },
    { "session", MCT_BY_SESSION },
    { "principal", MCT_BY_PRINCIPAL },
    { 0 },
};

static const struct mcti_word hooks_if_down_words[] = {
    { "block", MCT_HOOKS_BLOCK },
    { "pass", MCT_HOOKS_PASS },
    { 0 },
};

static const struct mcti_word capability_sets[] = {
    { "all", MCT_CAPABILITIES_ALL },
    { "client", MCT_CAPABILITIES_CLIENT },
    { 0 },
};

static const struct mcti_word extension_wishes[] = {
    { "pass", MCT_EXTENSIONS_SINGLE },
    { "none", MCT_EXTENSIONS_NONE },
    { 0 },
};

static const struct mcti_word progress_wishes[] = {
    { "asked", MCT_PROGRESS_ASKED },
    { "always", MCT_PROGRESS_ALWAYS },
    { 0 },
};

const struct mcti_word mcti_lifecycle_words[] = {
    { "eager", MCT_LIFECYCLE_EAGER },
    { "lazy", MCT_LIFECYCLE_LAZY },
    { 0 },
};

static const struct mcti_word list_change_wishes[] = {
    { "all", MCT_LIST_CHANGED_ALL },
    { "different", MCT_LIST_CHANGED_DIFFERENT },
    { 0 },
};

static const struct mcti_word resource_tool_wishes[] = {
    { "asked", MCT_RESOURCE_TOOLS_ASKED },
    { "always", MCT_RESOURCE_TOOLS_ALWAYS },
    { "never", MCT_RESOURCE_TOOLS_NEVER },
    { 0 },
};

const struct mcti_config_field mcti_config_tools_fields[] = {
    FIELD_STRINGS("allow", allow,
                  "Globs over the server's own tool names. Only tools that match one of them are available.",
                  .preset = "every tool"),
    FIELD_STRINGS(
        "deny", deny,
        "Globs over the server's own tool names. Tools that match are not available, even if `allow` names them."),
    FIELD_LATER("rename", not_yet, "Accepted, without effect in this version."),
    { 0 },
};

/* Keys under OpenClaw's names; its workspaceDir is workingDir here. */
static const struct mcti_config_field context_fields[] = {
    FIELD_STRING("agentDir", agent_dir, "The agent's folder, relative to the folder of the configuration file."),
    FIELD_STRING("agentId", agent_id, "The id of the agent."),
    FIELD_STRING("sessionKey", session_key, "The key of the agent's session."),
    FIELD_STRING("messageChannel", message_channel, "The channel that the agent's messages come from."),
    FIELD_STRING("agentAccountId", agent_account_id, "The id of the agent's account."),
    FIELD_BOOL("sandboxed", sandboxed, "Tells the plugin that its agent runs in a sandbox."),
    { 0 },
};

static const struct mcti_config_field sandbox_fields[] = {
    FIELDS_OF_SANDBOX("`mcptools.sandbox`, otherwise `off`; `mcptools add` writes `best-effort`"),
    { 0 },
};

const struct mcti_config_field mcti_config_server_fields[] = {
    FIELD_ENUM(
        "type", type, mcti_server_types,
        "The transport, or the kind of plugin; `skills` serves a folder. `http` is the same as `streamable-http`.",
        .preset = "`stdio` with `command`; Streamable HTTP, then HTTP+SSE with `url`"),
    FIELD_ENUM("transport", type, mcti_server_types, "Another name of `type`.", .preset = "none"),
    FIELD_STRING("command", command,
                 "The program to start; it speaks MCP on stdin and stdout. Variables and a leading `~` are expanded."),
    FIELD_STRINGS("args", args, "The arguments of `command`. Variables are expanded."),
    FIELD_PAIRS(
        "env", env,
        "Environment variables of the program, in addition to those that every child gets. Variables are expanded."),
    FIELD_STRINGS("env_inherit", env_inherit,
                  "Further variables of mcptools that the program gets: names, with `*` and `?`; see below."),
    FIELD_STRING("cwd", cwd, "The working directory of the program. It is also the root that the server gets.",
                 .preset = "the working directory of mcptools"),
    FIELD_STRING(
        "workingDir", cwd,
        "Another name of `cwd`. For plugins: the workspace folder, relative to the folder of the configuration file."),
    FIELD_OBJECT("sandbox", sandbox_fields, "What the program may do on this machine; see docs/SANDBOX.md.",
                 .words = mcti_sandbox_modes),
    FIELD_STRING("url", url, "The URL of a server that runs elsewhere, instead of `command`. Variables are expanded."),
    FIELD_PAIRS("headers", headers, "HTTP headers of each request to `url`. Variables are expanded."),
    FIELD_OBJECT("auth", mcti_config_auth_fields, "Credentials. They are sent to this server only."),
    FIELD_REVISION(
        "protocol", protocol, protocols,
        "Which revisions of MCP the gateway speaks with the server, and over how many connections; see below.",
        .preset = "`auto`"),
    FIELD_BOOL("enabled", enabled, "`false` disables the server."),
    FIELD_BOOL("disabled", disabled, "`true` disables the server, as in the files of several editors."),
    FIELD_BOOL("required", required,
               "`true` makes `/readyz` fail while the server is not connected, or one of its lists is missing."),
    FIELD_BOOL("trusted", trusted,
               "`true` trusts what the tools of this server declare: `readOnlyHint` in read-only mode, and "
               "bare names in `allow` lists."),
    FIELD_BOOL("external", external,
               "`true`: the results of the server are data from outside, as in `policy.external`; see docs/FLOW.md."),
    FIELD_SECONDS(
        "timeout", timeout_ms, 0, 86400,
        "Time limit of one call. Progress extends it up to tenfold, see `progress`. 0 stands for the default.",
        .preset = "`limits.call_timeout_s`"),
    FIELD_ENUM("progress", progress, progress_wishes,
               "`asked`: the server is asked for the progress of a call if the client has asked for it. `always`: for "
               "each call, so that progress extends the time limit of every call."),
    FIELD_ENUM("list_changed", list_changed, list_change_wishes,
               "`all`: clients are told each time that the server announces a changed list. `different`: only if the "
               "list that the gateway fetches then differs."),
    FIELD_UINT(
        "max_calls", max_calls, 1, 100000,
        "Calls that run at the server at a time, over all connections to it. Further ones wait, within their time "
        "limit; clients take turns.",
        .preset = "`limits.server_calls`"),
    FIELD_UINT("calls_per_minute", rate.per_minute, 0, 10000000,
               "Calls that the server gets in a minute. Further ones wait, within their time limit. 0: no limit."),
    FIELD_UINT("calls_burst", rate.burst, 0, 10000000, "How many of these calls may come at once.",
               .preset = "the calls of ten seconds"),
    FIELD_BOOL("breaker", breaker,
               "`false` sends calls to the server however often it fails; see `limits.breaker_failures`."),
    FIELD_SECONDS("start_timeout", start_timeout_ms, 1, 3600, "Time limit for starting the server.",
                  .preset = "`limits.start_timeout_s`"),
    FIELD_SECONDS("ping", ping_ms, 0, 86400,
                  "Time between pings (2026-07-28: `server/discover`). Two pings without an answer end the connection; "
                  "`serve` starts the server again. 0 disables pings.",
                  .preset = "0; type `openclaw`: 15"),
    FIELD_ENUM("hooks_if_down", hooks_if_down, hooks_if_down_words,
               "Type `openclaw`: while a plugin with hooks is not running (it restarts, or its host is down), `block` "
               "refuses the calls of other tools, and `pass` lets them pass with a warning.",
               .only = ONLY_OPENCLAW),
    FIELD_BOOL(
        "retry_reads", retry_reads,
        "`false` does not send reads, prompts and completions once more after a lost connection, or HTTP 502, 503 "
        "or 504."),
    FIELD_BOOL("replay_idempotent", replay_idempotent,
               "`true` does the same for calls of tools that say `readOnlyHint` or `idempotentHint`. No other call is "
               "ever repeated."),
    FIELD_ENUM("pins", pins, mcti_vet_words,
               "What happens to items that differ from their pins, or are new since the server was pinned.",
               .preset = "`policy.pins`"),
    FIELD_ENUM("scan", scan, mcti_vet_words,
               "What happens to items in which the rules of `mcptools scan` find something hard.",
               .preset = "`policy.scan`"),
    FIELD_OBJECT("tools", mcti_config_tools_fields, "Which tools of the server are available."),
    FIELD_ENUM("lifecycle", lifecycle, mcti_lifecycle_words,
               "`eager`: the server is started with mcptools. `lazy`: it is started by its first use; until then its "
               "tools are those that it listed when it ran last. Servers that were never started are started once.",
               .preset = "`lifecycle` of the section `mcptools`"),
    FIELD_SECONDS(
        "idle_timeout", idle_ms, 0, 604800,
        "A server without calls and subscriptions for this time is stopped, and started again by its next use. "
        "0: never.",
        .preset = "`limits.idle_timeout_s`"),
    FIELD_ENUM("isolation", isolation, isolations,
               "Which clients share a connection to the server (over stdio: a process); see below."),
    FIELD_ENUM(
        "resource_tools", resource_tools, resource_tool_wishes,
        "Whether the server gets resource tools of its own. `asked`: only where the dialect `servers` is chosen."),
    FIELD_ENUM("capabilities", capabilities, capability_sets,
               "`all` declares every client capability to the server; if a client lacks one, the server gets an error. "
               "`client` opens a connection for each set of capabilities."),
    FIELD_ENUM(
        "extensions", extensions, extension_wishes,
        "`pass`: extensions and experimental capabilities cross between the server and its clients as far as the "
        "endpoint allows. `none`: they do not, and methods that the gateway does not know are refused."),
    FIELD_LATER("description", "is not used", "Accepted, without effect."),
    FIELD_STRINGS("plugins", plugins,
                  "Type `openclaw`: the folders of the plugins, relative to the folder of the configuration file.",
                  .only = ONLY_OPENCLAW),
    FIELD_STRING(
        "path", plugin_path,
        "Type `plugin`: the shared object. Type `skills`: the folder with the skills. Relative to the folder of "
        "the configuration file.",
        .only = ONLY_PATH),
    FIELD_OBJECT("context", context_fields,
                 "Type `plugin`: the agent's data, passed to the plugin's factories. Variables are expanded.",
                 .only = ONLY_PLUGIN),
    FIELD_BOOL("trial", trial,
               "Type `plugin`: `false` loads the shared object without trying it in a copy of the process first.",
               .only = ONLY_PLUGIN),
    FIELD_JSON("config", plugin_config,
               "Types `openclaw` and `plugin`: the configuration of the plugins. Variables in its texts are expanded.",
               .only = ONLY_OPENCLAW | ONLY_PLUGIN),
    { 0 },
};
