/* "mcptools.hooks": programs that run around calls of tools. */
#include "config/read_impl.h"

#include <stdio.h>
#include <stdlib.h>

#define OWNER struct mcti_config_hook

const struct mcti_config_field mcti_config_hook_fields[] = {
    FIELD_ENUM("on", kind, mcti_hook_kind_words,
               "When the program runs: `before` a call, `after` it, or before its result is passed on (`persist`). The "
               "other values are OpenClaw's names of the same events.",
               .preset = "none"),
    FIELD_STRINGS("tools", tools, "Globs over `SERVER.TOOL` or exposed names.", .preset = "every tool"),
    FIELD_STRING("command", run.command,
                 "The program. It gets the call as a line of JSON on stdin and prints its decision."),
    FIELD_STRINGS("args", run.args, "The arguments of `command`. Variables are expanded."),
    FIELD_PAIRS("env", run.env, "Environment variables of the program, as of a server."),
    FIELD_STRING("cwd", run.cwd, "The working directory, relative to the folder of the configuration file.",
                 .preset = "the folder of the file"),
    FIELD_INT("priority", priority,
              "Hooks with the highest priority run first, those of the same priority in their order in the file."),
    FIELD_SECONDS("timeout", timeout_ms, 0, 3600, "Time limit of one decision. 0 stands for the default.",
                  .preset = "15"),
    { 0 },
};

/* Adds an empty hook, which is valid until the next one is added. Returns NULL when out of memory. */
static struct mcti_config_hook *config_hooks_add_hook(struct mcti_config *c)
{
    struct mcti_config_hook *v = realloc(c->hooks, (c->n_hooks + 1) * sizeof *v);
    if (!v)
        return NULL;
    c->hooks = v;
    v[c->n_hooks] = (struct mcti_config_hook){ 0 };
    return &v[c->n_hooks++];
}

void mcti_config_clear_hooks(struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_hooks; i++) {
        mcti_strings_clear(&c->hooks[i].tools);
        mcti_config_clear_server(&c->hooks[i].run);
    }
    free(c->hooks);
    c->hooks = NULL;
    c->n_hooks = 0;
}

static bool is_empty_list(struct mcti_str v)
{
    struct mcti_str item;
    struct mcti_json_iter it = mcti_json_open(v);
    return mcti_json_type(v) == '[' && !mcti_json_next_item(&it, &item);
}

/* Returns the mistake in a hook that the table cannot express, or NULL. */
static const char *hook_mistake(const struct mcti_config_hook *h, struct mcti_str item)
{
    if (!mcti_json_get(item, "on").p)
        return "needs \"on\": before, after or persist";
    if (h->run.command ? !*h->run.command : !mcti_json_get(item, "command").p)
        return "needs a \"command\": a program to start";
    if (is_empty_list(mcti_json_get(item, "tools")))
        return "\"tools\" is empty; name tools, or remove it to mean every tool";
    return NULL;
}

static void read_hook(struct mcti_config_place *at, struct mcti_str item)
{
    const struct mcti_json_member here = { { item.p, 0 }, item };
    struct mcti_config_hook *h = config_hooks_add_hook(at->config);
    if (!h)
        return mcti_config_mistake(at, here, true, MCT_NO_MEMORY_TEXT);
    if (mcti_json_type(item) != '{')
        return mcti_config_mistake(at, here, true, "must be an object");
    mcti_config_read_object(at, item, mcti_config_hook_fields, h);
    const char *what = hook_mistake(h, item);
    if (what)
        mcti_config_mistake(at, here, true, what);
    h->run.file = strdup(at->file);
    if (mcti_config_anchor(&h->run) < 0)
        mcti_config_mistake(at, here, true, MCT_NO_MEMORY_TEXT);
    if (asprintf(&h->run.name, "%s: %s: %s", at->file, at->path, h->run.command ? h->run.command : "") < 0)
        h->run.name = NULL;
}

void mcti_config_read_hooks(struct mcti_config_place *at, struct mcti_str list)
{
    mcti_config_read_items(at, list, read_hook);
}
