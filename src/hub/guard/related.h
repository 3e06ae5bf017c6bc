/*
 * Messages about tasks of 2025-11-25 name their task, or the call that it comes from, whatever transport they come
 * over. Of the calls of a server (a list of struct mcti_call by `node`) these find the one that waits for that task.
 */
#ifndef MCT_HUB_GUARD_RELATED_H
#define MCT_HUB_GUARD_RELATED_H

#include "hub/core/call.h"

/* Returns the call that waits for the task in `_meta` of the params of a question; NULL: none, or it names none. */
struct mcti_call *mcti_related_to_task(struct mcti_list *calls, struct mcti_str params);

/* Returns the call that waits for the task of an earlier call with this progress token, which is valid for as long as
 * the task lives; NULL: none. */
struct mcti_call *mcti_related_to_token(struct mcti_list *calls, uint64_t token);

#endif
