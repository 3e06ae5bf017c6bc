/* A plugin that was not linked with what it needs. */
#include <mcptools/plugin.h>

int there_is_no_such_function(const struct mct_plugin_api *api, void **ret_state, struct mct_error *err);

MCT_PLUGIN_EXPORT const struct mct_plugin mcptools_plugin = { MCT_PLUGIN_HEAD, .id = "undefined",
                                                              .setup = there_is_no_such_function };
