/* Answers resources/read and completion/complete. */
#include "gateway/read.h"

#include "gateway/answer.h"
#include "gateway/apps.h"
#include "gateway/call.h"
#include "gateway/kept.h"
#include "gateway/skills.h"

#include "base/limits.h"

#include <stdlib.h>

static void gateway_read_try_next(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                  const struct mcti_msg_meta *meta);

static bool gateway_read_is_not_found(const struct mcti_outcome *o)
{
    int64_t code = 0;
    if (!o->error.p)
        return false;
    mcti_json_int(mcti_json_get(o->error, "code"), &code);
    return mcti_rpc_is_not_found(code);
}

enum mcti_gw_step mcti_gw_retry_read(struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    struct mcti_msg msg;
    struct mcti_msg_meta meta;
    bool not_found = gateway_read_is_not_found(o);
    if (r->skill || !r->kept || r->n_candidates < 2 || !(not_found || o->failed) ||
        (o->failed && r->next >= r->n_candidates))
        return GO_ON;
    if (mcti_msg_parse((struct mcti_str){ r->kept, r->kept_len }, &msg, NULL) < 0 ||
        mcti_msg_read_meta(&msg, &meta, NULL) < 0)
        return GO_ON;
    gateway_read_try_next(r, &msg, &meta);
    return TAKEN;
}

static void fail_unknown_uri(struct mcti_gw_request *r, const struct mcti_msg *msg)
{
    struct mct_error err;
    struct mcti_buf data;
    struct mcti_str uri = mcti_json_get(msg->params, "uri");
    mcti_fail(&err, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(uri));
    err.code = mcti_rev_is_stateless(r->rev) ? MCT_RPC_INVALID_PARAMS : MCT_RPC_RESOURCE_NOT_FOUND;
    mcti_buf_init(&data, uri.len + 16);
    mcti_buf_addz(&data, "{\"uri\":");
    mcti_buf_add(&data, uri);
    mcti_buf_addc(&data, '}');
    mcti_gw_refuse(r, &err, mcti_buf_str(&data));
    mcti_buf_done(&data);
}

/* Returns the URI for the server, a JSON string of `text`; absent: as the client has written it. */
static struct mcti_str gateway_read_own_uri(const struct mcti_gw_request *r, struct mcti_buf *text)
{
    if (!r->page || mcti_str_eq(r->page->own, r->page->asked))
        return MCT_STR_NONE;
    mcti_json_put_string(text, r->page->own);
    return mcti_buf_str(text);
}

static void gateway_read_try_next(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                  const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    struct mcti_buf own;
    if (r->next >= r->n_candidates) {
        fail_unknown_uri(r, msg);
        return;
    }
    mcti_buf_init(&own, 6 * MCT_LIMIT_URI_BYTES + 2);
    const struct mcti_json_set uri = { "uri", gateway_read_own_uri(r, &own) };
    bool started = false;
    while (!started && r->next < r->n_candidates) {
        struct mcti_provider *p = r->candidates[r->next++];
        started = mcti_gw_start(r, p, msg, meta, &uri, &err) == 0;
    }
    mcti_buf_done(&own);
    if (!started)
        mcti_gw_fail(r, &err);
}

enum mcti_gw_step mcti_gw_recall(struct mcti_gw_request *r, const struct mcti_msg *msg)
{
    struct mcti_cache_key key = { .connection = r->connection, .authority = r->call.authority };
    struct mcti_outcome o;
    struct mcti_buf scratch;
    mcti_cache_place_free(r->place);
    r->place = NULL;
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    int result = mcti_gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, &scratch, &key.uri, NULL);
    key.uri = r->page ? r->page->own : key.uri;
    bool found = result == 0 && mcti_cache_get(r->peer->gateway->cache, &key, &o, &r->place);
    mcti_buf_done(&scratch);
    if (!found)
        return GO_ON;
    mcti_call_event_answered(&r->call, r->connection, o.result);
    mcti_gw_answer_result(r, &o);
    return TAKEN;
}

int mcti_gw_admit_uri(const struct mcti_gw_request *r, struct mcti_str uri, struct mct_error *err)
{
    const struct mcti_dialect_opts *o = &r->peer->gateway->dialect;
    const struct mcti_reach reach = { .view = r->peer->view, .uri_allow = o->uri_allow, .n_uri_allow = o->n_uri_allow };
    return mcti_reach_check(&reach, NULL, uri, err);
}

