/* Replaces local references by their targets, so that the provider gets a self-contained schema. */
#include "model/schema/impl.h"

static struct mcti_json_node *refs_inlined(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at);

static struct mcti_json_node *refs_resolved(struct mcti_normal_run *run, struct mcti_json_node *node,
                                            struct mcti_str ref, struct mcti_normal_at at)
{
    struct mcti_json_node *target = mcti_normal_resolve(run, ref, at.scope);
    if (!target) {
        run->unresolved |= mcti_str_starts(ref, MCT_STR("#/"));
        return node;
    }
    if (!mcti_normal_may_grow(run, target, at.depth))
        return mcti_json_tree_new(&run->tree, '{');
    struct mcti_normal_open open = { at.open, ref };
    at.open = &open;
    struct mcti_json_node *found = refs_inlined(run, target, &at);
    if (found->type != '{')
        return found;
    found = mcti_json_tree_copy(&run->tree, found);
    mcti_normal_put_meta(run, node, found);
    if (mcti_json_node_is(NORMAL_GET(run, node, "nullable"), 't'))
        NORMAL_PUT(run, found, "nullable", NORMAL_WORD(run, "true"));
    return found;
}

static bool is_definitions(struct mcti_str key)
{
    return mcti_str_is(key, "$defs") || mcti_str_is(key, "definitions") || mcti_str_is(key, "components");
}

static struct mcti_json_node *inlined_members(struct mcti_normal_run *run, const struct mcti_json_node *node,
                                              const struct mcti_normal_at *at)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_definitions(node->v[i].key))
            mcti_json_tree_put(&run->tree, to, node->v[i].key,
                               mcti_normal_inside(run, &node->v[i], NORMAL_CORE, refs_inlined, at));
    for (unsigned i = 0; run->unresolved && i < node->n; i++)
        if (is_definitions(node->v[i].key))
            mcti_json_tree_put(&run->tree, to, node->v[i].key, node->v[i].value);
    return to;
}

static struct mcti_json_node *refs_inlined(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    struct mcti_normal_at here = *(const struct mcti_normal_at *)at;
    struct mcti_normal_scope own;
    if (node->type == '[')
        return mcti_normal_each(run, node, refs_inlined, at);
    if (node->type != '{')
        return node;
    here.depth++;
    here.scope = mcti_normal_scope(run, node, &own, here.scope);
    struct mcti_str ref = mcti_json_node_raw(NORMAL_GET(run, node, "$ref"));
    if (!ref.len)
        return inlined_members(run, node, &here);
    return mcti_normal_is_open(here.open, ref) ? mcti_json_tree_new(&run->tree, '{')
                                               : refs_resolved(run, node, ref, here);
}

struct mcti_json_node *mcti_normal_refs(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return refs_inlined(run, root, &(struct mcti_normal_at){ 0 });
}
