#include "cli/target.h"

#include "base/log/names.h"
#include "base/log/near.h"
#include "hub/vet/vet.h"

#include <stdlib.h>

/* The names of the servers; that of the built-in one if none is configured. */
static size_t n_servers(const struct mcti_app *app)
{
    return app->demo ? 1 : app->inst.config.n_servers;
}

static const char *server_name(const struct mcti_app *app, size_t i)
{
    return app->demo ? "demo" : app->inst.config.servers[i].name;
}

int mcti_target_no_server(const struct mcti_app *app, const char *word, struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(word) };
    char hint[MCT_NEAR_HINT_BYTES];
    struct mcti_names names = { .err = err };
    if (strchr(word, '/'))
        return mcti_fail(err, MCT_ERR_USAGE, "'%s' is not a server: a URL begins with http:// or https://", word);
    if (!app->inst.config.n_servers && !app->demo)
        return mcti_fail(err, MCT_ERR_USAGE, "no server '%s' is configured, and no other one", word);
    for (size_t i = 0; i < n_servers(app); i++)
        mcti_near_try(&near, mcti_str_of(server_name(app, i)));
    mcti_near_hint(&near, hint);
    mcti_fail(err, MCT_ERR_USAGE, "no server '%s' is configured%s%s", word, hint, *hint ? " known: " : "; known: ");
    for (size_t i = 0; i < n_servers(app); i++)
        mcti_names_add(&names, mcti_str_of(server_name(app, i)));
    return mcti_names_end(&names);
}

/* Returns true if the word is the built-in server or an item of it. */
static bool is_demo(const struct mcti_app *app, const char *word)
{
    return app->demo && !strncmp(word, "demo", 4) && (!word[4] || word[4] == '.');
}

/* Splits "SERVER.ITEM". Returns the item, "" if `word` is a server alone, or all of `word` if it begins with no server.
 * *ret_server is the configured name of the server, or NULL. */
static const char *item_word(const struct mcti_app *app, const char *word, const char **ret_server)
{
    const char *rest = NULL;
    const struct mcti_config_server *s = mcti_app_server(app, word, &rest);
    *ret_server = s ? s->name : NULL;
    if (is_demo(app, word))
        return word[4] ? word + 5 : word + 4;
    return s ? rest : word;
}

/* Appends a hint to the message. Returns -1. */
static int add_hint(struct mct_error *err, const char *hint)
{
    size_t n = strlen(err->message);
    bool is_question = n && err->message[n - 1] == '?';
    snprintf(err->message + n, sizeof err->message - n, "%s%s", is_question ? " " : "; ", hint);
    return -1;
}

static int target_connected(struct mcti_provider *p, struct mct_error *err)
{
    if (p->state == MCT_CONNECTED)
        return 0;
    *err = *p->error;
    if (!err->kind)
        mcti_fail(err, MCT_ERR_CONNECT, "not connected");
    return mcti_error_wrap(err, "server '%s'", p->name);
}

/* Returns the provider of `server`; without a name the first one. Other servers may run beside it for their hooks. */
static struct mcti_provider *provider_of(const struct mcti_app *app, const char *server)
{
    return server ? mcti_registry_find(&app->inst.registry, mcti_str_of(server)) : app->inst.registry.v[0];
}

/* Writes a hint with the item whose name is nearest; "" if none is near. */
static void near_item(const struct mcti_items *items, const char *name, char hint[MCT_NEAR_HINT_BYTES])
{
    struct mcti_near near = { .word = mcti_str_of(name) };
    for (size_t i = 0; i < items->n; i++)
        mcti_near_try(&near, mcti_item_id(items->v[i]));
    mcti_near_hint(&near, hint);
}

/* If the name begins with the misspelt name of a server and a dot, fails with the right one; otherwise returns 0. */
static int find_misspelt(const struct mcti_app *app, const char *name, struct mct_error *err)
{
    size_t len = strcspn(name, ".");
    struct mcti_near near = { .word = { name, len } };
    for (size_t i = 0; name[len] && i < n_servers(app); i++)
        mcti_near_try(&near, mcti_str_of(server_name(app, i)));
    char *server = *near.best ? mcti_str_dup(near.word) : NULL;
    int r = server ? mcti_target_no_server(app, server, err) : 0;
    free(server);
    if (r < 0)
        err->kind = MCT_ERR_NOT_FOUND; /* it is the item that was asked for */
    return r;
}

