/* Local references are replaced by what they point to, so that a provider gets a schema that stands alone. */
#include "model/schema/impl.h"

static struct mct_json_node *inlined(struct normal_run *run, struct mct_json_node *node, const void *at);

static struct mct_json_node *resolved(struct normal_run *run, struct mct_json_node *node, struct mct_str ref,
                                      struct normal_at at)
{
    struct mct_json_node *target = normal_resolve(run, ref, at.scope);
    if (!target) {
        run->unresolved |= mct_str_starts(ref, MCT_STR("#/"));
        return node;
    }
    if (!normal_may_grow(run, target, at.depth))
        return mct_json_tree_new(&run->tree, '{');
    struct normal_open open = { at.open, ref };
    at.open = &open;
    struct mct_json_node *found = inlined(run, target, &at);
    if (found->type != '{')
        return found;
    found = mct_json_tree_copy(&run->tree, found);
    normal_put_meta(run, node, found);
    if (mct_json_node_is(NORMAL_GET(run, node, "nullable"), 't'))
        NORMAL_PUT(run, found, "nullable", NORMAL_WORD(run, "true"));
    return found;
}

static bool is_definitions(struct mct_str key)
{
    return mct_str_is(key, "$defs") || mct_str_is(key, "definitions") || mct_str_is(key, "components");
}

static struct mct_json_node *inlined_members(struct normal_run *run, const struct mct_json_node *node,
                                             const struct normal_at *at)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_definitions(node->v[i].key))
            mct_json_tree_put(&run->tree, to, node->v[i].key,
                              normal_inside(run, &node->v[i], NORMAL_CORE, inlined, at));
    for (unsigned i = 0; run->unresolved && i < node->n; i++)
        if (is_definitions(node->v[i].key))
            mct_json_tree_put(&run->tree, to, node->v[i].key, node->v[i].value);
    return to;
}

static struct mct_json_node *inlined(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    struct normal_at here = *(const struct normal_at *)at;
    struct normal_scope own;
    if (node->type == '[')
        return normal_each(run, node, inlined, at);
    if (node->type != '{')
        return node;
    here.depth++;
    here.scope = normal_scope(run, node, &own, here.scope);
    struct mct_str ref = mct_json_node_raw(NORMAL_GET(run, node, "$ref"));
    if (!ref.len)
        return inlined_members(run, node, &here);
    return normal_is_open(here.open, ref) ? mct_json_tree_new(&run->tree, '{') : resolved(run, node, ref, here);
}

struct mct_json_node *normal_refs(struct normal_run *run, struct mct_json_node *root)
{
    return inlined(run, root, &(struct normal_at){ 0 });
}
