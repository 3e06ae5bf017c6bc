/* opencode: "mcp" of opencode.json, and "mcp.servers" of its coming version. */
#include "config/import/impl.h"

#define OWNER struct mcti_config_server

/* A number, or in the coming version an object: {startup, catalog, execution}. */
static bool read_timeout(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    struct mcti_json_member start = *m, call = *m;
    if (mcti_json_type(m->value) != '{')
        return mcti_special_start_ms(at, m, s);
    start.value = mcti_json_get(m->value, "startup");
    call.value = mcti_json_get(m->value, "execution");
    return (!start.value.p || mcti_special_start_ms(at, &start, s)) &&
           (!call.value.p || mcti_special_call_ms(at, &call, s));
}

static const struct mcti_config_field opencode_fields[] = {
    FIELD_SPECIAL("type", mcti_special_type, "must be local or remote", "`local` or `remote`."),
    FIELD_SPECIAL("command", mcti_special_list, MUST_BE_COMMAND, "`command` and `args`."),
    FIELD_SPECIAL("environment", mcti_special_env, "must be an object of strings", "`env`."),
    FIELD_STRING("cwd", cwd, "`cwd`."),
    FIELD_STRING("url", url, "`url`."),
    FIELD_PAIRS("headers", headers, "`headers`."),
    FIELD_BOOL("enabled", enabled, "`enabled`."),
    FIELD_BOOL("disabled", disabled, "`enabled`, negated."),
    FIELD_SPECIAL("timeout", read_timeout, MUST_BE_MS, "`start_timeout`; opencode limits the listing of tools."),
    FIELD_SPECIAL("oauth", mcti_special_oauth, MUST_BE_OAUTH, "`auth`; `false`: no logins."),
    FIELD_LATER("codemode", NO_MEANING, "None."),
    { 0 },
};

/* An entry that only switches off a server of another file is no server here. */
static void settle_opencode(struct mcti_config_place *at, struct mcti_json_member entry)
{
    struct mcti_config_server *s = at->server;
    if (!s->command && !s->url && !s->enabled && !s->error.kind)
        mcti_special_say(at, &entry, true,
                         "switches off a server of another file, which mcptools does not know; remove it");
}

static const struct mcti_config_field *const tables[] = { opencode_fields, NULL };

const struct mcti_config_format mcti_format_opencode = {
    .name = "opencode",
    .title = "opencode, `opencode.json`",
    .container = "mcp",
    .tables = tables,
    .variables = MCT_VARIABLES_BRACES | MCT_VARIABLES_NONE,
    .settle = settle_opencode,
};

const struct mcti_config_format mcti_format_opencode_next = {
    .name = "opencode",
    .title = "opencode, `opencode.json`",
    .container = "mcp.servers",
    .files = "*opencode.json *opencode.jsonc",
    .tables = tables,
    .variables = MCT_VARIABLES_BRACES | MCT_VARIABLES_NONE,
    .settle = settle_opencode,
};
