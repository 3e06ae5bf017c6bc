/* Requests of clients: creates them, lets them wait for servers, and dispatches them to the handler of the method. */
#include "gateway/answer.h"
#include "gateway/ask.h"
#include "gateway/call.h"
#include "gateway/foreign.h"
#include "gateway/list.h"
#include "gateway/listen.h"
#include "gateway/local.h"
#include "gateway/log.h"
#include "gateway/tasks.h"
#include "gateway/park.h"
#include "gateway/read.h"
#include "gateway/subscribe.h"
#include "gateway/trace.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALL_COPIES = 3, ROOMS = 16 };

static const struct {
    mcti_gw_handler fn;
    bool needs_lists; /* the request waits for servers that are still starting */
    bool is_call;     /* it makes a server work */
} handlers[MCT_VERB_N] = {
    [MCT_VERB_INITIALIZE] = { mcti_gw_initialize, false },
    [MCT_VERB_DISCOVER] = { mcti_gw_discover, false },
    [MCT_VERB_PING] = { mcti_gw_ping, false },
    [MCT_VERB_TOOLS_LIST] = { mcti_gw_list, true },
    [MCT_VERB_RESOURCES_LIST] = { mcti_gw_list, true },
    [MCT_VERB_TEMPLATES_LIST] = { mcti_gw_list, true },
    [MCT_VERB_PROMPTS_LIST] = { mcti_gw_list, true },
    [MCT_VERB_TOOLS_CALL] = { mcti_gw_call_named, false, true }, /* waits only if the name is unknown */
    [MCT_VERB_PROMPTS_GET] = { mcti_gw_call_named, false, true },
    [MCT_VERB_RESOURCES_READ] = { mcti_gw_read, true, true },
    [MCT_VERB_COMPLETE] = { mcti_gw_complete, true, true },
    [MCT_VERB_SET_LEVEL] = { mcti_gw_set_level, false },
    [MCT_VERB_SUBSCRIBE] = { mcti_gw_subscribe, true, true },
    [MCT_VERB_UNSUBSCRIBE] = { mcti_gw_unsubscribe, false },
    [MCT_VERB_LISTEN] = { mcti_gw_listen, true, true },
    [MCT_VERB_TASKS_GET] = { mcti_gw_task, true }, /* clients poll: it is counted like a list */
    [MCT_VERB_TASKS_UPDATE] = { mcti_gw_task, true, true },
    [MCT_VERB_TASKS_CANCEL] = { mcti_gw_task, true },
    [MCT_VERB_TASKS_RESULT] = { mcti_gw_task, true },
    [MCT_VERB_TASKS_LIST] = { mcti_gw_task, true },
    [MCT_VERB_FOREIGN] = { mcti_gw_foreign, true, true },
};

/* ---- requests ---- */

static void gateway_request_on_greeted(struct mcti_peer *p);

void mcti_gw_request_free(struct mcti_gw_request *r)
{
    struct mcti_peer *greeted = r->peer->greeting == r ? r->peer : NULL;
    mcti_call_cancel(&r->call, NULL);
    mcti_gw_trace_end(r, &(struct mcti_span_end){ .is_error = false });
    mcti_gw_park_free(r);
    mcti_gw_task_free(r->task);
    mcti_gw_watch_free(r->watch);
    mcti_branch_unuse(r->branch);
    mcti_cache_place_free(r->place);
    mcti_gw_subs_clear(&r->subs);
    mcti_gw_subs_release(r);
    r->principal->n_listens -= r->listens;
    mcti_account_put(r->payer, MCT_HELD_CALL, &r->held, 0);
    mcti_charge_release(&r->charge);
    mcti_settle_stop(&r->wait);
    mcti_inbound_drop(&r->in);
    mcti_list_remove(&r->listen);
    mcti_list_remove(&r->behind);
    free(r->candidates);
    free(r->page);
    free(r->output_schema);
    free(r->method);
    free(r->uri);
    free(r->kept);
    mcti_lease_end(&r->lease);
    free(r);
    if (greeted)
        gateway_request_on_greeted(greeted);
}

