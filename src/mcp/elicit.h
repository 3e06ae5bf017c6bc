/* Answers to an elicitation (form mode): the defaults of its schema, and what the content must be. */
#ifndef MCT_MCP_ELICIT_H
#define MCT_MCP_ELICIT_H

#include "base/error.h"
#include "json/write.h"

/* {"action":"accept","content":…}: `content` (an object, may be absent) with the defaults of the fields
 * it lacks (2025-11-25, "Elicitation": clients fill defaults in). */
void mcti_elicit_put_accept(struct mcti_buf *to, struct mcti_str params, struct mcti_str content);

/* -1 with *err naming the first required field that content (an object) lacks, or the first whose value is
 * not of the field's type. */
int mcti_elicit_check(struct mcti_str params, struct mcti_str content, struct mct_error *err);

#endif
