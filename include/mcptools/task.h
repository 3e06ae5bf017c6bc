/*
 * <mcptools/task.h>: tasks.
 *
 * A server may make a task of a call that takes long (2026-07-28, the extension io.modelcontextprotocol/tasks).
 * mct_instance_call() follows the task: its result is that of the tool, whatever the server makes of the call. The
 * functions here are for programs that do not want to wait: they start a call and keep the id of its task, for another
 * day or another process.
 *
 *     struct mct_request *q = mct_instance_call_task(instance, "reports.build", "{\"year\":2026}", NULL, &err);
 *     mct_request_wait(q, &err);
 *     const char *task = mct_request_task(q);
 *     if (task)
 *         remember("reports", task);
 *     else
 *         printf("%s\n", mct_request_text(q, &err));
 *     mct_request_free(q);
 *
 * A task ends with its server: that of a server that the instance has started as a program ends with the instance.
 */
#ifndef MCPTOOLS_TASK_H
#define MCPTOOLS_TASK_H

#include <mcptools/request.h>

MCT_BEGIN_DECLS

/*
 * Starts a call of a tool that may become a task. The result is a CallToolResult object, or, if the server has made a
 * task of the call, a CreateTaskResult object, whose id is mct_request_task(). The server decides; one without the
 * extension makes no tasks. A tool of 2025-11-25 that requires a task is waited for.
 *
 *   tool       as for mct_instance_call()
 *   arguments  JSON object; NULL means {}
 *   opts       options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        `arguments` is not a JSON object, the instance is not started or being closed, or
 *                        the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such tool, or several servers have it
 *   MCT_ERR_CONNECT      the server is not connected
 *   MCT_ERR_LIMIT        too many requests to the server are under way
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_call_task(struct mct_instance *instance, const char *tool,
                                                   const char *arguments, const struct mct_call_opts *opts,
                                                   struct mct_error *err);

/*
 * Returns the id of the task that a request has created or read. Valid until the request is freed. Returns NULL if the
 * request is not over, was not made with mct_instance_call_task() or mct_instance_get_task(), or has another result.
 */
MCT_API const char *mct_request_task(struct mct_request *request);

/*
 * Make a request about a task: `get` reads its state (a GetTaskResult object, with "status", and "result" once it is
 * completed), `await` waits until it ends and has the result of its tool, `cancel` asks the server to end it. Questions
 * of a task that is awaited are put as those of any call (<mcptools/question.h>). A task goes on if an `await` is
 * cancelled or its deadline passes.
 *
 *   server  name of the server that made the task
 *   task    its id
 *   opts    options, copied; NULL: none. Without a deadline, `await` waits as long as the task runs
 *
 * Return the request, or NULL with *err. The error of a task that the server does not know (any more) has the kind
 * MCT_ERR_SERVER:
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_CONNECT      the server is not connected
 *   MCT_ERR_LIMIT        too many requests to the server are under way
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_get_task(struct mct_instance *instance, const char *server, const char *task,
                                                  const struct mct_call_opts *opts, struct mct_error *err);
MCT_API struct mct_request *mct_instance_await_task(struct mct_instance *instance, const char *server, const char *task,
                                                    const struct mct_call_opts *opts, struct mct_error *err);
MCT_API struct mct_request *mct_instance_cancel_task(struct mct_instance *instance, const char *server,
                                                     const char *task, const struct mct_call_opts *opts,
                                                     struct mct_error *err);

MCT_END_DECLS

#endif
