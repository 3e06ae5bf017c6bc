/*
 * The reason for which a server refused a request, as far as its answer tells it. Codes alone do not: most servers
 * answer every failure with -32603 or 0, and the reason stands in the message only. docs/internals/resources.md names
 * the sources of the table.
 */
#ifndef MCT_RESOURCES_CAUSE_H
#define MCT_RESOURCES_CAUSE_H

#include "base/error.h"

enum mcti_cause {
    MCT_CAUSE_OTHER,
    MCT_CAUSE_ABSENT,    /* the server does not have the resource */
    MCT_CAUSE_DENIED,    /* the server has no permission, or the caller has none */
    MCT_CAUSE_MALFORMED, /* the server cannot parse the URI */
};

/*
 * Returns the reason of an error that a server answered, by its words, and without any by its code: -32002, or -32602
 * with the URI in the message, means "absent". Words that belong to the URI do not count. `uri` absent: the request was
 * no read; the reason is then "denied" or "other".
 */
enum mcti_cause mcti_cause_of(const struct mct_error *err, struct mcti_str uri);

#endif
