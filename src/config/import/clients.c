/*
 * "mcpServers" and its relatives: the entries that Claude Desktop, Claude Code, Cursor, VS Code, Windsurf, Gemini CLI,
 * Cline, Copilot CLI, Kiro, mcporter and others write. They differ little; where two of them mean different things by a
 * key, the name of the file decides.
 */
#include "config/import/impl.h"

#define OWNER struct mcti_config_server

static const struct mcti_config_field filter_fields[] = {
    FIELD_STRINGS("include", allow, "Globs of tools that are available."),
    FIELD_STRINGS("exclude", deny, "Globs of tools that are not."),
    { 0 },
};

static const struct mcti_word protocol_versions[] = {
    { "auto", MCT_MATCH_AUTO },
    { "legacy", MCT_PROTOCOL_LEGACY },
    { 0 },
};

/* Seconds, unless the entry is one of Gemini CLI's, or the number is too large for them. */
static bool clients_read_timeout(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    enum { DAY_S = 86400, LONG_S = 10000 };
    static const char *const geminis[] = { "httpUrl", "includeTools", "excludeTools", "trust" };
    struct mcti_config_server *s = to;
    double n = mcti_json_double(m->value);
    bool is_ms = n > DAY_S;
    for (size_t i = 0; i < sizeof geminis / sizeof *geminis; i++)
        is_ms |= mcti_json_get(at->entry, geminis[i]).p != NULL;
    if (mcti_json_type(m->value) != '0' || !(n >= 0))
        return false;
    if (is_ms) {
        mcti_special_say(at, m, false, "is read as milliseconds; mcptools counts seconds: write %g", n / 1000);
        return mcti_special_call_ms(at, m, to);
    }
    if (n >= LONG_S)
        mcti_special_say(at, m, false, "is %g hours; if milliseconds were meant, write %g", n / 3600, n / 1000);
    s->timeout_ms = (unsigned)(n * 1000);
    return true;
}

static bool clients_read_lifecycle(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    struct mcti_str word = m->value;
    (void)at;
    if (mcti_json_type(word) == '{')
        word = mcti_json_get(word, "mode");
    if (mcti_json_is(word, "lazy") || mcti_json_is(word, "ephemeral"))
        s->lifecycle = MCT_LIFECYCLE_LAZY;
    else if (mcti_json_is(word, "eager") || mcti_json_is(word, "keep-alive"))
        s->lifecycle = MCT_LIFECYCLE_EAGER;
    return s->lifecycle != MCT_LIFECYCLE_PRESET;
}

