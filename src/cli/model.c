#include "cli/model.h"

#include "base/limits.h"
#include "cli/input.h"
#include "json/write.h"

#include <stdlib.h>

int mct_model_format(const struct mct_app *app, const struct mct_array_format **ret, struct mct_error *err)
{
    struct mct_buf known;
    *ret = mct_array_format_find(mct_str_of(app->opt.profile));
    if (*ret)
        return 0;
    mct_buf_init(&known, 1024);
    for (const struct mct_array_format *f = mct_array_formats; f->name; f++)
        mct_buf_printf(&known, "%s%s", f == mct_array_formats ? "" : ", ", f->name);
    mct_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s", app->opt.profile, MCT_STR_ARG(mct_buf_str(&known)));
    mct_buf_done(&known);
    return -1;
}

/* ---- the array ---- */

struct printing {
    const struct mct_app *app;
    struct mct_buf left_out; /* objects, separated by commas */
};

static void on_left_out(void *data, const struct mct_exposure *x, const char *why)
{
    struct printing *p = data;
    mct_log(&p->app->log, MCT_LOG_WARN, "server '%s': tool '%.*s' is left out, because no model provider takes it: %s", x->provider->name,
            MCT_STR_ARG(x->item->id), why);
    mct_buf_addz(&p->left_out, p->left_out.len ? ",{" : "{");
    mct_json_put_member(&p->left_out, "name", x->name);
    mct_json_put_member(&p->left_out, "server", mct_str_of(x->provider->name));
    mct_json_put_member(&p->left_out, "reason", mct_str_of(why));
    mct_buf_addc(&p->left_out, '}');
}

static void on_cut(void *data, const struct mct_exposure *x)
{
    const struct printing *p = data;
    mct_log(&p->app->log, MCT_LOG_WARN, "server '%s': tool '%.*s': references would make its schema too large: {} stands in the place of some",
            x->provider->name, MCT_STR_ARG(x->item->id));
}

static void warn_of_many(const struct mct_app *app, const struct mct_array_format *f, size_t n)
{
    if (f->max_tools && n > f->max_tools)
        mct_log(&app->log, MCT_LOG_WARN, "%s takes %zu tools at most, and these are %zu: with --mode search there are three that find and "
                "call all others, with --server those of some servers only", f->name, f->max_tools, n);
}

static void print_array(const struct printing *p, struct mct_str tools)
{
    struct mct_buf b;
    if (p->app->opt.output != MCT_OUT_JSON) {
        mct_out_json(p->app, tools);
        return;
    }
    mct_buf_init(&b, (size_t)1 << 32);
    mct_buf_addz(&b, "{\"tools\":");
    mct_buf_add(&b, tools);
    if (p->left_out.len) {
        mct_json_put_key(&b, "left_out");
        mct_buf_addc(&b, '[');
        mct_buf_add(&b, mct_buf_str(&p->left_out));
        mct_buf_addc(&b, ']');
    }
    mct_out_put_errors(p->app, &b);
    mct_buf_addc(&b, '}');
    mct_out_json(p->app, mct_buf_str(&b));
    mct_buf_done(&b);
}

int mct_model_print_tools(struct mct_app *app, const struct mct_array_format *f)
{
    struct printing p = { .app = app };
    const struct mct_array_told told = { on_left_out, on_cut, &p };
    struct mct_error err;
    struct mct_buf tools;
    size_t n;
    mct_buf_init(&p.left_out, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_init(&tools, (size_t)1 << 32);
    int r = mct_array_put(&tools, f, mct_view_items(&app->view, MCT_TOOL), NULL, &told, &n, &err);
    if (r == 0) {
        print_array(&p, mct_buf_str(&tools));
        warn_of_many(app, f, n);
    }
    mct_buf_done(&tools);
    mct_buf_done(&p.left_out);
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

/* SERVER.TOOL, as a person writes it. */
static const struct mct_exposure *find_dotted(struct mct_app *app, const char *word)
{
    const struct mct_exposures *e = mct_view_items(&app->view, MCT_TOOL);
    const char *raw = NULL;
    const struct mct_config_server *s = mct_app_server(app, word, &raw);
    for (size_t i = 0; s && i < e->n; i++)
        if (!strcmp(e->v[i].provider->name, s->name) && mct_str_is(e->v[i].item->id, raw))
            return &e->v[i];
    return NULL;
}

int mct_model_target(const struct mct_model *m, struct mct_app *app, struct mct_target *ret)
{
    struct mct_error err;
    int status = mct_target_open(app, NULL, MCT_TOOL, false, ret);
    if (status)
        return status;
    const struct mct_exposure *x = mct_array_find(m->format, mct_view_items(&app->view, MCT_TOOL), mct_str_of(m->call.name));
    if (!x && !m->is_whole)
        x = find_dotted(app, m->call.name);
    if (!x)
        x = mct_view_named(&app->view, MCT_TOOL, mct_str_of(m->call.name), &err);
    if (x) {
        *ret = (struct mct_target){ x->provider, x->item };
        return 0;
    }
    mct_out_failures(app); /* it may belong to a server that did not start */
    return mct_out_fail(app, &err, NULL);
}

int mct_model_unwrap(struct mct_model *m, struct mct_app *app, struct mct_target *t, struct mct_error *err)
{
    struct mct_view_own *own = app->view.own;
    struct mct_str name, arguments;
    m->view = &app->view;
    struct mct_view *inner = own && t->provider == own->provider
                                 ? own->unwrap(own, t->item, mct_buf_str(&m->call.arguments), &name, &arguments) : NULL;
    if (!inner)
        return 0;
    char *text = mct_json_dup(name);
    const struct mct_exposure *x = mct_view_named(inner, MCT_TOOL, mct_str_of(text ? text : ""), err);
    free(text);
    if (!x)
        return -1;
    struct mct_buf own_arguments;
    mct_buf_init(&own_arguments, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_add(&own_arguments, arguments.p ? arguments : MCT_STR("{}"));
    mct_buf_done(&m->call.arguments);
    m->call.arguments = own_arguments;
    *t = (struct mct_target){ x->provider, x->item };
    m->view = inner;
    return 0;
}
