/* Checks of a plugin's own description and its configuration, before any of its functions is called. */
#include "hub/plugin/impl.h"

#include "base/limits.h"
#include "base/log/visible.h"
#include "hub/local/tool.h"
#include "schema/schema.h"

#include <stdlib.h>

/* Copies the plugin's description. Its struct has a known layout only if the ABI number is ours. If the struct is
 * shorter than ours, the missing members are zero; if it is longer, the additional ones are ignored. */
int mcti_plugin_check_abi(struct mct_plugin_host *h, const struct mct_plugin *given, struct mct_error *err)
{
    if (given->abi > MCT_PLUGIN_ABI)
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "built for plugin ABI %u, but mcptools " MCT_VERSION " has ABI %u: "
                         "update mcptools, or build the plugin with its headers",
                         given->abi, MCT_PLUGIN_ABI);
    if (given->abi < MCT_PLUGIN_ABI)
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "built for plugin ABI %u, but mcptools " MCT_VERSION " has ABI %u: "
                         "rebuild the plugin with the headers of mcptools " MCT_VERSION,
                         given->abi, MCT_PLUGIN_ABI);
    if (given->size < offsetof(struct mct_plugin, teardown))
        return mcti_fail(err, MCT_ERR_CONNECT,
                         "its struct mct_plugin is too small (%zu bytes): begin its initializer with MCT_PLUGIN_HEAD",
                         given->size);
    h->plugin = (struct mct_plugin){ 0 };
    memcpy(&h->plugin, given, given->size < sizeof h->plugin ? given->size : sizeof h->plugin);
    return 0;
}

static bool good_id(const char *id)
{
    static const char first[] = "abcdefghijklmnopqrstuvwxyz0123456789",
                      more[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = id && *id && strchr(first, *id) ? strspn(id, more) : 0;
    return n && n <= MCT_LIMIT_PLUGIN_ID && !id[n];
}

static int check_text(const char *what, const char *text, struct mct_error *err)
{
    size_t n = text ? strnlen(text, MCT_LIMIT_PLUGIN_TEXT + 1) : 0, i = 0;
    while (i < n && !mcti_control_len(text + i, n - i))
        i++;
    return i == n && n <= MCT_LIMIT_PLUGIN_TEXT ? 0
                                                : mcti_fail(err, MCT_ERR_CONNECT,
                                                            "its %s must be at most %d bytes without "
                                                            "control characters",
                                                            what, MCT_LIMIT_PLUGIN_TEXT);
}

static int plugin_check_check_id(const struct mct_plugin_host *h, struct mct_error *err)
{
    const struct mcti_registry *r = h->opts->registry;
    const char *id = h->plugin.id;
    if (!good_id(id))
        return mcti_fail(
            err, MCT_ERR_CONNECT,
            "its id '%.100s' must have 1 to %d of the characters a-z 0-9 . _ -, and begin with a letter or "
            "digit",
            id ? id : "", MCT_LIMIT_PLUGIN_ID);
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i]->plugin && !strcmp(r->v[i]->plugin, id))
            return mcti_fail(err, MCT_ERR_CONFIG,
                             "duplicate plugin '%s', already loaded as server '%s': remove one of the entries", id,
                             r->v[i]->name);
    return 0;
}

static int check_config(const struct mct_plugin_host *h, struct mct_error *err)
{
    struct mcti_str schema = mcti_str_of(h->plugin.config_schema);
    struct mcti_schema_fault fault = { .why = "not valid JSON" };
    enum mcti_schema_verdict verdict = MCT_SCHEMA_UNUSABLE;
    if (!schema.p)
        return 0;
    if (mcti_json_valid(schema, MCT_LIMIT_JSON_DEPTH, NULL, NULL))
        verdict = mcti_schema_check(schema, mcti_str_of(h->opts->config), &fault);
    if (verdict == MCT_SCHEMA_INVALID)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s: config%s: %s", h->opts->place, fault.where, fault.why);
    return verdict == MCT_SCHEMA_VALID ? 0 : mcti_fail(err, MCT_ERR_CONNECT, "invalid config_schema: %s", fault.why);
}

static int set_provider_info(const struct mct_plugin_host *h, struct mct_error *err)
{
    const struct mct_plugin *plugin = &h->plugin;
    struct mcti_buf b;
    mcti_buf_init(&b, 32 * MCT_LIMIT_PLUGIN_TEXT);
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "name", mcti_str_of(plugin->name ? plugin->name : plugin->id));
    mcti_json_put_member(&b, "version", mcti_str_of(plugin->version ? plugin->version : "0"));
    if (plugin->description)
        mcti_json_put_member(&b, "description", mcti_str_of(plugin->description));
    mcti_buf_addc(&b, '}');
    char *text = mcti_buf_take(&b);
    int r = text ? mcti_local_set_info(h->provider, text, NULL) : -1;
    free(text);
    return r < 0 ? mcti_no_memory(err) : 0;
}

int mcti_plugin_check(const struct mct_plugin_host *h, struct mct_error *err)
{
    if (plugin_check_check_id(h, err) < 0 || check_text("name", h->plugin.name, err) < 0 ||
        check_text("version", h->plugin.version, err) < 0 || check_text("description", h->plugin.description, err) < 0)
        return -1;
    if (!h->plugin.setup)
        return mcti_fail(err, MCT_ERR_CONNECT, "missing setup()");
    return check_config(h, err) < 0 ? -1 : set_provider_info(h, err);
}
