/* What the way back of arguments shares; not for others. */
#ifndef MCT_MODEL_SCHEMA_BACK_H
#define MCT_MODEL_SCHEMA_BACK_H

#include "model/schema/impl.h"

enum { NORMAL_CHOICES = 64 }; /* schemas looked at for one place */

struct mcti_normal_choices {
    struct mcti_json_node *v[NORMAL_CHOICES];
    unsigned n;
};

/* Adds the schema, what it refers to, and its variants. NULL adds nothing. */
void mcti_normal_choices_add(struct mcti_normal_run *run, struct mcti_json_node *schema,
                             struct mcti_normal_choices *to);

/* What one schema says of a member or an item of its value; NULL: nothing. */
struct mcti_json_node *mcti_normal_member_schema(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                                 struct mcti_str name);
struct mcti_json_node *mcti_normal_item_schema(struct mcti_normal_run *run, struct mcti_json_node *schema, unsigned i);

/* Pays for looking at so much; false, and nothing is changed from there on, when it is too much. */
static inline bool mcti_normal_spend(struct mcti_normal_run *run, size_t n)
{
    run->work_left = n < run->work_left ? run->work_left - n : 0;
    return run->work_left > 0;
}

/* The same for going through a list, where there is one. */
static inline bool mcti_normal_spend_list(struct mcti_normal_run *run, const struct mcti_json_node *list)
{
    return !list || mcti_normal_spend(run, list->n);
}

/* True also where that would cost too much. */
bool mcti_normal_allows_null(struct mcti_normal_run *run, struct mcti_json_node *schema);
bool mcti_normal_requires(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_str name);

/* Appends JSON with the HTML entities in its strings decoded, once; keys stay as they are. */
void mcti_normal_put_decoded(struct mcti_buf *to, struct mcti_str value);

#endif