const struct mcti_config_field mcti_config_client_fields[] = {
    FIELD_SPECIAL("timeout", clients_read_timeout, "must be a number of seconds from 0 to 86400",
                  "Gemini CLI and others: milliseconds."),
    FIELD_SPECIAL("type", mcti_special_type, MUST_BE_TYPE, "VS Code, Cline, opencode: further words for transports."),
    FIELD_SPECIAL("transport", mcti_special_type, MUST_BE_TYPE, "The same."),
    FIELD_SPECIAL("transportType", mcti_special_type, MUST_BE_TYPE, "Cline before 4: the same."),
    FIELD_STRING("serverUrl", url, "Windsurf, Antigravity, mcporter: `url`."),
    FIELD_STRING("baseUrl", url, "mcporter: `url`."),
    FIELD_SPECIAL("httpUrl", mcti_special_http_url, MUST_BE_TEXT, "Gemini CLI, Qwen: `url` of Streamable HTTP."),
    FIELD_STRING("workingDirectory", cwd, "OpenClaw, Junie: `cwd`."),
    FIELD_STRING("working_directory", cwd, "Warp: `cwd`."),
    FIELD_SPECIAL("auth", mcti_special_auth, "must be an object",
                  "Also the words `oauth` and `none`; Cursor: `CLIENT_ID`."),
    FIELD_SPECIAL("tools", mcti_special_tools, "must be an object, or a list of names", "Copilot CLI: names of tools."),
    FIELD_SPECIAL("bearerToken", mcti_special_bearer, MUST_BE_TEXT, "mcporter: `auth.token`."),
    FIELD_SPECIAL("bearerTokenEnv", mcti_special_bearer_variable, MUST_BE_TEXT, "mcporter: variable of `auth.token`."),
    FIELD_SPECIAL("bearerTokenEnvVar", mcti_special_bearer_variable, MUST_BE_TEXT, "Kimi: the same."),
    FIELD_SPECIAL("allowedTools", mcti_special_allow, MUST_BE_NAMES, "mcporter: `tools.allow`."),
    FIELD_SPECIAL("blockedTools", mcti_special_deny, MUST_BE_NAMES, "mcporter: `tools.deny`."),
    FIELD_SPECIAL("includeTools", mcti_special_allow, MUST_BE_NAMES, "Gemini CLI: `tools.allow`."),
    FIELD_SPECIAL("excludeTools", mcti_special_deny, MUST_BE_NAMES, "Gemini CLI: `tools.deny`."),
    FIELD_SPECIAL("disabledTools", mcti_special_deny, MUST_BE_NAMES, "Windsurf, Kiro, Roo Code: `tools.deny`."),
    FIELD_OBJECT("toolFilter", filter_fields, "OpenClaw: `tools.allow` and `tools.deny`."),
    FIELD_SPECIAL("connectionTimeoutMs", mcti_special_start_ms, MUST_BE_MS, "OpenClaw: `start_timeout`."),
    FIELD_SPECIAL("requestTimeoutMs", mcti_special_call_ms, MUST_BE_MS, "OpenClaw: `timeout`."),
    FIELD_SPECIAL("connectionTimeout", mcti_special_start_ms, MUST_BE_MS, "Continue: `start_timeout`."),
    FIELD_SPECIAL("toolTimeoutMs", mcti_special_call_ms, MUST_BE_MS, "Kimi: `timeout`."),
    FIELD_SPECIAL("request_timeout_ms", mcti_special_call_ms, MUST_BE_MS, "Claude Code: `timeout`."),
    FIELD_REVISION("protocolVersion", protocol, protocol_versions, "mcporter: `protocol`."),
    FIELD_SPECIAL("environment", mcti_special_env, "must be an object of strings", "opencode: `env`."),
    FIELD_SPECIAL("command", mcti_special_list, MUST_BE_COMMAND, "opencode, mcporter: also a list with the arguments."),
    FIELD_STRING("base_url", url, "mcporter: `url`."),
    FIELD_STRING("server_url", url, "mcporter: `url`."),
    FIELD_STRING("executable", command, "mcporter: `command`."),
    FIELD_SPECIAL("bearer_token", mcti_special_bearer, MUST_BE_TEXT, "mcporter: `auth.token`."),
    FIELD_SPECIAL("bearer_token_env", mcti_special_bearer_variable, MUST_BE_TEXT,
                  "mcporter: variable of `auth.token`."),
    FIELD_SPECIAL("lifecycle", clients_read_lifecycle, "must be `eager`, `lazy`, `keep-alive` or `ephemeral`",
                  "mcporter: also `keep-alive` (`eager`) and `ephemeral` (`lazy`)."),
    FIELD_LATER("envFile", NO_ENV_FILE, "Cursor, VS Code."),
    FIELD_LATER("headersHelper", NO_HELPER, "Claude Code."),
    FIELD_SPECIAL("oauth", mcti_special_oauth, MUST_BE_OAUTH, "Several: keys of `auth`."),
    FIELD_STRING("oauthClientId", oauth.client_id, "mcporter, Copilot CLI: `auth.client_id`."),
    FIELD_STRING("oauthClientSecret", oauth.client_secret, "mcporter: `auth.client_secret`."),
    FIELD_SPECIAL("oauthScope", mcti_special_scope, MUST_BE_TEXT, "mcporter: `auth.scopes`."),
    FIELD_STRINGS("oauthScopes", oauth.scopes, "Amazon Q: `auth.scopes`."),
    FIELD_LATER("authProviderType", NO_DISCOVERY, "Gemini CLI."),
    FIELD_LATER("trust", NO_APPROVAL, "Gemini CLI."),
    FIELD_LATER("autoApprove", NO_APPROVAL, "Cline, Kiro."),
    FIELD_LATER("alwaysAllow", NO_APPROVAL, "Roo Code."),
    FIELD_LATER("alwaysLoad", NO_MEANING, "Claude Code."),
    FIELD_LATER("deferTools", NO_MEANING, "Copilot CLI."),
    FIELD_LATER("supportsParallelToolCalls", NO_MEANING, "OpenClaw."),
    FIELD_LATER("sslVerify", NO_TLS, "OpenClaw."),
    FIELD_LATER("clientCert", NO_TLS, "OpenClaw."),
    FIELD_LATER("clientKey", NO_TLS, "OpenClaw."),
    FIELD_LATER("dev", NO_MEANING, "VS Code."),
    FIELD_LATER("sandboxEnabled", "has no effect: mcptools does not run the server in a sandbox", "VS Code."),
    FIELD_LATER("gallery", NO_MEANING, "VS Code."),
    FIELD_LATER("version", NO_MEANING, "VS Code."),
    FIELD_LATER("watchPaths", NO_MEANING, "Roo Code."),
    FIELD_LATER("logging", NO_MEANING, "mcporter."),
    FIELD_LATER("httpFetch", NO_MEANING, "mcporter."),
    { 0 },
};

