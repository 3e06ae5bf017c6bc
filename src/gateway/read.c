/* Resources, which are known by their URI only, and completion. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static void ask_next(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);

static bool says_not_found(const struct mct_outcome *o)
{
    int64_t code = 0;
    if (!o->error.p)
        return false;
    mct_json_int(mct_json_get(o->error, "code"), &code);
    return mct_rpc_is_not_found(code);
}

bool gw_read_elsewhere(struct gw_request *r, const struct mct_outcome *o)
{
    struct mct_msg msg;
    struct mct_msg_meta meta;
    bool not_found = says_not_found(o);
    if (!r->kept || r->n_candidates < 2 || !(not_found || o->failed) ||
        (o->failed && r->next >= r->n_candidates))
        return false;
    if (mct_msg_parse((struct mct_str){ r->kept, r->kept_len }, &msg, NULL) < 0 ||
        mct_msg_read_meta(&msg, &meta, NULL) < 0)
        return false;
    ask_next(r, &msg, &meta);
    return true;
}

static void fail_unknown_uri(struct gw_request *r, const struct mct_msg *msg)
{
    struct mct_error err;
    struct mct_buf data;
    struct mct_str uri = mct_json_get(msg->params, "uri");
    mct_fail(&err, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    err.code = mct_rev_is_stateless(r->rev) ? MCT_RPC_INVALID_PARAMS : MCT_RPC_RESOURCE_NOT_FOUND;
    mct_buf_init(&data, uri.len + 16);
    mct_buf_addz(&data, "{\"uri\":");
    mct_buf_add(&data, uri);
    mct_buf_addc(&data, '}');
    gw_refuse(r, &err, mct_buf_str(&data));
    mct_buf_done(&data);
}

static void ask_next(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    const struct mct_json_set as_it_is = { "uri", MCT_STR_NONE };
    struct mct_error err;
    if (r->next >= r->n_candidates) {
        fail_unknown_uri(r, msg);
        return;
    }
    while (r->next < r->n_candidates) {
        struct mct_provider *p = r->candidates[r->next++];
        if (gw_start(r, p, msg, meta, &as_it_is, &err) == 0)
            return;
    }
    gw_fail(r, &err);
}

bool gw_recall(struct gw_request *r, const struct mct_msg *msg)
{
    struct mct_cache_key key = { .connection = r->connection, .authority = r->call.authority };
    struct mct_outcome o;
    struct mct_buf scratch;
    mct_cache_leave(r->place);
    r->place = NULL;
    mct_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    bool found = gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, &scratch, &key.uri, NULL) == 0 &&
                 mct_cache_get(r->peer->gateway->cache, &key, &o, &r->place);
    mct_buf_done(&scratch);
    if (!found)
        return false;
    mct_call_event_answered(&r->call, r->connection, o.result);
    gw_answer_result(r, &o);
    return true;
}

/* The configuration restricts what clients read, whichever way they do it. */
static int admit(const struct gw_request *r, struct mct_str uri, struct mct_error *err)
{
    const struct mct_dialect_opts *o = &r->peer->gateway->dialect;
    const struct mct_reach reach = { .view = r->peer->view, .uri_allow = o->uri_allow, .n_uri_allow = o->n_uri_allow };
    return mct_reach_check(&reach, NULL, uri, err);
}

void gw_read(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_view *v = r->peer->view;
    struct mct_buf scratch;
    struct mct_str uri;
    struct mct_error err;
    size_t n = mct_view_n_providers(v), sure;

    if (gw_resumes(r, msg, meta))
        return;
    mct_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    int result = gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, &scratch, &uri, &err);
    if (result == 0)
        result = admit(r, uri, &err);
    r->recalls = r->peer->gateway->cache && mct_cache_may(msg->params);
    if (mct_rev_is_stateless(r->rev) && !r->uri)
        r->uri = mct_str_dup(mct_json_get(msg->params, "uri"));
    free(r->candidates);
    r->next = r->first;
    r->candidates = calloc(n ? n : 1, sizeof(struct mct_provider *));
    if (result == 0 && !r->candidates)
        result = mct_no_memory(&err);
    if (result == 0)
        r->n_candidates = mct_view_for_uri(v, uri, r->candidates, n, &sure);
    mct_buf_done(&scratch);
    if (result < 0)
        gw_fail(r, &err);
    else if (r->n_candidates < 2 || gw_keep(r, msg) == 0)
        ask_next(r, msg, meta);
}

/* ---- completion ---- */

static struct mct_provider *template_owner(struct mct_view *v, struct mct_str template)
{
    struct mct_map_node *n = mct_map_get(&mct_view_items(v, MCT_TEMPLATE)->by_name, template);
    struct mct_provider *first = NULL;
    size_t sure;
    if (n)
        return MCT_CONTAINER(n, struct mct_exposure, by_name)->provider;
    return mct_view_for_uri(v, template, &first, 1, &sure) ? first : NULL;
}

/* Finds whom to ask and writes the reference with the server's own name, if that differs. */
static struct mct_provider *resolve_ref(struct mct_view *v, struct mct_str ref, struct mct_buf *own_ref,
                                        struct mct_error *err)
{
    bool is_prompt = mct_json_is(mct_json_get(ref, "type"), "ref/prompt");
    struct mct_str name = mct_json_get(ref, is_prompt ? "name" : "uri"), text;
    struct mct_provider *p = NULL;
    struct mct_buf scratch;
    mct_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    if (!is_prompt && !mct_json_is(mct_json_get(ref, "type"), "ref/resource")) {
        mct_fail(err, MCT_ERR_USAGE, "\"ref\" must be of type ref/prompt or ref/resource");
    } else if (mct_json_unescape(name, &scratch) < 0) {
        mct_fail(err, MCT_ERR_USAGE, "\"ref\" must have a %s", is_prompt ? "name" : "uri");
    } else if (!is_prompt) {
        text = mct_buf_str(&scratch);
        p = template_owner(v, text);
        if (!p)
            mct_fail(err, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(text));
    } else {
        const struct mct_exposure *x = mct_view_named(v, MCT_PROMPT, mct_buf_str(&scratch), err);
        if (x) {
            const struct mct_json_set set = { "name", mct_json_get(x->item->json, "name") };
            mct_json_put_object(own_ref, ref, &set, 1);
            p = x->provider;
        }
    }
    mct_buf_done(&scratch);
    return p;
}

static void complete_nothing(struct gw_request *r)
{
    struct mct_str none = MCT_STR("{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}");
    struct mct_buf *b = mct_inbound_begin(&r->in);
    mct_shape_result(b, r->verb, none, MCT_REV_LATEST_HANDSHAKE, r->rev, MCT_STR_NONE);
    mct_inbound_send(&r->in);
    gw_request_free(r);
}

void gw_complete(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    struct mct_buf ref;
    struct mct_str given = mct_json_get(msg->params, "ref");
    mct_buf_init(&ref, given.len + 2 * MCT_LIMIT_NAME_BYTES);
    struct mct_provider *p = resolve_ref(r->peer->view, given, &ref, &err);
    if (!p) {
        gw_fail(r, &err);
    } else if (!mct_server_can(&p->info, "completions", NULL)) {
        complete_nothing(r);
    } else {
        const struct mct_json_set own = { "ref", ref.len ? mct_buf_str(&ref) : MCT_STR_NONE };
        if (gw_start(r, p, msg, meta, &own, &err) < 0)
            gw_fail(r, &err);
    }
    mct_buf_done(&ref);
}
