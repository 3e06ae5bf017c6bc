/* What Gemini gets in the place of a union. */
#include "model/schema/impl.h"

static bool is_null(struct normal_run *run, struct mct_json_node *variant)
{
    struct mct_json_node *constant = NORMAL_GET(run, variant, "const"), *values = NORMAL_GET(run, variant, "enum");
    if (mct_json_node_is(constant, 'n'))
        return true;
    if (mct_json_node_is(values, '[') && values->n == 1)
        return values->v[0].value->type == 'n';
    return mct_json_node_says(NORMAL_GET(run, variant, "type"), "null");
}

static struct mct_json_node *without_nulls(struct normal_run *run, const struct mct_json_node *variants)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < variants->n; i++)
        if (!is_null(run, variants->v[i].value))
            mct_json_tree_add(&run->tree, to, variants->v[i].value);
    return to;
}

/* The one value a variant allows; NULL: it allows others. */
static struct mct_json_node *literal(struct normal_run *run, struct mct_json_node *variant)
{
    struct mct_json_node *constant = NORMAL_GET(run, variant, "const"), *values = NORMAL_GET(run, variant, "enum");
    if (constant)
        return constant;
    return mct_json_node_is(values, '[') && values->n == 1 ? values->v[0].value : NULL;
}

/* Variants that are one value each, all of one type, as an enum; NULL: they are not. */
static struct mct_json_node *as_enum(struct normal_run *run, const struct mct_json_node *variants)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{'), *values = mct_json_tree_new(&run->tree, '[');
    struct mct_json_node *common = NULL;
    for (unsigned i = 0; i < variants->n; i++) {
        struct mct_json_node *value = literal(run, variants->v[i].value);
        struct mct_json_node *type = NORMAL_GET(run, variants->v[i].value, "type");
        if (!value || !mct_json_node_raw(type).len || (common && !mct_str_eq(common->text, type->text)))
            return NULL;
        common = type;
        mct_json_tree_add(&run->tree, values, value);
    }
    if (!common)
        return NULL;
    NORMAL_PUT(run, to, "type", common);
    NORMAL_PUT(run, to, "enum", values);
    return to;
}

/* The variant with the annotations of the schema it stands for. */
static struct mct_json_node *in_place_of(struct normal_run *run, const struct mct_json_node *schema,
                                         struct mct_json_node *variant)
{
    struct mct_json_node *to = mct_json_tree_copy(&run->tree, variant);
    normal_put_meta(run, schema, to);
    return to;
}

struct mct_json_node *normal_gemini_simplify(struct normal_run *run, const struct mct_json_node *schema,
                                             struct mct_json_node **variants)
{
    struct mct_json_node *left = without_nulls(run, *variants), *flat = as_enum(run, left);
    bool had_null = left->n != (*variants)->n;
    *variants = left;
    if (flat)
        return in_place_of(run, schema, flat);
    if (!had_null || left->n != 1)
        return NULL;
    return left->v[0].value->type == '{' ? in_place_of(run, schema, left->v[0].value) : left->v[0].value;
}

static bool same_type(const struct mct_json_node *a, const struct mct_json_node *b)
{
    return a == b || (mct_json_node_is(a, '"') && mct_json_node_is(b, '"') && mct_str_eq(a->text, b->text));
}

struct mct_json_node *normal_gemini_fallback(struct normal_run *run, const struct mct_json_node *schema,
                                             const struct mct_json_node *variants)
{
    struct mct_json_node *first = NULL, *common = NULL, *to = mct_json_tree_new(&run->tree, '{');
    unsigned n = 0, n_types = 0;
    for (unsigned i = 0; i < variants->n; i++) {
        struct mct_json_node *variant = variants->v[i].value, *type = NORMAL_GET(run, variant, "type");
        if (variant->type != '{')
            continue;
        first = first ? first : variant;
        n++;
        if (!normal_is_something(type))
            continue;
        n_types += !common || !same_type(common, type);
        common = common ? common : type;
    }
    if (n <= 1)
        return first ? in_place_of(run, schema, first) : NULL;
    struct mct_json_node *own = NORMAL_GET(run, first, "type");
    struct mct_json_node *type = n_types == 1 ? common : normal_is_something(own) ? own : NULL;
    if (type)
        NORMAL_PUT(run, to, "type", type);
    normal_put_meta(run, schema, to);
    return to;
}
