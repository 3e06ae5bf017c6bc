/* What the way back of arguments shares; not for others. */
#ifndef MCT_MODEL_SCHEMA_BACK_H
#define MCT_MODEL_SCHEMA_BACK_H

#include "model/schema/impl.h"

enum { NORMAL_CHOICES = 64 }; /* schemas looked at for one place */

struct normal_choices {
    struct mct_json_node *v[NORMAL_CHOICES];
    unsigned n;
};

/* Adds the schema, what it refers to, and its variants. NULL adds nothing. */
void normal_choices_add(struct normal_run *run, struct mct_json_node *schema, struct normal_choices *to);

/* What one schema says of a member or an item of its value; NULL: nothing. */
struct mct_json_node *normal_member_schema(struct normal_run *run, struct mct_json_node *schema, struct mct_str name);
struct mct_json_node *normal_item_schema(struct normal_run *run, struct mct_json_node *schema, unsigned i);

/* Pays for looking at so much; false, and nothing is changed from there on, when it is too much. */
static inline bool normal_spend(struct normal_run *run, size_t n)
{
    run->work_left = n < run->work_left ? run->work_left - n : 0;
    return run->work_left > 0;
}

/* The same for going through a list, where there is one. */
static inline bool normal_spend_list(struct normal_run *run, const struct mct_json_node *list)
{
    return !list || normal_spend(run, list->n);
}

/* True also where that would cost too much. */
bool normal_allows_null(struct normal_run *run, struct mct_json_node *schema);
bool normal_requires(struct normal_run *run, struct mct_json_node *schema, struct mct_str name);

/* Appends JSON with the HTML entities in its strings decoded, once; keys stay as they are. */
void normal_put_decoded(struct mct_buf *to, struct mct_str value);

#endif
