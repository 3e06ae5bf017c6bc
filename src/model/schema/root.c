/* Makes the root an object schema: arguments are an object, and providers expect to see that at the root. */
#include "model/schema/impl.h"

static bool is_array(const struct mcti_json_node *node)
{
    return mcti_json_node_is(node, '[');
}

/* Adds a missing type or properties to an object schema; any other schema is left unchanged. */
static struct mcti_json_node *with_object_words(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    struct mcti_json_node *type = NORMAL_GET(run, root, "type"), *properties = NORMAL_GET(run, root, "properties");
    bool has_properties = mcti_json_node_is(properties, '{'), is_object = mcti_json_node_says(type, "object");
    bool looks_like_one = !type && (has_properties || is_array(NORMAL_GET(run, root, "required")));
    if (root->n && !looks_like_one && !(is_object && !has_properties))
        return root;
    root = mcti_json_tree_copy(&run->tree, root);
    if (!is_object)
        NORMAL_PUT(run, root, "type", NORMAL_WORD(run, "\"object\""));
    if (!has_properties)
        NORMAL_PUT(run, root, "properties", mcti_json_tree_new(&run->tree, '{'));
    return root;
}

struct mcti_json_node *mcti_normal_root(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    if (root->type != '{')
        return root;
    struct mcti_json_node *any = NORMAL_GET(run, root, "anyOf"), *one = NORMAL_GET(run, root, "oneOf");
    if (is_array(any) || is_array(one))
        return mcti_normal_merge(run, root, is_array(any) ? any : one);
    return is_array(NORMAL_GET(run, root, "allOf")) ? root : with_object_words(run, root);
}

/* ---- providers that accept only an object at the root ---- */

/* Returns true if the root's type keywords allow an object. */
static bool admits_objects(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    struct mcti_json_node *type = NORMAL_GET(run, root, "type");
    return !type || mcti_json_node_says(type, "object") || mcti_normal_holds(type, "\"object\"");
}

/* Returns a schema that requires both `a` and `b` (allOf). */
static struct mcti_json_node *root_both(struct mcti_normal_run *run, struct mcti_json_node *a, struct mcti_json_node *b)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *all = mcti_json_tree_new(&run->tree, '[');
    mcti_json_tree_add(&run->tree, all, a);
    mcti_json_tree_add(&run->tree, all, b);
    NORMAL_PUT(run, to, "allOf", all);
    return to;
}

static void add_properties(struct mcti_normal_run *run, struct mcti_json_node *to, const struct mcti_json_node *more)
{
    for (unsigned i = 0; mcti_json_node_is(more, '{') && i < more->n; i++) {
        struct mcti_json_node *had = mcti_json_tree_get(&run->tree, to, more->v[i].key);
        mcti_json_tree_put(&run->tree, to, more->v[i].key,
                           had ? root_both(run, had, more->v[i].value) : more->v[i].value);
    }
}

/* Adds required names to the set `names`, an object whose keys are the members of the set. */
static void add_required(struct mcti_normal_run *run, struct mcti_json_node *names, const struct mcti_json_node *more)
{
    for (unsigned i = 0; is_array(more) && i < more->n; i++)
        if (more->v[i].value->type == '"')
            mcti_json_tree_put(&run->tree, names, mcti_json_node_raw(more->v[i].value), more->v[i].value);
}

/* Returns an object with the properties of the root and of every part of its allOf. */
static struct mcti_json_node *root_joined(struct mcti_normal_run *run, struct mcti_json_node *root,
                                          const struct mcti_json_node *all)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *names = mcti_json_tree_new(&run->tree, '{');
    struct mcti_json_node *properties = mcti_json_tree_new(&run->tree, '{');
    struct mcti_json_node *required = mcti_json_tree_new(&run->tree, '[');
    NORMAL_PUT(run, to, "type", NORMAL_WORD(run, "\"object\""));
    mcti_normal_put_meta(run, root, to);
    add_properties(run, properties, NORMAL_GET(run, root, "properties"));
    add_required(run, names, NORMAL_GET(run, root, "required"));
    for (unsigned i = 0; i < all->n; i++) {
        add_properties(run, properties, NORMAL_GET(run, all->v[i].value, "properties"));
        add_required(run, names, NORMAL_GET(run, all->v[i].value, "required"));
    }
    for (unsigned i = 0; i < names->n; i++)
        mcti_json_tree_add(&run->tree, required, names->v[i].value);
    NORMAL_PUT(run, to, "properties", properties);
    if (required->n)
        NORMAL_PUT(run, to, "required", required);
    return to;
}

/* OpenAI: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level";
 * Anthropic: "input_schema does not support oneOf, allOf, or anyOf at the top level". */
struct mcti_json_node *mcti_normal_object_root(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    static const char *const refused[] = { "anyOf", "oneOf", "enum", "not", "const" };
    if (root->type != '{' || !admits_objects(run, root))
        return root;
    struct mcti_json_node *all = NORMAL_GET(run, root, "allOf");
    if (is_array(all))
        return root_joined(run, root, all);
    root = mcti_json_tree_copy(&run->tree, root);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        mcti_json_tree_remove(&run->tree, root, mcti_str_of(refused[i]));
    NORMAL_PUT(run, root, "type", NORMAL_WORD(run, "\"object\""));
    return with_object_words(run, root);
}
