/*
 * One agent run: a tool in C, tools of plugins and of servers in one array, called in one loop of the program's own,
 * and then served to other clients over HTTP. usage: agent_run CONFIGURATION SCRIPT. A line of the script is a call,
 * all of which are made at once: `TOOL {arguments}`, with a `!` in front: cancelled at its first progress. What becomes
 * of each is told as a line of JSON; then comes the URL, and the program goes on until its stdin ends.
 */
#include <mcptools/mcptools.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CALLS = 16 };

struct one {
    char line[4096];
    const char *tool;
    bool cancels;
    int n_progress;
    char message[256];
    struct mct_request *q;
};

struct run {
    struct mct_instance *r;
    struct one calls[MAX_CALLS];
    int n, n_over;
    bool closed;
};

/* ---- of the program itself ---- */

static void count_down(struct mct_tool_call *call, void *data)
{
    int *n = mct_tool_call_memory(call, sizeof *n);
    (void)data;
    mct_tool_call_progress(call, ++*n, 3, "counting");
    if (*n < 3)
        mct_tool_call_later(call, 10, count_down, NULL);
    else
        mct_tool_call_text(call, "counted in C");
}

/* Calls of `echo` say more than they were asked to. */
static void before_echo(struct mct_hook_event *event, void *data)
{
    (void)data;
    mct_hook_decide(event, "{\"params\":{\"message\":\"changed by a hook\"}}");
}

static int add_own(struct mct_instance *r, struct mct_error *err)
{
    static const char *const echo[] = { "*echo", NULL };
    const struct mct_tool_def tool = {
        .size = sizeof tool, .name = "count_down", .description = "Counts", .execute = count_down
    };
    const struct mct_hook_def hook = {
        .size = sizeof hook, .kind = MCT_HOOK_BEFORE, .name = "before_echo", .tools = echo, .run = before_echo
    };
    return mct_instance_add_tool(r, &tool, err) < 0 ? -1 : mct_instance_add_hook(r, &hook, err);
}

/* ---- the loop ---- */

static void turn(struct run *run)
{
    int timeout = mct_instance_timeout(run->r);
    struct pollfd p = { .fd = mct_instance_fd(run->r), .events = POLLIN };
    poll(&p, 1, timeout);
    mct_instance_dispatch(run->r);
}

static void put_quoted(const char *text)
{
    putchar('"');
    for (; text && *text; text++) {
        if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20)
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

static void tell(const struct one *c, const char *error, const char *text)
{
    printf("{\"tool\":");
    put_quoted(c->tool);
    printf(",\"progress\":%d,\"message\":", c->n_progress);
    put_quoted(c->message);
    printf(",\"%s\":", error ? "error" : "text");
    put_quoted(error ? error : text);
    printf(",\"isError\":%s}\n", c->q && mct_request_is_error(c->q) ? "true" : "false");
}

static void on_done(struct mct_request *q, void *data)
{
    struct one *c = data;
    const struct mct_error *err = mct_request_error(q);
    tell(c, err ? mct_error_word(err->kind) : NULL, mct_request_text(q, NULL));
}

static void on_progress(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    struct one *c = data;
    (void)progress;
    (void)total;
    c->n_progress++;
    snprintf(c->message, sizeof c->message, "%s", message);
    if (c->cancels)
        mct_request_cancel(q, "the agent has seen enough");
}

static void call(struct run *run, struct one *c)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .done = on_done, .progress = on_progress, .data = c };
    char *space = strchr(c->line, ' ');
    struct mct_error err;
    c->line[strcspn(c->line, "\n")] = '\0';
    if (space)
        *space = '\0';
    c->cancels = c->line[0] == '!';
    c->tool = c->line + c->cancels;
    c->q = mct_instance_call(run->r, c->tool, space ? space + 1 : NULL, &opts, &err);
    if (!c->q)
        tell(c, err.message, NULL);
}

static bool all_over(const struct run *run)
{
    for (int i = 0; i < run->n; i++)
        if (run->calls[i].q && !mct_request_is_over(run->calls[i].q))
            return false;
    return true;
}

static void show_tools(struct mct_instance *r)
{
    struct mct_tools *t = mct_instance_tools(r, NULL);
    printf("[");
    for (size_t i = 0; t && i < t->n; i++) {
        printf("%s", i ? "," : "");
        put_quoted(t->v[i]->name);
    }
    printf("]\n");
    mct_tools_free(t);
}

static void on_closed(void *data)
{
    *(bool *)data = true;
}

static void work(struct run *run, FILE *script, int port)
{
    while (!mct_instance_is_ready(run->r))
        turn(run);
    show_tools(run->r);
    while (run->n < MAX_CALLS && fgets(run->calls[run->n].line, sizeof run->calls->line, script))
        call(run, &run->calls[run->n++]);
    do
        turn(run);
    while (!all_over(run));
    for (int i = 0; i < run->n; i++)
        mct_request_free(run->calls[i].q);
    printf("http://127.0.0.1:%d/mcp\n", port);
    fflush(stdout);
    for (struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN } }; !(p[0].revents & (POLLIN | POLLHUP));) {
        p[1] = (struct pollfd){ .fd = mct_instance_fd(run->r), .events = POLLIN };
        poll(p, 2, mct_instance_timeout(run->r));
        mct_instance_dispatch(run->r);
    }
}

static void log_line(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    (void)data;
    fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
    const struct mct_instance_opts opts = {
        .size = sizeof opts, .log = log_line, .log_level = MCT_LOG_WARN, .stranger = true
    };
    FILE *script = argc == 3 ? fopen(argv[2], "r") : NULL;
    struct mct_error err;
    struct run *run = calloc(1, sizeof *run);
    if (!script || !run)
        return fprintf(stderr, "usage: agent_run CONFIGURATION SCRIPT\n"), 2;
    run->r = mct_instance_new(&opts, &err);
    int port = -1;
    if (run->r && add_own(run->r, &err) == 0 && mct_instance_load_file(run->r, argv[1], &err) == 0 &&
        (port = mct_instance_serve_http(run->r, "127.0.0.1:0", &err)) > 0 && mct_instance_start(run->r, &err) == 0)
        work(run, script, port);
    else
        fprintf(stderr, "agent_run: %s\n", err.message);
    fclose(script);
    if (run->r)
        mct_instance_close(run->r, on_closed, &run->closed);
    while (run->r && !run->closed)
        turn(run);
    free(run);
    return port < 0;
}
