/* completion/complete, for prompts and resource templates. */
#include "api/request.h"

#include "base/limits.h"

/* Sends the request. `ref`: a PromptReference or ResourceTemplateReference object as JSON. */
static int complete_send(struct mct_request *q, struct mcti_provider *p, struct mcti_str ref,
                         const struct mct_completion *what, struct mct_error *err)
{
    struct mcti_str context;
    struct mcti_buf b;
    if (mcti_api_read_object("context", mcti_str_of(what->context), &context, err) < 0)
        return -1;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_json_put_raw(&b, "ref", ref);
    mcti_json_put_raw(&b, "argument", MCT_STR("{"));
    mcti_json_put_member(&b, "name", mcti_str_of(what->argument));
    mcti_json_put_member(&b, "value", mcti_str_of(what->value ? what->value : ""));
    mcti_buf_addc(&b, '}');
    if (context.p) {
        mcti_json_put_raw(&b, "context", MCT_STR("{"));
        mcti_json_put_raw(&b, "arguments", context);
        mcti_buf_addc(&b, '}');
    }
    mcti_buf_addc(&b, '}');
    mcti_api_request_begin(q, MCT_VERB_COMPLETE);
    q->call.params = mcti_buf_str(&b);
    int r = mcti_instance_request(&q->api->inst, &q->call, p, err);
    r = mcti_api_request_set_server(q, &(struct mcti_call_start){ .provider = p }, r, err);
    mcti_buf_done(&b);
    return r;
}

static int complete_item(struct mct_request *q, const struct mcti_exposure *x, const struct mct_completion *what,
                         struct mct_error *err)
{
    bool is_prompt = x->item->kind == MCT_PROMPT;
    struct mcti_buf ref;
    mcti_buf_init(&ref, mcti_item_json(x->item).len + 64);
    mcti_buf_addc(&ref, '{');
    mcti_json_put_member(&ref, "type", is_prompt ? MCT_STR("ref/prompt") : MCT_STR("ref/resource"));
    mcti_json_put_raw(&ref, is_prompt ? "name" : "uri",
                      mcti_json_get(mcti_item_json(x->item), mcti_kind_info(x->item->kind)->id_key));
    mcti_buf_addc(&ref, '}');
    int r = complete_send(q, x->provider, mcti_buf_str(&ref), what, err);
    mcti_buf_done(&ref);
    return r;
}

static const struct mcti_exposure *find_template(struct mcti_view *v, const struct mct_completion *what,
                                                 struct mct_error *err)
{
    const struct mcti_exposures *e = mcti_view_items(v, MCT_TEMPLATE);
    for (size_t i = 0; i < e->n; i++)
        if (mcti_str_is(mcti_item_id(e->v[i].item), what->uri_template) &&
            (!what->server || !strcmp(what->server, e->v[i].provider->name)))
            return &e->v[i];
    mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown resource template: %s%s%s", what->uri_template,
              what->server ? " at server " : "", what->server ? what->server : "");
    return NULL;
}

static int complete_check(const struct mct_completion *what, struct mct_error *err)
{
    if (!what->argument)
        return mcti_fail(err, MCT_ERR_USAGE, "completion: `argument` is missing");
    return what->prompt || what->uri_template
               ? 0
               : mcti_fail(err, MCT_ERR_USAGE, "completion: either `prompt` or `uri_template` must be set");
}

struct mct_request *mct_instance_complete(struct mct_instance *r, const struct mct_completion *given,
                                          const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_completion what;
    if (mcti_sized_copy(&what, sizeof what, given, "struct mct_completion", err) < 0 || complete_check(&what, err) < 0)
        return NULL;
    struct mct_request *q = mcti_api_request_new(r, opts, err);
    const struct mcti_exposure *x = !q            ? NULL
                                    : what.prompt ? mcti_instance_find(&q->api->inst, MCT_PROMPT, what.prompt, err)
                                                  : find_template(&q->api->inst.view, &what, err);
    return api_request_started(q, x ? complete_item(q, x, &what, err) : -1);
}
