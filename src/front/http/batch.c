/* JSON-RPC batches: 2025-03-26 servers must take them, no other revision knows them. */
#include "front/http/impl.h"

#include "base/limits.h"
#include "mcp/batch.h"

#include <stdlib.h>

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
    if (mct_batch_admit(s->peer->session.rev, batch->text, &n_requests, &err) < 0) {
        reply_error(v->x, 400, MCT_STR_NONE, &err, MCT_STR_NONE);
    } else if (!n_requests) {
        mct_batch_deliver(&s->peer->session, batch->text, NULL);
        mct_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!refuse_late(v, MCT_STR_NONE)) {
        struct lane *l = batch_lane(v, s, n_requests);
        if (l)
            mct_batch_deliver(&s->peer->session, batch->text, l);
    }
}

void handle_batch(const struct visit *v, const struct mct_msg *batch)
{
    struct mct_error err;
    size_t n_requests;
    if (!mct_http_get(v->x, "mcp-session-id").p && mct_batch_check(batch->text, &n_requests, &err) < 0) {
        reply_error(v->x, 400, MCT_STR_NONE, &err, MCT_STR_NONE);
        return;
    }
    struct http_session *s = named_session(v, MCT_STR_NONE);
    if (!s || !version_fits(v, MCT_STR_NONE))
        return;
    session_touch(s);
    take(v, s, batch);
}
