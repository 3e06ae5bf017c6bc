/* manifest.json of a bundle, versions 0.1 to 0.4, as modelcontextprotocol/mcpb describes it. */
#include "packages/bundle.h"

#include "packages/impl.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __APPLE__
#define MANIFEST_PLATFORM "darwin"
#else
#define MANIFEST_PLATFORM "linux"
#endif

struct manifest {
    struct mcti_plan *plan;
    struct mcti_str json, server, config; /* config: "mcp_config", may be absent */
    const char *folder;
};

/* ---- variables ---- */

/* Appends a folder below that of the user. */
static bool manifest_put_home(struct mcti_buf *to, const char *below)
{
    const char *home = getenv("HOME");
    mcti_plan_put_fixed(to, mcti_str_of(home ? home : ""));
    mcti_buf_addz(to, below);
    return true;
}

/* Appends what a variable stands for. Returns false if it is unknown: its text stays. */
static bool manifest_put_variable(const struct manifest *m, struct mcti_str name, struct mcti_buf *to)
{
    static const struct {
        const char *name, *below;
    } homes[] = {
        { "HOME", "" }, { "DESKTOP", "/Desktop" }, { "DOCUMENTS", "/Documents" }, { "DOWNLOADS", "/Downloads" }
    };
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        if (mcti_str_is(name, homes[i].name))
            return manifest_put_home(to, homes[i].below);
    if (mcti_str_is(name, "__dirname")) {
        mcti_plan_put_fixed(to, mcti_str_of(m->folder));
        return true;
    }
    if (mcti_str_is(name, "/") || mcti_str_is(name, "pathSeparator")) {
        mcti_buf_addc(to, '/');
        return true;
    }
    if (!mcti_str_starts(name, MCT_STR("user_config.")))
        return false;
    name = mcti_str_range(name.p + 12, name.p + name.len);
    for (size_t i = 0; i < m->plan->n_inputs; i++)
        if (mcti_str_is(name, m->plan->inputs[i].name)) {
            mcti_plan_put_input(to, (int)i);
            return true;
        }
    return false;
}

/* Returns the template of a text with variables, owned; NULL if the value is not a text. */
static char *manifest_text(const struct manifest *m, struct mcti_str value)
{
    char *text = mcti_package_text(value);
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_PLAN_TEXT_BYTES);
    for (const char *p = text; p && *p;) {
        const char *close = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
        if (close && manifest_put_variable(m, mcti_str_range(p + 2, close), &b)) {
            p = close + 1;
        } else {
            size_t n = p[0] == '$' && p[1] == '{' ? 2 : 1;
            mcti_plan_put_fixed(&b, (struct mcti_str){ p, n });
            p += n;
        }
    }
    char *out = !text ? NULL : b.len ? mcti_buf_take(&b) : strdup("");
    mcti_buf_done(&b);
    free(text);
    return out;
}

/* ---- user_config ---- */

static enum mcti_input_format manifest_format(struct mcti_str type)
{
    static const struct mcti_word words[] = { { "number", MCT_INPUT_NUMBER },
                                              { "boolean", MCT_INPUT_BOOLEAN },
                                              { "directory", MCT_INPUT_PATH },
                                              { "file", MCT_INPUT_PATH },
                                              { 0 } };
    struct mcti_str text;
    const struct mcti_word *w = mcti_json_plain(type, &text) ? mcti_word_find(words, text) : NULL;
    return w ? w->value : MCT_INPUT_TEXT;
}

/* Reads the default: a value, or a list of them. Variables of folders are put in; a default has no inputs. */
static void manifest_read_preset(const struct manifest *m, struct mcti_input *in, struct mcti_str value)
{
    struct mcti_plan none = { 0 };
    const struct manifest alone = { .plan = &none, .folder = m->folder };
    struct mcti_json_iter it = mcti_json_open(value);
    struct mcti_str item;
    if (mcti_json_type(value) != '[') {
        in->preset = manifest_text(&alone, value);
        return;
    }
    in->preset = mcti_json_next_item(&it, &item) ? manifest_text(&alone, item) : NULL;
    while (mcti_json_next_item(&it, &item)) {
        char *text = manifest_text(&alone, item);
        m->plan->failed |= !text || mcti_strings_add(&in->more_presets, mcti_str_of(text)) < 0;
        free(text);
    }
}

