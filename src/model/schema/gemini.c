/*
 * The subset of JSON Schema that Gemini takes: no unions, no references, no bounds, enums of strings. What is left
 * out makes the schema wider, so a model may send what the tool then refuses.
 */
#include "model/schema/impl.h"

static struct mct_json_node *cleaned(struct normal_run *run, struct mct_json_node *node, const void *at);

static bool is_refused(struct mct_str key)
{
    static const char *const words[] = {
        "~optional", "patternProperties", "additionalProperties", "$schema", "$id", "$ref", "$defs", "definitions",
        "examples", "minLength", "maxLength", "minimum", "maximum", "multipleOf", "pattern", "format", "minItems",
        "maxItems", "uniqueItems", "minProperties", "maxProperties", "not", NULL
    };
    for (const char *const *w = words; *w; w++)
        if (mct_str_is(key, *w))
            return true;
    return false;
}

/* ---- what is left of references after inlining; the two namespaces are one here, and a name may hold a '/' ---- */

static struct mct_json_node *defined(struct normal_run *run, struct mct_str ref, const struct normal_scope *scope)
{
    struct mct_json_node *target = NULL;
    bool legacy = mct_str_starts(ref, MCT_STR("#/definitions/"));
    size_t prefix = legacy ? 14 : mct_str_starts(ref, MCT_STR("#/$defs/")) ? 8 : 0;
    struct mct_str name = { ref.p + prefix, ref.len - prefix };
    for (; prefix && name.len && scope && !target; scope = scope->up) {
        target = normal_named(run, scope->definitions, name);
        target = target ? target : normal_named(run, scope->defs, name);
    }
    return normal_is_something(target) ? target : NULL;
}

static struct mct_json_node *cleaned_ref(struct normal_run *run, struct mct_json_node *node, struct mct_str ref,
                                         struct normal_at at)
{
    struct mct_json_node *target = defined(run, ref, at.scope), *to = mct_json_tree_new(&run->tree, '{');
    if (normal_is_open(at.open, ref) || (target && !normal_may_grow(run, target, at.depth)))
        return to;
    if (target) {
        struct normal_open open = { at.open, ref };
        at.open = &open;
        to = cleaned(run, target, &at);
        if (to->type != '{')
            return to;
        to = mct_json_tree_copy(&run->tree, to);
    }
    normal_put_meta(run, node, to);
    return to;
}

/* ---- single keywords ---- */

static struct mct_json_node *as_string(struct normal_run *run, struct mct_json_node *value, struct mct_buf *scratch)
{
    if (value->type == '"')
        return value;
    mct_buf_clear(scratch);
    mct_buf_addc(scratch, '"');
    mct_buf_add(scratch, value->type == '0' ? normal_number(run, value->text) : value->text);
    mct_buf_addc(scratch, '"');
    return mct_json_tree_copy_text(&run->tree, mct_buf_str(scratch));
}

/* The values as strings, each once, set as the enum of `to`; nothing where none can be a string. */
static void put_enum(struct normal_run *run, struct mct_json_node *to, const struct mct_json_node *values)
{
    struct mct_json_node *list = mct_json_tree_new(&run->tree, '['), *seen = mct_json_tree_new(&run->tree, '{');
    struct mct_buf scratch;
    mct_buf_init(&scratch, MCT_LIMIT_SCHEMA_BYTES);
    for (unsigned i = 0; mct_json_node_is(values, '[') && i < values->n; i++) {
        if (strchr("{[n", values->v[i].value->type))
            continue;
        struct mct_json_node *text = as_string(run, values->v[i].value, &scratch);
        if (!mct_json_tree_get(&run->tree, seen, text->text))
            mct_json_tree_add(&run->tree, list, text);
        mct_json_tree_put(&run->tree, seen, text->text, text);
    }
    mct_buf_done(&scratch);
    if (list->n)
        NORMAL_PUT(run, to, "enum", list);
}

static void put_const(struct normal_run *run, struct mct_json_node *to, struct mct_json_node *value)
{
    struct mct_json_node *one = mct_json_tree_new(&run->tree, '[');
    mct_json_tree_add(&run->tree, one, value);
    put_enum(run, to, one);
}

/* Gemini takes one type, and `nullable`. Of several types the first that is not null stays. */
static void put_types(struct normal_run *run, struct mct_json_node *to, struct mct_json_node *types)
{
    struct mct_json_node *first = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < types->n; i++) {
        bool null = mct_json_node_says(types->v[i].value, "null");
        n += !null;
        if (!first || (!null && n == 1))
            first = types->v[i].value;
    }
    if (first)
        NORMAL_PUT(run, to, "type", first);
    if (n > 1 && normal_holds(types, "\"null\""))
        NORMAL_PUT(run, to, "nullable", NORMAL_WORD(run, "true"));
}

