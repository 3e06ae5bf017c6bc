/* What is known of servers without starting them: names from the configuration, items of the demo server. */
#include "cli/complete/impl.h"

#include "clients/scan.h"
#include "hub/local/demo.h"

#include <stdlib.h>

static const struct mcti_log silent = { 0 };

const struct mcti_config *mcti_complete_config(struct mcti_complete *c)
{
    struct mct_error err;
    if (c->is_configured)
        return &c->config;
    c->is_configured = true;
    mcti_config_init(&c->config);
    for (size_t i = 0; i < c->files.n; i++)
        mcti_config_read_file(&c->config, c->files.v[i], &err);
    if (!c->files.n)
        mcti_config_discover(&c->config);
    mcti_client_import(&c->config);
    return &c->config;
}

/* Returns true if nothing is configured, so that commands use the built-in server. */
static bool servers_are_demo(struct mcti_complete *c)
{
    const struct mcti_config *config = mcti_complete_config(c);
    return !config->files.n && !config->n_servers;
}

static bool servers_begins(const char *word, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(word, name, n) && (!word[n] || word[n] == '.');
}

const char *mcti_complete_server(struct mcti_complete *c, const char *word, const char **ret_rest)
{
    const struct mcti_config *config = mcti_complete_config(c);
    const char *best = servers_are_demo(c) && servers_begins(word, "demo") ? "demo" : NULL;
    for (size_t i = 0; i < config->n_servers; i++) {
        const char *name = config->servers[i].name;
        if (servers_begins(word, name) && (!best || strlen(name) > strlen(best)))
            best = name;
    }
    if (best && ret_rest)
        *ret_rest = word[strlen(best)] ? word + strlen(best) + 1 : NULL;
    return best;
}

/* Appends what the entry of a server starts or where it is, without its arguments, which may contain secrets. */
static void servers_put_description(struct mcti_buf *to, const struct mcti_config_server *s)
{
    if (s->url)
        mcti_config_put_url(to, s->url);
    else
        mcti_buf_addz(to, s->command ? s->command : s->plugin_path ? s->plugin_path : "");
    mcti_buf_addz(to, s->enabled ? "" : " (disabled)");
}

void mcti_complete_server_names(struct mcti_complete *c, const char *ending)
{
    const struct mcti_config *config = mcti_complete_config(c);
    struct mcti_buf name, about;
    mcti_buf_init(&name, 1u << 16);
    mcti_buf_init(&about, 1u << 16);
    for (size_t i = 0; i < config->n_servers && !c->is_adhoc; i++) {
        mcti_buf_clear(&name);
        mcti_buf_clear(&about);
        mcti_buf_printf(&name, "%s%s", config->servers[i].name, ending);
        servers_put_description(&about, &config->servers[i]);
        mcti_complete_add(c, mcti_buf_str(&name), mcti_buf_str(&about));
    }
    mcti_buf_clear(&name);
    mcti_buf_printf(&name, "demo%s", ending);
    if (servers_are_demo(c) && !c->is_adhoc)
        mcti_complete_add(c, mcti_buf_str(&name), MCT_STR("the built-in server"));
    mcti_buf_done(&name);
    mcti_buf_done(&about);
}

/* ---- items ---- */

static void servers_each_demo(struct mcti_complete *c, const struct mcti_complete_items *items)
{
    struct mcti_sched sched;
    mcti_sched_init(&sched);
    struct mcti_provider *p = mcti_provider_builtin_new("demo", &sched, &silent);
    for (size_t i = 0; p && i < p->items[items->kind].n; i++)
        items->each(c, items, mcti_item_json(p->items[items->kind].v[i]));
    if (p)
        p->ops->free(p);
}

void mcti_complete_items(struct mcti_complete *c, const struct mcti_complete_items *items)
{
    if (mcti_complete_live_items(c, items))
        return;
    if (servers_are_demo(c))
        servers_each_demo(c, items);
    else
        mcti_complete_stored_items(c, items);
}

