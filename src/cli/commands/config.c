#include "cli/command.h"
#include "json/write.h"

#include <stdlib.h>

/* A URL without what may be secret in it: credentials and the query. */
static void put_url(struct mct_buf *to, const char *url)
{
    const char *host = strstr(url, "://"), *query = strchr(url, '?');
    host = host ? host + 3 : url;
    size_t end = strcspn(host, "/?#");
    const char *at = memrchr(host, '@', end);
    mct_buf_add(to, mct_str_range(url, host));
    if (at)
        mct_buf_addz(to, "***");
    mct_buf_add(to, mct_str_range(at ? at : host, query ? query : url + strlen(url)));
    if (query)
        mct_buf_addz(to, "?***");
}

/* A map whose names may be seen and whose values may not. */
static void put_hidden(struct mct_buf *b, const char *key, const struct mct_pairs *pairs)
{
    if (!pairs->n)
        return;
    mct_json_put_key(b, key);
    mct_buf_addc(b, '{');
    for (size_t i = 0; i < pairs->n; i++)
        mct_json_put_member(b, pairs->v[i].key, MCT_STR("***"));
    mct_buf_addc(b, '}');
}

static void put_list(struct mct_buf *b, const char *key, const struct mct_strings *list)
{
    if (!list->n)
        return;
    mct_json_put_key(b, key);
    mct_buf_addc(b, '[');
    for (size_t i = 0; i < list->n; i++) {
        mct_buf_addz(b, i ? "," : "");
        mct_json_put_string(b, mct_str_of(list->v[i]));
    }
    mct_buf_addc(b, ']');
}

static void put_url_member(struct mct_buf *b, const char *url)
{
    struct mct_buf shown;
    mct_buf_init(&shown, 1u << 16);
    put_url(&shown, url);
    mct_json_put_member(b, "url", mct_buf_str(&shown));
    mct_buf_done(&shown);
}

/* Secrets stand in env values, headers, URLs and what plugins are configured with: names are shown, values are not. */
static void put_server(struct mct_buf *b, const struct mct_config_server *s)
{
    mct_buf_addc(b, '{');
    mct_json_put_member(b, "name", mct_str_of(s->name));
    mct_json_put_member(b, "type", mct_str_of(s->type ? s->type : s->url ? "streamable-http" : "stdio"));
    if (s->command)
        mct_json_put_member(b, "command", mct_str_of(s->command));
    put_list(b, "args", &s->args);
    put_list(b, "plugins", &s->plugins);
    if (s->plugin_path)
        mct_json_put_member(b, "path", mct_str_of(s->plugin_path));
    put_hidden(b, "env", &s->env);
    if (s->cwd)
        mct_json_put_member(b, "cwd", mct_str_of(s->cwd));
    if (s->url)
        put_url_member(b, s->url);
    put_hidden(b, "headers", &s->headers);
    if (s->auth_type)
        mct_json_put_member(b, "auth", mct_str_of(s->auth_type));
    mct_json_put_key(b, "enabled");
    mct_buf_addz(b, s->enabled ? "true" : "false");
    mct_json_put_member(b, "source", mct_str_of(s->file ? s->file : "the command line"));
    mct_json_put_key(b, "line");
    mct_buf_addu(b, s->line);
    if (s->error.kind)
        mct_json_put_member(b, "error", mct_str_of(s->error.message));
    mct_buf_addc(b, '}');
}

static void print_server(const struct mct_app *app, const struct mct_config_server *s)
{
    mct_out_styled(app, MCT_BOLD, "%-20s", s->name);
    putchar(' ');
    if (s->url) {
        struct mct_buf shown;
        mct_buf_init(&shown, 1u << 16);
        put_url(&shown, s->url);
        mct_out(app, "%.*s", MCT_STR_ARG(mct_buf_str(&shown)));
        mct_buf_done(&shown);
    } else if (s->command) {
        mct_out(app, "%s", s->command);
        for (size_t i = 0; i < s->args.n; i++)
            mct_out(app, " %s", s->args.v[i]);
    } else if (s->plugin_path) {
        mct_out(app, "plugin %s", s->plugin_path);
    } else if (s->plugins.n) {
        mct_out(app, "openclaw");
        for (size_t i = 0; i < s->plugins.n; i++)
            mct_out(app, " %s", s->plugins.v[i]);
    }
    mct_out_styled(app, MCT_DIM, "  (%s:%u)%s", s->file ? s->file : "the command line", s->line, s->enabled ? "" : " disabled");
    putchar('\n');
    if (s->error.kind) {
        mct_out_styled(app, MCT_RED, "  %s", s->error.message);
        putchar('\n');
    }
}

