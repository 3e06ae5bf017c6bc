/* Plugins that say the wrong things of themselves; each build defines what is wrong. */
#include <mcptools/plugin.h>

#ifndef ABI
#define ABI MCT_PLUGIN_ABI
#endif
#ifndef BYTES
#define BYTES sizeof(struct mct_plugin)
#endif
#ifndef ID
#define ID "handshake"
#endif
#ifndef NAME
#define NAME "Handshake"
#endif
#define TWO_LINES "a\nb"
#ifndef SETUP
#define SETUP setup
#endif
#ifndef TEARDOWN
#define TEARDOWN NULL
#endif
#ifndef SCHEMA
#define SCHEMA NULL
#endif

static void answer(struct mct_tool_call *call, void *data)
{
    ((const struct mct_plugin_api *)data)->call_text(call, "fine");
}

__attribute__((unused)) static int setup(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err)
{
    const struct mct_tool_def def = {
        .size = sizeof(struct mct_tool_def), .name = "good", .execute = answer, .data = (void *)(size_t)api
    };
    *ret_state = NULL;
    return api->add_tool(api->host, &def, NULL, err);
}

/* One that is built with headers in which teardown is not yet must not have it called. */
__attribute__((unused)) static void crash(void *state)
{
    *(volatile int *)state = 1;
}

MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = {
    BYTES, ABI, .id = ID, .name = NAME, .setup = SETUP, .teardown = TEARDOWN, .config_schema = SCHEMA
};
