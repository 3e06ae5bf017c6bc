#include "cli/clients/hint.h"

#include "clients/scan.h"

#include <stdlib.h>
#include <unistd.h>

enum { SHOWN_PROGRAMS = 3 };

struct hint {
    struct mcti_config found; /* what can be imported, and what is there already */
    size_t n_there, n_programs;
    const char *titles[SHOWN_PROGRAMS];
    const struct mcti_client *last;
};

static void hint_count(struct mcti_client_found *f, void *data)
{
    struct hint *h = data;
    const char *same;
    for (size_t i = 0; i < f->config->n_servers; i++) {
        struct mcti_config_server *s = &f->config->servers[i];
        char *name = s->error.kind || mcti_client_is_ours(s, h->found.serve_http)
                         ? NULL
                         : mcti_client_name(&h->found, s, f->client->id, &same);
        struct mcti_config_server renamed = *s;
        renamed.name = name;
        if (name && mcti_config_move_server(&h->found, &renamed)) {
            *s = (struct mcti_config_server){ .name = s->name };
            if (h->last != f->client && h->n_programs++ < SHOWN_PROGRAMS)
                h->titles[h->n_programs - 1] = f->client->title;
            h->last = f->client;
        }
        free(name);
    }
}

static bool has_own_file(const struct mcti_config *c)
{
    for (size_t i = 0; i < c->files.n; i++) {
        const char *slash = strrchr(c->files.v[i], '/');
        if (!strcmp(slash ? slash + 1 : c->files.v[i], "mcptools.json"))
            return true;
    }
    return false;
}

/* Servers that are in use already count as found. */
static void hint_begin(struct hint *h, const struct mcti_config *c)
{
    mcti_config_init(&h->found);
    for (size_t i = 0; i < c->n_servers; i++) {
        struct mcti_config_server *s = mcti_config_add_server(&h->found, c->servers[i].name);
        for (size_t k = 0; s && k < c->servers[i].args.n; k++)
            mcti_strings_add(&s->args, mcti_str_of(c->servers[i].args.v[k]));
        if (s && c->servers[i].command)
            s->command = strdup(c->servers[i].command);
        if (s && c->servers[i].url)
            s->url = strdup(c->servers[i].url);
    }
    h->n_there = h->found.n_servers;
}

static void hint_print(const struct hint *h)
{
    struct mcti_buf names;
    size_t n = h->found.n_servers - h->n_there;
    mcti_buf_init(&names, 1u << 12);
    for (size_t i = 0; i < h->n_programs && i < SHOWN_PROGRAMS; i++)
        mcti_buf_printf(&names, "%s%s", !i ? "" : i + 1 == h->n_programs ? " and " : ", ", h->titles[i]);
    if (h->n_programs > SHOWN_PROGRAMS)
        mcti_buf_addz(&names, " and others");
    mcti_err("%zu %s of %.*s can be imported: mcptools config import --all\n", n, n == 1 ? "server" : "servers",
             MCT_STR_ARG(mcti_buf_str(&names)));
    mcti_buf_done(&names);
}

void mcti_hint_imports(const struct mcti_app *app)
{
    const struct mcti_config *c = &app->inst.config;
    struct hint h = { .n_programs = 0 };
    const struct mcti_client_scan scan = { .for_import = true, .only_shows = true, .found = hint_count, .data = &h };
    if (!isatty(STDERR_FILENO) || app->opt.config_files.n || mcti_app_is_adhoc(app) || has_own_file(c))
        return;
    hint_begin(&h, c);
    for (const struct mcti_client *k = mcti_clients; k->id; k++)
        mcti_client_scan(k, &scan);
    if (h.n_programs)
        hint_print(&h);
    mcti_config_done(&h.found);
}
