/*
 * JSON as a tree, for what must be rebuilt rather than relayed: a schema that is normalised. Members keep their
 * order and numbers the text they were written as, so that nothing is lost on the way. Everything lives in the
 * tree's arena and is freed with it; nodes may be shared between parents as long as nobody changes them.
 *
 * Strings and keys are in the shortest form of mcti_json_put_compact(), so equal ones are equal bytes, and a `/` or
 * `~` in one stands for itself. Of a member that stands twice the last value counts, in the place of the first.
 *
 * Out of memory shows at the end: until then nodes are handed out that nobody will see (mcti_json_tree_ok()).
 */
#ifndef MCT_JSON_TREE_H
#define MCT_JSON_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "json/scan.h"

struct mcti_json_entry {
    struct mcti_str key; /* raw, between the quotes; absent in arrays */
    struct mcti_json_node *value;
};

struct mcti_json_node {
    char type; /* as mcti_json_type() */
    unsigned n, cap;
    struct mcti_json_entry *v; /* of an object or array */
    struct mcti_str text;      /* of anything else, as it is written */
    unsigned *slots;           /* index of a large object; NULL: not built */
    unsigned n_slots;
};

struct mcti_json_tree {
    struct mcti_arena arena;
    struct mcti_json_node spare; /* handed out when there is no memory */
};

void mcti_json_tree_init(struct mcti_json_tree *t, size_t max_bytes);
void mcti_json_tree_done(struct mcti_json_tree *t);
static inline bool mcti_json_tree_ok(const struct mcti_json_tree *t)
{
    return mcti_arena_ok(&t->arena);
}

/* Reads validated JSON. MCT_ERR_LIMIT when it is nested deeper or has more values. */
struct mcti_json_limits {
    int depth;
    size_t nodes;
};
int mcti_json_tree_read(struct mcti_json_tree *t, struct mcti_str text, struct mcti_json_limits most,
                        struct mcti_json_node **ret_root, struct mct_error *err);

/* Appends the value without white space. */
void mcti_json_tree_write(struct mcti_buf *to, const struct mcti_json_node *node);

/* ---- making nodes; never NULL ---- */

struct mcti_json_node *mcti_json_tree_new(struct mcti_json_tree *t, char type); /* '{' or '[' */
/* A value that is neither; `raw` is JSON in its shortest form and must outlive the tree. */
struct mcti_json_node *mcti_json_tree_text(struct mcti_json_tree *t, struct mcti_str raw);
/* The same with a copy of the text. */
struct mcti_json_node *mcti_json_tree_copy_text(struct mcti_json_tree *t, struct mcti_str raw);
/* The object or array with the same children. */
struct mcti_json_node *mcti_json_tree_copy(struct mcti_json_tree *t, const struct mcti_json_node *of);

/* ---- changing them ---- */

/* Sets a member: in its place, else at the end. `key` must outlive the tree. */
void mcti_json_tree_put(struct mcti_json_tree *t, struct mcti_json_node *object, struct mcti_str key,
                        struct mcti_json_node *value);
void mcti_json_tree_add(struct mcti_json_tree *t, struct mcti_json_node *array, struct mcti_json_node *value);
void mcti_json_tree_remove(struct mcti_json_tree *t, struct mcti_json_node *object, struct mcti_str key);

/* ---- looking ---- */

/* NULL: `node` is no object, or has no such member. */
struct mcti_json_node *mcti_json_tree_get(struct mcti_json_tree *t, struct mcti_json_node *node, struct mcti_str key);

static inline bool mcti_json_node_is(const struct mcti_json_node *node, char type)
{
    return node && node->type == type;
}

/* Whether the node is the string `z`, which has no characters that need escapes. */
bool mcti_json_node_says(const struct mcti_json_node *node, const char *z);

/* What is between the quotes of a string; absent for anything else. */
struct mcti_str mcti_json_node_raw(const struct mcti_json_node *node);

struct mcti_json_size {
    size_t nodes, bytes; /* bytes of keys and other text */
    int depth;           /* 0 for a scalar */
};

/* Counts up to about that many nodes, and then no further; what is shared counts as often as it is met. */
struct mcti_json_size mcti_json_node_size(const struct mcti_json_node *node, size_t most_nodes);

#endif
