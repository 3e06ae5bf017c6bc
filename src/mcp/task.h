/*
 * Tasks: the experimental feature of 2025-11-25 and the extension of 2026-07-28. The gateway does not support tasks,
 * because a task created behind it could never be fetched. It therefore removes every request for one. This is the only
 * place that knows the names involved.
 */
#ifndef MCT_MCP_TASK_H
#define MCT_MCP_TASK_H

#include "base/buf.h"

/* The parameter that requests a task. A receiver that has not declared tasks ignores it (2025-11-25, "Tasks"), as does
 * every receiver of 2026-07-28. */
#define MCT_TASK_PARAM "task"

/* Returns the ClientCapabilities object without the tasks extension: `capabilities` itself if it does not declare the
 * extension, else a copy in `scratch`, which is cleared first. */
struct mcti_str mcti_task_undeclare(struct mcti_str capabilities, struct mcti_buf *scratch);

#endif
