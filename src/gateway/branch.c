/* Which connection to a server a request uses: the shared one, or one for its session, principal, capabilities, era. */
#include "gateway/impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_BYTES = 200 };

/* Clients of 2026-07-28 have no session: they are told apart by whose they are. */
static void put_owner(const struct gw_request *r, enum mct_isolation isolation, char *to, const void **ret_owner)
{
    bool by_session = isolation == MCT_BY_SESSION && !mct_rev_is_stateless(r->rev);
    size_t n = strlen(to);
    if (by_session) {
        snprintf(to + n, KEY_BYTES - n, "session %p ", (const void *)r->peer);
        *ret_owner = r->peer;
    } else if (isolation != MCT_SHARED) {
        snprintf(to + n, KEY_BYTES - n, "principal %.*s ", MCT_STR_ARG(gw_principal(r)));
    }
}

/* What this client can be asked, told to a server that is to know. */
static void put_capabilities(const struct mct_answerer *can, char *to)
{
    size_t n = strlen(to);
    snprintf(to + n, KEY_BYTES - n, "%d%d%d%d%d%d", can->form, can->url, can->sampling, can->sampling_tools,
             can->sampling_context, can->ask_roots);
}

/* ---- the client's era ---- */

bool gw_can_be_asked(const struct mct_answerer *can)
{
    return can->form || can->url || can->sampling || can->ask_roots;
}

static bool knows_one_era(const struct mct_provider *p)
{
    return p->both == MCT_BOTH_NO && mct_sched_now(p->sched) < p->both_until_ms;
}

/*
 * Whether a handshake client is to reach this server, which speaks 2026-07-28, over a handshake connection. Where
 * connections are separate anyway, or cost no process, it always is; otherwise if it can be asked, as only then it
 * makes a difference. A client stays with the connection it began with.
 */
static bool matches(const struct gw_request *r, const struct mct_provider *p)
{
    return !mct_rev_is_stateless(r->rev) && mct_rev_is_stateless(p->info.rev) && p->ops->branch &&
           mct_view_matches(r->peer->of, p) && !knows_one_era(p);
}

static void tell_of_process(const struct mct_provider *p)
{
    mct_log(p->log, MCT_LOG_INFO, "server '%s': starting a second process, so that the server can send requests to clients "
            "of older revisions; \"protocol\": \"single\" prevents this", p->name);
}

/* ---- sessions that use such a connection ---- */

struct gw_hold {
    struct mct_list node; /* in peer->holds */
    struct mct_branch *branch;
};

bool gw_holds(const struct mct_peer *p, const struct mct_branch *b)
{
    MCT_LIST_EACH(it, &p->holds)
        if (MCT_CONTAINER(it, struct gw_hold, node)->branch == b)
            return true;
    return false;
}

/* For as long as a session lasts: the server may remember things for it. */
static void hold(struct mct_peer *p, struct mct_branch *b)
{
    struct gw_hold *h = b->owner || gw_holds(p, b) ? NULL : calloc(1, sizeof *h);
    if (!h)
        return;
    h->branch = b;
    mct_list_append(&p->holds, &h->node);
    mct_branch_use(b);
}

void gw_holds_clear(struct mct_peer *p)
{
    while (!mct_list_empty(&p->holds)) {
        struct gw_hold *h = MCT_CONTAINER(p->holds.next, struct gw_hold, node);
        mct_list_remove(&h->node);
        mct_branch_unuse(h->branch);
        free(h);
    }
}

/* ---- the connection ---- */

/* The server is told what this client can be asked, and nothing of others. */
static void narrow(struct mct_answerer *can, const struct mct_answerer *client)
{
    can->form = client->form;
    can->url = client->url;
    can->sampling = client->sampling;
    can->sampling_tools = client->sampling_tools;
    can->sampling_context = client->sampling_context;
    can->ask_roots = client->ask_roots;
    can->roots_change = false; /* unless there is one whose roots they are */
}

