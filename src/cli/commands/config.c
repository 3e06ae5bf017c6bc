#include "base/log/near.h"
#include "cli/clients/hint.h"
#include "cli/command.h"
#include "cli/edit/edit.h"
#include "cli/terminal/wrap.h"
#include "config/check/check.h"
#include "config/connect/openclaw_check.h"
#include "json/write.h"

#include <stdlib.h>

/* Appends a map with its values replaced by "***". */
static void put_hidden(struct mcti_buf *b, const char *key, const struct mcti_pairs *pairs)
{
    if (!pairs->n)
        return;
    mcti_json_put_key(b, key);
    mcti_buf_addc(b, '{');
    for (size_t i = 0; i < pairs->n; i++)
        mcti_json_put_member(b, pairs->v[i].key, MCT_STR("***"));
    mcti_buf_addc(b, '}');
}

static void put_list(struct mcti_buf *b, const char *key, const struct mcti_strings *list)
{
    if (!list->n)
        return;
    mcti_json_put_key(b, key);
    mcti_buf_addc(b, '[');
    for (size_t i = 0; i < list->n; i++) {
        mcti_buf_addz(b, i ? "," : "");
        mcti_json_put_string(b, mcti_str_of(list->v[i]));
    }
    mcti_buf_addc(b, ']');
}

static void put_args(struct mcti_buf *b, const struct mcti_strings *args)
{
    mcti_json_put_key(b, "args");
    mcti_buf_addc(b, '[');
    for (size_t i = 0; i < args->n; i++) {
        struct mcti_buf shown;
        mcti_buf_init(&shown, 1u << 20);
        mcti_config_put_arg(&shown, args, i);
        mcti_buf_addz(b, i ? "," : "");
        mcti_json_put_string(b, mcti_buf_str(&shown));
        mcti_buf_done(&shown);
    }
    mcti_buf_addc(b, ']');
}

static void put_url_member(struct mcti_buf *b, const char *url)
{
    struct mcti_buf shown;
    mcti_buf_init(&shown, 1u << 16);
    mcti_config_put_url(&shown, url);
    mcti_json_put_member(b, "url", mcti_buf_str(&shown));
    mcti_buf_done(&shown);
}

/* Keys that are shown as they were read, or not at all. */
static const char *const config_own_keys[] = { "type",     "transport", "command", "args",   "env",
                                               "cwd",      "url",       "headers", "auth",   "enabled",
                                               "disabled", "plugins",   "path",    "config", NULL };

/* Appends a server without secrets: of env and headers only the names are shown, of arguments what is no secret, and
 * plugin settings not at all. Other keys are shown as the file has them. */
static void cmd_config_put_server(struct mcti_buf *b, const struct mcti_config_server *s, struct mcti_change_entries *x)
{
    enum mcti_server_type shown = s->url ? MCT_SERVER_STREAMABLE_HTTP : MCT_SERVER_STDIO;
    const char *type = mcti_word_of(mcti_server_types, s->type ? s->type : shown);
    mcti_buf_addc(b, '{');
    mcti_json_put_member(b, "name", mcti_str_of(s->name));
    mcti_json_put_member(b, "type", mcti_str_of(type));
    if (s->command)
        mcti_json_put_member(b, "command", mcti_str_of(s->command));
    if (s->args.n)
        put_args(b, &s->args);
    put_list(b, "plugins", &s->plugins);
    if (s->plugin_path)
        mcti_json_put_member(b, "path", mcti_str_of(s->plugin_path));
    put_hidden(b, "env", &s->env);
    if (s->cwd)
        mcti_json_put_member(b, "cwd", mcti_str_of(s->cwd));
    if (s->url)
        put_url_member(b, s->url);
    put_hidden(b, "headers", &s->headers);
    if (s->auth_type)
        mcti_json_put_member(b, "auth", mcti_str_of(mcti_word_of(mcti_auth_types, s->auth_type)));
    mcti_json_put_key(b, "enabled");
    mcti_buf_addz(b, s->enabled ? "true" : "false");
    if (!s->untrusted)
        mcti_change_put_members(x, s, config_own_keys, b);
    mcti_json_put_member(b, "source", mcti_str_of(s->file ? s->file : "the command line"));
    mcti_json_put_key(b, "line");
    mcti_buf_addu(b, s->line);
    if (s->client)
        mcti_json_put_member(b, "client", mcti_str_of(s->client));
    if (s->off_because)
        mcti_json_put_member(b, "reason", mcti_str_of(s->off_because));
    if (s->error.kind)
        mcti_json_put_member(b, "error", mcti_str_of(s->error.message));
    mcti_buf_addc(b, '}');
}