/* ---- timeouts, and what else depends on the file ---- */

static const struct mcti_config_field ms_fields[] = {
    FIELD_SPECIAL("timeout", mcti_special_call_ms, MUST_BE_MS, "`timeout`, in milliseconds."),
    { 0 },
};

static const struct mcti_config_field claude_fields[] = {
    FIELD_SPECIAL("timeout", mcti_special_call_s, MUST_BE_MS,
                  "`timeout`, in milliseconds; values below 1000 are seconds."),
    { 0 },
};

static const struct mcti_config_field vscode_fields[] = {
    FIELD_SPECIAL("env", mcti_special_env, "must be an object of strings, numbers or null", "`env`; also numbers."),
    { 0 },
};

static const struct mcti_config_field line_fields[] = {
    FIELD_SPECIAL("command", mcti_special_command, MUST_BE_COMMAND, "A command line, or a list with the arguments."),
    { 0 },
};

static const struct mcti_config_field zed_command_fields[] = {
    FIELD_STRING("path", command, "`command`."),
    FIELD_STRINGS("args", args, "`args`."),
    FIELD_PAIRS("env", env, "`env`."),
    { 0 },
};

/* Earlier versions of Zed wrote an object here. */
static bool read_zed_command(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    return mcti_special_object(at, m, zed_command_fields, to) || mcti_special_list(at, m, to);
}

static const struct mcti_config_field zed_fields[] = {
    FIELD_SPECIAL("command", read_zed_command, MUST_BE_COMMAND, "Also an object with `path`, `args` and `env`."),
    FIELD_LATER("source", NO_MEANING, "Zed."),
    FIELD_LATER("remote", NO_MEANING, "Zed."),
    FIELD_LATER("settings", "has no effect: it is for servers that extensions of Zed start", "Zed."),
    { 0 },
};

#define TABLES(...)                                                                                                    \
    (const struct mcti_config_field *const[])                                                                          \
    {                                                                                                                  \
        __VA_ARGS__ mcti_config_client_fields, mcti_config_server_fields, NULL                                         \
    }

/* Gemini CLI lists in "mcp" which servers may be used. */
static void read_gemini_rest(struct mcti_config_place *at, struct mcti_str root)
{
    struct mcti_str mcp = mcti_json_get(root, "mcp"), item;
    const struct mcti_str allowed = mcti_json_get(mcp, "allowed"), excluded = mcti_json_get(mcp, "excluded");
    for (size_t i = 0; i < at->config->n_servers; i++) {
        struct mcti_config_server *s = &at->config->servers[i];
        bool is_allowed = mcti_json_type(allowed) != '[', is_excluded = false;
        for (struct mcti_json_iter it = mcti_json_open(allowed); mcti_json_next_item(&it, &item);)
            is_allowed |= mcti_json_is(item, s->name);
        for (struct mcti_json_iter it = mcti_json_open(excluded); mcti_json_next_item(&it, &item);)
            is_excluded |= mcti_json_is(item, s->name);
        if (s->file && !strcmp(s->file, at->file) && (!is_allowed || is_excluded))
            s->enabled = false;
    }
}

const struct mcti_config_format mcti_format_gemini = {
    .name = "gemini",
    .title = "Gemini CLI, `.gemini/settings.json`",
    .container = "mcpServers",
    .files = "*.gemini/settings.json *.qwen/settings.json *gemini-extension.json */gemini-cli/settings.json",
    .tables = TABLES(ms_fields, ),
    .variables = MCT_VARIABLES_DOLLAR | MCT_VARIABLES_EDITOR,
    .read_rest = read_gemini_rest,
};

const struct mcti_config_format mcti_format_cline = {
    .name = "cline",
    .title = "Cline, `cline_mcp_settings.json`",
    .container = "mcpServers",
    .files = "*cline_mcp_settings.json",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_NONE,
    .is_sse = true,
};

