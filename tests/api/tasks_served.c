/*
 * Serves tools whose calls become tasks, over HTTP: the URL is its first line of output. `may` takes its time, and asks
 * its client if it is told so. `must` waits until it is cancelled, which is a line of output.
 */
#include <mcptools/mcptools.h>

#include <signal.h>
#include <stdio.h>

static struct mct_instance *instance;

static void finish(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_text(call, mct_tool_call_is_task(call) ? "done as a task" : "done at once");
}

static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    (void)data;
    mct_tool_call_text(call, answer ? answer : err->message);
}

static void may(struct mct_tool_call *call, void *data)
{
    mct_tool_call_progress(call, 1, 2, "half");
    if (mct_tool_call_argument(call, "ask"))
        mct_tool_call_ask(call, "elicitation/create",
                          "{\"message\":\"Really?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}",
                          on_answer, data);
    else
        mct_tool_call_later(call, 50, finish, data);
}

static void cancelled(struct mct_tool_call *call, void *data)
{
    (void)call, (void)data;
    puts("cancelled");
    fflush(stdout);
}

static void must(struct mct_tool_call *call, void *data)
{
    mct_tool_call_on_cancel(call, cancelled, data);
}

static void on_signal(int sig)
{
    (void)sig;
    mct_instance_stop(instance);
}

int main(void)
{
    const struct mct_tool_def tools[] = {
        { .size = sizeof *tools, .name = "may", .execute = may, .task = MCT_TOOL_TASK_MAY },
        { .size = sizeof *tools, .name = "must", .execute = must, .task = MCT_TOOL_TASK_MUST },
        { .size = sizeof *tools, .name = "never", .execute = finish },
    };
    struct mct_error err;
    struct mct_tool_def wrong = tools[0];
    wrong.task = (enum mct_tool_task)7;
    instance = mct_instance_new(NULL, &err);
    if (!instance)
        return 2;
    if (mct_instance_add_tool(instance, &wrong, &err) == 0)
        return 3;
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof tools / sizeof *tools; i++)
        r = mct_instance_add_tool(instance, &tools[i], &err);
    int port = r == 0 ? mct_instance_serve_http(instance, "127.0.0.1:0", &err) : -1;
    if (port >= 0 && mct_instance_start(instance, &err) == 0) {
        signal(SIGTERM, on_signal);
        printf("http://127.0.0.1:%d/mcp\n", port);
        fflush(stdout);
        r = mct_instance_run(instance, &err);
    } else {
        fprintf(stderr, "tasks_served: %s\n", err.message);
        r = -1;
    }
    mct_instance_close_wait(instance);
    return r < 0;
}
