/* A plugin that misbehaves while it is loaded, as its configuration says; before that there is only the environment. */
#include <mcptools/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;

static void misbehave(const char *what)
{
    if (!strcmp(what, "crash"))
        *(volatile int *)0 = 1;
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "exit"))
        exit(0);
    if (!strcmp(what, "hang"))
        for (;;)
            pause();
}

__attribute__((constructor)) static void on_load(void)
{
    const char *what = getenv("ODD_CONSTRUCTOR");
    misbehave(what ? what : "");
}

__attribute__((destructor)) static void on_unload(void)
{
    if (how && !strcmp(how, "crash when unloaded"))
        misbehave("crash");
}

static void answer(struct mct_tool_call *call, void *data)
{
    ((const struct mct_plugin_api *)data)->call_text(call, "fine");
}

static int refuse(const struct mct_tool_context *context, mct_tool_add_fn add, void *to, void *data,
                  struct mct_error *err)
{
    const struct mct_tool_def def = {
        .size = sizeof(struct mct_tool_def), .name = "half", .execute = answer, .data = data
    };
    (void)context;
    add(to, &def, NULL);
    if (!strcmp(how, "crash in a factory"))
        misbehave("crash");
    snprintf(err->message, sizeof err->message, "the factory is closed");
    return -1;
}

static void block(struct mct_hook_event *event, void *data)
{
    ((const struct mct_plugin_api *)data)->hook_decide(event, "{\"block\":true,\"blockReason\":\"guarded\"}");
}

/* It insists on it. */
static int guard(const struct mct_plugin_api *api, struct mct_error *err)
{
    const struct mct_hook_def def = {
        .size = sizeof(struct mct_hook_def), .kind = MCT_HOOK_BEFORE, .run = block, .data = (void *)(size_t)api
    };
    return api->add_hook(api->host, &def, err);
}

static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err)
{
    static const char *const names[] = { "good", "not good", "good", "too" };
    how = api->config_text(api->host, "how");
    if (api->trial && puts("this must not get onto stdout") >= 0)
        fflush(stdout);
    if (how && !strcmp(how, "refuse")) {
        snprintf(err->message, sizeof err->message, "the moon is wrong");
        return -1;
    }
    if (how && !strcmp(how, "silently"))
        return -1;
    if (how && !strcmp(how, "guard") && guard(api, err) < 0)
        return -1;
    misbehave(how ? how : "");
    if (how && !strcmp(how, "leave something") && api->trial && fork() == 0)
        misbehave("hang");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct mct_tool_def def = {
            .size = sizeof(struct mct_tool_def), .name = names[i], .execute = answer, .data = (void *)(size_t)api
        };
        api->add_tool(api->host, &def, NULL, NULL);
    }
    *ret_state = NULL;
    return how && strstr(how, "factory") ? api->add_factory(api->host, refuse, (void *)(size_t)api, NULL, err) : 0;
}

static void teardown(void *state)
{
    (void)state;
    if (how && !strcmp(how, "crash in teardown"))
        misbehave("crash");
}

MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = { MCT_PLUGIN_HEAD, .id = "odd", .setup = setup,
                                                              .teardown = teardown };
