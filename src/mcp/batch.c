#include "mcp/batch.h"

#include <stdlib.h>

/* ---- validation ---- */

static int mcp_batch_fail(struct mct_error *err, const char *why)
{
    mcti_fail(err, MCT_ERR_PROTOCOL, "%s", why);
    err->code = MCT_RPC_INVALID_REQUEST;
    return -1;
}

static int check_item(struct mcti_str item, size_t *n_requests, struct mct_error *err)
{
    struct mcti_msg msg;
    struct mcti_msg_meta meta = { 0 };
    if (mcti_json_type(item) == '[' || mcti_msg_parse(item, &msg, err) < 0)
        return mcp_batch_fail(err, "a batch element is not a valid JSON-RPC message");
    if (msg.method.p && mcti_msg_read_meta(&msg, &meta, err) < 0)
        return -1;
    if (meta.version.p)
        return mcp_batch_fail(err, "a message with its own protocol version is not allowed in a batch");
    if (mcti_str_is(msg.method, "initialize"))
        return mcp_batch_fail(err, "initialize is not allowed in a batch"); /* 2025-03-26, "Lifecycle" */
    *n_requests += msg.kind == MCT_MSG_REQUEST;
    return 0;
}

int mcti_batch_check(struct mcti_str batch, size_t *ret_requests, struct mct_error *err)
{
    struct mcti_str item;
    size_t n = 0;
    *ret_requests = 0;
    for (struct mcti_json_iter it = mcti_json_open(batch); mcti_json_next_item(&it, &item); n++) {
        if (n == MCT_LIMIT_BATCH)
            return mcp_batch_fail(err, "the batch has too many messages");
        if (check_item(item, ret_requests, err) < 0)
            return -1;
    }
    return n ? 0 : mcp_batch_fail(err, "the batch is empty");
}

static int check_revision(enum mcti_rev rev, struct mct_error *err)
{
    return rev == MCT_REV_2025_03_26
               ? 0
               : mcp_batch_fail(err, "JSON-RPC batches are supported in revision 2025-03-26 only");
}

int mcti_batch_admit(enum mcti_rev rev, struct mcti_str batch, size_t *ret_requests, struct mct_error *err)
{
    return check_revision(rev, err) < 0 ? -1 : mcti_batch_check(batch, ret_requests, err);
}

void mcti_batch_deliver(struct mcti_session *s, struct mcti_str batch, void *lane)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(batch); mcti_json_next_item(&it, &item);)
        if (mcti_json_type(item) != '[') /* batches cannot be nested */
            mcti_session_receive(s, item, lane);
}

/* ---- the answers ---- */

bool mcti_batch_put(struct mcti_buf *array, struct mcti_str answer)
{
    size_t before = array->len;
    mcti_buf_addc(array, before ? ',' : '[');
    mcti_buf_add(array, answer);
    if (mcti_buf_ok(array) && array->len < array->max) /* the closing bracket fits as well */
        return true;
    array->failed = false;
    array->len = before;
    return false;
}

struct mcti_str mcti_batch_close(struct mcti_buf *array)
{
    mcti_buf_addc(array, ']');
    return mcti_buf_str(array);
}

static void mcp_batch_flush(struct mcti_batch *b)
{
    if (b->session && b->answers.len)
        b->session->ops->send(b->session->data, mcti_batch_close(&b->answers), b->lane, true);
    mcti_buf_clear(&b->answers);
}

void mcti_batch_answer(struct mcti_batch *b, struct mcti_str frame)
{
    if (mcti_batch_put(&b->answers, frame))
        return;
    mcp_batch_flush(b);                                    /* too many answers for one message */
    if (!mcti_batch_put(&b->answers, frame) && b->session) /* out of memory: the answer is sent alone */
        b->session->ops->send(b->session->data, frame, b->lane, true);
}

void mcti_batch_leave(struct mcti_batch *b)
{
    if (--b->n_open)
        return;
    mcp_batch_flush(b);
    mcti_buf_done(&b->answers);
    free(b);
}

static void receive_gathered(struct mcti_session *s, struct mcti_str batch, void *lane)
{
    struct mcti_batch *b = malloc(sizeof *b);
    if (!b) {
        mcti_batch_deliver(s, batch, lane); /* each answer is sent alone */
        return;
    }
    *b = (struct mcti_batch){ .session = s, .lane = lane, .n_open = 1 };
    mcti_buf_init(&b->answers, s->frame.max + 2);
    s->batch = b;
    mcti_batch_deliver(s, batch, lane);
    s->batch = NULL;
    mcti_batch_leave(b);
}

int mcti_batch_receive(struct mcti_session *s, struct mcti_str batch, void *lane, struct mct_error *err)
{
    size_t n_requests;
    bool from_server = !s->answers_bad_frames;
    if (from_server ? check_revision(s->rev, err) < 0 : mcti_batch_admit(s->rev, batch, &n_requests, err) < 0)
        return -1;
    if (from_server)
        mcti_batch_deliver(s, batch, lane);
    else
        receive_gathered(s, batch, lane);
    return 0;
}
