/* Cache of normalised schemas, least recently used first out. */
#include "model/schema/profile.h"

#include "base/table/map.h"
#include "base/rand.h"

#include <stdlib.h>

enum { KEY_BYTES = 32 };

struct entry {
    struct mcti_map_node node;
    struct mcti_list used;
    unsigned char key[KEY_BYTES];
    struct mcti_schema_report report;
    size_t len;
    char text[];
};

struct mcti_schema_cache {
    struct mcti_map map;
    struct mcti_list used; /* least recently used first */
    size_t bytes, max;
};

struct mcti_schema_cache *mcti_schema_cache_new(size_t max_bytes)
{
    struct mcti_schema_cache *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    mcti_map_init(&c->map);
    mcti_list_init(&c->used);
    c->max = max_bytes;
    return c;
}

static void schema_cache_drop(struct mcti_schema_cache *c, struct entry *e)
{
    c->bytes -= sizeof *e + e->len;
    mcti_map_remove(&c->map, &e->node);
    mcti_list_remove(&e->used);
    free(e);
}

void mcti_schema_cache_free(struct mcti_schema_cache *c)
{
    if (!c)
        return;
    MCT_LIST_EACH(it, &c->used)
        schema_cache_drop(c, MCT_CONTAINER(it, struct entry, used));
    mcti_map_done(&c->map);
    free(c);
}

static void put_words(struct mcti_buf *to, const char *const *words)
{
    for (; words && *words; words++) {
        mcti_buf_addc(to, '\n');
        mcti_buf_addz(to, *words);
    }
    mcti_buf_addc(to, '\n');
}

/* Computes the key from the schema and the name and keywords of the profile; its steps follow from the name. */
static int schema_cache_key_of(struct mcti_str schema, const struct mcti_schema_profile *p,
                               unsigned char ret[KEY_BYTES])
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 16);
    mcti_buf_addz(&b, p->name);
    put_words(&b, p->strip);
    put_words(&b, p->extra);
    int r = mcti_buf_ok(&b) ? mcti_sha256_pair(mcti_buf_str(&b), schema, ret) : -1;
    mcti_buf_done(&b);
    return r;
}

/* Drops the least recently used entries until the cache fits; the newest entry stays. */
static void schema_cache_make_room(struct mcti_schema_cache *c)
{
    while (c->bytes > c->max && c->used.next != c->used.prev)
        schema_cache_drop(c, MCT_CONTAINER(c->used.next, struct entry, used));
}

static struct entry *schema_cache_add(struct mcti_schema_cache *c, const unsigned char key[KEY_BYTES],
                                      struct mcti_str text, struct mcti_schema_report report)
{
    struct entry *e = malloc(sizeof *e + text.len);
    if (!e)
        return NULL;
    *e = (struct entry){ .report = report, .len = text.len };
    memcpy(e->key, key, KEY_BYTES);
    memcpy(e->text, text.p, text.len);
    if (mcti_map_put(&c->map, &e->node, (struct mcti_str){ (const char *)e->key, KEY_BYTES }) < 0) {
        free(e);
        return NULL;
    }
    mcti_list_append(&c->used, &e->used);
    c->bytes += sizeof *e + e->len;
    schema_cache_make_room(c);
    return e;
}

static struct entry *schema_cache_make(struct mcti_schema_cache *c, const unsigned char key[KEY_BYTES],
                                       struct mcti_str schema, const struct mcti_schema_profile *profile,
                                       struct mct_error *err)
{
    struct mcti_schema_report report = { 0 };
    struct entry *e = NULL;
    struct mcti_buf b;
    mcti_buf_init(&b, SIZE_MAX);
    if (mcti_schema_normalise(&b, schema, profile, &report, err) == 0) {
        e = schema_cache_add(c, key, mcti_buf_str(&b), report);
        if (!e)
            mcti_no_memory(err);
    }
    mcti_buf_done(&b);
    return e;
}

int mcti_schema_cache_get(struct mcti_schema_cache *c, struct mcti_str schema,
                          const struct mcti_schema_profile *profile, struct mcti_str *ret_text,
                          struct mcti_schema_report *ret, struct mct_error *err)
{
    unsigned char key[KEY_BYTES];
    if (schema_cache_key_of(schema, profile, key) < 0)
        return mcti_no_memory(err);
    struct mcti_map_node *node = mcti_map_get(&c->map, (struct mcti_str){ (const char *)key, KEY_BYTES });
    struct entry *e = node ? MCT_CONTAINER(node, struct entry, node) : schema_cache_make(c, key, schema, profile, err);
    if (!e)
        return -1;
    mcti_list_remove(&e->used);
    mcti_list_append(&c->used, &e->used);
    *ret_text = (struct mcti_str){ e->text, e->len };
    if (ret)
        *ret = e->report;
    return 0;
}
