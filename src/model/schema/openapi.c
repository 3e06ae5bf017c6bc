/* OpenAPI's words in JSON Schema's: `nullable` becomes a type, annotations of documents go. */
#include "model/schema/impl.h"

static bool is_annotation(struct mct_str key)
{
    static const char *const words[] = { "nullable", "discriminator", "externalDocs", "readOnly",
                                         "writeOnly", "xml", "example", NULL };
    for (const char *const *w = words; *w; w++)
        if (mct_str_is(key, *w))
            return true;
    return false;
}

static bool allows_null(struct normal_run *run, struct mct_json_node *schema)
{
    struct mct_json_node *type = NORMAL_GET(run, schema, "type");
    return mct_json_node_says(type, "null") || normal_holds(type, "\"null\"") ||
           mct_json_node_is(NORMAL_GET(run, schema, "const"), 'n') ||
           normal_holds(NORMAL_GET(run, schema, "enum"), "null");
}

static bool some_allows_null(struct normal_run *run, const struct mct_json_node *variants)
{
    for (unsigned i = 0; mct_json_node_is(variants, '[') && i < variants->n; i++)
        if (allows_null(run, variants->v[i].value))
            return true;
    return false;
}

/* The array with `raw` at its end, unless it is there already. */
static struct mct_json_node *with(struct normal_run *run, struct mct_json_node *array, const char *raw)
{
    if (normal_holds(array, raw))
        return array;
    array = mct_json_tree_copy(&run->tree, array);
    mct_json_tree_add(&run->tree, array, mct_json_tree_text(&run->tree, mct_str_of(raw)));
    return array;
}

static struct mct_json_node *nullable_type(struct normal_run *run, struct mct_json_node *type)
{
    if (type->type == '[')
        return with(run, type, "\"null\"");
    if (type->type != '"' || mct_json_node_says(type, "null"))
        return type;
    struct mct_json_node *list = mct_json_tree_new(&run->tree, '[');
    mct_json_tree_add(&run->tree, list, type);
    return with(run, list, "\"null\"");
}

static struct mct_json_node *wrapped(struct normal_run *run, struct mct_json_node *schema)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{'), *variants = mct_json_tree_new(&run->tree, '[');
    struct mct_json_node *null = mct_json_tree_new(&run->tree, '{');
    NORMAL_PUT(run, null, "type", NORMAL_WORD(run, "\"null\""));
    mct_json_tree_add(&run->tree, variants, schema);
    mct_json_tree_add(&run->tree, variants, null);
    NORMAL_PUT(run, to, "anyOf", variants);
    normal_put_meta(run, schema, to);
    return to;
}

static struct mct_json_node *made_nullable(struct normal_run *run, struct mct_json_node *schema)
{
    struct mct_json_node *any = NORMAL_GET(run, schema, "anyOf"), *one = NORMAL_GET(run, schema, "oneOf");
    struct mct_json_node *all = NORMAL_GET(run, schema, "allOf"), *type = NORMAL_GET(run, schema, "type");
    struct mct_json_node *values = NORMAL_GET(run, schema, "enum");
    if (mct_json_node_is(any, '[') || mct_json_node_is(one, '[') || mct_json_node_is(all, '['))
        return some_allows_null(run, any) || some_allows_null(run, one) ? schema : wrapped(run, schema);
    if (type)
        NORMAL_PUT(run, schema, "type", nullable_type(run, type));
    if (mct_json_node_is(values, '['))
        NORMAL_PUT(run, schema, "enum", with(run, values, "null"));
    return schema;
}

static struct mct_json_node *translated(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    if (node->type == '[')
        return normal_each(run, node, translated, at);
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_annotation(node->v[i].key))
            mct_json_tree_put(&run->tree, to, node->v[i].key,
                              normal_inside(run, &node->v[i], NORMAL_CORE, translated, at));
    return mct_json_node_is(NORMAL_GET(run, node, "nullable"), 't') ? made_nullable(run, to) : to;
}

struct mct_json_node *normal_openapi(struct normal_run *run, struct mct_json_node *root)
{
    return translated(run, root, NULL);
}
