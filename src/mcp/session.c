#include "mcp/session.h"

#include "json/write.h"
#include "mcp/batch.h"

#include <stdlib.h>

void mcti_session_init(struct mcti_session *s, const struct mcti_session_ops *ops, void *data, struct mcti_sched *sched,
                       size_t message_bytes)
{
    *s = (struct mcti_session){ .ops = ops, .data = data, .sched = sched, .max_inbound = MCT_LIMIT_IN_FLIGHT };
    mcti_map_init(&s->outbound);
    mcti_list_init(&s->inbound);
    mcti_buf_init(&s->frame, message_bytes + 4096); /* room for the answer to a message of maximum size */
}

void mcti_session_done(struct mcti_session *s)
{
    mcti_map_done(&s->outbound);
    mcti_buf_done(&s->frame);
}

static int send_frame(struct mcti_session *s, void *lane, bool final)
{
    int r = mcti_buf_ok(&s->frame) ? s->ops->send(s->data, mcti_buf_str(&s->frame), lane, final) : -1;
    if (s->lean)
        mcti_buf_done(&s->frame);
    else
        mcti_buf_clear(&s->frame);
    s->refusal = 0;
    return r;
}

/* Sends the frame, which answers a request. An answer within a batch is sent with the other answers. */
static int send_answer(struct mcti_session *s, struct mcti_batch *batch, void *lane)
{
    if (!batch || !mcti_buf_ok(&s->frame))
        return send_frame(s, lane, true);
    mcti_batch_answer(batch, mcti_buf_str(&s->frame));
    mcti_buf_clear(&s->frame);
    s->refusal = 0;
    return 0;
}

/* ---- our requests ---- */

static struct mcti_str id_key(const struct mcti_outbound *o)
{
    return (struct mcti_str){ (const char *)&o->id, sizeof o->id };
}

static struct mcti_outbound *outbound_of(struct mcti_map_node *n)
{
    return n ? MCT_CONTAINER(n, struct mcti_outbound, node) : NULL;
}

static void mcp_session_forget(struct mcti_outbound *o, bool answered)
{
    struct mcti_session *s = o->session;
    mcti_timer_stop(s->sched, &o->timer);
    mcti_map_remove(&s->outbound, &o->node);
    o->session = NULL;
    if (s->ops->request_over)
        s->ops->request_over(s->data, o->id, answered);
}

static void send_cancelled(struct mcti_session *s, uint64_t id, const char *reason)
{
    struct mcti_buf *b = &s->frame;
    mcti_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                     "{\"requestId\":");
    mcti_buf_addu(b, id);
    mcti_json_put_member(b, "reason", mcti_str_of(reason));
    mcti_buf_addz(b, "}}");
    send_frame(s, NULL, false);
}

void mcti_session_cancel(struct mcti_outbound *o, const char *reason)
{
    struct mcti_session *s = o->session;
    if (!s)
        return;
    if (reason)
        send_cancelled(s, o->id, reason);
    mcp_session_forget(o, false);
}

int mcti_fail_timeout(struct mct_error *err, unsigned timeout_ms)
{
    return mcti_fail(err, MCT_ERR_TIMEOUT, "no answer within %u.%u s", timeout_ms / 1000, timeout_ms % 1000 / 100);
}

static void mcp_session_on_timeout(void *data)
{
    struct mcti_outbound *o = data;
    struct mct_error err;
    if (o->session->n_holds || o->n_holds) {
        o->deadline_ms += o->timeout_ms;
        mcti_timer_set(o->session->sched, &o->timer, o->timeout_ms);
        return;
    }
    mcti_fail_timeout(&err, o->timeout_ms);
    mcti_session_cancel(o, o->silent ? NULL : "timeout");
    o->done(o, NULL, &err);
}

static void mcp_session_arm(struct mcti_outbound *o)
{
    uint64_t now = mcti_sched_now(o->session->sched);
    uint64_t in = o->timeout_ms;
    if (!in)
        return;
    if (now + in > o->deadline_ms)
        in = o->deadline_ms > now ? o->deadline_ms - now : 0;
    mcti_timer_set(o->session->sched, &o->timer, in);
}

struct mcti_buf *mcti_session_begin(struct mcti_session *s, struct mcti_outbound *o, const char *method)
{
    struct mcti_buf *b = &s->frame;
    o->id = ++s->last_id;
    mcti_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    mcti_buf_addu(b, o->id);
    mcti_buf_addz(b, ",\"method\":\"");
    mcti_buf_addz(b, method);
    mcti_buf_addz(b, "\",\"params\":");
    return b;
}

