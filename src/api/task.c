/* Calls that may become tasks, and requests about tasks. */
#include "api/request.h"

#include "mcp/task.h"

#include <mcptools/task.h>

#include <stdlib.h>

static int api_task_start_call(struct mct_request *q, const char *tool, struct mcti_str arguments,
                               struct mct_error *err)
{
    struct mcti_call_start start = { .name = mcti_str_of(tool) };
    mcti_api_request_begin(q, MCT_VERB_TOOLS_CALL);
    q->call.tasks = MCT_TASKS_FOLLOWED;
    int r = mcti_instance_call(&q->api->inst, &q->call, &start, arguments, err);
    return mcti_api_request_set_server(q, &start, r, err);
}

struct mct_request *mct_instance_call_task(struct mct_instance *r, const char *tool, const char *arguments,
                                           const struct mct_call_opts *opts, struct mct_error *err)
{
    struct mcti_str args;
    if (mcti_api_read_object("arguments", mcti_str_of(arguments), &args, err) < 0)
        return NULL;
    struct mct_request *q = mcti_api_request_new(r, opts, err);
    return api_request_started(q, q ? api_task_start_call(q, tool, args, err) : -1);
}

const char *mct_request_task(struct mct_request *q)
{
    struct mcti_task_state task;
    struct mct_error err;
    struct mcti_str result = { q->result, q->result_len };
    bool is = q->result && !q->task && mcti_json_get(result, "taskId").p && mcti_task_read(result, &task, &err) == 0;
    if (is)
        q->task = mcti_json_dup(task.id);
    return q->task;
}

/* ---- requests about tasks ---- */

/* What a request asks about a task. */
struct task_wish {
    enum mcti_verb verb;
    enum mcti_tasks tasks;
};

static int api_task_start(struct mct_request *q, struct mcti_provider *p, const struct task_wish *wish,
                          const char *task, struct mct_error *err)
{
    struct mcti_buf id;
    mcti_buf_init(&id, 8 * MCT_LIMIT_TASK_ID_BYTES + (1u << 16));
    mcti_json_put_string(&id, mcti_str_of(task));
    mcti_api_request_begin(q, wish->verb);
    q->call.tasks = wish->tasks;
    int r =
        mcti_buf_ok(&id) ? mcti_instance_task(&q->api->inst, &q->call, p, mcti_buf_str(&id), err) : mcti_no_memory(err);
    mcti_buf_done(&id);
    return mcti_api_request_set_server(q, &(struct mcti_call_start){ .provider = p }, r, err);
}

static struct mct_request *task_request(struct mct_instance *r, const char *server, const char *task,
                                        const struct mct_call_opts *opts, const struct task_wish *wish,
                                        struct mct_error *err)
{
    struct mcti_provider *p = mcti_api_find_server(r, server, err);
    struct mct_request *q = p ? mcti_api_request_new(r, opts, err) : NULL;
    return api_request_started(q, q ? api_task_start(q, p, wish, task, err) : -1);
}

struct mct_request *mct_instance_get_task(struct mct_instance *r, const char *server, const char *task,
                                          const struct mct_call_opts *opts, struct mct_error *err)
{
    return task_request(r, server, task, opts, &(struct task_wish){ MCT_VERB_TASKS_GET, MCT_TASKS_FOLLOWED }, err);
}

struct mct_request *mct_instance_await_task(struct mct_instance *r, const char *server, const char *task,
                                            const struct mct_call_opts *opts, struct mct_error *err)
{
    return task_request(r, server, task, opts, &(struct task_wish){ MCT_VERB_TASKS_GET, MCT_TASKS_HELD }, err);
}

struct mct_request *mct_instance_cancel_task(struct mct_instance *r, const char *server, const char *task,
                                             const struct mct_call_opts *opts, struct mct_error *err)
{
    return task_request(r, server, task, opts, &(struct task_wish){ MCT_VERB_TASKS_CANCEL, MCT_TASKS_FOLLOWED }, err);
}
