/* Shared by the readers of notations: the tree that they build, which document.c writes as JSON. */
#ifndef MCT_CONFIG_NOTATION_IMPL_H
#define MCT_CONFIG_NOTATION_IMPL_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/table/map.h"
#include "config/notation/document.h"

/* How a table of TOML came to be; see toml.c. */
enum mcti_doc_origin { MCT_DOC_IMPLIED, MCT_DOC_HEADER, MCT_DOC_DOTTED, MCT_DOC_INLINE };

struct mcti_doc_node {
    char type; /* as mcti_json_type() */
    enum mcti_doc_origin origin;
    unsigned line;
    struct mcti_str text; /* of a string: its characters; of other scalars: its JSON */
    struct mcti_doc_entry *first, *last;
};

struct mcti_doc_entry {
    struct mcti_map_node node; /* in the map of members; elements of arrays are not in it */
    struct mcti_str key;
    unsigned line;
    struct mcti_doc_node *value;
    struct mcti_doc_entry *next;
};

/* Nodes may be shared: an alias of YAML is the node of its anchor. */
struct mcti_doc_tree {
    struct mcti_arena arena;
    struct mcti_map members; /* of all objects, by the object's address and the key */
    struct mcti_notation_fault *fault;
    bool core; /* YAML: all numbers of the core schema */
};

/* Sets the fault at a line and column; returns -1. */
int mcti_doc_fail(struct mcti_doc_tree *t, unsigned line, unsigned column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int mcti_doc_no_memory(struct mcti_doc_tree *t);

/* Return NULL when out of memory. Text is copied. */
struct mcti_doc_node *mcti_doc_new(struct mcti_doc_tree *t, char type, unsigned line);
struct mcti_doc_node *mcti_doc_text(struct mcti_doc_tree *t, char type, struct mcti_str text, unsigned line);

struct mcti_doc_entry *mcti_doc_get(const struct mcti_doc_tree *t, const struct mcti_doc_node *object,
                                    struct mcti_str key);

/* Add a member or an element. Fail if `value` is NULL (out of memory), or if the object has the key already. */
int mcti_doc_put(struct mcti_doc_tree *t, struct mcti_doc_node *object, struct mcti_str key, unsigned line,
                 struct mcti_doc_node *value);
int mcti_doc_add(struct mcti_doc_tree *t, struct mcti_doc_node *array, struct mcti_doc_node *value);

/* Reads a plain scalar of YAML as a number of the core schema (YAML 1.2, section 10.3.2). Appends it to `to` as JSON
 * and returns true; returns false with nothing appended if it is no number that JSON can express. */
bool mcti_doc_core_number(struct mcti_str text, struct mcti_buf *to);

/* The readers. Return the root, or NULL with the fault set. */
struct mcti_doc_node *mcti_doc_read_yaml(struct mcti_doc_tree *t, struct mcti_str text);
struct mcti_doc_node *mcti_doc_read_toml(struct mcti_doc_tree *t, struct mcti_str text);
struct mcti_doc_node *mcti_doc_read_json5(struct mcti_doc_tree *t, struct mcti_str text);

#endif