static void manifest_read_bounds(struct mcti_input *in, struct mcti_str json)
{
    struct mcti_str min = mcti_json_get(json, "min"), max = mcti_json_get(json, "max");
    in->has_min = mcti_json_type(min) == '0';
    in->has_max = mcti_json_type(max) == '0';
    in->min = mcti_json_double(min);
    in->max = mcti_json_double(max);
}

static void manifest_read_input(const struct manifest *m, struct mcti_json_member member)
{
    struct mcti_str json = member.value, description = mcti_json_get(json, "description");
    struct mcti_input *in = mcti_plan_add_input(m->plan, NULL);
    if (!in)
        return;
    in->name = mcti_package_text(mcti_json_key_value(member.key));
    in->description = mcti_package_words(description.p ? description : mcti_json_get(json, "title"));
    in->format = manifest_format(mcti_json_get(json, "type"));
    in->required = mcti_json_true(mcti_json_get(json, "required"));
    in->secret = mcti_json_true(mcti_json_get(json, "sensitive"));
    in->many = mcti_json_true(mcti_json_get(json, "multiple"));
    manifest_read_bounds(in, json);
    manifest_read_preset(m, in, mcti_json_get(json, "default"));
    if (!in->name || !*in->name)
        m->plan->failed = true;
}

/* ---- the command ---- */

/* Returns a member of mcp_config; that for this platform replaces the general one as a whole. */
static struct mcti_str manifest_config(const struct manifest *m, const char *key)
{
    struct mcti_str here = mcti_json_get(mcti_json_get(m->config, "platform_overrides"), MANIFEST_PLATFORM);
    struct mcti_str found = mcti_json_get(here, key);
    return found.p ? found : mcti_json_get(m->config, key);
}

/* Sets the command for a bundle without mcp_config: by the type of the server. */
static int manifest_usual_command(const struct manifest *m, struct mct_error *err)
{
    static const struct {
        const char *type, *command, *args[4];
    } usual[] = { { "node", "node", { NULL } },
                  { "python", "python3", { NULL } },
                  { "binary", NULL, { NULL } },
                  { "uv", "uv", { "run", "--directory", "", NULL } } };
    struct mcti_str type = mcti_json_get(m->server, "type");
    char *entry = mcti_package_text(mcti_json_get(m->server, "entry_point")), *path = NULL;
    if (entry && asprintf(&path, "%s/%s", m->folder, entry) < 0)
        path = NULL;
    free(entry);
    for (size_t i = 0; path && i < sizeof usual / sizeof *usual; i++) {
        if (!mcti_json_is(type, usual[i].type))
            continue;
        for (const char *const *arg = usual[i].args; *arg; arg++)
            mcti_plan_add_arg(m->plan, NULL, strdup(**arg ? *arg : m->folder), -1);
        m->plan->command = usual[i].command ? strdup(usual[i].command) : path;
        if (usual[i].command)
            mcti_plan_add_arg(m->plan, NULL, path, -1);
        return 0;
    }
    free(path);
    return mcti_fail(err, MCT_ERR_PROTOCOL,
                     "manifest.json: \"server\" must have \"mcp_config\", or a known \"type\" and an \"entry_point\"");
}

/* A relative program with a '/' is one of the bundle. */
static char *manifest_program(const struct manifest *m, struct mcti_str value)
{
    char *text = manifest_text(m, value), *path = NULL;
    if (!text || text[0] == '/' || text[0] == '\x1f' || !strchr(text, '/'))
        return text;
    const char *below = !strncmp(text, "./", 2) ? text + 2 : text;
    if (asprintf(&path, "%s/%s", m->folder, below) < 0)
        path = NULL;
    free(text);
    return path;
}