enum mcti_gw_step mcti_gw_keep(struct mcti_gw_request *r, const struct mcti_msg *msg)
{
    struct mct_error err;
    if (r->kept)
        return GO_ON;
    r->kept = mcti_str_dup(msg->text);
    r->kept_len = msg->text.len;
    if (r->kept)
        return GO_ON;
    mcti_no_memory(&err);
    mcti_gw_fail(r, &err);
    return TAKEN;
}

static void gateway_request_on_inbound_cancelled(struct mcti_inbound *in)
{
    struct mcti_gw_request *r = MCT_CONTAINER(in, struct mcti_gw_request, in);
    const char *reason = r->peer->leaving ? "the client disconnected" : "the client cancelled the request";
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_CANCELLED, "%s", reason);
    mcti_call_cancel(&r->call, reason);
    mcti_gw_trace_end(r, &(struct mcti_span_end){ .failed = &why });
    mcti_gw_request_free(r);
}

int mcti_fail_version(struct mcti_str version, struct mcti_buf *ret_data, struct mct_error *err)
{
    mcti_fail(err, MCT_ERR_PROTOCOL, "protocol version %.*s is not supported", MCT_STR_ARG(version));
    err->code = MCT_RPC_UNSUPPORTED_VERSION;
    mcti_buf_addz(ret_data, "{\"supported\":");
    mcti_rev_put_stateless(ret_data);
    mcti_json_put_member(ret_data, "requested", version);
    mcti_buf_addc(ret_data, '}');
    return -1;
}

int mcti_stateless_check(const struct mcti_msg_meta *meta, struct mcti_buf *ret_data, struct mct_error *err)
{
    struct mcti_str version = MCT_STR_NONE;
    if (!mcti_json_plain(meta->version, &version))
        return mcti_fail(err, MCT_ERR_USAGE, "\"_meta\" must have \"" MCT_META_VERSION "\"");
    if (!mcti_rev_is_stateless(mcti_rev_find(version)))
        return mcti_fail_version(version, ret_data, err);
    if (mcti_json_type(meta->capabilities) != '{')
        return mcti_fail(err, MCT_ERR_USAGE, "\"_meta\" must have the object \"" MCT_META_CAPABILITIES "\"");
    return 0;
}

/* Reads `_meta` of the message and sets *ret_rev to the revision of the request. */
static int read_envelope(struct mcti_peer *p, const struct mcti_msg *msg, struct mcti_msg_meta *meta,
                         enum mcti_rev *ret_rev, struct mcti_buf *data, struct mct_error *err)
{
    if (mcti_msg_read_meta(msg, meta, err) < 0)
        return -1;
    enum mcti_era era = p->gateway->era;
    struct mcti_str asked = MCT_STR_NONE;
    *ret_rev = p->session.rev ? p->session.rev : MCT_REV_LATEST_HANDSHAKE;
    if (p->of_task || era == MCT_ERA_HANDSHAKE || (era == MCT_ERA_AUTO && !meta->version.p))
        return 0;
    if (!meta->version.p && mcti_json_plain(mcti_json_get(msg->params, "protocolVersion"), &asked)) /* initialize */
        return mcti_fail_version(asked, data, err);
    *ret_rev = MCT_REV_LATEST;
    return mcti_stateless_check(meta, data, err);
}

/* Returns whether the gateway has the method in this revision. It answers server/discover in the handshake revisions as
 * well, unless it is configured for these only. */
static bool gateway_request_serves(const struct mcti_gateway *g, enum mcti_verb verb, enum mcti_rev rev)
{
    return verb && mcti_method_in(verb, rev) && (g->era != MCT_ERA_HANDSHAKE || verb != MCT_VERB_DISCOVER);
}

static void gateway_request_dispatch(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                     const struct mcti_msg_meta *meta)
{
    handlers[r->verb].fn(r, msg, meta);
}

