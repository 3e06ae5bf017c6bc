/* The table of stages and its rows; for files of this room. The order is a statement about security: see stages.c. */
#ifndef MCT_HUB_CALL_STAGES_H
#define MCT_HUB_CALL_STAGES_H

#include "hub/call/start.h"

extern const struct mct_stage_ops *const mct_stages[]; /* ends with NULL */

extern const struct mct_stage_ops mct_stage_unwrap, mct_stage_owner, mct_stage_rules, mct_stage_read_only, mct_stage_connect,
    mct_stage_limits, mct_stage_hooks, mct_stage_events, mct_stage_rounds;

#endif
