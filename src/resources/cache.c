#include "resources/cache.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdio.h>
#include <stdlib.h>

/* What is kept of one server. */
struct server {
    struct mct_list node; /* in cache->servers */
    const struct mct_provider *provider;
    uint64_t epoch; /* moves when something of it may have changed */
    uint64_t count[MCT_CACHE_N];
};

/* An answer, or the place of one that is on its way. */
struct mct_cache_place {
    struct mct_cache *cache;
    struct server *server;
    const struct mct_provider *connection; /* compared only */
    uint64_t epoch;                        /* of the server when it was asked */
    uint64_t kept_ms, until_ms, ttl_ms;    /* ttl_ms: as the server said, if has_ttl */
    bool has_ttl;
    enum mct_rev rev;
    char *result;
    size_t result_len;
    struct mct_list node;                  /* in cache->kept */
    struct mct_map_node by_key;
    size_t key_len, uri_at;                /* the URI is the end of the key */
    char key[];
};

struct mct_cache {
    struct mct_registry *registry;
    struct mct_cache_opts opts;
    struct mct_watcher watcher;
    struct mct_list servers;
    struct mct_list kept; /* the one used last at the end */
    struct mct_map by_key;
    size_t n, bytes;
    struct mct_buf key, text;
};

const struct mct_cache_opts mct_cache_defaults = { .ttl_ms = 30000, .max_entries = 256, .max_bytes = 64u << 20 };

static struct mct_cache_place *place_of(struct mct_list *node)
{
    return MCT_CONTAINER(node, struct mct_cache_place, node);
}

static uint64_t now_ms(const struct mct_cache *c)
{
    return mct_sched_now(c->registry->sched);
}

/* ---- servers ---- */

static const struct mct_provider *origin_of(const struct mct_provider *p)
{
    return p->origin ? p->origin : p;
}

static struct server *find_server(const struct mct_cache *c, const struct mct_provider *origin)
{
    MCT_LIST_EACH(it, &c->servers)
        if (MCT_CONTAINER(it, struct server, node)->provider == origin)
            return MCT_CONTAINER(it, struct server, node);
    return NULL;
}

static struct server *server_of(struct mct_cache *c, const struct mct_provider *connection)
{
    const struct mct_provider *origin = origin_of(connection);
    struct server *s = find_server(c, origin);
    if (s || !(s = calloc(1, sizeof *s)))
        return s;
    s->provider = origin;
    mct_list_append(&c->servers, &s->node);
    return s;
}

uint64_t mct_cache_count(const struct mct_cache *c, const struct mct_provider *server, enum mct_cache_count what)
{
    const struct server *s = find_server(c, server);
    return s ? s->count[what] : 0;
}

/* ---- what is kept ---- */

static size_t size_of(const struct mct_cache_place *e)
{
    return sizeof *e + e->key_len + e->result_len;
}

static struct mct_str uri_of(const struct mct_cache_place *e)
{
    return (struct mct_str){ e->key + e->uri_at, e->key_len - e->uri_at };
}

void mct_cache_leave(struct mct_cache_place *p)
{
    if (!p)
        return;
    free(p->result);
    free(p);
}

static void forget(struct mct_cache_place *e)
{
    struct mct_cache *c = e->cache;
    size_t size = size_of(e);
    mct_list_remove(&e->node);
    mct_map_remove(&c->by_key, &e->by_key);
    c->n--;
    c->bytes -= size;
    e->server->count[MCT_CACHE_ENTRIES]--;
    e->server->count[MCT_CACHE_BYTES] -= size;
    mct_cache_leave(e);
}

static void make_room(struct mct_cache *c, size_t size)
{
    while (c->n && (c->n >= c->opts.max_entries || c->bytes + size > c->opts.max_bytes)) {
        struct mct_cache_place *oldest = place_of(c->kept.next);
        oldest->server->count[MCT_CACHE_EVICTED]++;
        forget(oldest);
    }
}

/* ---- what has changed ---- */

/* connection NULL: all of them. */
static void forget_server(struct mct_cache *c, struct server *s, const struct mct_provider *connection)
{
    s->epoch++;
    MCT_LIST_EACH(it, &c->kept)
        if (place_of(it)->server == s && (!connection || place_of(it)->connection == connection))
            forget(place_of(it));
}

