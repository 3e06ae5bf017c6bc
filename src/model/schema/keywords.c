/* Steps that add or drop single keywords. */
#include "model/schema/impl.h"

/* ---- arrays without items, which some providers reject ---- */

static struct mcti_json_node *with_items(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        mcti_json_tree_put(&run->tree, to, node->v[i].key,
                           mcti_normal_inside(run, &node->v[i], NORMAL_CORE, with_items, at));
    if (mcti_json_node_says(NORMAL_GET(run, node, "type"), "array") && !NORMAL_GET(run, node, "items"))
        NORMAL_PUT(run, to, "items", mcti_json_tree_new(&run->tree, '{'));
    return to;
}

struct mcti_json_node *mcti_normal_array_items(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return with_items(run, root, NULL);
}

/* ---- llama.cpp: a grammar may repeat a rule fewer than 2000 times, and supports few patterns ---- */

enum { GRAMMAR_REPETITIONS = 2000 };

static bool is_too_much_for_grammars(const struct mcti_json_entry *e)
{
    return mcti_str_is(e->key, "pattern") ||
           (mcti_str_is(e->key, "maxLength") && mcti_json_double(e->value->text) >= GRAMMAR_REPETITIONS);
}

static struct mcti_json_node *for_grammars(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    if (node->type == '[')
        return mcti_normal_each(run, node, for_grammars, at);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_too_much_for_grammars(&node->v[i]))
            mcti_json_tree_put(&run->tree, to, node->v[i].key,
                               mcti_normal_inside(run, &node->v[i], NORMAL_GRAMMAR, for_grammars, at));
    return to;
}

struct mcti_json_node *mcti_normal_grammar(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return for_grammars(run, root, NULL);
}

/* ---- keywords by name ---- */

static bool keywords_is_listed(struct mcti_str key, const char *const *keywords)
{
    for (; *keywords; keywords++)
        if (mcti_str_is(key, *keywords))
            return true;
    return false;
}

static struct mcti_json_node *keywords_stripped(struct mcti_normal_run *run, struct mcti_json_node *node,
                                                const void *at)
{
    if (node->type == '[')
        return mcti_normal_each(run, node, keywords_stripped, at);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!keywords_is_listed(node->v[i].key, at))
            mcti_json_tree_put(&run->tree, to, node->v[i].key,
                               mcti_normal_inside(run, &node->v[i], NORMAL_ALL, keywords_stripped, at));
    return to;
}

struct mcti_json_node *mcti_normal_strip(struct mcti_normal_run *run, struct mcti_json_node *root,
                                         const char *const *keywords)
{
    return keywords && *keywords ? keywords_stripped(run, root, keywords) : root;
}
