#include "mcp/session.h"

#include "json/write.h"
#include "mcp/batch.h"
#include "mcp/guess.h"
#include "mcp/session_impl.h"

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

static int session_send_pieces(struct mcti_session *s, void *lane, bool final)
{
    const struct mcti_pieces pieces = mcti_pieces_of(&s->frame);
    return s->ops->send_pieces(s->data, &pieces, lane, final);
}

int mcti_session_send_frame(struct mcti_session *s, void *lane, bool final)
{
    int r = -1;
    if (mcti_buf_ok(&s->frame))
        r = s->frame.splices && s->frame.splices->n ? session_send_pieces(s, lane, final)
                                                    : s->ops->send(s->data, mcti_buf_str(&s->frame), lane, final);
    if (s->lean)
        mcti_buf_done(&s->frame);
    else
        mcti_buf_clear(&s->frame);
    s->refusal = 0;
    return r;
}

void mcti_session_splice(struct mcti_session *s, struct mcti_splices *to, struct mcti_chunk *chunk)
{
    if (!chunk || !s->ops->send_pieces)
        return;
    *to = (struct mcti_splices){ .chunk = chunk };
    s->frame.splices = to;
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
    mcti_session_send_frame(s, NULL, false);
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
    if (o->session->n_holds || o->n_holds || (o->more_time && o->more_time(o))) {
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

/* A request of ours: the id, the method and the params follow these. */
static const char request_begin[] = "{\"jsonrpc\":\"2.0\",\"id\":", method_begin[] = ",\"method\":\"",
                  params_begin[] = "\",\"params\":";

struct mcti_buf *mcti_session_begin(struct mcti_session *s, struct mcti_outbound *o, const char *method)
{
    struct mcti_buf *b = &s->frame;
    o->id = ++s->last_id;
    mcti_buf_addz(b, request_begin);
    mcti_buf_addu(b, o->id);
    mcti_buf_addz(b, method_begin);
    mcti_buf_addz(b, method);
    mcti_buf_addz(b, params_begin);
    s->params_at = b->len;
    return b;
}

/* Sends the request that has been written, with its parts, which need not be looked for again. */
static int session_send_request(struct mcti_session *s, const struct mcti_outbound *o)
{
    struct mcti_str frame = mcti_buf_str(&s->frame);
    struct mcti_msg msg = { MCT_MSG_REQUEST, .text = frame };
    if (s->frame.splices || !frame.len)
        return mcti_session_send_frame(s, o->lane, false);
    const char *id = frame.p + sizeof request_begin - 1, *params = frame.p + s->params_at, *end = frame.p + frame.len;
    msg.id = mcti_str_range(id, memchr(id, ',', (size_t)(params - id)));
    const char *method = msg.id.p + msg.id.len + sizeof method_begin - 1;
    msg.method = mcti_str_range(method, params - (sizeof params_begin - 1));
    msg.params = mcti_str_range(params, end - 1);
    s->sending = &msg;
    int r = mcti_session_send_frame(s, o->lane, false);
    s->sending = NULL;
    return r;
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
    if (session_send_request(s, o) < 0) {
        mcp_session_forget(o, false);
        return mcti_fail(err, MCT_ERR_CONNECT, "the request could not be sent");
    }
    o->deadline_ms = mcti_sched_now(s->sched) + (uint64_t)o->timeout_ms * MCT_PROGRESS_FACTOR;
    mcp_session_arm(o);
    return 0;
}

void mcti_session_lost_message(struct mcti_session *s, struct mcti_str head, const struct mct_error *why)
{
    struct mcti_guess g = mcti_guess(head);
    struct mcti_outbound *o = s->outbound.n == 1 ? outbound_of(mcti_map_any(&s->outbound)) : NULL;
    uint64_t id;
    if (mcti_json_uint(g.id, &id))
        o = mcti_session_find(s, id);
    if (!o || g.asks) /* a request or notification of the peer answers nothing */
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
    return mcti_session_send_frame(s, lane, false);
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
    struct mcti_str token = mcti_json_get(msg->params, "progressToken");
    struct mcti_outbound *o = find_outbound(s, token);
    double now = mcti_json_double(mcti_json_get(msg->params, "progress"));
    uint64_t id;
    if (!o && s->ops->succeeds && mcti_json_uint(token, &id))
        o = s->ops->succeeds(s->data, id);
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
        mcti_inbound_cancel(in);
        if (lane && s->ops->on_lane_done)
            s->ops->on_lane_done(s->data, lane, false);
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

void mcti_session_receive_chunk(struct mcti_session *s, struct mcti_str frame, struct mcti_chunk *chunk, void *lane)
{
    struct mcti_msg msg;
    struct mct_error err;
    if (mcti_msg_parse_chunk(frame, chunk, &msg, &err) < 0)
        mcp_session_on_bad_frame(s, &msg, &err, lane);
    else
        mcti_session_receive_msg(s, &msg, lane);
}

void mcti_session_receive(struct mcti_session *s, struct mcti_str frame, void *lane)
{
    mcti_session_receive_chunk(s, frame, NULL, lane);
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
        mcti_inbound_cancel(in);
    }
}
