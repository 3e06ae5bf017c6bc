/*
 * What the files of the schema validator share; not for others. One check is one run. It walks the
 * schema once for the names in it (index.c) and then applies schemas to values: every
 * application is a frame on the stack, frames linked to the one that caused them.
 *
 * Checks return whether the value matches. What cannot be decided stops the run: mcti_schema_stop() notes
 * why, and from then on every answer is false and means nothing.
 */
#ifndef MCT_SCHEMA_IMPL_H
#define MCT_SCHEMA_IMPL_H

#include "json/scan.h"
#include "schema/schema.h"

enum {
    MCT_SCHEMA_DEPTH = 512,              /* schemas applied inside each other: some 2 KiB of stack each */
    MCT_SCHEMA_VALUE_DEPTH = 1024,       /* nesting of values that are compared */
    MCT_SCHEMA_WORK = 64 << 20,          /* units; one is about 16 bytes looked at, or 10 ns */
    MCT_SCHEMA_NAMES = 16384,            /* identified resources, and as many anchors */
    MCT_SCHEMA_SCRATCH_BYTES = 64 << 20, /* one string without escapes */
    MCT_SCHEMA_NOTES_BYTES = 16 << 20,   /* all base URIs; all marks at one time */
    MCT_SCHEMA_REF_SLOTS = 64,
    MCT_SCHEMA_PATTERN_SLOTS = 64,
};

enum mcti_schema_dialect { D4, D6, D7, D2019, D2020 };

/* The keywords, in the order in which they are checked: cheap ones first; what says which children are
 * evaluated stands before what asks for it. */
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
    W_OVER,
    W_UNDER,
    W_IS_OVER,
    W_IS_UNDER,
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

/* Where a value stands in the whole, for faults. */
struct mcti_schema_place {
    const struct mcti_schema_place *up; /* NULL: this is the root */
    struct mcti_str key;                /* raw; absent: an item */
    size_t index;
};

/* A part of the document with a base URI of its own; the first is the whole document. */
struct mcti_schema_resource {
    struct mcti_str schema;
    size_t up;           /* the one around it */
    size_t uri, uri_len; /* in run->uris: without fragment, empty when it has no name */
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
    const struct mcti_schema_frame *up; /* the one that caused it: the dynamic scope */
    size_t resource;
    enum mcti_schema_dialect dialect;
    struct mcti_str value;
    bool tracks;               /* somebody asks which children have been evaluated */
    size_t marks, n_marks;     /* one byte a child, in run->marks */
    struct mcti_str word[W_N]; /* the keywords the schema has */
};

struct mcti_schema_ref_slot {
    const char *ref; /* the reference, by its place in the document */
    struct mcti_str target;
    size_t dynamic; /* 1 + the anchor, when it is a dynamic one */
};

struct mcti_schema_pattern_slot {
    const char *pattern; /* by its place in the document */
    void *code;
    bool anchored;
};

struct mcti_schema_run {
    struct mcti_schema_fault *fault; /* NULL: not wanted */
    const struct mcti_schema_place *at;
    const struct mcti_schema_frame *frame;
    size_t work; /* units left */
    int depth;
    int quiet; /* above 0: an alternative is tried, its faults are nobody's */
    bool stopped;
    struct mcti_buf text, other; /* scratch: strings without escapes */
    struct mcti_buf marks;
    struct mcti_buf resources, anchors, uris; /* arrays of the structs above; text */
    struct mcti_schema_ref_slot ref[MCT_SCHEMA_REF_SLOTS];
    struct mcti_schema_pattern_slot pattern[MCT_SCHEMA_PATTERN_SLOTS];
    void *match_data, *match_context;
};

/* ---- schema.c ---- */

/* Applies a schema to a child of the frame's value, or to the value itself. */
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

