/* Events as lines of JSON, without the line break. */
#ifndef MCT_HUB_CALL_EVENT_LINE_H
#define MCT_HUB_CALL_EVENT_LINE_H

#include "hub/call/events.h"

/*
 * {"event":"begin","id":…,"ts":…,"method":…,"server":…,"tool":…,"arguments":{…},"principal":…,"client":…}
 * {"event":"end","id":…,"ts":…,"method":…,"server":…,"tool":…,"arguments":{…},"duration":0.012345,"result":{…}}
 * {"event":"end",…,"error":{"kind":…,"code":…,"message":…}}
 * {"event":"end",…,"error":{"kind":"tool_error","message":…},"result":{…,"isError":true}}
 *
 * Appends the line of an event. `duration` is in seconds. Unknown members are left out. Arguments and results are
 * written unchanged, with blanks for line breaks; if the line would be longer than `max`, {"omitted":true,"bytes":N}
 * replaces them. At the end of a call arguments take at most half of `max`.
 */
void mcti_event_put_begin(struct mcti_buf *to, const struct mcti_event *e, size_t max);
void mcti_event_put_end(struct mcti_buf *to, const struct mcti_event *e, size_t max);

/*
 * Appends the audit line of a call, which has no contents:
 * {"ts":…,"id":…,"principal":…,"client":…,"method":…,"server":…,"tool":…,"outcome":…,"code":…,"duration_ms":12.345,
 *  "arguments_bytes":N,"result_bytes":N}
 *
 * A URI is written without credentials, query and fragment; of a data: URI only the scheme.
 */
void mcti_event_put_audit(struct mcti_buf *to, const struct mcti_event *end);

/* Writes a URI as people may see it, without credentials, query and fragment, and of a data: URI only the scheme. Cuts
 * it at `size` bytes, and returns their number. */
size_t mcti_event_shown_uri(struct mcti_str uri, char *to, size_t size);

#endif