int mcti_session_send(struct mcti_session *s, struct mcti_outbound *o, struct mct_error *err)
{
    mcti_buf_addc(&s->frame, '}');
    if (s->outbound.n >= MCT_LIMIT_IN_FLIGHT) {
        mcti_buf_clear(&s->frame);
        return mcti_fail(err, MCT_ERR_LIMIT, "too many requests in flight (%d)", MCT_LIMIT_IN_FLIGHT);
    }
    if (mcti_map_put(&s->outbound, &o->node, id_key(o)) < 0) {
        mcti_buf_clear(&s->frame);
        return mcti_no_memory(err);
    }
    o->session = s;
    mcti_timer_init(&o->timer, mcp_session_on_timeout, o);
    if (send_frame(s, o->lane, false) < 0) {
        mcp_session_forget(o, false);
        return mcti_fail(err, MCT_ERR_CONNECT, "the request could not be sent");
    }
    o->deadline_ms = mcti_sched_now(s->sched) + (uint64_t)o->timeout_ms * MCT_PROGRESS_FACTOR;
    mcp_session_arm(o);
    return 0;
}

void mcti_session_lost_message(struct mcti_session *s, const struct mct_error *why)
{
    struct mcti_outbound *o = s->outbound.n == 1 ? outbound_of(mcti_map_any(&s->outbound)) : NULL;
    if (!o)
        return;
    mcp_session_forget(o, false);
    o->done(o, NULL, why);
}

int mcti_session_notify(struct mcti_session *s, const char *method, struct mcti_str params, void *lane)
{
    struct mcti_buf *b = &s->frame;
    mcti_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"method\":\"");
    mcti_buf_addz(b, method);
    mcti_buf_addc(b, '"');
    if (params.p) {
        mcti_buf_addz(b, ",\"params\":");
        mcti_buf_add(b, params);
    }
    mcti_buf_addc(b, '}');
    return send_frame(s, lane, false);
}

/* ---- the peer's requests ---- */

int mcti_inbound_init(struct mcti_inbound *in, struct mcti_session *s, const struct mcti_msg *msg,
                      struct mcti_str token, void *lane)
{
    struct mct_error err;
    in->id = malloc(msg->id.len + token.len + 1);
    if (!in->id || s->n_inbound >= s->max_inbound) {
        if (in->id)
            mcti_fail(&err, MCT_ERR_LIMIT, "too many requests in flight (%d)", MCT_LIMIT_IN_FLIGHT);
        else
            mcti_no_memory(&err);
        free(in->id);
        mcti_session_refuse(s, msg, lane, &err, MCT_STR_NONE);
        return -1;
    }
    in->session = s;
    in->lane = lane;
    in->batch = s->batch;
    if (in->batch)
        in->batch->n_open++;
    in->id_len = msg->id.len;
    memcpy(in->id, msg->id.p, msg->id.len);
    in->progress_token = token.p ? in->id + in->id_len : NULL;
    in->progress_token_len = token.len;
    if (token.p)
        memcpy(in->progress_token, token.p, token.len);
    mcti_list_append(&s->inbound, &in->node);
    s->n_inbound++;
    return 0;
}

void mcti_inbound_drop(struct mcti_inbound *in)
{
    if (!in->session)
        return;
    in->session->n_inbound--;
    in->session = NULL;
    in->lane = NULL;
    mcti_list_remove(&in->node);
    free(in->id);
    in->id = NULL;
    if (in->batch)
        mcti_batch_leave(in->batch);
    in->batch = NULL;
}

void mcti_inbound_move(struct mcti_inbound *from, struct mcti_inbound *to)
{
    void (*cancelled)(struct mcti_inbound * in) = to->cancelled;
    struct mcti_list *before = from->node.prev;
    mcti_list_remove(&from->node);
    *to = *from;
    to->cancelled = cancelled;
    mcti_list_append(before->next, &to->node);
    from->session = NULL;
    from->id = NULL;
    from->batch = NULL;
}

static void cancel_inbound(struct mcti_inbound *in)
{
    mcti_inbound_drop(in);
    if (in->cancelled)
        in->cancelled(in);
}

void mcti_session_drop_lane(struct mcti_session *s, void *lane)
{
    MCT_LIST_EACH(it, &s->inbound) {
        struct mcti_inbound *in = MCT_CONTAINER(it, struct mcti_inbound, node);
        if (in->lane == lane)
            cancel_inbound(in);
    }
}

static struct mcti_buf *begin_answer(struct mcti_session *s, struct mcti_str id, const char *member)
{
    struct mcti_buf *b = &s->frame;
    if (!id.p)
        id = mcti_rev_unknown_id(s->rev ? s->rev : s->heard);
    mcti_buf_addz(b, "{\"jsonrpc\":\"2.0\"");
    if (id.p) {
        mcti_buf_addz(b, ",\"id\":");
        mcti_buf_add(b, id);
    }
    mcti_buf_addz(b, ",\"");
    mcti_buf_addz(b, member);
    mcti_buf_addz(b, "\":");
    return b;
}

