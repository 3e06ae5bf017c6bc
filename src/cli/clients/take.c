#include "cli/clients/take.h"

#include "json/write.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

void mcti_take_init(struct mcti_take *t, const struct mcti_app *app, char *take_path)
{
    *t = (struct mcti_take){ .app = app, .path = take_path };
    mcti_config_init(&t->target);
    mcti_buf_init(&t->list, 1u << 24);
    mcti_buf_init(&t->problems, 1u << 24);
    mcti_buf_init(&t->users, 1u << 24);
}

void mcti_take_done(struct mcti_take *t)
{
    mcti_buf_done(&t->list);
    mcti_buf_done(&t->problems);
    mcti_buf_done(&t->users);
    mcti_strings_clear(&t->warnings);
    mcti_strings_clear(&t->variables);
    mcti_strings_clear(&t->taken);
    mcti_config_done(&t->target);
    free(t->path);
}

int mcti_take_open(struct mcti_take *t, struct mcti_edit *edit, struct mct_error *err)
{
    struct mcti_str text = mcti_buf_str(&edit->text);
    t->edit = edit;
    if (text.len)
        mcti_config_read(&t->target, t->path, text.p, text.len);
    return t->target.broken ? mcti_fail(err, MCT_ERR_CONFIG, "%s", t->target.problems[t->target.broken_at].text) : 0;
}

/* ---- what is told ---- */

static void take_say(struct mcti_take *t, const char *name, const char *what, const char *why)
{
    mcti_buf_addz(&t->list, t->list.len ? ",{" : "{");
    mcti_json_put_member(&t->list, "name", mcti_str_of(name));
    mcti_json_put_member(&t->list, "result", mcti_str_of(what));
    if (why)
        mcti_json_put_member(&t->list, "reason", mcti_str_of(why));
    if (t->from)
        mcti_json_put_member(&t->list, "client", mcti_str_of(t->from->id));
    if (t->from)
        mcti_json_put_member(&t->list, "file", mcti_str_of(t->file));
    mcti_buf_addc(&t->list, '}');
    if (t->app->opt.output == MCT_OUT_JSON || t->quiet)
        return;
    mcti_out_styled(t->app, MCT_BOLD, "%-10s %s", what, name);
    mcti_out(t->app, why ? ": %s\n" : "\n", why);
}

static void note_problem(struct mcti_take *t, const struct mcti_problem *p)
{
    mcti_buf_addz(&t->problems, t->problems.len ? ",{" : "{");
    mcti_json_put_member(&t->problems, "severity", mcti_str_of(p->fatal ? "error" : "warning"));
    mcti_json_put_member(&t->problems, "message", mcti_str_of(p->text));
    mcti_buf_addc(&t->problems, '}');
    if (!p->fatal)
        mcti_strings_add(&t->warnings, mcti_str_of(p->text));
}

/* Notes the variables without a default in the entry that are not set. */
static void note_variables(struct mcti_take *t, const char *server, struct mcti_str entry)
{
    const char *p = entry.p, *end = entry.p + entry.len;
    while ((p = memmem(p, (size_t)(end - p), "${", 2))) {
        const char *from = p + 2, *to = from;
        bool is_escape = p > entry.p && p[-1] == '$';
        while (to < end && (isalnum((unsigned char)*to) || *to == '_'))
            to++;
        p = to;
        char *name = to < end && to > from && *to == '}' && !is_escape ? mcti_str_dup(mcti_str_range(from, to)) : NULL;
        if (name && !getenv(name)) {
            mcti_buf_addz(&t->users, t->users.len ? ",{" : "{");
            mcti_json_put_member(&t->users, "name", mcti_str_of(name));
            mcti_json_put_member(&t->users, "server", mcti_str_of(server));
            mcti_buf_addc(&t->users, '}');
            if (!mcti_strings_has(&t->variables, mcti_str_of(name)))
                mcti_strings_add(&t->variables, mcti_str_of(name));
        }
        free(name);
    }
}

/* ---- servers ---- */

static int take_add(struct mcti_take *t, const struct mcti_config_server *s, const char *name, struct mct_error *err)
{
    const char *const path[] = { "mcpServers", name, NULL };
    char why[256] = "";
    struct mcti_buf entry;
    mcti_buf_init(&entry, MCT_EDIT_MAX_BYTES);
    mcti_config_put_entry(&entry, s);
    int r = mcti_edit_insert(t->edit, path, mcti_buf_str(&entry), err);
    if (r == 0) {
        const char *between = s->enabled ? "" : "; ";
        snprintf(why, sizeof why, "%s%s%s", s->enabled ? "" : "disabled", s->off_because ? ": " : "",
                 s->off_because ? s->off_because : "");
        if (strcmp(name, s->name) != 0)
            snprintf(why + strlen(why), sizeof why - strlen(why), "%sanother server is called %s", between, s->name);
        t->n_added++;
        take_say(t, name, "added", *why ? why : NULL);
        note_variables(t, name, mcti_buf_str(&entry));
        mcti_config_add_server(&t->target, name);
    }
    mcti_buf_done(&entry);
    return r < 0 ? -1 : 0;
}