const struct mcti_config_format mcti_format_copilot = {
    .name = "copilot",
    .title = "Copilot CLI, `.copilot/mcp-config.json`",
    .container = "mcpServers",
    .files = "*.copilot/mcp-config.json */.github/mcp.json",
    .tables = TABLES(ms_fields, ),
    .variables = MCT_VARIABLES_DOLLAR | MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_mcporter = {
    .name = "mcporter",
    .title = "mcporter, `mcporter.json`",
    .container = "mcpServers",
    .files = "*mcporter.json *mcporter.jsonc",
    .tables = TABLES(line_fields, ),
    .variables = MCT_VARIABLES_WHOLE | MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_claude_code = {
    .name = "claude-code",
    .title = "Claude Code, `.mcp.json`",
    .container = "mcpServers",
    .files = "*.mcp.json *.claude.json */managed-mcp.json",
    .tables = TABLES(claude_fields, ),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_claude_desktop = {
    .name = "claude-desktop",
    .title = "Claude Desktop, LM Studio",
    .container = "mcpServers",
    .files = "*claude_desktop_config.json */.lmstudio/mcp.json */lm-studio/mcp.json",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_NONE,
};

const struct mcti_config_format mcti_format_amazonq = {
    .name = "amazonq",
    .title = "Amazon Q, `mcp.json` and agents",
    .container = "mcpServers",
    .files = "*.amazonq/mcp.json *.aws/amazonq/*.json",
    .tables = TABLES(ms_fields, ),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_crush = {
    .name = "crush",
    .title = "Crush, `crush.json`",
    .container = "mcp",
    .files = "*crush.json",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_DOLLAR | MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_flat = {
    .name = "warp",
    .title = "Warp, `.warp/.mcp.json` without a key around the entries",
    .container = "",
    .files = "*.warp/.mcp.json *.agents/.mcp.json",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_native = {
    .name = "mcpServers",
    .title = "mcptools, Claude Desktop, Cursor, Windsurf, Kiro and others",
    .container = "mcpServers",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_servers = {
    .name = "vscode",
    .title = "VS Code, `.vscode/mcp.json`",
    .container = "servers",
    .tables = TABLES(vscode_fields, ),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_mcp_servers = {
    .name = "mcp_servers",
    .title = "Warp, Hermes, nexo's sidecar file",
    .container = "mcp_servers",
    .notations = 1 << MCT_NOTATION_JSON | 1 << MCT_NOTATION_YAML,
    .tables = TABLES(),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_nested = {
    .name = "mcp.servers",
    .title = "VS Code, `settings.json`",
    .container = "mcp.servers",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_amp = {
    .name = "amp",
    .title = "Amp, `settings.json`",
    .container = "amp.mcpServers",
    .tables = TABLES(),
    .variables = MCT_VARIABLES_EDITOR,
};

const struct mcti_config_format mcti_format_zed = {
    .name = "zed",
    .title = "Zed, `settings.json`",
    .container = "context_servers",
    .tables = TABLES(zed_fields, ),
    .variables = MCT_VARIABLES_NONE,
};

/* ---- OpenClaw ---- */

/* Its entries have keys that no other program's have; its file has sections that editors' do not. */
static bool fits_openclaw(struct mcti_str root, struct mcti_str entries)
{
    static const char *const sections[] = { "agents", "gateway", "channels", "plugins", NULL };
    static const char *const keys[] = { "toolFilter",       "connectionTimeoutMs",       "requestTimeoutMs",
                                        "workingDirectory", "supportsParallelToolCalls", NULL };
    struct mcti_json_member m;
    for (size_t i = 0; sections[i]; i++)
        if (mcti_json_type(mcti_json_get(root, sections[i])) == '{')
            return true;
    for (struct mcti_json_iter it = mcti_json_open(entries); mcti_json_next_member(&it, &m);)
        for (size_t i = 0; keys[i]; i++)
            if (mcti_json_get(m.value, keys[i]).p)
                return true;
    return false;
}

const struct mcti_config_format mcti_format_openclaw = {
    .name = "openclaw",
    .title = "OpenClaw, `openclaw.json`",
    .container = "mcp.servers",
    .files = "*openclaw.json *openclaw.json5 *.openclaw/*",
    .fits = fits_openclaw,
    .notations = 1 << MCT_NOTATION_JSON | 1 << MCT_NOTATION_JSON5,
    .tables = TABLES(),
    .variables = MCT_VARIABLES_EDITOR,
    .is_sse = true,
};
