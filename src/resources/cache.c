#include "resources/cache.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdio.h>
#include <stdlib.h>

/* State of one server; freed with its last place once the server is gone. */
struct server {
    struct mcti_list node;                /* in cache->servers */
    const struct mcti_provider *provider; /* NULL: it is gone */
    size_t n_places;
    uint64_t epoch;  /* incremented whenever a resource of the server may have changed */
    bool has_public; /* it has given public results */
    uint64_t count[MCT_CACHE_N];
};

/* A cached result, or the place for one that is requested. */
struct mcti_cache_place {
    struct mcti_cache *cache;
    struct server *server;
    const struct mcti_provider *connection; /* compared only; NULL: a public result, of any */
    uint64_t epoch;                         /* the server's epoch at the lookup */
    uint64_t kept_ms, until_ms, ttl_ms;     /* ttl_ms: from the server, if has_ttl */
    bool has_ttl;
    enum mcti_rev rev;
    char *result;
    size_t result_len;
    struct mcti_list node; /* in cache->kept */
    struct mcti_map_node by_key;
    size_t key_len, uri_at; /* the URI is the end of the key */
    char key[];
};

struct mcti_cache {
    struct mcti_registry *registry;
    struct mcti_cache_opts opts;
    struct mcti_watcher watcher;
    struct mcti_list servers;
    struct mcti_list kept; /* least recently used first */
    struct mcti_map by_key;
    size_t n, bytes;
    struct mcti_buf key, text;
};

const struct mcti_cache_opts mcti_cache_defaults = {
    .by_ttl = true, .ttl_ms = 30000, .max_entries = 256, .max_bytes = 64u << 20
};

static struct mcti_cache_place *resources_cache_place_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_cache_place, node);
}

static uint64_t now_ms(const struct mcti_cache *c)
{
    return mcti_sched_now(c->registry->sched);
}

/* ---- servers ---- */

static const struct mcti_provider *origin_of(const struct mcti_provider *p)
{
    return p->origin ? p->origin : p;
}

static struct server *find_server(const struct mcti_cache *c, const struct mcti_provider *origin)
{
    MCT_LIST_EACH(it, &c->servers)
        if (MCT_CONTAINER(it, struct server, node)->provider == origin)
            return MCT_CONTAINER(it, struct server, node);
    return NULL;
}

static struct server *server_of(struct mcti_cache *c, const struct mcti_provider *connection)
{
    const struct mcti_provider *origin = origin_of(connection);
    struct server *s = find_server(c, origin);
    if (s || !(s = calloc(1, sizeof *s)))
        return s;
    s->provider = origin;
    mcti_list_append(&c->servers, &s->node);
    return s;
}

uint64_t mcti_cache_count(const struct mcti_cache *c, const struct mcti_provider *server, enum mcti_cache_count what)
{
    const struct server *s = find_server(c, server);
    return s ? s->count[what] : 0;
}

/* ---- entries ---- */

static size_t resources_cache_size_of(const struct mcti_cache_place *e)
{
    return sizeof *e + e->key_len + e->result_len;
}

static struct mcti_str resources_cache_uri_of(const struct mcti_cache_place *e)
{
    return (struct mcti_str){ e->key + e->uri_at, e->key_len - e->uri_at };
}

void mcti_cache_place_free(struct mcti_cache_place *p)
{
    if (!p)
        return;
    if (!--p->server->n_places && !p->server->provider)
        free(p->server);
    free(p->result);
    free(p);
}

static void resources_cache_forget(struct mcti_cache_place *e)
{
    struct mcti_cache *c = e->cache;
    size_t size = resources_cache_size_of(e);
    mcti_list_remove(&e->node);
    mcti_map_remove(&c->by_key, &e->by_key);
    c->n--;
    c->bytes -= size;
    e->server->count[MCT_CACHE_ENTRIES]--;
    e->server->count[MCT_CACHE_BYTES] -= size;
    mcti_cache_place_free(e);
}

