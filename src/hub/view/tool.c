/* Names and properties of one tool of a view. */
#include "hub/view/view.h"

const struct mcti_tool_names *mcti_view_tool_names(const struct mcti_view *v, const struct mcti_exposure *x)
{
    return mcti_canon_find(v->registry, &v->naming, x->provider, x->item);
}

bool mcti_view_is_read_only(const struct mcti_view *v, const struct mcti_policy *p, const struct mcti_exposure *x)
{
    const struct mcti_policy_tool tool = { x->provider, x->item, x->name, mcti_view_tool_names(v, x) };
    return mcti_policy_is_read_only(p, &tool);
}
