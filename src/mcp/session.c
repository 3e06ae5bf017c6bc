#include "mcp/session.h"

#include "json/write.h"
#include "mcp/batch.h"

#include <stdlib.h>

void mct_session_init(struct mct_session *s, const struct mct_session_ops *ops, void *data,
                      struct mct_sched *sched, size_t message_bytes)
{
    *s = (struct mct_session){ .ops = ops, .data = data, .sched = sched, .max_inbound = MCT_LIMIT_IN_FLIGHT };
    mct_map_init(&s->outbound);
    mct_list_init(&s->inbound);
    mct_buf_init(&s->frame, message_bytes + 4096); /* an answer to the largest message still fits */
}

void mct_session_done(struct mct_session *s)
{
    mct_map_done(&s->outbound);
    mct_buf_done(&s->frame);
}

static int send_frame(struct mct_session *s, void *lane, bool final)
{
    int r = mct_buf_ok(&s->frame) ? s->ops->send(s->data, mct_buf_str(&s->frame), lane, final) : -1;
    if (s->lean)
        mct_buf_done(&s->frame);
    else
        mct_buf_clear(&s->frame);
    s->refusal = 0;
    return r;
}

/* The frame answers a request. That of a batch leaves with the answers to the others. */
static int send_answer(struct mct_session *s, struct mct_batch *batch, void *lane)
{
    if (!batch || !mct_buf_ok(&s->frame))
        return send_frame(s, lane, true);
    mct_batch_answer(batch, mct_buf_str(&s->frame));
    mct_buf_clear(&s->frame);
    s->refusal = 0;
    return 0;
}

/* ---- our requests ---- */

static struct mct_str id_key(const struct mct_outbound *o)
{
    return (struct mct_str){ (const char *)&o->id, sizeof o->id };
}

static struct mct_outbound *outbound_of(struct mct_map_node *n)
{
    return n ? MCT_CONTAINER(n, struct mct_outbound, node) : NULL;
}

static void forget(struct mct_outbound *o, bool answered)
{
    struct mct_session *s = o->session;
    mct_timer_stop(s->sched, &o->timer);
    mct_map_remove(&s->outbound, &o->node);
    o->session = NULL;
    if (s->ops->over)
        s->ops->over(s->data, o->id, answered);
}

static void send_cancelled(struct mct_session *s, uint64_t id, const char *reason)
{
    struct mct_buf *b = &s->frame;
    mct_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                    "{\"requestId\":");
    mct_buf_addu(b, id);
    mct_json_put_member(b, "reason", mct_str_of(reason));
    mct_buf_addz(b, "}}");
    send_frame(s, NULL, false);
}

void mct_session_cancel(struct mct_outbound *o, const char *reason)
{
    struct mct_session *s = o->session;
    if (!s)
        return;
    if (reason)
        send_cancelled(s, o->id, reason);
    forget(o, false);
}

int mct_fail_late(struct mct_error *err, unsigned timeout_ms)
{
    return mct_fail(err, MCT_ERR_TIMEOUT, "no answer within %u.%u s", timeout_ms / 1000, timeout_ms % 1000 / 100);
}

static void on_timeout(void *data)
{
    struct mct_outbound *o = data;
    struct mct_error err;
    if (o->session->n_holds || o->n_holds) {
        o->deadline_ms += o->timeout_ms;
        mct_timer_set(o->session->sched, &o->timer, o->timeout_ms);
        return;
    }
    mct_fail_late(&err, o->timeout_ms);
    mct_session_cancel(o, o->silent ? NULL : "timeout");
    o->done(o, NULL, &err);
}

static void arm(struct mct_outbound *o)
{
    uint64_t now = mct_sched_now(o->session->sched);
    uint64_t in = o->timeout_ms;
    if (!in)
        return;
    if (now + in > o->deadline_ms)
        in = o->deadline_ms > now ? o->deadline_ms - now : 0;
    mct_timer_set(o->session->sched, &o->timer, in);
}

struct mct_buf *mct_session_begin(struct mct_session *s, struct mct_outbound *o, const char *method)
{
    struct mct_buf *b = &s->frame;
    o->id = ++s->last_id;
    mct_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    mct_buf_addu(b, o->id);
    mct_buf_addz(b, ",\"method\":\"");
    mct_buf_addz(b, method);
    mct_buf_addz(b, "\",\"params\":");
    return b;
}

