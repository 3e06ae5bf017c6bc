#include "hub/call/stages.h"

#include "hub/hooks/run.h"

/*
 * Every call passes these stages in this order. First the tool is found. Policy decides before a connection is used or
 * made. Arguments are those of the tool from then on. The connection knows which items are quarantined. Limits count
 * calls that policy allows. Results from outside are marked last, so that nothing takes the mark away. Budgets cut
 * results after hooks and listeners have seen the whole. Hooks run for calls within the limits, before a server or
 * listener sees them. Events report the call as changed by hooks, once for all its rounds. The span of telemetry covers
 * what the server does, all rounds included. A task is followed inside of all that: its result is the result of the
 * call, whoever reads it and when.
 */
const struct mcti_stage_ops mcti_stages[] = {
    { .name = "unwrap", .enter = mcti_unwrap_enter },
    { .name = "owner-only", .enter = mcti_owner_enter },
    { .name = "rules", .enter = mcti_rules_enter },
    { .name = "read-only", .enter = mcti_read_only_enter },
    { .name = "schemas", .enter = mcti_schemas_enter },
    { .name = "connect", .enter = mcti_connect_enter },
    { .name = "vetted", .enter = mcti_vetted_enter },
    { .name = "limits", .enter = mcti_limits_enter },
    { .name = "external",
      .enter = mcti_external_enter,
      .sent = mcti_external_sent,
      .leave = mcti_external_leave,
      .cancel = mcti_external_cancel },
    { .name = "results",
      .enter = mcti_results_enter,
      .sent = mcti_results_sent,
      .leave = mcti_results_leave,
      .cancel = mcti_results_cancel },
    { .name = "hooks",
      .enter = mcti_hooks_enter,
      .sent = mcti_hooked_sent,
      .leave = mcti_hooked_leave,
      .cancel = mcti_hooked_cancel },
    { .name = "events",
      .enter = mcti_events_enter,
      .sent = mcti_events_sent,
      .leave = mcti_events_leave,
      .cancel = mcti_events_cancel,
      .missed = mcti_events_missed },
    { .name = "trace",
      .enter = mcti_trace_enter,
      .sent = mcti_trace_sent,
      .leave = mcti_trace_leave,
      .cancel = mcti_trace_cancel },
    { .name = "follow",
      .enter = mcti_follow_enter,
      .sent = mcti_follow_sent,
      .leave = mcti_follow_leave,
      .cancel = mcti_follow_cancel },
    { .name = "hold",
      .enter = mcti_hold_enter,
      .sent = mcti_hold_sent,
      .leave = mcti_hold_leave,
      .cancel = mcti_hold_cancel },
    { .name = "rounds",
      .enter = mcti_rounds_enter,
      .sent = mcti_rounds_sent,
      .leave = mcti_rounds_leave,
      .cancel = mcti_rounds_cancel },
    { 0 },
};

enum mcti_pass mcti_stage_answer(struct mcti_call_start *start, struct mct_error *err)
{
    if (!mcti_buf_ok(&start->texts->answer)) {
        mcti_buf_done(&start->texts->answer);
        mcti_no_memory(err);
    }
    return MCT_ANSWER;
}
