#include "cli/model.h"

#include "base/limits.h"
#include "cli/input.h"
#include "instance/model.h"
#include "json/write.h"

#include <stdlib.h>

int mct_model_format(const struct mct_app *app, const struct mct_array_format **ret, struct mct_error *err)
{
    struct mct_buf known;
    *ret = mct_array_format_find(mct_str_of(app->opt.profile));
    if (*ret)
        return 0;
    mct_buf_init(&known, 1024);
    mct_array_put_format_names(&known);
    mct_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s", app->opt.profile, MCT_STR_ARG(mct_buf_str(&known)));
    mct_buf_done(&known);
    return -1;
}

/* ---- the array ---- */

static void warn_of_many(const struct mct_app *app, const struct mct_array_format *f, size_t n)
{
    if (f->max_tools && n > f->max_tools)
        mct_log(&app->log, MCT_LOG_WARN, "%s takes %zu tools at most, and these are %zu: with --mode search there are three that find and "
                "call all others, with --server those of some servers only", f->name, f->max_tools, n);
}

static void print_array(const struct mct_app *app, struct mct_str tools, struct mct_str left_out)
{
    struct mct_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        mct_out_json(app, tools);
        return;
    }
    mct_buf_init(&b, (size_t)1 << 32);
    mct_buf_addz(&b, "{\"tools\":");
    mct_buf_add(&b, tools);
    if (left_out.len) {
        mct_json_put_key(&b, "left_out");
        mct_buf_addc(&b, '[');
        mct_buf_add(&b, left_out);
        mct_buf_addc(&b, ']');
    }
    mct_out_put_errors(app, &b);
    mct_buf_addc(&b, '}');
    mct_out_json(app, mct_buf_str(&b));
    mct_buf_done(&b);
}

int mct_model_print_tools(struct mct_app *app, const struct mct_array_format *f)
{
    struct mct_error err;
    struct mct_buf tools, left_out;
    size_t n;
    mct_buf_init(&left_out, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&tools, (size_t)1 << 32);
    int r = mcti_instance_put_tools(&app->inst, f, &tools, &left_out, &n, &err);
    if (r == 0) {
        print_array(app, mct_buf_str(&tools), mct_buf_str(&left_out));
        warn_of_many(app, f, n);
    }
    mct_buf_done(&tools);
    mct_buf_done(&left_out);
    return r < 0 ? mct_out_fail(app, &err, NULL) : mct_out_failures(app);
}

/* ---- a call ---- */

static int read_whole(struct mct_model *m, const char *word, struct mct_error *err)
{
    struct mct_buf text;
    mct_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = mct_input_read(&text, *word == '@' ? word + 1 : word, err);
    if (r == 0)
        r = mct_model_call_read(&m->call, m->format, mct_buf_str(&text), err);
    mct_buf_done(&text);
    m->is_whole = r == 0;
    if (r < 0)
        mct_model_call_done(&m->call);
    return r;
}

int mct_model_open(struct mct_model *m, const struct mct_app *app, struct mct_error *err)
{
    const char *word = app->argv[0];
    bool whole = app->opt.profile && (!strcmp(word, "-") || *word == '@');
    *m = (struct mct_model){ 0 };
    if (app->opt.profile && mct_model_format(app, &m->format, err) < 0)
        return -1;
    if (whole) {
        if (app->argc > 1 || app->opt.args_json)
            return mct_fail(err, MCT_ERR_USAGE, "%s has the arguments in it: give no others", word);
        return read_whole(m, word, err);
    }
    m->call.name = strdup(word);
    return m->call.name ? 0 : mct_no_memory(err);
}

void mct_model_close(struct mct_model *m)
{
    mct_model_call_done(&m->call);
}

/* A model's call names nothing but tools of the array; a person may also write SERVER.TOOL or a bare name. */
static const struct mct_exposure *find(const struct mct_model *m, struct mct_app *app, struct mct_error *err)
{
    struct mct_str name = mct_str_of(m->call.name);
    const struct mct_exposure *x = mct_array_find(m->format, mct_view_items(&app->inst.view, MCT_TOOL), name);
    if (!x && !m->is_whole)
        return mct_view_named(&app->inst.view, MCT_TOOL, name, err);
    if (!x)
        mct_fail(err, MCT_ERR_NOT_FOUND, "unknown tool: %s", m->call.name);
    return x;
}

int mct_model_target(const struct mct_model *m, struct mct_app *app, struct mct_target *ret)
{
    struct mct_error err;
    int status = mct_target_open(app, NULL, MCT_TOOL, false, ret);
    if (status)
        return status;
    const struct mct_exposure *x = find(m, app, &err);
    if (x) {
        *ret = (struct mct_target){ x->provider, x->item };
        return 0;
    }
    mct_out_failures(app); /* it may belong to a server that did not start */
    return mct_out_fail(app, &err, NULL);
}
