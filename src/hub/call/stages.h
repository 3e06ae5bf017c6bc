/* The table of stages and the functions of its rows; for files of this room. */
#ifndef MCT_HUB_CALL_STAGES_H
#define MCT_HUB_CALL_STAGES_H

#include "hub/call/start.h"

extern const struct mct_stage_ops mct_stages[]; /* ends with a row without a name */

enum mct_pass mct_unwrap_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_owner_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_rules_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_read_only_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_connect_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_limits_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_hooks_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_events_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);
enum mct_pass mct_rounds_enter(struct mct_call *call, struct mct_call_start *start, struct mct_error *err);

void mct_events_sent(struct mct_stage *s, struct mct_call *call, const struct mct_error *failed);
void mct_events_leave(struct mct_stage *s, struct mct_call *call, const struct mct_outcome *o);
void mct_events_cancel(struct mct_stage *s, struct mct_call *call, const char *reason);
void mct_events_missed(struct mct_call *call, const struct mct_error *why);

void mct_rounds_sent(struct mct_stage *s, struct mct_call *call, const struct mct_error *failed);
void mct_rounds_leave(struct mct_stage *s, struct mct_call *call, const struct mct_outcome *o);
void mct_rounds_cancel(struct mct_stage *s, struct mct_call *call, const char *reason);

#endif
