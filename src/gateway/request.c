/* Requests of clients: taken, kept while they wait, and given to the function that answers them. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdlib.h>

enum { CALL_COPIES = 3, ROOMS = 16 };

static const struct {
    gw_handler fn;
    bool needs_lists; /* waits for servers that are still starting */
} handlers[MCT_VERB_N] = {
    [MCT_VERB_INITIALIZE] = { gw_initialize, false },
    [MCT_VERB_DISCOVER] = { gw_discover, false },
    [MCT_VERB_PING] = { gw_ping, false },
    [MCT_VERB_TOOLS_LIST] = { gw_list, true },
    [MCT_VERB_RESOURCES_LIST] = { gw_list, true },
    [MCT_VERB_TEMPLATES_LIST] = { gw_list, true },
    [MCT_VERB_PROMPTS_LIST] = { gw_list, true },
    [MCT_VERB_TOOLS_CALL] = { gw_call_named, false }, /* waits itself, if the name is unknown */
    [MCT_VERB_PROMPTS_GET] = { gw_call_named, false },
    [MCT_VERB_RESOURCES_READ] = { gw_read, true },
    [MCT_VERB_COMPLETE] = { gw_complete, true },
    [MCT_VERB_SET_LEVEL] = { gw_set_level, false },
    [MCT_VERB_SUBSCRIBE] = { gw_subscribe, true },
    [MCT_VERB_UNSUBSCRIBE] = { gw_unsubscribe, false },
    [MCT_VERB_LISTEN] = { gw_listen, true },
};

/* ---- requests ---- */

static void on_greeted(struct mct_peer *p);

void gw_request_free(struct gw_request *r)
{
    struct mct_peer *greeted = r->peer->greeting == r ? r->peer : NULL;
    mct_call_cancel(&r->call, NULL);
    gw_park_free(r);
    mct_branch_unuse(r->branch);
    mct_cache_leave(r->place);
    gw_subs_clear(&r->subs);
    gw_subs_release(r);
    r->principal->n_listens -= r->listens;
    mct_account_put(r->payer, MCT_HELD_CALL, &r->held, 0);
    mct_charge_release(&r->charge);
    mct_settle_stop(&r->wait);
    mct_inbound_drop(&r->in);
    mct_list_remove(&r->listen);
    mct_list_remove(&r->behind);
    free(r->candidates);
    free(r->output_schema);
    free(r->uri);
    free(r->kept);
    free(r);
    if (greeted)
        on_greeted(greeted);
}

int gw_keep(struct gw_request *r, const struct mct_msg *msg)
{
    struct mct_error err;
    if (r->kept)
        return 0;
    r->kept = mct_str_dup(msg->text);
    r->kept_len = msg->text.len;
    if (r->kept)
        return 0;
    mct_no_memory(&err);
    gw_fail(r, &err);
    return -1;
}

static void on_inbound_cancelled(struct mct_inbound *in)
{
    struct gw_request *r = MCT_CONTAINER(in, struct gw_request, in);
    mct_call_cancel(&r->call, r->peer->leaving ? "the client has gone" : "the client cancelled the request");
    gw_request_free(r);
}

int mct_fail_version(struct mct_str version, struct mct_buf *ret_data, struct mct_error *err)
{
    mct_fail(err, MCT_ERR_PROTOCOL, "protocol version %.*s is not supported", MCT_STR_ARG(version));
    err->code = MCT_RPC_UNSUPPORTED_VERSION;
    mct_buf_addz(ret_data, "{\"supported\":");
    mct_rev_put_stateless(ret_data);
    mct_json_put_member(ret_data, "requested", version);
    mct_buf_addc(ret_data, '}');
    return -1;
}

int mct_stateless_check(const struct mct_msg_meta *meta, struct mct_buf *ret_data,
                        struct mct_error *err)
{
    struct mct_str version = MCT_STR_NONE;
    if (!mct_json_plain(meta->version, &version))
        return mct_fail(err, MCT_ERR_USAGE, "\"_meta\" must have \"" MCT_META_VERSION "\"");
    if (!mct_rev_is_stateless(mct_rev_find(version)))
        return mct_fail_version(version, ret_data, err);
    if (mct_json_type(meta->capabilities) != '{')
        return mct_fail(err, MCT_ERR_USAGE, "\"_meta\" must have the object \"" MCT_META_CAPABILITIES
                        "\"");
    return 0;
}

