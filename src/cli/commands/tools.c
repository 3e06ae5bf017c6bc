#include "cli/show/explain.h"
#include "cli/model.h"
#include "cli/skills/skills.h"
#include "cli/target.h"
#include "cli/show/tools_cost.h"
#include "resources/prompt_block.h"
#include "json/write.h"

#include <stdlib.h>

/* ---- the list ---- */

static void cmd_tools_print_json(const struct mcti_app *app, struct mcti_str items)
{
    struct mcti_buf b;
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, "{\"tools\":[");
    mcti_buf_add(&b, items);
    mcti_buf_addc(&b, ']');
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void cmd_tools_print_text(const struct mcti_app *app, struct mcti_view *v)
{
    const struct mcti_exposures *e = mcti_view_items(v, MCT_TOOL);
    for (size_t i = 0; i < e->n_apps; i++) {
        char *text = mcti_json_dup(mcti_json_get(mcti_item_json(e->v[i].item), "description"));
        mcti_out_styled(app, MCT_BOLD, "%.*s", MCT_STR_ARG(e->v[i].name));
        if (!mcti_view_is_for_model(&e->v[i]))
            mcti_out_styled(app, MCT_DIM, "  (for apps only)");
        putchar('\n');
        if (text && *text) {
            mcti_out_styled(app, MCT_DIM, "    %.*s", (int)strcspn(text, "\n"), text);
            putchar('\n');
        }
        free(text);
    }
}

static int print_tools(struct mcti_app *app)
{
    struct mcti_page page;
    struct mct_error err;
    const struct mcti_list_of all = { MCT_TOOL, MCT_REV_LATEST, .apps = true };
    if (mcti_view_first_page(&app->inst.view, &all, SIZE_MAX, &page) < 0) {
        mcti_no_memory(&err);
        return mcti_out_fail(app, &err, NULL);
    }
    if (app->opt.output == MCT_OUT_JSON)
        cmd_tools_print_json(app, page.items);
    else
        cmd_tools_print_text(app, &app->inst.view);
    return mcti_out_failures(app);
}

/* ---- the block for a system prompt ---- */

static int print_prompt(struct mcti_app *app)
{
    struct mcti_buf block, b;
    unsigned skills = mcti_dialect_find(MCT_STR("skills")), chosen = app->inst.offer.dialects;
    mcti_buf_init(&block, 1u << 20);
    mcti_buf_init(&b, 1u << 20);
    if (chosen != skills)
        mcti_prompt_block(&block, &app->inst.view, mcti_bridge_prefix(&app->inst.dialect));
    int status = chosen & skills ? mcti_skills_put_prompt(app, &block) : 0;
    if (status) {
        mcti_buf_done(&block);
        return status;
    }
    if (app->opt.output == MCT_OUT_JSON) {
        mcti_buf_addc(&b, '{');
        mcti_json_put_member(&b, "prompt", mcti_buf_str(&block));
        mcti_out_put_errors(app, &b);
        mcti_buf_addc(&b, '}');
        mcti_out_json(app, mcti_buf_str(&b));
    } else {
        mcti_out_text(app, mcti_buf_str(&block));
    }
    mcti_buf_done(&block);
    mcti_buf_done(&b);
    return mcti_out_failures(app);
}

/* ---- the size of resource tools ---- */

static int print_cost(struct mcti_app *app)
{
    struct mct_error err;
    if (mcti_app_configure(app, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (app->demo || (!app->inst.config.n_servers && !mcti_app_is_adhoc(app)))
        return mcti_tools_cost(app, NULL);
    if (mcti_app_open(app, NULL, false, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (mcti_signin_settle(app) < 0)
        return mcti_out_interrupted(app);
    int status = mcti_tools_cost(app, &app->inst.registry);
    return status ? status : mcti_out_failures(app);
}

static int cmd_tools_check_options(const struct mcti_app *app, const struct mcti_array_format **ret_format,
                                   struct mct_error *err)
{
    const struct mcti_options *o = &app->opt;
    if (o->prompt && o->cost)
        return mcti_fail(err, MCT_ERR_USAGE, "give either --prompt or --cost, not both");
    if (o->explain && (o->prompt || o->cost))
        return mcti_fail(err, MCT_ERR_USAGE, "--explain cannot be combined with --prompt or --cost");
    if (o->cost && (o->prefs.has_dialects || o->prefs.mode))
        return mcti_fail(err, MCT_ERR_USAGE, "--cost covers all dialects and modes: give no --dialect and no --mode");
    if (o->profile && (o->prompt || o->cost || o->explain))
        return mcti_fail(err, MCT_ERR_USAGE, "--for cannot be combined with --prompt, --cost or --explain");
    *ret_format = NULL;
    return o->profile ? mcti_model_format(app, ret_format, err) : 0;
}

int mcti_cmd_tools(struct mcti_app *app)
{
    const struct mcti_array_format *format;
    struct mcti_target t;
    struct mct_error err;
    app->as_served = true;
    if (cmd_tools_check_options(app, &format, &err) < 0)
        return mcti_out_fail(app, &err, NULL);
    if (app->opt.cost)
        return print_cost(app);
    app->with_hooks = app->opt.explain != NULL;
    int status = mcti_target_open(app, NULL, MCT_TOOL, false, &t);
    if (status)
        return status;
    mcti_out_page(app);
    if (app->opt.explain)
        return mcti_explain(app, app->opt.explain);
    if (format)
        return mcti_model_print_tools(app, format);
    return app->opt.prompt ? print_prompt(app) : print_tools(app);
}
