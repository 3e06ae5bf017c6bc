/*
 * Shared by the files of mcp/shape/ only: tables of members with the revisions that support them. Members in no table
 * are copied.
 */
#ifndef MCT_MCP_SHAPE_IMPL_H
#define MCT_MCP_SHAPE_IMPL_H

#include "mcp/shape/shape.h"
#include "json/edit.h"

struct mcti_shape {
    struct mcti_json_edit edit;
    enum mcti_rev from, to;
    struct mcti_str whole;   /* object whose members are being converted */
    struct mcti_str instead; /* results: structuredContent to be written as text; absent: none */
    struct mcti_str name;    /* items: the exposed name; absent: the name is kept */
    struct mcti_str output_schema;
    unsigned n_audio;      /* audio blocks converted into resources so far */
    struct mct_error *err; /* questions and answers: the reason of a failure */
};

/* Outcome of converting a member. SHAPE_KEEP: as the function left it in s->edit. */
enum mcti_shape_outcome { SHAPE_KEEP, SHAPE_LEAVE_OUT, SHAPE_FAIL };

typedef enum mcti_shape_outcome mcti_shape_member_fn(struct mcti_shape *s, const struct mcti_json_member *m);
typedef enum mcti_shape_outcome mcti_shape_item_fn(struct mcti_shape *s, struct mcti_str item);

struct mcti_shape_rule {
    const char *key;
    enum mcti_rev since, until;   /* revisions that support it; 0: no lower or upper bound */
    mcti_shape_member_fn *inside; /* converts the value for these revisions; NULL: copied */
};

#define SHAPE_TABLE(rules) (rules), sizeof(rules) / sizeof *(rules)

static inline bool mcti_shape_is_downward(const struct mcti_shape *s)
{
    return mcti_rev_is_stateless(s->from) && !mcti_rev_is_stateless(s->to);
}

/* Converts the members of `object` by the table, in the order of the text. Returns -1 if one of them failed. */
int mcti_shape_members(struct mcti_shape *s, struct mcti_str object, const struct mcti_shape_rule *rules, size_t n);

/* Like mcti_shape_members(), but members can be added to *ret afterwards. */
int mcti_shape_members_open(struct mcti_shape *s, struct mcti_str object, const struct mcti_shape_rule *rules, size_t n,
                            struct mcti_json_edit_members *ret);

enum mcti_shape_outcome mcti_shape_each(struct mcti_shape *s, struct mcti_str array, mcti_shape_item_fn *fn);

/* Copies `value`, an object, without member `key`. Returns SHAPE_LEAVE_OUT if it has no other member. */
enum mcti_shape_outcome mcti_shape_without(struct mcti_shape *s, struct mcti_str value, const char *key);

/* The same without each member that has a rule. */
enum mcti_shape_outcome mcti_shape_without_all(struct mcti_shape *s, struct mcti_str value,
                                               const struct mcti_shape_rule *rules, size_t n_rules);

mcti_shape_member_fn mcti_shape_never; /* always SHAPE_LEAVE_OUT */

/* ---- content.c ---- */

/* Returns true if a content block may need a conversion for that revision. */
static inline bool mcti_shape_blocks_differ(enum mcti_rev to)
{
    return to < MCT_REV_2025_11_25;
}

mcti_shape_item_fn mcti_shape_block;
void mcti_shape_put_text_block(struct mcti_buf *to, struct mcti_str text);

/* ---- item.c ---- */

mcti_shape_item_fn mcti_shape_tool;

/* ---- schema.c ---- */

/* Wraps a value for handshake revisions, which require an object: {"result":VALUE}. */
void mcti_shape_wrap(struct mcti_shape *s, struct mcti_str value);

/* Wraps the schema of such a value. Local references keep their targets. */
void mcti_shape_wrap_schema(struct mcti_shape *s, struct mcti_str schema);

/* Replaces `true` and `false` among the `properties` by equivalent objects, as handshake revisions allow only objects.
 */
void mcti_shape_property_schemas(struct mcti_shape *s, struct mcti_str schema);

#endif
