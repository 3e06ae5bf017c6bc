/*
 * The server's side of HTTP+SSE (2024-11-05): GET opens the stream, whose first event names where to POST;
 * everything the server says comes on the stream. Without it the session is over: there is nothing to come
 * back to. Off unless asked for.
 */
#include "front/http/impl.h"

#include "base/limits.h"
#include "mcp/batch.h"

#include <stdio.h>

static int on_send(void *data, struct mct_str frame, void *lane, bool final)
{
    struct http_session *s = data;
    (void)lane;
    int r = s->stream && s->stream->x ? lane_send(s->stream, frame, false) : -1;
    if (final && s->front->draining && s->peer->session.n_inbound <= 1)
        session_end_stream(s);
    return r;
}

static const struct mct_peer_ops sse_peer_ops = { .send = on_send, .principal = session_principal };

void handle_sse(const struct visit *v)
{
    char text[96];
    if (!mct_str_is(mct_http_method(v->x), "GET")) {
        reply_plain(v->x, 405, MCT_STR("Allow: GET\r\n"), "usage", "this is the stream of HTTP+SSE: GET it");
        return;
    }
    if (!accepts(v->x, "text/event-stream")) {
        refuse(v->x, 406, MCT_RPC_REFUSED, MCT_STR_NONE, "Accept must admit text/event-stream");
        return;
    }
    if (refuse_late(v, MCT_STR_NONE))
        return;
    struct visit own = *v;
    own.face = face_of(v, MCT_STR_NONE);
    if (!own.face)
        return;
    struct http_session *s = session_new(&own, &sse_peer_ops);
    struct lane *l = s ? session_stream(s) : NULL;
    if (!l) {
        if (s)
            session_free(s);
        refuse(v->x, 503, MCT_RPC_INTERNAL, MCT_STR_NONE, "too many sessions are open");
        return;
    }
    s->legacy = true;
    lane_attach(l, v->x);
    lane_open_stream(l);
    snprintf(text, sizeof text, "event: endpoint\ndata: /messages?sessionId=%s\n\n", s->id);
    mct_http_stream_write(l->x, mct_str_of(text));
}

static struct http_session *find(const struct visit *v)
{
    struct mct_str id = mct_http_query(v->x, "sessionId");
    struct http_session *s = id.p ? session_find(v->front, id) : NULL;
    if (!id.p)
        refuse(v->x, 400, MCT_RPC_INVALID_REQUEST, MCT_STR_NONE, "the parameter sessionId is missing: GET /sse first");
    else if (!s || !s->legacy || s->principal != v->principal)
        refuse(v->x, 404, MCT_RPC_SESSION_NOT_FOUND, MCT_STR_NONE, "session not found: GET /sse again");
    else
        return s;
    return NULL;
}

static int read_message(const struct visit *v, const struct http_session *s, struct mct_msg *ret, struct mct_error *err)
{
    struct mct_msg_meta meta = { 0 };
    size_t n_requests;
    if (mct_msg_parse(mct_http_body(v->x), ret, err) < 0 || (ret->method.p && mct_msg_read_meta(ret, &meta, err) < 0))
        return -1;
    bool foreign = meta.version.p || (ret->kind == MCT_MSG_BATCH && s->peer->session.rev != MCT_REV_2025_03_26);
    if (foreign) {
        mct_fail(err, MCT_ERR_PROTOCOL, "HTTP+SSE takes no 2026-07-28 messages, and batches only in revision 2025-03-26");
        err->code = MCT_RPC_INVALID_REQUEST;
    }
    return foreign ? -1 : ret->kind == MCT_MSG_BATCH ? mct_batch_check(ret->text, &n_requests, err) : 0;
}

static void deliver(struct mct_session *s, const struct mct_msg *msg)
{
    if (msg->kind == MCT_MSG_BATCH)
        mct_batch_deliver(s, msg->text, NULL);
    else
        mct_session_receive_msg(s, msg, NULL);
}

void handle_sse_message(const struct visit *v)
{
    struct mct_msg msg;
    struct mct_error err;
    if (!v->front->legacy_sse) {
        reply_plain(v->x, 404, MCT_STR_NONE, "not_found", "nothing here");
        return;
    }
    if (!mct_str_is(mct_http_method(v->x), "POST")) {
        reply_plain(v->x, 405, MCT_STR("Allow: POST\r\n"), "usage", "method not allowed");
        return;
    }
    struct visit own = *v;
    struct http_session *s = visit_read_prefs(&own) ? find(&own) : NULL;
    if (!s || !session_fits(&own, s, MCT_STR_NONE))
        return;
    if (read_message(v, s, &msg, &err) < 0) {
        reply_error(v->x, 400, msg.id, &err, MCT_STR_NONE);
        return;
    }
    access_session(v->x, s);
    access_message(v->x, &msg);
    access_name(v, s->peer->view, &msg);
    session_touch(s);
    deliver(&s->peer->session, &msg);
    if (v->front->draining && !s->peer->session.n_inbound)
        session_end_stream(s); /* the last call was cancelled: no answer will end it */
    mct_http_reply(v->x, 202, "text/plain", MCT_STR_NONE, MCT_STR("Accepted"));
}
