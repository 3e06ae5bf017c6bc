/* The way there: a request becomes a call on the server that has what it names. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

/* ---- who asks ---- */

/* A handshake client: what it said at initialize, and asked for since. */
static void fill_session(struct mcti_gw_request *r, const struct mcti_provider *connection)
{
    struct mcti_caller *c = &r->call.caller;
    r->call.owner = r->peer;
    r->call.answerer = &r->peer->can;
    r->call.interactive = mcti_rev_is_stateless(connection->info.rev);
    c->capabilities = mcti_str_of(r->peer->capabilities);
    if (r->peer->level >= 0)
        c->log_level = mcti_str_of(mcti_gw_level_json(r->peer->level));
}

static bool gateway_call_is_own(const struct mcti_gw_request *r, const struct mcti_provider *p)
{
    const struct mcti_view_own *own = r->peer->view->own;
    return own && own->provider == p;
}

/* A 2026-07-28 client: what the request itself says. */
static int fill_stateless(struct mcti_gw_request *r, const struct mcti_provider *p, const struct mcti_msg_meta *meta,
                          struct mct_error *err)
{
    struct mcti_caller *c = &r->call.caller;
    c->capabilities = meta->capabilities;
    r->log_level = mcti_gw_read_level(meta->log_level);
    c->log_level = r->log_level < GW_SILENT ? mcti_str_of(mcti_gw_level_json(r->log_level)) : meta->log_level;
    bool own = gateway_call_is_own(r, p), stateless = !own && mcti_rev_is_stateless(p->info.rev);
    if ((r->hooks || !(own || stateless)) && mcti_gw_park_prepare(r, r->call.params, meta->capabilities, err) < 0)
        return -1;
    r->call.interactive = stateless && r->hooks; /* so that hooks run once, however often the server asks */
    if (stateless) {
        r->can.lacks = NULL; /* the server has been told what it may ask */
        return 0;            /* without hooks its questions are passed on as they are */
    }
    if (own) { /* which asks others on its behalf, over the connections it would use itself, and they ask nobody */
        mcti_capabilities_read(meta->capabilities, &r->can);
        r->call.answerer = NULL;
        if (r->log_level == GW_SILENT)
            c->log_level = MCT_STR_NONE; /* those calls are made later, when an unknown word is not there any more */
    }
    mcti_gw_want_level(r->peer->gateway, r->log_level); /* before the call, so that the server hears it first */
    return 0;
}

void mcti_gw_progress(struct mcti_gw_request *r, struct mcti_str params)
{
    struct mcti_buf b;
    if (!r->in.progress_token)
        return;
    mcti_buf_init(&b, params.len + MCT_LIMIT_ID_BYTES + 64);
    mcti_shape_progress(&b, params, (struct mcti_str){ r->in.progress_token, r->in.progress_token_len }, r->rev);
    mcti_inbound_notify(&r->in, "notifications/progress", mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void gateway_call_on_progress(struct mcti_call *call, struct mcti_str params)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    if (!mcti_gw_park_notify(r, "notifications/progress", params))
        mcti_gw_progress(r, params);
}

static void gateway_call_on_hang_up(struct mcti_call *call)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    if (r->peer->ops->close_stream && r->in.session)
        r->peer->ops->close_stream(r->peer->data, r->in.lane);
}

/* What calls to one server hold is bounded, so that others are served while it is slow. */
static int charge_server(struct mcti_gw_request *r, struct mcti_provider *p, struct mct_error *err)
{
    if (r->server)
        mcti_account_put(r->server, MCT_HELD_CALL, &r->held_by_server, 0);
    r->server = gw_server_account(r->peer->gateway, p);
    struct mcti_account *over = mcti_account_set(r->server, MCT_HELD_CALL, &r->held_by_server, r->held);
    if (!over)
        return 0;
    mcti_account_count_refusal(r->payer, MCT_HELD_CALL);
    return mcti_fail(err, MCT_ERR_LIMIT, "server '%s': %s", p->name, over->rule->refusal);
}

static int start_on(struct mcti_gw_request *r, struct mcti_provider *connection, const struct mcti_msg *msg,
                    const struct mcti_msg_meta *meta, const struct mcti_json_set *subject, struct mct_error *err)
{
    struct mcti_buf params;
    r->call = (struct mcti_call){
        .verb = r->verb,
        .params = msg->params,
        .meta = meta->meta,
        .subject = *subject,
        .caller = { .rev = r->rev, .client_info = meta->client_info },
        .authority = r->principal->authority,
        .events = r->peer->gateway->events,
        .principal = gw_principal(r),
        .client = mcti_str_of(r->peer->client),
        .hooks = r->hooks,
        .done = mcti_gw_answer,
        .progress = gateway_call_on_progress,
        .log = mcti_gw_on_log,
        .hang_up = gateway_call_on_hang_up,
    };
    if (!mcti_rev_is_stateless(r->rev))
        fill_session(r, connection);
    else if (fill_stateless(r, connection, meta, err) < 0)
        return -1;
    mcti_buf_init(&params, 2 * msg->params.len + 64);
    int result = mcti_rev_is_stateless(connection->info.rev) ? mcti_gw_state_open(r, msg->params, &params, err) : 0;
    if (result > 0) {
        r->call.params = mcti_buf_str(&params);
        r->call.meta = mcti_json_get(r->call.params, "_meta");
    }
    if (result >= 0 && !(r->recalls && mcti_gw_recall(r, msg)))
        result = charge_server(r, connection, err) < 0 ? -1 : mcti_provider_call(connection, &r->call, err);
    mcti_buf_done(&params);
    return result < 0 ? -1 : 0;
}