static void resources_cache_make_room(struct mcti_cache *c, size_t size)
{
    while (c->n && (c->n >= c->opts.max_entries || c->bytes + size > c->opts.max_bytes)) {
        struct mcti_cache_place *oldest = resources_cache_place_of(c->kept.next);
        oldest->server->count[MCT_CACHE_EVICTED]++;
        resources_cache_forget(oldest);
    }
}

/* ---- invalidation ---- */

/* Drops the entries of the server, or only those read over `connection` if it is not NULL. */
static void forget_server(struct mcti_cache *c, struct server *s, const struct mcti_provider *connection)
{
    s->epoch++;
    MCT_LIST_EACH(it, &c->kept)
        if (resources_cache_place_of(it)->server == s && (!connection || !resources_cache_place_of(it)->connection ||
                                                          resources_cache_place_of(it)->connection == connection))
            resources_cache_forget(resources_cache_place_of(it));
}

/* Drops the entries of p; a change of a branch concerns that connection only. */
static void resources_cache_on_outdated(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_cache *c = MCT_CONTAINER(w, struct mcti_cache, watcher);
    struct server *s = find_server(c, origin_of(p));
    if (s)
        forget_server(c, s, p->origin ? p : NULL);
}

static void resources_cache_on_changed(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds)
{
    if (kinds & 1u << MCT_RESOURCE)
        resources_cache_on_outdated(w, p);
}

static void resources_cache_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_cache *c = MCT_CONTAINER(w, struct mcti_cache, watcher);
    struct server *s = find_server(c, p);
    if (!s)
        return;
    forget_server(c, s, NULL);
    mcti_list_remove(&s->node);
    s->provider = NULL;
    if (!s->n_places)
        free(s);
}

/* The updated URI may be a part of a resource that was read (2025-06-18 "Subscriptions"): "x://1/part" also invalidates
 * "x://1". */
static void resources_cache_on_updated(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params)
{
    struct mcti_cache *c = MCT_CONTAINER(w, struct mcti_cache, watcher);
    struct server *s = find_server(c, origin_of(p));
    struct mcti_buf uri;
    if (!s)
        return;
    s->epoch++;
    mcti_buf_init(&uri, MCT_LIMIT_URI_BYTES);
    bool readable = mcti_json_unescape(mcti_json_get(params, "uri"), &uri) == 0 && mcti_buf_ok(&uri);
    MCT_LIST_EACH(it, &c->kept)
        if (resources_cache_place_of(it)->server == s &&
            (!readable || mcti_str_starts(mcti_buf_str(&uri), resources_cache_uri_of(resources_cache_place_of(it)))))
            resources_cache_forget(resources_cache_place_of(it));
    mcti_buf_done(&uri);
}

/* ---- lookup ---- */

static bool is_protocols(struct mcti_str key)
{
    return mcti_json_key_is(key, "progressToken") || mcti_str_starts(key, MCT_STR("io.modelcontextprotocol/"));
}

static bool has_own_meta(struct mcti_str meta)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(meta); mcti_json_next_member(&it, &m);)
        if (!is_protocols(m.key))
            return true;
    return false;
}

bool mcti_cache_accepts(struct mcti_str params)
{
    struct mcti_json_member m;
    for (struct mcti_json_iter it = mcti_json_open(params); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_is(m.key, "_meta") ? has_own_meta(m.value) : !mcti_json_key_is(m.key, "uri"))
            return false;
    return true;
}

static struct mcti_str resources_cache_put_key(struct mcti_cache *c, const struct mcti_cache_key *key)
{
    const uintptr_t connection = (uintptr_t)key->connection;
    mcti_buf_clear(&c->key);
    mcti_buf_add(&c->key, (struct mcti_str){ (const char *)&connection, sizeof connection });
    mcti_buf_add(&c->key, (struct mcti_str){ (const char *)&key->authority, sizeof key->authority });
    mcti_buf_add(&c->key, key->uri);
    return mcti_buf_str(&c->key);
}

