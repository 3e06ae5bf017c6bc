/* Finds the targets of local references, and limits the growth by inlining them. */
#include "model/schema/impl.h"

static struct mcti_json_node *map_of(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_str key)
{
    struct mcti_json_node *map = mcti_json_tree_get(&run->tree, schema, key);
    return mcti_json_node_is(map, '{') ? map : NULL;
}

const struct mcti_normal_scope *mcti_normal_scope(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                                  struct mcti_normal_scope *own, const struct mcti_normal_scope *up)
{
    *own = (struct mcti_normal_scope){ up, map_of(run, schema, MCT_STR("$defs")),
                                       map_of(run, schema, MCT_STR("definitions")) };
    return own->defs || own->definitions ? own : up;
}

bool mcti_normal_is_open(const struct mcti_normal_open *open, struct mcti_str ref)
{
    for (; open; open = open->up)
        if (mcti_str_eq(open->ref, ref))
            return true;
    return false;
}

struct mcti_json_node *mcti_normal_named(struct mcti_normal_run *run, struct mcti_json_node *object,
                                         struct mcti_str name)
{
    struct mcti_buf b;
    if (!memchr(name.p, '~', name.len))
        return mcti_json_tree_get(&run->tree, object, name);
    mcti_buf_init(&b, name.len);
    mcti_json_put_token(&b, name);
    struct mcti_json_node *found = mcti_json_tree_get(&run->tree, object, mcti_buf_str(&b));
    mcti_buf_done(&b);
    return found;
}

static struct mcti_json_node *scope_item(const struct mcti_json_node *array, struct mcti_str index)
{
    uint64_t i;
    if ((index.len > 1 && index.p[0] == '0') || !mcti_json_uint(index, &i) || i >= array->n)
        return NULL;
    return array->v[i].value;
}

static struct mcti_json_node *scope_follow(struct mcti_normal_run *run, struct mcti_json_node *node,
                                           struct mcti_str path)
{
    for (struct mcti_str segment; node && mcti_str_split(&path, '/', &segment);)
        node = node->type == '[' ? scope_item(node, segment) : mcti_normal_named(run, node, segment);
    return node;
}

/* Returns the definition that a pointer begins with, and sets *rest to the part after its name. Inner definitions hide
 * outer ones; `$defs` and `definitions` are separate namespaces. */
static struct mcti_json_node *scope_defined(struct mcti_normal_run *run, const struct mcti_normal_scope *scope,
                                            struct mcti_str *rest)
{
    struct mcti_str keyword, name, at = *rest;
    struct mcti_json_node *target = NULL;
    if (!mcti_str_split(&at, '/', &keyword) || !mcti_str_split(&at, '/', &name) || !name.len)
        return NULL;
    bool legacy = mcti_str_is(keyword, "definitions");
    if (!legacy && !mcti_str_is(keyword, "$defs"))
        return NULL;
    for (; scope && !target; scope = scope->up)
        target = mcti_normal_named(run, legacy ? scope->definitions : scope->defs, name);
    *rest = target ? at : *rest;
    return target;
}

struct mcti_json_node *mcti_normal_resolve(struct mcti_normal_run *run, struct mcti_str ref,
                                           const struct mcti_normal_scope *scope)
{
    if (!mcti_str_starts(ref, MCT_STR("#/")))
        return NULL;
    struct mcti_str path = { ref.p + 2, ref.len - 2 };
    struct mcti_json_node *from = scope_defined(run, scope, &path);
    if (from && !path.len)
        return from;
    return scope_follow(run, from ? from : run->document, path);
}

/* After the first refusal every later one is immediate: otherwise each target would be measured again. */
bool mcti_normal_may_grow(struct mcti_normal_run *run, const struct mcti_json_node *target, int depth)
{
    struct mcti_json_size size = mcti_json_node_size(target, run->nodes_left);
    bool fits = size.nodes <= run->nodes_left && size.bytes <= run->bytes_left;
    run->nodes_left = fits ? run->nodes_left - size.nodes : 0;
    run->bytes_left = fits ? run->bytes_left - size.bytes : 0;
    fits = fits && depth < MCT_LIMIT_SCHEMA_DEPTH;
    run->cut |= !fits;
    return fits;
}
