/* `config add`: writes the entry of a server. */
#include "cli/command.h"

#include "cli/edit/edit.h"
#include "json/write.h"

#include <stdlib.h>

struct addition {
    struct mcti_app *app;
    const char *name, *url;
    const char *const *command; /* the program and its arguments; NULL: none */
    size_t n_command;
    struct mcti_buf entry;
};

/* ---- the entry ---- */

static void config_add_put_args(struct addition *a)
{
    mcti_json_put_member(&a->entry, "command", mcti_str_of(a->command[0]));
    if (a->n_command < 2)
        return;
    mcti_json_put_key(&a->entry, "args");
    for (size_t i = 1; i < a->n_command; i++) {
        mcti_buf_addc(&a->entry, i > 1 ? ',' : '[');
        mcti_json_put_string(&a->entry, mcti_str_of(a->command[i]));
    }
    mcti_buf_addc(&a->entry, ']');
}

/* Returns true if a pair before number `n` has the same name. The case of header names does not matter. */
static bool config_add_is_repeated(const struct mcti_strings *list, size_t n, struct mcti_str name, char mark)
{
    for (size_t i = 0; i < n; i++) {
        struct mcti_str rest = mcti_str_of(list->v[i]), before;
        mcti_str_split(&rest, mark, &before);
        before = mcti_str_trim(before);
        if (before.len == name.len && (mark == ':' ? strncasecmp : strncmp)(before.p, name.p, name.len) == 0)
            return true;
    }
    return false;
}

/* Writes `key` with the pairs in `list`, which `mark` separates. A name without it stands for the variable. */
static int config_add_put_pairs(struct addition *a, const char *key, const struct mcti_strings *list, char mark,
                                struct mct_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct mcti_str value = mcti_str_of(list->v[i]), name;
        char reference[256];
        mcti_str_split(&value, mark, &name);
        name = mcti_str_trim(name);
        if (!name.len || (!value.p && mark == ':'))
            return mcti_fail(err, MCT_ERR_USAGE, "--%s '%s': must be %s", mark == ':' ? "header" : "env", list->v[i],
                             mark == ':' ? "'NAME: VALUE'" : "NAME=VALUE or NAME");
        if (config_add_is_repeated(list, i, name, mark))
            return mcti_fail(err, MCT_ERR_USAGE, "--%s: %.*s is given twice", mark == ':' ? "header" : "env",
                             MCT_STR_ARG(name));
        snprintf(reference, sizeof reference, "${%.*s}", MCT_STR_ARG(name));
        value = value.p ? mcti_str_trim(value) : mcti_str_of(reference);
        char *owned = mcti_str_dup(name);
        if (!owned)
            return mcti_no_memory(err);
        if (!i) {
            mcti_json_put_key(&a->entry, key);
            mcti_buf_addc(&a->entry, '{');
        }
        mcti_json_put_member(&a->entry, owned, value);
        free(owned);
    }
    mcti_buf_addz(&a->entry, list->n ? "}" : "");
    return 0;
}

static int put_entry(struct addition *a, struct mct_error *err)
{
    const struct mcti_options *opt = &a->app->opt;
    mcti_buf_addc(&a->entry, '{');
    if (opt->type)
        mcti_json_put_member(&a->entry, "type", mcti_str_of(opt->type));
    if (a->url)
        mcti_json_put_member(&a->entry, "url", mcti_str_of(a->url));
    else
        config_add_put_args(a);
    if (config_add_put_pairs(a, "env", &opt->env, '=', err) < 0 ||
        config_add_put_pairs(a, "headers", &opt->headers, ':', err) < 0)
        return -1;
    if (opt->cwd)
        mcti_json_put_member(&a->entry, "cwd", mcti_str_of(opt->cwd));
    mcti_buf_addc(&a->entry, '}');
    return 0;
}

/* ---- the words of the command line ---- */

