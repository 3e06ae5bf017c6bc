/* What local references point to, and what it may cost. */
#include "model/schema/impl.h"

static struct mct_json_node *map_of(struct normal_run *run, struct mct_json_node *schema, struct mct_str key)
{
    struct mct_json_node *map = mct_json_tree_get(&run->tree, schema, key);
    return mct_json_node_is(map, '{') ? map : NULL;
}

const struct normal_scope *normal_scope(struct normal_run *run, struct mct_json_node *schema,
                                        struct normal_scope *own, const struct normal_scope *up)
{
    *own = (struct normal_scope){ up, map_of(run, schema, MCT_STR("$defs")),
                                  map_of(run, schema, MCT_STR("definitions")) };
    return own->defs || own->definitions ? own : up;
}

bool normal_is_open(const struct normal_open *open, struct mct_str ref)
{
    for (; open; open = open->up)
        if (mct_str_eq(open->ref, ref))
            return true;
    return false;
}

/* RFC 6901 section 4: ~1 first, so that ~01 is "~1". */
static void put_decoded(struct mct_buf *to, struct mct_str segment)
{
    for (size_t i = 0; i < segment.len; i++) {
        char next = segment.p[i] == '~' && i + 1 < segment.len ? segment.p[i + 1] : 0;
        mct_buf_addc(to, next == '1' ? '/' : segment.p[i]);
        i += next == '0' || next == '1';
    }
}

struct mct_json_node *normal_named(struct normal_run *run, struct mct_json_node *object, struct mct_str name)
{
    struct mct_buf b;
    if (!memchr(name.p, '~', name.len))
        return mct_json_tree_get(&run->tree, object, name);
    mct_buf_init(&b, name.len);
    put_decoded(&b, name);
    struct mct_json_node *found = mct_json_tree_get(&run->tree, object, mct_buf_str(&b));
    mct_buf_done(&b);
    return found;
}

static struct mct_json_node *item(const struct mct_json_node *array, struct mct_str index)
{
    uint64_t i;
    if ((index.len > 1 && index.p[0] == '0') || !mct_json_uint(index, &i) || i >= array->n)
        return NULL;
    return array->v[i].value;
}

static struct mct_json_node *follow(struct normal_run *run, struct mct_json_node *node, struct mct_str path)
{
    for (struct mct_str segment; node && mct_str_split(&path, '/', &segment);)
        node = node->type == '[' ? item(node, segment) : normal_named(run, node, segment);
    return node;
}

/* The definition a pointer begins with; *rest is what follows its name. Inner definitions hide outer ones, and the
 * two keywords are two namespaces. */
static struct mct_json_node *defined(struct normal_run *run, const struct normal_scope *scope, struct mct_str *rest)
{
    struct mct_str keyword, name, at = *rest;
    struct mct_json_node *target = NULL;
    if (!mct_str_split(&at, '/', &keyword) || !mct_str_split(&at, '/', &name) || !name.len)
        return NULL;
    bool legacy = mct_str_is(keyword, "definitions");
    if (!legacy && !mct_str_is(keyword, "$defs"))
        return NULL;
    for (; scope && !target; scope = scope->up)
        target = normal_named(run, legacy ? scope->definitions : scope->defs, name);
    *rest = target ? at : *rest;
    return target;
}

struct mct_json_node *normal_resolve(struct normal_run *run, struct mct_str ref, const struct normal_scope *scope)
{
    if (!mct_str_starts(ref, MCT_STR("#/")))
        return NULL;
    struct mct_str path = { ref.p + 2, ref.len - 2 };
    struct mct_json_node *from = defined(run, scope, &path);
    if (from && !path.len)
        return from;
    return follow(run, from ? from : run->document, path);
}

/* After the first refusal there is no more: otherwise each would be measured again. */
bool normal_may_grow(struct normal_run *run, const struct mct_json_node *target, int depth)
{
    struct mct_json_size size = mct_json_node_size(target, run->nodes_left);
    bool fits = size.nodes <= run->nodes_left && size.bytes <= run->bytes_left;
    run->nodes_left = fits ? run->nodes_left - size.nodes : 0;
    run->bytes_left = fits ? run->bytes_left - size.bytes : 0;
    fits = fits && depth < MCT_LIMIT_SCHEMA_DEPTH;
    run->cut |= !fits;
    return fits;
}
