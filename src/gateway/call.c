/* Starts the call that a request stands for, on the server that has the named item. */
#include "gateway/call.h"

#include "gateway/answer.h"
#include "gateway/apps.h"
#include "gateway/branch.h"
#include "gateway/foreign.h"
#include "gateway/log.h"
#include "gateway/tasks.h"
#include "gateway/park.h"
#include "gateway/read.h"
#include "gateway/state.h"

#include "base/limits.h"
#include "mcp/apps/ui.h"

#include <stdlib.h>

/* ---- the caller ---- */

/* Fills the call of a handshake client from its session. */
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

/* Fills the call of a 2026-07-28 client from the request itself. */
static int fill_stateless(struct mcti_gw_request *r, const struct mcti_provider *p, const struct mcti_msg_meta *meta,
                          bool is_hooked, struct mct_error *err)
{
    struct mcti_caller *c = &r->call.caller;
    c->capabilities = meta->capabilities;
    r->varies = r->verb == MCT_VERB_FOREIGN || mcti_extensions_bring_results(meta->capabilities);
    r->log_level = mcti_gw_read_level(meta->log_level);
    c->log_level = r->log_level < GW_SILENT ? mcti_str_of(mcti_gw_level_json(r->log_level)) : meta->log_level;
    bool own = gateway_call_is_own(r, p), stateless = !own && !p->asks && mcti_rev_is_stateless(p->info.rev);
    if ((is_hooked || !(own || stateless)) && mcti_gw_park_prepare(r, r->call.params, meta->capabilities, err) < 0)
        return -1;
    r->call.interactive = stateless && is_hooked; /* so that hooks run once for all rounds of the call */
    if (stateless) {
        r->can.lacks = NULL; /* the server knows the client's capabilities */
        return 0;            /* without hooks its questions are relayed */
    }
    if (own) { /* sends requests on behalf of the call, over the client's connections; their servers ask no questions */
        mcti_capabilities_read(meta->capabilities, &r->can);
        r->call.answerer = NULL;
        if (r->log_level == GW_SILENT)
            c->log_level = MCT_STR_NONE; /* these requests are sent later, when the text of an unknown level is freed */
    }
    mcti_gw_want_level(r->peer->gateway, r->log_level); /* before the call, so that the server gets the level first */
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
    if (mcti_gw_park_notify(r, "notifications/progress", params) == GO_ON)
        mcti_gw_progress(r, params);
}

static void gateway_call_on_hang_up(struct mcti_call *call)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    if (r->peer->ops->close_stream && r->in.session)
        r->peer->ops->close_stream(r->peer->data, r->in.lane);
}

/* A call that is being started, with the message of its request. */
struct mcti_gw_start {
    struct mcti_call_start base;
    const struct mcti_msg *msg;
    const struct mcti_msg_meta *meta;
};

static struct mcti_gw_start *start_of(struct mcti_call_start *s)
{
    return MCT_CONTAINER(s, struct mcti_gw_start, base);
}

/* Resumes the parked call that the request names. Returns GO_ON if it names none. */
static enum mcti_gw_step call_resume(struct mcti_gw_request *r, struct mcti_call_start *s)
{
    if (!mcti_rev_is_stateless(r->rev))
        return GO_ON;
    const struct mcti_gw_start *start = start_of(s);
    if (start->msg->params.p == r->call.params.p)
        return mcti_gw_resume(r, start->msg, start->meta);
    const struct mcti_msg unwrapped = mcti_msg_with_params(start->msg, r->call.params);
    return mcti_gw_resume(r, &unwrapped, start->meta);
}

static void note_schema(struct mcti_gw_request *r, const struct mcti_exposure *x)
{
    if (!x || !mcti_rev_is_stateless(x->rev) || mcti_rev_is_stateless(r->rev))
        return;
    struct mcti_str schema = mcti_json_get(mcti_item_json(x->item), "outputSchema");
    free(r->output_schema);
    r->output_schema = mcti_shape_wraps(schema) ? mcti_str_dup(schema) : NULL;
}

static int call_fill(struct mcti_gw_request *r, struct mcti_provider *connection, struct mcti_call_start *s,
                     struct mct_error *err)
{
    bool asks = !mcti_verb_is_task(r->verb); /* the call may come back with questions before it has a result */
    if (mcti_rev_is_stateless(r->rev))
        return fill_stateless(r, connection, start_of(s)->meta, asks && mcti_call_is_hooked(&r->call, s), err);
    fill_session(r, connection);
    return 0;
}

/* Prepares the call for this connection. */
static enum mcti_pass call_prepare(struct mcti_gw_request *r, struct mcti_provider *connection,
                                   struct mcti_call_start *s, struct mct_error *err)
{
    struct mcti_buf *params = &s->texts->rewritten;
    if (call_fill(r, connection, s, err) < 0 ||
        mcti_gw_task_prepare(r, connection, s, start_of(s)->meta->capabilities, err) < 0)
        return MCT_ANSWER;
    mcti_buf_init(params, 2 * r->call.params.len + 64);
    int opened = mcti_rev_is_stateless(connection->info.rev) ? mcti_gw_state_open(r, r->call.params, params, err) : 0;
    if (opened < 0)
        return MCT_ANSWER;
    if (opened) {
        r->call.params = mcti_buf_str(params);
        r->call.meta = mcti_json_get(r->call.params, "_meta");
    }
    if (r->recalls && mcti_gw_recall(r, start_of(s)->msg) == TAKEN)
        return MCT_HOLD;
    r->call.provider = connection;
    return MCT_PASS;
}