/* Dispatches the kept message again: the servers have started or the time is over. */
static void gateway_request_on_settled(struct mcti_settle *w)
{
    struct mcti_gw_request *r = MCT_CONTAINER(w, struct mcti_gw_request, wait);
    struct mcti_msg msg;
    struct mcti_msg_meta meta;
    struct mct_error err;
    if (mcti_msg_parse((struct mcti_str){ r->kept, r->kept_len }, &msg, &err) < 0 ||
        mcti_msg_read_meta(&msg, &meta, &err) < 0)
        mcti_gw_fail(r, &err);
    else
        gateway_request_dispatch(r, &msg, &meta);
}

enum mcti_gw_step mcti_gw_wait(struct mcti_gw_request *r, const struct mcti_msg *msg, unsigned max_ms)
{
    struct mcti_gateway *g = r->peer->gateway;
    if (r->kept || !max_ms || mcti_registry_settled(g->registry))
        return GO_ON;
    mcti_gw_wait_until(r, msg, NULL, max_ms);
    return TAKEN;
}

void mcti_gw_wait_until(struct mcti_gw_request *r, const struct mcti_msg *msg,
                        bool (*enough)(const struct mcti_settle *w), unsigned max_ms)
{
    if (mcti_gw_keep(r, msg) == TAKEN)
        return;
    r->wait.done = gateway_request_on_settled;
    r->wait.enough = enough;
    mcti_registry_wait(r->peer->gateway->registry, &r->wait, max_ms);
}

void mcti_gw_wait_for_branch(struct mcti_gw_request *r, const struct mcti_msg *msg, unsigned max_ms)
{
    if (mcti_gw_keep(r, msg) == TAKEN)
        return;
    r->first = r->next ? r->next - 1 : 0; /* resources/read: skips the candidates tried before */
    r->wait.done = gateway_request_on_settled;
    mcti_branch_wait(r->branch, &r->wait, max_ms);
}

/* Returns whether the answer waits for servers. A list of tools that depends on no server does not: some clients give
 * up after a short time. */
static bool needs_lists(const struct mcti_peer *p, enum mcti_verb verb)
{
    const struct mcti_view_own *own = p->view->own;
    return handlers[verb].needs_lists && !(verb == MCT_VERB_TOOLS_LIST && own && own->alone && !own->follows);
}

/* Returns the bytes to charge for a request, with the copies made on the way to the server. */
static size_t gateway_request_weight(const struct mcti_msg *msg)
{
    return sizeof(struct mcti_gw_request) + CALL_COPIES * msg->text.len;
}

/* Charges `n` bytes to `payer` and returns NULL; returns the account that is over its limit if no room can be made in
 * it. */
static struct mcti_account *gateway_request_charge(struct mcti_gateway *g, const struct mcti_principal *who,
                                                   struct mcti_account *payer, size_t n)
{
    struct mcti_account *over;
    for (int i = 0; (over = mcti_account_over(payer, n, 0)); i++)
        if (i == ROOMS || (over == payer && over != &who->account) || !g->make_room ||
            !g->make_room(g->make_room_data, &who->account, over)) {
            mcti_account_count_refusal(payer, MCT_HELD_CALL);
            return over;
        }
    mcti_account_add(payer, MCT_HELD_CALL, n);
    return NULL;
}

/* Counts a request against the rates of all clients and of its own. Calls are counted apart from lists and the like. */
static int gateway_request_pay(struct mcti_gateway *g, struct mcti_principal *who, enum mcti_verb verb,
                               struct mct_error *err)
{
    uint64_t now_ms = mcti_sched_now(g->sched);
    bool is_call = handlers[verb].is_call;
    char whose[96];
    if (!who->rates.rule.per_minute && !g->rates.rule.per_minute)
        return 0;
    snprintf(whose, sizeof whose, "the client '%.*s'", MCT_STR_ARG(who->name));
    if (mcti_rates_pay(&who->rates, is_call, now_ms, whose, err) < 0)
        return -1;
    return mcti_rates_pay(&g->rates, is_call, now_ms, "the gateway", err);
}