/* A branch tells of itself only. */
static void on_outdated(struct mct_watcher *w, struct mct_provider *p)
{
    struct mct_cache *c = MCT_CONTAINER(w, struct mct_cache, watcher);
    struct server *s = find_server(c, origin_of(p));
    if (s)
        forget_server(c, s, p->origin ? p : NULL);
}

static void on_changed(struct mct_watcher *w, struct mct_provider *p, unsigned kinds)
{
    if (kinds & 1u << MCT_RESOURCE)
        on_outdated(w, p);
}

/* It may be a part of what was read (2025-06-18 "Subscriptions"): "x://1/part" is news of "x://1", too. */
static void on_updated(struct mct_watcher *w, struct mct_provider *p, struct mct_str params)
{
    struct mct_cache *c = MCT_CONTAINER(w, struct mct_cache, watcher);
    struct server *s = find_server(c, origin_of(p));
    struct mct_buf uri;
    if (!s)
        return;
    s->epoch++;
    mct_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    bool readable = mct_json_unescape(mct_json_get(params, "uri"), &uri) == 0 && mct_buf_ok(&uri);
    MCT_LIST_EACH(it, &c->kept)
        if (place_of(it)->server == s && (!readable || mct_str_starts(mct_buf_str(&uri), uri_of(place_of(it)))))
            forget(place_of(it));
    mct_buf_done(&uri);
}

/* ---- looking ---- */

static bool is_protocols(struct mct_str key)
{
    return mct_json_key_is(key, "progressToken") || mct_str_starts(key, MCT_STR("io.modelcontextprotocol/"));
}

static bool has_own_meta(struct mct_str meta)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(meta); mct_json_next_member(&it, &m);)
        if (!is_protocols(m.key))
            return true;
    return false;
}

bool mct_cache_may(struct mct_str params)
{
    struct mct_json_member m;
    for (struct mct_json_iter it = mct_json_open(params); mct_json_next_member(&it, &m);)
        if (mct_json_key_is(m.key, "_meta") ? has_own_meta(m.value) : !mct_json_key_is(m.key, "uri"))
            return false;
    return true;
}

static struct mct_str put_key(struct mct_cache *c, const struct mct_cache_key *key)
{
    const uintptr_t connection = (uintptr_t)key->connection;
    mct_buf_clear(&c->key);
    mct_buf_add(&c->key, (struct mct_str){ (const char *)&connection, sizeof connection });
    mct_buf_add(&c->key, (struct mct_str){ (const char *)&key->authority, sizeof key->authority });
    mct_buf_add(&c->key, key->uri);
    return mct_buf_str(&c->key);
}

static struct mct_cache_place *make_place(struct mct_cache *c, struct server *s, const struct mct_provider *connection,
                                          struct mct_str key)
{
    struct mct_cache_place *p = mct_buf_ok(&c->key) ? malloc(sizeof *p + key.len) : NULL;
    if (!p)
        return NULL;
    *p = (struct mct_cache_place){ .cache = c, .server = s, .connection = connection, .epoch = s->epoch,
                                   .key_len = key.len, .uri_at = sizeof(uintptr_t) + sizeof(uint64_t) };
    memcpy(p->key, key.p, key.len);
    return p;
}

static struct mct_cache_place *find(struct mct_cache *c, struct mct_str key)
{
    struct mct_map_node *n = mct_buf_ok(&c->key) ? mct_map_get(&c->by_key, key) : NULL;
    struct mct_cache_place *e = n ? MCT_CONTAINER(n, struct mct_cache_place, by_key) : NULL;
    if (!e || now_ms(c) < e->until_ms)
        return e;
    forget(e);
    return NULL;
}

/* Its reader counts from now. */
static struct mct_str aged(struct mct_cache *c, const struct mct_cache_place *e)
{
    struct mct_str result = { e->result, e->result_len };
    char left[32];
    if (!e->has_ttl)
        return result;
    snprintf(left, sizeof left, "%llu", (unsigned long long)(e->ttl_ms - (now_ms(c) - e->kept_ms)));
    const struct mct_json_set set = { "ttlMs", mct_str_of(left) };
    mct_buf_clear(&c->text);
    mct_json_put_object(&c->text, result, &set, 1);
    return mct_buf_ok(&c->text) ? mct_buf_str(&c->text) : result;
}

