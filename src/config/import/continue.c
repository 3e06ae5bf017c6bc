/* Continue: "mcpServers" of config.yaml, and of files in a folder: a list of entries, each with its name. */
#include "config/import/impl.h"

#include <stdlib.h>

#define OWNER struct mcti_config_server

static bool read_api_key(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    return mcti_special_bearer(at, m, to);
}

static const struct mcti_config_field request_fields[] = {
    FIELD_PAIRS("headers", headers, "`headers`."),
    FIELD_LATER("verifySsl", NO_TLS, "Continue."),
    FIELD_LATER("caBundlePath", NO_TLS, "Continue."),
    { 0 },
};

static const struct mcti_config_field continue_fields[] = {
    FIELD_SPECIAL("apiKey", read_api_key, MUST_BE_TEXT, "`auth.token`."),
    FIELD_OBJECT("requestOptions", request_fields, "`headers`."),
    FIELD_SPECIAL("env", mcti_special_env, "must be an object of strings", "`env`."),
    FIELD_IGNORED("name", "None."),
    FIELD_IGNORED("faviconUrl", "None."),
    FIELD_IGNORED("serverName", "None."),
    FIELD_IGNORED("sourceFile", "None."),
    { 0 },
};

/* A reference to a block of Continue's hub is no entry. */
static bool skips_continue(struct mcti_str entry)
{
    return mcti_json_get(entry, "uses").p;
}

static bool fits_continue(struct mcti_str root, struct mcti_str entries)
{
    (void)root;
    return mcti_json_type(entries) == '[';
}

static const struct mcti_config_field *const tables[] = { continue_fields, mcti_config_client_fields,
                                                          mcti_config_server_fields, NULL };

const struct mcti_config_format mcti_format_continue = {
    .name = "continue",
    .title = "Continue, `config.yaml`",
    .container = "mcpServers",
    .notations = 1 << MCT_NOTATION_YAML,
    .fits = fits_continue,
    .tables = tables,
    .variables = MCT_VARIABLES_SECRETS,
    .is_list = true,
    .skips = skips_continue,
};
