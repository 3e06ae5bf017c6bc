/* Tools, calls and results in the formats of model providers. */
#include "api/request.h"
#include "instance/model.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"
#include "resources/prompt_block.h"

#include <stdlib.h>

static const struct mcti_array_format *find_format(const char *provider, struct mct_error *err)
{
    const struct mcti_array_format *f = provider ? mcti_array_format_find(mcti_str_of(provider)) : NULL;
    struct mcti_buf known;
    if (f)
        return f;
    mcti_buf_init(&known, 1024);
    mcti_array_put_format_names(&known);
    mcti_fail(err, MCT_ERR_USAGE, "unknown provider '%s'; known: %.*s", provider ? provider : "",
              MCT_STR_ARG(mcti_buf_str(&known)));
    mcti_buf_done(&known);
    return NULL;
}

/* ---- the array ---- */

char *mct_instance_model_tools(struct mct_instance *r, const char *provider, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    const struct mcti_array_format *f = find_format(provider, err);
    struct mcti_buf b;
    size_t n = 0;
    if (!f || mcti_api_check_started(a, err) < 0)
        return NULL;
    mcti_buf_init(&b, MCT_LIMIT_SCHEMA_BYTES);
    int status = mcti_instance_put_tools(&a->inst, f, &b, NULL, &n, err);
    char *text = status == 0 ? mcti_buf_take(&b) : NULL;
    if (status == 0 && !text)
        mcti_fail(err, MCT_ERR_LIMIT, "the array is too large");
    if (text && f->max_tools && n > f->max_tools)
        mcti_log(&a->log, MCT_LOG_WARN, "%s accepts at most %zu tools, but there are %zu; use the mode \"search\"",
                 f->name, f->max_tools, n);
    mcti_buf_done(&b);
    return text;
}

char *mct_instance_resource_prompt(struct mct_instance *r, struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    struct mcti_buf b;
    if (mcti_api_check_started(a, err) < 0)
        return NULL;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_prompt_block(&b, &a->inst.view, mcti_bridge_prefix(&a->inst.dialect));
    char *text = mcti_buf_take(&b);
    if (!text)
        mcti_no_memory(err);
    return text;
}

/* ---- a call ---- */

static int api_model_call_named(struct mct_request *q, struct mct_error *err)
{
    const struct mcti_exposures *tools = mcti_view_items(&q->api->inst.view, MCT_TOOL);
    const struct mcti_exposure *x = mcti_array_find(q->format, tools, mcti_str_of(q->model.name));
    struct mcti_call_start start = { .name = x ? x->name : mcti_str_of(q->model.name), .found = x };
    mcti_api_request_begin(q, MCT_VERB_TOOLS_CALL);
    int r =
        mcti_instance_call_model(&q->api->inst, q->format, &q->call, &start, mcti_buf_str(&q->model.arguments), err);
    return mcti_api_request_set_server(q, &start, r, err);
}

struct mct_request *mct_instance_call_model(struct mct_instance *r, const char *provider, const char *call,
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

const char *mct_request_answer(struct mct_request *q, struct mct_error *err)
{
    struct mcti_buf result, b;
    if (!q->over || !q->format)
        mcti_fail(err, MCT_ERR_USAGE,
                  q->over ? "the request was not started with mct_instance_call_model()"
                          : "the request has not finished");
    if (q->answer || !q->over || !q->format)
        return q->answer;
    mcti_buf_init(&result, 8192);
    if (!q->result) /* a failure as a result, which a model can read */
        mcti_shape_tool_says(&result, mcti_str_of(q->error.message));
    mcti_buf_init(&b, 8 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    mcti_model_result_put(&b, q->format, &q->model, q->result ? mcti_str_of(q->result) : mcti_buf_str(&result));
    q->answer = mcti_buf_take(&b);
    if (!q->answer)
        mcti_no_memory(err);
    mcti_buf_done(&b);
    mcti_buf_done(&result);
    return q->answer;
}
