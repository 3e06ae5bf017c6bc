/*
 * Merges a union of objects into one object: it has every property of every variant, and requires those that all
 * variants require. A property whose values tell the variants apart (a discriminator) gets the values of all.
 */
#include "model/schema/impl.h"

struct merge {
    struct mcti_normal_run *run;
    struct mcti_json_node *properties;
    struct mcti_json_node *seen;   /* name of a property whose values are collected -> the set of its values */
    struct mcti_json_node *counts; /* name -> an array with one item for each time a variant requires it */
    unsigned n_objects;
};

/* Returns a key that is equal for values that are equal by JavaScript's ===; an array or object equals only itself. */
static struct mcti_str merge_identity(struct mcti_normal_run *run, struct mcti_json_node *value)
{
    if (value->type == '0')
        return mcti_normal_number(run, value->text);
    if (value->type != '{' && value->type != '[')
        return value->text;
    struct mcti_json_node **p = mcti_arena_get(&run->tree.arena, sizeof *p);
    if (!p)
        return MCT_STR("");
    *p = value;
    return (struct mcti_str){ (const char *)p, sizeof *p };
}

/* Appends the values that a schema lists, itself or in its variants; returns false if it lists none. */
static bool values_of(struct mcti_normal_run *run, struct mcti_json_node *schema, struct mcti_json_node *to)
{
    struct mcti_json_node *values = NORMAL_GET(run, schema, "enum"), *one = NORMAL_GET(run, schema, "const");
    struct mcti_json_node *variants = NORMAL_GET(run, schema, "anyOf");
    unsigned had = to->n;
    if (!mcti_json_node_is(variants, '['))
        variants = NORMAL_GET(run, schema, "oneOf");
    if (mcti_json_node_is(values, '[')) {
        for (unsigned i = 0; i < values->n; i++)
            mcti_json_tree_add(&run->tree, to, values->v[i].value);
        return true;
    }
    if (one) {
        mcti_json_tree_add(&run->tree, to, one);
        return true;
    }
    for (unsigned i = 0; mcti_json_node_is(variants, '[') && i < variants->n; i++)
        values_of(run, variants->v[i].value, to);
    return to->n > had;
}

/* Adds new values to the merged property, and annotations that it lacks. */
static void merge_gather(struct merge *m, struct mcti_json_node *into, struct mcti_json_node *seen,
                         struct mcti_json_node *from, const struct mcti_json_node *values)
{
    struct mcti_json_tree *t = &m->run->tree;
    struct mcti_json_node *list = NORMAL_GET(m->run, into, "enum");
    for (unsigned i = 0; mcti_json_node_is(from, '{') && i < from->n; i++)
        if (mcti_normal_is_meta(from->v[i].key) && !mcti_json_tree_get(t, into, from->v[i].key))
            mcti_json_tree_put(t, into, from->v[i].key, from->v[i].value);
    for (unsigned i = 0; i < values->n; i++) {
        struct mcti_str id = merge_identity(m->run, values->v[i].value);
        if (mcti_json_tree_get(t, seen, id))
            continue;
        mcti_json_tree_put(t, seen, id, values->v[i].value);
        mcti_json_tree_add(t, list, values->v[i].value);
    }
}

/* Merges a second schema of a property: the first one is kept, unless either lists values. */
static void merge_property(struct merge *m, struct mcti_str name, struct mcti_json_node *had,
                           struct mcti_json_node *more)
{
    struct mcti_json_tree *t = &m->run->tree;
    struct mcti_json_node *old = mcti_json_tree_new(t, '['), *fresh = mcti_json_tree_new(t, '[');
    struct mcti_json_node *seen = mcti_json_tree_get(t, m->seen, name);
    bool lists = values_of(m->run, more, fresh);
    if (!seen) {
        lists |= values_of(m->run, had, old);
        if (!lists)
            return;
        struct mcti_json_node *to = mcti_json_tree_new(t, '{');
        seen = mcti_json_tree_new(t, '{');
        mcti_json_tree_put(t, m->seen, name, seen);
        NORMAL_PUT(m->run, to, "enum", mcti_json_tree_new(t, '['));
        merge_gather(m, to, seen, had, old);
        mcti_json_tree_put(t, m->properties, name, to);
        had = to;
    }
    merge_gather(m, had, seen, more, fresh);
}

