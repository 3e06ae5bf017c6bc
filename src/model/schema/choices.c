/* Collects the schemas that apply to one place in the arguments: those of all variants, because any of them may be
 * meant. */
#include "model/schema/back.h"

enum { HOPS = 32 }; /* nesting limit of references and unions */

static void choices_gather(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_normal_choices *to,
                           int hops);

static void gather_all(struct mcti_normal_run *run, const struct mcti_json_node *list, struct mcti_normal_choices *to,
                       int hops)
{
    for (unsigned i = 0; mcti_json_node_is(list, '[') && i < list->n; i++)
        choices_gather(run, list->v[i].value, to, hops);
}

/* Gathers the schemas among the values of an object. */
static void gather_values(struct mcti_normal_run *run, const struct mcti_json_node *map, struct mcti_normal_choices *to,
                          int hops)
{
    for (unsigned i = 0; mcti_json_node_is(map, '{') && i < map->n; i++)
        if (map->v[i].value->type == '{')
            choices_gather(run, map->v[i].value, to, hops);
}

static void choices_gather(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_normal_choices *to,
                           int hops)
{
    if (!schema || to->n == NORMAL_CHOICES || hops == HOPS || !mcti_normal_spend(run, 1))
        return;
    to->v[to->n++] = schema;
    struct mcti_str ref = mcti_json_node_raw(NORMAL_GET(run, schema, "$ref"));
    if (ref.len)
        choices_gather(run, mcti_normal_resolve(run, ref, NULL), to, hops + 1);
    gather_all(run, NORMAL_GET(run, schema, "anyOf"), to, hops + 1);
    gather_all(run, NORMAL_GET(run, schema, "oneOf"), to, hops + 1);
    gather_all(run, NORMAL_GET(run, schema, "allOf"), to, hops + 1);
    choices_gather(run, NORMAL_GET(run, schema, "then"), to, hops + 1);
    choices_gather(run, NORMAL_GET(run, schema, "else"), to, hops + 1);
    gather_values(run, NORMAL_GET(run, schema, "dependentSchemas"), to, hops + 1);
    gather_values(run, NORMAL_GET(run, schema, "dependencies"), to, hops + 1);
}

void mcti_normal_choices_add(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_normal_choices *to)
{
    choices_gather(run, schema, to, 0);
}

struct mcti_json_node *mcti_normal_member_schema(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                                 struct mcti_str name)
{
    struct mcti_json_node *known = mcti_json_tree_get(&run->tree, NORMAL_GET(run, schema, "properties"), name);
    struct mcti_json_node *other = NORMAL_GET(run, schema, "additionalProperties");
    return known ? known : mcti_json_node_is(other, '{') ? other : NULL;
}

void mcti_normal_choices_add_member(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_str name,
                                    struct mcti_normal_choices *to)
{
    mcti_normal_choices_add(run, mcti_normal_member_schema(run, schema, name), to);
    if (!mcti_json_tree_get(&run->tree, NORMAL_GET(run, schema, "properties"), name))
        gather_values(run, NORMAL_GET(run, schema, "patternProperties"), to, 0);
}

struct mcti_json_node *mcti_normal_item_schema(struct mcti_normal_run *run, struct mcti_json_node *schema, unsigned i)
{
    struct mcti_json_node *first = NORMAL_GET(run, schema, "prefixItems"), *items = NORMAL_GET(run, schema, "items");
    const struct mcti_json_node *list = mcti_json_node_is(first, '[') ? first : items;
    if (mcti_json_node_is(list, '[') && i < list->n)
        return list->v[i].value;
    return mcti_json_node_is(items, '{') ? items : NULL;
}

/* ---- null ---- */

struct search {
    struct mcti_normal_run *run;
    int left; /* schemas that may still be examined */
};

static bool choices_allows_null(struct search *s, struct mcti_json_node *schema);

/* Returns true if all schemas of the list (`all`), or any of them (not `all`), allow null; an absent list does. */
static bool list_allows_null(struct search *s, const struct mcti_json_node *list, bool all)
{
    if (!mcti_json_node_is(list, '['))
        return true;
    for (unsigned i = 0; i < list->n; i++)
        if (choices_allows_null(s, list->v[i].value) != all)
            return !all;
    return all;
}

static bool words_allow_null(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    struct mcti_json_node *type = NORMAL_GET(run, schema, "type"), *values = NORMAL_GET(run, schema, "enum");
    struct mcti_json_node *constant = NORMAL_GET(run, schema, "const");
    if (mcti_json_node_is(NORMAL_GET(run, schema, "nullable"), 't'))
        return true;
    if (!mcti_normal_spend_list(run, type) || !mcti_normal_spend_list(run, values))
        return true;
    return (!type || mcti_json_node_says(type, "null") || mcti_normal_holds(type, "\"null\"")) &&
           (!mcti_json_node_is(values, '[') || mcti_normal_holds(values, "null")) &&
           (!constant || constant->type == 'n');
}

static bool choices_allows_null(struct search *s, struct mcti_json_node *schema)
{
    if (schema->type != '{' || s->left-- <= 0)
        return schema->type != 'f';
    struct mcti_str ref = mcti_json_node_raw(NORMAL_GET(s->run, schema, "$ref"));
    struct mcti_json_node *target = ref.len ? mcti_normal_resolve(s->run, ref, NULL) : NULL;
    return words_allow_null(s->run, schema) && (!target || choices_allows_null(s, target)) &&
           list_allows_null(s, NORMAL_GET(s->run, schema, "anyOf"), false) &&
           list_allows_null(s, NORMAL_GET(s->run, schema, "oneOf"), false) &&
           list_allows_null(s, NORMAL_GET(s->run, schema, "allOf"), true);
}

bool mcti_normal_allows_null(struct mcti_normal_run *run, struct mcti_json_node *schema)
{
    struct search s = { run, NORMAL_CHOICES };
    return choices_allows_null(&s, schema);
}

bool mcti_normal_requires(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_str name)
{
    struct mcti_json_node *required = NORMAL_GET(run, schema, "required");
    if (!mcti_json_node_is(required, '[') || !mcti_normal_spend(run, required->n))
        return false;
    for (unsigned i = 0; i < required->n; i++)
        if (required->v[i].value->type == '"' && mcti_str_eq(mcti_json_node_raw(required->v[i].value), name))
            return true;
    return false;
}