int mcti_gw_start(struct mcti_gw_request *r, struct mcti_provider *p, const struct mcti_msg *msg,
                  const struct mcti_msg_meta *meta, const struct mcti_json_set *subject, struct mct_error *err)
{
    if (p->by_capabilities && mcti_rev_is_stateless(r->rev))
        mcti_capabilities_read(meta->capabilities, &r->can); /* they may decide over which connection its calls go */
    struct mcti_provider *connection = mcti_gw_connection(r, p, err);
    if (!connection)
        return -1;
    r->connection = connection;
    if (!r->branch || connection->settled)
        return start_on(r, connection, msg, meta, subject, err);
    mcti_gw_wait_for_branch(r, msg, 0);
    return 0;
}

/* ---- what it names ---- */

bool mcti_gw_resumes(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    int result = mcti_rev_is_stateless(r->rev) ? mcti_gw_park_resume(r, msg, meta, &err) : 0;
    if (result < 0)
        mcti_gw_fail(r, &err);
    return result != 0;
}

int mcti_gw_text_param(const struct mcti_msg *msg, const char *name, size_t max, struct mcti_buf *scratch,
                       struct mcti_str *ret, struct mct_error *err)
{
    struct mcti_str v;
    if (mcti_msg_param(msg, name, &v, err) < 0)
        return -1;
    if (v.len <= max && mcti_json_plain(v, ret))
        return 0;
    if (mcti_msg_param_text(msg, name, max, scratch, err) < 0)
        return -1;
    *ret = mcti_buf_str(scratch);
    return 0;
}

static void note_schema(struct mcti_gw_request *r, struct mcti_str schema)
{
    free(r->output_schema);
    r->output_schema = mcti_shape_wraps(schema) ? mcti_str_dup(schema) : NULL;
}

static int gateway_call_start_named(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                    const struct mcti_msg_meta *meta, const struct mcti_exposure *x,
                                    struct mcti_str sent_name, struct mct_error *err)
{
    struct mcti_hook_target hooks;
    bool same = mcti_str_eq(sent_name, x->item->id), stateless = mcti_rev_is_stateless(r->rev);
    const struct mcti_json_set name = { "name", same ? MCT_STR_NONE : mcti_json_get(x->item->json, "name") };
    if (mcti_rev_is_stateless(x->rev) && !stateless)
        note_schema(r, mcti_json_get(x->item->json, "outputSchema"));
    r->hooks = NULL;
    if (r->verb == MCT_VERB_TOOLS_CALL && mcti_hook_target(r->peer->gateway->hooks, r->view, x, &hooks)) {
        hooks.approver = stateless ? &r->can : &r->peer->can;
        hooks.session = stateless ? 0 : r->peer->number;
        r->hooks = &hooks;
    }
    return mcti_gw_start(r, x->provider, msg, meta, &name, err);
}

/* A call that stands for the call of another tool becomes that. The params are written to `params`. */
static void gateway_call_unwrap(struct mcti_gw_request *r, struct mcti_msg *msg, struct mcti_buf *params)
{
    struct mcti_view_own *own = r->view->own;
    struct mcti_str name, inner = MCT_STR_NONE, args = MCT_STR_NONE;
    if (!own || r->verb != MCT_VERB_TOOLS_CALL || !mcti_json_plain(mcti_json_get(msg->params, "name"), &name))
        return;
    const struct mcti_exposure *x = mcti_view_named(r->view, MCT_TOOL, name, NULL);
    struct mcti_view *view = x && x->provider == own->provider
                                 ? own->unwrap(own, x->item, mcti_json_get(msg->params, "arguments"), &inner, &args)
                                 : NULL;
    if (!view)
        return;
    const struct mcti_json_set sets[] = { { "name", inner }, { "arguments", args } };
    mcti_json_put_object(params, msg->params, sets, 2);
    if (!mcti_buf_ok(params))
        return;
    msg->params = mcti_buf_str(params);
    r->view = view;
}

static void gateway_call_call_named(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                    const struct mcti_msg_meta *meta)
{
    enum mcti_kind kind = r->verb == MCT_VERB_TOOLS_CALL ? MCT_TOOL : MCT_PROMPT;
    struct mcti_buf scratch;
    struct mcti_str name;
    struct mct_error err;

    mcti_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    bool named = mcti_gw_text_param(msg, "name", MCT_LIMIT_NAME_BYTES, &scratch, &name, &err) == 0;
    const struct mcti_exposure *x = named ? mcti_view_named(r->view, kind, name, &err) : NULL;
    struct mcti_view_own *own = r->view->own;
    bool waits = named && (!x || (own && own->provider == x->provider && own->tells_all(own, x->item)));
    bool refused = named && (x ? mcti_gw_refuses(r, x, name) : mcti_gw_refuses_stranger(r, name));
    bool over =
        refused || mcti_gw_resumes(r, msg, meta) || (waits && mcti_gw_wait(r, msg, r->peer->gateway->list_wait_ms));
    if (!over && (!x || gateway_call_start_named(r, msg, meta, x, name, &err) < 0))
        mcti_gw_fail(r, &err);
    mcti_buf_done(&scratch);
}

void mcti_gw_call_named(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_msg own = *msg;
    struct mcti_buf params;
    r->view = r->peer->view;
    mcti_buf_init(&params, 2 * msg->params.len + 64);
    gateway_call_unwrap(r, &own, &params);
    gateway_call_call_named(r, &own, meta);
    mcti_buf_done(&params);
}
