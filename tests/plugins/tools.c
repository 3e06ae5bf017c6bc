/* A plugin that does everything right, but for tools that answer wrongly. What happens to it is noted in a file. */
#include <mcptools/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct plugin {
    const struct mct_plugin_api *api;
    const char *marks; /* the file; NULL: none */
    unsigned n_calls, n_tools;
};

static void mark(const struct plugin *p, const char *what)
{
    FILE *f = p->marks ? fopen(p->marks, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%s\n", what);
    fclose(f);
}

static void greet(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    const char *greeting = p->api->config_text(p->api->host, "greeting");
    size_t len = 0;
    const char *name = p->api->call_text_argument_len(call, "name", &len);
    char text[256];
    size_t n = (size_t)snprintf(text, 128, "%s, ", greeting ? greeting : "hello");
    if (!name || len > 100)
        len = strlen(name = "world");
    memcpy(text + n, name, len);
    p->api->call_text_len(call, text, n + len);
}

static const char *or_none(const char *z)
{
    return z ? z : "-";
}

static void tell_context(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    const struct mct_tool_context *c = p->api->context;
    char text[2048];
    snprintf(text, sizeof text, "%s %s %s %s %s %s %s", or_none(c->workspace_dir), or_none(c->agent_dir),
             or_none(c->agent_id), or_none(c->session_key), or_none(c->message_channel), or_none(c->agent_account_id),
             c->sandboxed ? "yes" : "no");
    p->api->call_text(call, text);
}

static void on_step(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    unsigned *step = p->api->call_memory(call, sizeof *step);
    if (++*step == 4) {
        p->api->call_result(
            call, "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}],\"structuredContent\":{\"steps\":3}}");
        return;
    }
    p->api->call_progress(call, *step, 3, "a step");
    p->api->call_later(call, 1, on_step, p);
}

static void answer_late(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    mark(p, "cancelled");
    p->api->call_text(call, "too late");
}

static void never(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    mark(p, "never");
    p->api->call_on_cancel(call, answer_late, p);
}

static void twice(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    p->api->call_text(call, "first");
    p->api->call_error(call, "second");
}

static void no_result(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    p->api->call_result(call, "[1]");
}

static void refuse(struct mct_tool_call *call, void *data)
{
    struct plugin *p = data;
    p->api->call_fail(call, -32001, "not today");
}

static void free_tool(void *data)
{
    struct plugin *p = data;
    p->n_tools--;
}

static struct mct_tool_def tool(struct plugin *p, const char *name, mct_tool_fn fn)
{
    p->n_tools++;
    return (struct mct_tool_def){
        .size = sizeof(struct mct_tool_def), .name = name, .execute = fn, .data = p, .free_data = free_tool
    };
}

static int make(const struct mct_tool_context *context, mct_tool_add_fn add, void *to, void *data,
                struct mct_error *err)
{
    struct plugin *p = data;
    char name[64];
    snprintf(name, sizeof name, "for_%s", or_none(context->agent_id));
    const struct mct_tool_def def = tool(p, name, greet);
    return context->agent_id ? add(to, &def, err) : (p->n_tools--, 0);
}

static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err)
{
    static const struct {
        const char *name;
        mct_tool_fn fn;
        bool optional, owner_only;
    } rows[] = { { "greet", greet, false, false },   { "context", tell_context, false, false },
                 { "slow", on_step, false, false },  { "never", never, false, false },
                 { "twice", twice, false, false },   { "none", no_result, false, false },
                 { "refuse", refuse, false, false }, { "danger", greet, true, false },
                 { "own", greet, false, true } };
    struct plugin *p = calloc(1, sizeof *p);
    if (!p)
        return -1;
    p->api = api;
    p->marks = api->config_text(api->host, "marks");
    mark(p, api->trial ? "trial" : "setup");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_tool_def def = tool(p, rows[i].name, rows[i].fn);
        const struct mct_tool_opts opts = { .size = sizeof opts, .optional = rows[i].optional };
        def.owner_only = rows[i].owner_only;
        if (api->add_tool(api->host, &def, rows[i].optional ? &opts : NULL, err) < 0)
            return -1;
    }
    *ret_state = p;
    return api->add_factory(api->host, make, p, NULL, err);
}

static void teardown(void *state)
{
    struct plugin *p = state;
    struct mct_error err;
    const struct mct_tool_def def = tool(p, "later", greet);
    bool added = p->api->add_tool(p->api->host, &def, NULL, &err) == 0;
    mark(p, p->api->trial ? "trial is over" : added || p->n_tools != 1 ? "teardown, but tools are left" : "teardown");
    free(p);
}

MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = {
    MCT_PLUGIN_HEAD,
    .id = "tools",
    .name = "Tools for tests",
    .version = "1.2.3",
    .setup = setup,
    .teardown = teardown,
    .config_schema =
        "{\"type\":\"object\",\"properties\":{\"greeting\":{\"type\":\"string\"},\"marks\":{\"type\":\"string\"},"
        "\"deep\":{\"properties\":{\"n\":{\"type\":\"integer\"}}}},\"additionalProperties\":false}"
};
