/* Merges the params of a hook into the caller's arguments: each member of the hook replaces the caller's member. */
#include "hub/hooks/hooks_impl.h"

#include <stdlib.h>

/* A changed member, found by the text of its key. */
struct change {
    struct mcti_map_node node;
    struct mcti_json_member member;
    size_t from, len; /* key of the member, in `keys` */
    bool done;
};

struct changes {
    struct mcti_map map;
    struct mcti_buf keys, scratch;
    struct change *v;
    size_t n;
};

/* Appends the text of a key to *to. */
static struct mcti_str put_key_text(struct mcti_buf *to, struct mcti_str raw)
{
    size_t from = to->len;
    mcti_json_unescape_any((struct mcti_str){ raw.p - 1, raw.len + 2 }, to);
    struct mcti_str text = mcti_buf_str(to);
    return mcti_buf_ok(to) ? (struct mcti_str){ text.p + from, text.len - from } : text;
}

static size_t params_count(struct mcti_str object)
{
    struct mcti_json_member m;
    size_t n = 0;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        n++;
    return n;
}

static int open_changes(struct changes *c, struct mcti_str object)
{
    struct mcti_json_member m;
    size_t n = params_count(object);
    mcti_map_init(&c->map);
    mcti_buf_init(&c->keys, 3 * object.len + 16);
    mcti_buf_init(&c->scratch, (size_t)1 << 32);
    c->n = 0;
    c->v = calloc(n + 1, sizeof *c->v);
    for (struct mcti_json_iter it = mcti_json_open(object); c->v && mcti_json_next_member(&it, &m); c->n++) {
        size_t from = c->keys.len;
        put_key_text(&c->keys, m.key);
        c->v[c->n] = (struct change){ .member = m, .from = from, .len = c->keys.len - from };
    }
    if (!c->v || !mcti_buf_ok(&c->keys))
        return -1;
    for (size_t i = 0; i < c->n; i++) { /* `keys` does not grow any more */
        struct mcti_str key = { mcti_buf_str(&c->keys).p + c->v[i].from, c->v[i].len };
        if (mcti_map_put(&c->map, &c->v[i].node, key) < 0)
            return -1;
    }
    return 0;
}

static void close_changes(struct changes *c)
{
    mcti_map_done(&c->map);
    mcti_buf_done(&c->keys);
    mcti_buf_done(&c->scratch);
    free(c->v);
}

static struct change *params_find(struct changes *c, struct mcti_str raw_key)
{
    if (!mcti_buf_ok(&c->scratch))
        return NULL;
    mcti_buf_clear(&c->scratch);
    struct mcti_map_node *n = mcti_map_get(&c->map, put_key_text(&c->scratch, raw_key));
    return n ? MCT_CONTAINER(n, struct change, node) : NULL;
}

static void params_put(struct mcti_buf *to, const struct mcti_json_member *m)
{
    if (mcti_buf_last(to) != '{')
        mcti_buf_addc(to, ',');
    mcti_buf_addc(to, '"');
    mcti_buf_add(to, m->key);
    mcti_buf_addz(to, "\":");
    mcti_buf_add(to, m->value);
}

int mcti_hook_merge(struct mcti_buf *to, struct mcti_str arguments, struct mcti_str given)
{
    struct changes c;
    struct mcti_json_member m;
    int r = open_changes(&c, given);
    mcti_buf_addc(to, '{');
    for (struct mcti_json_iter it = mcti_json_open(arguments);
         r == 0 && mcti_buf_ok(to) && mcti_json_next_member(&it, &m);) {
        struct change *changed = params_find(&c, m.key);
        if (!changed || !changed->done)
            params_put(to, changed ? &changed->member : &m);
        if (changed)
            changed->done = true;
    }
    for (size_t i = 0; r == 0 && mcti_buf_ok(to) && i < c.n; i++)
        if (params_find(&c, c.v[i].member.key) == &c.v[i] && !c.v[i].done)
            params_put(to, &c.v[i].member);
    mcti_buf_addc(to, '}');
    if (!mcti_buf_ok(&c.scratch))
        r = -1;
    close_changes(&c);
    return r < 0 || !mcti_buf_ok(to) ? -1 : 0;
}
