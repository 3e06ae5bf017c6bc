#include "mcp/task.h"

enum {
    PAUSE_FIRST_MS = 500,
    PAUSE_MAX_MS = 5000, /* of a server that names no interval */
    POLL_MIN_MS = 50,
    POLL_MAX_MS = 60000,
};

bool mcti_result_is_task(struct mcti_str result)
{
    return mcti_json_is(mcti_json_get(result, "resultType"), "task");
}

static const char *const task_words[] = {
    [MCT_TASK_WORKING] = "working", [MCT_TASK_INPUT_REQUIRED] = "input_required", [MCT_TASK_COMPLETED] = "completed",
    [MCT_TASK_FAILED] = "failed",   [MCT_TASK_CANCELLED] = "cancelled",           [MCT_TASK_UNKNOWN] = "unknown",
};

const char *mcti_task_status_word(enum mcti_task_status status)
{
    return task_words[status];
}

static enum mcti_task_status read_status(struct mcti_str status)
{
    for (int i = 0; i < MCT_TASK_UNKNOWN; i++)
        if (mcti_json_is(status, task_words[i]))
            return (enum mcti_task_status)i;
    return MCT_TASK_UNKNOWN;
}

/* Returns the member of the state if its value has this type; otherwise absent. */
static struct mcti_str task_member(struct mcti_str state, const char *key, char type)
{
    struct mcti_str value = mcti_json_get(state, key);
    return mcti_json_type(value) == type ? value : MCT_STR_NONE;
}

int mcti_task_read(struct mcti_str result, struct mcti_task_state *ret, struct mct_error *err)
{
    *ret = (struct mcti_task_state){
        .status = read_status(mcti_json_get(result, "status")),
        .id = task_member(result, "taskId", '"'),
        .message = task_member(result, "statusMessage", '"'),
        .updated = task_member(result, "lastUpdatedAt", '"'),
        .result = task_member(result, "result", '{'),
        .error = task_member(result, "error", '{'),
        .questions = task_member(result, "inputRequests", '{'),
    };
    ret->has_ttl = mcti_json_uint(mcti_json_get(result, "ttlMs"), &ret->ttl_ms);
    mcti_json_uint(mcti_json_get(result, "pollIntervalMs"), &ret->poll_ms);
    if (ret->status == MCT_TASK_UNKNOWN)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the server sent a task without a known \"status\"");
    if (ret->id.len <= 2 || ret->id.len > MCT_LIMIT_TASK_ID_BYTES)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "the server sent a task without a usable \"taskId\"");
    return 0;
}

unsigned mcti_task_pause_ms(const struct mcti_task_state *t, unsigned before_ms)
{
    uint64_t ms = t->poll_ms;
    if (ms)
        return ms < POLL_MIN_MS ? POLL_MIN_MS : ms > POLL_MAX_MS ? POLL_MAX_MS : (unsigned)ms;
    ms = before_ms ? before_ms + before_ms / 2 : PAUSE_FIRST_MS;
    return ms > PAUSE_MAX_MS ? PAUSE_MAX_MS : (unsigned)ms;
}
