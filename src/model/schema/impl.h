/*
 * What the steps of a normalisation share; not for others. A step gets the root and returns the new one. Nodes that
 * came from somewhere are never changed, as they may stand in several places: a step makes new ones.
 *
 * Literals (const, default, enum, examples) are values and are taken over whole.
 */
#ifndef MCT_MODEL_SCHEMA_IMPL_H
#define MCT_MODEL_SCHEMA_IMPL_H

#include "base/limits.h"
#include "model/schema/profile.h"
#include "json/tree.h"

struct mcti_normal_run {
    struct mcti_json_tree tree;
    const struct mcti_schema_profile *profile;
    struct mcti_json_node *document; /* as it was given: what references point into */
    size_t nodes_left, bytes_left;   /* by which references may still make it grow */
    size_t work_left;                /* schemas and values looked at for arguments */
    bool cut;
    bool unresolved; /* a local reference pointed nowhere, so definitions are kept */
};

#define NORMAL_GET(run, node, key) mcti_json_tree_get(&(run)->tree, node, MCT_STR(key))
#define NORMAL_PUT(run, node, key, value) mcti_json_tree_put(&(run)->tree, node, MCT_STR(key), value)
#define NORMAL_WORD(run, raw) mcti_json_tree_text(&(run)->tree, MCT_STR(raw))

/* ---- walk.c: where schemas stand inside a schema ---- */

/* Which keywords are looked into. The generations of OpenClaw's walks differ, and what one does not look into it
 * leaves as it is. */
enum { NORMAL_CORE = 1, NORMAL_GRAMMAR = 2, NORMAL_ALL = 4 };

enum mcti_normal_place { PLACE_NONE, PLACE_ONE, PLACE_LIST, PLACE_ONE_OR_LIST, PLACE_MAP };
enum mcti_normal_place mcti_normal_place(struct mcti_str key, unsigned set);

bool mcti_normal_is_literal(struct mcti_str key);

typedef struct mcti_json_node *mcti_normal_child_fn(struct mcti_normal_run *run, struct mcti_json_node *child,
                                                    const void *at);

/* The value of a keyword with `fn` done to each schema in it; the value itself where there is none. */
struct mcti_json_node *mcti_normal_inside(struct mcti_normal_run *run, const struct mcti_json_entry *e, unsigned set,
                                          mcti_normal_child_fn *fn, const void *at);

/* `fn` done to each value of an object, or each item of an array. */
struct mcti_json_node *mcti_normal_each(struct mcti_normal_run *run, const struct mcti_json_node *container,
                                        mcti_normal_child_fn *fn, const void *at);

/* Copies description, title and default. */
void mcti_normal_put_meta(struct mcti_normal_run *run, const struct mcti_json_node *from, struct mcti_json_node *to);
bool mcti_normal_is_meta(struct mcti_str key);

/* Whether `array` is one and holds the node's text. */
bool mcti_normal_holds(const struct mcti_json_node *array, const char *raw);

/* False for what is absent, null, false, 0 and "". */
bool mcti_normal_is_something(const struct mcti_json_node *node);

/* ---- scope.c: what local references point to ---- */

struct mcti_normal_scope {
    const struct mcti_normal_scope *up;
    struct mcti_json_node *defs, *definitions; /* NULL: none */
};

/* A reference that is being replaced by what it points to. */
struct mcti_normal_open {
    const struct mcti_normal_open *up;
    struct mcti_str ref;
};

struct mcti_normal_at {
    const struct mcti_normal_scope *scope;
    const struct mcti_normal_open *open;
    int depth;
};

/* The scope that a schema opens; *own when it has definitions, else `up`. */
const struct mcti_normal_scope *mcti_normal_scope(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                                  struct mcti_normal_scope *own, const struct mcti_normal_scope *up);

/* NULL: it points nowhere, or out of the document. */
struct mcti_json_node *mcti_normal_resolve(struct mcti_normal_run *run, struct mcti_str ref,
                                           const struct mcti_normal_scope *scope);

bool mcti_normal_is_open(const struct mcti_normal_open *open, struct mcti_str ref);

/* What stands under `name`, which may have ~0 and ~1. */
struct mcti_json_node *mcti_normal_named(struct mcti_normal_run *run, struct mcti_json_node *object,
                                         struct mcti_str name);

/* Whether what a reference points to may be put in its place; pays for it. */
bool mcti_normal_may_grow(struct mcti_normal_run *run, const struct mcti_json_node *target, int depth);

/* ---- number.c ---- */

/* A number as JavaScript prints it, where that loses nothing: 1.0 is 1, 1e2 is 100, 0.10 is 0.1. */
struct mcti_str mcti_normal_number(struct mcti_normal_run *run, struct mcti_str text);

/* ---- merge.c ---- */

/* The one object that stands for the variants of a union, or for all of an allOf. */
struct mcti_json_node *mcti_normal_merge(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                         const struct mcti_json_node *variants);

/* ---- the steps ---- */

mcti_schema_step_fn mcti_normal_refs, mcti_normal_openapi, mcti_normal_root, mcti_normal_array_items,
    mcti_normal_grammar, mcti_normal_gemini, mcti_normal_strict, mcti_normal_repair, mcti_normal_object_root,
    mcti_normal_deepseek;

/* gemini_union.c: what stands for a schema whose variants, cleaned, are in *variants; NULL: nothing yet, and
 * *variants may have lost its nulls. */
struct mcti_json_node *mcti_normal_gemini_simplify(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                   struct mcti_json_node **variants);
/* The last resort; NULL: there are no variants to choose from. */
struct mcti_json_node *mcti_normal_gemini_fallback(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                   const struct mcti_json_node *variants);

/* profile.c: begins with the text of a schema; -1 with *err. mcti_normal_done() in either case. */
int mcti_normal_open(struct mcti_normal_run *run, struct mcti_str schema, struct mct_error *err);
void mcti_normal_done(struct mcti_normal_run *run);
int mcti_normal_steps(struct mcti_normal_run *run, const struct mcti_schema_profile *profile,
                      struct mcti_json_node **ret_root, struct mct_error *err);

/* keywords.c: without these keywords, in schema positions only. */
struct mcti_json_node *mcti_normal_strip(struct mcti_normal_run *run, struct mcti_json_node *root,
                                         const char *const *keywords);

#endif
