/*
 * An MCP server with two tools, on stdin and stdout, for clients of every protocol revision.
 *
 *     cc server.c $(pkg-config --cflags --libs mcptools) -o server && mcptools list --stdio ./server
 */
#include <mcptools/mcptools.h>
#include <stdio.h>
#include <string.h>

static void count_words(struct mct_tool_call *call, void *data)
{
    const char *text = mct_tool_call_text_argument(call, "text"); /* a string: the arguments match the schema below */
    struct mct_json_writer *writer = mct_json_writer_new();
    int n = 0;
    (void)data;
    for (const char *p = text ? text : ""; *(p += strspn(p, " \t\r\n")); p += strcspn(p, " \t\r\n"))
        n++;
    mct_json_put_object(writer, NULL);
    mct_json_put_int(writer, "words", n);
    mct_json_put_end(writer);
    char *result = mct_json_writer_take(writer, NULL);
    mct_tool_call_structured(call, result);
    mct_free(result);
}

/* Runs once for each step, so that other calls do not have to wait. */
static void brew(struct mct_tool_call *call, void *data)
{
    int *step = (int *)mct_tool_call_memory(call, sizeof *step);
    (void)data;
    mct_tool_call_progress(call, *step + 1, 5, *step < 4 ? "brewing" : "ready");
    if (++*step < 5)
        mct_tool_call_later(call, 100, brew, NULL);
    else
        mct_tool_call_text(call, "Your tea, please.");
}

static const struct mct_tool_def tools[] = {
    { .size = sizeof(struct mct_tool_def), .name = "count_words", .description = "Counts the words of a text",
      .parameters = MCT_JSON({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] }),
      .output_schema = MCT_JSON({ "type": "object", "properties": { "words": { "type": "integer" } }, "required": ["words"] }),
      .annotations = MCT_JSON({ "readOnlyHint": true }), .execute = count_words },
    { .size = sizeof(struct mct_tool_def), .name = "brew", .description = "Makes tea, which takes a while", .execute = brew },
};

int main(void)
{
    struct mct_error err;
    struct mct_instance *r = mct_instance_new(NULL, &err);
    int status = r ? 0 : -1;
    for (size_t i = 0; status == 0 && i < sizeof tools / sizeof *tools; i++)
        status = mct_instance_add_tool(r, &tools[i], &err);
    if (status == 0)
        status = mct_instance_serve_stdio_wait(r, &err);
    if (status < 0)
        fprintf(stderr, "server: %s\n", err.message);
    mct_instance_close_wait(r);
    return status < 0;
}
