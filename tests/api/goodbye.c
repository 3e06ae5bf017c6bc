/* A server on stdio whose one tool answers and ends it: the answer must leave all the same. */
#include <mcptools/mcptools.h>

static bool closed;

static void on_closed(void *data)
{
    *(bool *)data = true;
}

static void goodbye(struct mct_tool_call *call, void *data)
{
    mct_tool_call_text(call, "goodbye");
    mct_instance_close(data, on_closed, &closed);
}

int main(void)
{
    struct mct_error err;
    struct mct_instance *r = mct_instance_new(NULL, &err);
    const struct mct_tool_def def = { .size = sizeof def, .name = "goodbye", .execute = goodbye, .data = r };
    if (!r || mct_instance_add_tool(r, &def, &err) < 0 || mct_instance_serve_stdio(r, NULL, NULL, &err) < 0 ||
        mct_instance_start(r, &err) < 0)
        return 1;
    return mct_instance_run(r, &err) == 0 && closed ? 0 : 2;
}
