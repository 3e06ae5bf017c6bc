/* The table of keywords: names, dialects, allowed arguments, and the function that checks each. For schema/ only. */
#ifndef MCT_SCHEMA_WORD_H
#define MCT_SCHEMA_WORD_H

#include "base/str.h"

struct mcti_schema_frame;
struct mcti_schema_run;

enum mcti_schema_dialect { D4, D6, D7, D2019, D2020 };

/* Keywords in the order of their checks: cheap ones first; those that evaluate children before those that depend on it.
 */
enum mcti_schema_word_id {
    W_SCHEMA,
    W_OLD_ID,
    W_ID,
    W_ANCHOR,
    W_DYNAMIC_ANCHOR,
    W_RECURSIVE_ANCHOR,
    W_DEFS,
    W_DEFINITIONS,
    W_TYPE,
    W_CONST,
    W_ENUM,
    W_MINIMUM,
    W_MAXIMUM,
    W_EXCLUSIVE_MINIMUM,
    W_EXCLUSIVE_MAXIMUM,
    W_OLD_EXCLUSIVE_MINIMUM,
    W_OLD_EXCLUSIVE_MAXIMUM,
    W_MULTIPLE_OF,
    W_MIN_LENGTH,
    W_MAX_LENGTH,
    W_PATTERN,
    W_MIN_ITEMS,
    W_MAX_ITEMS,
    W_MIN_PROPERTIES,
    W_MAX_PROPERTIES,
    W_REQUIRED,
    W_DEPENDENT_REQUIRED,
    W_UNIQUE_ITEMS,
    W_PROPERTY_NAMES,
    W_PROPERTIES,
    W_PATTERN_PROPERTIES,
    W_ADDITIONAL_PROPERTIES,
    W_PREFIX_ITEMS,
    W_ITEMS,
    W_OLD_ITEMS,
    W_ADDITIONAL_ITEMS,
    W_CONTAINS,
    W_MIN_CONTAINS,
    W_MAX_CONTAINS,
    W_REF,
    W_RECURSIVE_REF,
    W_DYNAMIC_REF,
    W_ALL_OF,
    W_ANY_OF,
    W_ONE_OF,
    W_NOT,
    W_IF,
    W_THEN,
    W_ELSE,
    W_DEPENDENT_SCHEMAS,
    W_DEPENDENCIES,
    W_UNEVALUATED_ITEMS,
    W_UNEVALUATED_PROPERTIES,
    W_N
};

typedef bool mcti_schema_word_fn(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str arg);

/* Schemas in a keyword's argument. */
enum mcti_schema_inside { NO_SCHEMA, ONE_SCHEMA, SCHEMA_LIST, ONE_SCHEMA_OR_LIST, SCHEMA_MAP };

struct mcti_schema_word {
    struct mcti_str name;
    enum mcti_schema_dialect from, to;
    const char *form; /* allowed types of its argument, '#' for a count */
    enum mcti_schema_inside inside;
    char on;                    /* type of value it applies to; 0: any */
    mcti_schema_word_fn *check; /* NULL: evaluated by other keywords */
};

extern const struct mcti_schema_word mcti_schema_words[W_N];

/* Collects the keywords of a schema object that the dialect has. */
bool mcti_schema_collect(struct mcti_schema_run *run, struct mcti_str schema, enum mcti_schema_dialect dialect,
                         struct mcti_str word[W_N]);

/* Returns the dialect named by $schema, or `otherwise` if there is none. */
enum mcti_schema_dialect mcti_schema_dialect_of(struct mcti_schema_run *run, struct mcti_str schema,
                                                enum mcti_schema_dialect otherwise);

/* value.c */
mcti_schema_word_fn mcti_schema_type, mcti_schema_const, mcti_schema_enum, mcti_schema_minimum, mcti_schema_maximum,
    mcti_schema_exclusive_minimum, mcti_schema_exclusive_maximum, mcti_schema_multiple_of, mcti_schema_min_length,
    mcti_schema_max_length, mcti_schema_pattern;
/* object.c */
mcti_schema_word_fn mcti_schema_min_properties, mcti_schema_max_properties, mcti_schema_required,
    mcti_schema_dependents, mcti_schema_property_names, mcti_schema_members, mcti_schema_unevaluated_members;
/* array.c */
mcti_schema_word_fn mcti_schema_min_items, mcti_schema_max_items, mcti_schema_unique_items, mcti_schema_elements,
    mcti_schema_contains, mcti_schema_unevaluated_items;
/* schema.c */
mcti_schema_word_fn mcti_schema_all_of, mcti_schema_any_of, mcti_schema_one_of, mcti_schema_not, mcti_schema_if;
/* ref.c */
mcti_schema_word_fn mcti_schema_ref, mcti_schema_recursive_ref, mcti_schema_dynamic_ref;

#endif
