/* Nodes: made, changed, found, written. */
#include "json/tree.h"

#include "base/hash.h"

enum { INDEX_FROM = 16 }; /* members; fewer are searched one by one */

void mct_json_tree_init(struct mct_json_tree *t, size_t max_bytes)
{
    mct_arena_init(&t->arena, max_bytes);
}

void mct_json_tree_done(struct mct_json_tree *t)
{
    mct_arena_done(&t->arena);
}

struct mct_json_node *mct_json_tree_new(struct mct_json_tree *t, char type)
{
    struct mct_json_node *node = mct_arena_get(&t->arena, sizeof *node);
    if (!node)
        node = &t->spare;
    *node = (struct mct_json_node){ .type = type };
    return node;
}

struct mct_json_node *mct_json_tree_text(struct mct_json_tree *t, struct mct_str raw)
{
    struct mct_json_node *node = mct_json_tree_new(t, mct_json_type(raw));
    node->text = raw;
    return node;
}

struct mct_json_node *mct_json_tree_copy_text(struct mct_json_tree *t, struct mct_str raw)
{
    char *p = mct_arena_dup(&t->arena, raw);
    return mct_json_tree_text(t, p ? (struct mct_str){ p, raw.len } : MCT_STR("null"));
}

struct mct_json_node *mct_json_tree_copy(struct mct_json_tree *t, const struct mct_json_node *of)
{
    struct mct_json_node *node = mct_json_tree_new(t, of->type);
    struct mct_json_entry *v = of->n ? mct_arena_get(&t->arena, of->n * sizeof *v) : NULL;
    if (!v)
        return node;
    memcpy(v, of->v, of->n * sizeof *v);
    node->v = v;
    node->n = node->cap = of->n;
    return node;
}

/* ---- the index: places in v, plus one, by the hash of the key; always at least half empty ---- */

static void index_one(struct mct_json_node *o, unsigned i)
{
    unsigned slot = (unsigned)mct_hash(0, o->v[i].key) & (o->n_slots - 1);
    while (o->slots[slot])
        slot = (slot + 1) & (o->n_slots - 1);
    o->slots[slot] = i + 1;
}

static void index_all(struct mct_json_tree *t, struct mct_json_node *o)
{
    unsigned n_slots = 4 * INDEX_FROM;
    while (n_slots < o->n * 4)
        n_slots *= 2;
    o->slots = mct_arena_get(&t->arena, n_slots * sizeof *o->slots);
    o->n_slots = n_slots;
    for (unsigned i = 0; o->slots && i < o->n; i++)
        index_one(o, i);
}

static struct mct_json_entry *find_indexed(const struct mct_json_node *o, struct mct_str key)
{
    unsigned slot = (unsigned)mct_hash(0, key) & (o->n_slots - 1);
    for (; o->slots[slot]; slot = (slot + 1) & (o->n_slots - 1))
        if (mct_str_eq(o->v[o->slots[slot] - 1].key, key))
            return &o->v[o->slots[slot] - 1];
    return NULL;
}

static struct mct_json_entry *find(struct mct_json_tree *t, struct mct_json_node *o, struct mct_str key)
{
    if (o->n > INDEX_FROM && !o->slots)
        index_all(t, o);
    if (o->n > INDEX_FROM && o->slots)
        return find_indexed(o, key);
    for (unsigned i = 0; i < o->n; i++)
        if (mct_str_eq(o->v[i].key, key))
            return &o->v[i];
    return NULL;
}

struct mct_json_node *mct_json_tree_get(struct mct_json_tree *t, struct mct_json_node *node, struct mct_str key)
{
    struct mct_json_entry *e = mct_json_node_is(node, '{') ? find(t, node, key) : NULL;
    return e ? e->value : NULL;
}

/* ---- changes ---- */

static void append(struct mct_json_tree *t, struct mct_json_node *node, struct mct_json_entry e)
{
    if (node->n == node->cap) {
        unsigned cap = node->cap ? node->cap * 2 : 4;
        struct mct_json_entry *v = mct_arena_get(&t->arena, cap * sizeof *v);
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
        index_all(t, node);
    else
        index_one(node, node->n - 1);
}

void mct_json_tree_put(struct mct_json_tree *t, struct mct_json_node *object, struct mct_str key,
                       struct mct_json_node *value)
{
    struct mct_json_entry *e = find(t, object, key);
    if (e)
        e->value = value;
    else
        append(t, object, (struct mct_json_entry){ key, value });
}

void mct_json_tree_add(struct mct_json_tree *t, struct mct_json_node *array, struct mct_json_node *value)
{
    append(t, array, (struct mct_json_entry){ MCT_STR_NONE, value });
}

void mct_json_tree_remove(struct mct_json_tree *t, struct mct_json_node *object, struct mct_str key)
{
    struct mct_json_entry *e = find(t, object, key);
    if (!e)
        return;
    memmove(e, e + 1, (size_t)(object->v + object->n - e - 1) * sizeof *e);
    object->n--;
    object->slots = NULL;
}

/* ---- looking ---- */

struct mct_str mct_json_node_raw(const struct mct_json_node *node)
{
    if (!mct_json_node_is(node, '"'))
        return MCT_STR_NONE;
    return (struct mct_str){ node->text.p + 1, node->text.len - 2 };
}

bool mct_json_node_says(const struct mct_json_node *node, const char *z)
{
    return mct_json_node_is(node, '"') && mct_str_is(mct_json_node_raw(node), z);
}

static void measure(const struct mct_json_node *node, size_t most, int depth, struct mct_json_size *s)
{
    s->nodes++;
    s->bytes += node->text.len + 1;
    if (s->depth < depth)
        s->depth = depth;
    for (unsigned i = 0; i < node->n && s->nodes <= most; i++) {
        s->bytes += node->v[i].key.len + 1;
        measure(node->v[i].value, most, depth + 1, s);
    }
}

struct mct_json_size mct_json_node_size(const struct mct_json_node *node, size_t most_nodes)
{
    struct mct_json_size s = { 0 };
    measure(node, most_nodes, 0, &s);
    return s;
}

void mct_json_tree_write(struct mct_buf *to, const struct mct_json_node *node)
{
    bool object = node->type == '{';
    if (!object && node->type != '[') {
        mct_buf_add(to, node->text);
        return;
    }
    mct_buf_addc(to, node->type);
    for (unsigned i = 0; i < node->n && mct_buf_ok(to); i++) {
        mct_buf_addz(to, i ? "," : "");
        if (object) {
            mct_buf_addc(to, '"');
            mct_buf_add(to, node->v[i].key);
            mct_buf_add(to, MCT_STR("\":"));
        }
        mct_json_tree_write(to, node->v[i].value);
    }
    mct_buf_addc(to, object ? '}' : ']');
}
