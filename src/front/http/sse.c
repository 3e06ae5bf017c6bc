/*
 * The server side of HTTP+SSE (2024-11-05). GET opens the stream; its first event names the URL for POST, and every
 * message to the client is an event of this stream. The session ends with the stream, because it cannot be resumed.
 * Disabled by default.
 */
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/http/log.h"
#include "front/http/session.h"

#include "base/limits.h"
#include "mcp/batch.h"

#include <stdio.h>

static int http_sse_on_send(void *data, const struct mcti_pieces *frame, void *lane, bool final)
{
    struct mcti_http_session *s = data;
    (void)lane;
    int r = s->stream && s->stream->x ? mcti_lane_send_pieces(s->stream, frame, false) : -1;
    if (final && s->front->draining && s->peer->session.n_inbound <= 1)
        mcti_http_session_end_stream(s);
    return r;
}

static const struct mcti_peer_ops sse_peer_ops = { .send_pieces = http_sse_on_send,
                                                   .principal = mcti_http_session_principal,
                                                   .transport = "sse" };

void mcti_http_handle_sse(const struct mcti_http_visit *v)
{
    char text[96];
    if (!mcti_str_is(mcti_http_method(v->x), "GET")) {
        mcti_http_reply_plain(v->x, 405, MCT_STR("Allow: GET\r\n"), "usage",
                              "method not allowed: open the HTTP+SSE stream with GET");
        return;
    }
    if (!mcti_http_accepts(v->x, "text/event-stream")) {
        mcti_http_post_refuse(v->x, 406, MCT_RPC_REFUSED, MCT_STR_NONE, "Accept must admit text/event-stream");
        return;
    }
    if (mcti_http_refuse_when_draining(v, MCT_STR_NONE))
        return;
    struct mcti_http_visit own = *v;
    own.face = mcti_face_for_visit(v, MCT_STR_NONE);
    if (!own.face)
        return;
    struct mcti_http_session *s = mcti_http_session_new(&own, &sse_peer_ops);
    struct mcti_lane *l = s ? mcti_http_session_stream(s) : NULL;
    if (!l) {
        if (s)
            mcti_http_session_free(s);
        mcti_http_post_refuse(v->x, 503, MCT_RPC_INTERNAL, MCT_STR_NONE, "too many sessions are open");
        return;
    }
    s->legacy = true;
    mcti_lane_attach(l, v->x);
    mcti_lane_open_stream(l);
    snprintf(text, sizeof text, "event: endpoint\ndata: /messages?sessionId=%s\n\n", s->id);
    mcti_http_stream_write(l->x, mcti_str_of(text));
}

static struct mcti_http_session *http_sse_find(const struct mcti_http_visit *v)
{
    struct mcti_str id = mcti_http_query(v->x, "sessionId");
    struct mcti_http_session *s = id.p ? mcti_http_session_find(v->front, id) : NULL;
    if (!id.p)
        mcti_http_post_refuse(v->x, 400, MCT_RPC_INVALID_REQUEST, MCT_STR_NONE,
                              "the parameter sessionId is missing: GET /sse first");
    else if (!s || !s->legacy || s->principal != v->principal)
        mcti_http_post_refuse(v->x, 404, MCT_RPC_SESSION_NOT_FOUND, MCT_STR_NONE, "session not found: GET /sse again");
    else
        return s;
    return NULL;
}

static int read_message(const struct mcti_http_visit *v, const struct mcti_http_session *s, struct mcti_msg *ret,
                        struct mct_error *err)
{
    struct mcti_msg_meta meta = { 0 };
    size_t n_requests;
    if (mcti_msg_parse(mcti_http_body(v->x), ret, err) < 0 ||
        (ret->method.p && mcti_msg_read_meta(ret, &meta, err) < 0))
        return -1;
    bool foreign = meta.version.p || (ret->kind == MCT_MSG_BATCH && s->peer->session.rev != MCT_REV_2025_03_26);
    if (foreign) {
        mcti_fail(err, MCT_ERR_PROTOCOL,
                  "HTTP+SSE accepts no 2026-07-28 messages, and batches only in revision 2025-03-26");
        err->code = MCT_RPC_INVALID_REQUEST;
    }
    return foreign ? -1 : ret->kind == MCT_MSG_BATCH ? mcti_batch_check(ret->text, &n_requests, err) : 0;
}

static void http_sse_deliver(struct mcti_session *s, const struct mcti_msg *msg)
{
    if (msg->kind == MCT_MSG_BATCH)
        mcti_batch_deliver(s, msg->text, NULL);
    else
        mcti_session_receive_msg(s, msg, NULL);
}

void mcti_http_handle_sse_message(const struct mcti_http_visit *v)
{
    struct mcti_msg msg;
    struct mct_error err;
    if (!v->front->legacy_sse) {
        mcti_http_reply_plain(v->x, 404, MCT_STR_NONE, "not_found", "not found");
        return;
    }
    if (!mcti_str_is(mcti_http_method(v->x), "POST")) {
        mcti_http_reply_plain(v->x, 405, MCT_STR("Allow: POST\r\n"), "usage", "method not allowed");
        return;
    }
    struct mcti_http_visit own = *v;
    struct mcti_http_session *s = mcti_http_visit_read_prefs(&own) ? http_sse_find(&own) : NULL;
    if (!s || !mcti_http_check_session_prefs(&own, s, MCT_STR_NONE))
        return;
    if (read_message(v, s, &msg, &err) < 0) {
        mcti_http_reply_error(v->x, 400, msg.id, &err, MCT_STR_NONE);
        return;
    }
    mcti_access_session(v->x, s);
    mcti_access_message(v->x, &msg);
    mcti_access_name(v, s->peer->view, &msg);
    mcti_http_session_touch(s);
    http_sse_deliver(&s->peer->session, &msg);
    if (v->front->draining && !s->peer->session.n_inbound)
        mcti_http_session_end_stream(s); /* the last request was cancelled: no answer will end the stream */
    mcti_http_reply(v->x, 202, "text/plain", MCT_STR_NONE, MCT_STR("Accepted"));
}
