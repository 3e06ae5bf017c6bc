/* completion/complete, for prompts and resource templates. */
#include "api/impl.h"

#include "base/limits.h"

/* `ref`: a raw PromptReference or ResourceTemplateReference object. */
static int complete(struct mct_request *q, struct mct_provider *p, struct mct_str ref, const struct mct_completion *what,
                    struct mct_error *err)
{
    struct mct_str context;
    struct mct_buf b;
    if (api_read_object("context", what->context, &context, err) < 0)
        return -1;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    mct_json_put_raw(&b, "ref", ref);
    mct_json_put_raw(&b, "argument", MCT_STR("{"));
    mct_json_put_member(&b, "name", mct_str_of(what->argument));
    mct_json_put_member(&b, "value", mct_str_of(what->value ? what->value : ""));
    mct_buf_addc(&b, '}');
    if (context.p) {
        mct_json_put_raw(&b, "context", MCT_STR("{"));
        mct_json_put_raw(&b, "arguments", context);
        mct_buf_addc(&b, '}');
    }
    mct_buf_addc(&b, '}');
    api_request_begin(q, MCT_VERB_COMPLETE);
    q->call.params = mct_buf_str(&b);
    int r = mcti_instance_request(&q->api->inst, &q->call, p, err);
    mct_buf_done(&b);
    return r;
}

static int complete_item(struct mct_request *q, const struct mct_exposure *x, const struct mct_completion *what,
                         struct mct_error *err)
{
    bool is_prompt = x->item->kind == MCT_PROMPT;
    struct mct_buf ref;
    mct_buf_init(&ref, x->item->json.len + 64);
    mct_buf_addc(&ref, '{');
    mct_json_put_member(&ref, "type", is_prompt ? MCT_STR("ref/prompt") : MCT_STR("ref/resource"));
    mct_json_put_raw(&ref, is_prompt ? "name" : "uri", mct_json_get(x->item->json, mct_kind_info(x->item->kind)->id_key));
    mct_buf_addc(&ref, '}');
    int r = complete(q, x->provider, mct_buf_str(&ref), what, err);
    mct_buf_done(&ref);
    return r;
}

static const struct mct_exposure *find_template(struct mct_view *v, const struct mct_completion *what, struct mct_error *err)
{
    const struct mct_exposures *e = mct_view_items(v, MCT_TEMPLATE);
    for (size_t i = 0; i < e->n; i++)
        if (mct_str_is(e->v[i].item->id, what->uri_template) &&
            (!what->server || !strcmp(what->server, e->v[i].provider->name)))
            return &e->v[i];
    mct_fail(err, MCT_ERR_NOT_FOUND, "there is no resource template %s%s%s", what->uri_template, what->server ? " at server " : "",
             what->server ? what->server : "");
    return NULL;
}

static int check(const struct mct_completion *what, struct mct_error *err)
{
    if (!what->argument)
        return mct_fail(err, MCT_ERR_USAGE, "completion: which argument?");
    return what->prompt || what->uri_template ? 0 : mct_fail(err, MCT_ERR_USAGE, "completion: of which prompt or template?");
}

struct mct_request *mct_registry_complete(struct mct_registry *r, const struct mct_completion *given,
                                          const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mct_completion what;
    if (mct_sized_copy(&what, sizeof what, given, "struct mct_completion", err) < 0 || check(&what, err) < 0)
        return NULL;
    struct mct_request *q = api_request_new(r, opts, err);
    const struct mct_exposure *x = !q ? NULL : what.prompt ? mcti_instance_find(&q->api->inst, MCT_PROMPT, what.prompt, err)
                                                           : find_template(&q->api->inst.view, &what, err);
    return api_request_started(q, x ? complete_item(q, x, &what, err) : -1);
}
