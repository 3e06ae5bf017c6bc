/* What no provider takes, however it was normalised. Paths are put together from keys as they are written in JSON,
 * and so can stand between quotes again. */
#include "model/schema/impl.h"

#include "json/write.h"

#include <math.h>

enum { MOST = 100, PATH_BYTES = 4096 };

struct check {
    struct mct_json_tree tree;
    struct mct_buf path, *to;
    size_t n;
};

static void say(struct check *c, const char *after)
{
    if (c->n == MOST)
        return;
    mct_buf_addz(c->to, c->n++ ? ",\"" : "\"");
    mct_buf_add(c->to, mct_buf_str(&c->path));
    mct_buf_addz(c->to, after);
    mct_buf_addc(c->to, '"');
}

/* Appends to the path; false, with nothing appended, when it is too long. */
static bool enter(struct check *c, const struct mct_json_node *in, unsigned i)
{
    if (c->path.len + in->v[i].key.len + 16 > PATH_BYTES)
        return false;
    if (in->type == '[') {
        mct_buf_printf(&c->path, "[%u]", i);
    } else {
        mct_buf_addc(&c->path, '.');
        mct_buf_add(&c->path, in->v[i].key);
    }
    return true;
}

enum kind { SCHEMA, SCHEMAS_BY_NAME, VALUE };

static void check(struct check *c, const struct mct_json_node *node, enum kind kind);

static enum kind kind_inside(const struct mct_json_node *node, unsigned i, enum kind kind)
{
    if (node->type == '[' || kind == VALUE)
        return kind;
    if (kind == SCHEMAS_BY_NAME)
        return SCHEMA;
    if (normal_is_literal(node->v[i].key))
        return VALUE;
    return normal_place(node->v[i].key, NORMAL_ALL) == PLACE_MAP ? SCHEMAS_BY_NAME : SCHEMA;
}

static bool is_dynamic(struct mct_str key)
{
    return mct_str_is(key, "$dynamicRef") || mct_str_is(key, "$dynamicAnchor");
}

static void check(struct check *c, const struct mct_json_node *node, enum kind kind)
{
    size_t len = c->path.len;
    if (node->type == '0' && !isfinite(mct_json_double(node->text)))
        say(c, " is not a finite number");
    for (unsigned i = 0; i < node->n && c->n < MOST; i++) {
        if (!enter(c, node, i))
            continue;
        if (kind == SCHEMA && is_dynamic(node->v[i].key))
            say(c, "");
        check(c, node->v[i].value, kind_inside(node, i, kind));
        c->path.len = len;
    }
}

static void check_root(struct check *c, struct mct_str schema)
{
    struct mct_json_limits most = { MCT_LIMIT_JSON_DEPTH, 8 * MCT_LIMIT_SCHEMA_NODES };
    struct mct_json_node *root;
    struct mct_error err;
    if (mct_json_tree_read(&c->tree, schema, most, &root, &err) < 0) {
        mct_buf_printf(&c->path, " %s", err.message);
        say(c, "");
        return;
    }
    struct mct_json_node *type = mct_json_tree_get(&c->tree, root, MCT_STR("type"));
    if (root->type != '{')
        say(c, " must be a JSON object schema");
    else if (type && !mct_json_node_says(type, "object"))
        say(c, ".type must be \\\"object\\\"");
    check(c, root, SCHEMA);
}

size_t mct_schema_violations(struct mct_buf *to, struct mct_str schema, const char *what)
{
    struct check c = { .to = to };
    mct_json_tree_init(&c.tree, MCT_LIMIT_SCHEMA_BYTES);
    mct_buf_init(&c.path, 2 * PATH_BYTES);
    mct_buf_addz(&c.path, what);
    mct_buf_addc(to, '[');
    check_root(&c, schema);
    mct_buf_addc(to, ']');
    mct_buf_done(&c.path);
    mct_json_tree_done(&c.tree);
    return c.n;
}
