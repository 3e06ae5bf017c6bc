/* Finds parts of a schema that no provider accepts, even after normalisation. Paths consist of keys as written in JSON,
 * so they can be quoted again without escaping. */
#include "model/schema/impl.h"

#include "json/write.h"

#include <math.h>

enum { MOST = 100, PATH_BYTES = 4096 };

struct check {
    struct mcti_json_tree tree;
    struct mcti_buf path, *to;
    size_t n;
};

static void schema_check_say(struct check *c, const char *after)
{
    if (c->n == MOST)
        return;
    mcti_buf_addz(c->to, c->n++ ? ",\"" : "\"");
    mcti_buf_add(c->to, mcti_buf_str(&c->path));
    mcti_buf_addz(c->to, after);
    mcti_buf_addc(c->to, '"');
}

/* Appends a step to the path; returns false, with nothing appended, if the path becomes too long. */
static bool schema_check_enter(struct check *c, const struct mcti_json_node *in, unsigned i)
{
    if (c->path.len + in->v[i].key.len + 16 > PATH_BYTES)
        return false;
    if (in->type == '[') {
        mcti_buf_printf(&c->path, "[%u]", i);
    } else {
        mcti_buf_addc(&c->path, '.');
        mcti_buf_add(&c->path, in->v[i].key);
    }
    return true;
}

enum kind { SCHEMA, SCHEMAS_BY_NAME, VALUE };

static void schema_check_check(struct check *c, const struct mcti_json_node *node, enum kind kind);

static enum kind kind_inside(const struct mcti_json_node *node, unsigned i, enum kind kind)
{
    if (node->type == '[' || kind == VALUE)
        return kind;
    if (kind == SCHEMAS_BY_NAME)
        return SCHEMA;
    if (mcti_normal_is_literal(node->v[i].key))
        return VALUE;
    return mcti_normal_place(node->v[i].key, NORMAL_ALL) == PLACE_MAP ? SCHEMAS_BY_NAME : SCHEMA;
}

static bool is_dynamic(struct mcti_str key)
{
    return mcti_str_is(key, "$dynamicRef") || mcti_str_is(key, "$dynamicAnchor");
}

static void schema_check_check(struct check *c, const struct mcti_json_node *node, enum kind kind)
{
    size_t len = c->path.len;
    if (node->type == '0' && !isfinite(mcti_json_double(node->text)))
        schema_check_say(c, " is not a finite number");
    for (unsigned i = 0; i < node->n && c->n < MOST; i++) {
        if (!schema_check_enter(c, node, i))
            continue;
        if (kind == SCHEMA && is_dynamic(node->v[i].key))
            schema_check_say(c, "");
        schema_check_check(c, node->v[i].value, kind_inside(node, i, kind));
        c->path.len = len;
    }
}

static void check_root(struct check *c, struct mcti_str schema)
{
    struct mcti_json_limits most = { MCT_LIMIT_JSON_DEPTH, 8 * MCT_LIMIT_SCHEMA_NODES };
    struct mcti_json_node *root;
    struct mct_error err;
    if (mcti_json_tree_read(&c->tree, schema, most, &root, &err) < 0) {
        mcti_buf_printf(&c->path, " %s", err.message);
        schema_check_say(c, "");
        return;
    }
    struct mcti_json_node *type = mcti_json_tree_get(&c->tree, root, MCT_STR("type"));
    if (root->type != '{')
        schema_check_say(c, " must be a JSON object schema");
    else if (type && !mcti_json_node_says(type, "object"))
        schema_check_say(c, ".type must be \\\"object\\\"");
    schema_check_check(c, root, SCHEMA);
}

size_t mcti_schema_violations(struct mcti_buf *to, struct mcti_str schema, const char *what)
{
    struct check c = { .to = to };
    mcti_json_tree_init(&c.tree, MCT_LIMIT_SCHEMA_BYTES);
    mcti_buf_init(&c.path, 2 * PATH_BYTES);
    mcti_buf_addz(&c.path, what);
    mcti_buf_addc(to, '[');
    check_root(&c, schema);
    mcti_buf_addc(to, ']');
    mcti_buf_done(&c.path);
    mcti_json_tree_done(&c.tree);
    return c.n;
}
