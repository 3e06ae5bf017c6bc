#include "cli/signature.h"
#include "cli/target.h"
#include "json/write.h"

#include <stdlib.h>

/* ---- one server's tools ---- */

static void print_description(struct mct_app *app, struct mct_str description)
{
    char *text = mct_json_dup(description);
    char *line = text ? strtok(text, "\n") : NULL;
    for (; line; line = strtok(NULL, "\n")) {
        mct_out_styled(app, MCT_DIM, "    %s", line);
        putchar('\n');
    }
    free(text);
}

static void print_tool(struct mct_app *app, const struct mct_provider *p, const struct mct_item *item)
{
    struct mct_buf b;
    struct mct_str schema = mct_json_get(item->json, "inputSchema");
    mct_buf_init(&b, 1u << 20);
    if (!app->opt.brief)
        mct_signature_put(&b, schema);
    mct_out_item_name(app, p, item);
    mct_out_text(app, mct_buf_str(&b));
    putchar('\n');
    if (!app->opt.brief)
        print_description(app, mct_json_get(item->json, "description"));
    if (app->opt.schema && schema.p) {
        mct_buf_clear(&b);
        mct_json_put_pretty(&b, schema);
        mct_out_json_line(app, mct_buf_str(&b));
    }
    mct_buf_done(&b);
}

static void print_tools_json(const struct mct_app *app, const struct mct_provider *p)
{
    struct mct_buf b;
    mct_buf_init(&b, (size_t)1 << 32);
    mct_buf_addz(&b, "{\"tools\":[");
    for (size_t i = 0; i < p->items[MCT_TOOL].n; i++) {
        mct_buf_addz(&b, i ? "," : "");
        mct_buf_add(&b, p->items[MCT_TOOL].v[i]->json);
    }
    mct_buf_addz(&b, "]}");
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

static int list_tools(struct mct_app *app, const struct mct_provider *p)
{
    if (app->opt.output == MCT_OUT_JSON) {
        print_tools_json(app, p);
        return 0;
    }
    for (size_t i = 0; i < p->items[MCT_TOOL].n; i++)
        print_tool(app, p, p->items[MCT_TOOL].v[i]);
    return p->list_error[MCT_TOOL].kind ? mct_error_exit_status(MCT_ERR_PARTIAL) : 0;
}

/* ---- all servers ---- */

static void put_server_json(struct mct_buf *b, const struct mct_provider *p)
{
    mct_buf_addc(b, '{');
    mct_json_put_member(b, "name", mct_str_of(p->name));
    mct_json_put_member(b, "state", mct_str_of(mct_state_word(p->state)));
    for (int k = 0; k < MCT_KIND_N; k++) {
        mct_json_put_key(b, mct_kind_info((enum mct_kind)k)->list_key);
        mct_buf_addu(b, p->items[k].n);
    }
    mct_buf_addc(b, '}');
}

static void print_servers_json(const struct mct_app *app)
{
    struct mct_buf b;
    mct_buf_init(&b, 1u << 24);
    mct_buf_addz(&b, "{\"servers\":[");
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        mct_buf_addz(&b, i ? "," : "");
        put_server_json(&b, app->inst.registry.v[i]);
    }
    mct_buf_addc(&b, ']');
    mct_out_put_errors(app, &b);
    mct_buf_addc(&b, '}');
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void print_server(struct mct_app *app, const struct mct_provider *p)
{
    bool ok = p->state == MCT_CONNECTED;
    if (app->opt.brief) {
        mct_out(app, "%s\n", p->name);
        return;
    }
    mct_out_styled(app, MCT_BOLD, "%-20s", p->name);
    putchar(' ');
    mct_out_state(app, p);
    if (ok)
        mct_out(app, "  %zu tools, %zu resources, %zu templates, %zu prompts", p->items[MCT_TOOL].n,
               p->items[MCT_RESOURCE].n, p->items[MCT_TEMPLATE].n, p->items[MCT_PROMPT].n);
    for (int k = 0; ok && k < MCT_KIND_N; k++)
        if (p->list_error[k].kind)
            mct_out_styled(app, MCT_RED, "  (%s incomplete)", mct_kind_info((enum mct_kind)k)->list_key);
    mct_out(app, ok ? "\n" : "  %s\n", p->error.message);
}

int mct_cmd_list(struct mct_app *app)
{
    struct mct_target t;
    int status = mct_target_open(app, app->argc ? app->argv[0] : NULL, MCT_TOOL, false, &t);
    if (status)
        return status;
    if (!app->argc && mct_app_is_adhoc(app) && app->inst.registry.v[0]->state == MCT_CONNECTED)
        t.provider = app->inst.registry.v[0]; /* there is but one, and it was named on this command line */
    if (t.item && app->opt.output == MCT_OUT_JSON) {
        mct_out_json(app, t.item->json);
        return 0;
    }
    if (t.item) {
        app->opt.schema = true;
        print_tool(app, t.provider, t.item);
        return 0;
    }
    if (t.provider)
        return list_tools(app, t.provider);
    if (app->opt.output == MCT_OUT_JSON)
        print_servers_json(app);
    else
        for (size_t i = 0; i < app->inst.registry.n; i++)
            print_server(app, app->inst.registry.v[i]);
    return mct_out_failures(app);
}
