/* Events as lines of JSON, without the line break. */
#ifndef MCT_HUB_CALL_EVENT_LINE_H
#define MCT_HUB_CALL_EVENT_LINE_H

#include "hub/call/events.h"

/*
 * {"event":"begin","id":…,"ts":…,"method":…,"server":…,"tool":…,"arguments":{…},"principal":…,"client":…}
 * {"event":"end","id":…,"ts":…,"method":…,"server":…,"tool":…,"duration":0.012345,"result":{…}}
 * {"event":"end",…,"error":{"kind":…,"code":…,"message":…}}
 *
 * `duration` is in seconds. What is unknown is left out. Arguments and results are as they were written, with blanks
 * for line breaks; those with which the line would be longer than `max` become {"omitted":true,"bytes":N}.
 */
void mcti_event_put_begin(struct mcti_buf *to, const struct mcti_event *e, size_t max);
void mcti_event_put_end(struct mcti_buf *to, const struct mcti_event *e, size_t max);

/*
 * What became of a call, without contents:
 * {"ts":…,"id":…,"principal":…,"client":…,"method":…,"server":…,"tool":…,"outcome":…,"code":…,"duration_ms":12.345,
 *  "arguments_bytes":N,"result_bytes":N}
 *
 * A URI stands there without credentials, query and fragment, and of data: only that it is one.
 */
void mcti_event_put_audit(struct mcti_buf *to, const struct mcti_event *end);

#endif
