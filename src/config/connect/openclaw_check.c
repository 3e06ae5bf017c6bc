#include "config/connect/openclaw_check.h"

#include "base/limits.h"
#include "config/expand/expand.h"
#include "json/scan.h"
#include "schema/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define MANIFEST "openclaw.plugin.json"

enum { MAX_MANIFEST_BYTES = 4 << 20 };

/* Appends the contents of a file. Returns -1 and sets *err if it cannot be read. */
static int read_manifest(const char *dir, struct mcti_buf *to, struct mct_error *err)
{
    char *path = NULL;
    FILE *f = asprintf(&path, "%s/" MANIFEST, dir) < 0 ? NULL : fopen(path, "re");
    int why = errno;
    free(path);
    if (!f)
        return mcti_fail(err, MCT_ERR_CONFIG, "%s/" MANIFEST ": %s", dir, strerror(why));
    size_t n = 1;
    for (char *at; n && (at = mcti_buf_reserve(to, 65536)); to->len += n)
        n = fread(at, 1, 65536, f);
    bool whole = feof(f) && mcti_buf_ok(to);
    fclose(f);
    if (!whole || !mcti_json_valid(mcti_buf_str(to), MCT_LIMIT_JSON_DEPTH, NULL, NULL) ||
        mcti_json_type(mcti_buf_str(to)) != '{')
        return mcti_fail(err, MCT_ERR_CONFIG, "%s/" MANIFEST ": is not a JSON object", dir);
    return 0;
}

/* Applies the plugin's configSchema to the configuration that the entry has for it. */
static int check_own_config(struct mcti_str manifest, const char *id, struct mcti_str config, struct mct_error *err)
{
    struct mcti_schema_fault fault;
    struct mcti_str schema = mcti_json_get(manifest, "configSchema");
    struct mcti_str entry = mcti_json_get(mcti_json_get(mcti_json_get(config, "plugins"), "entries"), id);
    struct mcti_str enabled = mcti_json_get(entry, "enabled"), value = mcti_json_get(entry, "config");
    if (mcti_json_type(schema) != '{' || mcti_str_is(enabled, "false"))
        return 0;
    if (mcti_schema_check(schema, value.p ? value : MCT_STR("{}"), &fault) != MCT_SCHEMA_INVALID)
        return 0; /* a schema that cannot be applied forbids nothing */
    return mcti_fail(err, MCT_ERR_CONFIG, "config.plugins.entries.%s.config%s: %s", id, fault.where, fault.why);
}

int mcti_openclaw_check(const struct mcti_config_server *s, size_t i, struct mcti_str config, char **ret_id,
                        struct mct_error *err)
{
    struct mcti_buf b;
    *ret_id = NULL;
    char *dir = mcti_expand_from(s->plugins.v[i], s->file, err);
    if (!dir)
        return mcti_error_wrap(err, "plugins[%zu]", i);
    mcti_buf_init(&b, MAX_MANIFEST_BYTES);
    int r = read_manifest(dir, &b, err);
    if (r < 0) {
        mcti_error_wrap(err, "plugins[%zu]", i);
    } else {
        *ret_id = mcti_json_dup(mcti_json_get(mcti_buf_str(&b), "id"));
        if (*ret_id && config.p)
            r = check_own_config(mcti_buf_str(&b), *ret_id, config, err);
        else if (!*ret_id)
            r = mcti_fail(err, MCT_ERR_CONFIG, "plugins[%zu]: %s/" MANIFEST ": \"id\" is missing", i, dir);
    }
    mcti_buf_done(&b);
    free(dir);
    return r;
}

/* Adds a problem for each plugin of the entry that will not be loaded. */
static void openclaw_check_entry(struct mcti_config *c, const struct mcti_config_server *s)
{
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, MAX_MANIFEST_BYTES);
    bool is_known = s->plugin_config && !strstr(s->plugin_config, "${cmd:") && /* checking runs no commands */
                    mcti_expand_json(&b, mcti_str_of(s->plugin_config), s->file, &err) == 0;
    struct mcti_str config = is_known && mcti_buf_ok(&b) ? mcti_buf_str(&b) : MCT_STR_NONE;
    if (!s->plugin_config)
        config = MCT_STR("{}");
    for (size_t i = 0; i < s->plugins.n; i++) {
        char *id;
        if (mcti_openclaw_check(s, i, config, &id, &err) < 0)
            mcti_config_problem(c, true, "%s:%u: mcpServers.%s.%s", s->file, s->line, s->name, err.message);
        free(id);
    }
    mcti_buf_done(&b);
}

void mcti_openclaw_check_all(struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_servers; i++)
        if (c->servers[i].type == MCT_SERVER_OPENCLAW && c->servers[i].enabled && !c->servers[i].error.kind)
            openclaw_check_entry(c, &c->servers[i]);
}
