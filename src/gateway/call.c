/* The way there: a request becomes a call on the server that has what it names. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

/* ---- who asks ---- */

static const struct mct_client_prefs *prefs_of(const struct gw_request *r)
{
    const struct mct_peer *p = r->peer;
    return p->ops->prefs ? p->ops->prefs(p->data, r->in.lane) : &p->prefs;
}

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
                          bool is_hooked, struct mct_error *err)
{
    struct mct_caller *c = &r->call.caller;
    c->capabilities = meta->capabilities;
    r->log_level = gw_read_level(meta->log_level);
    c->log_level = r->log_level < GW_SILENT ? mct_str_of(gw_level_json(r->log_level)) : meta->log_level;
    bool own = is_own(r, p), stateless = !own && mct_rev_is_stateless(p->info.rev);
    if ((is_hooked || !(own || stateless)) && gw_park_prepare(r, r->call.params, meta->capabilities, err) < 0)
        return -1;
    r->call.interactive = stateless && is_hooked; /* so that hooks run once, however often the server asks */
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

/* What the call was started for, beside its request. */
struct gw_start {
    struct mct_call_start base;
    const struct mct_msg *msg;
    const struct mct_msg_meta *meta;
};

static struct gw_start *start_of(struct mct_call_start *s)
{
    return MCT_CONTAINER(s, struct gw_start, base);
}

/* Whether the request goes on with a call that is parked; it has been seen to then. */
static bool resumes(struct gw_request *r, struct mct_call_start *s)
{
    if (!mct_rev_is_stateless(r->rev))
        return false;
    struct mct_msg msg = *start_of(s)->msg;
    msg.params = r->call.params; /* unwrapped */
    return gw_resumes(r, &msg, start_of(s)->meta);
}

static void note_schema(struct gw_request *r, const struct mct_exposure *x)
{
    if (!x || !mct_rev_is_stateless(x->rev) || mct_rev_is_stateless(r->rev))
        return;
    struct mct_str schema = mct_json_get(x->item->json, "outputSchema");
    free(r->output_schema);
    r->output_schema = mct_shape_wraps(schema) ? mct_str_dup(schema) : NULL;
}

static int fill(struct gw_request *r, struct mct_provider *connection, struct mct_call_start *s, struct mct_error *err)
{
    if (mct_rev_is_stateless(r->rev))
        return fill_stateless(r, connection, start_of(s)->meta, mct_call_is_hooked(&r->call, s), err);
    fill_session(r, connection);
    return 0;
}

/* Makes the call ready for this connection. */
static enum mct_pass prepare(struct gw_request *r, struct mct_provider *connection, struct mct_call_start *s,
                             struct mct_error *err)
{
    struct mct_buf *params = &s->texts->rewritten;
    if (fill(r, connection, s, err) < 0)
        return MCT_ANSWER;
    mct_buf_init(params, 2 * r->call.params.len + 64);
    int opened = mct_rev_is_stateless(connection->info.rev) ? gw_state_open(r, r->call.params, params, err) : 0;
    if (opened < 0)
        return MCT_ANSWER;
    if (opened) {
        r->call.params = mct_buf_str(params);
        r->call.meta = mct_json_get(r->call.params, "_meta");
    }
    if (r->recalls && gw_recall(r, start_of(s)->msg))
        return MCT_HOLD;
    r->call.provider = connection;
    return MCT_PASS;
}

static enum mct_pass on_connect(struct mct_call *call, struct mct_call_start *s, struct mct_error *err)
{
    struct gw_request *r = gw_of(call);
    note_schema(r, s->found);
    if (s->provider->by_capabilities && mct_rev_is_stateless(r->rev)) /* they may decide about the connection */
        mct_capabilities_read(start_of(s)->meta->capabilities, &r->can);
    struct mct_provider *connection = gw_connection(r, s->provider, err);
    if (!connection)
        return MCT_ANSWER;
    r->connection = connection;
    if (!r->branch || connection->settled)
        return prepare(r, connection, s, err);
    gw_wait_for_branch(r, start_of(s)->msg, 0);
    return MCT_HOLD;
}

/* The client may have come back to a call that is parked; servers that are still starting may have the tool, or more to
 * tell of. */
static bool on_waits(struct mct_call *call, struct mct_call_start *s)
{
    struct gw_request *r = gw_of(call);
    struct mct_view_own *own = s->view->own;
    bool waits = !s->found || (own && own->provider == s->found->provider && own->tells_all(own, s->found->item));
    return resumes(r, s) || (waits && gw_wait(r, start_of(s)->msg, r->peer->gateway->list_wait_ms));
}

/* Starts the call that `s` names, with the callbacks of the gateway. */
static int start(struct gw_request *r, struct gw_start *s, const struct mct_json_set *subject, struct mct_error *err)
{
    bool stateless = mct_rev_is_stateless(r->rev);
    struct mct_call *call = &r->call;
    *call = (struct mct_call){ .done = gw_answer, .progress = on_progress, .log = gw_on_log, .hang_up = on_hang_up };
    call->verb = r->verb;
    call->params = s->msg->params;
    call->meta = s->meta->meta;
    call->subject = *subject;
    call->caller = (struct mct_caller){ .rev = r->rev, .client_info = s->meta->client_info };
    call->authority = r->principal->authority;
    call->events = r->peer->gateway->events;
    call->principal = gw_principal(r);
    call->client = mct_str_of(r->peer->client);
    r->charge.bytes = r->held;
    r->charge.payer = r->payer;
    r->charge.rule = &r->peer->gateway->memory.rules[MCT_LEVEL_SERVER];
    s->base.policy = &r->peer->gateway->policy;
    s->base.prefs = prefs_of(r);
    s->base.charge = &r->charge;
    s->base.hooks = r->peer->gateway->hooks;
    s->base.approver = stateless ? &r->can : &r->peer->can;
    s->base.session = stateless ? 0 : r->peer->number;
    s->base.waits = on_waits;
    s->base.connect = on_connect;
    return mct_call_start(call, &s->base, err);
}

int gw_start(struct gw_request *r, struct mct_provider *p, const struct mct_msg *msg, const struct mct_msg_meta *meta,
             const struct mct_json_set *subject, struct mct_error *err)
{
    return start(r, &(struct gw_start){ { .provider = p }, msg, meta }, subject, err);
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

void gw_call_named(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    struct gw_start s = { { .view = r->peer->view }, msg, meta };
    struct mct_buf scratch;
    struct mct_error err;
    mct_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    int named = gw_text_param(msg, "name", MCT_LIMIT_NAME_BYTES, &scratch, &s.base.name, &err);
    if (named < 0 ? !gw_resumes(r, msg, meta) : start(r, &s, &(struct mct_json_set){ 0 }, &err) < 0)
        gw_fail(r, &err);
    mct_buf_done(&scratch);
}
