/* Goose: "extensions" of config.yaml. Parts of Goose itself stand there, too. */
#include "config/import/impl.h"

#include <stdlib.h>

#define OWNER struct mcti_config_server

/* The values of these variables are in Goose's key ring. */
static bool read_env_keys(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config_server *s = to;
    struct mcti_str item;
    (void)at;
    if (mcti_json_type(m->value) != '[')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_item(&it, &item);) {
        char *name = mcti_json_dup(item);
        bool ok = name && mcti_special_add_pair(&s->env, strdup(name), mcti_config_reference(name, false));
        free(name);
        if (!ok)
            return false;
    }
    return true;
}

static const struct mcti_config_field goose_fields[] = {
    FIELD_SPECIAL("type", mcti_special_type, MUST_BE_TYPE, "`stdio`, `streamable_http`, `sse`."),
    FIELD_STRING("cmd", command, "`command`."),
    FIELD_STRINGS("args", args, "`args`."),
    FIELD_SPECIAL("envs", mcti_special_env, "must be an object of strings", "`env`."),
    FIELD_SPECIAL("env_keys", read_env_keys, MUST_BE_NAMES, "`env`: variables with the values of the key ring."),
    FIELD_STRING("uri", url, "`url`."),
    FIELD_PAIRS("headers", headers, "`headers`."),
    FIELD_BOOL("enabled", enabled, "`enabled`."),
    FIELD_SECONDS("timeout", timeout_ms, 0, 86400, "`timeout`."),
    FIELD_SPECIAL("available_tools", mcti_special_tools, MUST_BE_NAMES, "`tools.allow`; none: all."),
    FIELD_IGNORED("name", "None."),
    FIELD_IGNORED("display_name", "None."),
    FIELD_IGNORED("description", "None."),
    FIELD_IGNORED("bundled", "None."),
    { 0 },
};

static bool skips_goose(struct mcti_str entry)
{
    static const char *const own[] = { "builtin", "platform", "frontend", "inline_python", NULL };
    struct mcti_str type = mcti_json_get(entry, "type");
    for (size_t i = 0; own[i]; i++)
        if (mcti_json_is(type, own[i]))
            return true;
    return false;
}

static const struct mcti_config_field *const tables[] = { goose_fields, NULL };

const struct mcti_config_format mcti_format_goose = {
    .name = "goose",
    .title = "Goose, `config.yaml`",
    .container = "extensions",
    .notations = 1 << MCT_NOTATION_YAML,
    .tables = tables,
    .variables = MCT_VARIABLES_NONE,
    .skips = skips_goose,
};
