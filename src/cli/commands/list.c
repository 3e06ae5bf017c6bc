#include "cli/clients/hint.h"
#include "cli/show/signature.h"
#include "cli/show/items.h"
#include "cli/target.h"
#include "cli/terminal/wrap.h"
#include "hub/core/hosted.h"
#include "json/write.h"

#include <stdlib.h>

/* ---- one server's tools ---- */

static void print_description(struct mcti_app *app, struct mcti_str description)
{
    enum { INDENT = 4 };
    char *text = mcti_json_dup(description);
    char *line = text ? strtok(text, "\n") : NULL;
    for (; line; line = strtok(NULL, "\n")) {
        printf("%*s", INDENT, "");
        mcti_out_wrapped(app, MCT_DIM, INDENT, INDENT, mcti_str_of(line));
        putchar('\n');
    }
    free(text);
}

static void print_tool(struct mcti_app *app, const struct mcti_provider *p, const struct mcti_item *item)
{
    struct mcti_buf b;
    struct mcti_str schema = mcti_json_get(mcti_item_json(item), "inputSchema");
    mcti_buf_init(&b, 1u << 20);
    if (!app->opt.brief)
        mcti_signature_put(&b, schema);
    mcti_out_item_name(app, p, item);
    mcti_out_wrapped(app, MCT_PLAIN,
                     mcti_text_columns(mcti_str_of(p->name)) + 1 + mcti_text_columns(mcti_item_id(item)), 8,
                     mcti_buf_str(&b));
    putchar('\n');
    if (!app->opt.brief)
        print_description(app, mcti_json_get(mcti_item_json(item), "description"));
    if (app->opt.schema && schema.p) {
        mcti_buf_clear(&b);
        mcti_json_put_pretty(&b, schema);
        mcti_out_json_line(app, mcti_buf_str(&b));
    }
    mcti_buf_done(&b);
}

static void print_tools_json(const struct mcti_app *app, const struct mcti_provider *p)
{
    struct mcti_buf b;
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, "{\"tools\":[");
    for (size_t i = 0; i < p->items[MCT_TOOL].n; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        mcti_buf_add(&b, mcti_item_json(p->items[MCT_TOOL].v[i]));
    }
    mcti_buf_addc(&b, ']');
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static int list_tools(struct mcti_app *app, struct mcti_provider *p)
{
    int status = mcti_hosted_whole(p) ? 0 : mcti_error_exit_status(MCT_ERR_PARTIAL);
    if (p->list_error[MCT_TOOL]->kind)
        status = mcti_error_exit_status(p->list_error[MCT_TOOL]->kind == MCT_ERR_AUTH ? MCT_ERR_AUTH : MCT_ERR_PARTIAL);
    if (app->opt.output == MCT_OUT_JSON)
        print_tools_json(app, p);
    for (size_t i = 0; app->opt.output != MCT_OUT_JSON && i < p->items[MCT_TOOL].n; i++)
        print_tool(app, p, p->items[MCT_TOOL].v[i]);
    mcti_out_hosted(app, p);
    return status;
}

/* ---- all servers ---- */

static void put_server_json(struct mcti_buf *b, const struct mcti_provider *p)
{
    mcti_buf_addc(b, '{');
    mcti_json_put_member(b, "name", mcti_str_of(p->name));
    mcti_json_put_member(b, "state", mcti_str_of(mcti_provider_state_word(p)));
    for (int k = 0; k < MCT_KIND_N; k++) {
        mcti_json_put_key(b, mcti_kind_info((enum mcti_kind)k)->list_key);
        mcti_buf_addu(b, p->items[k].n);
    }
    mcti_buf_addc(b, '}');
}

static void print_servers_json(const struct mcti_app *app)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 24);
    mcti_buf_addz(&b, "{\"servers\":[");
    for (size_t i = 0; i < app->inst.registry.n; i++) {
        mcti_buf_addz(&b, i ? "," : "");
        put_server_json(&b, app->inst.registry.v[i]);
    }
    mcti_buf_addc(&b, ']');
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Prints what a connected server offers, and which lists are incomplete. */
static void cmd_list_print_offer(struct mcti_app *app, const struct mcti_provider *p, unsigned at)
{
    char text[MCT_COUNTS_BYTES];
    mcti_out_wrapped(app, MCT_PLAIN, at, at, mcti_str_of(mcti_items_counts(p, text)));
    if (!mcti_hosted_whole(p))
        mcti_out_styled(app, MCT_RED, "  (plugins missing)");
    for (int k = 0; k < MCT_KIND_N; k++)
        if (p->list_error[k]->kind)
            mcti_out_styled(app, MCT_RED, "  (%s incomplete)", mcti_kind_info((enum mcti_kind)k)->list_key);
}

static void cmd_list_print_server(struct mcti_app *app, const struct mcti_provider *p)
{
    enum { INDENT = 4 };
    unsigned name_columns = mcti_out_name_columns(app, 20);
    unsigned at = name_columns + 3 + (unsigned)strlen(mcti_provider_state_word(p));
    if (app->opt.brief) {
        mcti_out(app, "%s\n", p->name);
        return;
    }
    mcti_out_styled(app, MCT_BOLD, "%-*s", (int)name_columns, p->name);
    putchar(' ');
    mcti_out_state(app, p);
    fputs("  ", stdout);
    if (p->state == MCT_CONNECTED)
        cmd_list_print_offer(app, p, at);
    else
        mcti_out_wrapped(app, MCT_PLAIN, at, INDENT, mcti_str_of(p->error->message));
    putchar('\n');
    if (app->terminal) /* elsewhere on stderr */
        mcti_out_explain(app, p);
}

int mcti_cmd_list(struct mcti_app *app)
{
    struct mcti_target t;
    app->shows_servers = app->terminal && !app->argc && !app->opt.brief && app->opt.output != MCT_OUT_JSON;
    int status = mcti_target_open(app, app->argc ? app->argv[0] : NULL, MCT_TOOL, false, &t);
    if (status)
        return status;
    if (!app->argc && mcti_app_is_adhoc(app) && app->inst.registry.v[0]->state == MCT_CONNECTED)
        t.provider = app->inst.registry.v[0]; /* the only server, named on the command line */
    mcti_out_page(app);
    if (t.item && app->opt.output == MCT_OUT_JSON) {
        mcti_out_json(app, mcti_item_json(t.item));
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
            cmd_list_print_server(app, app->inst.registry.v[i]);
    status = app->shows_servers ? mcti_out_shown_failures(app) : mcti_out_failures(app);
    mcti_hint_imports(app);
    return status;
}
