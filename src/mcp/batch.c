#include "mcp/batch.h"

#include <stdlib.h>

/* ---- what may be taken ---- */

static int fail(struct mct_error *err, const char *why)
{
    mct_fail(err, MCT_ERR_PROTOCOL, "%s", why);
    err->code = MCT_RPC_INVALID_REQUEST;
    return -1;
}

static int check_item(struct mct_str item, size_t *n_requests, struct mct_error *err)
{
    struct mct_msg msg;
    struct mct_msg_meta meta = { 0 };
    if (mct_json_type(item) == '[' || mct_msg_parse(item, &msg, err) < 0)
        return fail(err, "a member of the batch is no JSON-RPC message");
    if (msg.method.p && mct_msg_read_meta(&msg, &meta, err) < 0)
        return -1;
    if (meta.version.p)
        return fail(err, "a message that names its protocol version cannot stand in a batch");
    if (mct_str_is(msg.method, "initialize"))
        return fail(err, "initialize cannot stand in a batch"); /* 2025-03-26 "Lifecycle" */
    *n_requests += msg.kind == MCT_MSG_REQUEST;
    return 0;
}

int mct_batch_check(struct mct_str batch, size_t *ret_requests, struct mct_error *err)
{
    struct mct_str item;
    size_t n = 0;
    *ret_requests = 0;
    for (struct mct_json_iter it = mct_json_open(batch); mct_json_next_item(&it, &item); n++) {
        if (n == MCT_LIMIT_BATCH)
            return fail(err, "the batch has too many messages");
        if (check_item(item, ret_requests, err) < 0)
            return -1;
    }
    return n ? 0 : fail(err, "the batch is empty");
}

static int check_revision(enum mct_rev rev, struct mct_error *err)
{
    return rev == MCT_REV_2025_03_26 ? 0 : fail(err, "JSON-RPC batches are of revision 2025-03-26 only");
}

int mct_batch_admit(enum mct_rev rev, struct mct_str batch, size_t *ret_requests, struct mct_error *err)
{
    return check_revision(rev, err) < 0 ? -1 : mct_batch_check(batch, ret_requests, err);
}

void mct_batch_deliver(struct mct_session *s, struct mct_str batch, void *lane)
{
    struct mct_str item;
    for (struct mct_json_iter it = mct_json_open(batch); mct_json_next_item(&it, &item);)
        if (mct_json_type(item) != '[') /* none stands in another */
            mct_session_receive(s, item, lane);
}

/* ---- the answers ---- */

bool mct_batch_put(struct mct_buf *array, struct mct_str answer)
{
    size_t before = array->len;
    mct_buf_addc(array, before ? ',' : '[');
    mct_buf_add(array, answer);
    if (mct_buf_ok(array) && array->len < array->max) /* the bracket that closes it fits as well */
        return true;
    array->failed = false;
    array->len = before;
    return false;
}

struct mct_str mct_batch_close(struct mct_buf *array)
{
    mct_buf_addc(array, ']');
    return mct_buf_str(array);
}

static void flush(struct mct_batch *b)
{
    if (b->session && b->answers.len)
        b->session->ops->send(b->session->data, mct_batch_close(&b->answers), b->lane, true);
    mct_buf_clear(&b->answers);
}

void mct_batch_answer(struct mct_batch *b, struct mct_str frame)
{
    if (mct_batch_put(&b->answers, frame))
        return;
    flush(b); /* they are too many for one message */
    if (!mct_batch_put(&b->answers, frame) && b->session) /* no memory: it leaves alone */
        b->session->ops->send(b->session->data, frame, b->lane, true);
}

void mct_batch_leave(struct mct_batch *b)
{
    if (--b->n_open)
        return;
    flush(b);
    mct_buf_done(&b->answers);
    free(b);
}

static void receive_gathered(struct mct_session *s, struct mct_str batch, void *lane)
{
    struct mct_batch *b = malloc(sizeof *b);
    if (!b) {
        mct_batch_deliver(s, batch, lane); /* each answer leaves alone */
        return;
    }
    *b = (struct mct_batch){ .session = s, .lane = lane, .n_open = 1 };
    mct_buf_init(&b->answers, s->frame.max + 2);
    s->batch = b;
    mct_batch_deliver(s, batch, lane);
    s->batch = NULL;
    mct_batch_leave(b);
}

int mct_batch_receive(struct mct_session *s, struct mct_str batch, void *lane, struct mct_error *err)
{
    size_t n_requests;
    bool from_server = !s->answers_bad_frames;
    if (from_server ? check_revision(s->rev, err) < 0 : mct_batch_admit(s->rev, batch, &n_requests, err) < 0)
        return -1;
    if (from_server)
        mct_batch_deliver(s, batch, lane);
    else
        receive_gathered(s, batch, lane);
    return 0;
}
