/* The tables of keywords and dialects. */
#include "schema/value.h"

#define FLAG "tf"
#define SCHEMA "{tf"

const struct mcti_schema_word mcti_schema_words[W_N] = {
    [W_SCHEMA] = { MCT_STR("$schema"), D4, D2020, "\"", NO_SCHEMA, 0, NULL },
    [W_OLD_ID] = { MCT_STR("id"), D4, D4, "\"", NO_SCHEMA, 0, NULL },
    [W_ID] = { MCT_STR("$id"), D6, D2020, "\"", NO_SCHEMA, 0, NULL },
    [W_ANCHOR] = { MCT_STR("$anchor"), D2019, D2020, "\"", NO_SCHEMA, 0, NULL },
    [W_DYNAMIC_ANCHOR] = { MCT_STR("$dynamicAnchor"), D2020, D2020, "\"", NO_SCHEMA, 0, NULL },
    [W_RECURSIVE_ANCHOR] = { MCT_STR("$recursiveAnchor"), D2019, D2019, FLAG, NO_SCHEMA, 0, NULL },
    [W_DEFS] = { MCT_STR("$defs"), D2019, D2020, "{", SCHEMA_MAP, 0, NULL },
    [W_DEFINITIONS] = { MCT_STR("definitions"), D4, D2020, "{", SCHEMA_MAP, 0, NULL },
    [W_TYPE] = { MCT_STR("type"), D4, D2020, "\"[", NO_SCHEMA, 0, mcti_schema_type },
    [W_CONST] = { MCT_STR("const"), D6, D2020, "{[\"0tfn", NO_SCHEMA, 0, mcti_schema_const },
    [W_ENUM] = { MCT_STR("enum"), D4, D2020, "[", NO_SCHEMA, 0, mcti_schema_enum },
    [W_MINIMUM] = { MCT_STR("minimum"), D4, D2020, "0", NO_SCHEMA, '0', mcti_schema_minimum },
    [W_MAXIMUM] = { MCT_STR("maximum"), D4, D2020, "0", NO_SCHEMA, '0', mcti_schema_maximum },
    [W_EXCLUSIVE_MINIMUM] = { MCT_STR("exclusiveMinimum"), D6, D2020, "0", NO_SCHEMA, '0',
                              mcti_schema_exclusive_minimum },
    [W_EXCLUSIVE_MAXIMUM] = { MCT_STR("exclusiveMaximum"), D6, D2020, "0", NO_SCHEMA, '0',
                              mcti_schema_exclusive_maximum },
    [W_OLD_EXCLUSIVE_MINIMUM] = { MCT_STR("exclusiveMinimum"), D4, D4, FLAG, NO_SCHEMA, 0, NULL },
    [W_OLD_EXCLUSIVE_MAXIMUM] = { MCT_STR("exclusiveMaximum"), D4, D4, FLAG, NO_SCHEMA, 0, NULL },
    [W_MULTIPLE_OF] = { MCT_STR("multipleOf"), D4, D2020, "0", NO_SCHEMA, '0', mcti_schema_multiple_of },
    [W_MIN_LENGTH] = { MCT_STR("minLength"), D4, D2020, "#", NO_SCHEMA, '"', mcti_schema_min_length },
    [W_MAX_LENGTH] = { MCT_STR("maxLength"), D4, D2020, "#", NO_SCHEMA, '"', mcti_schema_max_length },
    [W_PATTERN] = { MCT_STR("pattern"), D4, D2020, "\"", NO_SCHEMA, '"', mcti_schema_pattern },
    [W_MIN_ITEMS] = { MCT_STR("minItems"), D4, D2020, "#", NO_SCHEMA, '[', mcti_schema_min_items },
    [W_MAX_ITEMS] = { MCT_STR("maxItems"), D4, D2020, "#", NO_SCHEMA, '[', mcti_schema_max_items },
    [W_MIN_PROPERTIES] = { MCT_STR("minProperties"), D4, D2020, "#", NO_SCHEMA, '{', mcti_schema_min_properties },
    [W_MAX_PROPERTIES] = { MCT_STR("maxProperties"), D4, D2020, "#", NO_SCHEMA, '{', mcti_schema_max_properties },
    [W_REQUIRED] = { MCT_STR("required"), D4, D2020, "[", NO_SCHEMA, '{', mcti_schema_required },
    [W_DEPENDENT_REQUIRED] = { MCT_STR("dependentRequired"), D2019, D2020, "{", NO_SCHEMA, '{',
                               mcti_schema_dependents },
    [W_UNIQUE_ITEMS] = { MCT_STR("uniqueItems"), D4, D2020, FLAG, NO_SCHEMA, '[', mcti_schema_unique_items },
    [W_PROPERTY_NAMES] = { MCT_STR("propertyNames"), D6, D2020, SCHEMA, ONE_SCHEMA, '{', mcti_schema_property_names },
    [W_PROPERTIES] = { MCT_STR("properties"), D4, D2020, "{", SCHEMA_MAP, '{', mcti_schema_members },
    [W_PATTERN_PROPERTIES] = { MCT_STR("patternProperties"), D4, D2020, "{", SCHEMA_MAP, '{', mcti_schema_members },
    [W_ADDITIONAL_PROPERTIES] = { MCT_STR("additionalProperties"), D4, D2020, SCHEMA, ONE_SCHEMA, '{',
                                  mcti_schema_members },
    [W_PREFIX_ITEMS] = { MCT_STR("prefixItems"), D2020, D2020, "[", SCHEMA_LIST, '[', mcti_schema_elements },
    [W_ITEMS] = { MCT_STR("items"), D2020, D2020, SCHEMA, ONE_SCHEMA, '[', mcti_schema_elements },
    [W_OLD_ITEMS] = { MCT_STR("items"), D4, D2019, "[" SCHEMA, ONE_SCHEMA_OR_LIST, '[', mcti_schema_elements },
    [W_ADDITIONAL_ITEMS] = { MCT_STR("additionalItems"), D4, D2019, SCHEMA, ONE_SCHEMA, 0, NULL },
    [W_CONTAINS] = { MCT_STR("contains"), D6, D2020, SCHEMA, ONE_SCHEMA, '[', mcti_schema_contains },
    [W_MIN_CONTAINS] = { MCT_STR("minContains"), D2019, D2020, "#", NO_SCHEMA, 0, NULL },
    [W_MAX_CONTAINS] = { MCT_STR("maxContains"), D2019, D2020, "#", NO_SCHEMA, 0, NULL },
    [W_REF] = { MCT_STR("$ref"), D4, D2020, "\"", NO_SCHEMA, 0, mcti_schema_ref },
    [W_RECURSIVE_REF] = { MCT_STR("$recursiveRef"), D2019, D2019, "\"", NO_SCHEMA, 0, mcti_schema_recursive_ref },
    [W_DYNAMIC_REF] = { MCT_STR("$dynamicRef"), D2020, D2020, "\"", NO_SCHEMA, 0, mcti_schema_dynamic_ref },
    [W_ALL_OF] = { MCT_STR("allOf"), D4, D2020, "[", SCHEMA_LIST, 0, mcti_schema_all_of },
    [W_ANY_OF] = { MCT_STR("anyOf"), D4, D2020, "[", SCHEMA_LIST, 0, mcti_schema_any_of },
    [W_ONE_OF] = { MCT_STR("oneOf"), D4, D2020, "[", SCHEMA_LIST, 0, mcti_schema_one_of },
    [W_NOT] = { MCT_STR("not"), D4, D2020, SCHEMA, ONE_SCHEMA, 0, mcti_schema_not },
    [W_IF] = { MCT_STR("if"), D7, D2020, SCHEMA, ONE_SCHEMA, 0, mcti_schema_if },
    [W_THEN] = { MCT_STR("then"), D7, D2020, SCHEMA, ONE_SCHEMA, 0, NULL },
    [W_ELSE] = { MCT_STR("else"), D7, D2020, SCHEMA, ONE_SCHEMA, 0, NULL },
    [W_DEPENDENT_SCHEMAS] = { MCT_STR("dependentSchemas"), D2019, D2020, "{", SCHEMA_MAP, '{', mcti_schema_dependents },
    [W_DEPENDENCIES] = { MCT_STR("dependencies"), D4, D2020, "{", SCHEMA_MAP, '{', mcti_schema_dependents },
    [W_UNEVALUATED_ITEMS] = { MCT_STR("unevaluatedItems"), D2019, D2020, SCHEMA, ONE_SCHEMA, '[',
                              mcti_schema_unevaluated_items },
    [W_UNEVALUATED_PROPERTIES] = { MCT_STR("unevaluatedProperties"), D2019, D2020, SCHEMA, ONE_SCHEMA, '{',
                                   mcti_schema_unevaluated_members },
};