/* Finds an item by its exposed name, or by a name that one server alone has. */
static int find_exposed(struct mcti_app *app, const char *name, enum mcti_kind kind, struct mcti_target *ret,
                        struct mct_error *err)
{
    struct mcti_near near = { .word = mcti_str_of(name) };
    char hint[MCT_NEAR_HINT_BYTES];
    const struct mcti_exposure *x = mcti_view_named(&app->inst.view, kind, mcti_str_of(name), err);
    *ret = x ? (struct mcti_target){ x->provider, x->item } : (struct mcti_target){ 0 };
    if (x)
        return 0;
    if (find_misspelt(app, name, err) < 0)
        return -1;
    for (size_t i = 0; i < app->inst.registry.n; i++)
        for (size_t k = 0; k < app->inst.registry.v[i]->items[kind].n; k++)
            mcti_near_try(&near, mcti_item_id(app->inst.registry.v[i]->items[kind].v[k]));
    if (near.distance) /* the same name is ambiguous */
        add_hint(err, mcti_near_hint(&near, hint) + strlen("; "));
    return add_hint(err, "'mcptools list' shows the servers, 'mcptools list SERVER' the tools of one");
}

/* Returns the name without the prefix that names of items have when several servers are exposed. */
static const char *without_prefix(const struct mcti_provider *p, const char *name)
{
    size_t len = strlen(p->name);
    return !strncmp(name, p->name, len) && !strncmp(name + len, "__", 2) ? name + len + 2 : name;
}

static int no_item(const struct mcti_app *app, const struct mcti_provider *p, const char *name, enum mcti_kind kind,
                   struct mct_error *err)
{
    const char *list = kind == MCT_PROMPT ? "prompts" : "list", *unnamed = app->opt.url ? "URL" : "--stdio COMMAND";
    bool is_adhoc = mcti_app_is_adhoc(app);
    char hint[MCT_NEAR_HINT_BYTES], server[128] = "the server";
    const char *dot = is_adhoc ? strchr(name, '.') : NULL; /* the server of a configuration has no meaning there */
    near_item(&p->items[kind], dot && mcti_items_find(&p->items[kind], mcti_str_of(dot + 1)) ? dot + 1 : name, hint);
    if (!is_adhoc)
        snprintf(server, sizeof server, "server '%s'", p->name);
    mcti_fail(err, MCT_ERR_NOT_FOUND, "%s has no %s '%s'%s%s 'mcptools %s %s' shows what it has", server,
              mcti_kind_info(kind)->word, name, hint, *hint ? "" : ";", list, is_adhoc ? unnamed : p->name);
    if (kind == MCT_TOOL && !app->opt.sampling_command && strstr(name, "sampl"))
        add_hint(err, "tools that use sampling need --sampling-command");
    return -1;
}

/* Fails with *err if a judge misses the item behind a running gateway, which does not pass on what it quarantines. */
static int find_held(const struct mcti_provider *p, const char *name, enum mcti_kind kind, struct mct_error *err)
{
    const struct mcti_finding *f = mcti_findings_of(&p->findings[kind], mcti_str_of(name));
    if (!f || !p->transport || strcmp(p->transport, MCT_TRANSPORT_ATTACHED) != 0)
        return 0;
    return mcti_fail(err, MCT_ERR_POLICY,
                     "%s '%s' of server '%s' is quarantined by the running gateway, or is gone; 'mcptools diff %s.%s' "
                     "shows the change, 'mcptools approve %s.%s' admits it",
                     mcti_kind_info(kind)->word, name, p->name, p->name, name, p->name, name);
}

/* Fails with *err if the server has a quarantined item of this name. */
static int find_quarantined(const struct mcti_provider *p, const char *name, enum mcti_kind kind, struct mct_error *err)
{
    const char *const names[] = { name, without_prefix(p, name) };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct mcti_item *item = mcti_vet_barred(p, kind, mcti_str_of(names[i]));
        if (item)
            return mcti_vet_refuse(p, (enum mcti_subject)kind, mcti_item_id(item), err);
    }
    return find_held(p, without_prefix(p, name), kind, err);
}

static int find_item(struct mcti_app *app, const char *server, const char *name, enum mcti_kind kind,
                     struct mcti_target *ret, struct mct_error *err)
{
    if (!server && (!app->demo || app->inst.view.own))
        return find_exposed(app, name, kind, ret, err);
    ret->provider = provider_of(app, server);
    if (target_connected(ret->provider, err) < 0)
        return -1;
    ret->item = mcti_items_find(&ret->provider->items[kind], mcti_str_of(name));
    if (!ret->item)
        ret->item = mcti_items_find(&ret->provider->items[kind], mcti_str_of(without_prefix(ret->provider, name)));
    if (ret->item)
        return 0;
    if (find_quarantined(ret->provider, name, kind, err) < 0)
        return -1;
    if (ret->provider->list_error[kind]->kind) { /* it may have the item */
        *err = *ret->provider->list_error[kind];
        return mcti_error_wrap(err, "server '%s'", ret->provider->name);
    }
    if (!mcti_app_is_adhoc(app) && find_misspelt(app, name, err) < 0)
        return -1;
    return no_item(app, ret->provider, name, kind, err);
}

