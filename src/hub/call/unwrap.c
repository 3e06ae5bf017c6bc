/* Finds what a call names. A call of a tool that stands for another one (search mode) becomes the call of that tool. */
#include "hub/call/stages.h"

#include "base/limits.h"

static void look_up(const struct mct_call *call, struct mct_call_start *s, struct mct_error *err)
{
    enum mct_kind kind = call->verb == MCT_VERB_TOOLS_CALL ? MCT_TOOL : MCT_PROMPT;
    if (!s->is_looked_up)
        s->found = mct_view_named(s->view, kind, s->name, err);
    else if (!s->found)
        mct_fail(err, MCT_ERR_NOT_FOUND, "unknown %s: %.*s", mct_kind_info(kind)->word, MCT_STR_ARG(s->name));
}

static enum mct_pass look_inside(struct mct_call *call, struct mct_call_start *s, struct mct_error *err)
{
    struct mct_view_own *own = s->view->own;
    struct mct_str name, args = MCT_STR_NONE;
    struct mct_view *inner = own->unwrap(own, s->found->item, mct_json_get(call->params, "arguments"), &name, &args);
    if (!inner)
        return MCT_PASS;
    const struct mct_json_set sets[] = { { "name", name }, { "arguments", args } };
    mct_buf_init(&s->texts->params, 2 * call->params.len + 64);
    mct_buf_init(&s->texts->name, MCT_LIMIT_NAME_BYTES);
    mct_json_put_object(&s->texts->params, call->params, sets, 2);
    if (mct_json_unescape(name, &s->texts->name) < 0 || !mct_buf_ok(&s->texts->name)) {
        mct_fail(err, MCT_ERR_USAGE, "the parameter \"name\" must be a string of bounded length");
        return MCT_ANSWER;
    }
    if (!mct_buf_ok(&s->texts->params)) {
        mct_no_memory(err);
        return MCT_ANSWER;
    }
    call->params = mct_buf_str(&s->texts->params);
    s->view = inner;
    s->name = mct_buf_str(&s->texts->name);
    s->is_looked_up = false;
    look_up(call, s, err);
    return MCT_PASS;
}

/* A name that is unknown passes, with *err for the stages "owner" and "rules". */
enum mct_pass mct_unwrap_enter(struct mct_call *call, struct mct_call_start *s, struct mct_error *err)
{
    if (!s->view)
        return MCT_PASS;
    look_up(call, s, err);
    bool is_own = call->verb == MCT_VERB_TOOLS_CALL && s->found && mct_view_is_own(s->view, s->found);
    return is_own ? look_inside(call, s, err) : MCT_PASS;
}
