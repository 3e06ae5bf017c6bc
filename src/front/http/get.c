/* GET: the stream of what belongs to no request, and coming back to a stream. DELETE: the end. */
#include "front/http/impl.h"

#include "mcp/session.h"

/* A stream that was left in the middle. Where something is kept no longer, the client is told rather than left to
 * believe that it has seen everything: without Last-Event-ID the GET stream begins with what was never sent. */
static void get_resume(const struct mcti_http_visit *v, struct mcti_http_session *s, struct mcti_str event_id)
{
    unsigned number = 0;
    struct mcti_lane *l = mcti_http_events_find(s, event_id, &number);
    if (!l)
        mcti_http_post_refuse(v->x, 400, MCT_RPC_REFUSED, MCT_STR_NONE,
                              "Last-Event-ID names no event that is kept for this session");
    else if (l != s->stream || !mcti_http_refuse_late(v, MCT_STR_NONE))
        mcti_http_events_resume(l, v->x, number);
}

static void get_open_stream(const struct mcti_http_visit *v, struct mcti_http_session *s)
{
    struct mcti_lane *l = mcti_http_session_stream(s);
    if (!l)
        mcti_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    else if (l->x)
        mcti_http_post_refuse(v->x, 409, MCT_RPC_REFUSED, MCT_STR_NONE, "this session has an open GET stream already");
    else if (!mcti_http_refuse_late(v, MCT_STR_NONE)) {
        mcti_http_events_resume(l, v->x, l->sent);
        if (l->x && l->sent == 0)
            mcti_http_stream_write(l->x, MCT_STR(": open\n\n")); /* a first byte at once */
    }
}

void mcti_http_handle_get(const struct mcti_http_visit *v)
{
    bool stream = mcti_http_accepts(v->x, "text/event-stream");
    if (!mcti_http_get(v->x, "mcp-session-id").p && !stream) {
        mcti_http_post_refuse(v->x, 406, MCT_RPC_REFUSED, MCT_STR_NONE,
                              "this is an MCP endpoint: POST JSON-RPC messages to it");
        return;
    }
    struct mcti_http_session *s = mcti_http_named_session(v, MCT_STR_NONE);
    struct mcti_str event_id = mcti_http_get(v->x, "last-event-id");
    if (!s)
        return;
    if (!stream) {
        mcti_http_post_refuse(v->x, 406, MCT_RPC_REFUSED, MCT_STR_NONE, "Accept must admit text/event-stream");
    } else if (mcti_http_version_fits(v, MCT_STR_NONE)) {
        mcti_http_session_touch(s);
        if (event_id.len)
            get_resume(v, s, event_id);
        else
            get_open_stream(v, s);
    }
}

void mcti_http_handle_delete(const struct mcti_http_visit *v)
{
    struct mcti_http_session *s = mcti_http_leaving_session(v, MCT_STR_NONE);
    if (!s)
        return;
    mcti_http_session_free(s);
    mcti_http_reply(v->x, 204, NULL, MCT_STR_NONE, MCT_STR_NONE);
}
