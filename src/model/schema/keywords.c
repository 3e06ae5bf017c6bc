/* Steps that add or drop single keywords. */
#include "model/schema/impl.h"

/* ---- arrays without items: some providers refuse them ---- */

static struct mct_json_node *with_items(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        mct_json_tree_put(&run->tree, to, node->v[i].key, normal_inside(run, &node->v[i], NORMAL_CORE, with_items, at));
    if (mct_json_node_says(NORMAL_GET(run, node, "type"), "array") && !NORMAL_GET(run, node, "items"))
        NORMAL_PUT(run, to, "items", mct_json_tree_new(&run->tree, '{'));
    return to;
}

struct mct_json_node *normal_array_items(struct normal_run *run, struct mct_json_node *root)
{
    return with_items(run, root, NULL);
}

/* ---- llama.cpp: a grammar may repeat a rule less than 2000 times, and knows few patterns ---- */

enum { GRAMMAR_REPETITIONS = 2000 };

static bool is_too_much_for_grammars(const struct mct_json_entry *e)
{
    return mct_str_is(e->key, "pattern") ||
           (mct_str_is(e->key, "maxLength") && mct_json_double(e->value->text) >= GRAMMAR_REPETITIONS);
}

static struct mct_json_node *for_grammars(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    if (node->type == '[')
        return normal_each(run, node, for_grammars, at);
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_too_much_for_grammars(&node->v[i]))
            mct_json_tree_put(&run->tree, to, node->v[i].key,
                              normal_inside(run, &node->v[i], NORMAL_GRAMMAR, for_grammars, at));
    return to;
}

struct mct_json_node *normal_grammar(struct normal_run *run, struct mct_json_node *root)
{
    return for_grammars(run, root, NULL);
}

/* ---- keywords by name ---- */

static bool is_listed(struct mct_str key, const char *const *keywords)
{
    for (; *keywords; keywords++)
        if (mct_str_is(key, *keywords))
            return true;
    return false;
}

static struct mct_json_node *stripped(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    if (node->type == '[')
        return normal_each(run, node, stripped, at);
    if (node->type != '{')
        return node;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++)
        if (!is_listed(node->v[i].key, at))
            mct_json_tree_put(&run->tree, to, node->v[i].key,
                              normal_inside(run, &node->v[i], NORMAL_ALL, stripped, at));
    return to;
}

struct mct_json_node *normal_strip(struct normal_run *run, struct mct_json_node *root, const char *const *keywords)
{
    return keywords && *keywords ? stripped(run, root, keywords) : root;
}
