/* "import": adds the servers of other programs to the configuration. */
#include "clients/scan.h"

#include "base/log/near.h"

#include <stdio.h>
#include <stdlib.h>

static const struct mcti_config_server *find_same(const struct mcti_config *c, const struct mcti_config_server *s)
{
    for (size_t i = 0; i < c->n_servers; i++)
        if (mcti_client_is_same(&c->servers[i], s))
            return &c->servers[i];
    return NULL;
}

char *mcti_client_name(const struct mcti_config *c, const struct mcti_config_server *s, const char *id,
                       const char **ret_same)
{
    const struct mcti_config_server *same = find_same(c, s);
    char *name = NULL;
    *ret_same = same ? same->name : NULL;
    if (same)
        return NULL;
    if (!mcti_config_find(c, mcti_str_of(s->name)))
        return strdup(s->name);
    for (unsigned i = 1; i < 1000; i++) {
        int n = i == 1 ? asprintf(&name, "%s-%s", s->name, id) : asprintf(&name, "%s-%s-%u", s->name, id, i);
        if (n < 0 || !mcti_config_find(c, mcti_str_of(name)))
            return n < 0 ? NULL : name;
        free(name);
    }
    return NULL;
}

/* Decides whether a server of a program is used at all. One of a file of our own hides those of its name; a server that
 * one program has switched off, and another one not, is used. */
static bool is_adopted(struct mcti_config *c, const struct mcti_config_server *s, const struct mcti_client *client)
{
    struct mcti_config_server *own = mcti_config_find(c, mcti_str_of(s->name));
    if (mcti_client_is_ours(s, c->serve_http))
        return false;
    if (!own || mcti_client_is_same(own, s) || (own->client && strcmp(own->client, client->id) != 0))
        return true;
    return false;
}

static void adopt_server(struct mcti_config *c, struct mcti_config_server *s, const struct mcti_client *client)
{
    const char *same_name;
    const struct mcti_config_server *own = mcti_config_find(c, mcti_str_of(s->name));
    if (own && s->untrusted)
        return;
    if (own && own->untrusted)
        mcti_config_remove_server(c, s->name); /* it takes no name from others */
    if (!is_adopted(c, s, client))
        return;
    char *name = mcti_client_name(c, s, client->id, &same_name);
    if (!name) {
        struct mcti_config_server *same = same_name ? mcti_config_find(c, mcti_str_of(same_name)) : NULL;
        if (same && same->client && !same->enabled && !same->error.kind)
            same->enabled = s->enabled;
        return;
    }
    struct mcti_config_server renamed = *s;
    renamed.name = name;
    renamed.client = client->id;
    if (mcti_config_move_server(c, &renamed))
        *s = (struct mcti_config_server){ .name = s->name };
    free(name);
}

static void adopt_file(struct mcti_client_found *f, void *data)
{
    struct mcti_config *c = data;
    for (size_t i = 0; i < f->config->n_problems; i++)
        if (f->config->problems[i].fatal)
            mcti_config_problem(c, true, "%s", f->config->problems[i].text);
    for (size_t i = 0; i < f->config->n_distrusted; i++)
        mcti_config_note_distrust(c, f->file, f->config->distrusted[i].trust, false);
    if (f->config->n_servers)
        mcti_strings_add(&c->files, mcti_str_of(f->file));
    for (size_t i = 0; i < f->config->n_servers; i++)
        adopt_server(c, &f->config->servers[i], f->client);
}

static void refuse_client(struct mcti_config *c, const char *id)
{
    struct mcti_near near = { .word = mcti_str_of(id) };
    char hint[MCT_NEAR_HINT_BYTES];
    for (const struct mcti_client *k = mcti_clients; k->id; k++)
        mcti_near_try(&near, mcti_str_of(k->id));
    mcti_config_problem(c, true, "%s: mcptools.import: unknown program '%s'%s; docs/CLIENTS.md lists the programs",
                        c->settings_file, id, mcti_near_hint(&near, hint));
}

void mcti_client_import(struct mcti_config *c)
{
    const struct mcti_client_scan scan = { .found = adopt_file, .data = c };
    mcti_client_settle_discovered(c);
    for (const struct mcti_client *k = mcti_clients; c->import_all && k->id; k++)
        mcti_client_scan(k, &scan);
    for (size_t i = 0; !c->import_all && i < c->import.n; i++) {
        const struct mcti_client *k = mcti_client_find(c->import.v[i]);
        if (k)
            mcti_client_scan(k, &scan);
        else
            refuse_client(c, c->import.v[i]);
    }
}
