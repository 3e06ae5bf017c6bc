/*
 * What a running gateway has seen: the calls of each server and tool, the latest calls, recent clients without a
 * session, and which servers have changed. For people who look at it: the overview (gateway/overview/overview.h) and
 * /metrics. It exists only where somebody can look, and a call that it counts allocates nothing, except the first one
 * of a server, a tool or a client. It knows no arguments and no results.
 *
 * Every change has a number, so that a reader can ask for what changed after a number.
 */
#ifndef MCT_GATEWAY_ACTIVITY_ACTIVITY_H
#define MCT_GATEWAY_ACTIVITY_ACTIVITY_H

#include "gateway/activity/latency.h"
#include "hub/call/events.h"
#include "hub/core/registry.h"

enum {
    MCT_ACTIVITY_RECENT = 100,  /* latest calls */
    MCT_ACTIVITY_CLIENTS = 64,  /* clients without a session */
    MCT_ACTIVITY_TOOLS = 10000, /* tools that are counted, of all servers */
    MCT_ACTIVITY_VERBS = 4,
};

/* tools/call, prompts/get, resources/read, methods of extensions */
extern const enum mcti_verb mcti_activity_verbs[MCT_ACTIVITY_VERBS];

/* The calls of one server, or of all. */
struct mcti_activity_calls {
    uint64_t outcomes[MCT_ACTIVITY_VERBS][MCT_ERR_N_KINDS]; /* MCT_ERR_NONE: ok */
    uint64_t n_failed, n_running;
    struct mcti_latency latency; /* its `n` is the number of finished calls */
};

struct mcti_activity_tool {
    struct mcti_map_node by_name;
    struct mcti_list node;
    uint64_t n, n_failed, us, longest_us;
    char name[];
};

struct mcti_activity_server {
    struct mcti_map_node by_name;
    struct mcti_list node;
    uint64_t changed;                  /* number of its latest change */
    uint64_t listed;                   /* number of the latest change of its lists */
    struct mcti_activity_calls *calls; /* NULL: there were none */
    struct mcti_map tools_by_name;
    struct mcti_list tools; /* struct mcti_activity_tool, in the order of their first calls */
    char name[];
};

/* A finished call. Longer texts are cut. */
struct mcti_activity_call {
    uint64_t number; /* number of the change */
    uint64_t wall_ms, us;
    enum mct_error_kind outcome;
    char method[64], server[64], tool[128], client[64], principal[64];
};

/* A client without a session: of revision 2026-07-28, or the program itself. */
struct mcti_activity_client {
    struct mcti_map_node by_key;
    struct mcti_list node;
    uint64_t id, changed;
    uint64_t begun_ms, latest_ms, n_calls; /* times since 1970 */
    enum mcti_rev rev;                     /* of its latest call */
    char *version;                         /* of its clientInfo; NULL: unknown */
    char key[];                            /* the principal, NUL, the client's name, NUL */
};

/* Somebody who is told that something has changed. Embedded in its owner; removed before the owner is freed. */
struct mcti_activity_reader {
    struct mcti_list node;
    void (*news)(struct mcti_activity_reader *r); /* called from the loop, often */
};

struct mcti_activity {
    struct mcti_event_listener listener;
    struct mcti_watcher watcher;
    struct mcti_registry *registry;
    uint64_t now; /* number of the latest change */
    uint64_t begun_ms, begun_us;
    uint64_t n_departed; /* clients that are gone */
    struct mcti_activity_calls all;
    struct mcti_activity_calls *other; /* of servers that are not in the registry; NULL: there were none */
    struct mcti_map servers_by_name;
    struct mcti_list servers;
    size_t n_tools;
    struct mcti_map clients_by_key;
    struct mcti_list clients; /* least recently seen first */
    size_t n_clients;
    uint64_t last_client;
    struct mcti_activity_call recent[MCT_ACTIVITY_RECENT]; /* a ring */
    uint64_t n_recent;                                     /* calls that were put there so far */
    struct mcti_list readers;
};

/* Starts to count calls (`events` NULL: none) and to watch the registry. Returns NULL when out of memory. */
struct mcti_activity *mcti_activity_new(struct mcti_registry *r, struct mcti_events *events);
void mcti_activity_free(struct mcti_activity *a); /* `a` may be NULL; there are no readers any more */

/* Returns the number of a new change, and tells the readers. */
uint64_t mcti_activity_note(struct mcti_activity *a);

void mcti_activity_read(struct mcti_activity *a, struct mcti_activity_reader *r);
void mcti_activity_reader_remove(struct mcti_activity_reader *r); /* does nothing if its node is zero */

/* Returns what is known of a server; NULL: nothing has happened. */
struct mcti_activity_server *mcti_activity_server_find(const struct mcti_activity *a, struct mcti_str name);

/* Returns the i-th of the latest calls, the newest first; NULL: there is none. */
const struct mcti_activity_call *mcti_activity_recent(const struct mcti_activity *a, uint64_t i);

static inline struct mcti_str mcti_activity_client_principal(const struct mcti_activity_client *c)
{
    return mcti_str_of(c->key);
}

static inline struct mcti_str mcti_activity_client_name(const struct mcti_activity_client *c)
{
    return mcti_str_of(c->key + strlen(c->key) + 1);
}

#endif
