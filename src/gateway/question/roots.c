/*
 * Roots for a server that asks outside of calls on a connection that several clients share: it gets those of all
 * clients that are there. Only if these are of one owner: to a server the roots mean what it may touch, so the roots of
 * one owner must not serve the calls of another.
 */
#include "gateway/ask.h"

#include "base/limits.h"

#include <stdlib.h>

enum { MAX_CLIENTS = 16, MAX_ROOTS = 256 };

/* The question to one client. */
struct part {
    struct mcti_ask ask;
    struct gather *owner;
    struct mcti_list node;
};

/* The question of the server. */
struct gather {
    struct mcti_ask *ask;
    struct mcti_list parts; /* those without an answer */
    struct mcti_buf roots;  /* answers so far: Root objects, separated by commas */
    unsigned n;
    bool starting; /* not all clients have been asked */
};

/* ---- the answer ---- */

static void gather_free(struct gather *q)
{
    mcti_buf_done(&q->roots);
    free(q);
}

static void gather_finish(struct gather *q)
{
    struct mcti_ask *a = q->ask;
    struct mcti_buf b;
    mcti_buf_init(&b, q->roots.len + 32);
    mcti_buf_addz(&b, "{\"roots\":[");
    mcti_buf_add(&b, mcti_buf_str(&q->roots));
    mcti_buf_addz(&b, "]}");
    gather_free(q);
    mcti_ask_answer(a, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static bool is_there(const struct gather *q, struct mcti_str uri)
{
    struct mcti_str rest = mcti_buf_str(&q->roots), root;
    struct mcti_buf list;
    bool found = false;
    mcti_buf_init(&list, rest.len + 2);
    mcti_buf_addc(&list, '[');
    mcti_buf_add(&list, rest);
    mcti_buf_addc(&list, ']');
    if (mcti_buf_ok(&list))
        for (struct mcti_json_iter it = mcti_json_open(mcti_buf_str(&list)); mcti_json_next_item(&it, &root);)
            found |= mcti_str_eq(mcti_json_get(root, "uri"), uri);
    mcti_buf_done(&list);
    return found;
}

static void gather_add(struct gather *q, struct mcti_str roots)
{
    struct mcti_str root;
    if (mcti_json_type(roots) != '[')
        return;
    for (struct mcti_json_iter it = mcti_json_open(roots); q->n < MAX_ROOTS && mcti_json_next_item(&it, &root);) {
        struct mcti_str uri = mcti_json_get(root, "uri");
        if (mcti_json_type(uri) != '"' || is_there(q, uri))
            continue;
        if (q->n++)
            mcti_buf_addc(&q->roots, ',');
        mcti_buf_add(&q->roots, root);
    }
}

static void part_free(struct part *p)
{
    mcti_list_remove(&p->node);
    free(p);
}

/* A client that answers with an error, or not in time, adds no roots. */
static void part_on_answered(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err)
{
    struct part *p = MCT_CONTAINER(a, struct part, ask);
    struct gather *q = p->owner;
    (void)err;
    if (result.p)
        gather_add(q, mcti_json_get(result, "roots"));
    part_free(p);
    if (mcti_list_empty(&q->parts) && !q->starting)
        gather_finish(q);
}

static void gather_on_withdraw(void *data, struct mcti_ask *a)
{
    struct gather *q = a->scratch;
    (void)data;
    while (!mcti_list_empty(&q->parts)) {
        struct part *p = MCT_CONTAINER(q->parts.next, struct part, node);
        mcti_ask_withdraw(&p->ask);
        part_free(p);
    }
    gather_free(q);
}

static const struct mcti_answerer gatherer = { .ask_roots = true, .withdraw = gather_on_withdraw };

/* ---- the clients ---- */

/* Returns whether the client can be asked now: it hears messages outside of requests, or was initialized a moment ago
 * and is about to. */
static bool roots_can_ask(const struct mcti_peer *p, const struct mcti_provider *server)
{
    bool is_young = mcti_sched_now(p->gateway->sched) - p->initialized_ms < MCT_ROOTS_MS;
    return mcti_gw_is_ready(p) && !p->leaving && !p->is_inner && p->can.ask_roots && mcti_view_shows(p->view, server) &&
           (!p->ops->hears || is_young || p->ops->hears(p->data));
}

/* Returns whether all clients that can be asked have the same owner. */
static bool have_one_owner(const struct mcti_gateway *g, const struct mcti_provider *server)
{
    const struct mcti_principal *owner = NULL;
    MCT_LIST_EACH(it, &g->peers) {
        const struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (!roots_can_ask(p, server))
            continue;
        const struct mcti_principal *who = p->ops->principal ? p->ops->principal(p->data, NULL) : &g->local;
        if (owner && who->authority != owner->authority)
            return false;
        owner = who;
    }
    return owner;
}

static void gather_ask(struct gather *q, struct mcti_peer *client, const struct mcti_provider *server)
{
    struct part *p = calloc(1, sizeof *p);
    struct mct_error err;
    if (!p)
        return;
    *p = (struct part){ .ask = { .kind = MCT_ASK_ROOTS,
                                 .params = q->ask->params,
                                 .server = q->ask->server,
                                 .answered = part_on_answered,
                                 .answerer = &client->can },
                        .owner = q };
    mcti_list_append(&q->parts, &p->node);
    if (mcti_gw_ask_forward(client, NULL, server, &p->ask, &err) < 0)
        part_free(p);
}

bool mcti_gw_roots_gather(struct mcti_gateway *g, struct mcti_ask *a)
{
    struct mcti_provider *server = a->server ? mcti_registry_find(g->registry, mcti_str_of(a->server)) : NULL;
    if (server)
        server->asks_for_roots = true;
    struct gather *q = server && have_one_owner(g, server) ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return false;
    *q = (struct gather){ .ask = a, .starting = true };
    mcti_list_init(&q->parts);
    mcti_buf_init(&q->roots, g->message_bytes);
    a->scratch = q;
    a->answerer = &gatherer;
    unsigned n = 0;
    for (struct mcti_list *at = g->peers.prev; at != &g->peers && n < MAX_CLIENTS; at = at->prev) { /* newest first */
        struct mcti_peer *p = MCT_CONTAINER(at, struct mcti_peer, node);
        if (!roots_can_ask(p, server))
            continue;
        gather_ask(q, p, server);
        n++;
    }
    q->starting = false;
    if (mcti_list_empty(&q->parts))
        gather_finish(q);
    return true;
}

/* ---- changes ---- */

static void roots_tell(struct mcti_provider *p)
{
    if (p && p->ops->roots_changed)
        p->ops->roots_changed(p);
}

void mcti_gw_roots_changed(struct mcti_peer *p)
{
    struct mcti_registry *r = p->gateway->registry;
    bool sole = p->gateway->sole == p;
    for (size_t i = 0; i < r->n; i++)
        if (sole || (r->v[i]->asks_for_roots && mcti_view_shows(p->view, r->v[i]))) {
            roots_tell(r->v[i]);
            if (!sole)
                roots_tell(r->v[i]->handshake);
        }
    MCT_LIST_EACH(it, &r->branches) {
        struct mcti_branch *b = MCT_CONTAINER(it, struct mcti_branch, node);
        bool is_for_client = !p->leaving && (b->owner == p || (b->handshake && !b->owner && sole));
        if (is_for_client && !b->leaving)
            roots_tell(b->provider);
    }
}
