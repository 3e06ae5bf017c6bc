/*
 * Internals of the schema validator, for the files of schema/ only. A check is one run: it collects the names in the
 * schema (index.c) and then applies schemas to values. Each application is a frame on the stack, linked to the frame
 * that caused it.
 *
 * Checks return true if the value matches. A check that cannot be decided stops the run: mcti_schema_stop() records the
 * reason, and every later result is false and meaningless.
 */
#ifndef MCT_SCHEMA_IMPL_H
#define MCT_SCHEMA_IMPL_H

#include "json/scan.h"
#include "schema/schema.h"

enum {
    MCT_SCHEMA_DEPTH = 512,              /* nested schemas: about 2 KiB of stack each */
    MCT_SCHEMA_VALUE_DEPTH = 1024,       /* nesting of compared values */
    MCT_SCHEMA_WORK = 64 << 20,          /* units of about 16 bytes read, or 10 ns */
    MCT_SCHEMA_NAMES = 16384,            /* limit of the resources with an identifier, and of the anchors */
    MCT_SCHEMA_SCRATCH_BYTES = 64 << 20, /* one unescaped string */
    MCT_SCHEMA_NOTES_BYTES = 16 << 20,   /* limit of all base URIs, and of all marks that exist at a time */
    MCT_SCHEMA_REF_SLOTS = 64,
    MCT_SCHEMA_PATTERN_SLOTS = 64,
};

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

/* Position of a value in the whole, for faults. */
struct mcti_schema_place {
    const struct mcti_schema_place *up; /* NULL: this is the root */
    struct mcti_str key;                /* raw; absent: an array item */
    size_t index;
};

/* Part of the document with a base URI of its own; the first one is the whole document. */
struct mcti_schema_resource {
    struct mcti_str schema;
    size_t up;           /* number of the enclosing resource */
    size_t uri, uri_len; /* in run->uris: without fragment, empty if it has no name */
    enum mcti_schema_dialect dialect;
    bool recursive; /* $recursiveAnchor */
};

struct mcti_schema_anchor {
    size_t resource;
    struct mcti_str name; /* raw */
    struct mcti_str schema;
    bool dynamic;
};

/* A schema being applied to a value. */
struct mcti_schema_frame {
    const struct mcti_schema_frame *up; /* the frame that caused it (dynamic scope) */
    size_t resource;
    enum mcti_schema_dialect dialect;
    struct mcti_str value;
    bool tracks;               /* evaluated children are recorded */
    size_t marks, n_marks;     /* one byte per child, in run->marks */
    struct mcti_str word[W_N]; /* arguments of the schema's keywords */
};

struct mcti_schema_ref_slot {
    const char *ref; /* the reference, identified by its address in the document */
    struct mcti_str target;
    size_t dynamic; /* 1 + number of the anchor if it is dynamic */
};

struct mcti_schema_pattern_slot {
    const char *pattern; /* identified by its address in the document */
    void *code;
    bool anchored;
};

struct mcti_schema_run {
    struct mcti_schema_fault *fault; /* NULL: not needed */
    const struct mcti_schema_place *at;
    const struct mcti_schema_frame *frame;
    size_t work; /* units left */
    int depth;
    int quiet; /* above 0: faults are not reported, because an alternative is being tried */
    bool stopped;
    struct mcti_buf text, other; /* scratch buffers for unescaped strings */
    struct mcti_buf marks;
    struct mcti_buf resources, anchors, uris; /* arrays of the structs above; text */
    struct mcti_schema_ref_slot ref[MCT_SCHEMA_REF_SLOTS];
    struct mcti_schema_pattern_slot pattern[MCT_SCHEMA_PATTERN_SLOTS];
    void *match_data, *match_context;
};

/* ---- schema.c ---- */

/* Apply a schema to a child of the frame's value, or to the value itself. */
bool mcti_schema_apply(struct mcti_schema_run *run, struct mcti_str schema, struct mcti_str value,
                       const struct mcti_schema_place *at);
bool mcti_schema_apply_here(struct mcti_schema_run *run, struct mcti_schema_frame *f, struct mcti_str schema);

static inline void mcti_schema_mark(struct mcti_schema_run *run, const struct mcti_schema_frame *f, size_t i)
{
    if (f->tracks && !run->stopped)
        run->marks.p[f->marks + i] = 1;
}

/* ---- run.c ---- */

void mcti_schema_run_init(struct mcti_schema_run *run, struct mcti_schema_fault *fault);
void mcti_schema_run_done(struct mcti_schema_run *run);

/* Both return false: mcti_schema_mismatch() if the value does not match, mcti_schema_stop() if the schema cannot be
 * applied. */
