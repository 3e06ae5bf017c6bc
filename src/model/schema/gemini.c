/*
 * Reduces a schema to the subset that Gemini accepts: no unions, no references, no bounds, enums of strings only.
 * Dropping keywords widens the schema, so a model may send arguments that the tool then rejects.
 */
#include "model/schema/impl.h"

static struct mcti_json_node *gemini_cleaned(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at);

static bool gemini_is_refused(struct mcti_str key)
{
    static const char *const words[] = { "~optional",
                                         "patternProperties",
                                         "additionalProperties",
                                         "$schema",
                                         "$id",
                                         "$ref",
                                         "$defs",
                                         "definitions",
                                         "examples",
                                         "minLength",
                                         "maxLength",
                                         "minimum",
                                         "maximum",
                                         "multipleOf",
                                         "pattern",
                                         "format",
                                         "minItems",
                                         "maxItems",
                                         "uniqueItems",
                                         "minProperties",
                                         "maxProperties",
                                         "not",
                                         NULL };
    for (const char *const *w = words; *w; w++)
        if (mcti_str_is(key, *w))
            return true;
    return false;
}

/* ---- references left after inlining; both namespaces are one here, and a name may contain '/' ---- */

static struct mcti_json_node *gemini_defined(struct mcti_normal_run *run, struct mcti_str ref,
                                             const struct mcti_normal_scope *scope)
{
    struct mcti_json_node *target = NULL;
    bool legacy = mcti_str_starts(ref, MCT_STR("#/definitions/"));
    size_t prefix = legacy ? 14 : mcti_str_starts(ref, MCT_STR("#/$defs/")) ? 8 : 0;
    struct mcti_str name = { ref.p + prefix, ref.len - prefix };
    for (; prefix && name.len && scope && !target; scope = scope->up) {
        target = mcti_normal_named(run, scope->definitions, name);
        target = target ? target : mcti_normal_named(run, scope->defs, name);
    }
    return mcti_normal_is_truthy(target) ? target : NULL;
}

static struct mcti_json_node *cleaned_ref(struct mcti_normal_run *run, struct mcti_json_node *node, struct mcti_str ref,
                                          struct mcti_normal_at at)
{
    struct mcti_json_node *target = gemini_defined(run, ref, at.scope), *to = mcti_json_tree_new(&run->tree, '{');
    if (mcti_normal_is_open(at.open, ref) || (target && !mcti_normal_may_grow(run, target, at.depth)))
        return to;
    if (target) {
        struct mcti_normal_open open = { at.open, ref };
        at.open = &open;
        to = gemini_cleaned(run, target, &at);
        if (to->type != '{')
            return to;
        to = mcti_json_tree_copy(&run->tree, to);
    }
    run->cut |= !target && !mcti_str_is(ref, "#");
    mcti_normal_put_meta(run, node, to);
    return to;
}

/* ---- single keywords ---- */

static struct mcti_json_node *as_string(struct mcti_normal_run *run, struct mcti_json_node *value,
                                        struct mcti_buf *scratch)
{
    if (value->type == '"')
        return value;
    mcti_buf_clear(scratch);
    mcti_buf_addc(scratch, '"');
    mcti_buf_add(scratch, value->type == '0' ? mcti_normal_number(run, value->text) : value->text);
    mcti_buf_addc(scratch, '"');
    return mcti_json_tree_copy_text(&run->tree, mcti_buf_str(scratch));
}

/* Sets the enum of `to` to the distinct values as strings; sets nothing if no value can be a string. */
static void put_enum(struct mcti_normal_run *run, struct mcti_json_node *to, const struct mcti_json_node *values)
{
    struct mcti_json_node *list = mcti_json_tree_new(&run->tree, '['), *seen = mcti_json_tree_new(&run->tree, '{');
    struct mcti_buf scratch;
    mcti_buf_init(&scratch, MCT_LIMIT_SCHEMA_BYTES);
    for (unsigned i = 0; mcti_json_node_is(values, '[') && i < values->n; i++) {
        if (strchr("{[n", values->v[i].value->type))
            continue;
        struct mcti_json_node *text = as_string(run, values->v[i].value, &scratch);
        if (!mcti_json_tree_get(&run->tree, seen, text->text))
            mcti_json_tree_add(&run->tree, list, text);
        mcti_json_tree_put(&run->tree, seen, text->text, text);
    }
    mcti_buf_done(&scratch);
    if (list->n)
        NORMAL_PUT(run, to, "enum", list);
}

static void put_const(struct mcti_normal_run *run, struct mcti_json_node *to, struct mcti_json_node *value)
{
    struct mcti_json_node *one = mcti_json_tree_new(&run->tree, '[');
    mcti_json_tree_add(&run->tree, one, value);
    put_enum(run, to, one);
}

/* Gemini accepts one type and `nullable`: keeps the first type that is not null. */
static void put_types(struct mcti_normal_run *run, struct mcti_json_node *to, struct mcti_json_node *types)
{
    struct mcti_json_node *first = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < types->n; i++) {
        bool null = mcti_json_node_says(types->v[i].value, "null");
        n += !null;
        if (!first || (!null && n == 1))
            first = types->v[i].value;
    }
    if (first)
        NORMAL_PUT(run, to, "type", first);
    if (n > 1 && mcti_normal_holds(types, "\"null\""))
        NORMAL_PUT(run, to, "nullable", NORMAL_WORD(run, "true"));
}

