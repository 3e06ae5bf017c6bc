/* GET: opens the stream for messages outside requests, or resumes a stream. DELETE: ends the session. */
#include "front/http/events.h"
#include "front/http/handle.h"

#include "mcp/session.h"

/* Resumes the stream of `event_id`. If a later event is no longer stored, refuses the request, so that the client
 * notices the gap; without Last-Event-ID the GET stream starts with the first event that was never sent. */
static void get_resume(const struct mcti_http_visit *v, struct mcti_http_session *s, struct mcti_str event_id)
{
    unsigned number = 0;
    struct mcti_lane *l = mcti_http_events_find(s, event_id, &number);
    if (!l)
        mcti_http_post_refuse(v->x, 400, MCT_RPC_REFUSED, MCT_STR_NONE,
                              "Last-Event-ID names no event stored for this session");
    else if (l != s->stream || !mcti_http_refuse_when_draining(v, MCT_STR_NONE))
        mcti_http_events_resume(l, v->x, number);
}

static void get_open_stream(const struct mcti_http_visit *v, struct mcti_http_session *s)
{
    struct mcti_lane *l = mcti_http_session_stream(s);
    if (!l)
        mcti_http_reply(v->x, 500, NULL, MCT_STR_NONE, MCT_STR_NONE);
    else if (l->x)
        mcti_http_post_refuse(v->x, 409, MCT_RPC_REFUSED, MCT_STR_NONE, "this session already has an open GET stream");
    else if (!mcti_http_refuse_when_draining(v, MCT_STR_NONE)) {
        mcti_http_events_resume(l, v->x, l->sent);
        if (l->x && l->sent == 0)
            mcti_http_stream_write(l->x, MCT_STR(": open\n\n")); /* sends the headers at once */
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
    } else if (mcti_http_check_version(v, MCT_STR_NONE)) {
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