/* Creates a request. It is charged to its session, or without one to its principal. */
static struct mcti_gw_request *request_new(struct mcti_peer *p, const struct mcti_msg *msg, enum mcti_verb verb,
                                           enum mcti_rev rev, void *lane, struct mct_error *err)
{
    struct mcti_principal *who = p->ops->principal ? p->ops->principal(p->data, lane) : &p->gateway->local;
    if (!p->is_inner && gateway_request_pay(p->gateway, who, verb, err) < 0)
        return NULL;
    struct mcti_account *payer = mcti_rev_is_stateless(rev) ? &who->account : &p->account;
    struct mcti_account *over = gateway_request_charge(p->gateway, who, payer, gateway_request_weight(msg));
    struct mcti_gw_request *r = over ? NULL : calloc(1, sizeof *r);
    if (over)
        mcti_fail(err, MCT_ERR_LIMIT, "%s", over->rule->refusal);
    else if (!r)
        mcti_no_memory(err);
    if (!r && !over)
        mcti_account_release(payer, MCT_HELD_CALL, gateway_request_weight(msg));
    if (!r)
        return NULL;
    *r = (struct mcti_gw_request){ .peer = p,
                                   .principal = who,
                                   .payer = payer,
                                   .verb = verb,
                                   .held = gateway_request_weight(msg),
                                   .rev = rev,
                                   .log_level = GW_SILENT };
    r->in.cancelled = gateway_request_on_inbound_cancelled;
    mcti_list_init(&r->listen);
    mcti_list_init(&r->subs.list);
    mcti_list_init(&r->behind);
    return r;
}

static void gateway_request_begin(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                  const struct mcti_msg_meta *meta)
{
    const struct mcti_gateway *g = r->peer->gateway;
    if (!needs_lists(r->peer, r->verb) ||
        mcti_gw_wait(r, msg, mcti_registry_hold_ms(g->registry, g->list_wait_ms)) == GO_ON)
        gateway_request_dispatch(r, msg, meta);
}

/* Begins a request that the client sent before it had the answer to initialize. */
static void begin_behind(struct mcti_gw_request *r)
{
    char *text = r->kept;
    struct mcti_msg msg;
    struct mcti_msg_meta meta;
    struct mct_error err;
    r->kept = NULL; /* the request may still wait for servers */
    mcti_list_remove(&r->behind);
    if (mcti_msg_parse((struct mcti_str){ text, r->kept_len }, &msg, &err) < 0 ||
        mcti_msg_read_meta(&msg, &meta, &err) < 0)
        mcti_gw_fail(r, &err);
    else
        gateway_request_begin(r, &msg, &meta);
    free(text);
}

static void gateway_request_on_greeted(struct mcti_peer *p)
{
    p->greeting = NULL;
    if (p->leaving)
        return;
    mcti_gw_ask_held(p);
    while (!mcti_list_empty(&p->behind))
        begin_behind(MCT_CONTAINER(p->behind.next, struct mcti_gw_request, behind));
}

static bool comes_early(const struct mcti_gw_request *r)
{
    return r->peer->greeting && r->verb != MCT_VERB_PING && !mcti_rev_is_stateless(r->rev);
}

static void refuse_second(struct mcti_gw_request *r)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_PROTOCOL, "duplicate initialize: the first one has not been answered yet");
    err.code = MCT_RPC_INVALID_REQUEST;
    mcti_gw_fail(r, &err);
}

static void gateway_request_take(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                 const struct mcti_msg_meta *meta)
{
    if (!comes_early(r))
        gateway_request_begin(r, msg, meta);
    else if (r->verb == MCT_VERB_INITIALIZE)
        refuse_second(r);
    else if (mcti_gw_keep(r, msg) == GO_ON)
        mcti_list_append(&r->peer->behind, &r->behind);
}

