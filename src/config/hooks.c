/* "mcptools.hooks": programs around calls of tools. */
#include "config/read_impl.h"

#include <stdio.h>
#include <stdlib.h>

enum { MISTAKE_BYTES = 128 };

#define H(member) offsetof(struct mcti_config_hook, member)

static const struct mcti_config_field hook_fields[] = {
    { "on", STRING, H(on), NULL, NULL, 0, 0 },
    { "tools", STRINGS, H(tools), NULL, NULL, 0, 0 },
    { "command", STRING, H(run.command), NULL, NULL, 0, 0 },
    { "args", STRINGS, H(run.args), NULL, NULL, 0, 0 },
    { "env", PAIRS, H(run.env), NULL, NULL, 0, 0 },
    { "cwd", STRING, H(run.cwd), NULL, NULL, 0, 0 },
    { "priority", INT, H(priority), NULL, NULL, 0, 0 },
    { "timeout", SECONDS, H(timeout_ms), NULL, NULL, 0, 3600 },
    { 0 },
};

/* An empty row at the end, good until the next one is added. NULL when out of memory. */
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
        free(c->hooks[i].on);
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

/* What the table cannot say. NULL: nothing is wrong that has not been told. */
static const char *hook_mistake(struct mcti_config_hook *h, struct mcti_str item, char text[MISTAKE_BYTES])
{
    if (!h->on)
        return mcti_json_get(item, "on").p ? NULL : "needs \"on\": before, after or persist";
    if (!mcti_hook_kind_find(h->on, &h->kind)) {
        snprintf(text, MISTAKE_BYTES, "\"on\" is \"%.40s\": it must be before, after or persist", h->on);
        return text;
    }
    if (h->run.command ? !*h->run.command : !mcti_json_get(item, "command").p)
        return "needs a \"command\": a program to start";
    if (is_empty_list(mcti_json_get(item, "tools")))
        return "\"tools\" is empty: name tools, or leave it out for every tool";
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
    mcti_config_read_object(at, item, hook_fields, h);
    char text[MISTAKE_BYTES];
    const char *what = hook_mistake(h, item, text);
    if (what)
        mcti_config_mistake(at, here, true, what);
    h->run.file = strdup(at->file);
    if (asprintf(&h->run.name, "%s: %s: %s", at->file, at->path, h->run.command ? h->run.command : "") < 0)
        h->run.name = NULL;
}

void mcti_config_read_hooks(struct mcti_config_place *at, struct mcti_str list)
{
    mcti_config_read_items(at, list, read_hook);
}
