/* Snapshots of servers: their states, and what they say of themselves. */
#include "api/impl.h"

#include "base/arena.h"

#include <mcptools/servers.h>
#include <stdlib.h>

struct server_copy {
    struct mct_server base;
    struct mcti_arena arena;
};

static const char *keep_json(struct mcti_arena *a, struct mcti_str value)
{
    return value.p ? mcti_arena_dup(a, value) : NULL;
}

static const char *keep_string(struct mcti_arena *a, struct mcti_str object, const char *key)
{
    char *text = mcti_json_dup(mcti_json_get(object, key));
    const char *kept = text ? mcti_arena_dup(a, mcti_str_of(text)) : NULL;
    free(text);
    return kept;
}

static void fill_server(struct server_copy *c, const struct mcti_provider *p)
{
    struct mct_server *s = &c->base;
    struct mcti_arena *a = &c->arena;
    struct mcti_str info = mcti_provider_server_info(p), instructions = mcti_provider_instructions(p);
    s->name = mcti_arena_dup(a, mcti_str_of(p->name));
    s->state = mcti_provider_state_word(p);
    s->transport = p->transport; /* a constant */
    s->protocol_version = p->info.rev ? mcti_rev_text(p->info.rev) : NULL;
    s->server_name = keep_string(a, info, "name");
    s->server_version = keep_string(a, info, "version");
    s->title = keep_string(a, info, "title");
    s->website_url = keep_string(a, info, "websiteUrl");
    s->icons = keep_json(a, mcti_json_get(info, "icons"));
    s->instructions = instructions.p ? mcti_arena_dup(a, instructions) : NULL;
    s->server_info = keep_json(a, info);
    s->capabilities = keep_json(a, mcti_str_of(p->info.capabilities));
    s->n_tools = p->items[MCT_TOOL].n;
    s->n_resources = p->items[MCT_RESOURCE].n;
    s->n_templates = p->items[MCT_TEMPLATE].n;
    s->n_prompts = p->items[MCT_PROMPT].n;
    s->error = p->state == MCT_CONNECTED ? (struct mct_error){ 0 } : *p->error;
    mcti_provider_lacks_lists(p, &s->lists_error);
}

struct mct_server *mct_instance_server(const struct mct_instance *r, const char *server, struct mct_error *err)
{
    const struct mct_instance *a = mcti_api_of(r);
    const struct mcti_provider *p = mcti_api_find_server(a, server ? server : "", err);
    if (!p)
        return NULL;
    struct server_copy *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_no_memory(err);
        return NULL;
    }
    mcti_arena_init(&c->arena, SIZE_MAX);
    fill_server(c, p);
    if (c->base.error.kind)
        mcti_api_name_server(a, p, &c->base.error);
    if (c->base.lists_error.kind)
        mcti_api_name_server(a, p, &c->base.lists_error);
    if (mcti_arena_ok(&c->arena))
        return &c->base;
    mct_server_free(&c->base);
    mcti_no_memory(err);
    return NULL;
}

void mct_server_free(struct mct_server *s)
{
    struct server_copy *c = s ? MCT_CONTAINER(s, struct server_copy, base) : NULL;
    if (c)
        mcti_arena_done(&c->arena);
    free(c);
}
