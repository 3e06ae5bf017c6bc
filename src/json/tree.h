/*
 * JSON as a tree, for text that is rebuilt rather than relayed: a schema that is normalized. Members keep their order,
 * and numbers their text, so that nothing is lost. All nodes belong to the tree's arena and are freed with it. Nodes
 * may be shared between parents as long as they are not changed.
 *
 * Strings and keys have the compact form of mcti_json_put_compact(), so equal strings are equal bytes, and a `/` or `~`
 * is never escaped. For a duplicate member, the last value counts, at the place of the first.
 *
 * Memory exhaustion is reported at the end only, by mcti_json_tree_ok(); until then functions return dummy nodes.
 */
#ifndef MCT_JSON_TREE_H
#define MCT_JSON_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "json/scan.h"

struct mcti_json_entry {
    struct mcti_str key; /* raw, without quotes; absent in arrays */
    struct mcti_json_node *value;
};

struct mcti_json_node {
    char type; /* as mcti_json_type() */
    unsigned n, cap;
    struct mcti_json_entry *v; /* elements of an object or array */
    struct mcti_str text;      /* text of any other value */
    unsigned *slots;           /* index of a large object; NULL: not built */
    unsigned n_slots;
};

struct mcti_json_tree {
    struct mcti_arena arena;
    struct mcti_json_node spare; /* dummy node, returned when memory is exhausted */
};

void mcti_json_tree_init(struct mcti_json_tree *t, size_t max_bytes);
void mcti_json_tree_done(struct mcti_json_tree *t);
static inline bool mcti_json_tree_ok(const struct mcti_json_tree *t)
{
    return mcti_arena_ok(&t->arena);
}

/* Reads validated JSON. Fails with MCT_ERR_LIMIT if it is nested deeper or has more values than `most` allows. */
struct mcti_json_limits {
    int depth;
    size_t nodes;
};
int mcti_json_tree_read(struct mcti_json_tree *t, struct mcti_str text, struct mcti_json_limits most,
                        struct mcti_json_node **ret_root, struct mct_error *err);

/* Appends the value without white space. */
void mcti_json_tree_write(struct mcti_buf *to, const struct mcti_json_node *node);

/* ---- creating nodes; never NULL ---- */

struct mcti_json_node *mcti_json_tree_new(struct mcti_json_tree *t, char type); /* '{' or '[' */
/* Creates a node that is neither an object nor an array; `raw` is JSON in compact form and must outlive the tree. */
struct mcti_json_node *mcti_json_tree_text(struct mcti_json_tree *t, struct mcti_str raw);
/* Like mcti_json_tree_text(), with a copy of the text. */
struct mcti_json_node *mcti_json_tree_copy_text(struct mcti_json_tree *t, struct mcti_str raw);
/* Creates an object or array with the same children as `of`. */
struct mcti_json_node *mcti_json_tree_copy(struct mcti_json_tree *t, const struct mcti_json_node *of);

/* ---- changing nodes ---- */

/* Sets a member, at its place or at the end. `key` must outlive the tree. */
void mcti_json_tree_put(struct mcti_json_tree *t, struct mcti_json_node *object, struct mcti_str key,
                        struct mcti_json_node *value);
void mcti_json_tree_add(struct mcti_json_tree *t, struct mcti_json_node *array, struct mcti_json_node *value);
void mcti_json_tree_remove(struct mcti_json_tree *t, struct mcti_json_node *object, struct mcti_str key);

/* ---- reading nodes ---- */

/* Returns the member `key`; NULL if `node` is not an object or has no such member. */
struct mcti_json_node *mcti_json_tree_get(struct mcti_json_tree *t, struct mcti_json_node *node, struct mcti_str key);

static inline bool mcti_json_node_is(const struct mcti_json_node *node, char type)
{
    return node && node->type == type;
}

/* Returns true if the node is the string `z`, in which no character needs an escape. */
bool mcti_json_node_says(const struct mcti_json_node *node, const char *z);

/* Returns a string without its quotes; absent for other types. */
struct mcti_str mcti_json_node_raw(const struct mcti_json_node *node);

struct mcti_json_size {
    size_t nodes, bytes; /* bytes: keys and other text */
    int depth;           /* 0 for a scalar */
};

/* Counts about `most_nodes` nodes and then stops; shared nodes are counted each time. */
struct mcti_json_size mcti_json_node_size(const struct mcti_json_node *node, size_t most_nodes);

#endif
