/* "mcptools.hooks": programs around calls of tools. */
#include "config/read_impl.h"

#include <stdio.h>
#include <stdlib.h>

enum { MISTAKE_BYTES = 128 };

#define H(member) offsetof(struct mct_config_hook, member)

static const struct field hook_fields[] = {
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
static struct mct_config_hook *add_hook(struct mct_config *c)
{
    struct mct_config_hook *v = realloc(c->hooks, (c->n_hooks + 1) * sizeof *v);
    if (!v)
        return NULL;
    c->hooks = v;
    v[c->n_hooks] = (struct mct_config_hook){ 0 };
    return &v[c->n_hooks++];
}

void mct_config_clear_hooks(struct mct_config *c)
{
    for (size_t i = 0; i < c->n_hooks; i++) {
        free(c->hooks[i].on);
        mct_strings_clear(&c->hooks[i].tools);
        mct_config_clear_server(&c->hooks[i].run);
    }
    free(c->hooks);
    c->hooks = NULL;
    c->n_hooks = 0;
}

static bool is_empty_list(struct mct_str v)
{
    struct mct_str item;
    struct mct_json_iter it = mct_json_open(v);
    return mct_json_type(v) == '[' && !mct_json_next_item(&it, &item);
}

/* What the table cannot say. NULL: nothing is wrong that has not been told. */
static const char *hook_mistake(struct mct_config_hook *h, struct mct_str item, char text[MISTAKE_BYTES])
{
    if (!h->on)
        return mct_json_get(item, "on").p ? NULL : "needs \"on\": before, after or persist";
    if (!mct_hook_kind_find(h->on, &h->kind)) {
        snprintf(text, MISTAKE_BYTES, "\"on\" is \"%.40s\": it must be before, after or persist", h->on);
        return text;
    }
    if (h->run.command ? !*h->run.command : !mct_json_get(item, "command").p)
        return "needs a \"command\": a program to start";
    if (is_empty_list(mct_json_get(item, "tools")))
        return "\"tools\" is empty: name tools, or leave it out for every tool";
    return NULL;
}

static void read_hook(struct place *at, struct mct_str item)
{
    const struct mct_json_member here = { { item.p, 0 }, item };
    struct mct_config_hook *h = add_hook(at->config);
    if (!h)
        return config_mistake(at, here, true, MCT_NO_MEMORY_TEXT);
    if (mct_json_type(item) != '{')
        return config_mistake(at, here, true, "must be an object");
    config_read_object(at, item, hook_fields, h);
    char text[MISTAKE_BYTES];
    const char *what = hook_mistake(h, item, text);
    if (what)
        config_mistake(at, here, true, what);
    h->run.file = strdup(at->file);
    if (asprintf(&h->run.name, "%s: %s: %s", at->file, at->path, h->run.command ? h->run.command : "") < 0)
        h->run.name = NULL;
}

void config_read_hooks(struct place *at, struct mct_str list)
{
    config_read_items(at, list, read_hook);
}
