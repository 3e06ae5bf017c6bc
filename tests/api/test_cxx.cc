// The headers in C++, with what C++ programs do: aggregates without designators, lambdas for callbacks.
#include <mcptools/mcptools.h>
#include <mcptools/plugin.h>
#include <mcptools/uv.h>

#include <cstdio>
#include <cstring>
#include <string>

static void greet(mct_tool_call *call, void *data)
{
    const char *name = mct_tool_call_text_argument(call, "name");
    const std::string text = *static_cast<const std::string *>(data) + ", " + (name ? name : "nobody");
    mct_tool_call_text(call, text.c_str());
}

static int run()
{
    mct_error err{};
    std::string greeting = "Hello";
    mct_tool_def def = MCT_TOOL_DEF_INIT;
    def.name = "greet";
    def.execute = greet;
    def.data = &greeting;
    mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    opts.log = [](mct_log_level, const char *line, void *) { std::fprintf(stderr, "# %s\n", line); };
    mct_instance *r = mct_instance_new(&opts, &err);
    if (!r || mct_instance_add_tool(r, &def, &err) < 0 || mct_instance_start(r, &err) < 0 ||
        mct_instance_wait_ready(r, 10000, &err) < 0)
        return std::fprintf(stderr, "%s\n", err.message), 1;
    mct_request *q = mct_instance_call(r, "greet", "{\"name\":\"C++\"}", nullptr, &err);
    bool good = q && mct_request_wait(q, NULL) == 0 && !std::strcmp(mct_request_text(q, NULL), "Hello, C++");
    mct_request_free(q);
    mct_instance_close_wait(r);
    return good ? 0 : 1;
}

int main()
{
    return run();
}
