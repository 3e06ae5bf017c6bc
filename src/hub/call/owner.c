/* Stage "owner-only": refuses calls of owner-only tools by other clients. Views hide these tools from such clients. */
#include "hub/call/stages.h"

#include "mcp/shape/shape.h"

enum mcti_pass mcti_owner_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    if (s->found || !s->view || call->verb != MCT_VERB_TOOLS_CALL || !mcti_view_restricted(s->view, s->name))
        return MCT_PASS;
    mcti_buf_init(&s->texts->answer, 256);
    mcti_shape_tool_says(&s->texts->answer, MCT_STR(MCT_OWNER_ONLY_TEXT));
    return mcti_stage_answer(s, err);
}
