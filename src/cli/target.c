#include "cli/target.h"

/* Fails with what the server is called and what there is. */
static int no_such_server(struct mcti_app *app, const char *word, struct mct_error *err)
{
    struct mcti_buf names;
    if (strchr(word, '/'))
        return mcti_fail(err, MCT_ERR_USAGE, "'%s' is no server: a URL begins with http:// or https://", word);
    mcti_buf_init(&names, 300);
    for (size_t i = 0; i < app->config.n_servers; i++)
        mcti_buf_printf(&names, "%s%s", i ? ", " : "", app->config.servers[i].name);
    mcti_fail(err, MCT_ERR_USAGE, "no server '%s' is configured; there are: %.*s", word,
              MCT_STR_ARG(mcti_buf_str(&names)));
    mcti_buf_done(&names);
    return -1;
}

/* "SERVER.TOOL" with SERVER known, or a bare word where only one server is there. */
static const char *item_word(const struct mcti_app *app, const char *word, const char **ret_server)
{
    const char *rest = NULL;
    const struct mcti_config_server *s = mcti_app_server(app, word, &rest);
    *ret_server = s ? s->name : NULL;
    if (app->demo && !strncmp(word, "demo", 4) && (!word[4] || word[4] == '.'))
        return word[4] ? word + 5 : word + 4;
    return s ? rest : word;
}

/* What to do about it, behind the message; returns -1. */
static int add_hint(struct mct_error *err, const char *hint)
{
    size_t n = strlen(err->message);
    snprintf(err->message + n, sizeof err->message - n, "; %s", hint);
    return -1;
}

static int target_connected(struct mcti_provider *p, struct mct_error *err)
{
    if (p->state == MCT_CONNECTED)
        return 0;
    *err = p->error;
    if (!err->kind)
        mcti_fail(err, MCT_ERR_CONNECT, "it is not connected");
    mcti_error_wrap(err, "server '%s'", p->name);
    if (!p->last_diagnostics)
        return -1;
    char hint[300];
    snprintf(hint, sizeof hint, "'mcptools status %s' shows what it said", p->name);
    return add_hint(err, hint);
}

/* Servers whose plugins have hooks may stand beside it. */
static struct mcti_provider *provider_of(const struct mcti_app *app, const char *server)
{
    return server ? mcti_registry_find(&app->registry, mcti_str_of(server)) : app->registry.v[0];
}

static int find_item(struct mcti_app *app, const char *server, const char *name, enum mcti_kind kind,
                     struct mcti_target *ret, struct mct_error *err)
{
    const char *word = mcti_kind_info(kind)->word;
    if (!server && (!app->demo || app->view.own)) {
        const struct mcti_exposure *x = mcti_view_named(&app->view, kind, mcti_str_of(name), err);
        *ret = x ? (struct mcti_target){ x->provider, x->item } : (struct mcti_target){ 0 };
        return x ? 0 : add_hint(err, "'mcptools list' shows the servers, 'mcptools list SERVER' what one has");
    }
    ret->provider = provider_of(app, server);
    if (target_connected(ret->provider, err) < 0)
        return -1;
    ret->item = mcti_items_find(&ret->provider->items[kind], mcti_str_of(name));
    return ret->item ? 0
                     : mcti_fail(err, MCT_ERR_NOT_FOUND,
                                 "server '%s' has no %s '%s'; 'mcptools %s %s' "
                                 "shows what it has",
                                 ret->provider->name, word, name, kind == MCT_PROMPT ? "prompts" : "list",
                                 ret->provider->name);
}

/* A resource tool waits for servers itself, and for each only as long as its own time limits say. */
static bool is_resource_tool(struct mcti_app *app, const char *name, enum mcti_kind kind)
{
    const struct mcti_exposure *x =
        app->view.own && kind == MCT_TOOL ? mcti_view_named(&app->view, kind, mcti_str_of(name), NULL) : NULL;
    return x && x->provider == app->view.own->provider;
}

/* Starts servers and waits for them, where a word does not name what has to wait by itself. -1 when interrupted. */
static int target_start(struct mcti_app *app, const char *name, enum mcti_kind kind)
{
    if (!name || !is_resource_tool(app, name, kind))
        return mcti_app_settle(app);
    mcti_registry_start_all(&app->registry);
    return 0;
}

/* A URL in place of a server's name. The item is the next word, or stands behind the last dot of the
 * path. Returns the word that names the item; NULL: none does. */
static const char *take_url_word(struct mcti_app *app, const char *word, bool want_item)
{
    const char *path = strchr(strstr(word, "://") + 3, '/'), *dot = path ? strrchr(path, '.') : NULL;
    if (!want_item) {
        app->opt.url = word;
        return NULL;
    }
    if (app->argc > 1 && !strchr(app->argv[1], '=')) {
        app->opt.url = word;
        app->argv++;
        app->argc--;
        return app->argv[0];
    }
    if (!dot || strchr(dot, '/') || !(app->opt.url = app->url_word = strndup(word, (size_t)(dot - word))))
        return NULL;
    return dot + 1;
}

int mcti_target_open(struct mcti_app *app, const char *word, enum mcti_kind kind, bool want_item,
                     struct mcti_target *ret)
{
    struct mct_error err;
    const char *server = NULL, *name = NULL;
    const char *url_item = mcti_is_url(word) ? take_url_word(app, word, want_item) : NULL;
    *ret = (struct mcti_target){ 0 };
    if (mcti_is_url(word) && !app->opt.url) {
        mcti_fail(&err, MCT_ERR_USAGE, "'%s' names no %s: write it behind the URL", word, mcti_kind_info(kind)->word);
        return mcti_out_fail(app, &err, NULL);
    }
    if (mcti_is_url(word))
        word = want_item ? url_item : "url";
    if (mcti_app_configure(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (app->demo && app->opt.output != MCT_OUT_JSON && app->opt.output != MCT_OUT_RAW)
        mcti_log(&app->log, MCT_LOG_WARN, "nothing is configured: this is the built-in demo server");
    if (word)
        name = item_word(app, word, &server);
    if (word && !want_item && !server && (!app->demo || strchr(word, '/'))) {
        no_such_server(app, word, &err);
        return mcti_out_fail(app, &err, NULL);
    }
    bool only = !server && app->config.n_servers == 1;
    if (only)
        server = app->config.servers[0].name;
    if (mcti_app_open(app, server, app->keep, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (server && !mcti_registry_find(&app->registry, mcti_str_of(server))) {
        mcti_fail(&err, MCT_ERR_CONFIG, "server '%s' is disabled in the configuration", server);
        return mcti_out_fail(app, &err, server);
    }
    if (target_start(app, server && !only ? NULL : name, kind) < 0)
        return mcti_out_interrupted(app);
    if (only && name && (app->opt.prefs.has_dialects || is_resource_tool(app, name, kind)))
        server = NULL; /* resource tools are no server's */
    if (!word)
        return 0;
    ret->provider = server || app->demo ? provider_of(app, server) : NULL;
    int r = !name || !*name ? (ret->provider ? target_connected(ret->provider, &err) : 0)
                            : find_item(app, server, name, kind, ret, &err);
    if (r == 0 && want_item && !ret->item)
        r = mcti_fail(&err, MCT_ERR_USAGE, "'%s' names no %s: write SERVER.NAME", word, mcti_kind_info(kind)->word);
    if (r < 0 && !server && err.kind == MCT_ERR_NOT_FOUND)
        mcti_out_failures(app); /* the missing one may belong to a server that did not start */
    return r < 0 ? mcti_out_fail(app, &err, ret->provider ? ret->provider->name : server) : 0;
}