/* Returns true if `name` is a resource tool. Such a tool waits for servers itself, within its own time limits. */
static bool is_resource_tool(struct mcti_app *app, const char *name, enum mcti_kind kind)
{
    const struct mcti_exposure *x =
        app->inst.view.own && kind == MCT_TOOL ? mcti_view_named(&app->inst.view, kind, mcti_str_of(name), NULL) : NULL;
    return x && x->provider == app->inst.view.own->provider;
}

/* ---- from a word to a target ---- */

/* A word of the command line and the names in it. */
struct target_word {
    const char *word; /* NULL: all servers */
    enum mcti_kind kind;
    bool wants_item;
    const char *server, *name; /* NULL: not named */
    bool is_sole;              /* `server` was not named, but is the only one */
};

/* Reads a URL in place of a server name. The item is the next word, or follows the last dot of the path. */
static int target_parse_url(struct mcti_app *app, struct target_word *a, struct mct_error *err)
{
    const char *url = a->word, *path = strchr(strstr(url, "://") + 3, '/'), *dot = path ? strrchr(path, '.') : NULL;
    if (!a->wants_item) {
        app->opt.url = url;
        a->word = "url";
        return 0;
    }
    if (app->argc > 1 && !strchr(app->argv[1], '=')) {
        app->opt.url = url;
        app->argv++;
        app->argc--;
        a->word = app->argv[0];
        return 0;
    }
    if (!dot || strchr(dot, '/'))
        return mcti_fail(err, MCT_ERR_USAGE, "'%s': the name of a %s is missing: append it to the URL", url,
                         mcti_kind_info(a->kind)->word);
    app->opt.url = app->url_word = strndup(url, (size_t)(dot - url));
    a->word = dot + 1;
    return app->url_word ? 0 : mcti_no_memory(err);
}

static int target_parse_word(const struct mcti_app *app, struct target_word *a, struct mct_error *err)
{
    const struct mcti_config *c = &app->inst.config;
    if (a->word)
        a->name = item_word(app, a->word, &a->server);
    if (a->word && !a->wants_item && !a->server && !is_demo(app, a->word))
        return mcti_target_no_server(app, a->word, err);
    a->is_sole = !a->server && c->n_servers == 1;
    if (a->is_sole)
        a->server = c->servers[0].name;
    return 0;
}

/* Starts the servers and waits for them, unless the word names a resource tool, which waits itself. Returns 0 or the
 * exit status. */
static int target_start_servers(struct mcti_app *app, const struct target_word *a)
{
    struct mct_error err;
    if (mcti_app_open(app, a->server, app->restart, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (a->server && !mcti_registry_find(&app->inst.registry, mcti_str_of(a->server))) {
        mcti_fail(&err, MCT_ERR_CONFIG, "server '%s' is disabled in the configuration", a->server);
        return mcti_out_fail(app, &err, a->server);
    }
    if (!a->name || (a->server && !a->is_sole) || !is_resource_tool(app, a->name, a->kind))
        return mcti_signin_settle(app) < 0 ? mcti_out_interrupted(app) : 0;
    mcti_instance_start(&app->inst);
    return 0;
}

static int find_target(struct mcti_app *app, struct target_word *a, struct mcti_target *ret)
{
    struct mct_error err;
    int r = 0;
    if (!a->word)
        return 0;
    if (a->is_sole && a->name && (app->opt.prefs.has_dialects || is_resource_tool(app, a->name, a->kind)))
        a->server = NULL; /* resource tools belong to no server */
    ret->provider = a->server || app->demo ? provider_of(app, a->server) : NULL;
    if (a->name && *a->name)
        r = find_item(app, a->server, a->name, a->kind, ret, &err);
    else if (ret->provider)
        r = target_connected(ret->provider, &err);
    if (r == 0 && a->wants_item && !ret->item)
        r = mcti_fail(&err, MCT_ERR_USAGE, "'%s': the name of a %s is missing: write SERVER.NAME", a->word,
                      mcti_kind_info(a->kind)->word);
    if (r == 0)
        return 0;
    if (!a->server && err.kind == MCT_ERR_NOT_FOUND)
        mcti_out_failures(app); /* the item may belong to a server that did not start */
    return mcti_out_fail(app, &err, ret->provider ? ret->provider->name : a->server);
}

int mcti_target_open(struct mcti_app *app, const char *word, enum mcti_kind kind, bool want_item,
                     struct mcti_target *ret)
{
    struct target_word a = { .word = word, .kind = kind, .wants_item = want_item };
    struct mct_error err;
    *ret = (struct mcti_target){ 0 };
    if ((mcti_is_url(word) && target_parse_url(app, &a, &err) < 0) || mcti_app_configure(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (app->demo && app->opt.output != MCT_OUT_JSON && app->opt.output != MCT_OUT_RAW)
        mcti_log(&app->log, MCT_LOG_WARN, "nothing is configured: this is the built-in demo server");
    if (target_parse_word(app, &a, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    int status = target_start_servers(app, &a);
    return status ? status : find_target(app, &a, ret);
}
