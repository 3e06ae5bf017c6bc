/* `install CLIENT…`: puts mcptools into the files of client programs. Without a client: lists those that are here. */
#include "cli/clients/place.h"
#include "cli/clients/take.h"
#include "cli/edit/edit.h"

#include "json/write.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

struct install {
    struct mcti_app *app;
    char *config;         /* mcptools.json, an absolute path unless the file is new; owned */
    char *program;        /* owned */
    char *url;            /* of the gateway; owned, NULL: the clients start mcptools */
    bool with_token;      /* the gateway wants one */
    struct mcti_buf list; /* what was done, as JSON */
};

/* ---- what the entry says ---- */

/* Returns the path by which this program is called: that in PATH if it leads here, which a new version keeps. */
static char *own_program(void)
{
    char *self = realpath("/proc/self/exe", NULL);
    struct mcti_str rest = mcti_str_of(getenv("PATH")), folder;
    while (self && mcti_str_split(&rest, ':', &folder)) {
        char *path = NULL;
        if (folder.len && *folder.p == '/' && asprintf(&path, "%.*s/mcptools", MCT_STR_ARG(folder)) >= 0) {
            char *real = realpath(path, NULL);
            bool is_self = real && !strcmp(real, self);
            free(real);
            if (is_self) {
                free(self);
                return path;
            }
            free(path);
        }
    }
    return self;
}

/* Returns the file that the entry names: --config, or the user's, or that of the working directory, which comes first
 * for a project. The user's is returned if there is none. */
static char *own_config(const struct mcti_options *opt)
{
    const char *const here = "mcptools.json";
    char *user = mcti_client_path("${XDG_CONFIG_HOME:-~/.config}/mcptools/mcptools.json", NULL);
    bool has_user = user && access(user, F_OK) == 0, has_here = access(here, F_OK) == 0;
    const char *chosen = opt->config_files.n                       ? opt->config_files.v[0]
                         : has_here && (!has_user || opt->project) ? here
                                                                   : user;
    char *real = chosen ? realpath(chosen, NULL) : NULL;
    if (!real && chosen)
        real = strdup(chosen);
    free(user);
    return real;
}

/* Reads how the gateway is reached. */
static int install_read_gateway(struct install *i, struct mct_error *err)
{
    struct mcti_config c;
    mcti_config_init(&c);
    int r = access(i->config, F_OK) == 0 ? mcti_config_read_file(&c, i->config, err) : 0;
    const char *address = c.serve_http;
    if (r == 0 && !strncmp(address, "0.0.0.0:", 8)) {
        r = asprintf(&i->url, "http://127.0.0.1:%s/mcp", address + 8) < 0 ? mcti_no_memory(err) : 0;
    } else if (r == 0) {
        r = asprintf(&i->url, "http://%s/mcp", address) < 0 ? mcti_no_memory(err) : 0;
    }
    i->with_token = c.n_tokens;
    mcti_config_done(&c);
    return r;
}

/* Fails if the entry would name a file that is not trusted: what --config names needs no trust. */
static int install_check_trust(const struct install *i, struct mct_error *err)
{
    struct mcti_config c;
    struct mcti_buf text;
    mcti_config_init(&c);
    int r = access(i->config, F_OK) == 0 ? mcti_config_read_found(&c, i->config, true, err) : 0;
    if (r == 0 && c.n_distrusted) {
        mcti_buf_init(&text, sizeof err->message);
        mcti_config_put_distrust(&text, i->config, c.distrusted[0].trust, "clients would start what it says");
        r = mcti_fail(err, MCT_ERR_POLICY, "%.*s", MCT_STR_ARG(mcti_buf_str(&text)));
        mcti_buf_done(&text);
    }
    mcti_config_done(&c);
    return r;
}

static int install_open(struct install *i, struct mct_error *err)
{
    const struct mcti_options *opt = &i->app->opt;
    i->config = own_config(opt);
    i->program = own_program();
    if (!i->config || !i->program)
        return mcti_fail(err, MCT_ERR_CONFIG, "HOME is not set, so there is no mcptools.json; name one with --config");
    if (access(i->config, F_OK) < 0 && !opt->take_over && !opt->gateway)
        return mcti_fail(
            err, MCT_ERR_CONFIG,
            "%s: there is no mcptools.json yet; 'mcptools config import --all' makes one of the servers of "
            "your programs, --take-over of those of this one",
            i->config);
    if (!opt->config_files.n && install_check_trust(i, err) < 0)
        return -1;
    return opt->gateway ? install_read_gateway(i, err) : 0;
}

