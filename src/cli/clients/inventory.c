/* `inventory`: every entry of every client program on this machine, and whether it leads through mcptools. */
#include "clients/scan.h"
#include "cli/clients/take.h"
#include "cli/edit/edit.h"

#include "json/write.h"

#include <stdlib.h>
#include <unistd.h>

struct entry {
    const struct mcti_client *client;
    enum mcti_client_scope scope;
    struct mcti_config_server server; /* owned */
    bool is_ours;
};

struct inventory {
    const struct mcti_app *app;
    char *address;   /* of our gateway; owned */
    struct entry *v; /* owned */
    size_t n, n_ours;
    struct mcti_buf list;
    struct mcti_strings problems; /* of files that cannot be read whole */
    bool is_partial;              /* there is such a file */
};

static const struct mcti_config_server *server_at(const struct inventory *i, size_t k)
{
    return &i->v[k].server;
}

/* ---- collecting ---- */

/* Reads the address of the gateway from the user's mcptools.json. */
static void inventory_read_own(struct inventory *i)
{
    struct mcti_config own;
    struct mct_error err;
    char *path = mcti_change_target(&i->app->opt, &err);
    mcti_config_init(&own);
    if (path && access(path, F_OK) == 0)
        mcti_config_read_file(&own, path, &err);
    i->address = strdup(own.serve_http);
    mcti_config_done(&own);
    free(path);
}

/* Returns true if the problem is shown with an entry. */
static bool is_of_entry(const struct mcti_config *c, const struct mcti_problem *p)
{
    for (size_t k = 0; k < c->n_servers; k++) {
        const struct mct_error *e = &c->servers[k].error;
        if (e->kind && !strncmp(p->text, e->message, strlen(e->message)))
            return true;
    }
    return false;
}

static void inventory_note_problems(struct inventory *i, const struct mcti_config *c)
{
    i->is_partial |= c->broken;
    for (size_t k = 0; c->broken && k < c->n_problems; k++)
        if (c->problems[k].fatal && !is_of_entry(c, &c->problems[k]))
            mcti_strings_add(&i->problems, mcti_str_of(c->problems[k].text));
}

static void inventory_on_found(struct mcti_client_found *f, void *data)
{
    struct inventory *i = data;
    inventory_note_problems(i, f->config);
    for (size_t k = 0; k < f->config->n_servers; k++) {
        struct mcti_config_server *s = &f->config->servers[k];
        struct entry *v = realloc(i->v, (i->n + 1) * sizeof *v);
        char *name = v ? strdup(s->name) : NULL;
        bool is_ours = mcti_client_is_ours(s, i->address ? i->address : "");
        i->v = v ? v : i->v;
        if (!name)
            continue;
        v[i->n] = (struct entry){ f->client, f->scope, *s, is_ours };
        v[i->n++].server.name = name;
        *s = (struct mcti_config_server){ .name = s->name };
        i->n_ours += is_ours;
    }
}

/* ---- printing ---- */

/* Appends what the entry starts or connects to, without secrets. */
static void put_what(struct mcti_buf *to, const struct mcti_config_server *s)
{
    if (s->url)
        return mcti_config_put_url(to, s->url);
    mcti_buf_addz(to, s->command ? s->command : "");
    for (size_t i = 0; i < s->args.n; i++) {
        mcti_buf_addc(to, ' ');
        mcti_config_put_arg(to, &s->args, i);
    }
}

/* Calls `put` for each other program that has the same server. Returns their number. */
static size_t each_other(const struct inventory *i, size_t k, struct mcti_buf *to,
                         void (*put)(struct mcti_buf *to, size_t n, const struct entry *e, const char *name))
{
    size_t n = 0;
    for (size_t j = 0; j < i->n && !i->v[k].is_ours; j++)
        if (i->v[j].client != i->v[k].client && mcti_client_is_same(server_at(i, j), server_at(i, k)))
            put(to, n++, &i->v[j], server_at(i, j)->name);
    return n;
}

static void put_title(struct mcti_buf *to, size_t n, const struct entry *e, const char *name)
{
    (void)name;
    mcti_buf_printf(to, "%s%s", n ? ", " : "", e->client->title);
}

static void put_other(struct mcti_buf *to, size_t n, const struct entry *e, const char *name)
{
    mcti_buf_addz(to, n ? ",{" : "{");
    mcti_json_put_member(to, "client", mcti_str_of(e->client->id));
    mcti_json_put_member(to, "name", mcti_str_of(name));
    mcti_buf_addc(to, '}');
}