static bool all_strings(const struct mct_json_node *node)
{
    for (unsigned i = 0; i < node->n; i++)
        if (node->v[i].value->type != '"')
            return false;
    return node->type == '[';
}

static bool holds_schemas(struct mct_str key)
{
    return mct_str_is(key, "items") || mct_str_is(key, "allOf") || mct_str_is(key, "properties");
}

/* Everything but unions. */
static void put_member(struct normal_run *run, struct mct_json_node *to, const struct mct_json_entry *e,
                       const struct normal_at *at)
{
    if (is_refused(e->key) || (mct_str_is(e->key, "required") && e->value->type == '[' && !e->value->n))
        return;
    if (mct_str_is(e->key, "const"))
        put_const(run, to, e->value);
    else if (mct_str_is(e->key, "enum"))
        put_enum(run, to, e->value);
    else if (mct_str_is(e->key, "type") && all_strings(e->value))
        put_types(run, to, e->value);
    else if (mct_str_is(e->key, "properties") && e->value->type != '{')
        mct_json_tree_put(&run->tree, to, e->key, mct_json_tree_new(&run->tree, '{'));
    else if (holds_schemas(e->key))
        mct_json_tree_put(&run->tree, to, e->key, normal_inside(run, e, NORMAL_CORE, cleaned, at));
    else
        mct_json_tree_put(&run->tree, to, e->key, e->value);
}

/* `required` names what is there, or goes. */
static struct mct_json_node *with_honest_required(struct normal_run *run, struct mct_json_node *schema)
{
    struct mct_json_node *required = NORMAL_GET(run, schema, "required"), *list = mct_json_tree_new(&run->tree, '[');
    struct mct_json_node *properties = NORMAL_GET(run, schema, "properties");
    bool known = mct_json_node_is(properties, '{');
    if (!mct_json_node_is(required, '[') || (!known && !mct_json_node_says(NORMAL_GET(run, schema, "type"), "object")))
        return schema;
    for (unsigned i = 0; known && i < required->n; i++) {
        struct mct_str name = mct_json_node_raw(required->v[i].value);
        if (name.p && mct_json_tree_get(&run->tree, properties, name))
            mct_json_tree_add(&run->tree, list, required->v[i].value);
    }
    if (list->n)
        NORMAL_PUT(run, schema, "required", list);
    else
        mct_json_tree_remove(&run->tree, schema, MCT_STR("required"));
    return schema;
}

/* ---- one schema ---- */

/* What stays of a schema whose union, cleaned, is `any` or `one`. */
static struct mct_json_node *cleaned_members(struct normal_run *run, struct mct_json_node *node,
                                             struct mct_json_node *any, struct mct_json_node *one,
                                             const struct normal_at *at)
{
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++) {
        const struct mct_json_entry *e = &node->v[i];
        struct mct_json_node *variants = mct_str_is(e->key, "anyOf") ? any : mct_str_is(e->key, "oneOf") ? one : NULL;
        if (variants)
            mct_json_tree_put(&run->tree, to, e->key, variants);
        else if (!(any || one) || !mct_str_is(e->key, "type"))
            put_member(run, to, e, at);
    }
    struct mct_json_node *flat = any ? normal_gemini_fallback(run, to, any) : NULL;
    if (!flat && one)
        flat = normal_gemini_fallback(run, to, one);
    return with_honest_required(run, flat ? flat : to);
}

static struct mct_json_node *cleaned_union(struct normal_run *run, struct mct_json_node *node, struct mct_str key,
                                           const struct normal_at *at)
{
    struct mct_json_node *variants = mct_json_tree_get(&run->tree, node, key);
    return mct_json_node_is(variants, '[') ? normal_each(run, variants, cleaned, at) : NULL;
}

static struct mct_json_node *cleaned(struct normal_run *run, struct mct_json_node *node, const void *at)
{
    struct normal_at here = *(const struct normal_at *)at;
    struct normal_scope own;
    if (node->type == '[')
        return normal_each(run, node, cleaned, at);
    if (node->type != '{')
        return node;
    here.depth++;
    here.scope = normal_scope(run, node, &own, here.scope);
    struct mct_str ref = mct_json_node_raw(NORMAL_GET(run, node, "$ref"));
    if (ref.len)
        return cleaned_ref(run, node, ref, here);
    struct mct_json_node *any = cleaned_union(run, node, MCT_STR("anyOf"), &here);
    struct mct_json_node *one = cleaned_union(run, node, MCT_STR("oneOf"), &here);
    struct mct_json_node *simple = any ? normal_gemini_simplify(run, node, &any) : NULL;
    if (!simple && one)
        simple = normal_gemini_simplify(run, node, &one);
    return simple ? simple : cleaned_members(run, node, any, one, &here);
}

struct mct_json_node *normal_gemini(struct normal_run *run, struct mct_json_node *root)
{
    return cleaned(run, root, &(struct normal_at){ 0 });
}
