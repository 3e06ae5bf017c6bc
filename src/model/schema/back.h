/* Shared by the files that restore arguments (back.c, choices.c, entities.c). */
#ifndef MCT_MODEL_SCHEMA_BACK_H
#define MCT_MODEL_SCHEMA_BACK_H

#include "model/schema/impl.h"

enum { NORMAL_CHOICES = 64 }; /* most schemas examined for one place */

struct mcti_normal_choices {
    struct mcti_json_node *v[NORMAL_CHOICES];
    unsigned n;
};

/* Adds the schema, the schemas it refers to, and its variants. NULL adds nothing. */
void mcti_normal_choices_add(struct mcti_normal_run *run, struct mcti_json_node *schema,
                             struct mcti_normal_choices *to);

/* Adds the schemas that one schema has for a member. */
void mcti_normal_choices_add_member(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_str name,
                                    struct mcti_normal_choices *to);

/* Return the schema of a member or an item according to one schema; NULL if it has none. */
struct mcti_json_node *mcti_normal_member_schema(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                                 struct mcti_str name);
struct mcti_json_node *mcti_normal_item_schema(struct mcti_normal_run *run, struct mcti_json_node *schema, unsigned i);

/* property_keys.c: returns the name of the property that the provider knows as `key`; `key` itself if there is none. */
struct mcti_str mcti_normal_original_key(struct mcti_normal_run *run, struct mcti_str key,
                                         const struct mcti_normal_choices *choices);

/* Charges n units of work. Returns false if the budget is spent; then the remaining arguments are left unchanged. */
static inline bool mcti_normal_spend(struct mcti_normal_run *run, size_t n)
{
    run->work_left = n < run->work_left ? run->work_left - n : 0;
    return run->work_left > 0;
}

/* Charges the work of iterating over a list, if there is one. */
static inline bool mcti_normal_spend_list(struct mcti_normal_run *run, const struct mcti_json_node *list)
{
    return !list || mcti_normal_spend(run, list->n);
}

/* Returns true if the schema allows null, or if the budget is spent. */
bool mcti_normal_allows_null(struct mcti_normal_run *run, struct mcti_json_node *schema);
bool mcti_normal_requires(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_str name);

/* Appends JSON whose string values have their HTML entities decoded once; keys are not changed. */
void mcti_normal_put_decoded(struct mcti_buf *to, struct mcti_str value);

#endif
