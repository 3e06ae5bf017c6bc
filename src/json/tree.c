/* Creates, changes, finds and writes nodes. */
#include "json/tree.h"

#include "base/hash.h"

enum { INDEX_FROM = 16 }; /* smallest number of members with an index */

void mcti_json_tree_init(struct mcti_json_tree *t, size_t max_bytes)
{
    mcti_arena_init(&t->arena, max_bytes);
}

void mcti_json_tree_done(struct mcti_json_tree *t)
{
    mcti_arena_done(&t->arena);
}

struct mcti_json_node *mcti_json_tree_new(struct mcti_json_tree *t, char type)
{
    struct mcti_json_node *node = mcti_arena_get(&t->arena, sizeof *node);
    if (!node)
        node = &t->spare;
    *node = (struct mcti_json_node){ .type = type };
    return node;
}

struct mcti_json_node *mcti_json_tree_text(struct mcti_json_tree *t, struct mcti_str raw)
{
    struct mcti_json_node *node = mcti_json_tree_new(t, mcti_json_type(raw));
    node->text = raw;
    return node;
}

struct mcti_json_node *mcti_json_tree_copy_text(struct mcti_json_tree *t, struct mcti_str raw)
{
    char *p = mcti_arena_dup(&t->arena, raw);
    return mcti_json_tree_text(t, p ? (struct mcti_str){ p, raw.len } : MCT_STR("null"));
}

struct mcti_json_node *mcti_json_tree_copy(struct mcti_json_tree *t, const struct mcti_json_node *of)
{
    struct mcti_json_node *node = mcti_json_tree_new(t, of->type);
    struct mcti_json_entry *v = of->n ? mcti_arena_get(&t->arena, of->n * sizeof *v) : NULL;
    if (!v)
        return node;
    memcpy(v, of->v, of->n * sizeof *v);
    node->v = v;
    node->n = node->cap = of->n;
    return node;
}

/* ---- the index: positions in v, plus one, by the hash of the key; at least half empty ---- */

static void index_one(struct mcti_json_node *o, unsigned i)
{
    unsigned slot = (unsigned)mcti_hash(0, o->v[i].key) & (o->n_slots - 1);
    while (o->slots[slot])
        slot = (slot + 1) & (o->n_slots - 1);
    o->slots[slot] = i + 1;
}

static void json_tree_index_all(struct mcti_json_tree *t, struct mcti_json_node *o)
{
    unsigned n_slots = 4 * INDEX_FROM;
    while (n_slots < o->n * 4)
        n_slots *= 2;
    o->slots = mcti_arena_get(&t->arena, n_slots * sizeof *o->slots);
    o->n_slots = n_slots;
    for (unsigned i = 0; o->slots && i < o->n; i++)
        index_one(o, i);
}

static struct mcti_json_entry *find_indexed(const struct mcti_json_node *o, struct mcti_str key)
{
    unsigned slot = (unsigned)mcti_hash(0, key) & (o->n_slots - 1);
    for (; o->slots[slot]; slot = (slot + 1) & (o->n_slots - 1))
        if (mcti_str_eq(o->v[o->slots[slot] - 1].key, key))
            return &o->v[o->slots[slot] - 1];
    return NULL;
}

static struct mcti_json_entry *json_tree_find(struct mcti_json_tree *t, struct mcti_json_node *o, struct mcti_str key)
{
    if (o->n > INDEX_FROM && !o->slots)
        json_tree_index_all(t, o);
    if (o->n > INDEX_FROM && o->slots)
        return find_indexed(o, key);
    for (unsigned i = 0; i < o->n; i++)
        if (mcti_str_eq(o->v[i].key, key))
            return &o->v[i];
    return NULL;
}

struct mcti_json_node *mcti_json_tree_get(struct mcti_json_tree *t, struct mcti_json_node *node, struct mcti_str key)
{
    struct mcti_json_entry *e = mcti_json_node_is(node, '{') ? json_tree_find(t, node, key) : NULL;
    return e ? e->value : NULL;
}

/* ---- changing nodes ---- */

static void json_tree_append(struct mcti_json_tree *t, struct mcti_json_node *node, struct mcti_json_entry e)
{
    if (node->n == node->cap) {
        unsigned cap = node->cap ? node->cap * 2 : 4;
        struct mcti_json_entry *v = mcti_arena_get(&t->arena, cap * sizeof *v);
        if (!v)
            return;
        if (node->n)
            memcpy(v, node->v, node->n * sizeof *v);
        node->v = v;
        node->cap = cap;
    }
    node->v[node->n++] = e;
    if (!node->slots)
        return;
    if (node->n * 2 > node->n_slots)
        json_tree_index_all(t, node);
    else
        index_one(node, node->n - 1);
}

void mcti_json_tree_put(struct mcti_json_tree *t, struct mcti_json_node *object, struct mcti_str key,
                        struct mcti_json_node *value)
{
    struct mcti_json_entry *e = json_tree_find(t, object, key);
    if (e)
        e->value = value;
    else
        json_tree_append(t, object, (struct mcti_json_entry){ key, value });
}

void mcti_json_tree_add(struct mcti_json_tree *t, struct mcti_json_node *array, struct mcti_json_node *value)
{
    json_tree_append(t, array, (struct mcti_json_entry){ MCT_STR_NONE, value });
}

void mcti_json_tree_remove(struct mcti_json_tree *t, struct mcti_json_node *object, struct mcti_str key)
{
    struct mcti_json_entry *e = json_tree_find(t, object, key);
    if (!e)
        return;
    memmove(e, e + 1, (size_t)(object->v + object->n - e - 1) * sizeof *e);
    object->n--;
    object->slots = NULL;
}

/* ---- reading nodes ---- */

struct mcti_str mcti_json_node_raw(const struct mcti_json_node *node)
{
    if (!mcti_json_node_is(node, '"'))
        return MCT_STR_NONE;
    return (struct mcti_str){ node->text.p + 1, node->text.len - 2 };
}

bool mcti_json_node_says(const struct mcti_json_node *node, const char *z)
{
    return mcti_json_node_is(node, '"') && mcti_str_is(mcti_json_node_raw(node), z);
}

static void json_tree_measure(const struct mcti_json_node *node, size_t most, int depth, struct mcti_json_size *s)
{
    s->nodes++;
    s->bytes += node->text.len + 1;
    if (s->depth < depth)
        s->depth = depth;
    for (unsigned i = 0; i < node->n && s->nodes <= most; i++) {
        s->bytes += node->v[i].key.len + 1;
        json_tree_measure(node->v[i].value, most, depth + 1, s);
    }
}

struct mcti_json_size mcti_json_node_size(const struct mcti_json_node *node, size_t most_nodes)
{
    struct mcti_json_size s = { 0 };
    json_tree_measure(node, most_nodes, 0, &s);
    return s;
}

void mcti_json_tree_write(struct mcti_buf *to, const struct mcti_json_node *node)
{
    bool object = node->type == '{';
    if (!object && node->type != '[') {
        mcti_buf_add(to, node->text);
        return;
    }
    mcti_buf_addc(to, node->type);
    for (unsigned i = 0; i < node->n && mcti_buf_ok(to); i++) {
        mcti_buf_addz(to, i ? "," : "");
        if (object) {
            mcti_buf_addc(to, '"');
            mcti_buf_add(to, node->v[i].key);
            mcti_buf_add(to, MCT_STR("\":"));
        }
        mcti_json_tree_write(to, node->v[i].value);
    }
    mcti_buf_addc(to, object ? '}' : ']');
}
