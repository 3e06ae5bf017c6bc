#include "gateway/activity/activity.h"

#include "base/clock.h"
#include "base/limits.h"
#include "hub/call/event_line.h"
#include "json/scan.h"

#include <stdlib.h>

const enum mcti_verb mcti_activity_verbs[MCT_ACTIVITY_VERBS] = { MCT_VERB_TOOLS_CALL, MCT_VERB_PROMPTS_GET,
                                                                 MCT_VERB_RESOURCES_READ, MCT_VERB_FOREIGN };

enum { VERSION_BYTES = 64 };

uint64_t mcti_activity_note(struct mcti_activity *a)
{
    a->now++;
    MCT_LIST_EACH(it, &a->readers) {
        struct mcti_activity_reader *r = MCT_CONTAINER(it, struct mcti_activity_reader, node);
        r->news(r);
    }
    return a->now;
}

void mcti_activity_read(struct mcti_activity *a, struct mcti_activity_reader *r)
{
    mcti_list_append(&a->readers, &r->node);
}

void mcti_activity_reader_remove(struct mcti_activity_reader *r)
{
    if (r->node.next)
        mcti_list_remove(&r->node);
}

/* ---- servers and tools ---- */

struct mcti_activity_server *mcti_activity_server_find(const struct mcti_activity *a, struct mcti_str name)
{
    struct mcti_map_node *node = mcti_map_get(&a->servers_by_name, name);
    return node ? MCT_CONTAINER(node, struct mcti_activity_server, by_name) : NULL;
}

/* Returns the row of a server, which is created if necessary. Returns NULL when out of memory. */
static struct mcti_activity_server *activity_server(struct mcti_activity *a, struct mcti_str name)
{
    struct mcti_activity_server *s = mcti_activity_server_find(a, name);
    if (s || !(s = calloc(1, sizeof *s + name.len + 1)))
        return s;
    memcpy(s->name, name.p, name.len);
    mcti_map_init(&s->tools_by_name);
    mcti_list_init(&s->tools);
    if (mcti_map_put(&a->servers_by_name, &s->by_name, (struct mcti_str){ s->name, name.len }) < 0) {
        free(s);
        return NULL;
    }
    mcti_list_append(&a->servers, &s->node);
    return s;
}

/* Returns the row of a server for its calls. Servers that are not in the registry share a->other, NULL here, or the row
 * of a server that is named so. */
static struct mcti_activity_server *activity_called(struct mcti_activity *a, struct mcti_str name)
{
    struct mcti_activity_server *s = mcti_activity_server_find(a, name);
    if (s)
        return s;
    if (!mcti_registry_find(a->registry, name))
        name = MCT_STR("other");
    return mcti_registry_find(a->registry, name) ? activity_server(a, name) : NULL;
}

static struct mcti_activity_calls *activity_calls(struct mcti_activity *a, struct mcti_activity_server *s)
{
    struct mcti_activity_calls **at = s ? &s->calls : &a->other;
    if (!*at)
        *at = calloc(1, sizeof **at);
    return *at;
}

/* Returns the row of a tool, which is created if necessary. Returns NULL if too many are counted. */
static struct mcti_activity_tool *activity_tool(struct mcti_activity *a, struct mcti_activity_server *s,
                                                struct mcti_str name)
{
    struct mcti_map_node *node = mcti_map_get(&s->tools_by_name, name);
    if (node)
        return MCT_CONTAINER(node, struct mcti_activity_tool, by_name);
    bool fits = a->n_tools < MCT_ACTIVITY_TOOLS && name.len <= MCT_LIMIT_NAME_BYTES;
    struct mcti_activity_tool *t = fits ? calloc(1, sizeof *t + name.len + 1) : NULL;
    if (!t)
        return NULL;
    memcpy(t->name, name.p, name.len);
    if (mcti_map_put(&s->tools_by_name, &t->by_name, (struct mcti_str){ t->name, name.len }) < 0) {
        free(t);
        return NULL;
    }
    mcti_list_append(&s->tools, &t->node);
    a->n_tools++;
    return t;
}

static void server_free(struct mcti_activity_server *s)
{
    MCT_LIST_EACH(it, &s->tools)
        free(MCT_CONTAINER(it, struct mcti_activity_tool, node));
    mcti_map_done(&s->tools_by_name);
    free(s->calls);
    free(s);
}

