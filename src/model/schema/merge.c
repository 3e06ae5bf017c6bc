/*
 * A union of objects as one object: every property of every variant, required what all of them require. A property
 * that several variants tell apart by its values (a discriminator) gets the values of all.
 */
#include "model/schema/impl.h"

struct merge {
    struct normal_run *run;
    struct mct_json_node *properties;
    struct mct_json_node *seen;   /* name of a property whose values are gathered -> the set of its values */
    struct mct_json_node *counts; /* name -> an array with one item for each time a variant requires it */
    unsigned n_objects;
};

/* What makes two values the same for JavaScript's ===, between which an array or object is only like itself. */
static struct mct_str identity(struct normal_run *run, struct mct_json_node *value)
{
    if (value->type == '0')
        return normal_number(run, value->text);
    if (value->type != '{' && value->type != '[')
        return value->text;
    struct mct_json_node **p = mct_arena_get(&run->tree.arena, sizeof *p);
    if (!p)
        return MCT_STR("");
    *p = value;
    return (struct mct_str){ (const char *)p, sizeof *p };
}

/* Appends the values a schema lists, itself or in its variants. False: it lists none. */
static bool values_of(struct normal_run *run, struct mct_json_node *schema, struct mct_json_node *to)
{
    struct mct_json_node *values = NORMAL_GET(run, schema, "enum"), *one = NORMAL_GET(run, schema, "const");
    struct mct_json_node *variants = NORMAL_GET(run, schema, "anyOf");
    unsigned had = to->n;
    if (!mct_json_node_is(variants, '['))
        variants = NORMAL_GET(run, schema, "oneOf");
    if (mct_json_node_is(values, '[')) {
        for (unsigned i = 0; i < values->n; i++)
            mct_json_tree_add(&run->tree, to, values->v[i].value);
        return true;
    }
    if (one) {
        mct_json_tree_add(&run->tree, to, one);
        return true;
    }
    for (unsigned i = 0; mct_json_node_is(variants, '[') && i < variants->n; i++)
        values_of(run, variants->v[i].value, to);
    return to->n > had;
}

/* Adds the values that are new to the gathered property, and the annotations it lacks. */
static void gather(struct merge *m, struct mct_json_node *into, struct mct_json_node *seen, struct mct_json_node *from,
                   const struct mct_json_node *values)
{
    struct mct_json_tree *t = &m->run->tree;
    struct mct_json_node *list = NORMAL_GET(m->run, into, "enum");
    for (unsigned i = 0; mct_json_node_is(from, '{') && i < from->n; i++)
        if (normal_is_meta(from->v[i].key) && !mct_json_tree_get(t, into, from->v[i].key))
            mct_json_tree_put(t, into, from->v[i].key, from->v[i].value);
    for (unsigned i = 0; i < values->n; i++) {
        struct mct_str id = identity(m->run, values->v[i].value);
        if (mct_json_tree_get(t, seen, id))
            continue;
        mct_json_tree_put(t, seen, id, values->v[i].value);
        mct_json_tree_add(t, list, values->v[i].value);
    }
}

/* A second schema for a property that has one: the first stays, unless either lists values. */
static void merge_property(struct merge *m, struct mct_str name, struct mct_json_node *had, struct mct_json_node *more)
{
    struct mct_json_tree *t = &m->run->tree;
    struct mct_json_node *old = mct_json_tree_new(t, '['), *fresh = mct_json_tree_new(t, '[');
    struct mct_json_node *seen = mct_json_tree_get(t, m->seen, name);
    bool lists = values_of(m->run, more, fresh);
    if (!seen) {
        lists |= values_of(m->run, had, old);
        if (!lists)
            return;
        struct mct_json_node *to = mct_json_tree_new(t, '{');
        seen = mct_json_tree_new(t, '{');
        mct_json_tree_put(t, m->seen, name, seen);
        NORMAL_PUT(m->run, to, "enum", mct_json_tree_new(t, '['));
        gather(m, to, seen, had, old);
        mct_json_tree_put(t, m->properties, name, to);
        had = to;
    }
    gather(m, had, seen, more, fresh);
}

