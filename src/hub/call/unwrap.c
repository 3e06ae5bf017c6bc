/* Stage "unwrap": finds the item that the call names. A call of the tool that calls other tools (search mode) becomes a
 * call of the other tool. */
#include "hub/call/stages.h"

#include "base/limits.h"

static void unwrap_look_up(const struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    enum mcti_kind kind = call->verb == MCT_VERB_TOOLS_CALL ? MCT_TOOL : MCT_PROMPT;
    if (!s->is_looked_up)
        s->found = mcti_view_named(s->view, kind, s->name, err);
    else if (!s->found && mcti_view_named(s->view, kind, s->name, err)) /* otherwise *err says more */
        mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s", mcti_kind_info(kind)->word, MCT_STR_ARG(s->name));
}

static enum mcti_pass unwrap_look_inside(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    struct mcti_view_own *own = s->view->own;
    struct mcti_str name, args = MCT_STR_NONE;
    struct mcti_view *inner = own->unwrap(own, s->found->item, mcti_json_get(call->params, "arguments"), &name, &args);
    if (!inner)
        return MCT_PASS;
    const struct mcti_json_set sets[] = { { "name", name }, { "arguments", args } };
    mcti_buf_init(&s->texts->params, 2 * call->params.len + 64);
    mcti_buf_init(&s->texts->name, MCT_LIMIT_NAME_BYTES);
    mcti_json_put_object(&s->texts->params, call->params, sets, 2);
    if (mcti_json_unescape(name, &s->texts->name) < 0 || !mcti_buf_ok(&s->texts->name)) {
        mcti_fail(err, MCT_ERR_USAGE, "the parameter \"name\" is not a valid string or is too long");
        return MCT_ANSWER;
    }
    if (!mcti_buf_ok(&s->texts->params)) {
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    call->params = mcti_buf_str(&s->texts->params);
    s->view = inner;
    s->name = mcti_buf_str(&s->texts->name);
    s->is_looked_up = false;
    unwrap_look_up(call, s, err);
    if (s->found && !mcti_view_is_for_model(s->found)) { /* the model calls it */
        s->found = NULL;
        mcti_fail(err, MCT_ERR_NOT_FOUND, "unknown tool: %.*s", MCT_STR_ARG(s->name));
    }
    return MCT_PASS;
}

/* An unknown name passes, with *err set for the stages "owner-only" and "rules". */
enum mcti_pass mcti_unwrap_enter(struct mcti_call *call, struct mcti_call_start *s, struct mct_error *err)
{
    if (!s->view)
        return MCT_PASS;
    unwrap_look_up(call, s, err);
    bool is_own = call->verb == MCT_VERB_TOOLS_CALL && s->found && mcti_view_is_own(s->view, s->found);
    return is_own ? unwrap_look_inside(call, s, err) : MCT_PASS;
}