/* Returns the server of the target that is the same one, if a program's servers are taken; otherwise the one of its
 * name. */
static int take_server(struct mcti_take *t, const struct mcti_config_server *s, struct mct_error *err)
{
    const char *same = NULL;
    char text[256];
    if (s->is_mcptools || mcti_config_serves(s, t->path) || (t->from && mcti_client_is_ours(s, t->target.serve_http))) {
        take_say(t, s->name, "skipped", "is mcptools itself");
        return 0;
    }
    if (s->error.kind) {
        t->n_left_out++;
        take_say(t, s->name, "left out", s->error.message);
        return 0;
    }
    if (!t->from && mcti_config_find(&t->target, mcti_str_of(s->name))) {
        take_say(t, s->name, "kept", "the file has a server of this name already");
        return 0;
    }
    mcti_strings_add(&t->taken, mcti_str_of(s->name));
    char *name = t->from ? mcti_client_name(&t->target, s, t->from->id, &same) : strdup(s->name);
    if (!name && !same)
        return mcti_no_memory(err);
    if (name) {
        int r = take_add(t, s, name, err);
        free(name);
        return r;
    }
    snprintf(text, sizeof text, "the file has this server already%s%s", strcmp(same, s->name) ? ", as " : "",
             strcmp(same, s->name) ? same : "");
    take_say(t, s->name, "kept", text);
    return 0;
}

int mcti_take_servers(struct mcti_take *t, const struct mcti_config *source, struct mct_error *err)
{
    for (size_t i = 0; i < source->n_problems; i++)
        note_problem(t, &source->problems[i]);
    for (size_t i = 0; i < source->n_servers; i++)
        if (take_server(t, &source->servers[i], err) < 0)
            return -1;
    return 0;
}

/* ---- programs ---- */

struct taking {
    struct mcti_take *take;
    struct mct_error *err;
    int r;
};

/* A file that cannot be read costs nothing else. */
static void take_file(struct mcti_client_found *f, void *data)
{
    struct taking *now = data;
    struct mcti_take *t = now->take;
    if (now->r < 0 || (!f->config->n_servers && !f->config->broken && !f->config->n_problems))
        return;
    t->from = f->client;
    t->file = f->file;
    bool prints = t->app->opt.output != MCT_OUT_JSON && !t->quiet;
    if (prints) {
        mcti_out_styled(t->app, MCT_DIM, "%s, %s", f->client->title, f->file);
        putchar('\n');
    }
    if (f->config->broken) {
        t->n_left_out++;
        if (prints) {
            mcti_out_styled(t->app, MCT_RED, "%s", f->config->problems[f->config->broken_at].text);
            putchar('\n');
        }
    }
    now->r = mcti_take_servers(t, f->config, now->err);
    t->from = NULL;
}

int mcti_take_client(struct mcti_take *t, const struct mcti_client *client, struct mct_error *err)
{
    struct taking now = { t, err, 0 };
    const struct mcti_client_scan scan = { .for_import = true, .found = take_file, .data = &now };
    mcti_client_scan(client, &scan);
    return now.r;
}

int mcti_take_client_file(struct mcti_take *t, const struct mcti_client *client, const char *file, bool is_project,
                          struct mct_error *err)
{
    struct taking now = { t, err, 0 };
    const struct mcti_client_scan scan = { .for_import = true, .found = take_file, .data = &now };
    mcti_client_scan_file(client, &scan, file, is_project ? MCT_CLIENT_PROJECT : MCT_CLIENT_USER);
    return now.r;
}

/* ---- the report ---- */

static void report_json(const struct mcti_take *t)
{
    struct mcti_buf out;
    mcti_buf_init(&out, 1u << 26);
    mcti_buf_addc(&out, '{');
    mcti_json_put_member(&out, "file", mcti_str_of(t->path));
    mcti_json_put_key(&out, "written");
    mcti_buf_addz(&out, t->n_added && !t->app->opt.dry_run ? "true" : "false");
    const struct {
        const char *key;
        const struct mcti_buf *list;
    } lists[] = { { "servers", &t->list }, { "variables", &t->users }, { "problems", &t->problems } };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        mcti_json_put_key(&out, lists[i].key);
        mcti_buf_addc(&out, '[');
        mcti_buf_add(&out, mcti_buf_str(lists[i].list));
        mcti_buf_addc(&out, ']');
    }
    mcti_buf_addc(&out, '}');
    mcti_out_json(t->app, mcti_buf_str(&out));
    mcti_buf_done(&out);
}

void mcti_take_report(struct mcti_take *t)
{
    const char *state = !t->n_added ? "unchanged" : t->app->opt.dry_run ? "not written (--dry-run)" : "written";
    if (t->app->opt.output == MCT_OUT_JSON)
        return report_json(t);
    for (size_t i = 0; i < t->warnings.n; i++)
        mcti_out(t->app, "warning: %s\n", t->warnings.v[i]);
    for (size_t i = 0; i < t->variables.n; i++)
        mcti_out(t->app, "%s%s%s", i ? ", " : "variables that must be set: ", t->variables.v[i],
                 i + 1 < t->variables.n ? "" : "\n");
    mcti_out(t->app, "%s: %s\n", t->path, state);
}
