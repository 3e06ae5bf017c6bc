#include "front/http_impl.h"

#include "json/write.h"

#include <stdlib.h>

struct lane *lane_new(struct mct_front_http *f, struct mct_http_exchange *x, struct mct_peer *peer,
                      struct http_session *s)
{
    struct lane *l = calloc(1, sizeof *l);
    if (!l) {
        mct_http_reply(x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
        return NULL;
    }
    *l = (struct lane){ .front = f, .x = x, .peer = peer, .session = s };
    mct_list_append(s ? &s->lanes : &f->lanes, &l->node);
    mct_http_set_user(x, l);
    return l;
}

void lane_free(struct lane *l)
{
    if (l->session && l->session->stream == l)
        l->session->stream = NULL;
    if (l->session)
        session_touch(l->session); /* its time begins when its last stream ends */
    mct_list_remove(&l->node);
    mct_http_set_user(l->x, NULL);
    free(l);
}

void put_event(struct mct_buf *to, struct mct_str frame)
{
    mct_buf_addz(to, "event: message\ndata: ");
    mct_json_put_line(to, frame);
    mct_buf_addz(to, "\n\n");
}

void lane_open_stream(struct lane *l, struct mct_str extra)
{
    struct mct_buf headers;
    mct_buf_init(&headers, 1024);
    mct_buf_addz(&headers, MCT_SSE_HEADERS);
    mct_buf_add(&headers, extra);
    mct_http_stream_open(l->x, 200, "text/event-stream", mct_buf_str(&headers));
    mct_buf_done(&headers);
    l->streaming = true;
}

static int send_event(struct lane *l, struct mct_str frame, bool final)
{
    struct mct_buf event;
    mct_buf_init(&event, frame.len + 64);
    put_event(&event, frame);
    int r = mct_buf_ok(&event) ? mct_http_stream_write(l->x, mct_buf_str(&event)) : -1;
    mct_buf_done(&event);
    if (final && r == 0) {
        mct_http_stream_close(l->x);
        lane_free(l);
    }
    return r; /* a client that is too slow is dropped: on_abort frees the lane */
}

/* The first answer of a session names it (2025-11-25 "Session Management"). */
static void reply_whole(struct lane *l, struct mct_str frame)
{
    struct mct_buf headers;
    struct mct_http_exchange *x = l->x;
    mct_buf_init(&headers, 256);
    if (l->names_session)
        mct_buf_printf(&headers, "Mcp-Session-Id: %s\r\n", l->session->id);
    /* 2026-07-28 "Errors": a capability the client lacks is the request's own fault */
    bool lacking = !l->session && l->peer->session.refusal == MCT_RPC_MISSING_CAPABILITY;
    lane_free(l);
    mct_http_reply(x, lacking ? 400 : 200, "application/json", mct_buf_str(&headers), frame);
    mct_buf_done(&headers);
}

int lane_send(struct lane *l, struct mct_str frame, bool final)
{
    if (final && !l->streaming) {
        reply_whole(l, frame);
        return 0;
    }
    if (!l->streaming)
        lane_open_stream(l, MCT_STR_NONE);
    return send_event(l, frame, final);
}

void lane_end(struct lane *l)
{
    if (!l->streaming)
        lane_open_stream(l, MCT_STR_NONE);
    mct_http_stream_close(l->x);
    lane_free(l);
}

void lane_ping(struct lane *l)
{
    if (l->streaming)
        mct_http_stream_write(l->x, MCT_STR(": keep-alive\n\n"));
}