static void print_one_json(const struct mct_app *app, const struct mct_config_server *s)
{
    struct mct_buf b;
    mct_buf_init(&b, 1u << 20);
    put_server(&b, s);
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

static int config_list(struct mct_app *app)
{
    struct mct_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        for (size_t i = 0; i < app->inst.config.n_servers; i++)
            print_server(app, &app->inst.config.servers[i]);
        if (app->demo)
            mct_err("mcptools: nothing is configured; put servers into ./mcptools.json\n");
        return 0;
    }
    mct_buf_init(&b, 1u << 24);
    mct_buf_addz(&b, "{\"servers\":[");
    for (size_t i = 0; i < app->inst.config.n_servers; i++) {
        mct_buf_addz(&b, i ? "," : "");
        put_server(&b, &app->inst.config.servers[i]);
    }
    mct_buf_addz(&b, "]}");
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
    return 0;
}

static int config_get(struct mct_app *app)
{
    struct mct_error err;
    const struct mct_config_server *s = mct_config_find(&app->inst.config, mct_str_of(app->argv[1]));
    if (!s) {
        mct_fail(&err, MCT_ERR_CONFIG, "no server '%s' is configured", app->argv[1]);
        return mct_out_fail(app, &err, NULL);
    }
    print_one_json(app, s);
    return 0;
}

static int config_check(struct mct_app *app)
{
    size_t n_fatal = 0;
    struct mct_buf b;
    mct_buf_init(&b, 1u << 24);
    mct_buf_addz(&b, "{\"problems\":[");
    for (size_t i = 0; i < app->inst.config.n_problems; i++) {
        const struct mct_problem *p = &app->inst.config.problems[i];
        n_fatal += p->fatal;
        mct_buf_addz(&b, i ? ",{" : "{");
        mct_json_put_member(&b, "severity", mct_str_of(p->fatal ? "error" : "warning"));
        mct_json_put_member(&b, "message", mct_str_of(p->text));
        mct_buf_addc(&b, '}');
        if (app->opt.output != MCT_OUT_JSON)
            mct_out(app, "%s: %s\n", p->fatal ? "error" : "warning", p->text);
    }
    mct_buf_addz(&b, "]}");
    if (app->opt.output == MCT_OUT_JSON)
        mct_out_json(app, mct_buf_str(&b));
    else
        mct_out(app, "%zu files, %zu servers, %zu errors, %zu warnings\n", app->inst.config.files.n,
               app->inst.config.n_servers, n_fatal, app->inst.config.n_problems - n_fatal);
    mct_buf_done(&b);
    return n_fatal ? mct_error_exit_status(MCT_ERR_CONFIG) : 0;
}

int mct_cmd_config(struct mct_app *app)
{
    static const struct {
        const char *word;
        int n_args;
        int (*run)(struct mct_app *app);
    } rows[] = { { "list", 1, config_list }, { "get", 2, config_get }, { "check", 1, config_check } };
    struct mct_error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(app->argv[0], rows[i].word) || app->argc != rows[i].n_args)
            continue;
        app->log.write = NULL; /* the problems are this command's own output */
        if (mct_app_configure(app, &err) < 0 && !app->inst.config.broken)
            return mct_out_fail(app, &err, NULL);
        return rows[i].run(app);
    }
    mct_fail(&err, MCT_ERR_USAGE, "usage: mcptools config %s", app->command->args);
    return mct_out_fail(app, &err, NULL);
}
