/* The table of client programs, and the paths of their files. */
#include "clients/places.h"

#include "base/buf.h"
#include "clients/scan.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PATHS(...)                                                                                                     \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }
#define CONFIG_HOME "${XDG_CONFIG_HOME:-~/.config}"
#define SUPPORT "~/Library/Application Support"
#define CODE_USER CONFIG_HOME "/Code/User"
#define SERVERS                                                                                                        \
    {                                                                                                                  \
        "mcpServers"                                                                                                   \
    }

const struct mcti_word mcti_client_scopes[] = {
    { "local", MCT_CLIENT_LOCAL },
    { "project", MCT_CLIENT_PROJECT },
    { "user", MCT_CLIENT_USER },
    { 0 },
};

const struct mcti_client mcti_clients[] = {
    { .id = "claude-code",
      .title = "Claude Code",
      .format = "claude-code",
      .project = PATHS(".mcp.json"),
      .user = PATHS("/etc/claude-code/managed-mcp.json", "${CLAUDE_CONFIG_DIR:-~}/.claude.json"),
      .signs = PATHS("~/.claude"),
      .writes = { SERVERS, "\"type\":\"stdio\"", "\"type\":\"http\"", .variable = "${%s}" },
      .settle = mcti_client_settle_claude,
      .has_local = true },
    { .id = "claude-desktop",
      .title = "Claude Desktop",
      .format = "claude-desktop",
      .user = PATHS(CONFIG_HOME "/Claude/claude_desktop_config.json", SUPPORT "/Claude/claude_desktop_config.json"),
      .signs = PATHS(CONFIG_HOME "/Claude", SUPPORT "/Claude"),
      .writes = { SERVERS, .no_http = true } },
    { .id = "cursor",
      .title = "Cursor",
      .format = "mcpServers",
      .project = PATHS(".cursor/mcp.json"),
      .user = PATHS("~/.cursor/mcp.json"),
      .signs = PATHS("~/.cursor", CONFIG_HOME "/Cursor"),
      .writes = { SERVERS, .variable = "${env:%s}", .comments = true, .commas = true } },
    { .id = "vscode",
      .title = "VS Code",
      .project = PATHS(".vscode/mcp.json", "*.code-workspace", ".devcontainer/devcontainer.json", ".devcontainer.json"),
      .user = PATHS(CODE_USER "/mcp.json", CODE_USER "/profiles/*/mcp.json",
                    CONFIG_HOME "/Code - Insiders/User/mcp.json", CONFIG_HOME "/VSCodium/User/mcp.json",
                    "~/.vscode-server/data/User/mcp.json", SUPPORT "/Code/User/mcp.json", CODE_USER "/settings.json"),
      .signs = PATHS(CODE_USER, SUPPORT "/Code/User"),
      .writes = { { "servers" },
                  "\"type\":\"stdio\"",
                  "\"type\":\"http\"",
                  .variable = "${env:%s}",
                  .comments = true,
                  .commas = true } },
    { .id = "codex",
      .title = "Codex",
      .format = "codex",
      .project = PATHS(".codex/config.toml"),
      .user = PATHS("${CODEX_HOME:-~/.codex}/config.toml"),
      .signs = PATHS("${CODEX_HOME:-~/.codex}"),
      .writes = { { "mcp_servers" }, .token_key = "bearer_token_env_var", .comments = true, .commas = true } },
    { .id = "gemini",
      .title = "Gemini CLI",
      .format = "gemini",
      .project = PATHS(".gemini/settings.json"),
      .user = PATHS("${GEMINI_CLI_HOME:-~}/.gemini/settings.json",
                    "${GEMINI_CLI_SYSTEM_SETTINGS_PATH:-/etc/gemini-cli/settings.json}",
                    "${GEMINI_CLI_SYSTEM_DEFAULTS_PATH:-/etc/gemini-cli/system-defaults.json}",
                    "${GEMINI_CLI_HOME:-~}/.gemini/extensions/*/gemini-extension.json"),
      .signs = PATHS("${GEMINI_CLI_HOME:-~}/.gemini"),
      .writes = { SERVERS, .http = "\"type\":\"http\"", .variable = "${%s}", .comments = true },
      .settle = mcti_client_settle_gemini },
    { .id = "windsurf",
      .title = "Windsurf",
      .format = "mcpServers",
      .user = PATHS("~/.codeium/windsurf/mcp_config.json", "~/.codeium/windsurf-next/mcp_config.json",
                    "~/.codeium/mcp_config.json"),
      .signs = PATHS("~/.codeium/windsurf", "~/.codeium"),
      .writes = { SERVERS, .url = "serverUrl", .variable = "${env:%s}" } },
    { .id = "devin",
      .title = "Devin Desktop",
      .format = "mcpServers",
      .user = PATHS(CONFIG_HOME "/devin/mcp_config.json"),
      .signs = PATHS(CONFIG_HOME "/devin"),
      .writes = { SERVERS, .http = "\"transport\":\"http\"" } },
    { .id = "zed",
      .title = "Zed",
      .format = "zed",
      .project = PATHS(".zed/settings.json"),
      .user = PATHS(CONFIG_HOME "/zed/settings.json"),
      .signs = PATHS(CONFIG_HOME "/zed"),
      .writes = { { "context_servers" }, .comments = true, .commas = true } },
    { .id = "opencode",
      .title = "opencode",
      .format = "opencode",
      .project = PATHS(".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"),
      .user =
          PATHS("${OPENCODE_CONFIG:-" CONFIG_HOME "/opencode/opencode.jsonc}", CONFIG_HOME "/opencode/opencode.json",
                CONFIG_HOME "/opencode/config.json", "/etc/opencode/opencode.json"),
      .signs = PATHS(CONFIG_HOME "/opencode"),
      .writes = { { "mcp" },
                  "\"type\":\"local\"",
                  "\"type\":\"remote\"",
                  "\"enabled\":true",
                  .http_more = "\"oauth\":false,\"enabled\":true",
                  .variable = "{env:%s}",
                  .is_list = true,
                  .comments = true,
                  .commas = true } },
    { .id = "copilot",
      .title = "GitHub Copilot CLI",
      .format = "copilot",
      .project = PATHS(".github/mcp.json"),
      .user = PATHS("${COPILOT_HOME:-~/.copilot}/mcp-config.json"),
      .signs = PATHS("${COPILOT_HOME:-~/.copilot}"),
      .writes = { SERVERS, "\"type\":\"local\"", "\"type\":\"http\"", "\"tools\":[\"*\"]", .variable = "${%s}",
                  .comments = true },
      .settle = mcti_client_settle_copilot },
    { .id = "cline",
      .title = "Cline",
      .format = "cline",
      .user = PATHS("${CLINE_MCP_SETTINGS_PATH:-${CLINE_DATA_DIR:-${CLINE_DIR:-~/.cline}/data}"
                    "/settings/cline_mcp_settings.json}",
                    CODE_USER "/globalStorage/*.claude-dev/settings/cline_mcp_settings.json"),
      .signs = PATHS("${CLINE_DIR:-~/.cline}"),
      .writes = { SERVERS, "\"type\":\"stdio\"", "\"type\":\"streamableHttp\"", "\"disabled\":false" } },
    { .id = "roo",
      .title = "Roo Code",
      .format = "mcpServers",
      .project = PATHS(".roo/mcp.json"),
      .user = PATHS(CODE_USER "/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
      .signs = PATHS(CODE_USER "/globalStorage/rooveterinaryinc.roo-cline"),
      .writes = { SERVERS, "\"type\":\"stdio\"", "\"type\":\"streamable-http\"", .variable = "${env:%s}" } },
    { .id = "kilo",
      .title = "Kilo Code",
      .format = "opencode",
      .user = PATHS(CONFIG_HOME "/kilo/kilo.jsonc"),
      .writes = { { "mcp" },
                  "\"type\":\"local\"",
                  "\"type\":\"remote\"",
                  "\"enabled\":true",
                  .http_more = "\"oauth\":false,\"enabled\":true",
                  .variable = "{env:%s}",
                  .is_list = true,
                  .comments = true,
                  .commas = true } },
    { .id = "continue",
      .title = "Continue",
      .project = PATHS(".continue/mcpServers/*.yaml", ".continue/mcpServers/*.yml", ".continue/mcpServers/*.json"),
      .user = PATHS("~/.continue/config.yaml", "~/.continue/mcpServers/*.yaml", "~/.continue/mcpServers/*.yml",
                    "~/.continue/mcpServers/*.json"),
      .signs = PATHS("~/.continue"),
      .writes = { SERVERS, .no_http = true, .file = "~/.continue/mcpServers/mcptools.json" } },
    { .id = "goose",
      .title = "Goose",
      .format = "goose",
      .user = PATHS("${GOOSE_PATH_ROOT:-}/config/config.yaml", CONFIG_HOME "/goose/config.yaml"),
      .signs = PATHS(CONFIG_HOME "/goose"),
      .writes = { { "extensions" },
                  "\"enabled\":true,\"type\":\"stdio\",\"name\":\"mcptools\"",
                  "\"enabled\":true,\"type\":\"streamable_http\",\"name\":\"mcptools\"",
                  "\"timeout\":300",
                  .url = "uri",
                  .command = "cmd",
                  .by_hand = true } },
    { .id = "kiro",
      .title = "Kiro",
      .format = "mcpServers",
      .project = PATHS(".kiro/settings/mcp.json"),
      .user = PATHS("~/.kiro/settings/mcp.json"),
      .signs = PATHS("~/.kiro"),
      .writes = { SERVERS, .variable = "${%s}" } },
    { .id = "amazonq",
      .title = "Amazon Q",
      .format = "amazonq",
      .project = PATHS(".amazonq/mcp.json"),
      .user = PATHS("~/.aws/amazonq/cli-agents/*.json", "~/.aws/amazonq/mcp.json"),
      .signs = PATHS("~/.aws/amazonq"),
      .writes = { SERVERS, .http = "\"type\":\"http\"", .variable = "${env:%s}" } },
    { .id = "lmstudio",
      .title = "LM Studio",
      .format = "claude-desktop",
      .user = PATHS("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),
      .signs = PATHS("~/.lmstudio"),
      .writes = { SERVERS } },
    { .id = "warp",
      .title = "Warp",
      .project = PATHS(".warp/.mcp.json"),
      .user = PATHS("~/.warp/.mcp.json", "~/.agents/.mcp.json"),
      .signs = PATHS("~/.warp"),
      .writes = { SERVERS, .variable = "${%s}" } },
    { .id = "junie",
      .title = "Junie",
      .format = "mcpServers",
      .project = PATHS(".junie/mcp/mcp.json"),
      .user = PATHS("~/.junie/mcp/mcp.json"),
      .signs = PATHS("~/.junie"),
      .writes = { SERVERS } },
    { .id = "mcporter",
      .title = "mcporter",
      .format = "mcporter",
      .project = PATHS("config/mcporter.json"),
      .user = PATHS("${MCPORTER_CONFIG:-" CONFIG_HOME "/mcporter/mcporter.json}",
                    CONFIG_HOME "/mcporter/mcporter.jsonc", "~/.mcporter/mcporter.json", "~/.mcporter/mcporter.jsonc"),
      .signs = PATHS("~/.mcporter", CONFIG_HOME "/mcporter"),
      .writes = { SERVERS, .url = "baseUrl", .variable = "${%s}", .comments = true, .commas = true } },
    { .id = "openclaw",
      .title = "OpenClaw",
      .format = "openclaw",
      .user = PATHS("${OPENCLAW_CONFIG_PATH:-~/.openclaw/openclaw.json}"),
      .signs = PATHS("~/.openclaw"),
      .writes = { { "mcp", "servers" },
                  .http = "\"transport\":\"streamable-http\"",
                  .variable = "${%s}",
                  .comments = true,
                  .commas = true } },
    { .id = "nexo",
      .title = "nexo",
      .format = "nexo",
      .project = PATHS("config/mcp.yaml"),
      .writes = { { "mcp", "servers" }, "\"transport\":\"stdio\"", .by_hand = true } },
    { .id = "antigravity",
      .title = "Antigravity",
      .format = "mcpServers",
      .user = PATHS("~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"),
      .writes = { SERVERS, .url = "serverUrl" } },
    { .id = "amp",
      .title = "Amp",
      .format = "amp",
      .user = PATHS("${AMP_SETTINGS_FILE:-" CONFIG_HOME "/amp/settings.json}"),
      .signs = PATHS(CONFIG_HOME "/amp"),
      .writes = { { "amp.mcpServers" }, .variable = "${%s}" } },
    { .id = "crush",
      .title = "Crush",
      .format = "crush",
      .project = PATHS("crush.json", ".crush.json"),
      .user = PATHS(CONFIG_HOME "/crush/crush.json"),
      .signs = PATHS(CONFIG_HOME "/crush"),
      .writes = { { "mcp" }, "\"type\":\"stdio\"", "\"type\":\"http\"", .variable = "$%s" } },
    { .id = "droid",
      .title = "Factory Droid",
      .format = "mcpServers",
      .project = PATHS(".factory/mcp.json"),
      .user = PATHS("~/.factory/mcp.json"),
      .signs = PATHS("~/.factory"),
      .writes = { SERVERS, "\"type\":\"stdio\"", "\"type\":\"http\"" } },
    { .id = "kimi",
      .title = "Kimi Code",
      .format = "mcpServers",
      .user = PATHS("${KIMI_CODE_HOME:-~/.kimi-code}/mcp.json"),
      .signs = PATHS("${KIMI_CODE_HOME:-~/.kimi-code}"),
      .writes = { SERVERS } },
    { .id = "qwen",
      .title = "Qwen Code",
      .format = "gemini",
      .project = PATHS(".qwen/settings.json"),
      .user = PATHS("${QWEN_HOME:-~/.qwen}/settings.json"),
      .signs = PATHS("${QWEN_HOME:-~/.qwen}"),
      .writes = { SERVERS, .url = "httpUrl", .variable = "${%s}", .comments = true } },
    { .id = "grok",
      .title = "Grok",
      .format = "codex",
      .user = PATHS("${GROK_HOME:-~/.grok}/config.toml"),
      .signs = PATHS("${GROK_HOME:-~/.grok}"),
      .writes = { { "mcp_servers" }, .token_key = "bearer_token_env_var", .comments = true, .commas = true } },
    { .id = "hermes",
      .title = "Hermes",
      .user = PATHS("~/.hermes/config.yaml"),
      .signs = PATHS("~/.hermes"),
      .writes = { { "mcp_servers" }, .by_hand = true } },
    { .id = "pi",
      .title = "Pi",
      .format = "mcpServers",
      .user = PATHS("~/.pi/agent/mcp.json"),
      .signs = PATHS("~/.pi"),
      .writes = { SERVERS } },
    { 0 },
};

const struct mcti_client *mcti_client_find(const char *id)
{
    for (const struct mcti_client *c = mcti_clients; c->id; c++)
        if (!strcmp(c->id, id))
            return c;
    return NULL;
}

/* ---- paths ---- */

static bool place_put(struct mcti_buf *to, struct mcti_str pattern);

/* Appends the value of "NAME:-X". Other programs take a relative path for one below their working directory, which is
 * not known here. */
static bool place_put_variable(struct mcti_buf *to, struct mcti_str inside)
{
    const char *colon = memchr(inside.p, ':', inside.len);
    char *name = mcti_str_dup(mcti_str_range(inside.p, colon));
    const char *value = name ? getenv(name) : NULL;
    free(name);
    if (value && *value == '/') {
        mcti_buf_addz(to, value);
        return true;
    }
    struct mcti_str other = mcti_str_range(colon + 2, inside.p + inside.len);
    return other.len && place_put(to, other);
}

static const char *path_brace_end(const char *p, const char *end)
{
    int depth = 1;
    for (p += 2; p < end && depth; p++)
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
    return p;
}

static bool place_put(struct mcti_buf *to, struct mcti_str pattern)
{
    const char *home = getenv("HOME"), *p = pattern.p, *end = pattern.p + pattern.len;
    if (p < end && *p == '~') {
        if (!home || *home != '/')
            return false;
        mcti_buf_addz(to, home);
        p++;
    }
    while (p < end) {
        if (p + 1 < end && p[0] == '$' && p[1] == '{') {
            const char *close = path_brace_end(p, end);
            if (!place_put_variable(to, mcti_str_range(p + 2, close - 1)))
                return false;
            p = close;
        } else {
            mcti_buf_addc(to, *p++);
        }
    }
    return true;
}

char *mcti_client_path(const char *pattern, const char *folder)
{
    struct mcti_buf path;
    bool is_relative = *pattern != '/' && *pattern != '~' && *pattern != '$';
    mcti_buf_init(&path, 1u << 16);
    if (is_relative && folder)
        mcti_buf_printf(&path, "%s/", folder);
    char *done = place_put(&path, mcti_str_of(pattern)) ? mcti_buf_take(&path) : NULL;
    mcti_buf_done(&path);
    return done;
}

void mcti_client_put_path(struct mcti_buf *to, const char *path)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;
    bool is_below = n > 1 && !strncmp(path, home, n) && path[n] == '/';
    mcti_buf_printf(to, "%s%s", is_below ? "~" : "", is_below ? path + n : path);
}

void mcti_client_match(const char *pattern, const char *folder, struct mcti_strings *to)
{
    char *path = mcti_client_path(pattern, folder);
    glob_t found;
    if (!path || !strchr(pattern, '*')) {
        if (path && access(path, F_OK) == 0)
            mcti_strings_add(to, mcti_str_of(path));
    } else if (glob(path, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            mcti_strings_add(to, mcti_str_of(found.gl_pathv[i]));
        globfree(&found);
    }
    free(path);
}

static bool is_any_here(const char *const *patterns)
{
    struct mcti_strings found = { 0 };
    for (; patterns && *patterns && !found.n; patterns++)
        if (**patterns != '/')
            mcti_client_match(*patterns, NULL, &found);
    bool is = found.n;
    mcti_strings_clear(&found);
    return is;
}

bool mcti_client_is_here(const struct mcti_client *client)
{
    return is_any_here(client->signs) || is_any_here(client->user);
}
