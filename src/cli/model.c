#include "cli/model.h"

#include "base/limits.h"
#include "cli/input.h"
#include "instance/model.h"
#include "json/write.h"

#include <stdlib.h>

int mcti_model_format(const struct mcti_app *app, const struct mcti_array_format **ret, struct mct_error *err)
{
    struct mcti_buf known;
    *ret = mcti_array_format_find(mcti_str_of(app->opt.profile));
    if (*ret)
        return 0;
    mcti_buf_init(&known, 1024);
    mcti_array_put_format_names(&known);
    mcti_fail(err, MCT_ERR_USAGE, "--for '%s': must be one of %.*s", app->opt.profile,
              MCT_STR_ARG(mcti_buf_str(&known)));
    mcti_buf_done(&known);
    return -1;
}

/* ---- the array ---- */

static void warn_of_many(const struct mcti_app *app, const struct mcti_array_format *f, size_t n)
{
    if (f->max_tools && n > f->max_tools)
        mcti_log(&app->log, MCT_LOG_WARN,
                 "%s accepts at most %zu tools, but there are %zu; use --mode search for three tools that find and "
                 "call all others, or --server to select servers",
                 f->name, f->max_tools, n);
}

static void print_array(const struct mcti_app *app, struct mcti_str tools, struct mcti_str left_out)
{
    struct mcti_buf b;
    if (app->opt.output != MCT_OUT_JSON) {
        mcti_out_json(app, tools);
        return;
    }
    mcti_buf_init(&b, (size_t)1 << 32);
    mcti_buf_addz(&b, "{\"tools\":");
    mcti_buf_add(&b, tools);
    if (left_out.len) {
        mcti_json_put_key(&b, "left_out");
        mcti_buf_addc(&b, '[');
        mcti_buf_add(&b, left_out);
        mcti_buf_addc(&b, ']');
    }
    mcti_out_put_errors(app, &b);
    mcti_buf_addc(&b, '}');
    mcti_out_json(app, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

int mcti_model_print_tools(struct mcti_app *app, const struct mcti_array_format *f)
{
    struct mct_error err;
    struct mcti_buf tools, left_out;
    size_t n;
    mcti_buf_init(&left_out, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_init(&tools, (size_t)1 << 32);
    int r = mcti_instance_put_tools(&app->inst, f, &tools, &left_out, &n, &err);
    if (r == 0) {
        print_array(app, mcti_buf_str(&tools), mcti_buf_str(&left_out));
        warn_of_many(app, f, n);
    }
    mcti_buf_done(&tools);
    mcti_buf_done(&left_out);
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
    m->is_whole = r == 0 || (m->call.name && *m->call.name);
    if (!m->is_whole)
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
            return mcti_fail(err, MCT_ERR_USAGE, "'%s' contains the arguments already: give no others", word);
        return read_whole(m, word, err);
    }
    m->call.name = strdup(word);
    return m->call.name ? 0 : mcti_no_memory(err);
}

void mcti_model_close(struct mcti_model *m)
{
    mcti_model_call_done(&m->call);
}

/* Finds the tool of the call. A model's call must use a name of the array; a person may also write SERVER.TOOL or a
 * bare name. */
static const struct mcti_exposure *find(const struct mcti_model *m, struct mcti_app *app, struct mct_error *err)
{
    struct mcti_str name = mcti_str_of(m->call.name);
    const struct mcti_exposure *x = mcti_array_find(m->format, mcti_view_items(&app->inst.view, MCT_TOOL), name);
    if (!x && !m->is_whole)
        return mcti_view_named(&app->inst.view, MCT_TOOL, name, err);
    if (!x)
        mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown tool: %s", m->call.name);
    return x;
}

int mcti_model_target(const struct mcti_model *m, struct mcti_app *app, struct mcti_target *ret)
{
    struct mct_error err;
    int status = mcti_target_open(app, NULL, MCT_TOOL, false, ret);
    if (status)
        return status;
    const struct mcti_exposure *x = find(m, app, &err);
    if (x) {
        *ret = (struct mcti_target){ x->provider, x->item };
        return 0;
    }
    mcti_out_failures(app); /* the tool may belong to a server that did not start */
    return mcti_out_fail(app, &err, NULL);
}
