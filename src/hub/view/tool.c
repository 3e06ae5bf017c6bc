/* What is asked about one tool of a view. */
#include "hub/view/view.h"

const struct mct_tool_names *mct_view_tool_names(const struct mct_view *v, const struct mct_exposure *x)
{
    return mct_canon_find(v->registry, &v->naming, x->provider, x->item);
}

bool mct_view_is_read_only(const struct mct_view *v, const struct mct_policy *p, const struct mct_exposure *x)
{
    const struct mct_policy_tool tool = { x->provider, x->item, x->name, mct_view_tool_names(v, x) };
    return mct_policy_is_read_only(p, &tool);
}
