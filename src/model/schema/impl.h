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

struct normal_run {
    struct mct_json_tree tree;
    const struct mct_schema_profile *profile;
    struct mct_json_node *document; /* as it was given: what references point into */
    size_t nodes_left, bytes_left;  /* by which references may still make it grow */
    size_t work_left; /* schemas and values looked at for arguments */
    bool cut;
    bool unresolved; /* a local reference pointed nowhere, so definitions are kept */
};

#define NORMAL_GET(run, node, key) mct_json_tree_get(&(run)->tree, node, MCT_STR(key))
#define NORMAL_PUT(run, node, key, value) mct_json_tree_put(&(run)->tree, node, MCT_STR(key), value)
#define NORMAL_WORD(run, raw) mct_json_tree_text(&(run)->tree, MCT_STR(raw))

/* ---- walk.c: where schemas stand inside a schema ---- */

/* Which keywords are looked into. The generations of OpenClaw's walks differ, and what one does not look into it
 * leaves as it is. */
enum { NORMAL_CORE = 1, NORMAL_GRAMMAR = 2, NORMAL_ALL = 4 };

enum normal_place { PLACE_NONE, PLACE_ONE, PLACE_LIST, PLACE_ONE_OR_LIST, PLACE_MAP };
enum normal_place normal_place(struct mct_str key, unsigned set);

bool normal_is_literal(struct mct_str key);

typedef struct mct_json_node *normal_child_fn(struct normal_run *run, struct mct_json_node *child, const void *at);

/* The value of a keyword with `fn` done to each schema in it; the value itself where there is none. */
struct mct_json_node *normal_inside(struct normal_run *run, const struct mct_json_entry *e, unsigned set,
                                    normal_child_fn *fn, const void *at);

/* `fn` done to each value of an object, or each item of an array. */
struct mct_json_node *normal_each(struct normal_run *run, const struct mct_json_node *container, normal_child_fn *fn,
                                  const void *at);

/* Copies description, title and default. */
void normal_put_meta(struct normal_run *run, const struct mct_json_node *from, struct mct_json_node *to);
bool normal_is_meta(struct mct_str key);

/* Whether `array` is one and holds the node's text. */
bool normal_holds(const struct mct_json_node *array, const char *raw);

/* False for what is absent, null, false, 0 and "". */
bool normal_is_something(const struct mct_json_node *node);

/* ---- scope.c: what local references point to ---- */

struct normal_scope {
    const struct normal_scope *up;
    struct mct_json_node *defs, *definitions; /* NULL: none */
};

/* A reference that is being replaced by what it points to. */
struct normal_open {
    const struct normal_open *up;
    struct mct_str ref;
};

struct normal_at {
    const struct normal_scope *scope;
    const struct normal_open *open;
    int depth;
};

/* The scope that a schema opens; *own when it has definitions, else `up`. */
const struct normal_scope *normal_scope(struct normal_run *run, struct mct_json_node *schema,
                                        struct normal_scope *own, const struct normal_scope *up);

/* NULL: it points nowhere, or out of the document. */
struct mct_json_node *normal_resolve(struct normal_run *run, struct mct_str ref, const struct normal_scope *scope);

bool normal_is_open(const struct normal_open *open, struct mct_str ref);

/* What stands under `name`, which may have ~0 and ~1. */
struct mct_json_node *normal_named(struct normal_run *run, struct mct_json_node *object, struct mct_str name);

/* Whether what a reference points to may be put in its place; pays for it. */
bool normal_may_grow(struct normal_run *run, const struct mct_json_node *target, int depth);

/* ---- number.c ---- */

/* A number as JavaScript prints it, where that loses nothing: 1.0 is 1, 1e2 is 100, 0.10 is 0.1. */
struct mct_str normal_number(struct normal_run *run, struct mct_str text);

/* ---- merge.c ---- */

/* The one object that stands for the variants of a union, or for all of an allOf. */
struct mct_json_node *normal_merge(struct normal_run *run, struct mct_json_node *schema,
                                   const struct mct_json_node *variants);

/* ---- the steps ---- */

mct_schema_step_fn normal_refs, normal_openapi, normal_root, normal_array_items, normal_grammar, normal_gemini,
    normal_strict, normal_repair, normal_object_root, normal_deepseek;

/* gemini_union.c: what stands for a schema whose variants, cleaned, are in *variants; NULL: nothing yet, and
 * *variants may have lost its nulls. */
struct mct_json_node *normal_gemini_simplify(struct normal_run *run, const struct mct_json_node *schema,
                                             struct mct_json_node **variants);
/* The last resort; NULL: there are no variants to choose from. */
struct mct_json_node *normal_gemini_fallback(struct normal_run *run, const struct mct_json_node *schema,
                                             const struct mct_json_node *variants);

/* profile.c: begins with the text of a schema; -1 with *err. normal_done() in either case. */
int normal_open(struct normal_run *run, struct mct_str schema, struct mct_error *err);
void normal_done(struct normal_run *run);
int normal_steps(struct normal_run *run, const struct mct_schema_profile *profile, struct mct_json_node **ret_root,
                 struct mct_error *err);

/* keywords.c: without these keywords, in schema positions only. */
struct mct_json_node *normal_strip(struct normal_run *run, struct mct_json_node *root, const char *const *keywords);

#endif