bool mct_cache_get(struct mct_cache *c, const struct mct_cache_key *key, struct mct_outcome *ret,
                   struct mct_cache_place **ret_place)
{
    struct mct_str text = put_key(c, key);
    struct server *s = server_of(c, key->connection);
    struct mct_cache_place *e = find(c, text);
    *ret_place = NULL;
    if (e) {
        s->count[MCT_CACHE_HITS]++;
        mct_list_remove(&e->node);
        mct_list_append(&c->kept, &e->node);
        *ret = (struct mct_outcome){ .result = aged(c, e), .rev = e->rev };
        return true;
    }
    if (s) {
        s->count[MCT_CACHE_MISSES]++;
        *ret_place = make_place(c, s, key->connection, text);
    }
    return false;
}

/* ---- keeping ---- */

static bool has_text(struct mct_str result)
{
    struct mct_str item;
    for (struct mct_json_iter it = mct_json_open(mct_json_get(result, "contents")); mct_json_next_item(&it, &item);)
        if (mct_json_type(mct_json_get(item, "text")) == '"')
            return true;
    return false;
}

/* How long the result is good for: the operator's time, or what a 2026-07-28 server says, if that is less. */
static uint64_t time_of(struct mct_cache_place *p, const struct mct_outcome *o)
{
    struct mct_str ttl = mct_rev_is_stateless(o->rev) ? mct_json_get(o->result, "ttlMs") : MCT_STR_NONE;
    uint64_t most = p->cache->opts.ttl_ms;
    p->has_ttl = ttl.p != NULL;
    if (p->has_ttl && !mct_json_uint(ttl, &p->ttl_ms))
        return 0;
    return p->has_ttl && p->ttl_ms < most ? p->ttl_ms : most;
}

static bool may_keep(const struct mct_cache_place *p, const struct mct_call *call, const struct mct_outcome *o)
{
    return o->result.p && p->epoch == p->server->epoch && !call->asked && mct_shape_is_complete(o->result) &&
           has_text(o->result);
}

void mct_cache_put(struct mct_cache_place *p, const struct mct_call *call, const struct mct_outcome *o)
{
    struct mct_cache *c = p->cache;
    uint64_t ms = may_keep(p, call, o) ? time_of(p, o) : 0;
    size_t size = size_of(p) + o->result.len;
    struct mct_cache_place *old;
    if (!ms || size > c->opts.max_bytes || !(p->result = mct_str_dup(o->result))) {
        mct_cache_leave(p);
        return;
    }
    const struct mct_str key = { p->key, p->key_len };
    struct mct_map_node *n = mct_map_get(&c->by_key, key);
    old = n ? MCT_CONTAINER(n, struct mct_cache_place, by_key) : NULL;
    if (old) /* two have asked at once */
        forget(old);
    make_room(c, size);
    p->result_len = o->result.len;
    p->rev = o->rev;
    p->kept_ms = now_ms(c);
    p->until_ms = p->kept_ms + ms;
    if (mct_map_put(&c->by_key, &p->by_key, key) < 0) {
        mct_cache_leave(p);
        return;
    }
    mct_list_append(&c->kept, &p->node);
    c->n++;
    c->bytes += size;
    p->server->count[MCT_CACHE_ENTRIES]++;
    p->server->count[MCT_CACHE_BYTES] += size;
}

/* ---- life ---- */

struct mct_cache *mct_cache_new(struct mct_registry *r, const struct mct_cache_opts *opts)
{
    struct mct_cache *c = opts->enabled ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->registry = r;
    c->opts = *opts;
    mct_list_init(&c->servers);
    mct_list_init(&c->kept);
    mct_map_init(&c->by_key);
    mct_buf_init(&c->key, MCT_LIMIT_URI_BYTES + 64);
    mct_buf_init(&c->text, MCT_LIMIT_MESSAGE_BYTES);
    c->watcher = (struct mct_watcher){ .changed = on_changed, .state = on_outdated, .outdated = on_outdated,
                                       .updated = on_updated };
    mct_registry_watch(r, &c->watcher);
    return c;
}

void mct_cache_free(struct mct_cache *c)
{
    if (!c)
        return;
    mct_watcher_remove(&c->watcher);
    while (!mct_list_empty(&c->kept))
        forget(place_of(c->kept.next));
    while (!mct_list_empty(&c->servers)) {
        struct server *s = MCT_CONTAINER(c->servers.next, struct server, node);
        mct_list_remove(&s->node);
        free(s);
    }
    mct_map_done(&c->by_key);
    mct_buf_done(&c->key);
    mct_buf_done(&c->text);
    free(c);
}
