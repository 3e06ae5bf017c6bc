#include "hub/call/stages.h"

#include "hub/hooks/run.h"

/*
 * Every call passes these stages in this order, whichever way it came in. First the tool is found. Policy decides before a
 * connection is used or made. Limits count calls that policy allows. Hooks see calls that have room, and decide before a
 * server or listener hears of them. Events tell of the call as hooks have changed it, once however many rounds it takes.
 */
const struct mct_stage_ops mct_stages[] = {
    { .name = "unwrap", .enter = mct_unwrap_enter },
    { .name = "owner-only", .enter = mct_owner_enter },
    { .name = "rules", .enter = mct_rules_enter },
    { .name = "read-only", .enter = mct_read_only_enter },
    { .name = "connect", .enter = mct_connect_enter },
    { .name = "limits", .enter = mct_limits_enter },
    { .name = "hooks", .enter = mct_hooks_enter, .leave = mct_hooked_leave, .cancel = mct_hooked_cancel },
    { .name = "events",
      .enter = mct_events_enter,
      .sent = mct_events_sent,
      .leave = mct_events_leave,
      .cancel = mct_events_cancel,
      .missed = mct_events_missed },
    { .name = "rounds",
      .enter = mct_rounds_enter,
      .sent = mct_rounds_sent,
      .leave = mct_rounds_leave,
      .cancel = mct_rounds_cancel },
    { 0 },
};