static void gateway_request_on_request(void *data, struct mcti_session *s, const struct mcti_msg *msg, void *lane)
{
    struct mcti_peer *p = data;
    struct mcti_msg_meta meta;
    struct mct_error err;
    struct mcti_buf error_data;
    enum mcti_rev rev;
    enum mcti_verb verb = mcti_method_find(msg->method);

    mcti_buf_init(&error_data, 8192);
    int r = read_envelope(p, msg, &meta, &rev, &error_data, &err);
    if (r == 0 && !verb) {
        verb = MCT_VERB_FOREIGN;
        r = mcti_gateway_passes(p->gateway, p->view, mcti_gw_prefs(p, lane), msg, &err);
    }
    if (r == 0 && !gateway_request_serves(p->gateway, verb, rev))
        r = mcti_fail(&err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
    if (r == 0 && mcti_verb_is_any_task(verb))
        r = mcti_rev_is_stateless(rev) ? mcti_gateway_admits_task(p->view, msg, &meta, &error_data, &err)
                                       : mcti_gw_admits_task_2025(p, msg, verb, &err);
    if (r == 0 && mcti_rev_is_stateless(rev))
        s->heard = rev;
    struct mcti_gw_request *req = r == 0 ? request_new(p, msg, verb, rev, lane, &err) : NULL;
    if (!req) {
        mcti_session_refuse(s, msg, lane, &err, error_data.len ? mcti_buf_str(&error_data) : MCT_STR_NONE);
        mcti_buf_done(&error_data);
        return;
    }
    if (mcti_inbound_init(&req->in, s, msg, meta.progress_token, lane) < 0) {
        mcti_account_put(req->payer, MCT_HELD_CALL, &req->held, 0);
        free(req);
    } else {
        mcti_lease_begin(&req->lease, p->gateway->registry);
        mcti_gw_trace_begin(req, msg, &meta);
        gateway_request_take(req, msg, &meta);
    }
}

static void gateway_request_on_notification(void *data, struct mcti_session *s, const struct mcti_msg *msg)
{
    struct mcti_peer *p = data;
    (void)s;
    bool is_initialized = mcti_str_is(msg->method, "notifications/initialized");
    if (is_initialized && !p->initialized)
        p->initialized_ms = mcti_sched_now(p->gateway->sched);
    p->initialized |= is_initialized;
    mcti_gw_ask_held(p);
    mcti_gw_foreign_notification(p, msg);
    /* servers that requested roots before the client was initialized got a list without its roots */
    if (p->can.ask_roots && !p->is_inner &&
        (is_initialized || mcti_str_is(msg->method, "notifications/roots/list_changed")))
        mcti_gw_roots_changed(p);
}

static int gateway_request_on_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    struct mcti_peer *p = data;
    if (p->ops->send)
        return p->ops->send(p->data, frame, lane, final);
    const struct mcti_pieces one = mcti_pieces_one(frame);
    return p->ops->send_pieces(p->data, &one, lane, final);
}

static int gateway_request_on_send_pieces(void *data, const struct mcti_pieces *frame, void *lane, bool final)
{
    struct mcti_peer *p = data;
    struct mcti_buf whole;
    if (p->ops->send_pieces)
        return p->ops->send_pieces(p->data, frame, lane, final);
    mcti_buf_init(&whole, frame->len);
    mcti_pieces_copy(&whole, frame);
    int r = mcti_buf_ok(&whole) ? p->ops->send(p->data, mcti_buf_str(&whole), lane, final) : -1;
    mcti_buf_done(&whole);
    return r;
}

static void gateway_request_on_lane_done(void *data, void *lane, bool lost)
{
    struct mcti_peer *p = data;
    if (p->ops->lane_done)
        p->ops->lane_done(p->data, lane, lost);
}

const struct mcti_session_ops mcti_gw_session_ops = {
    .send = gateway_request_on_send,
    .send_pieces = gateway_request_on_send_pieces,
    .on_request = gateway_request_on_request,
    .on_notification = gateway_request_on_notification,
    .on_lane_done = gateway_request_on_lane_done,
};
