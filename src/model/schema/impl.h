/*
 * Shared by the steps of a normalisation; for this folder only. A step takes the root and returns the new root.
 * Existing nodes are never changed, because they may be shared: a step creates new ones.
 *
 * Literals (const, default, enum, examples) are values, not schemas, and are copied whole.
 */
#ifndef MCT_MODEL_SCHEMA_IMPL_H
#define MCT_MODEL_SCHEMA_IMPL_H

#include "base/limits.h"
#include "model/schema/profile.h"
#include "json/tree.h"

struct mcti_normal_run {
    struct mcti_json_tree tree;
    const struct mcti_schema_profile *profile;
    struct mcti_json_node *document; /* the schema as given, the target of references */
    size_t nodes_left, bytes_left;   /* budget for growth by references */
    size_t work_left;                /* budget of schemas and values to examine when arguments are restored */
    bool cut;
    bool unresolved; /* a local reference had no target, so definitions are kept */
    bool clash;      /* two properties of one object would get the same name */
    bool only_names; /* arguments are restored as far as their names go */
};

#define NORMAL_GET(run, node, key) mcti_json_tree_get(&(run)->tree, node, MCT_STR(key))
#define NORMAL_PUT(run, node, key, value) mcti_json_tree_put(&(run)->tree, node, MCT_STR(key), value)
#define NORMAL_WORD(run, raw) mcti_json_tree_text(&(run)->tree, MCT_STR(raw))

/* ---- walk.c: keywords that contain schemas ---- */

/* Sets of keywords whose schemas a walk visits. They differ between older and newer walks of OpenClaw; a keyword that
 * a walk does not visit is left unchanged. */
enum { NORMAL_CORE = 1, NORMAL_GRAMMAR = 2, NORMAL_ALL = 4 };

enum mcti_normal_place { PLACE_NONE, PLACE_ONE, PLACE_LIST, PLACE_ONE_OR_LIST, PLACE_MAP };
enum mcti_normal_place mcti_normal_place(struct mcti_str key, unsigned set);

bool mcti_normal_is_literal(struct mcti_str key);

typedef struct mcti_json_node *mcti_normal_child_fn(struct mcti_normal_run *run, struct mcti_json_node *child,
                                                    const void *at);

/* Returns the value of a keyword with `fn` applied to each schema in it; the value itself if it contains none. */
struct mcti_json_node *mcti_normal_inside(struct mcti_normal_run *run, const struct mcti_json_entry *e, unsigned set,
                                          mcti_normal_child_fn *fn, const void *at);

/* Returns an object or array with `fn` applied to each value or item. */
struct mcti_json_node *mcti_normal_each(struct mcti_normal_run *run, const struct mcti_json_node *container,
                                        mcti_normal_child_fn *fn, const void *at);

/* Copies description, title and default. */
void mcti_normal_put_meta(struct mcti_normal_run *run, const struct mcti_json_node *from, struct mcti_json_node *to);
bool mcti_normal_is_meta(struct mcti_str key);

/* Returns the key of a member as a string. */
struct mcti_json_node *mcti_normal_quoted(struct mcti_normal_run *run, struct mcti_str key);

/* Returns true if `array` is an array that contains a value with the text `raw`. */
bool mcti_normal_holds(const struct mcti_json_node *array, const char *raw);

/* Returns false for absent, null, false, 0 and "". */
bool mcti_normal_is_truthy(const struct mcti_json_node *node);

/* ---- scope.c: targets of local references ---- */

struct mcti_normal_scope {
    const struct mcti_normal_scope *up;
    struct mcti_json_node *defs, *definitions; /* NULL: none */
};

/* A reference that is being replaced by its target; detects cycles. */
struct mcti_normal_open {
    const struct mcti_normal_open *up;
    struct mcti_str ref;
};

struct mcti_normal_at {
    const struct mcti_normal_scope *scope;
    const struct mcti_normal_open *open;
    int depth;
};

/* Returns the scope inside a schema: *own if the schema has definitions, else `up`. */
const struct mcti_normal_scope *mcti_normal_scope(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                                  struct mcti_normal_scope *own, const struct mcti_normal_scope *up);

/* Returns the target of a local reference; NULL if it has none in the document. */
struct mcti_json_node *mcti_normal_resolve(struct mcti_normal_run *run, struct mcti_str ref,
                                           const struct mcti_normal_scope *scope);

bool mcti_normal_is_open(const struct mcti_normal_open *open, struct mcti_str ref);

/* Returns the member called `name`, in which ~0 and ~1 are escapes. */
struct mcti_json_node *mcti_normal_named(struct mcti_normal_run *run, struct mcti_json_node *object,
                                         struct mcti_str name);

/* Returns true if a reference may be replaced by its target, and charges the growth to the budget. */
bool mcti_normal_may_grow(struct mcti_normal_run *run, const struct mcti_json_node *target, int depth);

/* ---- number.c ---- */

/* Returns a number as JavaScript prints it if that loses nothing: 1.0 as 1, 1e2 as 100, 0.10 as 0.1. */
struct mcti_str mcti_normal_number(struct mcti_normal_run *run, struct mcti_str text);

/* ---- merge.c ---- */

/* Returns one object schema in place of the variants of a union, or of all parts of an allOf. */
struct mcti_json_node *mcti_normal_merge(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                         const struct mcti_json_node *variants);

/* ---- property_keys.c ---- */

/* Returns true if the provider accepts a property of that name, written as in JSON. */
bool mcti_normal_key_fits(enum mcti_key_form form, struct mcti_str key);

/* Returns true if the document has a property whose name the profile's provider refuses. */
bool mcti_normal_has_odd_keys(const struct mcti_normal_run *run);

/* ---- the steps ---- */

mcti_schema_step_fn mcti_normal_refs, mcti_normal_openapi, mcti_normal_root, mcti_normal_array_items,
    mcti_normal_grammar, mcti_normal_gemini, mcti_normal_strict, mcti_normal_repair, mcti_normal_object_root,
    mcti_normal_deepseek, mcti_normal_modern, mcti_normal_gemini_subset, mcti_normal_property_keys;

/* gemini_union.c: returns a schema in place of one whose cleaned variants are *variants. Returns NULL if it cannot be
 * simplified this way, possibly after the removal of null variants from *variants. */
struct mcti_json_node *mcti_normal_gemini_simplify(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                   struct mcti_json_node **variants);
/* Returns the fallback for a union that cannot be simplified; NULL if there are no variants. */
struct mcti_json_node *mcti_normal_gemini_fallback(struct mcti_normal_run *run, const struct mcti_json_node *schema,
                                                   const struct mcti_json_node *variants);

/* profile.c: starts a run over the text of a schema; on failure returns -1 and sets *err. mcti_normal_done() must be
 * called in either case. */
int mcti_normal_open(struct mcti_normal_run *run, struct mcti_str schema, struct mct_error *err);
void mcti_normal_done(struct mcti_normal_run *run);
int mcti_normal_steps(struct mcti_normal_run *run, const struct mcti_schema_profile *profile,
                      struct mcti_json_node **ret_root, struct mct_error *err);

/* keywords.c: removes these keywords, in schema positions only. */
struct mcti_json_node *mcti_normal_strip(struct mcti_normal_run *run, struct mcti_json_node *root,
                                         const char *const *keywords);

#endif