static struct mcti_buf *begin_inbound(struct mcti_inbound *in, const char *member)
{
    return in->session ? begin_answer(in->session, (struct mcti_str){ in->id, in->id_len }, member) : NULL;
}

/* Writes one of our errors with its closing braces. */
static void mcp_session_put_refusal(struct mcti_session *s, struct mcti_buf *b, const struct mct_error *err,
                                    struct mcti_str data)
{
    mcti_session_put_error(b, err, data);
    s->refusal = mcti_error_rpc_code(err);
}

struct mcti_buf *mcti_inbound_begin(struct mcti_inbound *in)
{
    return begin_inbound(in, "result");
}

/* Answers with an error when the answer did not fit or memory was exhausted. */
static void send_too_large(struct mcti_session *s, const struct mcti_inbound *in)
{
    struct mct_error err;
    struct mcti_str id = { in->id, in->id_len };
    mcti_buf_clear(&s->frame);
    mcti_fail(&err, MCT_ERR_LIMIT, "the answer is larger than the message limit (limits.message_bytes)");
    mcp_session_put_refusal(s, begin_answer(s, id, "error"), &err, MCT_STR_NONE);
    mcti_buf_addc(&s->frame, '}');
    send_answer(s, in->batch, in->lane);
}

void mcti_inbound_send(struct mcti_inbound *in)
{
    struct mcti_session *s = in->session;
    mcti_buf_addc(&s->frame, '}');
    if (!mcti_buf_ok(&s->frame) || send_answer(s, in->batch, in->lane) < 0)
        send_too_large(s, in);
    mcti_inbound_drop(in);
}

void mcti_inbound_result(struct mcti_inbound *in, struct mcti_str result)
{
    struct mcti_buf *b = mcti_inbound_begin(in);
    if (!b)
        return;
    mcti_buf_add(b, result);
    mcti_inbound_send(in);
}

void mcti_inbound_error(struct mcti_inbound *in, struct mcti_str error_object)
{
    struct mcti_buf *b = begin_inbound(in, "error");
    int64_t code = 0;
    if (!b)
        return;
    mcti_buf_add(b, error_object);
    mcti_json_int(mcti_json_get(error_object, "code"), &code);
    in->session->refusal = (int)code;
    mcti_inbound_send(in);
}

void mcti_inbound_fail(struct mcti_inbound *in, const struct mct_error *err, struct mcti_str data)
{
    struct mcti_buf *b = begin_inbound(in, "error");
    if (!b)
        return;
    mcp_session_put_refusal(in->session, b, err, data);
    mcti_inbound_send(in);
}

void mcti_inbound_notify(struct mcti_inbound *in, const char *method, struct mcti_str params)
{
    if (in->session)
        mcti_session_notify(in->session, method, params, in->lane);
}

