/*
 * Converts a schema to JSON Schema 2020-12, against whose metaschema providers check: Anthropic answers "JSON schema is
 * invalid. It must match JSON Schema draft 2020-12", OpenAI "True is not of type 'number'". Forms of older drafts are
 * rewritten; a keyword whose value has the wrong form, and a reference without a target, are dropped, which widens the
 * schema.
 */
#include "model/schema/impl.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

/* Returns the value of a keyword in the form that the metaschema demands; NULL to drop the keyword. */
typedef struct mcti_json_node *mcti_draft_form_fn(struct mcti_normal_run *run, struct mcti_json_node *value);

static struct mcti_json_node *draft_modern(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at);

/* ---- plain values ---- */

static struct mcti_json_node *form_string(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    (void)run;
    return value->type == '"' ? value : NULL;
}

static struct mcti_json_node *form_boolean(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    (void)run;
    return strchr("tf", value->type) ? value : NULL;
}

static struct mcti_json_node *form_number(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    (void)run;
    return value->type == '0' ? value : NULL;
}

static struct mcti_json_node *form_positive(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    (void)run;
    return value->type == '0' && mcti_json_double(value->text) > 0 ? value : NULL;
}

static struct mcti_json_node *form_count(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    double n = value->type == '0' ? mcti_json_double(value->text) : -1;
    (void)run;
    return n >= 0 && (isinf(n) || floor(n) == n) ? value : NULL;
}

/* A reference that was not replaced by its target has none here; "#" is the schema itself. */
static struct mcti_json_node *form_reference(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    bool good = mcti_json_node_says(value, "#");
    run->cut |= !good;
    return good ? value : NULL;
}

static struct mcti_json_node *form_dropped(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    (void)run;
    (void)value;
    return NULL;
}

/* Returns the array with the first of equal strings only, and with nothing but strings. */
static struct mcti_json_node *form_names(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '['), *seen = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; value->type == '[' && i < value->n; i++) {
        struct mcti_str name = mcti_json_node_raw(value->v[i].value);
        if (!name.p || mcti_json_tree_get(&run->tree, seen, name))
            continue;
        mcti_json_tree_put(&run->tree, seen, name, value->v[i].value);
        mcti_json_tree_add(&run->tree, to, value->v[i].value);
    }
    return value->type == '[' ? to : NULL;
}

static struct mcti_json_node *form_examples(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    if (value->type == '[')
        return value;
    mcti_json_tree_add(&run->tree, to, value);
    return to;
}

/* ---- types ---- */

/* Returns the type that a word means; NULL if it is unknown ("any"). */
static const char *draft_type(struct mcti_str word)
{
    static const struct {
        const char *word, *type;
    } rows[] = {
        { "string", "\"string\"" },   { "number", "\"number\"" },   { "integer", "\"integer\"" },
        { "boolean", "\"boolean\"" }, { "object", "\"object\"" },   { "array", "\"array\"" },
        { "null", "\"null\"" },       { "str", "\"string\"" },      { "text", "\"string\"" },
        { "date", "\"string\"" },     { "datetime", "\"string\"" }, { "int", "\"integer\"" },
        { "long", "\"integer\"" },    { "float", "\"number\"" },    { "double", "\"number\"" },
        { "bool", "\"boolean\"" },    { "dict", "\"object\"" },     { "map", "\"object\"" },
        { "list", "\"array\"" },      { "tuple", "\"array\"" },     { "none", "\"null\"" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (word.len == strlen(rows[i].word) && !strncasecmp(word.p, rows[i].word, word.len))
            return rows[i].type;
    return NULL;
}

static struct mcti_json_node *form_type(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    if (value->type == '"') {
        const char *type = draft_type(mcti_json_node_raw(value));
        return type ? mcti_json_tree_text(&run->tree, mcti_str_of(type)) : NULL;
    }
    for (unsigned i = 0; value->type == '[' && i < value->n; i++) {
        struct mcti_str word = mcti_json_node_raw(value->v[i].value);
        const char *type = word.p ? draft_type(word) : NULL;
        if (type && !mcti_normal_holds(to, type))
            mcti_json_tree_add(&run->tree, to, mcti_json_tree_text(&run->tree, mcti_str_of(type)));
    }
    return to->n ? to : NULL;
}

/* Returns true if a value of the JSON type `is` may have one of the types; absent types allow all. */
static bool draft_allows(const struct mcti_json_node *types, char is)
{
    static const struct {
        const char *is, *type;
    } rows[] = { { "\"", "\"string\"" }, { "0", "\"number\"" }, { "0", "\"integer\"" }, { "tf", "\"boolean\"" },
                 { "n", "\"null\"" },    { "{", "\"object\"" }, { "[", "\"array\"" } };
    if (!types)
        return true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strchr(rows[i].is, is) &&
            (types->type == '[' ? mcti_normal_holds(types, rows[i].type) : mcti_str_is(types->text, rows[i].type)))
            return true;
    return false;
}

/* Returns the values of an enum without repetitions that the types allow; NULL if none is left. */
static struct mcti_json_node *draft_values(struct mcti_normal_run *run, const struct mcti_json_node *values,
                                           const struct mcti_json_node *types)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '['), *seen = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; mcti_json_node_is(values, '[') && i < values->n; i++) {
        struct mcti_json_node *value = values->v[i].value;
        if (!draft_allows(types, value->type) || (value->text.len && mcti_json_tree_get(&run->tree, seen, value->text)))
            continue;
        if (value->text.len)
            mcti_json_tree_put(&run->tree, seen, value->text, value);
        mcti_json_tree_add(&run->tree, to, value);
    }
    return to->n ? to : NULL;
}