static void cmd_config_print_server(const struct mcti_app *app, const struct mcti_config_server *s)
{
    mcti_out_styled(app, MCT_BOLD, "%-20s", s->name);
    putchar(' ');
    if (s->url) {
        struct mcti_buf shown;
        mcti_buf_init(&shown, 1u << 16);
        mcti_config_put_url(&shown, s->url);
        mcti_out(app, "%.*s", MCT_STR_ARG(mcti_buf_str(&shown)));
        mcti_buf_done(&shown);
    } else if (s->command) {
        mcti_out(app, "%s", s->command);
        for (size_t i = 0; i < s->args.n; i++) {
            struct mcti_buf shown;
            mcti_buf_init(&shown, 1u << 20);
            mcti_config_put_arg(&shown, &s->args, i);
            mcti_out(app, " %.*s", MCT_STR_ARG(mcti_buf_str(&shown)));
            mcti_buf_done(&shown);
        }
    } else if (s->plugin_path) {
        mcti_out(app, "plugin %s", s->plugin_path);
    } else if (s->plugins.n) {
        mcti_out(app, "openclaw");
        for (size_t i = 0; i < s->plugins.n; i++)
            mcti_out(app, " %s", s->plugins.v[i]);
    }
    mcti_out_styled(app, MCT_DIM, "  (%s:%u)%s", s->file ? s->file : "the command line", s->line,
                    s->is_mcptools && !s->enabled ? " mcptools itself, never started"
                    : s->enabled                  ? ""
                                                  : " disabled");
    if (s->off_because)
        mcti_out_styled(app, MCT_DIM, ": %s", s->off_because);
    putchar('\n');
    if (s->error.kind) {
        mcti_out_styled(app, MCT_RED, "  %s", s->error.message);
        putchar('\n');
    }
}

static void print_one_json(const struct mcti_app *app, const struct mcti_config_server *s)
{
    struct mcti_change_entries entries = { .file = NULL };
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    cmd_config_put_server(&b, s, &entries);
    mcti_change_entries_done(&entries);
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static int config_list(struct mcti_app *app)
{
    struct mcti_change_entries entries = { .file = NULL };
    struct mcti_buf b;
    mcti_out_page(app);
    if (app->opt.output != MCT_OUT_JSON) {
        for (size_t i = 0; i < app->inst.config.n_servers; i++)
            cmd_config_print_server(app, &app->inst.config.servers[i]);
        if (app->demo)
            mcti_err("mcptools: nothing is configured; put servers into ./mcptools.json\n");
        mcti_hint_imports(app);
        return 0;
    }
    mcti_buf_init(&b, 1u << 24);
    mcti_buf_addz(&b, "{\"servers\":[");
    for (size_t i = 0; i < app->inst.config.n_servers; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        cmd_config_put_server(&b, &app->inst.config.servers[i], &entries);
    }
    mcti_change_entries_done(&entries);
    mcti_buf_addz(&b, "]}");
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
    return 0;
}

static int config_get(struct mcti_app *app)
{
    const struct mcti_config_server *s = mcti_config_find(&app->inst.config, mcti_str_of(app->argv[1]));
    if (!s)
        return mcti_cmd_config_value(app);
    print_one_json(app, s);
    return 0;
}

static void put_problem(struct mcti_buf *to, const struct mcti_problem *p)
{
    const struct mcti_problem_parts parts = mcti_problem_split(p->text);
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "severity", p->fatal ? MCT_STR("error") : MCT_STR("warning"));
    mcti_json_put_member(to, "message", mcti_str_of(p->text));
    if (parts.file.p)
        mcti_json_put_member(to, "file", parts.file);
    if (parts.line) {
        mcti_json_put_key(to, "line");
        mcti_buf_addu(to, parts.line);
    }
    if (parts.column) {
        mcti_json_put_key(to, "column");
        mcti_buf_addu(to, parts.column);
    }
    mcti_buf_addc(to, '}');
}

