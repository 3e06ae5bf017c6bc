/* What servers listed when they last ran: the catalogue on disk. */
#include "cli/complete/impl.h"

#include "config/connect/connect.h"

#include <stdlib.h>

/* Returns true if the text names a secret that a program, or a store, would have to give. */
static bool is_guarded(const char *text)
{
    return text && (strstr(text, "${cmd:") || strstr(text, "${credential:"));
}

/* Returns true if the key of the catalogue cannot be found without expanding secrets. */
static bool has_guarded_text(const struct mcti_config_server *s)
{
    const char *const texts[] = { s->command, s->cwd, s->url, s->auth_token, s->auth_key };
    bool found = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        found |= is_guarded(texts[i]);
    for (size_t i = 0; i < s->args.n; i++)
        found |= is_guarded(s->args.v[i]);
    for (size_t i = 0; i < s->env.n; i++)
        found |= is_guarded(s->env.v[i].value);
    for (size_t i = 0; i < s->headers.n; i++)
        found |= is_guarded(s->headers.v[i].value);
    return found || s->auth_type == MCT_AUTH_OAUTH;
}

/* Calls items->each for the items of a provider that shows what is stored. It is not started. */
static void stored_each(struct mcti_complete *c, const struct mcti_complete_items *items, const struct mcti_provider *p)
{
    for (size_t i = 0; p && i < p->items[items->kind].n; i++)
        items->each(c, items, mcti_item_json(p->items[items->kind].v[i]));
}

void mcti_complete_stored_items(struct mcti_complete *c, const struct mcti_complete_items *items)
{
    const struct mcti_log silent = { 0 };
    const struct mcti_config *config = mcti_complete_config(c);
    const struct mcti_config_server *s = mcti_config_find(config, mcti_str_of(items->server));
    struct mcti_catalogue catalogue;
    struct mcti_loop loop;
    struct mct_error err;
    if (!s || !s->enabled || s->error.kind || (!s->command && !s->url) || s->plugins.n || s->plugin_path ||
        has_guarded_text(s) || mcti_loop_init(&loop, &silent, &err) < 0)
        return;
    mcti_catalogue_init(&catalogue);
    struct mcti_connect_env env = { .loop = &loop, .log = &silent, .catalogue = &catalogue, .shows_stored = true };
    struct mcti_registry registry;
    mcti_registry_init(&registry, &loop.sched);
    struct mcti_provider *p = mcti_connect_make(config, s, &env, &registry);
    if (p && mcti_registry_add(&registry, p) == 0)
        stored_each(c, items, p);
    mcti_registry_done(&registry);
    mcti_connect_done(&env);
    mcti_catalogue_done(&catalogue);
    mcti_loop_done(&loop);
}
