/*
 * JSON as a tree, for what must be rebuilt rather than relayed: a schema that is normalised. Members keep their
 * order and numbers the text they were written as, so that nothing is lost on the way. Everything lives in the
 * tree's arena and is freed with it; nodes may be shared between parents as long as nobody changes them.
 *
 * Strings and keys are in the shortest form of mct_json_put_compact(), so equal ones are equal bytes, and a `/` or
 * `~` in one stands for itself. Of a member that stands twice the last value counts, in the place of the first.
 *
 * Out of memory shows at the end: until then nodes are handed out that nobody will see (mct_json_tree_ok()).
 */
#ifndef MCT_JSON_TREE_H
#define MCT_JSON_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "json/scan.h"

struct mct_json_entry {
    struct mct_str key; /* raw, between the quotes; absent in arrays */
    struct mct_json_node *value;
};

struct mct_json_node {
    char type;                /* as mct_json_type() */
    unsigned n, cap;
    struct mct_json_entry *v; /* of an object or array */
    struct mct_str text;      /* of anything else, as it is written */
    unsigned *slots;          /* index of a large object; NULL: not built */
    unsigned n_slots;
};

struct mct_json_tree {
    struct mct_arena arena;
    struct mct_json_node spare; /* handed out when there is no memory */
};

void mct_json_tree_init(struct mct_json_tree *t, size_t max_bytes);
void mct_json_tree_done(struct mct_json_tree *t);
static inline bool mct_json_tree_ok(const struct mct_json_tree *t)
{
    return mct_arena_ok(&t->arena);
}

/* Reads validated JSON. MCT_ERR_LIMIT when it is nested deeper or has more values. */
struct mct_json_limits {
    int depth;
    size_t nodes;
};
int mct_json_tree_read(struct mct_json_tree *t, struct mct_str text, struct mct_json_limits most,
                       struct mct_json_node **ret_root, struct mct_error *err);

/* Appends the value without white space. */
void mct_json_tree_write(struct mct_buf *to, const struct mct_json_node *node);

/* ---- making nodes; never NULL ---- */

struct mct_json_node *mct_json_tree_new(struct mct_json_tree *t, char type); /* '{' or '[' */
/* A value that is neither; `raw` is JSON in its shortest form and must outlive the tree. */
struct mct_json_node *mct_json_tree_text(struct mct_json_tree *t, struct mct_str raw);
/* The same with a copy of the text. */
struct mct_json_node *mct_json_tree_copy_text(struct mct_json_tree *t, struct mct_str raw);
/* The object or array with the same children. */
struct mct_json_node *mct_json_tree_copy(struct mct_json_tree *t, const struct mct_json_node *of);

/* ---- changing them ---- */

/* Sets a member: in its place, else at the end. `key` must outlive the tree. */
void mct_json_tree_put(struct mct_json_tree *t, struct mct_json_node *object, struct mct_str key,
                       struct mct_json_node *value);
void mct_json_tree_add(struct mct_json_tree *t, struct mct_json_node *array, struct mct_json_node *value);
void mct_json_tree_remove(struct mct_json_tree *t, struct mct_json_node *object, struct mct_str key);

/* ---- looking ---- */

/* NULL: `node` is no object, or has no such member. */
struct mct_json_node *mct_json_tree_get(struct mct_json_tree *t, struct mct_json_node *node, struct mct_str key);

static inline bool mct_json_node_is(const struct mct_json_node *node, char type)
{
    return node && node->type == type;
}

/* Whether the node is the string `z`, which has no characters that need escapes. */
bool mct_json_node_says(const struct mct_json_node *node, const char *z);

/* What is between the quotes of a string; absent for anything else. */
struct mct_str mct_json_node_raw(const struct mct_json_node *node);

struct mct_json_size {
    size_t nodes, bytes; /* bytes of keys and other text */
    int depth;           /* 0 for a scalar */
};

/* Counts up to about that many nodes, and then no further; what is shared counts as often as it is met. */
struct mct_json_size mct_json_node_size(const struct mct_json_node *node, size_t most_nodes);

#endif
