/* Definitions of tools, resources and prompts of programs and plugins. */
#include "hub/local/def.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "base/sized.h"
#include "hub/local/tool.h"
#include "hub/names/template.h"

#include <stdlib.h>

/* ---- life ---- */

struct mcti_local_def *mcti_local_def_new(struct mcti_provider *p, enum mcti_kind kind, const char *name)
{
    struct mcti_local_def *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->kind = kind;
    d->provider = p;
    d->n_users = 1;
    d->name = strdup(name);
    if (d->name)
        return d;
    free(d);
    return NULL;
}

static void local_def_free(struct mcti_local_def *d)
{
    if (!d)
        return;
    free(d->name);
    free(d->mime_type);
    free(d->input);
    free(d->output);
    free(d);
}

void mcti_local_def_unuse(void *def)
{
    struct mcti_local_def *d = def;
    if (--d->n_users)
        return;
    if (d->free_data)
        d->free_data(d->data);
    local_def_free(d);
}

struct mcti_local_def *mcti_local_def_of(const struct mcti_local_item *x)
{
    return x && x->fn == mcti_local_def_run ? x->data : NULL;
}

int mcti_local_def_add(struct mcti_local_def *d, struct mcti_buf *b, int r, struct mct_error *err)
{
    static const char *const words[MCT_KIND_N] = {
        [MCT_TOOL] = "tool", [MCT_RESOURCE] = "resource", [MCT_TEMPLATE] = "resource", [MCT_PROMPT] = "prompt"
    };
    bool in_limit = mcti_buf_ok(b);
    char *text = r == 0 ? mcti_buf_take(b) : NULL;
    mcti_buf_done(b);
    if (r == 0 && !text)
        r = in_limit ? mcti_no_memory(err) : mcti_fail(err, MCT_ERR_LIMIT, "the definition is too long");
    if (r == 0)
        r = mcti_local_add_owned(d->provider, d->kind, text, mcti_local_def_run, d, mcti_local_def_unuse, err);
    free(text);
    if (r == 0) {
        mcti_local_note_def(d);
        return 0;
    }
    mcti_error_wrap(err, "%s '%s'", words[d->kind], d->name);
    local_def_free(d);
    return -1;
}

/* ---- texts ---- */