static void put_entry_json(struct inventory *i, size_t k)
{
    const struct entry *e = &i->v[k];
    const struct mcti_config_server *s = server_at(i, k);
    struct mcti_buf what, others;
    mcti_buf_init(&what, 1u << 20);
    mcti_buf_init(&others, 1u << 20);
    put_what(&what, s);
    each_other(i, k, &others, put_other);
    mcti_buf_addz(&i->list, i->list.len ? ",{" : "{");
    mcti_json_put_member(&i->list, "client", mcti_str_of(e->client->id));
    mcti_json_put_member(&i->list, "scope", mcti_str_of(mcti_word_of(mcti_client_scopes, e->scope)));
    mcti_json_put_member(&i->list, "file", mcti_str_of(s->file));
    mcti_json_put_key(&i->list, "line");
    mcti_buf_addu(&i->list, s->line);
    mcti_json_put_member(&i->list, "name", mcti_str_of(s->name));
    mcti_json_put_member(&i->list, s->url ? "url" : "command", mcti_buf_str(&what));
    mcti_json_put_raw(&i->list, "enabled", s->enabled || e->is_ours ? MCT_STR("true") : MCT_STR("false"));
    mcti_json_put_raw(&i->list, "throughMcptools", e->is_ours ? MCT_STR("true") : MCT_STR("false"));
    if (s->error.kind)
        mcti_json_put_member(&i->list, "error", mcti_str_of(s->error.message));
    mcti_json_put_key(&i->list, "also");
    mcti_buf_printf(&i->list, "[");
    mcti_buf_add(&i->list, mcti_buf_str(&others));
    mcti_buf_addz(&i->list, "]}");
    mcti_buf_done(&what);
    mcti_buf_done(&others);
}

static void print_entry(struct inventory *i, size_t k)
{
    const struct mcti_app *app = i->app;
    const struct entry *e = &i->v[k];
    const struct mcti_config_server *s = server_at(i, k);
    struct mcti_buf text;
    bool is_first = !k || i->v[k - 1].client != e->client || strcmp(server_at(i, k - 1)->file, s->file) != 0 ||
                    i->v[k - 1].scope != e->scope;
    mcti_buf_init(&text, 1u << 20);
    if (is_first) {
        mcti_out_styled(app, MCT_BOLD, "%s", e->client->title);
        mcti_client_put_path(&text, s->file);
        mcti_out_styled(app, MCT_DIM, "  %s, %.*s", mcti_word_of(mcti_client_scopes, e->scope),
                        MCT_STR_ARG(mcti_buf_str(&text)));
        putchar('\n');
        mcti_buf_clear(&text);
    }
    put_what(&text, s);
    mcti_out(app, "  %-20s %.*s", s->name, MCT_STR_ARG(mcti_buf_str(&text)));
    mcti_buf_clear(&text);
    if (e->is_ours)
        mcti_out_styled(app, MCT_BOLD, "  through mcptools");
    else if (!s->enabled)
        mcti_out_styled(app, MCT_DIM, "  off");
    if (each_other(i, k, &text, put_title))
        mcti_out_styled(app, MCT_DIM, "  also in %.*s", MCT_STR_ARG(mcti_buf_str(&text)));
    putchar('\n');
    if (s->error.kind) {
        mcti_out_styled(app, MCT_RED, "    %s", s->error.message);
        putchar('\n');
    }
    mcti_buf_done(&text);
}

static void print_sum(const struct inventory *i)
{
    size_t n_programs = 0;
    for (size_t k = 0; k < i->n; k++)
        n_programs += !k || i->v[k].client != i->v[k - 1].client;
    if (!i->n)
        mcti_out(i->app, "No client program has an entry here.\n");
    else
        mcti_out(i->app, "%zu %s in %zu %s; %zu through mcptools\n", i->n, i->n == 1 ? "entry" : "entries", n_programs,
                 n_programs == 1 ? "program" : "programs", i->n_ours);
}

static void inventory_print(struct inventory *i)
{
    struct mcti_buf out;
    if (i->app->opt.output != MCT_OUT_JSON) {
        for (size_t k = 0; k < i->n; k++)
            print_entry(i, k);
        print_sum(i);
        for (size_t k = 0; k < i->problems.n; k++)
            mcti_say("mcptools: %s", i->problems.v[k]);
        return;
    }
    for (size_t k = 0; k < i->n; k++)
        put_entry_json(i, k);
    mcti_buf_init(&out, 1u << 26);
    mcti_buf_addz(&out, "{\"entries\":[");
    mcti_buf_add(&out, mcti_buf_str(&i->list));
    mcti_buf_addz(&out, "],\"problems\":[");
    for (size_t k = 0; k < i->problems.n; k++) {
        mcti_buf_addz(&out, k ? "," : "");
        mcti_json_put_string(&out, mcti_str_of(i->problems.v[k]));
    }
    mcti_buf_addz(&out, "]}");
    mcti_out_json(i->app, mcti_buf_str(&out));
    mcti_buf_done(&out);
}

int mcti_cmd_inventory(struct mcti_app *app)
{
    struct inventory i = { .app = app };
    const struct mcti_client_scan scan = {
        .for_import = true, .only_shows = true, .found = inventory_on_found, .data = &i
    };
    mcti_buf_init(&i.list, 1u << 26);
    inventory_read_own(&i);
    for (const struct mcti_client *k = mcti_clients; k->id; k++)
        mcti_client_scan(k, &scan);
    mcti_out_page(app);
    inventory_print(&i);
    mcti_buf_done(&i.list);
    mcti_strings_clear(&i.problems);
    for (size_t k = 0; k < i.n; k++)
        mcti_config_clear_server(&i.v[k].server);
    free(i.address);
    free(i.v);
    return i.is_partial ? mcti_error_exit_status(MCT_ERR_PARTIAL) : 0;
}
