/*
 * Names of properties that a provider refuses: each gets a name made of the characters that the provider accepts and of
 * a hash of the original name, which also becomes the title of the property. The new name depends on the original name
 * alone, so the way back needs the original schema only.
 */
#include "model/schema/back.h"

#include "base/rand.h"

enum { MOST_LEN = 64, HASH_BYTES = 4, KEPT_LEN = MOST_LEN - 2 * HASH_BYTES - 2 /* '_' at both ends */ };

static bool is_key_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_key_char(enum mcti_key_form form, char c)
{
    return is_key_letter(c) || (c >= '0' && c <= '9') || (form == MCT_KEYS_DOTTED && (c == '.' || c == '-'));
}

bool mcti_normal_key_fits(enum mcti_key_form form, struct mcti_str key)
{
    if (form == MCT_KEYS_ANY)
        return true;
    for (size_t i = 0; i < key.len; i++)
        if (!is_key_char(form, key.p[i]))
            return false;
    return key.len && key.len <= MOST_LEN && (form != MCT_KEYS_IDENTIFIER || is_key_letter(key.p[0]));
}

/* Appends the name that replaces `key`. */
static void property_key_put(struct mcti_buf *to, enum mcti_key_form form, struct mcti_str key)
{
    unsigned char digest[32] = { 0 };
    char hex[2 * HASH_BYTES + 1];
    bool gap = false;
    if (key.len && !is_key_letter(key.p[0]) && is_key_char(MCT_KEYS_DOTTED, key.p[0]))
        mcti_buf_addc(to, '_');
    for (size_t i = 0; i < key.len && to->len < KEPT_LEN; i++) {
        bool good = is_key_char(form, key.p[i]);
        if (good && gap && to->len)
            mcti_buf_addc(to, '_');
        if (good)
            mcti_buf_addc(to, key.p[i]);
        gap = !good;
    }
    mcti_sha256_pair(MCT_STR("property"), key, digest);
    mcti_hex(digest, HASH_BYTES, hex);
    mcti_buf_addc(to, '_');
    mcti_buf_addz(to, hex);
}

/* Returns the name that replaces `key`, as a string. */
static struct mcti_json_node *property_key_node(struct mcti_normal_run *run, struct mcti_str key)
{
    struct mcti_buf name;
    mcti_buf_init(&name, MOST_LEN + 8);
    property_key_put(&name, run->profile->rules->keys, key);
    struct mcti_json_node *node = mcti_normal_quoted(run, mcti_buf_str(&name));
    mcti_buf_done(&name);
    return node;
}

static struct mcti_str property_key_new(struct mcti_normal_run *run, struct mcti_str key)
{
    return mcti_normal_key_fits(run->profile->rules->keys, key) ? key : mcti_json_node_raw(property_key_node(run, key));
}

/* ---- there ---- */

static struct mcti_json_node *keys_renamed(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at);

static struct mcti_json_node *names_renamed(struct mcti_normal_run *run, struct mcti_json_node *names)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '[');
    for (unsigned i = 0; i < names->n; i++) {
        struct mcti_str name = mcti_json_node_raw(names->v[i].value);
        bool odd = name.p && !mcti_normal_key_fits(run->profile->rules->keys, name);
        mcti_json_tree_add(&run->tree, to, odd ? property_key_node(run, name) : names->v[i].value);
    }
    return to;
}

/* Returns the schema with the original name of its property as title, unless it has a title. */
static struct mcti_json_node *property_titled(struct mcti_normal_run *run, struct mcti_json_node *schema,
                                              struct mcti_str name)
{
    if (schema->type != '{' || NORMAL_GET(run, schema, "title"))
        return schema;
    schema = mcti_json_tree_copy(&run->tree, schema);
    NORMAL_PUT(run, schema, "title", mcti_normal_quoted(run, name));
    return schema;
}

/* Renames the members of an object whose names are properties. Marks a clash of names in the run. */
static struct mcti_json_node *map_renamed(struct mcti_normal_run *run, struct mcti_json_node *map, bool titled)
{
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < map->n; i++) {
        struct mcti_str key = map->v[i].key, made = property_key_new(run, key);
        struct mcti_json_node *value = map->v[i].value;
        bool renamed = made.p != key.p;
        run->clash |=
            renamed && (mcti_json_tree_get(&run->tree, map, made) || mcti_json_tree_get(&run->tree, to, made));
        value = value->type == '[' ? names_renamed(run, value) : keys_renamed(run, value, NULL);
        mcti_json_tree_put(&run->tree, to, made, renamed && titled ? property_titled(run, value, key) : value);
    }
    return to;
}

static struct mcti_json_node *keys_renamed(struct mcti_normal_run *run, struct mcti_json_node *node, const void *at)
{
    static const char *const maps[] = { "properties", "dependentSchemas", "dependentRequired", "dependencies" };
    if (node->type == '[')
        return mcti_normal_each(run, node, keys_renamed, at);
    if (node->type != '{')
        return node;
    struct mcti_json_node *to = mcti_json_tree_new(&run->tree, '{');
    for (unsigned i = 0; i < node->n; i++) {
        const struct mcti_json_entry *e = &node->v[i];
        struct mcti_json_node *value = NULL;
        for (size_t k = 0; k < sizeof maps / sizeof *maps && e->value->type == '{'; k++)
            if (mcti_str_is(e->key, maps[k]))
                value = map_renamed(run, e->value, k == 0);
        if (!value && mcti_str_is(e->key, "required") && e->value->type == '[')
            value = names_renamed(run, e->value);
        mcti_json_tree_put(&run->tree, to, e->key,
                           value ? value : mcti_normal_inside(run, e, NORMAL_ALL, keys_renamed, at));
    }
    return to;
}

struct mcti_json_node *mcti_normal_property_keys(struct mcti_normal_run *run, struct mcti_json_node *root)
{
    return run->profile->rules->keys == MCT_KEYS_ANY ? root : keys_renamed(run, root, NULL);
}

/* ---- and back ---- */

static bool has_odd_keys(const struct mcti_json_node *node, enum mcti_key_form form, bool are_properties)
{
    for (unsigned i = 0; i < node->n; i++) {
        const struct mcti_json_entry *e = &node->v[i];
        bool object = node->type == '{';
        if (object && are_properties && !mcti_normal_key_fits(form, e->key))
            return true;
        if (has_odd_keys(e->value, form, object && mcti_str_is(e->key, "properties")))
            return true;
    }
    return false;
}

bool mcti_normal_has_odd_keys(const struct mcti_normal_run *run)
{
    enum mcti_key_form form = run->profile->rules ? run->profile->rules->keys : MCT_KEYS_ANY;
    return form != MCT_KEYS_ANY && has_odd_keys(run->document, form, false);
}

struct mcti_str mcti_normal_original_key(struct mcti_normal_run *run, struct mcti_str key,
                                         const struct mcti_normal_choices *choices)
{
    for (unsigned i = 0; i < choices->n; i++)
        if (mcti_json_tree_get(&run->tree, NORMAL_GET(run, choices->v[i], "properties"), key))
            return key;
    for (unsigned i = 0; i < choices->n; i++) {
        const struct mcti_json_node *properties = NORMAL_GET(run, choices->v[i], "properties");
        if (!mcti_json_node_is(properties, '{') || !mcti_normal_spend(run, properties->n))
            continue;
        for (unsigned k = 0; k < properties->n; k++)
            if (mcti_str_eq(property_key_new(run, properties->v[k].key), key))
                return properties->v[k].key;
    }
    return key;
}