/* Both return false: the value does not match; the schema cannot be applied. */
bool mcti_schema_say(struct mcti_schema_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool mcti_schema_stop(struct mcti_schema_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether a buffer has got all that was put into it; else stops the run. */
bool mcti_schema_whole(struct mcti_schema_run *run, const struct mcti_buf *b);

/* Pays for work; false when the run is stopped, maybe by this. */
bool mcti_schema_spend(struct mcti_schema_run *run, size_t units);
static inline bool mcti_schema_spend_bytes(struct mcti_schema_run *run, size_t bytes)
{
    return mcti_schema_spend(run, bytes / 16 + 1);
}

/* For "%.*s" in messages: as much of a span as a person wants to read, and the dots behind it. */
struct mcti_schema_show {
    struct mcti_str text;
    const char *dots;
};
struct mcti_schema_show mcti_schema_show(struct mcti_str s);
#define MCT_SCHEMA_SHOW(s) (int)mcti_schema_show(s).text.len, mcti_schema_show(s).text.p, mcti_schema_show(s).dots

/* Strings are named by what is between their quotes, as members are ("raw"). The text of one, in
 * `scratch` when it has escapes. */
struct mcti_str mcti_schema_text(struct mcti_schema_run *run, struct mcti_buf *scratch, struct mcti_str raw);
bool mcti_schema_same_text(struct mcti_schema_run *run, struct mcti_str raw_a, struct mcti_str raw_b);
static inline struct mcti_str mcti_schema_raw(struct mcti_str string)
{
    return (struct mcti_str){ string.p + 1, string.len - 2 };
}

/* The member with that name. The search starts at *from, goes round, and leaves *from behind what it
 * found: members mostly stand in the same order on both sides, and then each search is one step. */
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

/* How schemas stand in a keyword's argument. */
enum mcti_schema_inside { NO_SCHEMA, ONE_SCHEMA, SCHEMA_LIST, ONE_SCHEMA_OR_LIST, SCHEMA_MAP };

struct mcti_schema_word {
    struct mcti_str name;
    enum mcti_schema_dialect from, to;
    const char *form; /* the types its argument may have, '#' for a count */
    enum mcti_schema_inside inside;
    char on;                    /* the type of value it is about, 0: any */
    mcti_schema_word_fn *check; /* NULL: others read it */
};

extern const struct mcti_schema_word mcti_schema_words[W_N];

/* Notes the keywords of a schema object that the dialect knows. */
bool mcti_schema_collect(struct mcti_schema_run *run, struct mcti_str schema, enum mcti_schema_dialect dialect,
                         struct mcti_str word[W_N]);

/* What $schema says, `otherwise` when there is none. */
enum mcti_schema_dialect mcti_schema_dialect_of(struct mcti_schema_run *run, struct mcti_str schema,
                                                enum mcti_schema_dialect otherwise);

/* ---- index.c, ref.c, uri.c ---- */

/* Notes every resource and anchor of the document. */
bool mcti_schema_index(struct mcti_schema_run *run, struct mcti_str document);

const struct mcti_schema_resource *mcti_schema_resource(const struct mcti_schema_run *run, size_t i);
/* The innermost resource around a place in the document. */
size_t mcti_schema_resource_at(const struct mcti_schema_run *run, const char *p);
struct mcti_str mcti_schema_resource_uri(const struct mcti_schema_run *run, size_t i);

/* Appends the reference resolved against the base (RFC 3986 section 5.2.2); both without fragment. */
void mcti_schema_uri_resolve(struct mcti_buf *to, struct mcti_str base, struct mcti_str ref);

/* ---- equal.c ---- */

/* Equality of JSON values: numbers by value, objects without order, strings without escapes. */
bool mcti_schema_equal(struct mcti_schema_run *run, struct mcti_str a, struct mcti_str b);
/* Equal values have equal hashes; a peer cannot aim at equal hashes of different values (base/hash.h). */
uint64_t mcti_schema_hash(struct mcti_schema_run *run, struct mcti_str value);

/* ---- number.c ---- */

/* <0, 0, >0 for two numbers, exactly. */
int mcti_schema_number_cmp(struct mcti_str a, struct mcti_str b);
bool mcti_schema_number_whole(struct mcti_str n);
int mcti_schema_number_sign(struct mcti_str n);
uint64_t mcti_schema_number_hash(uint64_t seed, struct mcti_str n);
/* 1: a is a multiple of b, which is above 0; 0: it is not; -1: b has too many digits to tell. */
int mcti_schema_number_multiple(struct mcti_str a, struct mcti_str b);

/* ---- pattern.c, ecma.c ---- */

/* Whether the text matches the pattern, a string of the schema without its quotes. */
bool mcti_schema_match(struct mcti_schema_run *run, struct mcti_str raw_pattern, struct mcti_str text);
void mcti_schema_patterns_done(struct mcti_schema_run *run);

/* Appends an ECMA-262 pattern in PCRE2's words. */
void mcti_schema_ecma(struct mcti_buf *to, struct mcti_str pattern);

/* ---- the keywords ---- */

/* value.c */
mcti_schema_word_fn mcti_schema_type, mcti_schema_const, mcti_schema_enum, mcti_schema_minimum, mcti_schema_maximum,
    mcti_schema_over, mcti_schema_under, mcti_schema_multiple_of, mcti_schema_min_length, mcti_schema_max_length,
    mcti_schema_pattern;
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

/* Whether `n` is within the argument of a keyword that counts, in the value's number syntax. */
bool mcti_schema_at_least(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what);
bool mcti_schema_at_most(struct mcti_schema_run *run, size_t n, struct mcti_str arg, const char *what);

/* How many children an object or array has. */
size_t mcti_schema_count(struct mcti_schema_run *run, struct mcti_str value);

#endif
