/* Counts requests of a transcript and their answers. */
#ifndef MCT_TESTS_TALLY_H
#define MCT_TESTS_TALLY_H

#include "flow.h"

#include "json/scan.h"

/* Counts `frame`, which `who` has said, if it is a request; `owed`: it can still be answered. */
void tally_asked(struct flow_tally *t, const char *who, struct mcti_str frame, bool owed);

/* Counts `frame`, which `who` has received, if it is an answer. */
void tally_answered(struct flow_tally *t, const char *who, struct mcti_str frame);

#endif
