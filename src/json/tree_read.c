/* Reads text into nodes, in one pass over its compact form. */
#include "json/tree.h"
#include "json/write.h"

struct reader {
    struct mcti_json_tree *tree;
    const char *p, *end;
    struct mcti_json_limits left;
    const char *why; /* NULL: no error */
};

static struct mcti_json_node *tree_read_value(struct reader *r);

static struct mcti_str tree_read_string(struct reader *r)
{
    const char *from = r->p++;
    while (*r->p != '"')
        r->p += *r->p == '\\' ? 2 : 1;
    return mcti_str_range(from, ++r->p);
}

static struct mcti_str read_word(struct reader *r)
{
    const char *from = r->p;
    while (r->p < r->end && !strchr(",]}", *r->p))
        r->p++;
    return mcti_str_range(from, r->p);
}

static void read_child(struct reader *r, struct mcti_json_node *into)
{
    if (into->type == '[') {
        mcti_json_tree_add(r->tree, into, tree_read_value(r));
        return;
    }
    struct mcti_str quoted = tree_read_string(r);
    r->p++; /* the colon */
    mcti_json_tree_put(r->tree, into, (struct mcti_str){ quoted.p + 1, quoted.len - 2 }, tree_read_value(r));
}

static struct mcti_json_node *read_container(struct reader *r)
{
    struct mcti_json_node *node = mcti_json_tree_new(r->tree, *r->p++);
    if (!r->left.depth) {
        r->why = "is nested too deeply";
        return node;
    }
    r->left.depth--;
    while (!r->why && *r->p != '}' && *r->p != ']') {
        r->p += *r->p == ',';
        read_child(r, node);
    }
    r->p++;
    r->left.depth++;
    return node;
}

static struct mcti_json_node *tree_read_value(struct reader *r)
{
    if (!r->left.nodes || !mcti_json_tree_ok(r->tree)) {
        r->why = "has too many values";
        return &r->tree->spare;
    }
    r->left.nodes--;
    if (*r->p == '{' || *r->p == '[')
        return read_container(r);
    return mcti_json_tree_text(r->tree, *r->p == '"' ? tree_read_string(r) : read_word(r));
}

/* Returns the compact form, in memory of the tree. */
static struct mcti_str tree_read_compact(struct mcti_json_tree *t, struct mcti_str text)
{
    struct mcti_buf b;
    mcti_buf_init(&b, t->arena.max);
    mcti_json_put_compact(&b, text);
    char *p = mcti_buf_ok(&b) ? mcti_arena_dup(&t->arena, mcti_buf_str(&b)) : NULL;
    struct mcti_str s = { p, b.len };
    mcti_buf_done(&b);
    return p ? s : MCT_STR_NONE;
}

int mcti_json_tree_read(struct mcti_json_tree *t, struct mcti_str text, struct mcti_json_limits most,
                        struct mcti_json_node **ret_root, struct mct_error *err)
{
    struct mcti_str s = tree_read_compact(t, text);
    if (!s.len)
        return mcti_fail(err, MCT_ERR_LIMIT, "is too long");
    struct reader r = { .tree = t, .p = s.p, .end = s.p + s.len, .left = most };
    *ret_root = tree_read_value(&r);
    if (!mcti_json_tree_ok(t))
        return mcti_fail(err, MCT_ERR_LIMIT, "is too long");
    return r.why ? mcti_fail(err, MCT_ERR_LIMIT, "%s", r.why) : 0;
}