static struct mct_branch *branch_for(struct gw_request *r, struct mct_provider *p, const struct mct_branch_key *key,
                                     struct mct_error *err)
{
    struct mct_branch *b = mct_branch_get(r->peer->gateway->registry, p, key, err);
    if (!b)
        return NULL;
    if (key->spare && p->by_process && !b->n_users && !b->provider->settled) /* it has just been begun */
        tell_of_process(p);
    mct_branch_use(b);
    if (key->handshake && b->provider->state == MCT_CONNECTED)
        hold(r->peer, b);
    return b;
}

struct mct_provider *gw_connection_for(struct gw_request *r, struct mct_provider *p, struct mct_branch **ret_branch,
                                       struct mct_error *err)
{
    *ret_branch = NULL;
    bool handshake = matches(r, p);
    if (!p->ops->branch || (!handshake && p->isolation == MCT_SHARED && !p->by_capabilities))
        return p;
    char text[KEY_BYTES] = "";
    struct mct_branch_key key = { .text = text, .handshake = handshake };
    struct mct_answerer can = mct_gateway_answerer;
    const struct mct_answerer *client = mct_rev_is_stateless(r->rev) ? &r->can : &r->peer->can;
    snprintf(text, sizeof text, "%s", key.handshake ? "handshake " : "");
    put_owner(r, p->isolation, text, &key.owner);
    if (p->by_capabilities && (key.handshake || !mct_rev_is_stateless(p->info.rev))) {
        put_capabilities(client, text);
        narrow(&can, client);
        key.can = &can;
    }
    if (!text[0])
        return p;
    key.spare = key.handshake && p->isolation == MCT_SHARED;
    key.common = key.spare && !p->by_capabilities;
    if (key.owner) {
        can.roots_change = can.ask_roots;
        gw_ask_owner(r->peer, &can);
        key.can = &can;
    }
    *ret_branch = branch_for(r, p, &key, err);
    if (!*ret_branch)
        return key.spare ? p : NULL;
    return mct_branch_provider(*ret_branch);
}

struct mct_provider *gw_connection(struct gw_request *r, struct mct_provider *p, struct mct_error *err)
{
    struct mct_branch *before = r->branch;
    struct mct_provider *connection = gw_connection_for(r, p, &r->branch, err);
    mct_branch_unuse(before); /* now: it may be the same */
    return connection;
}

/* Returns the connection in the client's era that its first answer depends on, begun if it is not there yet; NULL where the
 * answer depends on none. */
static struct mct_provider *awaited_connection(struct gw_request *r, struct mct_provider *p)
{
    struct mct_error err;
    bool cheap = !p->by_process || p->match == MCT_MATCH_ALL;
    bool soon = cheap && p->state == MCT_CONNECTED && p->isolation == MCT_SHARED;
    struct mct_provider *connection = soon && matches(r, p) ? gw_connection(r, p, &err) : NULL;
    return r->branch ? connection : NULL;
}

void gw_begin_eras(struct gw_request *r)
{
    for (size_t i = 0; i < mct_view_n_providers(r->peer->view); i++)
        awaited_connection(r, mct_view_provider(r->peer->view, i));
}

bool gw_wait_for_eras(struct gw_request *r, const struct mct_msg *msg)
{
    const struct mct_view *v = r->peer->view;
    uint64_t now = mct_sched_now(v->registry->sched);
    if (!r->until_ms)
        r->until_ms = now + (r->kept ? MCT_ERA_GRACE_MS : MCT_ERA_WAIT_MS);
    for (size_t i = 0; now < r->until_ms && i < mct_view_n_providers(v); i++) {
        const struct mct_provider *connection = awaited_connection(r, mct_view_provider(v, i));
        if (connection && !connection->settled) {
            gw_wait_for_branch(r, msg, (unsigned)(r->until_ms - now));
            return true;
        }
    }
    return false;
}
