/*
 * Shared by the shape_*.c files only: tables of members, and which revisions know them. What is not in a
 * table is copied.
 */
#ifndef MCT_MCP_SHAPE_IMPL_H
#define MCT_MCP_SHAPE_IMPL_H

#include "mcp/shape/shape.h"
#include "json/edit.h"

struct shape {
    struct mct_json_edit edit;
    enum mct_rev from, to;
    struct mct_str whole;     /* the object whose members are looked at */
    struct mct_str instead;   /* results: structuredContent that has to be told as text; absent: none */
    struct mct_str name;      /* items: the exposed name; absent: it stays */
    struct mct_str output_schema;
    unsigned n_audio;         /* made into resources so far */
    struct mct_error *err;    /* questions and answers: why it cannot be said */
};

/* What becomes of a member: SHAPE_KEEP, as the function has left it in s->edit. */
enum shape_fate { SHAPE_KEEP, SHAPE_LEAVE_OUT, SHAPE_FAIL };

typedef enum shape_fate shape_member_fn(struct shape *s, const struct mct_json_member *m);
typedef enum shape_fate shape_item_fn(struct shape *s, struct mct_str item);

struct shape_rule {
    const char *key;
    enum mct_rev since, until; /* the revisions that know it; 0: from the first, to the last */
    shape_member_fn *inside;   /* for those; NULL: copied */
};

#define SHAPE_TABLE(rules) (rules), sizeof(rules) / sizeof *(rules)

static inline bool shape_is_downward(const struct shape *s)
{
    return mct_rev_is_stateless(s->from) && !mct_rev_is_stateless(s->to);
}

/* Walks the members by the table, in the order of the text. -1: one of them failed. */
int shape_members(struct shape *s, struct mct_str object, const struct shape_rule *rules, size_t n);

/* The same, and members can be added: to *ret. */
int shape_members_open(struct shape *s, struct mct_str object, const struct shape_rule *rules, size_t n,
                       struct mct_json_edit_members *ret);

enum shape_fate shape_each(struct shape *s, struct mct_str array, shape_item_fn *fn);

/* The value, an object, without the member `key`; SHAPE_LEAVE_OUT when it has no other. */
enum shape_fate shape_without(struct shape *s, struct mct_str value, const char *key);

shape_member_fn shape_never; /* SHAPE_LEAVE_OUT */

/* ---- content.c ---- */

/* Whether any content block can differ for that revision. */
static inline bool shape_blocks_differ(enum mct_rev to)
{
    return to < MCT_REV_2025_11_25;
}

shape_item_fn shape_block;
void shape_put_text_block(struct mct_buf *to, struct mct_str text);

/* ---- item.c ---- */

shape_item_fn shape_tool;

/* ---- schema.c ---- */

/* Handshake revisions want an object: {"result":VALUE}. */
void shape_wrap(struct shape *s, struct mct_str value);

/* The same for the schema of such a value. Local references keep leading where they led. */
void shape_wrap_schema(struct shape *s, struct mct_str schema);

/* `true` and `false` among the `properties` as the objects that mean the same, as handshake revisions
 * know objects only. */
void shape_property_schemas(struct shape *s, struct mct_str schema);

#endif
