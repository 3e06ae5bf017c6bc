/* The schemas that speak of one place in the arguments: those of all variants, as any of them may be meant. */
#include "model/schema/back.h"

enum { HOPS = 32 }; /* references and unions inside each other */

static void gather(struct normal_run *run, struct mct_json_node *schema, struct normal_choices *to, int hops);

static void gather_all(struct normal_run *run, const struct mct_json_node *list, struct normal_choices *to, int hops)
{
    for (unsigned i = 0; mct_json_node_is(list, '[') && i < list->n; i++)
        gather(run, list->v[i].value, to, hops);
}

static void gather(struct normal_run *run, struct mct_json_node *schema, struct normal_choices *to, int hops)
{
    if (!schema || to->n == NORMAL_CHOICES || hops == HOPS || !normal_spend(run, 1))
        return;
    to->v[to->n++] = schema;
    struct mct_str ref = mct_json_node_raw(NORMAL_GET(run, schema, "$ref"));
    if (ref.len)
        gather(run, normal_resolve(run, ref, NULL), to, hops + 1);
    gather_all(run, NORMAL_GET(run, schema, "anyOf"), to, hops + 1);
    gather_all(run, NORMAL_GET(run, schema, "oneOf"), to, hops + 1);
    gather_all(run, NORMAL_GET(run, schema, "allOf"), to, hops + 1);
    gather(run, NORMAL_GET(run, schema, "then"), to, hops + 1);
    gather(run, NORMAL_GET(run, schema, "else"), to, hops + 1);
}

void normal_choices_add(struct normal_run *run, struct mct_json_node *schema, struct normal_choices *to)
{
    gather(run, schema, to, 0);
}

struct mct_json_node *normal_member_schema(struct normal_run *run, struct mct_json_node *schema, struct mct_str name)
{
    struct mct_json_node *known = mct_json_tree_get(&run->tree, NORMAL_GET(run, schema, "properties"), name);
    struct mct_json_node *other = NORMAL_GET(run, schema, "additionalProperties");
    return known ? known : mct_json_node_is(other, '{') ? other : NULL;
}

struct mct_json_node *normal_item_schema(struct normal_run *run, struct mct_json_node *schema, unsigned i)
{
    struct mct_json_node *first = NORMAL_GET(run, schema, "prefixItems"), *items = NORMAL_GET(run, schema, "items");
    const struct mct_json_node *list = mct_json_node_is(first, '[') ? first : items;
    if (mct_json_node_is(list, '[') && i < list->n)
        return list->v[i].value;
    return mct_json_node_is(items, '{') ? items : NULL;
}

/* ---- null ---- */

struct search {
    struct normal_run *run;
    int left; /* schemas that may still be looked at */
};

static bool allows_null(struct search *s, struct mct_json_node *schema);

/* Whether all of the list do, or some; an absent list refuses nothing. */
static bool list_allows_null(struct search *s, const struct mct_json_node *list, bool all)
{
    if (!mct_json_node_is(list, '['))
        return true;
    for (unsigned i = 0; i < list->n; i++)
        if (allows_null(s, list->v[i].value) != all)
            return !all;
    return all;
}

static bool words_allow_null(struct normal_run *run, struct mct_json_node *schema)
{
    struct mct_json_node *type = NORMAL_GET(run, schema, "type"), *values = NORMAL_GET(run, schema, "enum");
    struct mct_json_node *constant = NORMAL_GET(run, schema, "const");
    if (mct_json_node_is(NORMAL_GET(run, schema, "nullable"), 't'))
        return true;
    if (!normal_spend_list(run, type) || !normal_spend_list(run, values))
        return true;
    return (!type || mct_json_node_says(type, "null") || normal_holds(type, "\"null\"")) &&
           (!mct_json_node_is(values, '[') || normal_holds(values, "null")) && (!constant || constant->type == 'n');
}

static bool allows_null(struct search *s, struct mct_json_node *schema)
{
    if (schema->type != '{' || s->left-- <= 0)
        return schema->type != 'f';
    struct mct_str ref = mct_json_node_raw(NORMAL_GET(s->run, schema, "$ref"));
    struct mct_json_node *target = ref.len ? normal_resolve(s->run, ref, NULL) : NULL;
    return words_allow_null(s->run, schema) && (!target || allows_null(s, target)) &&
           list_allows_null(s, NORMAL_GET(s->run, schema, "anyOf"), false) &&
           list_allows_null(s, NORMAL_GET(s->run, schema, "oneOf"), false) &&
           list_allows_null(s, NORMAL_GET(s->run, schema, "allOf"), true);
}

bool normal_allows_null(struct normal_run *run, struct mct_json_node *schema)
{
    struct search s = { run, NORMAL_CHOICES };
    return allows_null(&s, schema);
}

bool normal_requires(struct normal_run *run, struct mct_json_node *schema, struct mct_str name)
{
    struct mct_json_node *required = NORMAL_GET(run, schema, "required");
    if (!mct_json_node_is(required, '[') || !normal_spend(run, required->n))
        return false;
    for (unsigned i = 0; i < required->n; i++)
        if (required->v[i].value->type == '"' && mct_str_eq(mct_json_node_raw(required->v[i].value), name))
            return true;
    return false;
}
