/* OpenAI: repairs schemas that it would reject, writes its strict form, and decides whether tools may be sent as
 * strict. */
#include "model/schema/impl.h"

enum { STRICT_DEPTH = 20, STRICT_NODES = 1000, STRICT_BYTES = 100000 };

/* ---- repairs ---- */

static bool is_void(const struct mcti_json_entry *e)
{
    static const char *const words[] = { "default", "description", "examples", "format", "title", "type" };
    for (size_t i = 0; e->value->type == 'n' && i < sizeof words / sizeof *words; i++)
        if (mcti_str_is(e->key, words[i]))
            return true;
    return false;
}

/* Removes annotations that are null; derives a missing type from properties, required or items. */
static struct mcti_json_node *strict_repaired(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    if (node->type == '[')
        return mcti_normal_each(run, node, strict_repaired, at);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_void(&node->v[i]))
            mcti_json_tree_put(&run->tree, to, node->v[i].key,
                               mcti_normal_inside(run, &node->v[i], NORMAL_ALL, strict_repaired, at));
    bool object = mcti_json_node_is(NORMAL_GET(run, to, "properties"), '{') ||
                  mcti_json_node_is(NORMAL_GET(run, to, "required"), '[');
    bool array = NORMAL_GET(run, to, "items");
    if (!NORMAL_GET(run, to, "type") && object != array)
        NORMAL_PUT(run, to, "type", object ? NORMAL_WORD(run, "\"object\"") : NORMAL_WORD(run, "\"array\""));
    return to;
}

struct mcti_json_node *mcti_normal_repair(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return strict_repaired(run, root, NULL);
}

/* ---- the strict form ---- */

static struct mcti_json_node *strict_strict(struct mcti_normal_run *run, struct mcti_json_node *node, const void *root);

/* Applies the strict form to the value of a keyword, known or unknown. */
static struct mcti_json_node *strict_inside(struct mcti_normal_run *run, const struct mcti_json_entry *e)
{
    if (mcti_normal_is_literal(e->key))
        return e->value;
    if (e->value->type == '{' && mcti_normal_place(e->key, NORMAL_ALL) == PLACE_MAP)
        return mcti_normal_each(run, e->value, strict_strict, NULL);
    return strict_strict(run, e->value, NULL);
}

static struct mcti_json_node *strict_strict(struct mcti_normal_run *run, struct mcti_json_node *node, const void *root)
{
    if (node->type == '[')
        return mcti_normal_each(run, node, strict_strict, NULL);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        mcti_json_tree_put(&run->tree, to, node->v[i].key, strict_inside(run, &node->v[i]));
    if (!mcti_json_node_says(NORMAL_GET(run, to, "type"), "object"))
        return to;
    struct mcti_json_node *properties = NORMAL_GET(run, to, "properties");
    if (mcti_json_node_is(properties, '{') && !properties->n &&
        !mcti_json_node_is(NORMAL_GET(run, to, "required"), '['))
        NORMAL_PUT(run, to, "required", mcti_json_tree_new(&run->tree, '['));
    if (root && !NORMAL_GET(run, to, "additionalProperties"))
        NORMAL_PUT(run, to, "additionalProperties", NORMAL_WORD(run, "false"));
    return to;
}

struct mcti_json_node *mcti_normal_strict(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return strict_strict(run, root, root);
}

/* ---- fitness for strict mode ---- */

/* Returns true if an object requires every property and allows no others. */
static bool is_closed(struct mcti_normal_run *run, struct mcti_json_node *object)
{
    struct mcti_json_node *properties = NORMAL_GET(run, object, "properties");
    struct mcti_json_node *required = NORMAL_GET(run, object, "required");
    struct mcti_json_node *names = mcti_json_tree_new(&run->tree, '{');
    if (!mcti_json_node_is(NORMAL_GET(run, object, "additionalProperties"), 'f') || !mcti_json_node_is(required, '['))
        return false;
    for (unsigned i = 0; i < required->n; i++)
        if (required->v[i].value->type == '"')
            mcti_json_tree_put(&run->tree, names, mcti_json_node_raw(required->v[i].value), required->v[i].value);
    for (unsigned i = 0; mcti_json_node_is(properties, '{') && i < properties->n; i++)
        if (!mcti_json_tree_get(&run->tree, names, properties->v[i].key))
            return false;
    return true;
}

