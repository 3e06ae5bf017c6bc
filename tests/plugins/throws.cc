/* A plugin in C++ whose setup() lets an exception through. */
#include <mcptools/plugin.h>

#include <stdexcept>

static int setup(const mct_plugin_api *, void **, mct_error *)
{
    throw std::runtime_error("nobody catches this");
}

static const char schema[] = "{}";

MCT_PLUGIN_EXPORT const mct_plugin mcptools_plugin = { MCT_PLUGIN_HEAD, "throws", nullptr, nullptr,
                                                       nullptr,         schema,   setup,   nullptr };