/* ---- names ---- */

struct mcti_str mcti_complete_text(struct mcti_str object, const char *key, struct mcti_buf *to)
{
    mcti_buf_clear(to);
    mcti_json_unescape_any(mcti_json_get(object, key), to);
    return mcti_buf_str(to);
}

static void servers_add_name(struct mcti_complete *c, const struct mcti_complete_items *items, struct mcti_str item)
{
    struct mcti_buf name, part, about;
    mcti_buf_init(&name, 1u << 16);
    mcti_buf_init(&part, 1u << 16);
    mcti_buf_init(&about, 1u << 20);
    mcti_buf_printf(&name, "%s.", items->server);
    mcti_buf_add(&name, mcti_complete_text(item, "name", &part));
    struct mcti_str title = mcti_complete_text(item, "description", &about);
    if (!title.len)
        title = mcti_complete_text(item, "title", &about);
    mcti_complete_add(c, mcti_buf_str(&name), title);
    mcti_buf_done(&name);
    mcti_buf_done(&part);
    mcti_buf_done(&about);
}

/* Returns the only server whose name begins with the word, or NULL. */
static const char *servers_only(struct mcti_complete *c)
{
    const struct mcti_config *config = mcti_complete_config(c);
    const char *found = servers_are_demo(c) ? "demo" : NULL;
    for (size_t i = 0; i < config->n_servers; i++) {
        if (!mcti_str_starts(mcti_str_of(config->servers[i].name), c->current))
            continue;
        if (found)
            return NULL;
        found = config->servers[i].name;
    }
    return found;
}

void mcti_complete_item_names(struct mcti_complete *c, enum mcti_kind kind)
{
    const char *rest = NULL, *server = mcti_complete_server(c, c->current.p, &rest);
    if (c->is_adhoc)
        return;
    if (!rest)
        server = servers_only(c);
    const struct mcti_complete_items items = { .server = server, .kind = kind, .each = servers_add_name };
    if (server)
        mcti_complete_items(c, &items);
    if (!rest && (!server || !c->n))
        mcti_complete_server_names(c, ".");
}

static void servers_add_uri(struct mcti_complete *c, const struct mcti_complete_items *items, struct mcti_str item)
{
    struct mcti_buf uri, about;
    bool is_template = items->kind == MCT_TEMPLATE;
    mcti_buf_init(&uri, 1u << 16);
    mcti_buf_init(&about, 1u << 20);
    struct mcti_str text = mcti_complete_text(item, is_template ? "uriTemplate" : "uri", &uri);
    const char *brace = is_template ? memchr(text.p, '{', text.len) : NULL;
    size_t n = c->n;
    if (brace) /* up to the first variable */
        text.len = (size_t)(brace - text.p);
    mcti_complete_add(c, text, mcti_complete_text(item, "name", &about));
    if (brace && c->current.len > text.len)
        mcti_complete_template_values(c, items->server, item);
    c->flags |= brace && c->n > n ? COMPLETE_NO_SPACE : 0;
    mcti_buf_done(&uri);
    mcti_buf_done(&about);
}

void mcti_complete_uris(struct mcti_complete *c)
{
    const struct mcti_config *config = mcti_complete_config(c);
    const char *named = c->words.n ? mcti_complete_server(c, c->words.v[c->words.n - 1], NULL) : NULL;
    for (int kind = MCT_RESOURCE; kind <= MCT_TEMPLATE; kind++) {
        struct mcti_complete_items items = { .server = named ? named : "demo", .kind = kind, .each = servers_add_uri };
        if (named || servers_are_demo(c))
            mcti_complete_items(c, &items);
        for (size_t i = 0; !named && i < config->n_servers; i++) {
            items.server = config->servers[i].name;
            mcti_complete_items(c, &items);
        }
    }
}