/* OpenAI refuses values that the type does not allow, and empty enums. If no value has the type, the values count. */
static void draft_put_enum(struct mcti_normal_run *run, struct mcti_json_node *to)
{
    struct mcti_json_node *values = NORMAL_GET(run, to, "enum");
    if (!values)
        return;
    struct mcti_json_node *typed = draft_values(run, values, NORMAL_GET(run, to, "type"));
    struct mcti_json_node *any = typed ? NULL : draft_values(run, values, NULL);
    if (any)
        mcti_json_tree_remove(&run->tree, to, MCT_STR("type"));
    if (typed || any)
        NORMAL_PUT(run, to, "enum", typed ? typed : any);
    else
        mcti_json_tree_remove(&run->tree, to, MCT_STR("enum"));
}

/* ---- schemas ---- */

/* Returns {} for true and {"not":{}} for false: some providers accept no booleans as schemas. */
static struct mcti_json_node *form_schema(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    if (value->type == '{')
        return draft_modern(run, value, NULL);
    if (value->type == 'f')
        NORMAL_PUT(run, to, "not", mcti_json_tree_new(&run->tree, '{'));
    return strchr("tf", value->type) ? to : NULL;
}

/* additionalProperties and the like: booleans are the usual form. */
static struct mcti_json_node *form_rest(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    return strchr("tf", value->type) ? value : form_schema(run, value);
}

static struct mcti_json_node *form_schemas(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; value->type == '[' && i < value->n; i++) {
        struct mcti_json_node *schema = form_schema(run, value->v[i].value);
        if (schema)
            mcti_json_tree_add(&run->tree, to, schema);
    }
    return to->n ? to : NULL;
}

static struct mcti_json_node *form_schema_map(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; value->type == '{' && i < value->n; i++) {
        struct mcti_json_node *schema = form_schema(run, value->v[i].value);
        mcti_json_tree_put(&run->tree, to, value->v[i].key, schema ? schema : mcti_json_tree_new(&run->tree, '{'));
    }
    return value->type == '{' ? to : NULL;
}

static struct mcti_json_node *form_properties(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    return value->type == '{' ? form_schema_map(run, value) : mcti_json_tree_new(&run->tree, '{');
}

static struct mcti_json_node *form_name_map(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; value->type == '{' && i < value->n; i++) {
        struct mcti_json_node *names = form_names(run, value->v[i].value);
        if (names)
            mcti_json_tree_put(&run->tree, to, value->v[i].key, names);
    }
    return value->type == '{' ? to : NULL;
}

/* ---- the keywords ---- */

