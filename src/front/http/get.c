/* GET: the stream of what belongs to no request, and coming back to a stream. DELETE: the end. */
#include "front/http/impl.h"

#include "mcp/session.h"

/* A stream that was left in the middle. Where something is kept no longer, the client is told rather than left to
 * believe that it has seen everything: without Last-Event-ID the GET stream begins with what was never sent. */
static void resume(const struct visit *v, struct http_session *s, struct mct_str event_id)
{
    unsigned number = 0;
    struct lane *l = events_find(s, event_id, &number);
    if (!l)
        refuse(v->x, 400, MCT_RPC_REFUSED, MCT_STR_NONE, "Last-Event-ID names no event that is kept for this session");
    else if (l != s->stream || !refuse_late(v, MCT_STR_NONE))
        events_resume(l, v->x, number);
}

static void open_stream(const struct visit *v, struct http_session *s)
{
    struct lane *l = session_stream(s);
    if (!l)
        mct_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    else if (l->x)
        refuse(v->x, 409, MCT_RPC_REFUSED, MCT_STR_NONE, "this session has an open GET stream already");
    else if (!refuse_late(v, MCT_STR_NONE)) {
        events_resume(l, v->x, l->sent);
        if (l->x && l->sent == 0)
            mct_http_stream_write(l->x, MCT_STR(": open\n\n")); /* a first byte at once */
    }
}

void handle_get(const struct visit *v)
{
    bool stream = accepts(v->x, "text/event-stream");
    if (!mct_http_get(v->x, "mcp-session-id").p && !stream) {
        refuse(v->x, 406, MCT_RPC_REFUSED, MCT_STR_NONE, "this is an MCP endpoint: POST JSON-RPC messages to it");
        return;
    }
    struct http_session *s = named_session(v, MCT_STR_NONE);
    struct mct_str event_id = mct_http_get(v->x, "last-event-id");
    if (!s)
        return;
    if (!stream) {
        refuse(v->x, 406, MCT_RPC_REFUSED, MCT_STR_NONE, "Accept must admit text/event-stream");
    } else if (version_fits(v, MCT_STR_NONE)) {
        session_touch(s);
        if (event_id.len)
            resume(v, s, event_id);
        else
            open_stream(v, s);
    }
}

void handle_delete(const struct visit *v)
{
    struct http_session *s = leaving_session(v, MCT_STR_NONE);
    if (!s)
        return;
    session_free(s);
    mct_http_reply(v->x, 204, NULL, MCT_STR_NONE, MCT_STR_NONE);
}
