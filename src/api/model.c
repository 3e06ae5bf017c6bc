/* Tools, calls and results in the forms of model providers. */
#include "api/impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdlib.h>

static const struct mcti_array_format *find_format(const char *provider, struct mct_error *err)
{
    const struct mcti_array_format *f = provider ? mcti_array_format_find(mcti_str_of(provider)) : NULL;
    struct mcti_buf known;
    mcti_buf_init(&known, 400);
    for (const struct mcti_array_format *k = mcti_array_formats; !f && k->name; k++)
        mcti_buf_printf(&known, "%s%s", k == mcti_array_formats ? "" : ", ", k->name);
    if (!f)
        mcti_fail(err, MCT_ERR_USAGE, "there is no form of tools for '%s'; there are: %.*s", provider ? provider : "",
                  MCT_STR_ARG(mcti_buf_str(&known)));
    mcti_buf_done(&known);
    return f;
}

/* ---- the array ---- */

static void api_model_on_left_out(void *data, const struct mcti_exposure *tool, const char *why)
{
    const struct mct_instance *a = data;
    mcti_log(&a->log, MCT_LOG_WARN, "tool '%.*s' is left out: %s", MCT_STR_ARG(tool->name), why);
}

static void api_model_on_cut(void *data, const struct mcti_exposure *tool)
{
    const struct mct_instance *a = data;
    mcti_log(&a->log, MCT_LOG_WARN, "tool '%.*s': its schema is too large with its references; {} stands for some",
             MCT_STR_ARG(tool->name));
}

char *mct_instance_tools_for(struct mct_instance *r, const char *provider, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    const struct mcti_array_format *f = find_format(provider, err);
    const struct mcti_array_report report = { api_model_on_left_out, api_model_on_cut, a };
    struct mcti_buf b;
    size_t n = 0;
    if (!f || mcti_api_check_started(a, err) < 0)
        return NULL;
    mcti_buf_init(&b, MCT_LIMIT_SCHEMA_BYTES);
    int status = mcti_array_put(&b, f, mcti_view_items(&a->view, MCT_TOOL), NULL, &report, &n, err);
    char *text = status == 0 ? mcti_buf_take(&b) : NULL;
    if (status == 0 && !text)
        mcti_fail(err, MCT_ERR_LIMIT, "the array is too large");
    if (text && f->max_tools && n > f->max_tools)
        mcti_log(&a->log, MCT_LOG_WARN, "%zu tools are more than the %zu that %s takes: use the mode \"search\"", n,
                 f->max_tools, f->name);
    mcti_buf_done(&b);
    return text;
}

/* ---- a call ---- */

static int api_model_call_named(struct mct_request *q, struct mct_error *err)
{
    const struct mcti_exposures *tools = mcti_view_items(&q->api->view, MCT_TOOL);
    const struct mcti_exposure *x = mcti_array_find(q->format, tools, mcti_str_of(q->model.name));
    struct mcti_buf arguments;
    if (!x && mcti_view_restricted(&q->api->view, mcti_str_of(q->model.name))) {
        mcti_api_refuse_stranger(q);
        return 0;
    }
    mcti_buf_init(&arguments, MCT_LIMIT_MESSAGE_BYTES);
    int r = x ? mcti_array_restore(&arguments, q->format, mcti_json_get(x->item->json, "inputSchema"),
                                   mcti_buf_str(&q->model.arguments), err)
              : mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown tool: %s", q->model.name);
    if (r == 0)
        r = mcti_api_call_tool(q, x, mcti_buf_str(&arguments), err);
    mcti_buf_done(&arguments);
    return r;
}

struct mct_request *mct_instance_call_from(struct mct_instance *r, const char *provider, const char *call,
                                           const struct mct_call_opts *opts, struct mct_error *err)
{
    const struct mcti_array_format *f = find_format(provider, err);
    struct mct_request *q = f ? mcti_api_request_new(r, opts, err) : NULL;
    struct mct_error why;
    if (!q)
        return NULL;
    bool good = mcti_model_call_read(&q->model, f, mcti_str_of(call), &why) == 0;
    if (!good && !(q->model.name && *q->model.name)) {
        if (err)
            *err = why;
        return api_request_started(q, -1);
    }
    q->format = f;
    if (!good || api_model_call_named(q, &why) < 0)
        mcti_api_request_finish(q, MCT_STR_NONE, &why);
    return q;
}

/* ---- the answer ---- */

const char *mct_request_answer(struct mct_request *q)
{
    struct mcti_buf result, b;
    if (q->answer || !q->over || !q->format)
        return q->answer;
    mcti_buf_init(&result, 8192);
    if (!q->result) /* a failure as a result, which a model can read */
        mcti_shape_tool_says(&result, mcti_str_of(q->error.message));
    mcti_buf_init(&b, 8 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    mcti_model_result_put(&b, q->format, &q->model, q->result ? mcti_str_of(q->result) : mcti_buf_str(&result));
    q->answer = mcti_buf_take(&b);
    mcti_buf_done(&b);
    mcti_buf_done(&result);
    return q->answer;
}