static void add_variant(struct merge *m, struct mcti_json_node *variant)
{
    struct mcti_json_tree *t = &m->run->tree;
    struct mcti_json_node *properties = NORMAL_GET(m->run, variant, "properties");
    struct mcti_json_node *required = NORMAL_GET(m->run, variant, "required");
    if (!mcti_json_node_is(properties, '{'))
        return;
    m->n_objects++;
    for (unsigned i = 0; i < properties->n; i++) {
        struct mcti_json_entry *e = &properties->v[i];
        struct mcti_json_node *had = mcti_json_tree_get(t, m->properties, e->key);
        if (!mcti_normal_is_truthy(had))
            mcti_json_tree_put(t, m->properties, e->key, e->value);
        else if (mcti_normal_is_truthy(e->value))
            merge_property(m, e->key, had, e->value);
    }
    for (unsigned i = 0; mcti_json_node_is(required, '[') && i < required->n; i++) {
        struct mcti_str name = mcti_json_node_raw(required->v[i].value);
        struct mcti_json_node *count = name.p ? mcti_json_tree_get(t, m->counts, name) : NULL;
        if (name.p && !count)
            mcti_json_tree_put(t, m->counts, name, count = mcti_json_tree_new(t, '['));
        if (name.p)
            mcti_json_tree_add(t, count, required->v[i].value);
    }
}

/* Returns the JavaScript type of all values, in quotes; NULL if they have several types. */
static const char *common_type(const struct mcti_json_node *values)
{
    const char *common = NULL;
    for (unsigned i = 0; i < values->n; i++) {
        char type = values->v[i].value->type;
        const char *word = type == '"'                  ? "\"string\""
                           : type == '0'                ? "\"number\""
                           : type == 't' || type == 'f' ? "\"boolean\""
                                                        : "\"object\"";
        if (common && strcmp(common, word) != 0)
            return NULL;
        common = word;
    }
    return common;
}

/* Sets the types of merged properties to those of their values. */
static void set_types(struct merge *m)
{
    for (unsigned i = 0; i < m->seen->n; i++) {
        struct mcti_json_node *had = mcti_json_tree_get(&m->run->tree, m->properties, m->seen->v[i].key);
        struct mcti_json_node *values = NORMAL_GET(m->run, had, "enum"), *to = mcti_json_tree_new(&m->run->tree, '{');
        const char *type = values ? common_type(values) : NULL;
        if (!values)
            continue;
        mcti_normal_put_meta(m->run, had, to);
        if (type)
            NORMAL_PUT(m->run, to, "type", mcti_json_tree_text(&m->run->tree, mcti_str_of(type)));
        NORMAL_PUT(m->run, to, "enum", values);
        mcti_json_tree_put(&m->run->tree, m->properties, m->seen->v[i].key, to);
    }
}

/* Returns the `required` of the schema itself, or else the names that every variant requires. */
static struct mcti_json_node *required_of(struct merge *m, struct mcti_json_node *schema)
{
    struct mcti_json_node *own = NORMAL_GET(m->run, schema, "required"), *to = mcti_json_tree_new(&m->run->tree, '[');
    for (unsigned i = 0; mcti_json_node_is(own, '[') && i < own->n; i++)
        if (own->v[i].value->type == '"')
            mcti_json_tree_add(&m->run->tree, to, own->v[i].value);
    for (unsigned i = 0, n_own = to->n; !n_own && i < m->counts->n; i++)
        if (m->counts->v[i].value->n == m->n_objects)
            mcti_json_tree_add(&m->run->tree, to, m->counts->v[i].value->v[0].value);
    return to;
}

static struct mcti_json_node *merge_written(struct merge *m, struct mcti_json_node *schema)
{
    static const char *const texts[] = { "title", "description" };
    struct mcti_normal_run *run = m->run;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{'), *required = required_of(m, schema);
    struct mcti_json_node *own = NORMAL_GET(run, schema, "properties");
    struct mcti_json_node *more = NORMAL_GET(run, schema, "additionalProperties");
    NORMAL_PUT(run, to, "type", NORMAL_WORD(run, "\"object\""));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mcti_json_node *text = mcti_json_tree_get(&run->tree, schema, mcti_str_of(texts[i]));
        if (mcti_json_node_is(text, '"'))
            mcti_json_tree_put(&run->tree, to, mcti_str_of(texts[i]), text);
    }
    bool keeps_own = !m->properties->n && own && own->type != 'n';
    NORMAL_PUT(run, to, "properties", keeps_own ? own : m->properties);
    if (required->n)
        NORMAL_PUT(run, to, "required", required);
    NORMAL_PUT(run, to, "additionalProperties", more ? more : NORMAL_WORD(run, "true"));
    return to;
}

struct mcti_json_node *mcti_normal_merge(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                         const struct mcti_json_node *variants)
{
    struct mcti_json_node *own = NORMAL_GET(run, schema, "properties");
    struct merge m = { .run = run,
                       .seen = mcti_json_tree_new(&run->tree, '{'),
                       .counts = mcti_json_tree_new(&run->tree, '{') };
    bool has_own = mcti_json_node_is(own, '{');
    m.properties = has_own ? mcti_json_tree_copy(&run->tree, own) : mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < variants->n; i++)
        add_variant(&m, variants->v[i].value);
    set_types(&m);
    return merge_written(&m, schema);
}