int mct_session_send(struct mct_session *s, struct mct_outbound *o, struct mct_error *err)
{
    mct_buf_addc(&s->frame, '}');
    if (s->outbound.n >= MCT_LIMIT_IN_FLIGHT) {
        mct_buf_clear(&s->frame);
        return mct_fail(err, MCT_ERR_LIMIT, "too many requests in flight (%d)", MCT_LIMIT_IN_FLIGHT);
    }
    if (mct_map_put(&s->outbound, &o->node, id_key(o)) < 0) {
        mct_buf_clear(&s->frame);
        return mct_no_memory(err);
    }
    o->session = s;
    mct_timer_init(&o->timer, on_timeout, o);
    if (send_frame(s, o->lane, false) < 0) {
        forget(o, false);
        return mct_fail(err, MCT_ERR_CONNECT, "the request could not be sent");
    }
    o->deadline_ms = mct_sched_now(s->sched) + (uint64_t)o->timeout_ms * MCT_PROGRESS_FACTOR;
    arm(o);
    return 0;
}

void mct_session_lost_message(struct mct_session *s, const struct mct_error *why)
{
    struct mct_outbound *o = s->outbound.n == 1 ? outbound_of(mct_map_any(&s->outbound)) : NULL;
    if (!o)
        return;
    forget(o, false);
    o->done(o, NULL, why);
}

int mct_session_notify(struct mct_session *s, const char *method, struct mct_str params, void *lane)
{
    struct mct_buf *b = &s->frame;
    mct_buf_addz(b, "{\"jsonrpc\":\"2.0\",\"method\":\"");
    mct_buf_addz(b, method);
    mct_buf_addc(b, '"');
    if (params.p) {
        mct_buf_addz(b, ",\"params\":");
        mct_buf_add(b, params);
    }
    mct_buf_addc(b, '}');
    return send_frame(s, lane, false);
}

/* ---- the peer's requests ---- */

