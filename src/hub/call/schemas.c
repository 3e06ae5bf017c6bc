/* Stage "schemas": converts the arguments of a client that lists tools in the form of a model provider back to those
 * that the tool accepts. */
#include "hub/call/stages.h"

#include "json/write.h"

enum mcti_pass mcti_schemas_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    const struct mcti_view_form *form = s->view ? s->view->form : NULL;
    struct mcti_buf arguments;
    if (!form || !s->found || call->verb != MCT_VERB_TOOLS_CALL || mcti_view_is_own(s->view, s->found))
        return MCT_PASS;
    struct mcti_str given = mcti_json_get(call->params, "arguments");
    if (mcti_json_type(given) != '{')
        return MCT_PASS;
    mcti_buf_init(&arguments, 4 * given.len + 4096);
    int r = form->restore(&arguments, form, mcti_json_get(mcti_item_json(s->found->item), "inputSchema"), given, err);
    if (r == 0) {
        const struct mcti_json_set set = { "arguments", mcti_buf_str(&arguments) };
        mcti_buf_init(&s->texts->restored, call->params.len + arguments.len + 64);
        mcti_json_put_object(&s->texts->restored, call->params, &set, 1);
        call->params = mcti_buf_str(&s->texts->restored);
        r = mcti_buf_ok(&s->texts->restored) ? 0 : mcti_no_memory(err);
    }
    mcti_buf_done(&arguments);
    return r == 0 ? MCT_PASS : MCT_ANSWER;
}
