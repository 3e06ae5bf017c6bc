/* Converts OpenAPI keywords to JSON Schema: `nullable` becomes a type, documentation keywords are dropped. */
#include "model/schema/impl.h"

static bool is_annotation(struct mcti_str key)
{
    static const char *const words[] = { "nullable",  "discriminator", "externalDocs", "readOnly",
                                         "writeOnly", "xml",           "example",      NULL };
    for (const char *const *w = words; *w; w++)
        if (mcti_str_is(key, *w))
            return true;
    return false;
}

static bool openapi_allows_null(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    struct mcti_json_node *type = NORMAL_GET(run, schema, "type");
    return mcti_json_node_says(type, "null") || mcti_normal_holds(type, "\"null\"") ||
           mcti_json_node_is(NORMAL_GET(run, schema, "const"), 'n') ||
           mcti_normal_holds(NORMAL_GET(run, schema, "enum"), "null");
}

static bool some_allows_null(struct mcti_normal_run *run, const struct mcti_json_node *variants)
{
    for (unsigned i = 0; mcti_json_node_is(variants, '[') && i < variants->n; i++)
        if (openapi_allows_null(run, variants->v[i].value))
            return true;
    return false;
}

/* Returns the array with `raw` appended, unless it contains it. */
static struct mcti_json_node *openapi_with(struct mcti_normal_run *run, struct mcti_json_node *array, const char *raw)
{
    if (mcti_normal_holds(array, raw))
        return array;
    array = mcti_json_tree_copy(&run->tree, array);
    mcti_json_tree_add(&run->tree, array, mcti_json_tree_text(&run->tree, mcti_str_of(raw)));
    return array;
}

static struct mcti_json_node *nullable_type(struct mcti_normal_run *run, struct mcti_json_node *type)
{
    if (type->type == '[')
        return openapi_with(run, type, "\"null\"");
    if (type->type != '"' || mcti_json_node_says(type, "null"))
        return type;
    struct mcti_json_node *list = mcti_json_tree_new(&run->tree, '[');
    mcti_json_tree_add(&run->tree, list, type);
    return openapi_with(run, list, "\"null\"");
}

static struct mcti_json_node *openapi_wrapped(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *variants = mcti_json_tree_new(&run->tree, '[');
    struct mcti_json_node *null = mcti_json_tree_new(&run->tree, '{');
    NORMAL_PUT(run, null, "type", NORMAL_WORD(run, "\"null\""));
    mcti_json_tree_add(&run->tree, variants, schema);
    mcti_json_tree_add(&run->tree, variants, null);
    NORMAL_PUT(run, to, "anyOf", variants);
    mcti_normal_put_meta(run, schema, to);
    return to;
}

static struct mcti_json_node *made_nullable(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    struct mcti_json_node *any = NORMAL_GET(run, schema, "anyOf"), *one = NORMAL_GET(run, schema, "oneOf");
    struct mcti_json_node *all = NORMAL_GET(run, schema, "allOf"), *type = NORMAL_GET(run, schema, "type");
    struct mcti_json_node *values = NORMAL_GET(run, schema, "enum");
    if (mcti_json_node_is(any, '[') || mcti_json_node_is(one, '[') || mcti_json_node_is(all, '['))
        return some_allows_null(run, any) || some_allows_null(run, one) ? schema : openapi_wrapped(run, schema);
    if (type)
        NORMAL_PUT(run, schema, "type", nullable_type(run, type));
    if (mcti_json_node_is(values, '['))
        NORMAL_PUT(run, schema, "enum", openapi_with(run, values, "null"));
    return schema;
}

static struct mcti_json_node *openapi_translated(struct mcti_normal_run *run, struct mcti_json_node *node,
                                                 const void *at)
{
    if (node->type == '[')
        return mcti_normal_each(run, node, openapi_translated, at);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_annotation(node->v[i].key))
            mcti_json_tree_put(&run->tree, to, node->v[i].key,
                               mcti_normal_inside(run, &node->v[i], NORMAL_CORE, openapi_translated, at));
    return mcti_json_node_is(NORMAL_GET(run, node, "nullable"), 't') ? made_nullable(run, to) : to;
}

struct mcti_json_node *mcti_normal_openapi(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return openapi_translated(run, root, NULL);
}