void mcti_inbound_progress(struct mcti_inbound *in, struct mcti_str params)
{
    struct mcti_buf b;
    if (!in->session || !in->progress_token)
        return;
    const struct mcti_json_set token = { "progressToken", { in->progress_token, in->progress_token_len } };
    mcti_buf_init(&b, params.len + in->progress_token_len + 64);
    mcti_json_put_object(&b, params, &token, 1);
    mcti_inbound_notify(in, "notifications/progress", mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_session_put_error(struct mcti_buf *to, const struct mct_error *err, struct mcti_str data)
{
    int code = mcti_error_rpc_code(err);
    mcti_buf_addz(to, code < 0 ? "{\"code\":-" : "{\"code\":");
    mcti_buf_addu(to, (uint64_t)(code < 0 ? -code : code));
    mcti_json_put_member(to, "message", mcti_str_of(err->message));
    if (data.p) {
        mcti_json_put_key(to, "data");
        mcti_buf_add(to, data);
    }
    mcti_buf_addc(to, '}');
}

static int send_refusal(struct mcti_session *s, struct mcti_str id, void *lane, const struct mct_error *err,
                        struct mcti_str data)
{
    mcp_session_put_refusal(s, begin_answer(s, id, "error"), err, data);
    mcti_buf_addc(&s->frame, '}');
    return send_answer(s, s->batch, lane);
}

void mcti_session_refuse(struct mcti_session *s, const struct mcti_msg *msg, void *lane, const struct mct_error *err,
                         struct mcti_str data)
{
    if (send_refusal(s, msg->id, lane, err, data) < 0)
        send_refusal(s, msg->id, lane, err, MCT_STR_NONE);
}

/* ---- receiving ---- */

struct mcti_outbound *mcti_session_find(struct mcti_session *s, uint64_t id)
{
    return outbound_of(mcti_map_get(&s->outbound, (struct mcti_str){ (const char *)&id, sizeof id }));
}

static struct mcti_outbound *find_outbound(struct mcti_session *s, struct mcti_str id)
{
    uint64_t n;
    return mcti_json_uint(id, &n) ? mcti_session_find(s, n) : NULL;
}

static void mcp_session_on_answer(struct mcti_session *s, const struct mcti_msg *msg)
{
    struct mcti_outbound *o = find_outbound(s, msg->id);
    if (!o)
        return; /* late, duplicated or never requested */
    mcp_session_forget(o, true);
    o->done(o, msg, NULL);
}

void mcti_session_fail(struct mcti_session *s, struct mcti_str id, const struct mct_error *why)
{
    struct mcti_outbound *o = find_outbound(s, id);
    if (!o)
        return;
    mcp_session_forget(o, false);
    o->done(o, NULL, why);
}

static void mcp_session_on_progress(struct mcti_session *s, const struct mcti_msg *msg)
{
    struct mcti_outbound *o = find_outbound(s, mcti_json_get(msg->params, "progressToken"));
    double now = mcti_json_double(mcti_json_get(msg->params, "progress"));
    if (!o)
        return;
    mcp_session_arm(o);
    if (o->has_progressed && now <= o->progressed)
        return; /* must increase (2025-03-26, "Progress") */
    o->has_progressed = true;
    o->progressed = now;
    if (o->progress)
        o->progress(o, msg->params);
}

static void mcp_session_on_cancelled(struct mcti_session *s, const struct mcti_msg *msg)
{
    struct mcti_str id = mcti_json_get(msg->params, "requestId");
    MCT_LIST_EACH(it, &s->inbound) {
        struct mcti_inbound *in = MCT_CONTAINER(it, struct mcti_inbound, node);
        void *lane = in->lane;
        if (!mcti_msg_id_eq((struct mcti_str){ in->id, in->id_len }, id))
            continue;
        cancel_inbound(in);
        if (lane && s->ops->on_lane_done)
            s->ops->on_lane_done(s->data, lane);
        return;
    }
}

static void mcp_session_on_notification(struct mcti_session *s, const struct mcti_msg *msg)
{
    if (mcti_str_is(msg->method, "notifications/progress"))
        mcp_session_on_progress(s, msg);
    else if (mcti_str_is(msg->method, "notifications/cancelled"))
        mcp_session_on_cancelled(s, msg);
    else if (s->ops->on_notification)
        s->ops->on_notification(s->data, s, msg);
}

static void mcp_session_on_bad_frame(struct mcti_session *s, const struct mcti_msg *msg, const struct mct_error *err,
                                     void *lane)
{
    if (s->answers_bad_frames)
        mcti_session_refuse(s, msg, lane, err, MCT_STR_NONE);
    if (s->ops->on_bad_frame)
        s->ops->on_bad_frame(s->data, msg, err);
}

void mcti_session_receive_msg(struct mcti_session *s, const struct mcti_msg *msg, void *lane)
{
    struct mct_error err;
    switch (msg->kind) {
    case MCT_MSG_REQUEST:
        s->ops->on_request(s->data, s, msg, lane);
        break;
    case MCT_MSG_NOTIFICATION:
        mcp_session_on_notification(s, msg);
        break;
    case MCT_MSG_RESULT:
    case MCT_MSG_ERROR:
        mcp_session_on_answer(s, msg);
        break;
    case MCT_MSG_BATCH:
        if (mcti_batch_receive(s, msg->text, lane, &err) < 0)
            mcp_session_on_bad_frame(s, msg, &err, lane);
        break;
    }
}

void mcti_session_receive(struct mcti_session *s, struct mcti_str frame, void *lane)
{
    struct mcti_msg msg;
    struct mct_error err;
    if (mcti_msg_parse(frame, &msg, &err) < 0)
        mcp_session_on_bad_frame(s, &msg, &err, lane);
    else
        mcti_session_receive_msg(s, &msg, lane);
}

void mcti_session_fail_all(struct mcti_session *s, const struct mct_error *why)
{
    for (struct mcti_outbound *o; (o = outbound_of(mcti_map_any(&s->outbound)));) {
        mcp_session_forget(o, false);
        o->done(o, NULL, why);
    }
}

void mcti_session_drop(struct mcti_session *s, const struct mct_error *why)
{
    mcti_session_fail_all(s, why);
    while (!mcti_list_empty(&s->inbound)) {
        struct mcti_inbound *in = MCT_CONTAINER(s->inbound.next, struct mcti_inbound, node);
        if (in->batch)
            in->batch->session = NULL; /* the collected answers cannot be sent any more */
        cancel_inbound(in);
    }
}