static const struct draft_row {
    struct mcti_str key;
    mcti_draft_form_fn *form;
} draft_rows[] = {
    { MCT_STR("type"), form_type },
    { MCT_STR("title"), form_string },
    { MCT_STR("description"), form_string },
    { MCT_STR("$comment"), form_string },
    { MCT_STR("format"), form_string },
    { MCT_STR("pattern"), form_string },
    { MCT_STR("contentEncoding"), form_string },
    { MCT_STR("contentMediaType"), form_string },
    { MCT_STR("deprecated"), form_boolean },
    { MCT_STR("uniqueItems"), form_boolean },
    { MCT_STR("minimum"), form_number },
    { MCT_STR("maximum"), form_number },
    { MCT_STR("exclusiveMinimum"), form_number },
    { MCT_STR("exclusiveMaximum"), form_number },
    { MCT_STR("multipleOf"), form_positive },
    { MCT_STR("minLength"), form_count },
    { MCT_STR("maxLength"), form_count },
    { MCT_STR("minItems"), form_count },
    { MCT_STR("maxItems"), form_count },
    { MCT_STR("minContains"), form_count },
    { MCT_STR("maxContains"), form_count },
    { MCT_STR("minProperties"), form_count },
    { MCT_STR("maxProperties"), form_count },
    { MCT_STR("required"), form_names },
    { MCT_STR("dependentRequired"), form_name_map },
    { MCT_STR("examples"), form_examples },
    { MCT_STR("properties"), form_properties },
    { MCT_STR("patternProperties"), form_schema_map },
    { MCT_STR("dependentSchemas"), form_schema_map },
    { MCT_STR("additionalProperties"), form_rest },
    { MCT_STR("unevaluatedProperties"), form_rest },
    { MCT_STR("unevaluatedItems"), form_rest },
    { MCT_STR("items"), form_schema },
    { MCT_STR("contains"), form_schema },
    { MCT_STR("propertyNames"), form_schema },
    { MCT_STR("contentSchema"), form_schema },
    { MCT_STR("not"), form_schema },
    { MCT_STR("if"), form_schema },
    { MCT_STR("then"), form_schema },
    { MCT_STR("else"), form_schema },
    { MCT_STR("prefixItems"), form_schemas },
    { MCT_STR("anyOf"), form_schemas },
    { MCT_STR("oneOf"), form_schemas },
    { MCT_STR("allOf"), form_schemas },
    { MCT_STR("$ref"), form_reference },
    /* of a document, an older draft, or without an effect once references are replaced */
    { MCT_STR("$schema"), form_dropped },
    { MCT_STR("$id"), form_dropped },
    { MCT_STR("$anchor"), form_dropped },
    { MCT_STR("$vocabulary"), form_dropped },
    { MCT_STR("$recursiveRef"), form_dropped },
    { MCT_STR("$recursiveAnchor"), form_dropped },
    { MCT_STR("$defs"), form_dropped },
    { MCT_STR("definitions"), form_dropped },
    { MCT_STR("components"), form_dropped },
    { MCT_STR("additionalItems"), form_dropped }, /* draft_put_items() */
    { MCT_STR("dependencies"), form_dropped },    /* draft_put_dependencies() */
};

static struct mcti_json_node *draft_value(struct mcti_normal_run *run, const struct mcti_json_entry *e)
{
    for (size_t i = 0; i < sizeof draft_rows / sizeof *draft_rows; i++)
        if (mcti_str_eq(draft_rows[i].key, e->key))
            return draft_rows[i].form(run, e->value);
    return e->value;
}

/* ---- keywords that older drafts wrote otherwise ---- */

/* Draft 4: exclusiveMinimum is a boolean beside minimum. */
static void draft_put_bound(struct mcti_normal_run *run, struct mcti_json_node *from, struct mcti_json_node *to,
                            const char *exclusive, const char *plain)
{
    struct mcti_json_node *bound = mcti_json_tree_get(&run->tree, to, mcti_str_of(plain));
    if (!bound || !mcti_json_node_is(mcti_json_tree_get(&run->tree, from, mcti_str_of(exclusive)), 't'))
        return;
    mcti_json_tree_remove(&run->tree, to, mcti_str_of(plain));
    mcti_json_tree_put(&run->tree, to, mcti_str_of(exclusive), bound);
}

static void draft_put_max_items(struct mcti_normal_run *run, struct mcti_json_node *to, unsigned n)
{
    struct mcti_json_node *had = NORMAL_GET(run, to, "maxItems");
    char text[16];
    if (had && mcti_json_double(had->text) <= n)
        return;
    snprintf(text, sizeof text, "%u", n);
    NORMAL_PUT(run, to, "maxItems", mcti_json_tree_copy_text(&run->tree, mcti_str_of(text)));
}

