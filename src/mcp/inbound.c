/* The peer's requests, from their arrival to their answer. */
#include "json/write.h"
#include "mcp/batch.h"
#include "mcp/session_impl.h"

#include <stdlib.h>

/* Sends the frame, which answers a request. An answer within a batch is sent with the other answers. */
static int send_answer(struct mcti_session *s, struct mcti_batch *batch, void *lane)
{
    if (!batch || !mcti_buf_ok(&s->frame))
        return mcti_session_send_frame(s, lane, true);
    mcti_batch_answer(batch, mcti_buf_str(&s->frame));
    mcti_buf_clear(&s->frame);
    s->refusal = 0;
    return 0;
}

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

void mcti_inbound_cancel(struct mcti_inbound *in)
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
            mcti_inbound_cancel(in);
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
static void put_refusal(struct mcti_session *s, struct mcti_buf *b, const struct mct_error *err, struct mcti_str data)
{
    mcti_session_put_error(b, err, data);
    s->refusal = mcti_error_rpc_code(err);
    s->refusal_ms = err->retry_after_ms;
}

struct mcti_buf *mcti_inbound_begin(struct mcti_inbound *in)
{
    return begin_inbound(in, "result");
}

void mcti_inbound_splice(struct mcti_inbound *in, struct mcti_splices *to, struct mcti_chunk *chunk)
{
    if (in->session && !in->batch)
        mcti_session_splice(in->session, to, chunk);
}

static void give_up(struct mcti_session *s, void *lane)
{
    mcti_buf_clear(&s->frame);
    if (lane && s->ops->on_lane_done)
        s->ops->on_lane_done(s->data, lane, true);
}

/* Answers with an error when the answer did not fit or memory was exhausted. */
static void send_too_large(struct mcti_session *s, const struct mcti_inbound *in)
{
    struct mct_error err;
    struct mcti_str id = { in->id, in->id_len };
    mcti_buf_clear(&s->frame);
    mcti_fail(&err, MCT_ERR_LIMIT, "the answer is larger than the message limit (limits.message_bytes)");
    put_refusal(s, begin_answer(s, id, "error"), &err, MCT_STR_NONE);
    mcti_buf_addc(&s->frame, '}');
    if (send_answer(s, in->batch, in->lane) < 0)
        give_up(s, in->lane);
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
    uint64_t ms = 0;
    mcti_json_int(mcti_json_get(error_object, "code"), &code);
    in->session->refusal = (int)code;
    if (code == MCT_RPC_BUSY && mcti_json_uint(mcti_json_get(mcti_json_get(error_object, "data"), MCT_DATA_RETRY), &ms))
        in->session->refusal_ms = ms < MCT_LIMIT_RETRY_MS ? (unsigned)ms : MCT_LIMIT_RETRY_MS;
    mcti_inbound_send(in);
}

void mcti_inbound_fail(struct mcti_inbound *in, const struct mct_error *err, struct mcti_str data)
{
    struct mcti_buf *b = begin_inbound(in, "error");
    if (!b)
        return;
    put_refusal(in->session, b, err, data);
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

/* Writes the member "data": an object gets the time after which a new attempt may succeed. */
static void put_error_data(struct mcti_buf *to, const struct mct_error *err, struct mcti_str data)
{
    char ms[16];
    snprintf(ms, sizeof ms, "%u", err->retry_after_ms);
    const struct mcti_json_set later = { MCT_DATA_RETRY, mcti_str_of(ms) };
    bool has_room = err->retry_after_ms && (!data.p || mcti_json_type(data) == '{');
    if (!has_room && !data.p)
        return;
    mcti_json_put_key(to, "data");
    if (has_room)
        mcti_json_put_object(to, data.p ? data : MCT_STR("{}"), &later, 1);
    else
        mcti_buf_add(to, data);
}

void mcti_session_put_error(struct mcti_buf *to, const struct mct_error *err, struct mcti_str data)
{
    int code = mcti_error_rpc_code(err);
    mcti_buf_addz(to, code < 0 ? "{\"code\":-" : "{\"code\":");
    mcti_buf_addu(to, (uint64_t)(code < 0 ? -code : code));
    mcti_json_put_member(to, "message", mcti_str_of(err->message));
    put_error_data(to, err, data);
    mcti_buf_addc(to, '}');
}

static int send_refusal(struct mcti_session *s, struct mcti_str id, void *lane, const struct mct_error *err,
                        struct mcti_str data)
{
    put_refusal(s, begin_answer(s, id, "error"), err, data);
    mcti_buf_addc(&s->frame, '}');
    return send_answer(s, s->batch, lane);
}

void mcti_session_refuse(struct mcti_session *s, const struct mcti_msg *msg, void *lane, const struct mct_error *err,
                         struct mcti_str data)
{
    if (send_refusal(s, msg->id, lane, err, data) < 0 && send_refusal(s, msg->id, lane, err, MCT_STR_NONE) < 0)
        give_up(s, lane);
}