/* Changes the beginning of a key to that of a public result, which no connection has. */
static void resources_cache_publish_key(char *key, const struct mcti_provider *origin)
{
    const uintptr_t connection = (uintptr_t)origin + 1;
    const uint64_t authority = 0;
    memcpy(key, &connection, sizeof connection);
    memcpy(key + sizeof connection, &authority, sizeof authority);
}

static struct mcti_cache_place *make_place(struct mcti_cache *c, struct server *s,
                                           const struct mcti_provider *connection, struct mcti_str key)
{
    struct mcti_cache_place *p = mcti_buf_ok(&c->key) ? malloc(sizeof *p + key.len) : NULL;
    if (!p)
        return NULL;
    *p = (struct mcti_cache_place){ .cache = c,
                                    .server = s,
                                    .connection = connection,
                                    .epoch = s->epoch,
                                    .key_len = key.len,
                                    .uri_at = sizeof(uintptr_t) + sizeof(uint64_t) };
    memcpy(p->key, key.p, key.len);
    s->n_places++;
    return p;
}

static struct mcti_cache_place *resources_cache_find(struct mcti_cache *c, struct mcti_str key)
{
    struct mcti_map_node *n = mcti_buf_ok(&c->key) ? mcti_map_get(&c->by_key, key) : NULL;
    struct mcti_cache_place *e = n ? MCT_CONTAINER(n, struct mcti_cache_place, by_key) : NULL;
    if (!e || now_ms(c) < e->until_ms)
        return e;
    resources_cache_forget(e);
    return NULL;
}

/* Returns the result with its ttlMs reduced to the time that is left. */
static struct mcti_str resources_cache_aged(struct mcti_cache *c, const struct mcti_cache_place *e)
{
    struct mcti_str result = { e->result, e->result_len };
    char left[32];
    if (!e->has_ttl)
        return result;
    snprintf(left, sizeof left, "%llu", (unsigned long long)(e->ttl_ms - (now_ms(c) - e->kept_ms)));
    const struct mcti_json_set set = { "ttlMs", mcti_str_of(left) };
    mcti_buf_clear(&c->text);
    mcti_json_put_object(&c->text, result, &set, 1);
    return mcti_buf_ok(&c->text) ? mcti_buf_str(&c->text) : result;
}

bool mcti_cache_get(struct mcti_cache *c, const struct mcti_cache_key *key, struct mcti_outcome *ret,
                    struct mcti_cache_place **ret_place)
{
    struct mcti_str text = resources_cache_put_key(c, key);
    struct server *s = server_of(c, key->connection);
    struct mcti_cache_place *e = resources_cache_find(c, text);
    *ret_place = NULL;
    if (!e && s && s->has_public && mcti_buf_ok(&c->key)) {
        resources_cache_publish_key(c->key.p, s->provider);
        e = resources_cache_find(c, text);
        text = resources_cache_put_key(c, key);
    }
    if (e) {
        s->count[MCT_CACHE_HITS]++;
        mcti_list_remove(&e->node);
        mcti_list_append(&c->kept, &e->node);
        *ret = (struct mcti_outcome){ .result = resources_cache_aged(c, e), .rev = e->rev };
        return true;
    }
    if (s) {
        s->count[MCT_CACHE_MISSES]++;
        *ret_place = make_place(c, s, key->connection, text);
    }
    return false;
}

/* ---- storing ---- */

static bool has_text(struct mcti_str result)
{
    struct mcti_str item;
    for (struct mcti_json_iter it = mcti_json_open(mcti_json_get(result, "contents")); mcti_json_next_item(&it, &item);)
        if (mcti_json_type(mcti_json_get(item, "text")) == '"')
            return true;
    return false;
}

/* Returns how long the result may be kept: opts.ttl_ms, or the ttlMs of a 2026-07-28 server if that is shorter. Without
 * opts.enabled only a ttlMs counts. */
