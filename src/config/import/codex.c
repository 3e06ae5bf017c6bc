/* Codex: "[mcp_servers.NAME]" of config.toml. Texts have no variables; keys of their own name variables. The rest of
 * the file is Codex's own. */
#include "config/import/impl.h"

#include <stdlib.h>

#define OWNER struct mcti_config_server

/* Adds a pair NAME = ${VARIABLE}. Codex leaves out what is not set. */
static bool add_reference(struct mcti_config_place *at, const struct mcti_json_member *m, struct mcti_pairs *to,
                          char *take_name, const char *variable)
{
    const char *value = getenv(variable);
    if (at->config->for_import || (value && *value))
        return mcti_special_add_pair(to, take_name, mcti_config_reference(variable, at->config->for_import));
    mcti_special_say(at, m, false, "the environment variable %s is not set, so %s is left out", variable, take_name);
    free(take_name);
    return true;
}

/* An item is a name, or {name, source}. */
static bool read_env_vars(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    struct mcti_str item;
    if (mcti_json_type(m->value) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_item(&it, &item);) {
        struct mcti_str name = mcti_json_type(item) == '{' ? mcti_json_get(item, "name") : item;
        struct mcti_str source = mcti_json_get(item, "source");
        char *variable = mcti_json_dup(name);
        if (!variable || (source.p && !mcti_json_is(source, "local") && !mcti_json_is(source, "remote"))) {
            free(variable);
            return false;
        }
        if (mcti_json_is(source, "remote"))
            mcti_special_say(at, m, false,
                             "%s: \"source\": \"remote\" is not supported; mcptools' own variable is used", variable);
        bool ok = add_reference(at, m, &s->env, strdup(variable), variable);
        free(variable);
        if (!ok)
            return false;
    }
    return true;
}

static bool read_env_headers(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    struct mcti_json_member header;
    if (mcti_json_type(m->value) != '{')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_member(&it, &header);) {
        char *variable = mcti_json_dup(header.value);
        bool ok = variable && add_reference(at, m, &s->headers, mcti_config_key_dup(header), variable);
        free(variable);
        if (!ok)
            return false;
    }
    return true;
}

static bool refuse_token(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    (void)to;
    mcti_special_say(at, m, true, "Codex does not read it; write the name of a variable into \"bearer_token_env_var\"");
    return true;
}

static const struct mcti_config_field codex_fields[] = {
    FIELD_STRING("command", command, "`command`."),
    FIELD_STRINGS("args", args, "`args`."),
    FIELD_PAIRS("env", env, "`env`."),
    FIELD_SPECIAL("env_vars", read_env_vars, "must be a list of names, or of {name, source = \"local\"}",
                  "`env`: variables that the server gets from mcptools' environment."),
    FIELD_STRING("cwd", cwd, "`cwd`."),
    FIELD_SPECIAL("url", mcti_special_http_url, MUST_BE_TEXT, "`url`, of type `streamable-http`."),
    FIELD_SPECIAL("bearer_token_env_var", mcti_special_bearer_variable, MUST_BE_TEXT,
                  "`auth`: the variable with the bearer token."),
    FIELD_SPECIAL("bearer_token", refuse_token, "", "A mistake, as in Codex."),
    FIELD_PAIRS("http_headers", headers, "`headers`."),
    FIELD_SPECIAL("env_http_headers", read_env_headers, "must be a table of strings",
                  "`headers`: the variable with the value of each. A header whose variable is not set is left out."),
    FIELD_BOOL("enabled", enabled, "`enabled`."),
    FIELD_BOOL("required", required, "`required`."),
    FIELD_SECONDS("startup_timeout_sec", start_timeout_ms, 0, 86400, "`start_timeout`."),
    FIELD_SPECIAL("startup_timeout_ms", mcti_special_start_ms, MUST_BE_MS, "`start_timeout`."),
    FIELD_SECONDS("tool_timeout_sec", timeout_ms, 0, 86400, "`timeout`."),
    FIELD_SPECIAL("enabled_tools", mcti_special_allow, MUST_BE_NAMES, "`tools.allow`."),
    FIELD_SPECIAL("disabled_tools", mcti_special_deny, MUST_BE_NAMES, "`tools.deny`."),
    FIELD_LATER("http_headers_helper", NO_HELPER, "None."),
    FIELD_LATER("auth", NO_DISCOVERY, "None."),
    FIELD_SPECIAL("oauth", mcti_special_oauth, MUST_BE_OAUTH, "`auth`: `client_id` and others."),
    FIELD_LATER("oauth_resource", NO_DISCOVERY, "None."),
    FIELD_STRINGS("scopes", oauth.scopes, "`auth.scopes`."),
    FIELD_LATER("default_tools_approval_mode", NO_APPROVAL, "None."),
    FIELD_LATER("tools", NO_APPROVAL, "None."),
    FIELD_LATER("startup_readiness", NO_MEANING, "None."),
    FIELD_LATER("supports_parallel_tool_calls", NO_MEANING, "None."),
    FIELD_LATER("tool_input_schema_max_bytes", NO_MEANING, "None."),
    FIELD_LATER("environment_id", NO_MEANING, "None."),
    FIELD_LATER("name", NO_MEANING, "None."),
    { 0 },
};

/* Codex starts with neither of these mistakes. */
static void settle_codex(struct mcti_config_place *at, struct mcti_json_member entry)
{
    static const char *const http_only[] = { "bearer_token_env_var", "http_headers", "env_http_headers", NULL };
    static const char *const stdio_only[] = { "args", "env", "env_vars", "cwd", NULL };
    const struct mcti_config_server *s = at->server;
    const char *const *keys = s->command ? http_only : stdio_only;
    for (size_t i = 0; keys[i] && !s->error.kind && !(s->command && s->url); i++)
        if (mcti_json_get(entry.value, keys[i]).p)
            mcti_special_say(at, &entry, true, "\"%s\" is not supported for %s; remove it", keys[i],
                             s->command ? "a \"command\"" : "a \"url\"");
}

static const struct mcti_config_field *const tables[] = { codex_fields, NULL };

const struct mcti_config_format mcti_format_codex = {
    .name = "codex",
    .title = "Codex, `config.toml`",
    .container = "mcp_servers",
    .notations = 1 << MCT_NOTATION_TOML,
    .tables = tables,
    .variables = MCT_VARIABLES_NONE,
    .settle = settle_codex,
};
