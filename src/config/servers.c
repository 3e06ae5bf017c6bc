/* "mcpServers": what entries may say, and what they need together. */
#include "config/read_impl.h"

#include "mcp/era.h"

#include <stdio.h>
#include <stdlib.h>

#define S(member) offsetof(struct mcti_config_server, member)

static const char not_yet[] = "has no effect in this version";
static const char only_openclaw[] = "has no effect without \"type\": \"openclaw\"";
static const char only_plugin[] = "has no effect without \"type\": \"plugin\"";
static const char only_both[] = "has no effect without \"type\": \"openclaw\" or \"plugin\"";

static const struct {
    const char *hint, *type;
} only[] = {
    { only_openclaw, "openclaw" }, { only_plugin, "plugin" }, { only_both, "openclaw" }, { only_both, "plugin" }
};

/* What has no effect in entries of other types may be another program's there. */
bool mcti_config_is_elsewhere(const struct mcti_config_place *at, const char *hint)
{
    bool fits = !hint;
    for (size_t i = 0; !fits && i < sizeof only / sizeof *only; i++)
        fits = only[i].hint == hint && (mcti_json_is(mcti_json_get(at->entry, "type"), only[i].type) ||
                                        mcti_json_is(mcti_json_get(at->entry, "transport"), only[i].type));
    return !fits;
}

