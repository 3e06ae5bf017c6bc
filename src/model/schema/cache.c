/* Normalised schemas by what they were made of, the last used ones. */
#include "model/schema/profile.h"

#include "base/map.h"
#include "base/rand.h"

#include <stdlib.h>

enum { KEY_BYTES = 32 };

struct entry {
    struct mct_map_node node;
    struct mct_list used;
    unsigned char key[KEY_BYTES];
    struct mct_schema_report report;
    size_t len;
    char text[];
};

struct mct_schema_cache {
    struct mct_map map;
    struct mct_list used; /* the last one is the newest */
    size_t bytes, max;
};

struct mct_schema_cache *mct_schema_cache_new(size_t max_bytes)
{
    struct mct_schema_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    mct_map_init(&c->map);
    mct_list_init(&c->used);
    c->max = max_bytes;
    return c;
}

static void drop(struct mct_schema_cache *c, struct entry *e)
{
    c->bytes -= sizeof *e + e->len;
    mct_map_remove(&c->map, &e->node);
    mct_list_remove(&e->used);
    free(e);
}

void mct_schema_cache_free(struct mct_schema_cache *c)
{
    if (!c)
        return;
    MCT_LIST_EACH(it, &c->used)
        drop(c, MCT_CONTAINER(it, struct entry, used));
    mct_map_done(&c->map);
    free(c);
}

static void put_words(struct mct_buf *to, const char *const *words)
{
    for (; words && *words; words++) {
        mct_buf_addc(to, '\n');
        mct_buf_addz(to, *words);
    }
    mct_buf_addc(to, '\n');
}

/* By the profile's name and keywords; its steps are those of its row. */
static int key_of(struct mct_str schema, const struct mct_schema_profile *p, unsigned char ret[KEY_BYTES])
{
    struct mct_buf b;
    mct_buf_init(&b, 1u << 16);
    mct_buf_addz(&b, p->name);
    put_words(&b, p->strip);
    put_words(&b, p->extra);
    int r = mct_buf_ok(&b) ? mct_sha256_pair(mct_buf_str(&b), schema, ret) : -1;
    mct_buf_done(&b);
    return r;
}

/* All but the newest may go for it. */
static void make_room(struct mct_schema_cache *c)
{
    while (c->bytes > c->max && c->used.next != c->used.prev)
        drop(c, MCT_CONTAINER(c->used.next, struct entry, used));
}

static struct entry *add(struct mct_schema_cache *c, const unsigned char key[KEY_BYTES], struct mct_str text,
                         struct mct_schema_report report)
{
    struct entry *e = malloc(sizeof *e + text.len);
    if (!e)
        return NULL;
    *e = (struct entry){ .report = report, .len = text.len };
    memcpy(e->key, key, KEY_BYTES);
    memcpy(e->text, text.p, text.len);
    if (mct_map_put(&c->map, &e->node, (struct mct_str){ (const char *)e->key, KEY_BYTES }) < 0) {
        free(e);
        return NULL;
    }
    mct_list_append(&c->used, &e->used);
    c->bytes += sizeof *e + e->len;
    make_room(c);
    return e;
}

static struct entry *make(struct mct_schema_cache *c, const unsigned char key[KEY_BYTES], struct mct_str schema,
                          const struct mct_schema_profile *profile, struct mct_error *err)
{
    struct mct_schema_report report = { 0 };
    struct entry *e = NULL;
    struct mct_buf b;
    mct_buf_init(&b, SIZE_MAX);
    if (mcti_schema_normalise(&b, schema, profile, &report, err) == 0) {
        e = add(c, key, mct_buf_str(&b), report);
        if (!e)
            mct_no_memory(err);
    }
    mct_buf_done(&b);
    return e;
}

int mct_schema_cache_get(struct mct_schema_cache *c, struct mct_str schema, const struct mct_schema_profile *profile,
                         struct mct_str *ret_text, struct mct_schema_report *ret, struct mct_error *err)
{
    unsigned char key[KEY_BYTES];
    if (key_of(schema, profile, key) < 0)
        return mct_no_memory(err);
    struct mct_map_node *node = mct_map_get(&c->map, (struct mct_str){ (const char *)key, KEY_BYTES });
    struct entry *e = node ? MCT_CONTAINER(node, struct entry, node) : make(c, key, schema, profile, err);
    if (!e)
        return -1;
    mct_list_remove(&e->used);
    mct_list_append(&c->used, &e->used);
    *ret_text = (struct mct_str){ e->text, e->len };
    if (ret)
        *ret = e->report;
    return 0;
}