static void add_variant(struct merge *m, struct mct_json_node *variant)
{
    struct mct_json_tree *t = &m->run->tree;
    struct mct_json_node *properties = NORMAL_GET(m->run, variant, "properties");
    struct mct_json_node *required = NORMAL_GET(m->run, variant, "required");
    if (!mct_json_node_is(properties, '{'))
        return;
    m->n_objects++;
    for (unsigned i = 0; i < properties->n; i++) {
        struct mct_json_entry *e = &properties->v[i];
        struct mct_json_node *had = mct_json_tree_get(t, m->properties, e->key);
        if (!normal_is_something(had))
            mct_json_tree_put(t, m->properties, e->key, e->value);
        else if (normal_is_something(e->value))
            merge_property(m, e->key, had, e->value);
    }
    for (unsigned i = 0; mct_json_node_is(required, '[') && i < required->n; i++) {
        struct mct_str name = mct_json_node_raw(required->v[i].value);
        struct mct_json_node *count = name.p ? mct_json_tree_get(t, m->counts, name) : NULL;
        if (name.p && !count)
            mct_json_tree_put(t, m->counts, name, count = mct_json_tree_new(t, '['));
        if (name.p)
            mct_json_tree_add(t, count, required->v[i].value);
    }
}

/* The type of all values as JavaScript calls it, in quotes; NULL: they have several. */
static const char *common_type(const struct mct_json_node *values)
{
    const char *common = NULL;
    for (unsigned i = 0; i < values->n; i++) {
        char type = values->v[i].value->type;
        const char *word = type == '"' ? "\"string\"" : type == '0' ? "\"number\"" :
                           type == 't' || type == 'f' ? "\"boolean\"" : "\"object\"";
        if (common && strcmp(common, word) != 0)
            return NULL;
        common = word;
    }
    return common;
}

/* Gathered properties get the type of their values. */
static void set_types(struct merge *m)
{
    for (unsigned i = 0; i < m->seen->n; i++) {
        struct mct_json_node *had = mct_json_tree_get(&m->run->tree, m->properties, m->seen->v[i].key);
        struct mct_json_node *values = NORMAL_GET(m->run, had, "enum"), *to = mct_json_tree_new(&m->run->tree, '{');
        const char *type = values ? common_type(values) : NULL;
        if (!values)
            continue;
        normal_put_meta(m->run, had, to);
        if (type)
            NORMAL_PUT(m->run, to, "type", mct_json_tree_text(&m->run->tree, mct_str_of(type)));
        NORMAL_PUT(m->run, to, "enum", values);
        mct_json_tree_put(&m->run->tree, m->properties, m->seen->v[i].key, to);
    }
}

/* What the schema itself requires, if anything, else what every variant does. */
static struct mct_json_node *required_of(struct merge *m, struct mct_json_node *schema)
{
    struct mct_json_node *own = NORMAL_GET(m->run, schema, "required"), *to = mct_json_tree_new(&m->run->tree, '[');
    for (unsigned i = 0; mct_json_node_is(own, '[') && i < own->n; i++)
        if (own->v[i].value->type == '"')
            mct_json_tree_add(&m->run->tree, to, own->v[i].value);
    for (unsigned i = 0, n_own = to->n; !n_own && i < m->counts->n; i++)
        if (m->counts->v[i].value->n == m->n_objects)
            mct_json_tree_add(&m->run->tree, to, m->counts->v[i].value->v[0].value);
    return to;
}

static struct mct_json_node *written(struct merge *m, struct mct_json_node *schema)
{
    static const char *const texts[] = { "title", "description" };
    struct normal_run *run = m->run;
    struct mct_json_node *to = mct_json_tree_new(&run->tree, '{'), *required = required_of(m, schema);
    struct mct_json_node *own = NORMAL_GET(run, schema, "properties");
    struct mct_json_node *more = NORMAL_GET(run, schema, "additionalProperties");
    NORMAL_PUT(run, to, "type", NORMAL_WORD(run, "\"object\""));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mct_json_node *text = mct_json_tree_get(&run->tree, schema, mct_str_of(texts[i]));
        if (mct_json_node_is(text, '"'))
            mct_json_tree_put(&run->tree, to, mct_str_of(texts[i]), text);
    }
    bool keeps_own = !m->properties->n && own && own->type != 'n';
    NORMAL_PUT(run, to, "properties", keeps_own ? own : m->properties);
    if (required->n)
        NORMAL_PUT(run, to, "required", required);
    NORMAL_PUT(run, to, "additionalProperties", more ? more : NORMAL_WORD(run, "true"));
    return to;
}

struct mct_json_node *normal_merge(struct normal_run *run, struct mct_json_node *schema,
                                   const struct mct_json_node *variants)
{
    struct mct_json_node *own = NORMAL_GET(run, schema, "properties");
    struct merge m = { .run = run, .seen = mct_json_tree_new(&run->tree, '{'),
                       .counts = mct_json_tree_new(&run->tree, '{') };
    bool has_own = mct_json_node_is(own, '{');
    m.properties = has_own ? mct_json_tree_copy(&run->tree, own) : mct_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < variants->n; i++)
        add_variant(&m, variants->v[i].value);
    set_types(&m);
    return written(&m, schema);
}
