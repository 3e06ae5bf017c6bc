/* OpenAI: repairs of what it would refuse, its strict form, and whether tools may be sent as strict. */
#include "model/schema/impl.h"

/* ---- repairs ---- */

static bool is_void(const struct mct_json_entry *e)
{
    static const char *const words[] = { "default", "description", "examples", "format", "title", "type" };
    for (size_t i = 0; e->value->type == 'n' && i < sizeof words / sizeof *words; i++)
        if (mct_str_is(e->key, words[i]))
            return true;
    return false;
}

/* Annotations that are null go; a missing type is told from properties or required, or from items. */
static struct mct_json_node *repaired(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    if (node->type == '[')
        return normal_each(run, node, repaired, at);
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_void(&node->v[i]))
            mct_json_tree_put(&run->tree, to, node->v[i].key,
                              normal_inside(run, &node->v[i], NORMAL_ALL, repaired, at));
    bool object = mct_json_node_is(NORMAL_GET(run, to, "properties"), '{') ||
                  mct_json_node_is(NORMAL_GET(run, to, "required"), '[');
    bool array = NORMAL_GET(run, to, "items");
    if (!NORMAL_GET(run, to, "type") && object != array)
        NORMAL_PUT(run, to, "type", object ? NORMAL_WORD(run, "\"object\"") : NORMAL_WORD(run, "\"array\""));
    return to;
}

struct mct_json_node *normal_repair(struct normal_run *run, struct mct_json_node *root)
{
    return repaired(run, root, NULL);
}

/* ---- the strict form ---- */

static struct mct_json_node *strict(struct normal_run *run, struct mct_json_node *node, const void *root);

/* What stands under a keyword, known or not. */
static struct mct_json_node *strict_inside(struct normal_run *run, const struct mct_json_entry *e)
{
    if (normal_is_literal(e->key))
        return e->value;
    if (e->value->type == '{' && normal_place(e->key, NORMAL_ALL) == PLACE_MAP)
        return normal_each(run, e->value, strict, NULL);
    return strict(run, e->value, NULL);
}

static struct mct_json_node *strict(struct normal_run *run, struct mct_json_node *node, const void *root)
{
    if (node->type == '[')
        return normal_each(run, node, strict, NULL);
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        mct_json_tree_put(&run->tree, to, node->v[i].key, strict_inside(run, &node->v[i]));
    if (!mct_json_node_says(NORMAL_GET(run, to, "type"), "object"))
        return to;
    struct mct_json_node *properties = NORMAL_GET(run, to, "properties");
    if (mct_json_node_is(properties, '{') && !properties->n && !mct_json_node_is(NORMAL_GET(run, to, "required"), '['))
        NORMAL_PUT(run, to, "required", mct_json_tree_new(&run->tree, '['));
    if (root && !NORMAL_GET(run, to, "additionalProperties"))
        NORMAL_PUT(run, to, "additionalProperties", NORMAL_WORD(run, "false"));
    return to;
}

struct mct_json_node *normal_strict(struct normal_run *run, struct mct_json_node *root)
{
    return strict(run, root, root);
}

/* ---- whether OpenAI takes it as strict ---- */

/* Every property is required, and nothing else may be there. */
static bool is_closed(struct normal_run *run, struct mct_json_node *object)
{
    struct mct_json_node *properties = NORMAL_GET(run, object, "properties");
    struct mct_json_node *required = NORMAL_GET(run, object, "required");
    struct mct_json_node *names = mct_json_tree_new(&run->tree, '{');
    if (!mct_json_node_is(NORMAL_GET(run, object, "additionalProperties"), 'f') || !mct_json_node_is(required, '['))
        return false;
    for (unsigned i = 0; i < required->n; i++)
        if (required->v[i].value->type == '"')
            mct_json_tree_put(&run->tree, names, mct_json_node_raw(required->v[i].value), required->v[i].value);
    for (unsigned i = 0; mct_json_node_is(properties, '{') && i < properties->n; i++)
        if (!mct_json_tree_get(&run->tree, names, properties->v[i].key))
            return false;
    return true;
}

static bool is_strict(struct normal_run *run, struct mct_json_node *node);

static bool children_are_strict(struct normal_run *run, const struct mct_json_node *container)
{
    for (unsigned i = 0; i < container->n; i++)
        if (!is_strict(run, container->v[i].value))
            return false;
    return true;
}

static bool is_strict(struct normal_run *run, struct mct_json_node *node)
{
    if (node->type != '{')
        return children_are_strict(run, node);
    if (NORMAL_GET(run, node, "anyOf") || NORMAL_GET(run, node, "oneOf") || NORMAL_GET(run, node, "allOf"))
        return false;
    struct mct_json_node *type = NORMAL_GET(run, node, "type");
    if (mct_json_node_is(type, '[') || (mct_json_node_says(type, "object") && !is_closed(run, node)))
        return false;
    for (unsigned i = 0; i < node->n; i++) {
        const struct mct_json_entry *e = &node->v[i];
        bool map = e->value->type == '{' && normal_place(e->key, NORMAL_ALL) == PLACE_MAP;
        if (!normal_is_literal(e->key) && !(map ? children_are_strict(run, e->value) : is_strict(run, e->value)))
            return false;
    }
    return true;
}

static bool one_is_strict(struct mct_str schema)
{
    struct normal_run run;
    struct mct_json_node *root;
    bool ok = normal_open(&run, schema, NULL) == 0 &&
              normal_steps(&run, mct_schema_profile_find(MCT_STR("openai-strict")), &root, NULL) == 0 &&
              is_strict(&run, root) && mct_json_tree_ok(&run.tree);
    normal_done(&run);
    return ok;
}

bool mct_schema_strict_ok(const struct mct_str *schemas, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!one_is_strict(schemas[i]))
            return false;
    return true;
}