static const struct mcti_config_field tools_fields[] = {
    { "allow", STRINGS, S(allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, S(deny), NULL, NULL, 0, 0 },
    { "rename", LATER, 0, NULL, not_yet, 0, 0 },
    { 0 },
};

static const struct mcti_config_field auth_fields[] = {
    { "type", STRING, S(auth_type), NULL, NULL, 0, 0 },
    { "token", STRING, S(auth_token), NULL, NULL, 0, 0 },
    { "key", STRING, S(auth_key), NULL, NULL, 0, 0 },
    { "header", STRING, S(auth_header), NULL, NULL, 0, 0 },
    { 0 },
};

/* As OpenClaw calls them; workspaceDir is workingDir. */
static const struct mcti_config_field context_fields[] = {
    { "agentDir", STRING, S(agent_dir), NULL, NULL, 0, 0 },
    { "agentId", STRING, S(agent_id), NULL, NULL, 0, 0 },
    { "sessionKey", STRING, S(session_key), NULL, NULL, 0, 0 },
    { "messageChannel", STRING, S(message_channel), NULL, NULL, 0, 0 },
    { "agentAccountId", STRING, S(agent_account_id), NULL, NULL, 0, 0 },
    { "sandboxed", BOOL, S(sandboxed), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct mcti_config_field server_fields[] = {
    { "type", STRING, S(type), NULL, NULL, 0, 0 },
    { "transport", STRING, S(type), NULL, NULL, 0, 0 },
    { "command", STRING, S(command), NULL, NULL, 0, 0 },
    { "args", STRINGS, S(args), NULL, NULL, 0, 0 },
    { "env", PAIRS, S(env), NULL, NULL, 0, 0 },
    { "cwd", STRING, S(cwd), NULL, NULL, 0, 0 },
    { "workingDir", STRING, S(cwd), NULL, NULL, 0, 0 },
    { "url", STRING, S(url), NULL, NULL, 0, 0 },
    { "headers", PAIRS, S(headers), NULL, NULL, 0, 0 },
    { "auth", OBJECT, 0, auth_fields, NULL, 0, 0 },
    { "protocol", STRING, S(protocol), NULL, NULL, 0, 0 },
    { "enabled", BOOL, S(enabled), NULL, NULL, 0, 0 },
    { "disabled", BOOL, S(disabled), NULL, NULL, 0, 0 },
    { "required", BOOL, S(required), NULL, NULL, 0, 0 },
    { "trusted", BOOL, S(trusted), NULL, NULL, 0, 0 },
    { "timeout", SECONDS, S(timeout_ms), NULL, NULL, 0, 86400 },
    { "start_timeout", SECONDS, S(start_timeout_ms), NULL, NULL, 1, 3600 },
    { "ping", SECONDS, S(ping_ms), NULL, NULL, 0, 86400 },
    { "replay_idempotent", BOOL, S(replay_idempotent), NULL, NULL, 0, 0 },
    { "tools", OBJECT, 0, tools_fields, NULL, 0, 0 },
    { "lifecycle", LATER, 0, NULL, not_yet, 0, 0 },
    { "isolation", STRING, S(isolation), NULL, NULL, 0, 0 },
    { "resource_tools", STRING, S(resource_tools), NULL, NULL, 0, 0 },
    { "capabilities", STRING, S(capabilities), NULL, NULL, 0, 0 },
    { "description", LATER, 0, NULL, "is not used", 0, 0 },
    { "plugins", STRINGS, S(plugins), NULL, only_openclaw, 0, 0 },
    { "path", STRING, S(plugin_path), NULL, only_plugin, 0, 0 },
    { "context", OBJECT, 0, context_fields, only_plugin, 0, 0 },
    { "trial", BOOL, S(trial), NULL, only_plugin, 0, 0 },
    { "config", JSON, S(plugin_config), NULL, only_both, 0, 0 },
    { 0 },
};

static bool config_servers_is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(text, *list))
            return true;
    return false;
}

/* What the tables cannot say: which members an entry needs together. NULL: nothing is wrong. */
static const char *auth_mistake(const struct mcti_config_server *s)
{
    const char *type = s->auth_type;
    if (!type)
        return s->auth_token || s->auth_key ? "\"auth\" needs a \"type\": bearer or api-key" : NULL;
    if (!strcmp(type, "bearer"))
        return s->auth_token ? NULL : "\"auth\" of type bearer needs a \"token\"";
    if (!strcmp(type, "api-key"))
        return s->auth_key && s->auth_header ? NULL : "\"auth\" of type api-key needs a \"key\" and a \"header\"";
    return "this version knows \"auth\" of the types bearer and api-key only";
}

static const char *server_mistake(const struct mcti_config_server *s)
{
    static const char *const types[] = { "stdio", "streamable-http", "http", "sse", "openclaw", "plugin", NULL };
    static const char *const resource_tools[] = { "asked", "always", "never", NULL };
    static const char *const protocols[] = { "auto", "match", "single", "legacy", NULL };
    static const char *const isolations[] = { "shared", "session", "principal", NULL };
    bool openclaw = s->type && !strcmp(s->type, "openclaw");
    bool plugin = s->type && !strcmp(s->type, "plugin");
    bool stdio = !s->type || !strcmp(s->type, "stdio");
    if (!s->name[0] || strpbrk(s->name, "/?#%"))
        return "a server's name must not be empty or hold / ? # %";
    if (s->type && !config_servers_is_one_of(s->type, types))
        return "\"type\" must be stdio, streamable-http, sse, openclaw or plugin";
    if (plugin && (!s->plugin_path || s->command || s->url))
        return "\"type\": \"plugin\" needs \"path\", a shared object, and neither \"command\" nor \"url\"";
    if (openclaw && (!s->plugins.n || s->command || s->url))
        return "\"type\": \"openclaw\" needs \"plugins\", a list of folders, and neither \"command\" nor \"url\"";
    if (!s->command && !s->url && stdio)
        return "needs \"command\" (a program to start) or \"url\"";
    if (s->command && s->url)
        return "has both \"command\" and \"url\": remove one";
    if (s->command && !stdio)
        return "a \"command\" is started over stdio: remove \"type\", or give a \"url\"";
    if (!openclaw && !plugin && !s->command && (!s->url || (s->type && stdio)))
        return stdio ? "\"type\": \"stdio\" needs a \"command\"" : "needs a \"url\"";
    if (s->resource_tools && !config_servers_is_one_of(s->resource_tools, resource_tools))
        return "\"resource_tools\" must be asked, always or never";
    if (s->protocol && !config_servers_is_one_of(s->protocol, protocols) && !mcti_rev_find(mcti_str_of(s->protocol)))
        return "\"protocol\" must be auto, match, single, legacy or a revision such as 2025-11-25";
    if (s->type && !strcmp(s->type, "sse") && s->protocol &&
        mcti_rev_is_stateless(mcti_rev_find(mcti_str_of(s->protocol))))
        return "HTTP+SSE (\"type\": \"sse\") does not know that \"protocol\": remove one";
    if (s->isolation && !config_servers_is_one_of(s->isolation, isolations))
        return "\"isolation\" must be shared, session or principal";
    if (s->capabilities && strcmp(s->capabilities, "all") && strcmp(s->capabilities, "client"))
        return "\"capabilities\" must be all or client";
    return auth_mistake(s);
}

/* Several editors write "disabled" where others write "enabled". */
static void settle_enabled(struct mcti_config_place *at, struct mcti_json_member m)
{
    struct mcti_config_server *s = at->server;
    bool both = mcti_json_get(m.value, "enabled").p && mcti_json_get(m.value, "disabled").p;
    if (both && s->enabled == s->disabled)
        mcti_config_mistake(at, m, true,
                            s->enabled ? "\"enabled\" and \"disabled\" are both true: remove one"
                                       : "\"enabled\" and \"disabled\" are both false: remove one");
    s->enabled = s->enabled && !s->disabled;
}

static void check_server(struct mcti_config_place *at, struct mcti_json_member m)
{
    const char *what = at->server->error.kind ? NULL : server_mistake(at->server);
    if (what)
        mcti_config_mistake(at, m, true, what);
}

static void read_server(struct mcti_config_place *at, struct mcti_json_member m, size_t n_before)
{
    struct mcti_config *c = at->config;
    char *name = mcti_config_key_dup(m);
    struct mcti_config_server *old = name ? mcti_config_find(c, mcti_str_of(name)) : NULL;
    if (!name)
        mcti_config_mistake(at, m, false, "no server can have this name, ignored");
    if (old) {
        if ((size_t)(old - c->servers) >= n_before)
            mcti_config_mistake(at, m, false, "this server is there twice in the file; the first one counts");
        free(name);
        return;
    }
    struct mcti_config_server *s = name ? mcti_config_add_server(c, name) : NULL;
    free(name);
    if (!s)
        return;
    char path[256];
    s->file = strdup(at->file);
    s->line = mcti_config_line_at(at, m.key.p);
    snprintf(path, sizeof path, "%s.%s", at->path, s->name);
    struct mcti_config_place inner = *at;
    inner.path = path;
    inner.server = at->server = s;
    inner.entry = m.value;
    if (mcti_json_type(m.value) != '{')
        mcti_config_mistake(at, m, true, "must be an object");
    else
        mcti_config_read_object(&inner, m.value, server_fields, s);
    settle_enabled(at, m);
    check_server(at, m);
    at->server = NULL;
}

void mcti_config_read_servers(struct mcti_config_place *at, struct mcti_str map)
{
    struct mcti_json_member m;
    size_t n_before = at->config->n_servers;
    for (struct mcti_json_iter it = mcti_json_open(map); mcti_json_next_member(&it, &m);)
        read_server(at, m, n_before);
}
