#include "hub/call/stages.h"

/*
 * Every call passes these, in this order, whichever way it came in. What is called is found first; who may call it is decided before
 * a connection is made for it; hooks see calls that are allowed, and decide before anybody is told of the call; events are told of what is
 * really called, once however many rounds it takes.
 */
const struct mct_stage_ops *const mct_stages[] = {
    &mct_stage_unwrap,
    &mct_stage_owner,
    &mct_stage_rules,
    &mct_stage_read_only,
    &mct_stage_connect,
    &mct_stage_limits,
    &mct_stage_hooks,
    &mct_stage_events,
    &mct_stage_rounds,
    NULL,
};
