/* The way there: a request becomes a call on the server that has what it names. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

/* ---- who asks ---- */

/* A handshake client: what it said at initialize, and asked for since. */
static void fill_session(struct gw_request *r, const struct mct_provider *connection)
{
    struct mct_caller *c = &r->call.caller;
    r->call.owner = r->peer;
    r->call.answerer = &r->peer->can;
    r->call.interactive = mct_rev_is_stateless(connection->info.rev);
    c->capabilities = mct_str_of(r->peer->capabilities);
    if (r->peer->level >= 0)
        c->log_level = mct_str_of(gw_level_json(r->peer->level));
}

static bool is_own(const struct gw_request *r, const struct mct_provider *p)
{
    const struct mct_view_own *own = r->peer->view->own;
    return own && own->provider == p;
}

/* A 2026-07-28 client: what the request itself says. */
static int fill_stateless(struct gw_request *r, const struct mct_provider *p, const struct mct_msg_meta *meta,
                          struct mct_error *err)
{
    struct mct_caller *c = &r->call.caller;
    c->capabilities = meta->capabilities;
    r->log_level = gw_read_level(meta->log_level);
    c->log_level = r->log_level < GW_SILENT ? mct_str_of(gw_level_json(r->log_level)) : meta->log_level;
    bool own = is_own(r, p), stateless = !own && mct_rev_is_stateless(p->info.rev);
    if ((r->hooks || !(own || stateless)) && gw_park_prepare(r, r->call.params, meta->capabilities, err) < 0)
        return -1;
    r->call.interactive = stateless && r->hooks; /* so that hooks run once, however often the server asks */
    if (stateless) {
        r->can.lacks = NULL; /* the server has been told what it may ask */
        return 0;            /* without hooks its questions are passed on as they are */
    }
    if (own) { /* which asks others on its behalf, over the connections it would use itself, and they ask nobody */
        mct_capabilities_read(meta->capabilities, &r->can);
        r->call.answerer = NULL;
        if (r->log_level == GW_SILENT)
            c->log_level = MCT_STR_NONE; /* those calls are made later, when an unknown word is not there any more */
    }
    gw_want_level(r->peer->gateway, r->log_level); /* before the call, so that the server hears it first */
    return 0;
}

void gw_progress(struct gw_request *r, struct mct_str params)
{
    struct mct_buf b;
    if (!r->in.progress_token)
        return;
    mct_buf_init(&b, params.len + MCT_LIMIT_ID_BYTES + 64);
    mct_shape_progress(&b, params, (struct mct_str){ r->in.progress_token, r->in.progress_token_len }, r->rev);
    mct_inbound_notify(&r->in, "notifications/progress", mct_buf_str(&b));
    mct_buf_done(&b);
}

static void on_progress(struct mct_call *call, struct mct_str params)
{
    struct gw_request *r = gw_of(call);
    if (!gw_park_notify(r, "notifications/progress", params))
        gw_progress(r, params);
}

static void on_hang_up(struct mct_call *call)
{
    struct gw_request *r = gw_of(call);
    if (r->peer->ops->close_stream && r->in.session)
        r->peer->ops->close_stream(r->peer->data, r->in.lane);
}

/* What calls to one server hold is bounded, so that others are served while it is slow. */
static int charge_server(struct gw_request *r, struct mct_provider *p, struct mct_error *err)
{
    if (r->server)
        mct_account_put(r->server, MCT_HELD_CALL, &r->held_by_server, 0);
    r->server = gw_server_account(r->peer->gateway, p);
    struct mct_account *over = mct_account_set(r->server, MCT_HELD_CALL, &r->held_by_server, r->held);
    if (!over)
        return 0;
    mct_account_count_refusal(r->payer, MCT_HELD_CALL);
    return mct_fail(err, MCT_ERR_LIMIT, "server '%s': %s", p->name, over->rule->refusal);
}

static int start_on(struct gw_request *r, struct mct_provider *connection, const struct mct_msg *msg,
                    const struct mct_msg_meta *meta, const struct mct_json_set *subject, struct mct_error *err)
{
    struct mct_buf params;
    r->call = (struct mct_call){
        .verb = r->verb,
        .params = msg->params,
        .meta = meta->meta,
        .subject = *subject,
        .caller = { .rev = r->rev, .client_info = meta->client_info },
        .authority = r->principal->authority,
        .events = r->peer->gateway->events,
        .principal = gw_principal(r),
        .client = mct_str_of(r->peer->client),
        .hooks = r->hooks,
        .done = gw_answer,
        .progress = on_progress,
        .log = gw_on_log,
        .hang_up = on_hang_up,
    };
    if (!mct_rev_is_stateless(r->rev))
        fill_session(r, connection);
    else if (fill_stateless(r, connection, meta, err) < 0)
        return -1;
    mct_buf_init(&params, 2 * msg->params.len + 64);
    int result = mct_rev_is_stateless(connection->info.rev) ? gw_state_open(r, msg->params, &params, err) : 0;
    if (result > 0) {
        r->call.params = mct_buf_str(&params);
        r->call.meta = mct_json_get(r->call.params, "_meta");
    }
    if (result >= 0 && !(r->recalls && gw_recall(r, msg)))
        result = charge_server(r, connection, err) < 0 ? -1 : mct_provider_call(connection, &r->call, err);
    mct_buf_done(&params);
    return result < 0 ? -1 : 0;
}