static bool is_strict(struct mcti_normal_run *run, struct mcti_json_node *node);

static bool children_are_strict(struct mcti_normal_run *run, const struct mcti_json_node *container)
{
    for (unsigned i = 0; i < container->n; i++)
        if (!is_strict(run, container->v[i].value))
            return false;
    return true;
}

static bool strict_lists(const char *const *words, struct mcti_str word)
{
    for (; *words; words++)
        if (mcti_str_is(word, *words))
            return true;
    return false;
}

/* Returns true if strict mode knows all keywords of the schema (OpenAI's guide "Structured outputs", "Supported
 * schemas"); others are "not permitted". */
static bool has_strict_keywords(struct mcti_normal_run *run, struct mcti_json_node *node)
{
    static const char *const words[] = { "type",     "properties",
                                         "required", "additionalProperties",
                                         "items",    "enum",
                                         "const",    "description",
                                         "title",    "pattern",
                                         "format",   "multipleOf",
                                         "maximum",  "exclusiveMaximum",
                                         "minimum",  "exclusiveMinimum",
                                         "minItems", "maxItems",
                                         NULL };
    static const char *const formats[] = { "date-time", "time", "date", "duration", "email",
                                           "hostname",  "ipv4", "ipv6", "uuid",     NULL };
    struct mcti_json_node *format = NORMAL_GET(run, node, "format");
    for (unsigned i = 0; i < node->n; i++)
        if (!strict_lists(words, node->v[i].key))
            return false;
    bool is_typed = NORMAL_GET(run, node, "type") || NORMAL_GET(run, node, "enum") || NORMAL_GET(run, node, "const");
    return is_typed && (!format || strict_lists(formats, mcti_json_node_raw(format)));
}

static bool is_strict(struct mcti_normal_run *run, struct mcti_json_node *node)
{
    if (node->type != '{')
        return children_are_strict(run, node);
    if (!has_strict_keywords(run, node))
        return false;
    if (NORMAL_GET(run, node, "anyOf") || NORMAL_GET(run, node, "oneOf") || NORMAL_GET(run, node, "allOf"))
        return false;
    struct mcti_json_node *type = NORMAL_GET(run, node, "type");
    if (mcti_json_node_is(type, '[') || (mcti_json_node_says(type, "object") && !is_closed(run, node)))
        return false;
    for (unsigned i = 0; i < node->n; i++) {
        const struct mcti_json_entry *e = &node->v[i];
        bool map = e->value->type == '{' && mcti_normal_place(e->key, NORMAL_ALL) == PLACE_MAP;
        if (!mcti_normal_is_literal(e->key) && !(map ? children_are_strict(run, e->value) : is_strict(run, e->value)))
            return false;
    }
    return true;
}

/* Returns true if a schema is well within the limits of strict mode: 10 levels of nesting (two of the tree each), 5,000
 * properties, 1,000 values of enums, and 120,000 characters in names and values. */
static bool is_small_enough(const struct mcti_json_node *root)
{
    struct mcti_json_size size = mcti_json_node_size(root, STRICT_NODES + 1);
    return size.depth <= STRICT_DEPTH && size.nodes <= STRICT_NODES && size.bytes <= STRICT_BYTES;
}

static bool one_is_strict(struct mcti_str schema)
{
    struct mcti_normal_run run;
    struct mcti_json_node *root;
    bool ok = mcti_normal_open(&run, schema, NULL) == 0 &&
              mcti_normal_steps(&run, mcti_schema_profile_find(MCT_STR("openai-strict")), &root, NULL) == 0 &&
              is_small_enough(root) && is_strict(&run, root) && mcti_json_tree_ok(&run.tree);
    mcti_normal_done(&run);
    return ok;
}

bool mcti_schema_strict_ok(const struct mcti_str *schemas, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!one_is_strict(schemas[i]))
            return false;
    return true;
}