/* Reads `_meta` and finds the revision the request is made in. */
static int read_envelope(struct mct_peer *p, const struct mct_msg *msg, struct mct_msg_meta *meta,
                         enum mct_rev *ret_rev, struct mct_buf *data, struct mct_error *err)
{
    if (mct_msg_read_meta(msg, meta, err) < 0)
        return -1;
    enum mct_era era = p->gateway->era;
    struct mct_str asked = MCT_STR_NONE;
    *ret_rev = p->session.rev ? p->session.rev : MCT_REV_LATEST_HANDSHAKE;
    if (era == MCT_ERA_HANDSHAKE || (era == MCT_ERA_AUTO && !meta->version.p))
        return 0;
    if (!meta->version.p && mct_json_plain(mct_json_get(msg->params, "protocolVersion"), &asked)) /* initialize */
        return mct_fail_version(asked, data, err);
    *ret_rev = MCT_REV_LATEST;
    return mct_stateless_check(meta, data, err);
}

/* server/discover is answered in the handshake revisions too, except by a server that knows no other. */
static bool serves(const struct mct_gateway *g, enum mct_verb verb, enum mct_rev rev)
{
    return verb && mct_method_in(verb, rev) && (g->era != MCT_ERA_HANDSHAKE || verb != MCT_VERB_DISCOVER);
}

static void dispatch(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    handlers[r->verb].fn(r, msg, meta);
}

/* The servers are there, or the wait is over: the kept message is looked at again. */
static void on_settled(struct mct_settle *w)
{
    struct gw_request *r = MCT_CONTAINER(w, struct gw_request, wait);
    struct mct_msg msg;
    struct mct_msg_meta meta;
    struct mct_error err;
    if (mct_msg_parse((struct mct_str){ r->kept, r->kept_len }, &msg, &err) < 0 ||
        mct_msg_read_meta(&msg, &meta, &err) < 0)
        gw_fail(r, &err);
    else
        dispatch(r, &msg, &meta);
}

bool gw_wait(struct gw_request *r, const struct mct_msg *msg, unsigned max_ms)
{
    struct mct_gateway *g = r->peer->gateway;
    if (r->kept || !max_ms || mct_registry_settled(g->registry))
        return false;
    gw_wait_until(r, msg, NULL, max_ms);
    return true;
}

void gw_wait_until(struct gw_request *r, const struct mct_msg *msg, bool (*enough)(const struct mct_settle *w),
                   unsigned max_ms)
{
    if (gw_keep(r, msg) < 0)
        return;
    r->wait.done = on_settled;
    r->wait.enough = enough;
    mct_registry_wait(r->peer->gateway->registry, &r->wait, max_ms);
}

void gw_wait_for_branch(struct gw_request *r, const struct mct_msg *msg, unsigned max_ms)
{
    if (gw_keep(r, msg) < 0)
        return;
    r->first = r->next ? r->next - 1 : 0; /* resources/read: not those again that were asked before */
    r->wait.done = on_settled;
    mct_branch_wait(r->branch, &r->wait, max_ms);
}

/* Tools that depend on no server are listed at once: some clients give up on who does not do that. */
static bool needs_lists(const struct mct_peer *p, enum mct_verb verb)
{
    const struct mct_view_own *own = p->view->own;
    return handlers[verb].needs_lists && !(verb == MCT_VERB_TOOLS_LIST && own && own->alone && !own->follows);
}

/* Arguments are copied on their way to the server. */
static size_t weight(const struct mct_msg *msg)
{
    return sizeof(struct gw_request) + CALL_COPIES * msg->text.len;
}

/* NULL, or the account that has no room, and for which nobody makes any. */
static struct mct_account *charge(struct mct_gateway *g, const struct mct_principal *who, struct mct_account *payer, size_t n)
{
    struct mct_account *over;
    for (int i = 0; (over = mct_account_over(payer, n, 0)); i++)
        if (i == ROOMS || (over == payer && over != &who->account) || !g->make_room ||
            !g->make_room(g->make_room_data, &who->account, over)) {
            mct_account_count_refusal(payer, MCT_HELD_CALL);
            return over;
        }
    mct_account_add(payer, MCT_HELD_CALL, n);
    return NULL;
}

/* A request of a session is charged to that, any other to its principal. */
static struct gw_request *request_new(struct mct_peer *p, const struct mct_msg *msg, enum mct_rev rev, void *lane,
                                      struct mct_error *err)
{
    struct mct_principal *who = p->ops->principal ? p->ops->principal(p->data, lane) : &p->gateway->local;
    struct mct_account *payer = mct_rev_is_stateless(rev) ? &who->account : &p->account;
    struct mct_account *over = charge(p->gateway, who, payer, weight(msg));
    struct gw_request *r = over ? NULL : calloc(1, sizeof *r);
    if (over)
        mct_fail(err, MCT_ERR_LIMIT, "%s", over->rule->refusal);
    else if (!r)
        mct_no_memory(err);
    if (!r && !over)
        mct_account_release(payer, MCT_HELD_CALL, weight(msg));
    if (!r)
        return NULL;
    *r = (struct gw_request){ .peer = p, .principal = who, .payer = payer, .held = weight(msg), .rev = rev,
                              .log_level = GW_SILENT };
    r->in.cancelled = on_inbound_cancelled;
    mct_list_init(&r->listen);
    mct_list_init(&r->subs.list);
    mct_list_init(&r->behind);
    return r;
}