int mct_inbound_init(struct mct_inbound *in, struct mct_session *s, const struct mct_msg *msg,
                     struct mct_str token, void *lane)
{
    struct mct_error err;
    in->id = malloc(msg->id.len + token.len + 1);
    if (!in->id || s->n_inbound >= s->max_inbound) {
        if (in->id)
            mct_fail(&err, MCT_ERR_LIMIT, "too many requests in flight (%d)", MCT_LIMIT_IN_FLIGHT);
        else
            mct_no_memory(&err);
        free(in->id);
        mct_session_refuse(s, msg, lane, &err, MCT_STR_NONE);
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
    mct_list_append(&s->inbound, &in->node);
    s->n_inbound++;
    return 0;
}

void mct_inbound_drop(struct mct_inbound *in)
{
    if (!in->session)
        return;
    in->session->n_inbound--;
    in->session = NULL;
    in->lane = NULL;
    mct_list_remove(&in->node);
    free(in->id);
    in->id = NULL;
    if (in->batch)
        mct_batch_leave(in->batch);
    in->batch = NULL;
}

void mct_inbound_move(struct mct_inbound *from, struct mct_inbound *to)
{
    void (*cancelled)(struct mct_inbound *in) = to->cancelled;
    struct mct_list *before = from->node.prev;
    mct_list_remove(&from->node);
    *to = *from;
    to->cancelled = cancelled;
    mct_list_append(before->next, &to->node);
    from->session = NULL;
    from->id = NULL;
    from->batch = NULL;
}

static void cancel_inbound(struct mct_inbound *in)
{
    mct_inbound_drop(in);
    if (in->cancelled)
        in->cancelled(in);
}

void mct_session_drop_lane(struct mct_session *s, void *lane)
{
    MCT_LIST_EACH(it, &s->inbound) {
        struct mct_inbound *in = MCT_CONTAINER(it, struct mct_inbound, node);
        if (in->lane == lane)
            cancel_inbound(in);
    }
}

static struct mct_buf *begin_answer(struct mct_session *s, struct mct_str id, const char *member)
{
    struct mct_buf *b = &s->frame;
    if (!id.p)
        id = mct_rev_unknown_id(s->rev ? s->rev : s->heard);
    mct_buf_addz(b, "{\"jsonrpc\":\"2.0\"");
    if (id.p) {
        mct_buf_addz(b, ",\"id\":");
        mct_buf_add(b, id);
    }
    mct_buf_addz(b, ",\"");
    mct_buf_addz(b, member);
    mct_buf_addz(b, "\":");
    return b;
}

static struct mct_buf *begin_inbound(struct mct_inbound *in, const char *member)
{
    return in->session ? begin_answer(in->session, (struct mct_str){ in->id, in->id_len }, member)
                       : NULL;
}

/* An error of ours, with its braces. */
static void put_refusal(struct mct_session *s, struct mct_buf *b, const struct mct_error *err, struct mct_str data)
{
    mct_session_put_error(b, err, data);
    s->refusal = mct_error_rpc_code(err);
}

struct mct_buf *mct_inbound_begin(struct mct_inbound *in)
{
    return begin_inbound(in, "result");
}

/* The answer did not fit or memory ran out: the peer learns that much. */
static void send_too_large(struct mct_session *s, const struct mct_inbound *in)
{
    struct mct_error err;
    struct mct_str id = { in->id, in->id_len };
    mct_buf_clear(&s->frame);
    mct_fail(&err, MCT_ERR_LIMIT, "the answer is larger than a message may be");
    put_refusal(s, begin_answer(s, id, "error"), &err, MCT_STR_NONE);
    mct_buf_addc(&s->frame, '}');
    send_answer(s, in->batch, in->lane);
}

void mct_inbound_send(struct mct_inbound *in)
{
    struct mct_session *s = in->session;
    mct_buf_addc(&s->frame, '}');
    if (!mct_buf_ok(&s->frame) || send_answer(s, in->batch, in->lane) < 0)
        send_too_large(s, in);
    mct_inbound_drop(in);
}

void mct_inbound_result(struct mct_inbound *in, struct mct_str result)
{
    struct mct_buf *b = mct_inbound_begin(in);
    if (!b)
        return;
    mct_buf_add(b, result);
    mct_inbound_send(in);
}

void mct_inbound_error(struct mct_inbound *in, struct mct_str error_object)
{
    struct mct_buf *b = begin_inbound(in, "error");
    int64_t code = 0;
    if (!b)
        return;
    mct_buf_add(b, error_object);
    mct_json_int(mct_json_get(error_object, "code"), &code);
    in->session->refusal = (int)code;
    mct_inbound_send(in);
}

void mct_inbound_fail(struct mct_inbound *in, const struct mct_error *err, struct mct_str data)
{
    struct mct_buf *b = begin_inbound(in, "error");
    if (!b)
        return;
    put_refusal(in->session, b, err, data);
    mct_inbound_send(in);
}

void mct_inbound_notify(struct mct_inbound *in, const char *method, struct mct_str params)
{
    if (in->session)
        mct_session_notify(in->session, method, params, in->lane);
}

void mct_inbound_progress(struct mct_inbound *in, struct mct_str params)
{
    struct mct_buf b;
    if (!in->session || !in->progress_token)
        return;
    const struct mct_json_set token = { "progressToken", { in->progress_token, in->progress_token_len } };
    mct_buf_init(&b, params.len + in->progress_token_len + 64);
    mct_json_put_object(&b, params, &token, 1);
    mct_inbound_notify(in, "notifications/progress", mct_buf_str(&b));
    mct_buf_done(&b);
}

void mct_session_put_error(struct mct_buf *to, const struct mct_error *err, struct mct_str data)
{
    int code = mct_error_rpc_code(err);
    mct_buf_addz(to, code < 0 ? "{\"code\":-" : "{\"code\":");
    mct_buf_addu(to, (uint64_t)(code < 0 ? -code : code));
    mct_json_put_member(to, "message", mct_str_of(err->message));
    if (data.p) {
        mct_json_put_key(to, "data");
        mct_buf_add(to, data);
    }
    mct_buf_addc(to, '}');
}

static int send_refusal(struct mct_session *s, struct mct_str id, void *lane, const struct mct_error *err,
                        struct mct_str data)
{
    put_refusal(s, begin_answer(s, id, "error"), err, data);
    mct_buf_addc(&s->frame, '}');
    return send_answer(s, s->batch, lane);
}

void mct_session_refuse(struct mct_session *s, const struct mct_msg *msg, void *lane,
                        const struct mct_error *err, struct mct_str data)
{
    if (send_refusal(s, msg->id, lane, err, data) < 0)
        send_refusal(s, msg->id, lane, err, MCT_STR_NONE);
}

/* ---- receiving ---- */

struct mct_outbound *mct_session_find(struct mct_session *s, uint64_t id)
{
    return outbound_of(mct_map_get(&s->outbound, (struct mct_str){ (const char *)&id, sizeof id }));
}

static struct mct_outbound *find_outbound(struct mct_session *s, struct mct_str id)
{
    uint64_t n;
    return mct_json_uint(id, &n) ? mct_session_find(s, n) : NULL;
}

static void on_answer(struct mct_session *s, const struct mct_msg *msg)
{
    struct mct_outbound *o = find_outbound(s, msg->id);
    if (!o)
        return; /* late, doubled or never asked for */
    forget(o, true);
    o->done(o, msg, NULL);
}

void mct_session_fail(struct mct_session *s, struct mct_str id, const struct mct_error *why)
{
    struct mct_outbound *o = find_outbound(s, id);
    if (!o)
        return;
    forget(o, false);
    o->done(o, NULL, why);
}

static void on_progress(struct mct_session *s, const struct mct_msg *msg)
{
    struct mct_outbound *o = find_outbound(s, mct_json_get(msg->params, "progressToken"));
    double now = mct_json_double(mct_json_get(msg->params, "progress"));
    if (!o)
        return;
    arm(o);
    if (o->has_progressed && now <= o->progressed)
        return; /* it must increase (2025-03-26, "Progress") */
    o->has_progressed = true;
    o->progressed = now;
    if (o->progress)
        o->progress(o, msg->params);
}

static void on_cancelled(struct mct_session *s, const struct mct_msg *msg)
{
    struct mct_str id = mct_json_get(msg->params, "requestId");
    MCT_LIST_EACH(it, &s->inbound) {
        struct mct_inbound *in = MCT_CONTAINER(it, struct mct_inbound, node);
        void *lane = in->lane;
        if (!mct_msg_id_eq((struct mct_str){ in->id, in->id_len }, id))
            continue;
        cancel_inbound(in);
        if (lane && s->ops->on_lane_done)
            s->ops->on_lane_done(s->data, lane);
        return;
    }
}

static void on_notification(struct mct_session *s, const struct mct_msg *msg)
{
    if (mct_str_is(msg->method, "notifications/progress"))
        on_progress(s, msg);
    else if (mct_str_is(msg->method, "notifications/cancelled"))
        on_cancelled(s, msg);
    else if (s->ops->on_notification)
        s->ops->on_notification(s->data, s, msg);
}

static void on_bad(struct mct_session *s, const struct mct_msg *msg, const struct mct_error *err,
                   void *lane)
{
    if (s->answers_bad_frames)
        mct_session_refuse(s, msg, lane, err, MCT_STR_NONE);
    if (s->ops->on_bad_frame)
        s->ops->on_bad_frame(s->data, msg, err);
}

void mct_session_receive_msg(struct mct_session *s, const struct mct_msg *msg, void *lane)
{
    struct mct_error err;
    switch (msg->kind) {
    case MCT_MSG_REQUEST:
        s->ops->on_request(s->data, s, msg, lane);
        break;
    case MCT_MSG_NOTIFICATION:
        on_notification(s, msg);
        break;
    case MCT_MSG_RESULT:
    case MCT_MSG_ERROR:
        on_answer(s, msg);
        break;
    case MCT_MSG_BATCH:
        if (mct_batch_receive(s, msg->text, lane, &err) < 0)
            on_bad(s, msg, &err, lane);
        break;
    }
}

void mct_session_receive(struct mct_session *s, struct mct_str frame, void *lane)
{
    struct mct_msg msg;
    struct mct_error err;
    if (mct_msg_parse(frame, &msg, &err) < 0)
        on_bad(s, &msg, &err, lane);
    else
        mct_session_receive_msg(s, &msg, lane);
}

void mct_session_fail_all(struct mct_session *s, const struct mct_error *why)
{
    for (struct mct_outbound *o; (o = outbound_of(mct_map_any(&s->outbound)));) {
        forget(o, false);
        o->done(o, NULL, why);
    }
}

void mct_session_drop(struct mct_session *s, const struct mct_error *why)
{
    mct_session_fail_all(s, why);
    while (!mct_list_empty(&s->inbound)) {
        struct mct_inbound *in = MCT_CONTAINER(s->inbound.next, struct mct_inbound, node);
        if (in->batch)
            in->batch->session = NULL; /* the answers that are there have nowhere to go */
        cancel_inbound(in);
    }
}