/* ---- clients without a session ---- */

static void client_free(struct mcti_activity *a, struct mcti_activity_client *c)
{
    mcti_map_remove(&a->clients_by_key, &c->by_key);
    mcti_list_remove(&c->node);
    free(c->version);
    free(c);
    a->n_clients--;
}

/* Adds the client of the key. Forgets another one if there are too many. Returns NULL when out of memory. */
static struct mcti_activity_client *client_new(struct mcti_activity *a, struct mcti_str key, const struct mcti_event *e)
{
    struct mcti_activity_client *c = calloc(1, sizeof *c + key.len);
    if (!c)
        return NULL;
    memcpy(c->key, key.p, key.len);
    c->id = ++a->last_client;
    c->begun_ms = e->wall_ms;
    char *version = mcti_json_dup(mcti_json_get(e->client_info, "version"));
    c->version = version ? strndup(version, VERSION_BYTES) : NULL;
    free(version);
    mcti_list_append(&a->clients, &c->node);
    a->n_clients++;
    if (mcti_map_put(&a->clients_by_key, &c->by_key, (struct mcti_str){ c->key, key.len }) < 0) {
        client_free(a, c);
        return NULL;
    }
    if (a->n_clients > MCT_ACTIVITY_CLIENTS) {
        client_free(a, MCT_CONTAINER(a->clients.next, struct mcti_activity_client, node));
        a->n_departed++;
    }
    return c;
}

static void client_see(struct mcti_activity *a, const struct mcti_event *e)
{
    char text[MCT_LIMIT_NAME_BYTES + MCT_LIMIT_CLIENT_NAME_BYTES + 2];
    if (e->principal.len > MCT_LIMIT_NAME_BYTES || e->client.len > MCT_LIMIT_CLIENT_NAME_BYTES)
        return;
    size_t n = 0;
    memcpy(text, e->principal.len ? e->principal.p : "", e->principal.len);
    n += e->principal.len;
    text[n++] = '\0';
    memcpy(text + n, e->client.len ? e->client.p : "", e->client.len);
    n += e->client.len;
    text[n++] = '\0';
    struct mcti_str key = { text, n };
    struct mcti_map_node *node = mcti_map_get(&a->clients_by_key, key);
    struct mcti_activity_client *c =
        node ? MCT_CONTAINER(node, struct mcti_activity_client, by_key) : client_new(a, key, e);
    if (!c)
        return;
    c->latest_ms = e->wall_ms;
    c->rev = e->rev;
    c->n_calls++;
    c->changed = a->now;
    mcti_list_remove(&c->node);
    mcti_list_append(&a->clients, &c->node);
}

/* ---- calls ---- */

static void activity_on_begin(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct mcti_activity *a = MCT_CONTAINER(l, struct mcti_activity, listener);
    struct mcti_activity_server *s = activity_called(a, e->server);
    struct mcti_activity_calls *calls = activity_calls(a, s);
    mcti_activity_note(a);
    a->all.n_running++;
    if (calls)
        calls->n_running++;
    if (s)
        s->changed = a->now;
    if (!e->session)
        client_see(a, e);
}

static size_t verb_index(enum mcti_verb verb)
{
    size_t i = 0;
    while (i < MCT_ACTIVITY_VERBS - 1 && mcti_activity_verbs[i] != verb)
        i++;
    return i;
}

static void calls_count(struct mcti_activity_calls *c, const struct mcti_event *e)
{
    c->outcomes[verb_index(e->verb)][e->outcome]++;
    c->n_failed += e->outcome != MCT_ERR_NONE;
    c->n_running -= c->n_running > 0;
    mcti_latency_add(&c->latency, e->duration_us);
}

static void tool_count(struct mcti_activity_tool *t, const struct mcti_event *e)
{
    t->n++;
    t->n_failed += e->outcome != MCT_ERR_NONE;
    t->us += e->duration_us;
    if (e->duration_us > t->longest_us)
        t->longest_us = e->duration_us;
}

static void text_keep(char *to, size_t size, struct mcti_str s)
{
    size_t n = s.len < size ? s.len : size - 1;
    if (n)
        memcpy(to, s.p, n);
    to[n] = '\0';
}