/* Compares by place: file, line, column. */
static int compare_problems(const void *a, const void *b)
{
    const struct mcti_problem *x = a, *y = b;
    const struct mcti_problem_parts p = mcti_problem_split(x->text), q = mcti_problem_split(y->text);
    int files = mcti_str_cmp(p.file, q.file);
    if (files)
        return files;
    if (p.line != q.line)
        return p.line < q.line ? -1 : 1;
    if (p.column != q.column)
        return p.column < q.column ? -1 : 1;
    return strcmp(x->text, y->text);
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_problems(const struct mcti_app *app, size_t n_fatal)
{
    const struct mcti_config *c = &app->inst.config;
    size_t n_warnings = c->n_problems - n_fatal;
    enum { INDENT = 4 };
    for (size_t i = 0; i < c->n_problems; i++) {
        const struct mcti_problem *p = &c->problems[i];
        const char *label = p->fatal ? "error:" : "warning:";
        mcti_out_styled(app, p->fatal ? MCT_RED : MCT_BOLD, "%s", label);
        putchar(' ');
        mcti_out_wrapped(app, MCT_PLAIN, (unsigned)strlen(label) + 1, INDENT, mcti_str_of(p->text));
        putchar('\n');
    }
    mcti_out(app, "%zu file%s, %zu server%s, %zu error%s, %zu warning%s\n", c->files.n, plural(c->files.n),
             c->n_servers, plural(c->n_servers), n_fatal, plural(n_fatal), n_warnings, plural(n_warnings));
}

static int config_check(struct mcti_app *app)
{
    struct mcti_config *c = &app->inst.config;
    size_t n_fatal = 0;
    struct mcti_buf b;
    mcti_config_check_servers(c);
    mcti_openclaw_check_all(c);
    if (c->n_problems)
        qsort(c->problems, c->n_problems, sizeof *c->problems, compare_problems);
    mcti_buf_init(&b, 1u << 24);
    mcti_buf_addz(&b, "{\"problems\":[");
    for (size_t i = 0; i < c->n_problems; i++) {
        n_fatal += c->problems[i].fatal;
        mcti_buf_addz(&b, i ? "," : "");
        put_problem(&b, &c->problems[i]);
    }
    mcti_buf_addz(&b, "]}");
    if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, mcti_buf_str(&b));
    else
        print_problems(app, n_fatal);
    mcti_buf_done(&b);
    return n_fatal ? mcti_error_exit_status(MCT_ERR_CONFIG) : 0;
}

/* Commands that read the configuration and print it; the mistakes in it are their own output. */
static int config_print(struct mcti_app *app, int (*run)(struct mcti_app *app))
{
    struct mct_error err;
    app->log.write = NULL;
    if (mcti_app_configure(app, &err) < 0 && !app->inst.config.broken)
        return mcti_out_fail(app, &err, NULL);
    return run(app);
}

int mcti_cmd_config(struct mcti_app *app)
{
    static const struct {
        const char *word;
        int min_args, max_args; /* with the word itself; max -1: any number */
        int (*print)(struct mcti_app *app);
        int (*run)(struct mcti_app *app);
    } rows[] = {
        { "list", 1, 1, config_list, NULL },
        { "get", 2, 2, config_get, NULL },
        { "check", 1, 1, config_check, NULL },
        { "set", 3, -1, NULL, mcti_cmd_config_set },
        { "unset", 2, 2, NULL, mcti_cmd_config_set },
        { "add", 2, -1, NULL, mcti_cmd_config_add },
        { "remove", 2, -1, NULL, mcti_cmd_config_remove },
        { "enable", 2, -1, NULL, mcti_cmd_config_enable },
        { "disable", 2, -1, NULL, mcti_cmd_config_enable },
        { "import", 1, -1, NULL, mcti_cmd_config_import },
    };
    struct mct_error err;
    struct mcti_near near = { .word = mcti_str_of(app->argv[0]) };
    char hint[MCT_NEAR_HINT_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mcti_near_try(&near, mcti_str_of(rows[i].word));
        if (strcmp(app->argv[0], rows[i].word) != 0)
            continue;
        if (app->argc < rows[i].min_args || (rows[i].max_args > 0 && app->argc > rows[i].max_args))
            return mcti_command_usage(app->command, &err), mcti_out_fail(app, &err, NULL);
        return rows[i].print ? config_print(app, rows[i].print) : rows[i].run(app);
    }
    mcti_fail(&err, MCT_ERR_USAGE, "unknown command 'config %s'%s", app->argv[0], mcti_near_hint(&near, hint));
    return mcti_out_fail(app, &err, NULL);
}
