/*
 * What the files of the schema validator share; not for others. One check is one run. It walks the
 * schema once for the names in it (index.c) and then applies schemas to values: every
 * application is a frame on the stack, frames linked to the one that caused them.
 *
 * Checks return whether the value matches. What cannot be decided stops the run: mct_schema_stop() notes
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

enum mct_schema_dialect { D4, D6, D7, D2019, D2020 };

/* The keywords, in the order in which they are checked: cheap ones first; what says which children are
 * evaluated stands before what asks for it. */
enum mct_schema_word_id {
    W_SCHEMA, W_OLD_ID, W_ID, W_ANCHOR, W_DYNAMIC_ANCHOR, W_RECURSIVE_ANCHOR, W_DEFS, W_DEFINITIONS,
    W_TYPE, W_CONST, W_ENUM,
    W_MINIMUM, W_MAXIMUM, W_OVER, W_UNDER, W_IS_OVER, W_IS_UNDER, W_MULTIPLE_OF,
    W_MIN_LENGTH, W_MAX_LENGTH, W_PATTERN,
    W_MIN_ITEMS, W_MAX_ITEMS, W_MIN_PROPERTIES, W_MAX_PROPERTIES, W_REQUIRED,
    W_DEPENDENT_REQUIRED, W_UNIQUE_ITEMS, W_PROPERTY_NAMES,
    W_PROPERTIES, W_PATTERN_PROPERTIES, W_ADDITIONAL_PROPERTIES,
    W_PREFIX_ITEMS, W_ITEMS, W_OLD_ITEMS, W_ADDITIONAL_ITEMS,
    W_CONTAINS, W_MIN_CONTAINS, W_MAX_CONTAINS,
    W_REF, W_RECURSIVE_REF, W_DYNAMIC_REF, W_ALL_OF, W_ANY_OF, W_ONE_OF, W_NOT, W_IF, W_THEN, W_ELSE,
    W_DEPENDENT_SCHEMAS, W_DEPENDENCIES, W_UNEVALUATED_ITEMS, W_UNEVALUATED_PROPERTIES,
    W_N
};

/* Where a value stands in the whole, for faults. */
struct mct_schema_place {
    const struct mct_schema_place *up; /* NULL: this is the root */
    struct mct_str key;                /* raw; absent: an item */
    size_t index;
};

/* A part of the document with a base URI of its own; the first is the whole document. */
struct mct_schema_resource {
    struct mct_str schema;
    size_t up; /* the one around it */
    size_t uri, uri_len; /* in run->uris: without fragment, empty when it has no name */
    enum mct_schema_dialect dialect;
    bool recursive; /* $recursiveAnchor */
};

struct mct_schema_anchor {
    size_t resource;
    struct mct_str name; /* raw */
    struct mct_str schema;
    bool dynamic;
};

/* A schema being applied to a value. */
struct mct_schema_frame {
    const struct mct_schema_frame *up; /* the one that caused it: the dynamic scope */
    size_t resource;
    enum mct_schema_dialect dialect;
    struct mct_str value;
    bool tracks;            /* somebody asks which children have been evaluated */
    size_t marks, n_marks;  /* one byte a child, in run->marks */
    struct mct_str word[W_N]; /* the keywords the schema has */
};

struct mct_schema_ref_slot {
    const char *ref; /* the reference, by its place in the document */
    struct mct_str target;
    size_t dynamic; /* 1 + the anchor, when it is a dynamic one */
};

struct mct_schema_pattern_slot {
    const char *pattern; /* by its place in the document */
    void *code;
    bool anchored;
};

struct mct_schema_run {
    struct mct_schema_fault *fault; /* NULL: not wanted */
    const struct mct_schema_place *at;
    const struct mct_schema_frame *frame;
    size_t work; /* units left */
    int depth;
    int quiet; /* above 0: an alternative is tried, its faults are nobody's */
    bool stopped;
    struct mct_buf text, other; /* scratch: strings without escapes */
    struct mct_buf marks;
    struct mct_buf resources, anchors, uris; /* arrays of the structs above; text */
    struct mct_schema_ref_slot ref[MCT_SCHEMA_REF_SLOTS];
    struct mct_schema_pattern_slot pattern[MCT_SCHEMA_PATTERN_SLOTS];
    void *match_data, *match_context;
};