static void recent_put(struct mcti_activity *a, const struct mcti_event *e)
{
    struct mcti_activity_call *c = &a->recent[a->n_recent++ % MCT_ACTIVITY_RECENT];
    c->number = a->now;
    c->wall_ms = e->wall_ms;
    c->us = e->duration_us;
    c->outcome = e->outcome;
    text_keep(c->method, sizeof c->method, mcti_str_of(e->method));
    text_keep(c->server, sizeof c->server, e->server);
    if (e->verb == MCT_VERB_RESOURCES_READ || e->verb == MCT_VERB_FOREIGN)
        c->tool[mcti_event_shown_uri(e->tool, c->tool, sizeof c->tool - 1)] = '\0';
    else
        text_keep(c->tool, sizeof c->tool, e->tool);
    text_keep(c->client, sizeof c->client, e->client);
    text_keep(c->principal, sizeof c->principal, e->principal);
}

static void activity_on_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct mcti_activity *a = MCT_CONTAINER(l, struct mcti_activity, listener);
    struct mcti_activity_server *s = activity_called(a, e->server);
    struct mcti_activity_calls *calls = activity_calls(a, s);
    struct mcti_activity_tool *t =
        s && e->verb == MCT_VERB_TOOLS_CALL && e->tool.len ? activity_tool(a, s, e->tool) : NULL;
    mcti_activity_note(a);
    calls_count(&a->all, e);
    if (calls)
        calls_count(calls, e);
    if (t)
        tool_count(t, e);
    if (s)
        s->changed = a->now;
    recent_put(a, e);
}

const struct mcti_activity_call *mcti_activity_recent(const struct mcti_activity *a, uint64_t i)
{
    bool kept = i < a->n_recent && i < MCT_ACTIVITY_RECENT;
    return kept ? &a->recent[(a->n_recent - 1 - i) % MCT_ACTIVITY_RECENT] : NULL;
}

/* ---- changes of servers ---- */

static void server_note(struct mcti_watcher *w, const struct mcti_provider *p, bool lists)
{
    struct mcti_activity *a = MCT_CONTAINER(w, struct mcti_activity, watcher);
    const char *name = p->origin ? p->origin->name : p->name;
    struct mcti_activity_server *s = activity_server(a, mcti_str_of(name));
    uint64_t number = mcti_activity_note(a);
    if (!s)
        return;
    s->changed = number;
    s->listed = lists ? number : s->listed;
}

static void activity_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    server_note(w, p, false);
}

static void activity_on_changed(struct mcti_watcher *w, struct mcti_provider *p, unsigned kinds)
{
    (void)kinds;
    server_note(w, p, true);
}

/* ---- life ---- */

struct mcti_activity *mcti_activity_new(struct mcti_registry *r, struct mcti_events *events)
{
    struct mcti_activity *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->registry = r;
    a->begun_ms = mcti_clock_wall_ms();
    a->begun_us = mcti_clock_since_us();
    mcti_map_init(&a->servers_by_name);
    mcti_list_init(&a->servers);
    mcti_map_init(&a->clients_by_key);
    mcti_list_init(&a->clients);
    mcti_list_init(&a->readers);
    a->listener.begin = activity_on_begin;
    a->listener.end = activity_on_end;
    if (events)
        mcti_events_add(events, &a->listener);
    a->watcher = (struct mcti_watcher){ .state = activity_on_state,
                                        .joined = activity_on_state,
                                        .fetched = activity_on_state,
                                        .changed = activity_on_changed };
    mcti_registry_watch(r, &a->watcher);
    return a;
}

void mcti_activity_free(struct mcti_activity *a)
{
    if (!a)
        return;
    mcti_event_listener_remove(&a->listener);
    mcti_watcher_remove(&a->watcher);
    MCT_LIST_EACH(it, &a->servers)
        server_free(MCT_CONTAINER(it, struct mcti_activity_server, node));
    while (!mcti_list_empty(&a->clients))
        client_free(a, MCT_CONTAINER(a->clients.next, struct mcti_activity_client, node));
    mcti_map_done(&a->servers_by_name);
    mcti_map_done(&a->clients_by_key);
    free(a->other);
    free(a);
}