bool mcti_schema_mismatch(struct mcti_schema_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool mcti_schema_stop(struct mcti_schema_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns true if nothing was lost in a buffer; otherwise stops the run. */
bool mcti_schema_whole(struct mcti_schema_run *run, const struct mcti_buf *b);

/* Charges work. Returns false if the run is stopped, possibly by this charge. */
bool mcti_schema_spend(struct mcti_schema_run *run, size_t units);
static inline bool mcti_schema_spend_bytes(struct mcti_schema_run *run, size_t bytes)
{
    return mcti_schema_spend(run, bytes / 16 + 1);
}

/* A span shortened for messages with "%.*s%s"; `dots` are its ellipsis. */
struct mcti_schema_show {
    struct mcti_str text;
    const char *dots;
};
struct mcti_schema_show mcti_schema_show(struct mcti_str s);
#define MCT_SCHEMA_SHOW(s) (int)mcti_schema_show(s).text.len, mcti_schema_show(s).text.p, mcti_schema_show(s).dots

/* Strings are passed without their quotes, like member names ("raw"). Returns the text of one, in `scratch` if it has
 * escapes. */
struct mcti_str mcti_schema_text(struct mcti_schema_run *run, struct mcti_buf *scratch, struct mcti_str raw);
bool mcti_schema_same_text(struct mcti_schema_run *run, struct mcti_str raw_a, struct mcti_str raw_b);
static inline struct mcti_str mcti_schema_raw(struct mcti_str string)
{
    return (struct mcti_str){ string.p + 1, string.len - 2 };
}

/* Finds the member with that name. The search starts at *from, wraps around, and leaves *from behind the member found:
 * members mostly have the same order on both sides, so that each search takes one step. */
bool mcti_schema_find(struct mcti_schema_run *run, struct mcti_str object, struct mcti_json_iter *from,
                      struct mcti_str raw_name, struct mcti_str *ret_value);

static inline bool mcti_schema_next(struct mcti_schema_run *run, struct mcti_json_iter *it, struct mcti_str *ret)
{
    return !run->stopped && mcti_json_next_item(it, ret);
}

static inline bool mcti_schema_next_member(struct mcti_schema_run *run, struct mcti_json_iter *it,
                                           struct mcti_json_member *ret)
{
    return !run->stopped && mcti_json_next_member(it, ret);
}

/* ---- word.c ---- */

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

/* ---- index.c, ref.c, uri.c ---- */

/* Collects all resources and anchors of the document. */
bool mcti_schema_index(struct mcti_schema_run *run, struct mcti_str document);

const struct mcti_schema_resource *mcti_schema_resource(const struct mcti_schema_run *run, size_t i);
/* Returns the innermost resource around a position in the document. */
size_t mcti_schema_resource_at(const struct mcti_schema_run *run, const char *p);
struct mcti_str mcti_schema_resource_uri(const struct mcti_schema_run *run, size_t i);

/* Appends `ref` resolved against `base` (RFC 3986 section 5.2.2); both have no fragment. */
void mcti_schema_uri_resolve(struct mcti_buf *to, struct mcti_str base, struct mcti_str ref);

/* ---- equal.c ---- */

/* Compares JSON values: numbers by value, objects regardless of order, strings unescaped. */
bool mcti_schema_equal(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b);
/* Returns a hash that is equal for equal values; peers cannot construct collisions (base/hash.h). */
uint64_t mcti_schema_hash(struct mcti_schema_run *run, struct mcti_str value);

/* ---- number.c ---- */

/* Compares two numbers exactly; returns <0, 0 or >0. */
int mcti_schema_number_cmp(struct mcti_str a, struct mcti_str b);
bool mcti_schema_number_whole(struct mcti_str n);
int mcti_schema_number_sign(struct mcti_str n);
uint64_t mcti_schema_number_hash(uint64_t seed, struct mcti_str n);
/* Returns 1 if `a` is a multiple of `b`, which is above 0; 0 if not; -1 if `b` has too many digits. */
int mcti_schema_number_multiple(struct mcti_str a, struct mcti_str b);

/* ---- pattern.c, ecma.c ---- */

/* Returns true if the text matches the pattern, a string of the schema without its quotes. */
bool mcti_schema_match(struct mcti_schema_run *run, struct mcti_str raw_pattern, struct mcti_str text);
void mcti_schema_patterns_done(struct mcti_schema_run *run);

/* Appends an ECMA-262 pattern in PCRE2 syntax. */
void mcti_schema_ecma(struct mcti_buf *to, struct mcti_str pattern);

/* ---- keywords ---- */

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

/* Compare `n` with the argument of a counting keyword; `what` names the counted things in the message. */
bool mcti_schema_at_least(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what);
bool mcti_schema_at_most(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what);

/* Returns the number of children of an object or array. */
size_t mcti_schema_count(struct mcti_schema_run *run, struct mcti_str value);

#endif
