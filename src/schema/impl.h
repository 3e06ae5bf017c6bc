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
#include "schema/word.h"

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

/* ---- index.c, ref.c, uri.c ---- */

/* Collects all resources and anchors of the document. */
bool mcti_schema_index(struct mcti_schema_run *run, struct mcti_str document);

const struct mcti_schema_resource *mcti_schema_resource(const struct mcti_schema_run *run, size_t i);
/* Returns the innermost resource around a position in the document. */
size_t mcti_schema_resource_at(const struct mcti_schema_run *run, const char *p);
struct mcti_str mcti_schema_resource_uri(const struct mcti_schema_run *run, size_t i);

/* Appends `ref` resolved against `base` (RFC 3986 section 5.2.2); both have no fragment. */
void mcti_schema_uri_resolve(struct mcti_buf *to, struct mcti_str base, struct mcti_str ref);

#endif
