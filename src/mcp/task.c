#include "mcp/task.h"

#include "json/edit.h"

#define EXTENSION "io.modelcontextprotocol/tasks"

static void leave_out(struct mct_json_edit *e, struct mct_str extensions)
{
    struct mct_json_edit_members m = mct_json_edit_members(extensions);
    while (mct_json_edit_next(e, &m))
        if (mct_json_key_is(m.now.key, EXTENSION))
            mct_json_edit_leave_out(e, &m);
}

struct mct_str mct_task_undeclare(struct mct_str capabilities, struct mct_buf *scratch)
{
    struct mct_json_edit e = mct_json_edit_open(scratch, capabilities);
    struct mct_json_edit_members m = mct_json_edit_members(capabilities);
    mct_buf_clear(scratch);
    while (mct_json_edit_next(&e, &m))
        if (mct_json_key_is(m.now.key, "extensions"))
            leave_out(&e, m.now.value);
    if (e.at == capabilities.p)
        return capabilities;
    mct_json_edit_close(&e, capabilities);
    return mct_buf_str(scratch);
}
