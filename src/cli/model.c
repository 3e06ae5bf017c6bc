#include "cli/model.h"

#include "base/limits.h"
#include "cli/input.h"
#include "json/write.h"

#include <stdlib.h>

int mcti_model_format(const struct mcti_app *app, const struct mcti_array_format **ret, struct mct_error *err)
{
    struct mcti_buf known;
    *ret = mcti_array_format_find(mcti_str_of(app->opt.profile));
    if (*ret)
        return 0;
    mcti_buf_init(&known, 1024);
    for (const struct mcti_array_format *f = mcti_array_formats; f->name; f++)
        mcti_buf_printf(&known, "%s%s", f == mcti_array_formats ? "" : ", ", f->name);
    mcti_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s", app->opt.profile,
              MCT_STR_ARG(mcti_buf_str(&known)));
    mcti_buf_done(&known);
    return -1;
}

/* ---- the array ---- */

struct printing {
    const struct mcti_app *app;
    struct mcti_buf left_out; /* objects, separated by commas */
};

static void cli_model_on_left_out(void *data, const struct mcti_exposure *x, const char *why)
{
    struct printing *p = data;
    mcti_log(&p->app->log, MCT_LOG_WARN, "server '%s': tool '%.*s' is left out, because no model provider takes it: %s",
             x->provider->name, MCT_STR_ARG(x->item->id), why);
    mcti_buf_addz(&p->left_out, p->left_out.len ? ",{" : "{");
    mcti_json_put_member(&p->left_out, "name", x->name);
    mcti_json_put_member(&p->left_out, "server", mcti_str_of(x->provider->name));
    mcti_json_put_member(&p->left_out, "reason", mcti_str_of(why));
    mcti_buf_addc(&p->left_out, '}');
}

static void cli_model_on_cut(void *data, const struct mcti_exposure *x)
{
    const struct printing *p = data;
    mcti_log(&p->app->log, MCT_LOG_WARN,
             "server '%s': tool '%.*s': references would make its schema too large: {} stands in the place of some",
             x->provider->name, MCT_STR_ARG(x->item->id));
}

static void warn_of_many(const struct mcti_app *app, const struct mcti_array_format *f, size_t n)
{
    if (f->max_tools && n > f->max_tools)
        mcti_log(&app->log, MCT_LOG_WARN,
                 "%s takes %zu tools at most, and these are %zu: with --mode search there are three that find and "
                 "call all others, with --server those of some servers only",
                 f->name, f->max_tools, n);
}