/* ---- the other servers ---- */

struct moving {
    struct mcti_take take;
    struct mcti_placing *placing;
};

static int move_servers(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct moving *m = data;
    struct mcti_buf before;
    mcti_buf_init(&before, MCT_EDIT_MAX_BYTES);
    mcti_buf_add(&before, mcti_buf_str(&e->text));
    int r = mcti_take_open(&m->take, e, err);
    if (r == 0)
        r = mcti_take_client_file(&m->take, m->placing->client, m->placing->file, m->take.app->opt.project, err);
    if (r == 0)
        r = mcti_change_keep_trust(m->take.app, m->take.path, mcti_buf_str(&before), e, err);
    mcti_buf_done(&before);
    return r < 0 ? -1 : 0;
}

/* Takes the client's servers into mcptools.json; `dry_run`: prints what that would do. *ret_names: the servers that can
 * leave the client's file. */
static int install_take_over(struct install *i, struct mcti_placing *p, bool dry_run, struct mcti_strings *ret_names,
                             struct mct_error *err)
{
    struct moving m = { .placing = p };
    mcti_take_init(&m.take, i->app, strdup(i->config));
    m.take.quiet = !dry_run;
    const struct mcti_edit_job job = { .path = i->config, .dry_run = dry_run, .edit = move_servers, .data = &m };
    struct mcti_edit_outcome outcome;
    int r = p->is_new ? 0 : mcti_edit_file(&job, &outcome, err);
    if (!p->is_new)
        mcti_edit_outcome_done(&outcome);
    mcti_strings_clear(ret_names);
    *ret_names = m.take.taken;
    m.take.taken = (struct mcti_strings){ 0 };
    mcti_take_done(&m.take);
    return r;
}

/* ---- one client ---- */

static void install_note(struct install *i, const struct mcti_placing *p)
{
    mcti_buf_addz(&i->list, i->list.len ? ",{" : "{");
    mcti_json_put_member(&i->list, "client", mcti_str_of(p->client->id));
    mcti_json_put_member(&i->list, "file", mcti_str_of(p->file));
    mcti_json_put_raw(&i->list, "written", p->written ? MCT_STR("true") : MCT_STR("false"));
    mcti_json_put_raw(&i->list, "already", p->changed ? MCT_STR("false") : MCT_STR("true"));
    mcti_json_put_raw(&i->list, "entry", mcti_buf_str(&p->entry));
    mcti_buf_addc(&i->list, '}');
}

static void install_tell(struct install *i, const struct mcti_placing *p)
{
    const struct mcti_app *app = i->app;
    install_note(i, p);
    if (app->opt.output == MCT_OUT_JSON)
        return;
    if (!p->changed)
        mcti_out(app, "%s: mcptools is already there (%s)\n", p->client->title, p->file);
    else if (p->written)
        mcti_out(app, "%s: written to %s; 'mcptools uninstall %s' undoes it\n", p->client->title, p->file,
                 p->client->id);
    else
        mcti_out(app, "%s: not written\n", p->client->title);
    if (p->written && i->url && i->with_token)
        mcti_out(app,
                 "Set %s where %s is started, to a token of serve.tokens; desktops do not see the variables of a "
                 "shell.\n",
                 MCT_CLIENT_TOKEN_VARIABLE, p->client->title);
    if (p->written)
        mcti_out(app, "Restart %s if it runs.\n", p->client->title);
}

/* Prints what to add to a file that mcptools does not write. */
static int install_by_hand(struct install *i, struct mcti_placing *p, struct mct_error *err)
{
    char *path = mcti_client_target(p->client, !p->client->user);
    const char *const *container = p->client->writes.container;
    mcti_fail(err, MCT_ERR_CONFIG, "%s: mcptools does not write YAML; add to %s, below %s%s%s: %s: %.*s",
              p->client->title, path ? path : "its file", container[0], container[1] ? "." : "",
              container[1] ? container[1] : "", MCT_CLIENT_ENTRY, MCT_STR_ARG(mcti_buf_str(&p->entry)));
    free(path);
    (void)i;
    return -1;
}

