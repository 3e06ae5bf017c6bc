/* Replaces unions by schemas that Gemini accepts. */
#include "model/schema/impl.h"

static bool gemini_union_is_null(struct mcti_normal_run *run, struct mcti_json_node *variant)
{
    struct mcti_json_node *constant = NORMAL_GET(run, variant, "const"), *values = NORMAL_GET(run, variant, "enum");
    if (mcti_json_node_is(constant, 'n'))
        return true;
    if (mcti_json_node_is(values, '[') && values->n == 1)
        return values->v[0].value->type == 'n';
    return mcti_json_node_says(NORMAL_GET(run, variant, "type"), "null");
}

static struct mcti_json_node *without_nulls(struct mcti_normal_run *run, const struct mcti_json_node *variants)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < variants->n; i++)
        if (!gemini_union_is_null(run, variants->v[i].value))
            mcti_json_tree_add(&run->tree, to, variants->v[i].value);
    return to;
}

/* Returns the only value that a variant allows; NULL if it allows others. */
static struct mcti_json_node *gemini_union_literal(struct mcti_normal_run *run, struct mcti_json_node *variant)
{
    struct mcti_json_node *constant = NORMAL_GET(run, variant, "const"), *values = NORMAL_GET(run, variant, "enum");
    if (constant)
        return constant;
    return mcti_json_node_is(values, '[') && values->n == 1 ? values->v[0].value : NULL;
}

/* Returns variants of one value each, all of one type, as an enum; NULL if they are different. */
static struct mcti_json_node *as_enum(struct mcti_normal_run *run, const struct mcti_json_node *variants)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *values = mcti_json_tree_new(&run->tree, '[');
    struct mcti_json_node *common = NULL;
    for (unsigned i = 0; i < variants->n; i++) {
        struct mcti_json_node *value = gemini_union_literal(run, variants->v[i].value);
        struct mcti_json_node *type = NORMAL_GET(run, variants->v[i].value, "type");
        if (!value || !mcti_json_node_raw(type).len || (common && !mcti_str_eq(common->text, type->text)))
            return NULL;
        common = type;
        mcti_json_tree_add(&run->tree, values, value);
    }
    if (!common)
        return NULL;
    NORMAL_PUT(run, to, "type", common);
    NORMAL_PUT(run, to, "enum", values);
    return to;
}

/* Returns the variant with the annotations of the schema that it replaces. */
static struct mcti_json_node *gemini_union_in_place_of(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                       struct mcti_json_node *variant)
{
    struct mcti_json_node *to = mcti_json_tree_copy(&run->tree, variant);
    mcti_normal_put_meta(run, schema, to);
    return to;
}

struct mcti_json_node *mcti_normal_gemini_simplify(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                   struct mcti_json_node **variants)
{
    struct mcti_json_node *left = without_nulls(run, *variants), *flat = as_enum(run, left);
    bool had_null = left->n != (*variants)->n;
    *variants = left;
    if (flat)
        return gemini_union_in_place_of(run, schema, flat);
    if (!had_null || left->n != 1)
        return NULL;
    return left->v[0].value->type == '{' ? gemini_union_in_place_of(run, schema, left->v[0].value) : left->v[0].value;
}

static bool same_type(const struct mcti_json_node *a, const struct mcti_json_node *b)
{
    return a == b || (mcti_json_node_is(a, '"') && mcti_json_node_is(b, '"') && mcti_str_eq(a->text, b->text));
}

struct mcti_json_node *mcti_normal_gemini_fallback(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                   const struct mcti_json_node *variants)
{
    struct mcti_json_node *first = NULL, *common = NULL, *to = mcti_json_tree_new(&run->tree, '{');
    unsigned n = 0, n_types = 0;
    for (unsigned i = 0; i < variants->n; i++) {
        struct mcti_json_node *variant = variants->v[i].value, *type = NORMAL_GET(run, variant, "type");
        if (variant->type != '{')
            continue;
        first = first ? first : variant;
        n++;
        if (!mcti_normal_is_truthy(type))
            continue;
        n_types += !common || !same_type(common, type);
        common = common ? common : type;
    }
    if (n <= 1)
        return first ? gemini_union_in_place_of(run, schema, first) : NULL;
    struct mcti_json_node *own = NORMAL_GET(run, first, "type");
    struct mcti_json_node *type = n_types == 1 ? common : mcti_normal_is_truthy(own) ? own : NULL;
    if (type)
        NORMAL_PUT(run, to, "type", type);
    mcti_normal_put_meta(run, schema, to);
    return to;
}
