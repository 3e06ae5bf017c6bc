/* Arguments after a hook: what it gives replaces members of what the caller gave, one by one and whole. */
#include "hub/hooks/hooks_impl.h"

#include <stdlib.h>

/* A member to put in, found by the text of its key. */
struct change {
    struct mct_map_node node;
    struct mct_json_member member;
    size_t from, len; /* its key in `keys` */
    bool done;
};

struct changes {
    struct mct_map map;
    struct mct_buf keys, scratch;
    struct change *v;
    size_t n;
};

/* The text of a key as written, behind what is in *to. */
static struct mct_str put_key_text(struct mct_buf *to, struct mct_str raw)
{
    size_t from = to->len;
    mct_json_unescape_any((struct mct_str){ raw.p - 1, raw.len + 2 }, to);
    return mct_buf_ok(to) ? (struct mct_str){ to->p + from, to->len - from } : mct_buf_str(to);
}

static size_t count(struct mct_str object)
{
    struct mct_json_member m;
    size_t n = 0;
    for (struct mct_json_iter it = mct_json_open(object); mct_json_next_member(&it, &m);)
        n++;
    return n;
}

static int open_changes(struct changes *c, struct mct_str object)
{
    struct mct_json_member m;
    size_t n = count(object);
    mct_map_init(&c->map);
    mct_buf_init(&c->keys, 3 * object.len + 16);
    mct_buf_init(&c->scratch, (size_t)1 << 32);
    c->n = 0;
    c->v = calloc(n + 1, sizeof *c->v);
    for (struct mct_json_iter it = mct_json_open(object); c->v && mct_json_next_member(&it, &m); c->n++) {
        size_t from = c->keys.len;
        put_key_text(&c->keys, m.key);
        c->v[c->n] = (struct change){ .member = m, .from = from, .len = c->keys.len - from };
    }
    if (!c->v || !mct_buf_ok(&c->keys))
        return -1;
    for (size_t i = 0; i < c->n; i++) { /* the bytes do not move any more */
        struct mct_str key = { mct_buf_str(&c->keys).p + c->v[i].from, c->v[i].len };
        if (mct_map_put(&c->map, &c->v[i].node, key) < 0)
            return -1;
    }
    return 0;
}

static void close_changes(struct changes *c)
{
    mct_map_done(&c->map);
    mct_buf_done(&c->keys);
    mct_buf_done(&c->scratch);
    free(c->v);
}

static struct change *find(struct changes *c, struct mct_str raw_key)
{
    if (!mct_buf_ok(&c->scratch))
        return NULL;
    mct_buf_clear(&c->scratch);
    struct mct_map_node *n = mct_map_get(&c->map, put_key_text(&c->scratch, raw_key));
    return n ? MCT_CONTAINER(n, struct change, node) : NULL;
}

static void put(struct mct_buf *to, const struct mct_json_member *m)
{
    if (mct_buf_last(to) != '{')
        mct_buf_addc(to, ',');
    mct_buf_addc(to, '"');
    mct_buf_add(to, m->key);
    mct_buf_addz(to, "\":");
    mct_buf_add(to, m->value);
}

int hook_merge(struct mct_buf *to, struct mct_str arguments, struct mct_str given)
{
    struct changes c;
    struct mct_json_member m;
    int r = open_changes(&c, given);
    mct_buf_addc(to, '{');
    for (struct mct_json_iter it = mct_json_open(arguments); r == 0 && mct_buf_ok(to) && mct_json_next_member(&it, &m);) {
        struct change *changed = find(&c, m.key);
        if (!changed || !changed->done)
            put(to, changed ? &changed->member : &m);
        if (changed)
            changed->done = true;
    }
    for (size_t i = 0; r == 0 && mct_buf_ok(to) && i < c.n; i++)
        if (find(&c, c.v[i].member.key) == &c.v[i] && !c.v[i].done)
            put(to, &c.v[i].member);
    mct_buf_addc(to, '}');
    if (!mct_buf_ok(&c.scratch))
        r = -1;
    close_changes(&c);
    return r < 0 || !mct_buf_ok(to) ? -1 : 0;
}