void mcti_gw_read(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_view *v = r->peer->view;
    struct mcti_buf scratch;
    struct mcti_str uri;
    struct mct_error err;
    size_t n = mcti_view_n_providers(v), sure;

    if (mcti_gw_resume(r, msg, meta) == TAKEN)
        return;
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    int result = mcti_gw_text_param(msg, "uri", MCT_LIMIT_URI_BYTES, &scratch, &uri, &err);
    if (result == 0 && mcti_results_may_have(r->peer->gateway->results) && mcti_result_is_uri(uri)) {
        mcti_gw_read_result(r, uri);
        mcti_buf_done(&scratch);
        return;
    }
    struct mcti_provider *of_page = result == 0 ? mcti_gw_page_begin(r, uri, &err) : NULL;
    if (result == 0)
        result = err.kind ? -1 : mcti_gw_admit_uri(r, uri, &err);
    r->recalls = r->peer->gateway->cache && mcti_cache_accepts(msg->params);
    if (mcti_rev_is_stateless(r->rev) && !r->uri)
        r->uri = mcti_str_dup(mcti_json_get(msg->params, "uri"));
    if (result == 0 && mcti_gw_read_skill(r, msg, meta, uri) == TAKEN) {
        mcti_buf_done(&scratch);
        return;
    }
    free(r->candidates);
    r->next = r->first;
    r->candidates = calloc(n ? n : 1, sizeof(struct mcti_provider *));
    if (result == 0 && !r->candidates)
        result = mcti_no_memory(&err);
    if (result == 0 && of_page)
        r->candidates[0] = of_page;
    if (result == 0)
        r->n_candidates = of_page ? 1 : mcti_view_for_uri(v, uri, r->candidates, n, &sure);
    mcti_buf_done(&scratch);
    if (result < 0)
        mcti_gw_fail(r, &err);
    else if (r->n_candidates < 2 || mcti_gw_keep(r, msg) == GO_ON)
        gateway_read_try_next(r, msg, meta);
}

/* ---- completion ---- */

/* Writes the reference with the server's own URI, if clients see another one. */
static void put_own_uri(struct mcti_view *v, struct mcti_str ref, struct mcti_str uri, struct mcti_buf *own_ref)
{
    struct mcti_buf own, text;
    mcti_buf_init(&own, MCT_LIMIT_URI_BYTES);
    mcti_buf_init(&text, 6 * MCT_LIMIT_URI_BYTES + 2);
    if (mcti_app_uri_read(&v->apps, uri, &own) && !mcti_str_eq(mcti_buf_str(&own), uri)) {
        mcti_json_put_string(&text, mcti_buf_str(&own));
        const struct mcti_json_set set = { "uri", mcti_buf_str(&text) };
        mcti_json_put_object(own_ref, ref, &set, 1);
    }
    mcti_buf_done(&text);
    mcti_buf_done(&own);
}

static struct mcti_provider *template_owner(struct mcti_view *v, struct mcti_str template)
{
    const struct mcti_exposure *x = mcti_exposure_named(mcti_view_items(v, MCT_TEMPLATE), template);
    struct mcti_provider *first = NULL;
    size_t sure;
    if (x)
        return x->provider;
    return mcti_view_for_uri(v, template, &first, 1, &sure) ? first : NULL;
}

/* Returns the provider of the prompt or resource template that `ref` names, and writes to `own_ref` the reference with
 * the server's own name of a prompt or URI. On failure returns NULL and sets *err. */
static struct mcti_provider *resolve_ref(struct mcti_view *v, struct mcti_str ref, struct mcti_buf *own_ref,
                                         struct mct_error *err)
{
    bool is_prompt = mcti_json_is(mcti_json_get(ref, "type"), "ref/prompt");
    struct mcti_str name = mcti_json_get(ref, is_prompt ? "name" : "uri"), text;
    struct mcti_provider *p = NULL;
    struct mcti_buf scratch;
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    if (!is_prompt && !mcti_json_is(mcti_json_get(ref, "type"), "ref/resource")) {
        mcti_fail(err, MCT_ERR_USAGE, "\"ref\" must be of type ref/prompt or ref/resource");
    } else if (mcti_json_unescape(name, &scratch) < 0) {
        mcti_fail(err, MCT_ERR_USAGE, "\"ref\" must have a %s", is_prompt ? "name" : "uri");
    } else if (!is_prompt) {
        text = mcti_buf_str(&scratch);
        p = template_owner(v, text);
        put_own_uri(v, ref, text, own_ref);
        if (!p)
            mcti_fail(err, MCT_ERR_NOT_FOUND, "no server has the resource %.*s", MCT_STR_ARG(text));
    } else {
        const struct mcti_exposure *x = mcti_view_named(v, MCT_PROMPT, mcti_buf_str(&scratch), err);
        if (x) {
            const struct mcti_json_set set = { "name", mcti_json_get(mcti_item_json(x->item), "name") };
            mcti_json_put_object(own_ref, ref, &set, 1);
            p = x->provider;
        }
    }
    mcti_buf_done(&scratch);
    return p;
}

static void complete_nothing(struct mcti_gw_request *r)
{
    struct mcti_str none = MCT_STR("{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}}");
    struct mcti_buf *b = mcti_inbound_begin(&r->in);
    mcti_shape_result(b, r->verb, none, MCT_REV_LATEST_HANDSHAKE, r->rev, MCT_STR_NONE);
    mcti_inbound_send(&r->in);
    mcti_gw_request_free(r);
}

void mcti_gw_complete(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    struct mcti_buf ref;
    struct mcti_str given = mcti_json_get(msg->params, "ref");
    mcti_buf_init(&ref, given.len + 2 * MCT_LIMIT_NAME_BYTES);
    struct mcti_provider *p = resolve_ref(r->peer->view, given, &ref, &err);
    if (!p) {
        mcti_gw_fail(r, &err);
    } else if (!mcti_server_can(&p->info, "completions", NULL)) {
        complete_nothing(r);
    } else {
        const struct mcti_json_set own = { "ref", ref.len ? mcti_buf_str(&ref) : MCT_STR_NONE };
        if (mcti_gw_start(r, p, msg, meta, &own, &err) < 0)
            mcti_gw_fail(r, &err);
    }
    mcti_buf_done(&ref);
}
