#include "mcp/task.h"

#include "json/edit.h"

#define EXTENSION "io.modelcontextprotocol/tasks"

static void leave_out(struct mcti_json_edit *e, struct mcti_str extensions)
{
    struct mcti_json_edit_members m = mcti_json_edit_members(extensions);
    while (mcti_json_edit_next(e, &m))
        if (mcti_json_key_is(m.now.key, EXTENSION))
            mcti_json_edit_leave_out(e, &m);
}

struct mcti_str mcti_task_undeclare(struct mcti_str capabilities, struct mcti_buf *scratch)
{
    struct mcti_json_edit e = mcti_json_edit_open(scratch, capabilities);
    struct mcti_json_edit_members m = mcti_json_edit_members(capabilities);
    mcti_buf_clear(scratch);
    while (mcti_json_edit_next(&e, &m))
        if (mcti_json_key_is(m.now.key, "extensions"))
            leave_out(&e, m.now.value);
    if (e.at == capabilities.p)
        return capabilities;
    mcti_json_edit_close(&e, capabilities);
    return mcti_buf_str(scratch);
}