int gw_start(struct gw_request *r, struct mct_provider *p, const struct mct_msg *msg, const struct mct_msg_meta *meta,
             const struct mct_json_set *subject, struct mct_error *err)
{
    if (p->by_capabilities && mct_rev_is_stateless(r->rev))
        mct_capabilities_read(meta->capabilities, &r->can); /* they may decide over which connection its calls go */
    struct mct_provider *connection = gw_connection(r, p, err);
    if (!connection)
        return -1;
    r->connection = connection;
    if (!r->branch || connection->settled)
        return start_on(r, connection, msg, meta, subject, err);
    gw_wait_for_branch(r, msg, 0);
    return 0;
}

/* ---- what it names ---- */

bool gw_resumes(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_error err;
    int result = mct_rev_is_stateless(r->rev) ? gw_park_resume(r, msg, meta, &err) : 0;
    if (result < 0)
        gw_fail(r, &err);
    return result != 0;
}

int gw_text_param(const struct mct_msg *msg, const char *name, size_t max, struct mct_buf *scratch,
                      struct mct_str *ret, struct mct_error *err)
{
    struct mct_str v;
    if (mct_msg_param(msg, name, &v, err) < 0)
        return -1;
    if (v.len <= max && mct_json_plain(v, ret))
        return 0;
    if (mct_msg_param_text(msg, name, max, scratch, err) < 0)
        return -1;
    *ret = mct_buf_str(scratch);
    return 0;
}

static void note_schema(struct gw_request *r, struct mct_str schema)
{
    free(r->output_schema);
    r->output_schema = mct_shape_wraps(schema) ? mct_str_dup(schema) : NULL;
}

static int start_named(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta,
                       const struct mct_exposure *x, struct mct_str sent_name, struct mct_error *err)
{
    struct mct_hook_target hooks;
    bool same = mct_str_eq(sent_name, x->item->id), stateless = mct_rev_is_stateless(r->rev);
    const struct mct_json_set name = { "name", same ? MCT_STR_NONE : mct_json_get(x->item->json, "name") };
    if (mct_rev_is_stateless(x->rev) && !stateless)
        note_schema(r, mct_json_get(x->item->json, "outputSchema"));
    r->hooks = NULL;
    if (r->verb == MCT_VERB_TOOLS_CALL && mct_hook_target(r->peer->gateway->hooks, r->view, x, &hooks)) {
        hooks.approver = stateless ? &r->can : &r->peer->can;
        hooks.session = stateless ? 0 : r->peer->number;
        r->hooks = &hooks;
    }
    return gw_start(r, x->provider, msg, meta, &name, err);
}

/* A call that stands for the call of another tool becomes that. The params are written to `params`. */
static void unwrap(struct gw_request *r, struct mct_msg *msg, struct mct_buf *params)
{
    struct mct_view_own *own = r->view->own;
    struct mct_str name, inner = MCT_STR_NONE, args = MCT_STR_NONE;
    if (!own || r->verb != MCT_VERB_TOOLS_CALL || !mct_json_plain(mct_json_get(msg->params, "name"), &name))
        return;
    const struct mct_exposure *x = mct_view_named(r->view, MCT_TOOL, name, NULL);
    struct mct_view *view = x && x->provider == own->provider
                                ? own->unwrap(own, x->item, mct_json_get(msg->params, "arguments"), &inner, &args) : NULL;
    if (!view)
        return;
    const struct mct_json_set sets[] = { { "name", inner }, { "arguments", args } };
    mct_json_put_object(params, msg->params, sets, 2);
    if (!mct_buf_ok(params))
        return;
    msg->params = mct_buf_str(params);
    r->view = view;
}

static void call_named(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    enum mct_kind kind = r->verb == MCT_VERB_TOOLS_CALL ? MCT_TOOL : MCT_PROMPT;
    struct mct_buf scratch;
    struct mct_str name;
    struct mct_error err;

    mct_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    bool named = gw_text_param(msg, "name", MCT_LIMIT_NAME_BYTES, &scratch, &name, &err) == 0;
    const struct mct_exposure *x = named ? mct_view_named(r->view, kind, name, &err) : NULL;
    struct mct_view_own *own = r->view->own;
    bool waits = named && (!x || (own && own->provider == x->provider && own->tells_all(own, x->item)));
    bool refused = named && (x ? gw_refuses(r, x, name) : gw_refuses_stranger(r, name));
    bool over = refused || gw_resumes(r, msg, meta) || (waits && gw_wait(r, msg, r->peer->gateway->list_wait_ms));
    if (!over && (!x || start_named(r, msg, meta, x, name, &err) < 0))
        gw_fail(r, &err);
    mct_buf_done(&scratch);
}

void gw_call_named(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct mct_msg own = *msg;
    struct mct_buf params;
    r->view = r->peer->view;
    mct_buf_init(&params, 2 * msg->params.len + 64);
    unwrap(r, &own, &params);
    call_named(r, &own, meta);
    mct_buf_done(&params);
}
