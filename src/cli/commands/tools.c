#include "cli/explain.h"
#include "cli/model.h"
#include "cli/target.h"
#include "cli/tools_cost.h"
#include "resources/prompt_block.h"
#include "json/write.h"

#include <stdlib.h>

/* ---- the list ---- */

static void print_json(const struct mct_app *app, struct mct_str items)
{
    struct mct_buf b;
    mct_buf_init(&b, (size_t)1 << 32);
    mct_buf_addz(&b, "{\"tools\":[");
    mct_buf_add(&b, items);
    mct_buf_addc(&b, ']');
    mct_out_put_errors(app, &b);
    mct_buf_addc(&b, '}');
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void print_text(const struct mct_app *app, struct mct_view *v)
{
    const struct mct_exposures *e = mct_view_items(v, MCT_TOOL);
    for (size_t i = 0; i < e->n; i++) {
        char *text = mct_json_dup(mct_json_get(e->v[i].item->json, "description"));
        mct_out_styled(app, MCT_BOLD, "%.*s", MCT_STR_ARG(e->v[i].name));
        putchar('\n');
        if (text && *text) {
            mct_out_styled(app, MCT_DIM, "    %.*s", (int)strcspn(text, "\n"), text);
            putchar('\n');
        }
        free(text);
    }
}

static int print_tools(struct mct_app *app)
{
    struct mct_page page;
    struct mct_error err;
    if (mct_view_first_page(&app->inst.view, MCT_TOOL, MCT_REV_LATEST, SIZE_MAX, &page) < 0) {
        mct_no_memory(&err);
        return mct_out_fail(app, &err, NULL);
    }
    if (app->opt.output == MCT_OUT_JSON)
        print_json(app, page.items);
    else
        print_text(app, &app->inst.view);
    return mct_out_failures(app);
}

/* ---- the block for a system prompt ---- */

static int print_prompt(struct mct_app *app)
{
    struct mct_buf block, b;
    mct_buf_init(&block, 1u << 20);
    mct_buf_init(&b, 1u << 20);
    mct_prompt_block(&block, &app->inst.view);
    if (app->opt.output == MCT_OUT_JSON) {
        mct_buf_addc(&b, '{');
        mct_json_put_member(&b, "prompt", mct_buf_str(&block));
        mct_out_put_errors(app, &b);
        mct_buf_addc(&b, '}');
        mct_out_json(app, mct_buf_str(&b));
    } else {
        mct_out_text(app, mct_buf_str(&block));
    }
    mct_buf_done(&block);
    mct_buf_done(&b);
    return mct_out_failures(app);
}

/* ---- what it costs ---- */

static int print_cost(struct mct_app *app)
{
    struct mct_error err;
    if (mct_app_configure(app, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    if (app->demo || (!app->inst.config.n_servers && !mct_app_is_adhoc(app)))
        return mct_tools_cost(app, NULL);
    if (mct_app_open(app, NULL, false, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    if (mct_app_settle(app) < 0)
        return mct_out_interrupted(app);
    int status = mct_tools_cost(app, &app->inst.registry);
    return status ? status : mct_out_failures(app);
}

static int check_options(const struct mct_app *app, const struct mct_array_format **ret_format, struct mct_error *err)
{
    const struct mct_options *o = &app->opt;
    if (o->prompt && o->cost)
        return mct_fail(err, MCT_ERR_USAGE, "give either --prompt or --cost, not both");
    if (o->explain && (o->prompt || o->cost))
        return mct_fail(err, MCT_ERR_USAGE, "give --explain without --prompt and --cost");
    if (o->cost && (o->prefs.has_dialects || o->prefs.mode))
        return mct_fail(err, MCT_ERR_USAGE, "--cost tells of every dialect: give no --dialect and no --mode");
    if (o->profile && (o->prompt || o->cost || o->explain))
        return mct_fail(err, MCT_ERR_USAGE, "give --for without --prompt, --cost and --explain");
    *ret_format = NULL;
    return o->profile ? mct_model_format(app, ret_format, err) : 0;
}

int mct_cmd_tools(struct mct_app *app)
{
    const struct mct_array_format *format;
    struct mct_target t;
    struct mct_error err;
    app->as_served = true;
    if (check_options(app, &format, &err) < 0)
        return mct_out_fail(app, &err, NULL);
    if (app->opt.cost)
        return print_cost(app);
    app->with_hooks = app->opt.explain != NULL;
    int status = mct_target_open(app, NULL, MCT_TOOL, false, &t);
    if (status)
        return status;
    if (app->opt.explain)
        return mct_explain(app, app->opt.explain);
    if (format)
        return mct_model_print_tools(app, format);
    return app->opt.prompt ? print_prompt(app) : print_tools(app);
}