static enum mcti_pass on_connect(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    note_schema(r, s->found);
    if (s->found && (s->found->item->ui & MCT_UI_LINKED))
        mcti_gw_note_app(r, s->provider);
    if (s->provider->by_capabilities && mcti_rev_is_stateless(r->rev)) { /* they may select the connection */
        mcti_capabilities_read(start_of(s)->meta->capabilities, &r->can);
        r->can.open = start_of(s)->meta->capabilities;
    }
    struct mcti_provider *connection = mcti_gw_connection(r, s->provider, err);
    r->can.open = MCT_STR_NONE; /* the message may be gone when it is needed again */
    if (!connection)
        return MCT_ANSWER;
    r->connection = connection;
    if (!r->branch || connection->settled)
        return call_prepare(r, connection, s, err);
    mcti_gw_wait_for_branch(r, start_of(s)->msg, 0);
    return MCT_HOLD;
}

/* Takes a call that resumes a parked one, or that servers still starting may have the tool for. */
static bool gateway_call_on_take(struct mcti_call *call, struct mcti_call_start *s)
{
    struct mcti_gw_request *r = mcti_gw_of(call);
    struct mcti_view_own *own = s->view->own;
    bool waits = !s->found || (own && own->provider == s->found->provider && own->lists_all(own, s->found->item));
    return call_resume(r, s) == TAKEN ||
           (waits && mcti_gw_wait(r, start_of(s)->msg, r->peer->gateway->list_wait_ms) == TAKEN);
}

/* Starts the call that `s` names, with the callbacks of the gateway. */
static int call_start(struct mcti_gw_request *r, struct mcti_gw_start *s, const struct mcti_json_set *subject,
                      struct mct_error *err)
{
    bool stateless = mcti_rev_is_stateless(r->rev);
    struct mcti_call *call = &r->call;
    *call = (struct mcti_call){ .done = mcti_gw_answer,
                                .progress = r->in.progress_token ? gateway_call_on_progress : NULL,
                                .log = mcti_gw_on_log,
                                .completed = mcti_gw_task_on_completed,
                                .notified = mcti_gw_on_notified,
                                .hang_up = gateway_call_on_hang_up };
    call->timeout_ms = r->peer->call_timeout_ms;
    call->verb = r->verb;
    call->method = r->method;
    call->params = s->msg->params;
    call->chunk = s->msg->chunk;
    call->meta = s->meta->meta;
    call->subject = *subject;
    call->caller = (struct mcti_caller){ .rev = r->rev,
                                         .client_info = s->meta->client_info,
                                         .extensions = mcti_gw_extensions(r->peer->view) };
    call->authority = r->principal->authority;
    call->events = r->peer->gateway->events;
    call->principal = gw_principal(r);
    call->client = mcti_str_of(r->peer->client);
    call->session = stateless ? 0 : r->peer->number;
    call->span = r->span;
    call->session_info = stateless ? MCT_STR_NONE : mcti_str_of(r->peer->client_info);
    r->charge.bytes = r->held;
    r->charge.payer = r->payer;
    r->charge.rule = &r->peer->gateway->memory.rules[MCT_LEVEL_SERVER];
    s->base.policy = &r->peer->gateway->policy;
    s->base.prefs = mcti_gw_prefs(r->peer, r->in.lane);
    s->base.charge = &r->charge;
    s->base.hooks = r->peer->gateway->hooks;
    s->base.results = r->peer->is_command ? NULL : r->peer->gateway->results; /* a person's call is not cut */
    s->base.approver = stateless ? &r->can : &r->peer->can;
    s->base.session = stateless ? 0 : r->peer->number;
    s->base.take = gateway_call_on_take;
    s->base.connect = on_connect;
    if (!stateless) {
        r->peer->n_calls++;
        mcti_gw_note_client(r->peer);
    }
    return mcti_call_start(call, &s->base, err);
}

int mcti_gw_start(struct mcti_gw_request *r, struct mcti_provider *p, const struct mcti_msg *msg,
                  const struct mcti_msg_meta *meta, const struct mcti_json_set *subject, struct mct_error *err)
{
    return call_start(r, &(struct mcti_gw_start){ { .provider = p }, msg, meta }, subject, err);
}

int mcti_gw_start_found(struct mcti_gw_request *r, const struct mcti_gw_found *found,
                        const struct mcti_json_set *subject, struct mct_error *err)
{
    const struct mcti_call_start base = {
        .view = found->view, .name = found->exposure->name, .found = found->exposure, .is_looked_up = true
    };
    return call_start(r, &(struct mcti_gw_start){ base, found->msg, found->meta }, subject, err);
}

/* ---- parameters ---- */

enum mcti_gw_step mcti_gw_resume(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                 const struct mcti_msg_meta *meta)
{
    struct mct_error err;
    int result = mcti_rev_is_stateless(r->rev) ? mcti_gw_park_resume(r, msg, meta, &err) : 0;
    if (result < 0)
        mcti_gw_fail(r, &err);
    return result ? TAKEN : GO_ON;
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

void mcti_gw_call_named(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_gw_start s = { { .view = r->peer->view }, msg, meta };
    struct mcti_buf scratch;
    struct mct_error err;
    if (mcti_gw_own_task_begin(r, msg, meta) == TAKEN)
        return;
    mcti_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    int named = mcti_gw_text_param(msg, "name", MCT_LIMIT_NAME_BYTES, &scratch, &s.base.name, &err);
    s.base.found = named == 0 && r->verb == MCT_VERB_TOOLS_CALL ? mcti_gw_app_tool(r, s.base.name) : NULL;
    s.base.is_looked_up = s.base.found != NULL;
    if (named < 0 ? mcti_gw_resume(r, msg, meta) == GO_ON : call_start(r, &s, &(struct mcti_json_set){ 0 }, &err) < 0)
        mcti_gw_fail(r, &err);
    mcti_buf_done(&scratch);
}
