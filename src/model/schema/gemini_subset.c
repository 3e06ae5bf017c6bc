/*
 * The last step for Gemini: keywords that its reference lists for schemas, and no others (parametersJsonSchema takes
 * the same ones as responseJsonSchema). Parts of an allOf are merged, and values of an enum are strings of a schema of
 * strings ("enum: only allowed for STRING type").
 */
#include "model/schema/impl.h"

static bool gemini_subset_has(struct mcti_str key)
{
    static const char *const words[] = { "type",     "format",   "title",       "description", "enum",     "items",
                                         "minItems", "maxItems", "prefixItems", "properties",  "required", "minimum",
                                         "maximum",  "anyOf",    "oneOf",       "nullable",    "default" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mcti_str_is(key, words[i]))
            return true;
    return false;
}

/* Returns an object with the members of both; those of `a` win. */
static struct mcti_json_node *gemini_subset_united(struct mcti_normal_run *run, struct mcti_json_node *a,
                                                   const struct mcti_json_node *b)
{
    struct mcti_json_node *to = mcti_json_tree_copy(&run->tree, a);
    for (unsigned i = 0; i < b->n; i++)
        if (!mcti_json_tree_get(&run->tree, a, b->v[i].key))
            mcti_json_tree_put(&run->tree, to, b->v[i].key, b->v[i].value);
    return to;
}

static struct mcti_json_node *gemini_subset_names(struct mcti_normal_run *run, struct mcti_json_node *a,
                                                  const struct mcti_json_node *b)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '['), *seen = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < a->n + b->n; i++) {
        struct mcti_json_node *name = i < a->n ? a->v[i].value : b->v[i - a->n].value;
        if (name->type != '"' || mcti_json_tree_get(&run->tree, seen, name->text))
            continue;
        mcti_json_tree_put(&run->tree, seen, name->text, name);
        mcti_json_tree_add(&run->tree, to, name);
    }
    return to;
}

/* Merges one part of an allOf into *to, which is changed. */
static void gemini_subset_merge(struct mcti_normal_run *run, struct mcti_json_node *to, struct mcti_json_node *part)
{
    for (unsigned i = 0; part->type == '{' && i < part->n; i++) {
        const struct mcti_json_entry *e = &part->v[i];
        struct mcti_json_node *had = mcti_json_tree_get(&run->tree, to, e->key);
        if (!had)
            mcti_json_tree_put(&run->tree, to, e->key, e->value);
        else if (mcti_str_is(e->key, "properties") && had->type == '{')
            mcti_json_tree_put(&run->tree, to, e->key, gemini_subset_united(run, had, e->value));
        else if (mcti_str_is(e->key, "required") && had->type == '[' && e->value->type == '[')
            mcti_json_tree_put(&run->tree, to, e->key, gemini_subset_names(run, had, e->value));
    }
}

static struct mcti_json_node *gemini_subset_of(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    if (node->type != '{')
        return strchr("tf", node->type) ? mcti_json_tree_new(&run->tree, '{') : node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *all = NORMAL_GET(run, node, "allOf");
    for (unsigned i = 0; i < node->n; i++)
        if (gemini_subset_has(node->v[i].key))
            mcti_json_tree_put(&run->tree, to, node->v[i].key,
                               mcti_normal_inside(run, &node->v[i], NORMAL_CORE, gemini_subset_of, at));
    for (unsigned i = 0; mcti_json_node_is(all, '[') && i < all->n; i++)
        gemini_subset_merge(run, to, gemini_subset_of(run, all->v[i].value, at));
    if (NORMAL_GET(run, to, "enum"))
        NORMAL_PUT(run, to, "type", NORMAL_WORD(run, "\"string\""));
    if (mcti_json_node_says(NORMAL_GET(run, to, "type"), "array") && !NORMAL_GET(run, to, "items"))
        NORMAL_PUT(run, to, "items", mcti_json_tree_new(&run->tree, '{'));
    return to;
}

struct mcti_json_node *mcti_normal_gemini_subset(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return gemini_subset_of(run, root, NULL);
}
