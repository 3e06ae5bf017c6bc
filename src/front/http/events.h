/*
 * Stored events: messages of the streams of sessions, kept for clients that resume a stream ("Resumability and
 * Redelivery", 2025-03-26 and later). Lanes without a session store none.
 */
#ifndef MCT_FRONT_HTTP_EVENTS_H
#define MCT_FRONT_HTTP_EVENTS_H

#include "front/http/session.h"

/* Appends the event of a message, which is one line, to *to. `number` 0: the event has no id. */
void mcti_http_event_put(struct mcti_buf *to, const struct mcti_lane *l, unsigned number, struct mcti_str line);

/* Stores a message, which is one line, as the next event of the lane. Returns false if there is no room for it. */
bool mcti_http_event_keep(struct mcti_lane *l, struct mcti_str line);

/* Does the same for a shared text, and takes only a reference to it. */
bool mcti_http_event_share(struct mcti_lane *l, struct mcti_text *line);

/* Frees the stored events of the lane. */
void mcti_http_events_forget(struct mcti_lane *l);

/* Frees the events of all sessions that have been stored long enough. */
void mcti_http_events_expire(struct mcti_front_http *f);

/* Finds the lane of the event `id` and stores the event's number in *ret_number. Returns NULL if there is no such event
 * or if a later event of its stream is no longer stored. */
struct mcti_lane *mcti_http_events_find(struct mcti_http_session *s, struct mcti_str id, unsigned *ret_number);

/* Continues a stream on the exchange `x`, after the event `number`. Closes the lane's old connection. */
void mcti_http_events_resume(struct mcti_lane *l, struct mcti_http_exchange *x, unsigned number);

#endif