/* ---- schema.c ---- */

/* Applies a schema to a child of the frame's value, or to the value itself. */
bool mct_schema_apply(struct mct_schema_run *run, struct mct_str schema, struct mct_str value,
                      const struct mct_schema_place *at);
bool mct_schema_apply_here(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str schema);

static inline void mct_schema_mark(struct mct_schema_run *run, const struct mct_schema_frame *f, size_t i)
{
    if (f->tracks && !run->stopped)
        run->marks.p[f->marks + i] = 1;
}

/* ---- run.c ---- */

void mct_schema_run_init(struct mct_schema_run *run, struct mct_schema_fault *fault);
void mct_schema_run_done(struct mct_schema_run *run);

/* Both return false: the value does not match; the schema cannot be applied. */
bool mct_schema_say(struct mct_schema_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool mct_schema_stop(struct mct_schema_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Whether a buffer has got all that was put into it; else stops the run. */
bool mct_schema_whole(struct mct_schema_run *run, const struct mct_buf *b);

/* Pays for work; false when the run is stopped, maybe by this. */
bool mct_schema_spend(struct mct_schema_run *run, size_t units);
static inline bool mct_schema_spend_bytes(struct mct_schema_run *run, size_t bytes)
{
    return mct_schema_spend(run, bytes / 16 + 1);
}

/* For "%.*s" in messages: as much of a span as a person wants to read, and the dots behind it. */
struct mct_schema_show {
    struct mct_str text;
    const char *dots;
};
struct mct_schema_show mct_schema_show(struct mct_str s);
#define MCT_SCHEMA_SHOW(s)                                                                         \
    (int)mct_schema_show(s).text.len, mct_schema_show(s).text.p, mct_schema_show(s).dots

/* Strings are named by what is between their quotes, as members are ("raw"). The text of one, in
 * `scratch` when it has escapes. */
struct mct_str mct_schema_text(struct mct_schema_run *run, struct mct_buf *scratch, struct mct_str raw);
bool mct_schema_same_text(struct mct_schema_run *run, struct mct_str raw_a, struct mct_str raw_b);
static inline struct mct_str mct_schema_raw(struct mct_str string)
{
    return (struct mct_str){ string.p + 1, string.len - 2 };
}

/* The member with that name. The search starts at *from, goes round, and leaves *from behind what it
 * found: members mostly stand in the same order on both sides, and then each search is one step. */
bool mct_schema_find(struct mct_schema_run *run, struct mct_str object, struct mct_json_iter *from,
                     struct mct_str raw_name, struct mct_str *ret_value);

static inline bool mct_schema_next(struct mct_schema_run *run, struct mct_json_iter *it, struct mct_str *ret)
{
    return !run->stopped && mct_json_next_item(it, ret);
}

static inline bool mct_schema_next_member(struct mct_schema_run *run, struct mct_json_iter *it,
                                          struct mct_json_member *ret)
{
    return !run->stopped && mct_json_next_member(it, ret);
}

/* ---- word.c ---- */

typedef bool mct_schema_word_fn(struct mct_schema_run *run, struct mct_schema_frame *f, struct mct_str arg);

/* How schemas stand in a keyword's argument. */
enum mct_schema_inside { NO_SCHEMA, ONE_SCHEMA, SCHEMA_LIST, ONE_SCHEMA_OR_LIST, SCHEMA_MAP };

struct mct_schema_word {
    struct mct_str name;
    enum mct_schema_dialect from, to;
    const char *form; /* the types its argument may have, '#' for a count */
    enum mct_schema_inside inside;
    char on;                /* the type of value it is about, 0: any */
    mct_schema_word_fn *check; /* NULL: others read it */
};

extern const struct mct_schema_word mct_schema_words[W_N];

/* Notes the keywords of a schema object that the dialect knows. */
bool mct_schema_collect(struct mct_schema_run *run, struct mct_str schema, enum mct_schema_dialect dialect,
                        struct mct_str word[W_N]);

/* What $schema says, `otherwise` when there is none. */
enum mct_schema_dialect mct_schema_dialect_of(struct mct_schema_run *run, struct mct_str schema,
                                              enum mct_schema_dialect otherwise);

/* ---- index.c, ref.c, uri.c ---- */

/* Notes every resource and anchor of the document. */
bool mct_schema_index(struct mct_schema_run *run, struct mct_str document);

const struct mct_schema_resource *mct_schema_resource(const struct mct_schema_run *run, size_t i);
/* The innermost resource around a place in the document. */
size_t mct_schema_resource_at(const struct mct_schema_run *run, const char *p);
struct mct_str mct_schema_resource_uri(const struct mct_schema_run *run, size_t i);

/* Appends the reference resolved against the base (RFC 3986 section 5.2.2); both without fragment. */
void mct_schema_uri_resolve(struct mct_buf *to, struct mct_str base, struct mct_str ref);

/* ---- equal.c ---- */

/* Equality of JSON values: numbers by value, objects without order, strings without escapes. */
bool mct_schema_equal(struct mct_schema_run *run, struct mct_str a, struct mct_str b);
/* Equal values have equal hashes; a peer cannot aim at equal hashes of different values (base/hash.h). */
uint64_t mct_schema_hash(struct mct_schema_run *run, struct mct_str value);

/* ---- number.c ---- */

/* <0, 0, >0 for two numbers, exactly. */
int mct_schema_number_cmp(struct mct_str a, struct mct_str b);
bool mct_schema_number_whole(struct mct_str n);
int mct_schema_number_sign(struct mct_str n);
uint64_t mct_schema_number_hash(uint64_t seed, struct mct_str n);
/* 1: a is a multiple of b, which is above 0; 0: it is not; -1: b has too many digits to tell. */
int mct_schema_number_multiple(struct mct_str a, struct mct_str b);

/* ---- pattern.c, ecma.c ---- */

/* Whether the text matches the pattern, a string of the schema without its quotes. */
bool mct_schema_match(struct mct_schema_run *run, struct mct_str raw_pattern, struct mct_str text);
void mct_schema_patterns_done(struct mct_schema_run *run);

/* Appends an ECMA-262 pattern in PCRE2's words. */
void mct_schema_ecma(struct mct_buf *to, struct mct_str pattern);

/* ---- the keywords ---- */

/* value.c */
mct_schema_word_fn mct_schema_type, mct_schema_const, mct_schema_enum, mct_schema_minimum, mct_schema_maximum,
    mct_schema_over, mct_schema_under, mct_schema_multiple_of, mct_schema_min_length, mct_schema_max_length,
    mct_schema_pattern;
/* object.c */
mct_schema_word_fn mct_schema_min_properties, mct_schema_max_properties, mct_schema_required,
    mct_schema_dependents, mct_schema_property_names, mct_schema_members, mct_schema_unevaluated_members;
/* array.c */
mct_schema_word_fn mct_schema_min_items, mct_schema_max_items, mct_schema_unique_items, mct_schema_elements,
    mct_schema_contains, mct_schema_unevaluated_items;
/* schema.c */
mct_schema_word_fn mct_schema_all_of, mct_schema_any_of, mct_schema_one_of, mct_schema_not, mct_schema_if;
/* ref.c */
mct_schema_word_fn mct_schema_ref, mct_schema_recursive_ref, mct_schema_dynamic_ref;

/* Whether `n` is within the argument of a keyword that counts, in the value's number syntax. */
bool mct_schema_at_least(struct mct_schema_run *run, size_t n, struct mct_str arg, const char *what);
bool mct_schema_at_most(struct mct_schema_run *run, size_t n, struct mct_str arg, const char *what);

/* How many children an object or array has. */
size_t mct_schema_count(struct mct_schema_run *run, struct mct_str value);

#endif