/* Returns W_N if the dialect does not have the keyword. */
static size_t find_word(struct mcti_str name, enum mcti_schema_dialect dialect)
{
    for (size_t i = 0; i < W_N; i++) {
        const struct mcti_schema_word *w = &mcti_schema_words[i];
        if (w->name.len == name.len && mcti_str_eq(w->name, name) && w->from <= dialect && dialect <= w->to)
            return i;
    }
    return W_N;
}

static bool has_form(const char *form, struct mcti_str arg)
{
    char type = mcti_json_type(arg);
    if (*form == '#')
        return type == '0' && mcti_schema_number_whole(arg) && mcti_schema_number_sign(arg) >= 0;
    return strchr(form, type) != NULL;
}

bool mcti_schema_collect(struct mcti_schema_run *run, struct mcti_str schema, enum mcti_schema_dialect dialect,
                         struct mcti_str word[W_N])
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(schema); mcti_schema_next_member(run, &it, &m);) {
        size_t i = find_word(mcti_schema_text(run, &run->text, m.key), dialect);
        if (i == W_N)
            continue;
        if (!has_form(mcti_schema_words[i].form, m.value))
            return mcti_schema_stop(run, "the schema's \"%.*s\" cannot be %.*s%s", MCT_STR_ARG(m.key),
                                    MCT_SCHEMA_SHOW(m.value));
        word[i] = m.value;
    }
    return !run->stopped;
}