static void print_array(const struct printing *p, struct mcti_str tools)
{
    struct mcti_buf b;
    if (p->app->opt.output != MCT_OUT_JSON) {
        mcti_out_json(p->app, tools);
        return;
    }
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, "{\"tools\":");
    mcti_buf_add(&b, tools);
    if (p->left_out.len) {
        mcti_json_put_key(&b, "left_out");
        mcti_buf_addc(&b, '[');
        mcti_buf_add(&b, mcti_buf_str(&p->left_out));
        mcti_buf_addc(&b, ']');
    }
    mcti_out_put_errors(p->app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(p->app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

int mcti_model_print_tools(struct mcti_app *app, const struct mcti_array_format *f)
{
    struct printing p = { .app = app };
    const struct mcti_array_report report = { cli_model_on_left_out, cli_model_on_cut, &p };
    struct mct_error err;
    struct mcti_buf tools;
    size_t n;
    mcti_buf_init(&p.left_out, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&tools, (size_t)1 << 32);
    int r = mcti_array_put(&tools, f, mcti_view_items(&app->view, MCT_TOOL), NULL, &report, &n, &err);
    if (r == 0) {
        print_array(&p, mcti_buf_str(&tools));
        warn_of_many(app, f, n);
    }
    mcti_buf_done(&tools);
    mcti_buf_done(&p.left_out);
    return r < 0 ? mcti_out_fail(app, &err, NULL) : mcti_out_failures(app);
}

/* ---- a call ---- */

static int read_whole(struct mcti_model *m, const char *word, struct mct_error *err)
{
    struct mcti_buf text;
    mcti_buf_init(&text, MCT_LIMIT_MESSAGE_BYTES);
    int r = mcti_input_read(&text, *word == '@' ? word + 1 : word, err);
    if (r == 0)
        r = mcti_model_call_read(&m->call, m->format, mcti_buf_str(&text), err);
    mcti_buf_done(&text);
    m->is_whole = r == 0;
    if (r < 0)
        mcti_model_call_done(&m->call);
    return r;
}

int mcti_model_open(struct mcti_model *m, const struct mcti_app *app, struct mct_error *err)
{
    const char *word = app->argv[0];
    bool whole = app->opt.profile && (!strcmp(word, "-") || *word == '@');
    *m = (struct mcti_model){ 0 };
    if (app->opt.profile && mcti_model_format(app, &m->format, err) < 0)
        return -1;
    if (whole) {
        if (app->argc > 1 || app->opt.args_json)
            return mcti_fail(err, MCT_ERR_USAGE, "%s has the arguments in it: give no others", word);
        return read_whole(m, word, err);
    }
    m->call.name = strdup(word);
    return m->call.name ? 0 : mcti_no_memory(err);
}

void mcti_model_close(struct mcti_model *m)
{
    mcti_model_call_done(&m->call);
}

/* SERVER.TOOL, as a person writes it. */
static const struct mcti_exposure *cli_model_find_dotted(struct mcti_app *app, const char *word)
{
    const struct mcti_exposures *e = mcti_view_items(&app->view, MCT_TOOL);
    const char *raw = NULL;
    const struct mcti_config_server *s = mcti_app_server(app, word, &raw);
    for (size_t i = 0; s && i < e->n; i++)
        if (!strcmp(e->v[i].provider->name, s->name) && mcti_str_is(e->v[i].item->id, raw))
            return &e->v[i];
    return NULL;
}

int mcti_model_target(const struct mcti_model *m, struct mcti_app *app, struct mcti_target *ret)
{
    struct mct_error err;
    int status = mcti_target_open(app, NULL, MCT_TOOL, false, ret);
    if (status)
        return status;
    const struct mcti_exposure *x =
        mcti_array_find(m->format, mcti_view_items(&app->view, MCT_TOOL), mcti_str_of(m->call.name));
    if (!x && !m->is_whole)
        x = cli_model_find_dotted(app, m->call.name);
    if (!x)
        x = mcti_view_named(&app->view, MCT_TOOL, mcti_str_of(m->call.name), &err);
    if (x) {
        *ret = (struct mcti_target){ x->provider, x->item };
        return 0;
    }
    mcti_out_failures(app); /* it may belong to a server that did not start */
    return mcti_out_fail(app, &err, NULL);
}

int mcti_model_unwrap(struct mcti_model *m, struct mcti_app *app, struct mcti_target *t, struct mct_error *err)
{
    struct mcti_view_own *own = app->view.own;
    struct mcti_str name, arguments;
    m->view = &app->view;
    struct mcti_view *inner = own && t->provider == own->provider
                                  ? own->unwrap(own, t->item, mcti_buf_str(&m->call.arguments), &name, &arguments)
                                  : NULL;
    if (!inner)
        return 0;
    char *text = mcti_json_dup(name);
    const struct mcti_exposure *x = mcti_view_named(inner, MCT_TOOL, mcti_str_of(text ? text : ""), err);
    free(text);
    if (!x)
        return -1;
    struct mcti_buf own_arguments;
    mcti_buf_init(&own_arguments, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_add(&own_arguments, arguments.p ? arguments : MCT_STR("{}"));
    mcti_buf_done(&m->call.arguments);
    m->call.arguments = own_arguments;
    *t = (struct mcti_target){ x->provider, x->item };
    m->view = inner;
    return 0;
}
