/*
 * Shared by the shape_*.c files only: tables of members, and which revisions know them. What is not in a
 * table is copied.
 */
#ifndef MCT_MCP_SHAPE_IMPL_H
#define MCT_MCP_SHAPE_IMPL_H

#include "mcp/shape/shape.h"
#include "json/edit.h"

struct mcti_shape {
    struct mcti_json_edit edit;
    enum mcti_rev from, to;
    struct mcti_str whole;   /* the object whose members are looked at */
    struct mcti_str instead; /* results: structuredContent that has to be told as text; absent: none */
    struct mcti_str name;    /* items: the exposed name; absent: it stays */
    struct mcti_str output_schema;
    unsigned n_audio;      /* made into resources so far */
    struct mct_error *err; /* questions and answers: why it cannot be said */
};

/* What becomes of a member: SHAPE_KEEP, as the function has left it in s->edit. */
enum mcti_shape_fate { SHAPE_KEEP, SHAPE_LEAVE_OUT, SHAPE_FAIL };

typedef enum mcti_shape_fate mcti_shape_member_fn(struct mcti_shape *s, const struct mcti_json_member *m);
typedef enum mcti_shape_fate mcti_shape_item_fn(struct mcti_shape *s, struct mcti_str item);

struct mcti_shape_rule {
    const char *key;
    enum mcti_rev since, until;   /* the revisions that know it; 0: from the first, to the last */
    mcti_shape_member_fn *inside; /* for those; NULL: copied */
};

#define SHAPE_TABLE(rules) (rules), sizeof(rules) / sizeof *(rules)

static inline bool mcti_shape_is_downward(const struct mcti_shape *s)
{
    return mcti_rev_is_stateless(s->from) && !mcti_rev_is_stateless(s->to);
}

/* Walks the members by the table, in the order of the text. -1: one of them failed. */
int mcti_shape_members(struct mcti_shape *s, struct mcti_str object, const struct mcti_shape_rule *rules, size_t n);

/* The same, and members can be added: to *ret. */
int mcti_shape_members_open(struct mcti_shape *s, struct mcti_str object, const struct mcti_shape_rule *rules, size_t n,
                            struct mcti_json_edit_members *ret);

enum mcti_shape_fate mcti_shape_each(struct mcti_shape *s, struct mcti_str array, mcti_shape_item_fn *fn);

/* The value, an object, without the member `key`; SHAPE_LEAVE_OUT when it has no other. */
enum mcti_shape_fate mcti_shape_without(struct mcti_shape *s, struct mcti_str value, const char *key);

mcti_shape_member_fn mcti_shape_never; /* SHAPE_LEAVE_OUT */

/* ---- content.c ---- */

/* Whether any content block can differ for that revision. */
static inline bool mcti_shape_blocks_differ(enum mcti_rev to)
{
    return to < MCT_REV_2025_11_25;
}

mcti_shape_item_fn mcti_shape_block;
void mcti_shape_put_text_block(struct mcti_buf *to, struct mcti_str text);

/* ---- item.c ---- */

mcti_shape_item_fn mcti_shape_tool;

/* ---- schema.c ---- */

/* Handshake revisions want an object: {"result":VALUE}. */
void mcti_shape_wrap(struct mcti_shape *s, struct mcti_str value);

/* The same for the schema of such a value. Local references keep leading where they led. */
void mcti_shape_wrap_schema(struct mcti_shape *s, struct mcti_str schema);

/* `true` and `false` among the `properties` as the objects that mean the same, as handshake revisions
 * know objects only. */
void mcti_shape_property_schemas(struct mcti_shape *s, struct mcti_str schema);

#endif
