/* A connection to the server that is being added. */
#include "cli/packages/adding.h"

#include "cli/scan/scan.h"
#include "config/import/import.h"
#include "config/expand/expand.h"
#include "json/write.h"

#include <stdlib.h>

enum { TRY_NAMES = 6 };

/* Puts the entry into the configuration of this process, alone under its name. */
static int try_configure(struct mcti_adding *a, struct mct_error *err)
{
    struct mcti_config c;
    struct mcti_buf text;
    mcti_config_init(&c);
    mcti_buf_init(&text, 2 * MCT_PLAN_DOCUMENT_BYTES);
    mcti_buf_addz(&text, "{\"mcpServers\":{");
    mcti_json_put_string(&text, mcti_str_of(a->name));
    mcti_buf_addc(&text, ':');
    mcti_buf_add(&text, mcti_buf_str(&a->entry));
    mcti_buf_addz(&text, "}}");
    mcti_config_read(&c, a->file, mcti_buf_str(&text).p, text.len);
    struct mcti_config_server *s = mcti_config_find(&c, mcti_str_of(a->name));
    int r = 0;
    if (!s)
        r = mcti_fail(err, MCT_ERR_CONFIG, "the entry is not one of a server");
    else if (s->error.kind)
        r = (*err = s->error, -1);
    mcti_config_remove_server(&a->app->inst.config, a->name);
    if (r == 0 && !mcti_config_move_server(&a->app->inst.config, s))
        r = mcti_no_memory(err);
    mcti_buf_done(&text);
    mcti_config_done(&c);
    return r;
}

/* Returns the first variable of the entry that is not set here, owned; NULL: all are set. */
static char *try_unset_variable(const struct mcti_adding *a)
{
    const char *p = a->entry.p, *end = p + a->entry.len;
    while (p && (p = memmem(p, (size_t)(end - p), "${", 2))) {
        bool literal = p > a->entry.p && p[-1] == '$';
        size_t n = 0;
        while (p + 2 + n < end && p[2 + n] != '}' && p[2 + n] != ':')
            n++;
        char *name = literal || p[2 + n] != '}' ? NULL : strndup(p + 2, n);
        if (name && !getenv(name))
            return name;
        free(name);
        p += 2;
    }
    return NULL;
}

static void try_put_tools(struct mcti_buf *to, const struct mcti_provider *p)
{
    const struct mcti_items *tools = &p->items[MCT_TOOL];
    mcti_buf_printf(to, "%zu tool%s", tools->n, tools->n == 1 ? "" : "s");
    for (size_t i = 0; i < tools->n && i < TRY_NAMES; i++)
        mcti_buf_printf(to, "%s%.*s", i ? ", " : ": ", MCT_STR_ARG(mcti_item_id(tools->v[i])));
    mcti_buf_addz(to, tools->n > TRY_NAMES ? ", …" : "");
}

static void try_print(const struct mcti_app *app, const struct mcti_provider *p)
{
    static const char said[] = "Connected";
    struct mcti_str info = mcti_provider_server_info(p);
    struct mcti_buf b;
    char *name = info.p ? mcti_json_dup(mcti_json_get(info, "name")) : NULL;
    char *version = info.p ? mcti_json_dup(mcti_json_get(info, "version")) : NULL;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_buf_init(&b, 1u << 20);
        mcti_buf_printf(&b, ": %s%s%s, ", name ? name : "a server", version ? " " : "", version ? version : "");
        try_put_tools(&b, p);
        mcti_out_styled(app, MCT_GREEN, "%s", said);
        mcti_out_wrapped(app, MCT_PLAIN, (unsigned)strlen(said), 2, mcti_buf_str(&b));
        putchar('\n');
        mcti_buf_done(&b);
    }
    free(name);
    free(version);
}

static int try_connect(struct mcti_adding *a, struct mct_error *err)
{
    struct mcti_app *app = a->app;
    app->demo = false;
    app->opt.alone = true; /* a running gateway does not have the server yet */
    if (try_configure(a, err) < 0 || mcti_app_open(app, a->name, false, err) < 0)
        return -1;
    if (mcti_signin_settle(app) < 0)
        return mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    struct mcti_provider *p = mcti_registry_find(&app->inst.registry, mcti_str_of(a->name));
    if (!p)
        return mcti_fail(err, MCT_ERR_CONFIG, "the server is disabled");
    if (p->state == MCT_CONNECTED) {
        try_print(app, p);
        mcti_scan_tell_new(p);
        return 0;
    }
    *err = *p->error;
    a->needs_login = err->kind == MCT_ERR_AUTH;
    return a->needs_login ? 0 : -1;
}

int mcti_adding_try(struct mcti_adding *a, struct mct_error *err)
{
    char *unset = try_unset_variable(a);
    if (unset) {
        mcti_say("The variable %s is not set here, so the server was not tried. Set it where mcptools runs.", unset);
        free(unset);
        return 0;
    }
    if (!a->plan.url && a->prompt.is_open)
        mcti_say("Starting it. A first start may take a minute, because packages are installed.");
    return try_connect(a, err);
}
