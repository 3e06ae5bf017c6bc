/* From text to nodes, in one pass over its compact form. */
#include "json/tree.h"
#include "json/write.h"

struct reader {
    struct mct_json_tree *tree;
    const char *p, *end;
    struct mct_json_limits left;
    const char *why; /* NULL: all is well */
};

static struct mct_json_node *read_value(struct reader *r);

static struct mct_str read_string(struct reader *r)
{
    const char *from = r->p++;
    while (*r->p != '"')
        r->p += *r->p == '\\' ? 2 : 1;
    return mct_str_range(from, ++r->p);
}

static struct mct_str read_word(struct reader *r)
{
    const char *from = r->p;
    while (r->p < r->end && !strchr(",]}", *r->p))
        r->p++;
    return mct_str_range(from, r->p);
}

static void read_child(struct reader *r, struct mct_json_node *into)
{
    if (into->type == '[') {
        mct_json_tree_add(r->tree, into, read_value(r));
        return;
    }
    struct mct_str quoted = read_string(r);
    r->p++; /* the colon */
    mct_json_tree_put(r->tree, into, (struct mct_str){ quoted.p + 1, quoted.len - 2 }, read_value(r));
}

static struct mct_json_node *read_container(struct reader *r)
{
    struct mct_json_node *node = mct_json_tree_new(r->tree, *r->p++);
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

static struct mct_json_node *read_value(struct reader *r)
{
    if (!r->left.nodes || !mct_json_tree_ok(r->tree)) {
        r->why = "has too many values";
        return &r->tree->spare;
    }
    r->left.nodes--;
    if (*r->p == '{' || *r->p == '[')
        return read_container(r);
    return mct_json_tree_text(r->tree, *r->p == '"' ? read_string(r) : read_word(r));
}

/* The compact form, in memory of the tree. */
static struct mct_str compact(struct mct_json_tree *t, struct mct_str text)
{
    struct mct_buf b;
    mct_buf_init(&b, t->arena.max);
    mct_json_put_compact(&b, text);
    char *p = mct_buf_ok(&b) ? mct_arena_dup(&t->arena, mct_buf_str(&b)) : NULL;
    struct mct_str s = { p, b.len };
    mct_buf_done(&b);
    return p ? s : MCT_STR_NONE;
}

int mct_json_tree_read(struct mct_json_tree *t, struct mct_str text, struct mct_json_limits most,
                       struct mct_json_node **ret_root, struct mct_error *err)
{
    struct mct_str s = compact(t, text);
    if (!s.len)
        return mct_fail(err, MCT_ERR_LIMIT, "is too long");
    struct reader r = { .tree = t, .p = s.p, .end = s.p + s.len, .left = most };
    *ret_root = read_value(&r);
    if (!mct_json_tree_ok(t))
        return mct_fail(err, MCT_ERR_LIMIT, "is too long");
    return r.why ? mct_fail(err, MCT_ERR_LIMIT, "%s", r.why) : 0;
}