int mcti_local_def_put(struct mcti_buf *to, const char *key, const char *text, char type, struct mct_error *err)
{
    struct mcti_json_top top;
    struct mcti_json_fault fault;
    if (!text)
        return 0;
    if (!mcti_json_valid(mcti_str_of(text), MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: not valid JSON: %s at byte %zu", key, fault.why, fault.offset);
    if (mcti_json_type(top.value) != type)
        return mcti_fail(err, MCT_ERR_USAGE, "%s: must be a JSON %s", key, type == '{' ? "object" : "array");
    mcti_json_put_raw(to, key, top.value);
    return 0;
}

static void put_text(struct mcti_buf *to, const char *key, const char *text)
{
    if (text)
        mcti_json_put_member(to, key, mcti_str_of(text));
}

static bool has_good_name(const char *name)
{
    size_t n = name ? strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") : 0;
    return n && n <= MCT_LIMIT_TOOL_NAME && !name[n];
}

static int check_name(const char *what, const char *name, struct mct_error *err)
{
    return has_good_name(name)
               ? 0
               : mcti_fail(err, MCT_ERR_USAGE,
                           "%s '%.140s': the name must have 1 to %d of the characters A-Z a-z 0-9 _ - .", what,
                           name ? name : "", MCT_LIMIT_TOOL_NAME);
}

/* Copies a text into *ret; NULL stays NULL. Returns -1 with *err when out of memory. */
static int local_def_keep(char **ret, const char *text, struct mct_error *err)
{
    *ret = text ? strdup(text) : NULL;
    return text && !*ret ? mcti_no_memory(err) : 0;
}

/* ---- tools ---- */

/* Appends inputSchema. Its type must be "object" (2025-11-25 "Tool"). */
static int put_parameters(struct mcti_buf *to, const char *text, struct mct_error *err)
{
    const struct mcti_json_set object = { "type", MCT_STR("\"object\"") };
    struct mcti_str schema = MCT_STR("{}");
    if (text && mcti_json_read_object(mcti_str_of(text), "parameters", &schema, err) < 0)
        return -1;
    struct mcti_str type = mcti_json_get(schema, "type");
    if (type.p && !mcti_json_is(type, "object"))
        return mcti_fail(err, MCT_ERR_USAGE, "parameters: \"type\" must be \"object\"");
    mcti_json_put_key(to, "inputSchema");
    mcti_json_put_object(to, schema, &object, 1);
    return 0;
}

/* Appends `_meta`: that of the program with that of the host of a plugin, and the mark of owner-only tools. */
static int put_tool_meta(struct mcti_buf *to, const struct mct_tool_def *def, struct mcti_str meta,
                         struct mct_error *err)
{
    struct mcti_str own = MCT_STR_NONE;
    struct mcti_json_set sets[3] = { { "openclaw/ownerOnly", def->owner_only ? MCT_STR("true") : MCT_STR_NONE },
                                     { "openclaw/plugin", mcti_json_get(meta, "openclaw/plugin") },
                                     { "openclaw/optional", mcti_json_get(meta, "openclaw/optional") } };
    if (def->meta && mcti_json_read_object(mcti_str_of(def->meta), "meta", &own, err) < 0)
        return -1;
    if (!own.p && !meta.p && !def->owner_only)
        return 0;
    mcti_json_put_key(to, "_meta");
    mcti_json_put_object(to, own, sets, 3);
    return 0;
}

/* Appends `execution`, which the gateway reads. */
static int put_task(struct mcti_buf *to, enum mct_tool_task task, struct mct_error *err)
{
    static const char *const words[] = { [MCT_TOOL_TASK_MAY] = "optional", [MCT_TOOL_TASK_MUST] = "required" };
    if (task == MCT_TOOL_TASK_NEVER)
        return 0;
    if ((unsigned)task > MCT_TOOL_TASK_MUST)
        return mcti_fail(err, MCT_ERR_USAGE, "unknown value of \"task\": %d", (int)task);
    mcti_json_put_key(to, "execution");
    mcti_buf_printf(to, "{\"taskSupport\":\"%s\"}", words[task]);
    return 0;
}

static int put_tool(struct mcti_buf *to, const struct mct_tool_def *def, struct mcti_str meta, struct mct_error *err)
{
    mcti_buf_addc(to, '{');
    put_text(to, "name", def->name);
    put_text(to, "title", def->label);
    put_text(to, "description", def->description);
    if (put_parameters(to, def->parameters, err) < 0 ||
        mcti_local_def_put(to, "outputSchema", def->output_schema, '{', err) < 0 ||
        mcti_local_def_put(to, "annotations", def->annotations, '{', err) < 0 ||
        mcti_local_def_put(to, "icons", def->icons, '[', err) < 0 || put_task(to, def->task, err) < 0 ||
        put_tool_meta(to, def, meta, err) < 0)
        return -1;
    mcti_buf_addc(to, '}');
    return 0;
}

int mcti_local_add_tool(struct mcti_provider *p, const struct mct_tool_def *given, struct mcti_str meta,
                        struct mct_error *err)
{
    struct mct_tool_def def;
    struct mcti_buf json;
    if (mcti_sized_copy(&def, sizeof def, given, "struct mct_tool_def", err) < 0 ||
        check_name("tool", def.name, err) < 0)
        return -1;
    if (!def.execute)
        return mcti_fail(err, MCT_ERR_USAGE, "tool '%s': missing function \"execute\"", def.name);
    struct mcti_local_def *d = mcti_local_def_new(p, MCT_TOOL, def.name);
    if (!d)
        return mcti_no_memory(err);
    p->tasks_here |= def.task != MCT_TOOL_TASK_NEVER;
    d->run = def.execute;
    d->data = def.data;
    d->free_data = def.free_data;
    mcti_buf_init(&json, MCT_LIMIT_MESSAGE_BYTES);
    int r = put_tool(&json, &def, meta, err);
    if (r == 0 && !def.unchecked)
        r = local_def_keep(&d->input, def.parameters, err) < 0 || local_def_keep(&d->output, def.output_schema, err) < 0
                ? -1
                : 0;
    return mcti_local_def_add(d, &json, r, err);
}

/* ---- resources ---- */

static int check_resource(const struct mct_resource_def *def, struct mct_error *err)
{
    const char *uri = def->uri ? def->uri : def->uri_template;
    if (!uri || (def->uri && def->uri_template))
        return mcti_fail(err, MCT_ERR_USAGE, "resource '%.140s': either \"uri\" or \"uri_template\" must be set",
                         def->name ? def->name : "");
    if (!*uri || strlen(uri) > MCT_LIMIT_URI_BYTES)
        return mcti_fail(err, MCT_ERR_USAGE, "resource '%.140s': the URI must have 1 to %d bytes", uri,
                         MCT_LIMIT_URI_BYTES);
    if (!mcti_utf8_valid(mcti_str_of(uri)))
        return mcti_fail(err, MCT_ERR_USAGE, "resource '%.140s': the URI is not valid UTF-8",
                         def->name ? def->name : "");
    if (def->uri_template && !mcti_template_valid(mcti_str_of(uri)))
        return mcti_fail(err, MCT_ERR_USAGE,
                         "resource '%.140s': the URI template needs names in pairs of braces: \"note://{name}\"", uri);
    if (!def->name || !*def->name)
        return mcti_fail(err, MCT_ERR_USAGE, "resource '%.140s': missing \"name\"", uri);
    if (!def->read)
        return mcti_fail(err, MCT_ERR_USAGE, "resource '%.140s': missing function \"read\"", uri);
    if (def->complete && !def->uri_template)
        return mcti_fail(err, MCT_ERR_USAGE, "resource '%.140s': only a template has a completion", uri);
    return 0;
}

static int put_resource(struct mcti_buf *to, const struct mct_resource_def *def, struct mct_error *err)
{
    mcti_buf_addc(to, '{');
    put_text(to, "uri", def->uri);
    put_text(to, "uriTemplate", def->uri_template);
    put_text(to, "name", def->name);
    put_text(to, "title", def->title);
    put_text(to, "description", def->description);
    put_text(to, "mimeType", def->mime_type);
    if (mcti_local_def_put(to, "annotations", def->annotations, '{', err) < 0 ||
        mcti_local_def_put(to, "icons", def->icons, '[', err) < 0 ||
        mcti_local_def_put(to, "_meta", def->meta, '{', err) < 0)
        return -1;
    mcti_buf_addc(to, '}');
    return 0;
}

int mcti_local_add_resource(struct mcti_provider *p, const struct mct_resource_def *given, struct mct_error *err)
{
    struct mct_resource_def def;
    struct mcti_buf json;
    if (mcti_sized_copy(&def, sizeof def, given, "struct mct_resource_def", err) < 0 || check_resource(&def, err) < 0)
        return -1;
    struct mcti_local_def *d =
        mcti_local_def_new(p, def.uri ? MCT_RESOURCE : MCT_TEMPLATE, def.uri ? def.uri : def.uri_template);
    if (!d)
        return mcti_no_memory(err);
    d->run = def.read;
    d->complete = def.complete;
    d->subscribed = def.subscribed;
    d->updates = def.updates;
    d->data = def.data;
    d->free_data = def.free_data;
    mcti_buf_init(&json, MCT_LIMIT_MESSAGE_BYTES);
    int r = put_resource(&json, &def, err);
    if (r == 0)
        r = local_def_keep(&d->mime_type, def.mime_type, err);
    return mcti_local_def_add(d, &json, r, err);
}

int mcti_local_remove_resource(struct mcti_provider *p, const char *uri)
{
    return mcti_local_remove(p, MCT_RESOURCE, uri) == 0 ? 0 : mcti_local_remove(p, MCT_TEMPLATE, uri);
}

/* ---- prompts ---- */

static int put_prompt(struct mcti_buf *to, const struct mct_prompt_def *def, struct mct_error *err)
{
    mcti_buf_addc(to, '{');
    put_text(to, "name", def->name);
    put_text(to, "title", def->title);
    put_text(to, "description", def->description);
    if (mcti_local_def_put(to, "arguments", def->arguments, '[', err) < 0 ||
        mcti_local_def_put(to, "icons", def->icons, '[', err) < 0 ||
        mcti_local_def_put(to, "_meta", def->meta, '{', err) < 0)
        return -1;
    mcti_buf_addc(to, '}');
    return 0;
}

/* Checks that each argument of a prompt is an object with a name. */
static int check_prompt_arguments(const char *arguments, struct mct_error *err)
{
    struct mcti_str one;
    for (struct mcti_json_iter it = mcti_json_open(mcti_str_of(arguments)); mcti_json_next_item(&it, &one);)
        if (mcti_json_type(mcti_json_get(one, "name")) != '"')
            return mcti_fail(err, MCT_ERR_USAGE, "arguments: each must be an object with the text \"name\"");
    return 0;
}

int mcti_local_add_prompt(struct mcti_provider *p, const struct mct_prompt_def *given, struct mct_error *err)
{
    struct mct_prompt_def def;
    struct mcti_buf json;
    if (mcti_sized_copy(&def, sizeof def, given, "struct mct_prompt_def", err) < 0 ||
        check_name("prompt", def.name, err) < 0)
        return -1;
    if (!def.get)
        return mcti_fail(err, MCT_ERR_USAGE, "prompt '%s': missing function \"get\"", def.name);
    struct mcti_local_def *d = mcti_local_def_new(p, MCT_PROMPT, def.name);
    if (!d)
        return mcti_no_memory(err);
    d->run = def.get;
    d->complete = def.complete;
    d->data = def.data;
    d->free_data = def.free_data;
    mcti_buf_init(&json, MCT_LIMIT_MESSAGE_BYTES);
    int r = put_prompt(&json, &def, err);
    if (r == 0)
        r = check_prompt_arguments(def.arguments, err);
    if (r == 0 && !def.unchecked)
        r = local_def_keep(&d->input, def.arguments, err);
    return mcti_local_def_add(d, &json, r, err);
}