static int add_read_words(struct addition *a, const char *option_url, struct mct_error *err)
{
    const struct mcti_app *app = a->app;
    bool is_url = app->argc == 3 && mcti_is_url(app->argv[2]);
    if (app->argc < 2)
        return mcti_fail(err, MCT_ERR_USAGE, "usage: mcptools config add NAME URL | NAME -- COMMAND [ARG]...");
    a->name = app->argv[1];
    a->url = option_url ? option_url : is_url ? app->argv[2] : NULL;
    if (app->argc > 2 && !is_url) {
        a->command = app->argv + 2;
        a->n_command = (size_t)app->argc - 2;
    }
    if (option_url && app->argc > 2)
        return mcti_fail(err, MCT_ERR_USAGE, "a server has a URL or a command, not both: remove --url or '%s'",
                         app->argv[2]);
    const char *misplaced = a->url               ? (app->opt.env.n ? "--env"
                                                    : app->opt.cwd ? "--cwd"
                                                                   : NULL)
                            : app->opt.headers.n ? "--header"
                            : app->opt.type      ? "--type"
                                                 : NULL;
    if (misplaced && (a->url || a->command))
        return mcti_fail(err, MCT_ERR_USAGE, "%s is for servers with a %s", misplaced, a->url ? "command" : "URL");
    if (!a->url && !a->command)
        return mcti_fail(err, MCT_ERR_USAGE,
                         "server '%s' needs a URL, or '--' and the command that starts it: mcptools config add %s -- "
                         "COMMAND [ARG]...",
                         a->name, a->name);
    return 0;
}

static void warn_secrets(const struct addition *a, const char *file)
{
    const struct mcti_strings *const lists[] = { &a->app->opt.env, &a->app->opt.headers };
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->n; i++) {
            char name[128];
            const char *text = lists[k]->v[i], *mark = strchr(text, k ? ':' : '=');
            snprintf(name, sizeof name, "%.*s", (int)(mark ? mark - text : 0), text);
            if (mark)
                mcti_change_warn_secret(name, mark + 1, file);
        }
}

/* ---- the change ---- */

static int add_edit(void *data, struct mcti_edit *e, struct mct_error *err)
{
    struct addition *a = data;
    const char *path[4] = { NULL };
    size_t n = 0;
    for (const char *const *step = mcti_change_container(e); *step; step++)
        path[n++] = *step;
    path[n] = a->name;
    return mcti_edit_set(e, path, mcti_buf_str(&a->entry), err);
}

/* Returns the file to write to; NULL: *err says why there is none. */
static char *add_file(const struct addition *a, struct mct_error *err)
{
    const struct mcti_config_server *old = mcti_config_find(&a->app->inst.config, mcti_str_of(a->name));
    if (old && !a->app->opt.force) {
        mcti_fail(err, MCT_ERR_CONFIG,
                  "server '%s' is configured already, in %s:%u; --force replaces it, or choose another name", a->name,
                  old->file, old->line);
        return NULL;
    }
    if (old && mcti_change_check_owner(a->app, old, NULL) == 0)
        return strdup(old->file);
    return mcti_change_target(&a->app->opt, err);
}

static int config_add_run(struct addition *a, struct mct_error *err)
{
    char done[300];
    if (put_entry(a, err) < 0)
        return -1;
    char *file = add_file(a, err);
    if (!file)
        return -1;
    bool is_new = !mcti_config_find(&a->app->inst.config, mcti_str_of(a->name));
    snprintf(done, sizeof done, "%s server '%s'", is_new ? "added" : "replaced", a->name);
    const struct mcti_change change = { .app = a->app, .file = file, .edit = add_edit, .data = a, .done = done };
    int r = mcti_change_run(&change, err);
    if (r == 0)
        warn_secrets(a, file);
    free(file);
    return r;
}

int mcti_cmd_config_add(struct mcti_app *app)
{
    struct mct_error err;
    struct addition a = { .app = app };
    const char *url = app->opt.url;
    app->opt.url = NULL; /* it is no server to use */
    app->creates = true;
    mcti_buf_init(&a.entry, MCT_EDIT_MAX_BYTES);
    int r = add_read_words(&a, url, &err);
    if (r == 0 && mcti_app_configure(app, &err) < 0 && !app->inst.config.broken)
        r = -1;
    r = r < 0 ? r : config_add_run(&a, &err);
    mcti_buf_done(&a.entry);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : 0;
}
