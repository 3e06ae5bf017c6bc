/* DeepSeek rejects anyOf and oneOf anywhere in a schema: each union is replaced by one schema. */
#include "model/schema/impl.h"

static struct mcti_json_node *deepseek_united(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at);

static bool deepseek_is_null(struct mcti_normal_run *run, struct mcti_json_node *variant)
{
    struct mcti_json_node *type = NORMAL_GET(run, variant, "type"), *values = NORMAL_GET(run, variant, "enum");
    bool only = mcti_json_node_is(type, '[') && type->n == 1 && mcti_normal_holds(type, "\"null\"");
    return only || mcti_json_node_says(type, "null") || mcti_json_node_is(NORMAL_GET(run, variant, "const"), 'n') ||
           (mcti_json_node_is(values, '[') && values->n == 1 && values->v[0].value->type == 'n');
}

static bool deepseek_is_object(struct mcti_normal_run *run, struct mcti_json_node *variant)
{
    return mcti_json_node_is(NORMAL_GET(run, variant, "properties"), '{');
}

/* Returns the variants without those that allow only null. */
static struct mcti_json_node *deepseek_choices(struct mcti_normal_run *run, const struct mcti_json_node *variants,
                                               bool *null)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < variants->n; i++) {
        struct mcti_json_node *variant = variants->v[i].value;
        bool no_value = deepseek_is_null(run, variant);
        *null |= no_value;
        if (!no_value && variant->type == '{')
            mcti_json_tree_add(&run->tree, to, variant);
    }
    return to;
}

static struct mcti_json_node *deepseek_strings(struct mcti_normal_run *run, const struct mcti_json_node *variants)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *values = mcti_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < variants->n; i++)
        mcti_json_tree_add(&run->tree, values, NORMAL_GET(run, variants->v[i].value, "const"));
    NORMAL_PUT(run, to, "type", NORMAL_WORD(run, "\"string\""));
    NORMAL_PUT(run, to, "enum", values);
    return to;
}

static struct mcti_json_node *deepseek_chosen(struct mcti_normal_run *run, struct mcti_json_node *node,
                                              const struct mcti_json_node *variants)
{
    unsigned n_strings = 0, n_objects = 0;
    for (unsigned i = 0; i < variants->n; i++) {
        n_strings += mcti_json_node_is(NORMAL_GET(run, variants->v[i].value, "const"), '"');
        n_objects += deepseek_is_object(run, variants->v[i].value);
    }
    if (variants->n > 1 && n_strings == variants->n)
        return deepseek_strings(run, variants);
    if (variants->n > 1 && n_objects == variants->n)
        return mcti_normal_merge(run, node, variants);
    return variants->n ? variants->v[0].value : mcti_json_tree_new(&run->tree, '{');
}

/* Makes a schema accept null: for an object by "null" in `type`, for any other schema by `nullable`. */
static void allow_null(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    if (!mcti_json_node_says(NORMAL_GET(run, schema, "type"), "object")) {
        NORMAL_PUT(run, schema, "nullable", NORMAL_WORD(run, "true"));
        return;
    }
    struct mcti_json_node *types = mcti_json_tree_new(&run->tree, '[');
    mcti_json_tree_add(&run->tree, types, NORMAL_WORD(run, "\"object\""));
    mcti_json_tree_add(&run->tree, types, NORMAL_WORD(run, "\"null\""));
    NORMAL_PUT(run, schema, "type", types);
}

/* Returns true for keywords that a merge has used; they must not replace its result. */
static bool is_merged(struct mcti_str key)
{
    return mcti_str_is(key, "properties") || mcti_str_is(key, "required");
}

static struct mcti_json_node *deepseek_in_place_of(struct mcti_normal_run *run, struct mcti_json_node *node,
                                                   struct mcti_str key)
{
    bool null = false;
    struct mcti_json_node *variants = deepseek_choices(run, mcti_json_tree_get(&run->tree, node, key), &null);
    struct mcti_json_node *choice = deepseek_chosen(run, node, variants), *to = mcti_json_tree_copy(&run->tree, choice);
    bool merged = variants->n > 1 && deepseek_is_object(run, choice) && choice != variants->v[0].value;
    for (unsigned i = 0; i < node->n; i++)
        if (!mcti_str_eq(node->v[i].key, key) && !(merged && is_merged(node->v[i].key)))
            mcti_json_tree_put(&run->tree, to, node->v[i].key, node->v[i].value);
    if (null)
        allow_null(run, to);
    return to;
}

static struct mcti_json_node *deepseek_united(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    static const char *const unions[] = { "anyOf", "oneOf" };
    if (node->type == '[')
        return mcti_normal_each(run, node, deepseek_united, at);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        mcti_json_tree_put(&run->tree, to, node->v[i].key,
                           mcti_normal_inside(run, &node->v[i], NORMAL_ALL, deepseek_united, at));
    for (size_t i = 0; i < sizeof unions / sizeof *unions; i++)
        if (mcti_json_node_is(mcti_json_tree_get(&run->tree, to, mcti_str_of(unions[i])), '['))
            to = deepseek_in_place_of(run, to, mcti_str_of(unions[i]));
    return to;
}

struct mcti_json_node *mcti_normal_deepseek(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return deepseek_united(run, root, NULL);
}
