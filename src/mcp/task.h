/*
 * The wire form of the extension io.modelcontextprotocol/tasks (2026-07-28): a server that both sides have declared it
 * to may answer tools/call with a task instead of a result. Its client polls tasks/get, answers questions of the task
 * with tasks/update, and may cancel it with tasks/cancel.
 */
#ifndef MCT_MCP_TASK_H
#define MCT_MCP_TASK_H

#include "base/error.h"
#include "json/scan.h"
#include "mcp/extension.h"

enum { MCT_LIMIT_TASK_ID_BYTES = 1024 }; /* of a server, as written */

enum mcti_task_status {
    MCT_TASK_WORKING,
    MCT_TASK_INPUT_REQUIRED,
    MCT_TASK_COMPLETED,
    MCT_TASK_FAILED,
    MCT_TASK_CANCELLED,
    MCT_TASK_UNKNOWN,
};

/* The state of a task: spans of the result that it was read from. */
struct mcti_task_state {
    enum mcti_task_status status;
    struct mcti_str id;               /* a JSON string */
    struct mcti_str message, updated; /* statusMessage and lastUpdatedAt; absent: none */
    bool has_ttl;
    uint64_t ttl_ms, poll_ms;                 /* ttl_ms: if has_ttl. poll_ms 0: the server has no wish */
    struct mcti_str result, error, questions; /* of a completed or failed task, or one that waits for answers */
};

/* Returns true if a result of tools/call stands for a task. */
bool mcti_result_is_task(struct mcti_str result);

/* Reads a CreateTaskResult, or a result of tasks/get. Returns -1 and sets *err if it is no state of a task. */
int mcti_task_read(struct mcti_str result, struct mcti_task_state *ret, struct mct_error *err);

const char *mcti_task_status_word(enum mcti_task_status status); /* "working" … */

/* Returns true if the task has ended: its state does not change any more. */
static inline bool mcti_task_is_over(enum mcti_task_status status)
{
    return status >= MCT_TASK_COMPLETED && status <= MCT_TASK_CANCELLED;
}

/* Returns the pause before the next tasks/get: what the server wishes, otherwise half as long again as the one before
 * (0: none so far). */
unsigned mcti_task_pause_ms(const struct mcti_task_state *t, unsigned before_ms);

#endif
