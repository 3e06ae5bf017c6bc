/*
 * An MCP server that keeps notes, with everything a server can have: resources that clients may subscribe to, a prompt,
 * completion, and a question to the user. It is served on stdin and stdout, or over HTTP.
 *
 *     cc notes.c $(pkg-config --cflags --libs mcptools) -o notes && ./notes 127.0.0.1:8080
 */
#include <mcptools/mcptools.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct mct_instance *instance;
static struct { char name[32], text[256]; } notes[8] = { { "milk", "Buy some milk." }, { "tea", "Make \"tea\"." } };

/* Returns a note by its name; that of "" is free. */
static int find(const char *name)
{
    int i = 0;
    while (i < 8 && strcmp(notes[i].name, name ? name : "") != 0)
        i++;
    return i < 8 ? i : -1;
}

static void read_note(struct mct_tool_call *call, void *data)
{
    int i = find(mct_tool_call_text_argument(call, "name")); /* the variable of the template */
    (void)data;
    if (i >= 0 && *notes[i].name)
        mct_tool_call_text(call, notes[i].text);
    else
        mct_tool_call_not_found(call);
}

static void complete_name(struct mct_tool_call *call, void *data)
{
    const char *names[9] = { NULL };
    (void)data;
    for (int i = 0, n = 0; i < 8; i++)
        if (*notes[i].name)
            names[n++] = notes[i].name;
    mct_tool_call_complete(call, names);
}

static void get_prompt(struct mct_tool_call *call, void *data)
{
    char text[400];
    int i = find(mct_tool_call_text_argument(call, "name"));
    (void)data;
    snprintf(text, sizeof text, "Do what this note says: %s", i < 0 ? "(it is gone)" : notes[i].text);
    mct_tool_call_text(call, text);
}

static void write_note(struct mct_tool_call *call, void *data)
{
    const char *name = mct_tool_call_text_argument(call, "name"), *text = mct_tool_call_text_argument(call, "text");
    int i = find(name) >= 0 ? find(name) : find(NULL);
    char uri[64];
    (void)data;
    if (i < 0) {
        mct_tool_call_error(call, "there is no room for another note");
        return;
    }
    snprintf(notes[i].name, sizeof notes[i].name, "%s", name);
    snprintf(notes[i].text, sizeof notes[i].text, "%s", text);
    snprintf(uri, sizeof uri, "note://%s", name);
    mct_instance_resource_updated(instance, uri, NULL);
    mct_tool_call_log(call, "info", "a note was written");
    mct_tool_call_text(call, "Noted.");
}

static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    struct mct_json json = { NULL, 0 };
    (void)data;
    if (err) {
        mct_tool_call_error(call, err->message);
        return;
    }
    bool agreed = mct_json_read(answer, &json, NULL) == 0 && mct_json_is(mct_json_get(json, "action"), "accept");
    if (agreed)
        memset(notes, 0, sizeof notes);
    mct_tool_call_text(call, agreed ? "All notes are gone." : "The notes stay.");
}

static void forget(struct mct_tool_call *call, void *data)
{
    (void)data;
    mct_tool_call_ask(call, "elicitation/create", MCT_JSON({ "message": "Forget all notes?", "requestedSchema": {
                      "type": "object", "properties": {} } }), on_answer, NULL);
}

static int add_all(struct mct_error *err)
{
    struct mct_tool_def write = MCT_TOOL_DEF_INIT, all = MCT_TOOL_DEF_INIT;
    struct mct_resource_def note = MCT_RESOURCE_DEF_INIT;
    struct mct_prompt_def prompt = MCT_PROMPT_DEF_INIT;
    write.name = "write", write.description = "Writes a note", write.execute = write_note;
    write.parameters = MCT_JSON({ "type": "object", "required": ["name", "text"], "properties": {
        "name": { "type": "string", "pattern": "^[a-z]{1,31}$" }, "text": { "type": "string" } } });
    all.name = "forget_all", all.description = "Forgets all notes if the user agrees", all.execute = forget;
    note.uri_template = "note://{name}", note.name = "note", note.description = "A note", note.mime_type = "text/plain";
    note.read = read_note, note.complete = complete_name, note.updates = true;
    prompt.name = "do", prompt.description = "Does what a note says", prompt.get = get_prompt;
    prompt.complete = complete_name, prompt.arguments = MCT_JSON([{ "name": "name", "required": true }]);
    return mct_instance_add_tool(instance, &write, err) < 0 || mct_instance_add_tool(instance, &all, err) < 0 ||
           mct_instance_add_resource(instance, &note, err) < 0 || mct_instance_add_prompt(instance, &prompt, err) < 0 ? -1 : 0;
}

static void on_signal(int number)
{
    (void)number;
    mct_instance_stop(instance);
}

static int serve_http(const char *address, struct mct_error *err)
{
    int port = mct_instance_serve_http(instance, address, err);
    if (port < 0 || mct_instance_start(instance, err) < 0)
        return -1;
    signal(SIGTERM, on_signal);
    printf("http://127.0.0.1:%d/mcp\n", port);
    fflush(stdout);
    return mct_instance_run(instance, err);
}

int main(int argc, char **argv)
{
    struct mct_identity identity = MCT_IDENTITY_INIT;
    struct mct_error err;
    identity.name = "notes", identity.version = "1.0", identity.title = "Notes", identity.instructions = "Notes are resources: note://NAME";
    instance = mct_instance_new(NULL, &err);
    int status = !instance || mct_instance_identify(instance, &identity, &err) < 0 ? -1 : add_all(&err);
    if (status == 0 && argc < 2)
        status = mct_instance_serve_stdio_wait(instance, &err);
    else if (status == 0)
        status = serve_http(argv[1], &err);
    if (status < 0)
        fprintf(stderr, "notes: %s\n", err.message);
    mct_instance_close_wait(instance);
    return status < 0;
}