static uint64_t lifetime_of(struct mcti_cache_place *p, const struct mcti_outcome *o)
{
    struct mcti_str ttl = mcti_rev_is_stateless(o->rev) ? mcti_json_get(o->result, "ttlMs") : MCT_STR_NONE;
    uint64_t most = p->cache->opts.ttl_ms;
    p->has_ttl = ttl.p != NULL;
    if (p->has_ttl && !mcti_json_uint(ttl, &p->ttl_ms))
        return 0;
    if (!p->has_ttl)
        return p->cache->opts.enabled ? most : 0;
    return p->ttl_ms < most ? p->ttl_ms : most;
}

/* Lets all clients of the server use the result if it says so. */
static void resources_cache_publish(struct mcti_cache_place *p, const struct mcti_outcome *o)
{
    if (!p->has_ttl || !mcti_json_is(mcti_json_get(o->result, "cacheScope"), "public"))
        return;
    p->connection = NULL;
    p->server->has_public = true;
    resources_cache_publish_key(p->key, p->server->provider);
}

static bool may_keep(const struct mcti_cache_place *p, const struct mcti_call *call, const struct mcti_outcome *o)
{
    return o->result.p && p->epoch == p->server->epoch && !call->asked && mcti_shape_is_complete(o->result) &&
           has_text(o->result);
}

void mcti_cache_put(struct mcti_cache_place *p, const struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_cache *c = p->cache;
    uint64_t ms = may_keep(p, call, o) ? lifetime_of(p, o) : 0;
    size_t size = resources_cache_size_of(p) + o->result.len;
    struct mcti_cache_place *old;
    if (!ms || size > c->opts.max_bytes || !(p->result = mcti_str_dup(o->result))) {
        mcti_cache_place_free(p);
        return;
    }
    resources_cache_publish(p, o);
    const struct mcti_str key = { p->key, p->key_len };
    struct mcti_map_node *n = mcti_map_get(&c->by_key, key);
    old = n ? MCT_CONTAINER(n, struct mcti_cache_place, by_key) : NULL;
    if (old) /* another call for the same key was answered first */
        resources_cache_forget(old);
    resources_cache_make_room(c, size);
    p->result_len = o->result.len;
    p->rev = o->rev;
    p->kept_ms = now_ms(c);
    p->until_ms = p->kept_ms + ms;
    if (mcti_map_put(&c->by_key, &p->by_key, key) < 0) {
        mcti_cache_place_free(p);
        return;
    }
    mcti_list_append(&c->kept, &p->node);
    c->n++;
    c->bytes += size;
    p->server->count[MCT_CACHE_ENTRIES]++;
    p->server->count[MCT_CACHE_BYTES] += size;
}

/* ---- life ---- */

struct mcti_cache *mcti_cache_new(struct mcti_registry *r, const struct mcti_cache_opts *opts)
{
    struct mcti_cache *c = opts->enabled || opts->by_ttl ? calloc(1, sizeof *c) : NULL;
    if (!c)
        return NULL;
    c->registry = r;
    c->opts = *opts;
    mcti_list_init(&c->servers);
    mcti_list_init(&c->kept);
    mcti_map_init(&c->by_key);
    mcti_buf_init(&c->key, MCT_LIMIT_URI_BYTES + 64);
    mcti_buf_init(&c->text, MCT_LIMIT_MESSAGE_BYTES);
    c->watcher = (struct mcti_watcher){ .changed = resources_cache_on_changed,
                                        .state = resources_cache_on_outdated,
                                        .outdated = resources_cache_on_outdated,
                                        .updated = resources_cache_on_updated,
                                        .left = resources_cache_on_left };
    mcti_registry_watch(r, &c->watcher);
    return c;
}

void mcti_cache_free(struct mcti_cache *c)
{
    if (!c)
        return;
    mcti_watcher_remove(&c->watcher);
    while (!mcti_list_empty(&c->kept))
        resources_cache_forget(resources_cache_place_of(c->kept.next));
    while (!mcti_list_empty(&c->servers)) {
        struct server *s = MCT_CONTAINER(c->servers.next, struct server, node);
        mcti_list_remove(&s->node);
        free(s);
    }
    mcti_map_done(&c->by_key);
    mcti_buf_done(&c->key);
    mcti_buf_done(&c->text);
    free(c);
}