static void begin(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    const struct mct_gateway *g = r->peer->gateway;
    if (!needs_lists(r->peer, r->verb) || !gw_wait(r, msg, mct_registry_hold_ms(g->registry, g->list_wait_ms)))
        dispatch(r, msg, meta);
}

/* Requests that a client sends without waiting for the answer to initialize are answered after it. */
static void begin_behind(struct gw_request *r)
{
    char *text = r->kept;
    struct mct_msg msg;
    struct mct_msg_meta meta;
    struct mct_error err;
    r->kept = NULL; /* nothing has been waited for yet */
    mct_list_remove(&r->behind);
    if (mct_msg_parse((struct mct_str){ text, r->kept_len }, &msg, &err) < 0 ||
        mct_msg_read_meta(&msg, &meta, &err) < 0)
        gw_fail(r, &err);
    else
        begin(r, &msg, &meta);
    free(text);
}

static void on_greeted(struct mct_peer *p)
{
    p->greeting = NULL;
    if (p->leaving)
        return;
    gw_ask_held(p);
    while (!mct_list_empty(&p->behind))
        begin_behind(MCT_CONTAINER(p->behind.next, struct gw_request, behind));
}

static bool comes_early(const struct gw_request *r)
{
    return r->peer->greeting && r->verb != MCT_VERB_PING && !mct_rev_is_stateless(r->rev);
}

static void refuse_second(struct gw_request *r)
{
    struct mct_error err;
    mct_fail(&err, MCT_ERR_PROTOCOL, "initialize was sent again before it was answered");
    err.code = MCT_RPC_INVALID_REQUEST;
    gw_fail(r, &err);
}

static void take(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta)
{
    if (!comes_early(r))
        begin(r, msg, meta);
    else if (r->verb == MCT_VERB_INITIALIZE)
        refuse_second(r);
    else if (gw_keep(r, msg) == 0)
        mct_list_append(&r->peer->behind, &r->behind);
}

static void on_request(void *data, struct mct_session *s, const struct mct_msg *msg, void *lane)
{
    struct mct_peer *p = data;
    struct mct_msg_meta meta;
    struct mct_error err;
    struct mct_buf error_data;
    enum mct_rev rev;
    enum mct_verb verb = mct_method_find(msg->method);

    mct_buf_init(&error_data, 8192);
    int r = read_envelope(p, msg, &meta, &rev, &error_data, &err);
    if (r == 0 && !serves(p->gateway, verb, rev))
        r = mct_fail(&err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
    if (r == 0 && mct_rev_is_stateless(rev))
        s->heard = rev;
    struct gw_request *req = r == 0 ? request_new(p, msg, rev, lane, &err) : NULL;
    if (!req) {
        mct_session_refuse(s, msg, lane, &err,
                           error_data.len ? mct_buf_str(&error_data) : MCT_STR_NONE);
        mct_buf_done(&error_data);
        return;
    }
    req->verb = verb;
    if (mct_inbound_init(&req->in, s, msg, meta.progress_token, lane) < 0) {
        mct_account_put(req->payer, MCT_HELD_CALL, &req->held, 0);
        free(req);
    } else {
        take(req, msg, &meta);
    }
}

static void on_notification(void *data, struct mct_session *s, const struct mct_msg *msg)
{
    struct mct_peer *p = data;
    (void)s;
    bool begins = mct_str_is(msg->method, "notifications/initialized");
    p->initialized |= begins;
    gw_ask_held(p);
    /* servers that asked before their only client came have been told that there are none */
    if (p->can.ask_roots && (begins ? p->gateway->sole == p : mct_str_is(msg->method, "notifications/roots/list_changed")))
        gw_roots_changed(p);
}

static int on_send(void *data, struct mct_str frame, void *lane, bool final)
{
    struct mct_peer *p = data;
    return p->ops->send(p->data, frame, lane, final);
}

static void on_lane_done(void *data, void *lane)
{
    struct mct_peer *p = data;
    if (p->ops->lane_done)
        p->ops->lane_done(p->data, lane);
}

const struct mct_session_ops gw_session_ops = {
    .send = on_send,
    .on_request = on_request,
    .on_notification = on_notification,
    .on_lane_done = on_lane_done,
};