/* Until 2019-09, `items` was a list for a tuple, and additionalItems for the others. OpenAI demands that `items` is
 * there and is an object, so `false` becomes maxItems. */
static void draft_put_items(struct mcti_normal_run *run, struct mcti_json_node *from, struct mcti_json_node *to)
{
    struct mcti_json_node *items = NORMAL_GET(run, from, "items"), *rest = items;
    struct mcti_json_node *first = NORMAL_GET(run, to, "prefixItems");
    bool tuple = mcti_json_node_is(items, '[');
    if (tuple && !first && (first = form_schemas(run, items)))
        NORMAL_PUT(run, to, "prefixItems", first);
    if (tuple)
        rest = NORMAL_GET(run, from, "additionalItems");
    if (mcti_json_node_is(rest, 'f'))
        draft_put_max_items(run, to, first ? first->n : 0);
    struct mcti_json_node *types = NORMAL_GET(run, to, "type");
    bool is_array = mcti_json_node_says(types, "array") || mcti_normal_holds(types, "\"array\"");
    if (mcti_json_node_is(rest, '{'))
        NORMAL_PUT(run, to, "items", draft_modern(run, rest, NULL));
    else if ((items && !tuple) || is_array)
        NORMAL_PUT(run, to, "items", mcti_json_tree_new(&run->tree, '{'));
}

/* Until draft 7: dependentRequired and dependentSchemas in one. */
static void draft_put_dependencies(struct mcti_normal_run *run, struct mcti_json_node *from, struct mcti_json_node *to)
{
    struct mcti_json_node *both = NORMAL_GET(run, from, "dependencies");
    struct mcti_json_node *names = mcti_json_tree_new(&run->tree, '{'), *schemas = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; mcti_json_node_is(both, '{') && i < both->n; i++) {
        struct mcti_json_node *list = form_names(run, both->v[i].value);
        struct mcti_json_node *schema = list ? NULL : form_schema(run, both->v[i].value);
        if (list)
            mcti_json_tree_put(&run->tree, names, both->v[i].key, list);
        else if (schema)
            mcti_json_tree_put(&run->tree, schemas, both->v[i].key, schema);
    }
    if (names->n && !NORMAL_GET(run, to, "dependentRequired"))
        NORMAL_PUT(run, to, "dependentRequired", names);
    if (schemas->n && !NORMAL_GET(run, to, "dependentSchemas"))
        NORMAL_PUT(run, to, "dependentSchemas", schemas);
}

/* Draft 3: `required` is a boolean in the schema of the property. */
static void draft_put_required(struct mcti_normal_run *run, struct mcti_json_node *from, struct mcti_json_node *to)
{
    struct mcti_json_node *properties = NORMAL_GET(run, from, "properties"), *had = NORMAL_GET(run, to, "required");
    struct mcti_json_node *names = had ? mcti_json_tree_copy(&run->tree, had) : mcti_json_tree_new(&run->tree, '[');
    unsigned n = names->n;
    for (unsigned i = 0; mcti_json_node_is(properties, '{') && i < properties->n; i++) {
        if (mcti_json_node_is(NORMAL_GET(run, properties->v[i].value, "required"), 't'))
            mcti_json_tree_add(&run->tree, names, mcti_normal_quoted(run, properties->v[i].key));
    }
    if (names->n > n)
        NORMAL_PUT(run, to, "required", form_names(run, names));
}

static struct mcti_json_node *draft_modern(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    (void)at;
    if (node->type != '{')
        return node;
    for (unsigned i = 0; i < node->n; i++) {
        struct mcti_json_node *value = draft_value(run, &node->v[i]);
        if (value)
            mcti_json_tree_put(&run->tree, to, node->v[i].key, value);
    }
    draft_put_bound(run, node, to, "exclusiveMinimum", "minimum");
    draft_put_bound(run, node, to, "exclusiveMaximum", "maximum");
    draft_put_items(run, node, to);
    draft_put_dependencies(run, node, to);
    draft_put_required(run, node, to);
    draft_put_enum(run, to);
    return to;
}

struct mcti_json_node *mcti_normal_modern(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return draft_modern(run, root, NULL);
}
