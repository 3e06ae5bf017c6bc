/* JSON-RPC batches: 2025-03-26 servers must accept them, no other revision has them. */
#include "front/http/handle.h"
#include "front/http/session.h"

#include "base/limits.h"
#include "mcp/batch.h"

#include <stdlib.h>

/* Creates the lane of a batch: its answers are gathered into one array, or sent as events once another message has to
 * be sent before the last answer. */
static struct mcti_lane *batch_lane(const struct mcti_http_visit *v, struct mcti_http_session *s, size_t n_requests)
{
    struct mcti_buf *b = malloc(sizeof *b);
    struct mcti_lane *l = b ? mcti_lane_new(v, s->peer, s, (unsigned)n_requests) : NULL;
    if (!b)
        mcti_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    if (!l) {
        free(b);
        return NULL;
    }
    mcti_buf_init(b, MCT_LIMIT_ANSWER_FACTOR * v->front->message_bytes);
    l->gathered = b;
    return l;
}

static void http_batch_take(const struct mcti_http_visit *v, struct mcti_http_session *s, const struct mcti_msg *batch)
{
    struct mct_error err;
    size_t n_requests;
    if (mcti_batch_admit(s->peer->session.rev, batch->text, &n_requests, &err) < 0) {
        mcti_http_reply_error(v->x, 400, MCT_STR_NONE, &err, MCT_STR_NONE);
    } else if (!n_requests) {
        mcti_batch_deliver(&s->peer->session, batch->text, NULL);
        mcti_http_reply(v->x, 202, NULL, MCT_STR_NONE, MCT_STR_NONE);
    } else if (!mcti_http_refuse_when_draining(v, MCT_STR_NONE)) {
        struct mcti_lane *l = batch_lane(v, s, n_requests);
        if (l)
            mcti_batch_deliver(&s->peer->session, batch->text, l);
    }
}

void mcti_http_handle_batch(const struct mcti_http_visit *v, const struct mcti_msg *batch)
{
    struct mct_error err;
    size_t n_requests;
    if (!mcti_http_get(v->x, "mcp-session-id").p && mcti_batch_check(batch->text, &n_requests, &err) < 0) {
        mcti_http_reply_error(v->x, 400, MCT_STR_NONE, &err, MCT_STR_NONE);
        return;
    }
    struct mcti_http_session *s = mcti_http_named_session(v, MCT_STR_NONE);
    if (!s || !mcti_http_check_version(v, MCT_STR_NONE))
        return;
    mcti_http_session_touch(s);
    http_batch_take(v, s, batch);
}
