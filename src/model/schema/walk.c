/* The table of keywords that contain schemas; with it, names of properties are never mistaken for keywords. */
#include "model/schema/impl.h"

static const struct row {
    struct mcti_str key;
    enum mcti_normal_place place;
    unsigned sets;
} rows[] = {
    { MCT_STR("properties"), PLACE_MAP, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("items"), PLACE_ONE_OR_LIST, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("anyOf"), PLACE_LIST, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("oneOf"), PLACE_LIST, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("allOf"), PLACE_LIST, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("prefixItems"), PLACE_LIST, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("additionalProperties"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("patternProperties"), PLACE_MAP, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("propertyNames"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("contains"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("not"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("if"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("then"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("else"), PLACE_ONE, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("dependentSchemas"), PLACE_MAP, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("$defs"), PLACE_MAP, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("definitions"), PLACE_MAP, NORMAL_CORE | NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("additionalItems"), PLACE_ONE, NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("unevaluatedItems"), PLACE_ONE, NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("unevaluatedProperties"), PLACE_ONE, NORMAL_GRAMMAR | NORMAL_ALL },
    { MCT_STR("contentSchema"), PLACE_ONE, NORMAL_ALL },
    { MCT_STR("dependencies"), PLACE_MAP, NORMAL_ALL },
};

enum mcti_normal_place mcti_normal_place(struct mcti_str key, unsigned set)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mcti_str_eq(rows[i].key, key))
            return rows[i].sets & set ? rows[i].place : PLACE_NONE;
    return PLACE_NONE;
}

static bool walk_is_one_of(struct mcti_str key, const char *const *words)
{
    for (; *words; words++)
        if (mcti_str_is(key, *words))
            return true;
    return false;
}

bool mcti_normal_is_literal(struct mcti_str key)
{
    static const char *const words[] = { "const", "default", "enum", "examples", NULL };
    return walk_is_one_of(key, words);
}

bool mcti_normal_is_meta(struct mcti_str key)
{
    static const char *const words[] = { "description", "title", "default", NULL };
    return walk_is_one_of(key, words);
}

struct mcti_json_node *mcti_normal_each(struct mcti_normal_run *run, const struct mcti_json_node *container,
                                        mcti_normal_child_fn *fn, const void *at)
{
    struct mcti_json_node *to = mcti_json_tree_copy(&run->tree, container);
    for (unsigned i = 0; i < to->n; i++)
        to->v[i].value = fn(run, to->v[i].value, at);
    return to;
}

struct mcti_json_node *mcti_normal_inside(struct mcti_normal_run *run, const struct mcti_json_entry *e, unsigned set,
                                          mcti_normal_child_fn *fn, const void *at)
{
    enum mcti_normal_place place = mcti_normal_place(e->key, set);
    bool many = e->value->type == '[' ? place == PLACE_LIST || place == PLACE_ONE_OR_LIST
                                      : e->value->type == '{' && place == PLACE_MAP;
    if (many)
        return mcti_normal_each(run, e->value, fn, at);
    if (e->value->type == '{' && (place == PLACE_ONE || place == PLACE_ONE_OR_LIST))
        return fn(run, e->value, at);
    return e->value;
}

void mcti_normal_put_meta(struct mcti_normal_run *run, const struct mcti_json_node *from, struct mcti_json_node *to)
{
    for (unsigned i = 0; i < from->n; i++)
        if (mcti_normal_is_meta(from->v[i].key))
            mcti_json_tree_put(&run->tree, to, from->v[i].key, from->v[i].value);
}

struct mcti_json_node *mcti_normal_quoted(struct mcti_normal_run *run, struct mcti_str key)
{
    struct mcti_buf text;
    mcti_buf_init(&text, key.len + 3);
    mcti_buf_addc(&text, '"');
    mcti_buf_add(&text, key);
    mcti_buf_addc(&text, '"');
    struct mcti_json_node *node = mcti_json_tree_copy_text(&run->tree, mcti_buf_str(&text));
    mcti_buf_done(&text);
    return node;
}

bool mcti_normal_holds(const struct mcti_json_node *array, const char *raw)
{
    for (unsigned i = 0; mcti_json_node_is(array, '[') && i < array->n; i++)
        if (mcti_str_is(array->v[i].value->text, raw)) /* objects and arrays have no text */
            return true;
    return false;
}

bool mcti_normal_is_truthy(const struct mcti_json_node *node)
{
    if (!node || strchr("nf", node->type))
        return false;
    if (node->type == '0')
        return mcti_json_double(node->text) != 0;
    return node->type != '"' || node->text.len > 2;
}