static int manifest_read_command(const struct manifest *m, struct mct_error *err)
{
    struct mcti_plan *p = m->plan;
    struct mcti_json_member member;
    struct mcti_str item;
    if (mcti_json_type(m->config) != '{')
        return manifest_usual_command(m, err);
    p->command = manifest_program(m, manifest_config(m, "command"));
    if (!p->command || !*p->command)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "manifest.json: \"mcp_config\" has no \"command\"");
    for (struct mcti_json_iter it = mcti_json_open(manifest_config(m, "args")); mcti_json_next_item(&it, &item);) {
        char *text = manifest_text(m, item);
        p->failed |= !text;
        mcti_plan_add_arg(p, NULL, text, -1);
    }
    for (struct mcti_json_iter it = mcti_json_open(manifest_config(m, "env")); mcti_json_next_member(&it, &member);) {
        char *key = mcti_package_text(mcti_json_key_value(member.key));
        p->failed |= !mcti_package_is_variable(key);
        mcti_plan_add_env(p, key, manifest_text(m, member.value));
    }
    return 0;
}

/* ---- checks ---- */

static int manifest_check_version(struct mcti_str json, struct mct_error *err)
{
    struct mcti_str version = mcti_json_get(json, "manifest_version"), text;
    version = version.p ? version : mcti_json_get(json, "dxt_version");
    struct mcti_str shown = version.p ? version : MCT_STR("missing");
    if (mcti_json_plain(version, &text) && mcti_str_starts(text, MCT_STR("0.")))
        return 0;
    return mcti_fail(err, MCT_ERR_PROTOCOL, "manifest.json: \"manifest_version\" must be 0.1 to 0.4, not %.*s",
                     MCT_STR_ARG(shown));
}

static int manifest_check_platform(struct mcti_str json, struct mct_error *err)
{
    struct mcti_str list = mcti_json_get(mcti_json_get(json, "compatibility"), "platforms"), item;
    bool any = false, here = false;
    for (struct mcti_json_iter it = mcti_json_open(list); mcti_json_next_item(&it, &item); any = true)
        here |= mcti_json_is(item, MANIFEST_PLATFORM);
    if (!any || here)
        return 0;
    return mcti_fail(err, MCT_ERR_PROTOCOL, "the bundle does not run on this system, but on %.*s", MCT_STR_ARG(list));
}

static void manifest_note_runtimes(struct mcti_plan *p, struct mcti_str json)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(mcti_json_get(json, "compatibility"), "runtimes"));
         mcti_json_next_member(&it, &m);) {
        char *range = mcti_package_words(m.value), *name = mcti_package_words(mcti_json_key_value(m.key));
        if (range && name)
            mcti_plan_note(p, false, "it needs %s %s", name, range);
        free(range);
        free(name);
    }
}

int mcti_plan_read_manifest(struct mcti_plan *p, struct mcti_str json, const char *folder, struct mct_error *err)
{
    struct mcti_str server = mcti_json_get(json, "server");
    const struct manifest m = { p, json, server, mcti_json_get(server, "mcp_config"), folder };
    struct mcti_json_member member;
    if (manifest_check_version(json, err) < 0 || manifest_check_platform(json, err) < 0)
        return -1;
    free(p->name);
    free(p->version);
    free(p->description);
    p->name = mcti_package_words(mcti_json_get(json, "name"));
    p->version = mcti_package_words(mcti_json_get(json, "version"));
    p->description = mcti_package_words(mcti_json_get(json, "description"));
    p->cwd = strdup(folder);
    if (!p->name || !p->version)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "manifest.json: \"name\" and \"version\" must be texts");
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(json, "user_config"));
         mcti_json_next_member(&it, &member);)
        manifest_read_input(&m, member);
    if (manifest_read_command(&m, err) < 0)
        return -1;
    if (p->failed)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "manifest.json: invalid, or too large");
    manifest_note_runtimes(p, json);
    mcti_plan_inspect(p);
    return 0;
}
