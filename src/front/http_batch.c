/* JSON-RPC batches: 2025-03-26 servers must take them, no other revision knows them. */
#include "front/http_impl.h"

#include "base/limits.h"

#include <stdlib.h>

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

int batch_check(const struct mct_msg *batch, size_t *ret_requests, struct mct_error *err)
{
    struct mct_str item;
    size_t n = 0;
    *ret_requests = 0;
    for (struct mct_json_iter it = mct_json_open(batch->text); mct_json_next_item(&it, &item); n++) {
        if (n == MCT_LIMIT_BATCH)
            return fail(err, "the batch has too many messages");
        if (check_item(item, ret_requests, err) < 0)
            return -1;
    }
    return n ? 0 : fail(err, "the batch is empty");
}

static void deliver(struct mct_session *s, const struct mct_msg *batch, struct lane *l)
{
    struct mct_str item;
    for (struct mct_json_iter it = mct_json_open(batch->text); mct_json_next_item(&it, &item);)
        mct_session_receive(s, item, l);
}

/* The answers leave together, or, as soon as something must be said in between, as events. */
static struct lane *batch_lane(const struct visit *v, struct http_session *s, size_t n_requests)
{
    struct mct_buf *b = malloc(sizeof *b);
    struct lane *l = b ? lane_new(v, s->peer, s, (unsigned)n_requests) : NULL;
    if (!b)
        mct_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    if (!l) {
        free(b);
        return NULL;
    }
    mct_buf_init(b, MCT_LIMIT_ANSWER_FACTOR * v->front->message_bytes);
    l->gathered = b;
    return l;
}

static void take(const struct visit *v, struct http_session *s, const struct mct_msg *batch)
{
    struct mct_error err;
    size_t n_requests;
    if (s->peer->session.rev != MCT_REV_2025_03_26) {
        refuse(v->x, 400, MCT_RPC_INVALID_REQUEST, MCT_STR_NONE, "JSON-RPC batches are of revision 2025-03-26 only");
    } else if (batch_check(batch, &n_requests, &err) < 0) {
        reply_error(v->x, 400, MCT_STR_NONE, &err, MCT_STR_NONE);
    } else if (!n_requests) {
        deliver(&s->peer->session, batch, NULL);
        mct_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!refuse_late(v, MCT_STR_NONE)) {
        struct lane *l = batch_lane(v, s, n_requests);
        if (l)
            deliver(&s->peer->session, batch, l);
    }
}

void handle_batch(const struct visit *v, const struct mct_msg *batch)
{
    struct mct_error err;
    size_t n_requests;
    if (!mct_http_get(v->x, "mcp-session-id").p && batch_check(batch, &n_requests, &err) < 0) {
        reply_error(v->x, 400, MCT_STR_NONE, &err, MCT_STR_NONE);
        return;
    }
    struct http_session *s = named_session(v, MCT_STR_NONE);
    if (!s || !version_fits(v, MCT_STR_NONE))
        return;
    session_touch(s);
    take(v, s, batch);
}
