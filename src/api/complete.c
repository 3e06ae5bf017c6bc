/* completion/complete, for prompts and resource templates. */
#include "api/impl.h"

#include "base/limits.h"

/* `ref`: a raw PromptReference or ResourceTemplateReference object; texts: name and value of the argument, what is known. */
static int complete(struct mct_request *q, struct mct_provider *p, struct mct_str ref, const char *const texts[3],
                    struct mct_error *err)
{
    struct mct_str context;
    struct mct_buf b;
    if (api_read_object("context", texts[2], &context, err) < 0)
        return -1;
    mct_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addc(&b, '{');
    mct_json_put_raw(&b, "ref", ref);
    mct_json_put_raw(&b, "argument", MCT_STR("{"));
    mct_json_put_member(&b, "name", mct_str_of(texts[0]));
    mct_json_put_member(&b, "value", mct_str_of(texts[1] ? texts[1] : ""));
    mct_buf_addc(&b, '}');
    if (context.p) {
        mct_json_put_raw(&b, "context", MCT_STR("{"));
        mct_json_put_raw(&b, "arguments", context);
        mct_buf_addc(&b, '}');
    }
    mct_buf_addc(&b, '}');
    int r = api_request_call(q, p, MCT_VERB_COMPLETE, mct_buf_str(&b), err);
    mct_buf_done(&b);
    return r;
}

static int complete_item(struct mct_request *q, const struct mct_exposure *x, const char *type, const char *const texts[3],
                         struct mct_error *err)
{
    const char *key = mct_kind_info(x->item->kind)->id_key;
    struct mct_buf ref;
    mct_buf_init(&ref, x->item->json.len + 64);
    mct_buf_addc(&ref, '{');
    mct_json_put_member(&ref, "type", mct_str_of(type));
    mct_json_put_raw(&ref, x->item->kind == MCT_PROMPT ? "name" : "uri", mct_json_get(x->item->json, key));
    mct_buf_addc(&ref, '}');
    int r = complete(q, x->provider, mct_buf_str(&ref), texts, err);
    mct_buf_done(&ref);
    return r;
}

struct mct_request *mct_registry_complete_prompt(struct mct_registry *r, const char *prompt, const char *argument,
                                                 const char *value, const char *context,
                                                 const struct mct_call_opts *opts, struct mct_error *err)
{
    const char *const texts[3] = { argument, value, context };
    struct mct_request *q = api_request_new(r, opts, err);
    const struct mct_exposure *x = q ? api_find(&q->api->view, MCT_PROMPT, prompt, err) : NULL;
    return api_request_started(q, x ? complete_item(q, x, "ref/prompt", texts, err) : -1);
}

static const struct mct_exposure *find_template(struct mct_view *v, const char *server, const char *uri_template)
{
    const struct mct_exposures *e = mct_view_items(v, MCT_TEMPLATE);
    for (size_t i = 0; i < e->n; i++)
        if (mct_str_is(e->v[i].item->id, uri_template) && (!server || !strcmp(server, e->v[i].provider->name)))
            return &e->v[i];
    return NULL;
}

struct mct_request *mct_registry_complete_template(struct mct_registry *r, const char *server, const char *uri_template,
                                                   const char *argument, const char *value, const char *context,
                                                   const struct mct_call_opts *opts, struct mct_error *err)
{
    const char *const texts[3] = { argument, value, context };
    struct mct_request *q = api_request_new(r, opts, err);
    const struct mct_exposure *x = q ? find_template(&q->api->view, server, uri_template) : NULL;
    if (q && !x)
        mct_fail(err, MCT_ERR_NOT_FOUND, "%s has no resource template %s", server ? server : "no server", uri_template);
    return api_request_started(q, x ? complete_item(q, x, "ref/resource", texts, err) : -1);
}
