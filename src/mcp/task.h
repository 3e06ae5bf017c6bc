/*
 * Tasks: the experimental feature of 2025-11-25 and the extension of 2026-07-28. The gateway offers them to nobody, so
 * nothing that asks for one may cross it: a task that is created behind it could never be fetched. This is the one
 * place that knows the words.
 */
#ifndef MCT_MCP_TASK_H
#define MCT_MCP_TASK_H

#include "base/buf.h"

/* The parameter that asks for a task. A receiver that has not declared tasks ignores it (2025-11-25 "Tasks"), and so
 * does every receiver of 2026-07-28. */
#define MCT_TASK_PARAM "task"

/* Returns the ClientCapabilities object without its declaration of the tasks extension: `capabilities` itself if there
 * is none, else a copy in `scratch`, which is cleared before. */
struct mcti_str mcti_task_undeclare(struct mcti_str capabilities, struct mcti_buf *scratch);

#endif
