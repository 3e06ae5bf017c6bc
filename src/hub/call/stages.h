/* The table of stages and its functions. Shared by the files of this folder only. */
#ifndef MCT_HUB_CALL_STAGES_H
#define MCT_HUB_CALL_STAGES_H

#include "hub/call/events.h"
#include "hub/call/start.h"
#include "hub/tasks/tasks.h"

extern const struct mcti_stage_ops mcti_stages[]; /* ends with a row without a name */

/* Ends the call with the text of start->texts->answer, or with an error if that text has failed. */
enum mcti_pass mcti_stage_answer(struct mcti_call_start *start, struct mct_error *err);

enum mcti_pass mcti_unwrap_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_owner_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_rules_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_read_only_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_schemas_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_connect_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_vetted_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_limits_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_results_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_external_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_hooks_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_events_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_trace_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_follow_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_hold_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);
enum mcti_pass mcti_rounds_enter(struct mcti_call *call, struct mcti_call_start *start, struct mct_error *err);

void mcti_results_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_results_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_results_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

void mcti_events_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_events_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_events_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);
void mcti_events_missed(struct mcti_call *call, const struct mct_error *why);

void mcti_external_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_external_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_external_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

/* Returns the name of the server whose result from outside the call will get; NULL: it will get none, as far as known.
 */
struct mcti_text *mcti_external_from(const struct mcti_call *call);

void mcti_trace_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_trace_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_trace_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

void mcti_rounds_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed);
void mcti_rounds_leave(struct mcti_stage *s, struct mcti_call *call, const struct mcti_outcome *o);
void mcti_rounds_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason);

#endif