/* ---- dialects ---- */

static const struct {
    struct mcti_str uri; /* without scheme and fragment */
    enum mcti_schema_dialect dialect;
} dialects[] = {
    { MCT_STR("//json-schema.org/draft/2020-12/schema"), D2020 },
    { MCT_STR("//json-schema.org/draft/2019-09/schema"), D2019 },
    { MCT_STR("//json-schema.org/draft-07/schema"), D7 },
    { MCT_STR("//json-schema.org/draft-06/schema"), D6 },
    { MCT_STR("//json-schema.org/draft-04/schema"), D4 },
};

/* Removes the scheme and an empty fragment; returns an empty span if it is not an HTTP URI. */
static struct mcti_str word_bare(struct mcti_str uri)
{
    struct mcti_str rest = MCT_STR_NONE;
    if (mcti_str_starts(uri, MCT_STR("http:")) || mcti_str_starts(uri, MCT_STR("https:")))
        mcti_str_split(&uri, ':', &rest);
    else
        return MCT_STR("");
    if (uri.len && uri.p[uri.len - 1] == '#')
        uri.len--;
    return uri;
}

enum mcti_schema_dialect mcti_schema_dialect_of(struct mcti_schema_run *run, struct mcti_str schema,
                                                enum mcti_schema_dialect otherwise)
{
    struct mcti_str said = mcti_json_get(schema, "$schema");
    if (!said.p)
        return otherwise;
    struct mcti_str uri = MCT_STR("");
    if (mcti_json_type(said) == '"')
        uri = word_bare(mcti_schema_text(run, &run->text, mcti_schema_raw(said)));
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (mcti_str_eq(uri, dialects[i].uri))
            return dialects[i].dialect;
    mcti_schema_stop(run, "unknown schema dialect: %.*s%s", MCT_SCHEMA_SHOW(said));
    return otherwise;
}
