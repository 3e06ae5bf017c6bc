/* DeepSeek refuses anyOf and oneOf wherever they stand: one schema takes the place of each union. */
#include "model/schema/impl.h"

static struct mct_json_node *united(struct normal_run *run, struct mct_json_node *node, const void *at);

static bool is_null(struct normal_run *run, struct mct_json_node *variant)
{
    struct mct_json_node *type = NORMAL_GET(run, variant, "type"), *values = NORMAL_GET(run, variant, "enum");
    bool only = mct_json_node_is(type, '[') && type->n == 1 && normal_holds(type, "\"null\"");
    return only || mct_json_node_says(type, "null") ||
           mct_json_node_is(NORMAL_GET(run, variant, "const"), 'n') ||
           (mct_json_node_is(values, '[') && values->n == 1 && values->v[0].value->type == 'n');
}

static bool is_object(struct normal_run *run, struct mct_json_node *variant)
{
    return mct_json_node_is(NORMAL_GET(run, variant, "properties"), '{');
}

/* The variants that are schemas of their own and not just null. */
static struct mct_json_node *choices(struct normal_run *run, const struct mct_json_node *variants, bool *null)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < variants->n; i++) {
        struct mct_json_node *variant = variants->v[i].value;
        bool no_value = is_null(run, variant);
        *null |= no_value;
        if (!no_value && variant->type == '{')
            mct_json_tree_add(&run->tree, to, variant);
    }
    return to;
}

static struct mct_json_node *strings(struct normal_run *run, const struct mct_json_node *variants)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{'), *values = mct_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < variants->n; i++)
        mct_json_tree_add(&run->tree, values, NORMAL_GET(run, variants->v[i].value, "const"));
    NORMAL_PUT(run, to, "type", NORMAL_WORD(run, "\"string\""));
    NORMAL_PUT(run, to, "enum", values);
    return to;
}

static struct mct_json_node *chosen(struct normal_run *run, struct mct_json_node *node,
                                    const struct mct_json_node *variants)
{
    unsigned n_strings = 0, n_objects = 0;
    for (unsigned i = 0; i < variants->n; i++) {
        n_strings += mct_json_node_is(NORMAL_GET(run, variants->v[i].value, "const"), '"');
        n_objects += is_object(run, variants->v[i].value);
    }
    if (variants->n > 1 && n_strings == variants->n)
        return strings(run, variants);
    if (variants->n > 1 && n_objects == variants->n)
        return normal_merge(run, node, variants);
    return variants->n ? variants->v[0].value : mct_json_tree_new(&run->tree, '{');
}

/* Objects that may be null say so in their type, anything else by `nullable`. */
static void allow_null(struct normal_run *run, struct mct_json_node *schema)
{
    if (!mct_json_node_says(NORMAL_GET(run, schema, "type"), "object")) {
        NORMAL_PUT(run, schema, "nullable", NORMAL_WORD(run, "true"));
        return;
    }
    struct mct_json_node *types = mct_json_tree_new(&run->tree, '[');
    mct_json_tree_add(&run->tree, types, NORMAL_WORD(run, "\"object\""));
    mct_json_tree_add(&run->tree, types, NORMAL_WORD(run, "\"null\""));
    NORMAL_PUT(run, schema, "type", types);
}

/* What a merge has taken into account is not put over its result. */
static bool is_merged(struct mct_str key)
{
    return mct_str_is(key, "properties") || mct_str_is(key, "required");
}

static struct mct_json_node *in_place_of(struct normal_run *run, struct mct_json_node *node, struct mct_str key)
{
    bool null = false;
    struct mct_json_node *variants = choices(run, mct_json_tree_get(&run->tree, node, key), &null);
    struct mct_json_node *choice = chosen(run, node, variants), *to = mct_json_tree_copy(&run->tree, choice);
    bool merged = variants->n > 1 && is_object(run, choice) && choice != variants->v[0].value;
    for (unsigned i = 0; i < node->n; i++)
        if (!mct_str_eq(node->v[i].key, key) && !(merged && is_merged(node->v[i].key)))
            mct_json_tree_put(&run->tree, to, node->v[i].key, node->v[i].value);
    if (null)
        allow_null(run, to);
    return to;
}

static struct mct_json_node *united(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    static const char *const unions[] = { "anyOf", "oneOf" };
    if (node->type == '[')
        return normal_each(run, node, united, at);
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        mct_json_tree_put(&run->tree, to, node->v[i].key, normal_inside(run, &node->v[i], NORMAL_ALL, united, at));
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++)
        if (mct_json_node_is(mct_json_tree_get(&run->tree, to, mct_str_of(unions[i])), '['))
            to = in_place_of(run, to, mct_str_of(unions[i]));
    return to;
}

struct mct_json_node *normal_deepseek(struct normal_run *run, struct mct_json_node *root)
{
    return united(run, root, NULL);
}
