/*
 * An agent loop. The tools of all servers of a configuration and one tool of the program are one array. The model
 * chooses from it; the program makes the calls and passes the answers to the model. A script stands for the model, so
 * that the program runs without one: each line of the file is a call in the form of Anthropic's API, the last one a text.
 *
 *     cc agent.c $(pkg-config --cflags --libs mcptools) -o agent && ./agent mcptools.json script.txt
 */
#include <mcptools/mcptools.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "anthropic" /* the provider, which decides the form of tools, calls and answers */

static struct mct_cancel *interrupted; /* Ctrl-C fires this token */

static void on_interrupt(int signum)
{
    (void)signum;
    mct_cancel_fire(interrupted);
}

/* ---- the model ---- */

/* Returns the next line of the script, or NULL. A real agent sends the conversation and the tools to the model. */
static const char *ask_model(FILE *script, char *line, size_t size)
{
    if (!fgets(line, (int)size, script))
        return NULL;
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

/* ---- the program's own tool ---- */

struct notes {
    char *text[100];
    size_t n;
};

static void take_note(struct mct_tool_call *call, void *data)
{
    struct notes *notes = (struct notes *)data;
    const char *text = mct_tool_call_text_argument(call, "text");
    if (!text || notes->n == sizeof notes->text / sizeof *notes->text || !(notes->text[notes->n] = strdup(text)))
        mct_tool_call_error(call, text ? "the notebook is full" : "\"text\" must be a string");
    else
        mct_tool_call_text(call, notes->n++ ? "noted, too" : "noted");
}

static int add_own_tool(struct mct_instance *r, struct notes *notes, struct mct_error *err)
{
    const struct mct_tool_def note = {
        .size = sizeof note, .name = "note", .description = "Keeps a note for the person",
        .parameters = MCT_JSON({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }),
        .execute = take_note, .data = notes,
    };
    return mct_instance_add_tool(r, &note, err);
}

/* ---- the loop ---- */

static void show_progress(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    (void)q;
    (void)data;
    fprintf(stderr, "  %g/%g %s\n", progress, total, message);
}

/* Makes one call of the model and prints the answer, which a real agent sends to the model. */
static void run_tool(struct mct_instance *r, const char *call)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .cancel = interrupted, .progress = show_progress };
    struct mct_error err;
    struct mct_request *q = mct_instance_call_model(r, MODEL, call, &opts, &err);
    printf("> %s\n", call);
    mct_request_wait(q, NULL); /* the answer tells the model of an error, too */
    const char *answer = q ? mct_request_answer(q, &err) : NULL;
    printf("< %s\n", answer ? answer : err.message);
    mct_request_free(q);
}

static void run(struct mct_instance *r, FILE *script)
{
    struct mct_error err;
    char line[4096];
    const char *said;
    char *tools = mct_instance_model_tools(r, MODEL, &err);
    printf("tools: %s\n", tools ? tools : err.message);
    mct_free(tools);
    while ((said = ask_model(script, line, sizeof line)) && said[0] == '{')
        run_tool(r, said);
    printf("%s\n", said ? said : "");
}

static void log_line(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    (void)data;
    fprintf(stderr, "agent: %s\n", line);
}

int main(int argc, char **argv)
{
    const struct mct_instance_opts opts = { .size = sizeof opts, .log = log_line, .log_level = MCT_LOG_WARN };
    FILE *script = argc == 3 ? fopen(argv[2], "r") : NULL;
    struct notes notes = { .n = 0 };
    struct mct_error err;
    if (!script)
        return fprintf(stderr, "usage: agent CONFIGURATION SCRIPT\n"), 2;
    struct mct_instance *r = mct_instance_new(&opts, &err);
    int status = r ? add_own_tool(r, &notes, &err) : -1;
    if (status == 0 && (status = mct_instance_load_file(r, argv[1], &err)) == 0)
        status = mct_instance_start(r, &err);
    if (status < 0) {
        fprintf(stderr, "agent: %s\n", err.message);
    } else {
        if ((interrupted = mct_cancel_new(r, &err)))
            signal(SIGINT, on_interrupt);
        if (mct_instance_wait_ready(r, 30000, &err) < 0)
            fprintf(stderr, "agent: going on without some: %s\n", err.message);
        run(r, script);
        signal(SIGINT, SIG_DFL);
        mct_cancel_free(interrupted);
    }
    mct_instance_close_wait(r);
    fclose(script);
    while (notes.n)
        free(notes.text[--notes.n]);
    return status < 0;
}