static int install_client(struct install *i, struct mcti_placing *p, struct mct_error *err)
{
    const struct mcti_client_way way = {
        .program = i->program, .config = i->config, .url = i->url, .with_token = i->with_token
    };
    struct mcti_strings others = { 0 };
    if (mcti_client_put_entry(&p->entry, p->client, &way, err) < 0)
        return -1;
    if (p->client->writes.by_hand)
        return install_by_hand(i, p, err);
    int r = mcti_placing_find(p, false, err);
    if (r == 0 && i->app->opt.take_over)
        r = install_take_over(i, p, true, &others, err);
    p->leave = &others;
    if (r == 0)
        r = mcti_placing_plan(p, err);
    if (r == 0 && p->changed) {
        int no = mcti_placing_confirm(p, "Write this?", err);
        r = no < 0 ? -1 : 0;
        if (no == 0 && i->app->opt.take_over)
            r = install_take_over(i, p, false, &others, err);
        if (no == 0 && r == 0)
            r = mcti_placing_write(p, err);
    }
    if (r == 0)
        install_tell(i, p);
    mcti_strings_clear(&others);
    return r;
}

static int install_word(struct install *i, const char *word, struct mct_error *err)
{
    const struct mcti_client *client = mcti_placing_client(word, err);
    if (!client)
        return -1;
    struct mcti_placing p;
    mcti_placing_init(&p, i->app, client);
    int r = install_client(i, &p, err);
    mcti_placing_done(&p);
    return r;
}

/* ---- the list ---- */

struct here {
    size_t n_servers;
    bool has_ours;
    const char *address;
};

static void here_count(struct mcti_client_found *f, void *data)
{
    struct here *h = data;
    for (size_t i = 0; i < f->config->n_servers; i++) {
        bool is_ours = mcti_client_is_ours(&f->config->servers[i], h->address);
        h->has_ours |= is_ours;
        h->n_servers += !is_ours;
    }
}

static int install_list(struct install *i)
{
    const struct mcti_app *app = i->app;
    struct mcti_config own;
    size_t n = 0;
    mcti_config_init(&own);
    for (const struct mcti_client *k = mcti_clients; k->id; k++) {
        struct here h = { .address = own.serve_http };
        const struct mcti_client_scan scan = { .only_shows = true, .found = here_count, .data = &h };
        if (!mcti_client_is_here(k))
            continue;
        mcti_client_scan(k, &scan);
        char *file = mcti_client_target(k, !k->user);
        mcti_buf_addz(&i->list, n++ ? ",{" : "{");
        mcti_json_put_member(&i->list, "client", mcti_str_of(k->id));
        mcti_json_put_member(&i->list, "title", mcti_str_of(k->title));
        mcti_json_put_member(&i->list, "file", mcti_str_of(file ? file : ""));
        mcti_json_put_raw(&i->list, "installed", h.has_ours ? MCT_STR("true") : MCT_STR("false"));
        mcti_json_put_key(&i->list, "servers");
        mcti_buf_addu(&i->list, h.n_servers);
        mcti_buf_addc(&i->list, '}');
        if (app->opt.output != MCT_OUT_JSON) {
            mcti_out_styled(app, MCT_BOLD, "%-16s", k->id);
            struct mcti_buf shown;
            mcti_buf_init(&shown, 1u << 16);
            mcti_client_put_path(&shown, file ? file : "");
            mcti_out(app, "%-20s %-13s%zu %s  %.*s\n", k->title, h.has_ours ? "installed" : "-", h.n_servers,
                     h.n_servers == 1 ? "server " : "servers", MCT_STR_ARG(mcti_buf_str(&shown)));
            mcti_buf_done(&shown);
        }
        free(file);
    }
    mcti_config_done(&own);
    if (!n && app->opt.output != MCT_OUT_JSON)
        mcti_out(app, "None of the programs that mcptools knows is here; see docs/CLIENTS.md.\n");
    return 0;
}

/* ---- the command ---- */

int mcti_cmd_install(struct mcti_app *app)
{
    struct install i = { .app = app };
    struct mct_error err = { 0 };
    struct mcti_buf out;
    mcti_buf_init(&i.list, 1u << 24);
    mcti_buf_init(&out, 1u << 24);
    int r = 0;
    for (int k = 0; r == 0 && k < app->argc; k++)
        r = mcti_placing_client(app->argv[k], &err) ? 0 : -1;
    if (r == 0)
        r = app->argc ? install_open(&i, &err) : install_list(&i);
    for (int k = 0; r == 0 && k < app->argc; k++)
        r = install_word(&i, app->argv[k], &err);
    if (r == 0 && app->opt.output == MCT_OUT_JSON) {
        mcti_buf_addz(&out, "{\"clients\":[");
        mcti_buf_add(&out, mcti_buf_str(&i.list));
        mcti_buf_addz(&out, "]}");
        mcti_out_json(app, mcti_buf_str(&out));
    }
    mcti_buf_done(&out);
    mcti_buf_done(&i.list);
    free(i.config);
    free(i.program);
    free(i.url);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
