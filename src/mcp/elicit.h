/* Answers to a form elicitation: default values and validation by its schema. */
#ifndef MCT_MCP_ELICIT_H
#define MCT_MCP_ELICIT_H

#include "base/error.h"
#include "json/write.h"

/* Writes {"action":"accept","content":…}: `content` (an object, may be absent) completed with the schema's defaults
 * (2025-11-25, "Elicitation"). */
void mcti_elicit_put_accept(struct mcti_buf *to, struct mcti_str params, struct mcti_str content);

/* Checks `content`, an object. Returns -1 and sets *err to the first required field that is missing, or the first field
 * whose value has the wrong type. */
int mcti_elicit_check(struct mcti_str params, struct mcti_str content, struct mct_error *err);

#endif