static bool all_strings(const struct mcti_json_node *node)
{
    for (unsigned i = 0; i < node->n; i++)
        if (node->v[i].value->type != '"')
            return false;
    return node->type == '[';
}

static bool holds_schemas(struct mcti_str key)
{
    return mcti_str_is(key, "items") || mcti_str_is(key, "allOf") || mcti_str_is(key, "properties");
}

/* Converts one keyword that is no union. */
static void gemini_put_member(struct mcti_normal_run *run, struct mcti_json_node *to, const struct mcti_json_entry *e,
                              const struct mcti_normal_at *at)
{
    if (gemini_is_refused(e->key) || (mcti_str_is(e->key, "required") && e->value->type == '[' && !e->value->n))
        return;
    if (mcti_str_is(e->key, "const"))
        put_const(run, to, e->value);
    else if (mcti_str_is(e->key, "enum"))
        put_enum(run, to, e->value);
    else if (mcti_str_is(e->key, "type") && all_strings(e->value))
        put_types(run, to, e->value);
    else if (mcti_str_is(e->key, "properties") && e->value->type != '{')
        mcti_json_tree_put(&run->tree, to, e->key, mcti_json_tree_new(&run->tree, '{'));
    else if (holds_schemas(e->key))
        mcti_json_tree_put(&run->tree, to, e->key, mcti_normal_inside(run, e, NORMAL_CORE, gemini_cleaned, at));
    else
        mcti_json_tree_put(&run->tree, to, e->key, e->value);
}

/* Removes names without a property from `required`, and `required` itself if it becomes empty. */
static struct mcti_json_node *with_known_required(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    struct mcti_json_node *required = NORMAL_GET(run, schema, "required"), *list = mcti_json_tree_new(&run->tree, '[');
    struct mcti_json_node *properties = NORMAL_GET(run, schema, "properties");
    bool known = mcti_json_node_is(properties, '{');
    if (!mcti_json_node_is(required, '[') ||
        (!known && !mcti_json_node_says(NORMAL_GET(run, schema, "type"), "object")))
        return schema;
    for (unsigned i = 0; known && i < required->n; i++) {
        struct mcti_str name = mcti_json_node_raw(required->v[i].value);
        if (name.p && mcti_json_tree_get(&run->tree, properties, name))
            mcti_json_tree_add(&run->tree, list, required->v[i].value);
    }
    if (list->n)
        NORMAL_PUT(run, schema, "required", list);
    else
        mcti_json_tree_remove(&run->tree, schema, MCT_STR("required"));
    return schema;
}

/* ---- one schema ---- */

/* Returns the cleaned members of a schema; `any` and `one` are its cleaned unions. */
static struct mcti_json_node *cleaned_members(struct mcti_normal_run *run, struct mcti_json_node *node,
                                              struct mcti_json_node *any, struct mcti_json_node *one,
                                              const struct mcti_normal_at *at)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++) {
        const struct mcti_json_entry *e = &node->v[i];
        struct mcti_json_node *variants = mcti_str_is(e->key, "anyOf")   ? any
                                          : mcti_str_is(e->key, "oneOf") ? one
                                                                         : NULL;
        if (variants)
            mcti_json_tree_put(&run->tree, to, e->key, variants);
        else if (!(any || one) || !mcti_str_is(e->key, "type"))
            gemini_put_member(run, to, e, at);
    }
    struct mcti_json_node *flat = any ? mcti_normal_gemini_fallback(run, to, any) : NULL;
    if (!flat && one)
        flat = mcti_normal_gemini_fallback(run, to, one);
    return with_known_required(run, flat ? flat : to);
}

static struct mcti_json_node *cleaned_union(struct mcti_normal_run *run, struct mcti_json_node *node,
                                            struct mcti_str key, const struct mcti_normal_at *at)
{
    struct mcti_json_node *variants = mcti_json_tree_get(&run->tree, node, key);
    return mcti_json_node_is(variants, '[') ? mcti_normal_each(run, variants, gemini_cleaned, at) : NULL;
}

static struct mcti_json_node *gemini_cleaned(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    struct mcti_normal_at here = *(const struct mcti_normal_at *)at;
    struct mcti_normal_scope own;
    if (node->type == '[')
        return mcti_normal_each(run, node, gemini_cleaned, at);
    if (node->type != '{')
        return node;
    here.depth++;
    here.scope = mcti_normal_scope(run, node, &own, here.scope);
    struct mcti_str ref = mcti_json_node_raw(NORMAL_GET(run, node, "$ref"));
    if (ref.len)
        return cleaned_ref(run, node, ref, here);
    struct mcti_json_node *any = cleaned_union(run, node, MCT_STR("anyOf"), &here);
    struct mcti_json_node *one = cleaned_union(run, node, MCT_STR("oneOf"), &here);
    struct mcti_json_node *simple = any ? mcti_normal_gemini_simplify(run, node, &any) : NULL;
    if (!simple && one)
        simple = mcti_normal_gemini_simplify(run, node, &one);
    return simple ? simple : cleaned_members(run, node, any, one, &here);
}

struct mcti_json_node *mcti_normal_gemini(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return gemini_cleaned(run, root, &(struct mcti_normal_at){ 0 });
}
