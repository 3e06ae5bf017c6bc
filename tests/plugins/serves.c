/* A plugin with a resource template, a prompt, completion, and a tool that asks its client. */
#include <mcptools/plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_it(struct mct_tool_call *call, void *data)
{
    const struct mct_plugin_api *api = data;
    const char *name = api->call_text_argument(call, "name");
    if (strcmp(name, "none"))
        api->call_text(call, name);
    else
        api->call_not_found(call);
}

static void complete(struct mct_tool_call *call, void *data)
{
    static const char *const values[] = { "one", "other", "two", NULL };
    ((const struct mct_plugin_api *)data)->call_complete(call, values);
}

static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    const struct mct_plugin_api *api = data;
    if (api->resource_updated(api->host, "it://one", NULL) < 0)
        api->call_fail(call, -1, "no updates");
    else if (answer)
        api->call_structured(call, answer);
    else
        api->call_error(call, err->message);
}

static void ask(struct mct_tool_call *call, void *data)
{
    const struct mct_plugin_api *api = data;
    api->call_log(call, "warning", api->call_caller(call)->client_name);
    api->call_hang_up(call); /* no effect on stdio */
    api->call_ask(call, "roots/list", NULL, on_answer, data);
}

static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err)
{
    void *data = (void *)(uintptr_t)api;
    const struct mct_resource_def it = { .size = sizeof it,
                                         .uri_template = "it://{name}",
                                         .name = "it",
                                         .mime_type = "text/plain",
                                         .read = read_it,
                                         .complete = complete,
                                         .updates = true,
                                         .data = data };
    const struct mct_prompt_def say = { .size = sizeof say,
                                        .name = "say",
                                        .arguments = MCT_JSON([{ "name": "name", "required": true }]), .get = read_it,
                                                              .complete = complete, .data = data };
    const struct mct_tool_def tool = { .size = sizeof tool, .name = "ask", .execute = ask, .data = data };
    *ret_state = NULL;
    if (api->size < offsetof(struct mct_plugin_api, call_hang_up) + sizeof api->call_hang_up)
        return -1;
    return api->add_resource(api->host, &it, err) < 0 || api->add_prompt(api->host, &say, err) < 0
               ? -1
               : api->add_tool(api->host, &tool, NULL, err);
}

MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = { MCT_PLUGIN_HEAD, .id = "serves", .setup = setup };
