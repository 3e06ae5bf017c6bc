/* mcptools tasks: the tasks that `call --task` has started. */
#include "cli/commands/call.h"
#include "cli/target.h"
#include "cli/tasks/journal.h"
#include "mcp/task.h"

#include <stdlib.h>

/* ---- list ---- */

struct task_list {
    struct mcti_app *app;
    struct mcti_buf json;
    size_t n;
};

/* Appends the server as people may see it: a URL without credentials. */
static void list_put_server(struct mcti_buf *to, const char *server)
{
    if (mcti_is_url(server))
        mcti_config_put_url(to, server);
    else
        mcti_buf_addz(to, server);
}

static void list_put_row(void *data, const struct mcti_task_note *n)
{
    struct task_list *l = data;
    struct mcti_buf server;
    mcti_buf_init(&server, 1u << 16);
    list_put_server(&server, n->server);
    if (!l->n++)
        mcti_out_styled(l->app, MCT_DIM, "%-6s %-16s %s\n", "TASK", "STATUS", "TOOL");
    mcti_out(l->app, "%-6llu %-16s %.*s.%s\n", (unsigned long long)n->number, n->status,
             MCT_STR_ARG(mcti_buf_str(&server)), n->tool);
    mcti_buf_done(&server);
}

static void list_put_json(void *data, const struct mcti_task_note *n)
{
    struct task_list *l = data;
    struct mcti_buf server;
    mcti_buf_init(&server, 1u << 16);
    list_put_server(&server, n->server);
    mcti_buf_printf(&l->json, "%s{\"number\":%llu,\"taskId\":%s", l->n++ ? "," : "", (unsigned long long)n->number,
                    n->id);
    mcti_json_put_member(&l->json, "server", mcti_buf_str(&server));
    mcti_buf_done(&server);
    mcti_json_put_member(&l->json, "tool", mcti_str_of(n->tool));
    mcti_json_put_member(&l->json, "status", mcti_str_of(n->status));
    mcti_json_put_time(&l->json, "createdAt", n->created_s);
    mcti_buf_addc(&l->json, '}');
}

static int tasks_list(struct mcti_app *app)
{
    struct task_list l = { .app = app };
    bool as_json = app->opt.output == MCT_OUT_JSON;
    mcti_buf_init(&l.json, 16u << 20);
    mcti_buf_addz(&l.json, "{\"tasks\":[");
    mcti_task_notes_each(as_json ? list_put_json : list_put_row, &l);
    mcti_buf_addz(&l.json, "]}");
    if (as_json)
        mcti_out_json(app, mcti_buf_str(&l.json));
    else if (!l.n)
        mcti_say("mcptools: there are no tasks; 'mcptools call SERVER.TOOL --task' starts one");
    mcti_buf_done(&l.json);
    return 0;
}

/* ---- one task ---- */

/* Returns the exit status of a state. */
static int state_status(const struct mcti_task_state *t)
{
    bool is_bad = t->status == MCT_TASK_FAILED || t->status == MCT_TASK_CANCELLED ||
                  (t->status == MCT_TASK_COMPLETED && mcti_json_true(mcti_json_get(t->result, "isError")));
    return is_bad ? mcti_error_exit_status(MCT_ERR_TOOL) : 0;
}

static void state_print(struct mcti_app *app, const struct mcti_task_state *t)
{
    struct mcti_buf text;
    mcti_buf_init(&text, 1u << 20);
    mcti_buf_addz(&text, mcti_task_status_word(t->status));
    mcti_buf_addz(&text, t->message.p ? ": " : "");
    mcti_json_unescape_any(t->message, &text);
    mcti_buf_addc(&text, '\n');
    mcti_out_text(app, mcti_buf_str(&text));
    mcti_buf_done(&text);
}

/* Records what the server has said of the task. */
static void tasks_note(const struct mcti_task_note *n, const struct mcti_app_outcome *got)
{
    bool is_unknown = !got->result.p && got->err.code == MCT_RPC_INVALID_PARAMS;
    if (is_unknown || got->task == MCT_TASK_UNKNOWN)
        mcti_task_note_remove(n->number);
    else if (mcti_task_is_over(got->task))
        mcti_task_note_status(n->number, mcti_task_status_word(got->task));
}

/* Prints the state that the server has sent. */
static int tasks_put_state(struct mcti_app *app, const struct mcti_task_note *n, struct mcti_str result)
{
    struct mcti_task_state t;
    struct mct_error err;
    if (mcti_task_read(result, &t, &err) < 0)
        return mcti_out_fail(app, &err, n->server);
    mcti_task_note_status(n->number, mcti_task_status_word(t.status));
    if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, result);
    else
        state_print(app, &t);
    return state_status(&t);
}

static int tasks_put_result(struct mcti_app *app, const struct mcti_task_note *n, struct mcti_str result)
{
    bool is_error = mcti_json_true(mcti_json_get(result, "isError"));
    (void)n;
    if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, result);
    else
        mcti_call_print_text(app, result);
    return is_error ? mcti_error_exit_status(MCT_ERR_TOOL) : 0;
}

static int tasks_put_cancelled(struct mcti_app *app, const struct mcti_task_note *n, struct mcti_str result)
{
    mcti_task_note_status(n->number, "cancelling");
    if (app->opt.output == MCT_OUT_JSON)
        mcti_out_json(app, result);
    return 0;
}

static const struct task_action {
    const char *word;
    enum mcti_verb verb;
    bool waits;
    int (*put)(struct mcti_app *app, const struct mcti_task_note *n, struct mcti_str result);
} actions[] = {
    { "get", MCT_VERB_TASKS_GET, false, tasks_put_state },
    { "wait", MCT_VERB_TASKS_GET, true, tasks_put_result },
    { "cancel", MCT_VERB_TASKS_CANCEL, false, tasks_put_cancelled },
};

static int tasks_act(struct mcti_app *app, const struct task_action *a, const struct mcti_task_note *n)
{
    struct mcti_target t;
    struct mcti_app_outcome got;
    app->argc = 0; /* the server is not a word of the command */
    int status = mcti_target_open(app, app->opt.url ? app->opt.url : n->server, MCT_TOOL, false, &t);
    if (status)
        return status;
    const struct mcti_app_task task = { a->verb, t.provider, mcti_str_of(n->id), a->waits };
    status = mcti_app_run_task(app, &task, &got);
    tasks_note(n, &got);
    if (got.result.p)
        status = a->put(app, n, got.result);
    else
        mcti_out_fail(app, &got.err, t.provider->name);
    mcti_app_outcome_done(&got);
    return status;
}

int mcti_cmd_tasks(struct mcti_app *app)
{
    struct mcti_task_note note;
    struct mct_error err;
    if (!strcmp(app->argv[0], "list") && app->argc == 1)
        return tasks_list(app);
    for (size_t i = 0; app->argc == 2 && i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(app->argv[0], actions[i].word) != 0)
            continue;
        if (mcti_task_note_find(app->argv[1], &note, &err) < 0)
            return mcti_out_fail(app, &err, NULL);
        int status = tasks_act(app, &actions[i], &note);
        mcti_task_note_done(&note);
        return status;
    }
    mcti_command_usage(app->command, &err);
    return mcti_out_fail(app, &err, NULL);
}
