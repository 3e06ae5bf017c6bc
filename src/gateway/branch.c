/* Chooses the connection that a request uses: the shared one, or one for its session, principal, capabilities, era. */
#include "gateway/branch.h"

#include "gateway/ask.h"
#include "gateway/tasks.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_BYTES = 200 };

/* Appends the owner of the connection to the key `to`. Clients of 2026-07-28 have no session; their principal is the
 * owner. */
static void put_owner(const struct mcti_gw_request *r, enum mcti_isolation isolation, char *to, const void **ret_owner)
{
    const struct mcti_peer *owner = mcti_rev_is_stateless(r->rev) ? NULL : mcti_gw_session_of(r->peer);
    size_t n = strlen(to);
    if (isolation == MCT_BY_SESSION && owner) {
        snprintf(to + n, KEY_BYTES - n, "session %p ", (const void *)owner);
        *ret_owner = owner;
    } else if (isolation != MCT_SHARED) {
        snprintf(to + n, KEY_BYTES - n, "principal %.*s ", MCT_STR_ARG(gw_principal(r)));
    }
}

/* Appends the capabilities of the client to the key `to`. */
static void gateway_branch_put_capabilities(const struct mcti_answerer *can, char *to)
{
    size_t n = strlen(to);
    snprintf(to + n, KEY_BYTES - n, "%d%d%d%d%d%d", can->form, can->url, can->sampling, can->sampling_tools,
             can->sampling_context, can->ask_roots);
}

/* Limits the extensions that are declared to the server to those that cross, and appends a hash of them to the key
 * `to` if there are any. */
static void gateway_branch_put_extensions(struct mcti_answerer *can, enum mcti_extensions which, char *to)
{
    struct mcti_buf b;
    size_t n = strlen(to);
    can->which = which;
    mcti_buf_init(&b, can->open.len + 256);
    if (can->open.p)
        mcti_extensions_put(&b, can->open, which);
    if (b.len)
        snprintf(to + n, KEY_BYTES - n, " %llx", (unsigned long long)mcti_hash(0, mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

/* ---- the client's era ---- */

bool mcti_gw_can_be_asked(const struct mcti_answerer *can)
{
    return can->form || can->url || can->sampling || can->ask_roots;
}

static bool knows_one_era(const struct mcti_provider *p)
{
    return p->both == MCT_BOTH_NO && mcti_sched_now(p->sched) < p->both_until_ms;
}

/*
 * Returns whether a handshake client is to reach this server, which speaks 2026-07-28, over a handshake connection. If
 * connections are separate anyway or need no process, it always is. Otherwise it is if the client can answer questions,
 * because only then the connection makes a difference. A client stays with the connection that it used first.
 */
static bool gateway_branch_matches(const struct mcti_gw_request *r, const struct mcti_provider *p)
{
    return !mcti_rev_is_stateless(r->rev) && mcti_rev_is_stateless(p->info.rev) && p->ops->branch &&
           mcti_view_matches(r->peer->of, p) && !knows_one_era(p);
}

static void log_second_process(const struct mcti_provider *p)
{
    mcti_log(p->log, MCT_LOG_INFO,
             "server '%s': starting a second process, so that the server can send requests to clients "
             "of older revisions; \"protocol\": \"single\" prevents this",
             p->name);
}

/* ---- sessions that use such a connection ---- */

struct gw_hold {
    struct mcti_list node; /* in peer->holds */
    struct mcti_branch *branch;
};

bool mcti_gw_holds(const struct mcti_peer *p, const struct mcti_branch *b)
{
    MCT_LIST_EACH(it, &p->holds)
        if (MCT_CONTAINER(it, struct gw_hold, node)->branch == b)
            return true;
    return false;
}

/* Keeps the branch until the session or the server ends, because the server may keep state for the session. */
static void gateway_branch_hold(struct mcti_peer *p, struct mcti_branch *b)
{
    struct gw_hold *h = b->owner || mcti_gw_holds(p, b) ? NULL : calloc(1, sizeof *h);
    if (!h)
        return;
    h->branch = b;
    mcti_list_append(&p->holds, &h->node);
    mcti_branch_use(b);
}

void mcti_gw_holds_clear(struct mcti_peer *p, const struct mcti_branch *b)
{
    MCT_LIST_EACH(it, &p->holds) {
        struct gw_hold *h = MCT_CONTAINER(it, struct gw_hold, node);
        if (b && h->branch != b)
            continue;
        mcti_list_remove(&h->node);
        mcti_branch_unuse(h->branch);
        free(h);
    }
}

/* ---- the connection ---- */

/* Limits the capabilities sent to the server to those of the client. */
static void gateway_branch_narrow(struct mcti_answerer *can, const struct mcti_answerer *client)
{
    can->form = client->form;
    can->url = client->url;
    can->sampling = client->sampling;
    can->sampling_tools = client->sampling_tools;
    can->sampling_context = client->sampling_context;
    can->ask_roots = client->ask_roots;
    can->roots_change = false; /* unless the branch has an owner, whose roots they are */
}

static struct mcti_branch *branch_for(struct mcti_gw_request *r, struct mcti_provider *p,
                                      const struct mcti_branch_key *key, struct mct_error *err)
{
    struct mcti_branch *b = mcti_branch_get(r->peer->gateway->registry, p, key, err);
    if (!b)
        return NULL;
    if (key->spare && p->by_process && !b->n_users && !b->provider->settled) /* just started */
        log_second_process(p);
    mcti_branch_use(b);
    if (key->handshake && b->provider->state == MCT_CONNECTED)
        gateway_branch_hold(r->peer, b);
    return b;
}

struct mcti_provider *mcti_gw_connection_for(struct mcti_gw_request *r, struct mcti_provider *p,
                                             struct mcti_branch **ret_branch, struct mct_error *err)
{
    *ret_branch = NULL;
    bool handshake = gateway_branch_matches(r, p);
    if (!p->ops->branch || (!handshake && p->isolation == MCT_SHARED && !p->by_capabilities))
        return p;
    char text[KEY_BYTES] = "";
    struct mcti_branch_key key = { .text = text, .handshake = handshake };
    struct mcti_answerer can = mcti_gateway_answerer;
    const struct mcti_answerer *client = mcti_rev_is_stateless(r->rev) ? &r->can : &r->peer->can;
    snprintf(text, sizeof text, "%s", key.handshake ? "handshake " : "");
    put_owner(r, p->isolation, text, &key.owner);
    if (p->by_capabilities && (key.handshake || !mcti_rev_is_stateless(p->info.rev))) {
        gateway_branch_put_capabilities(client, text);
        gateway_branch_narrow(&can, client);
        can.open = client->open;
        gateway_branch_put_extensions(&can, mcti_extensions_both(p->extensions, mcti_gw_extensions(r->peer->view)),
                                      text);
        key.can = &can;
    }
    if (!text[0])
        return p;
    key.spare = key.handshake && p->isolation == MCT_SHARED;
    key.common = key.spare && !p->by_capabilities;
    if (key.owner) {
        can.roots_change = can.ask_roots;
        can.open = r->peer->can.open;
        can.which = mcti_extensions_both(p->extensions, mcti_gw_extensions(r->peer->view));
        mcti_gw_ask_owner(mcti_gw_session_of(r->peer), &can);
        key.can = &can;
    }
    *ret_branch = branch_for(r, p, &key, err);
    if (!*ret_branch)
        return key.spare ? p : NULL;
    return mcti_branch_provider(*ret_branch);
}

struct mcti_provider *mcti_gw_connection(struct mcti_gw_request *r, struct mcti_provider *p, struct mct_error *err)
{
    struct mcti_branch *before = r->branch;
    struct mcti_provider *connection = mcti_gw_connection_for(r, p, &r->branch, err);
    mcti_branch_unuse(before); /* not before: it may be the same branch */
    return connection;
}

/* Returns the connection to `p` in the client's era that the answer to initialize depends on, and starts it if needed;
 * NULL if the answer depends on none. */
static struct mcti_provider *awaited_connection(struct mcti_gw_request *r, struct mcti_provider *p)
{
    struct mct_error err;
    bool cheap = !p->by_process || p->match == MCT_MATCH_ALL;
    bool soon = cheap && p->state == MCT_CONNECTED && p->isolation == MCT_SHARED;
    struct mcti_provider *connection = soon && gateway_branch_matches(r, p) ? mcti_gw_connection(r, p, &err) : NULL;
    return r->branch ? connection : NULL;
}

void mcti_gw_begin_eras(struct mcti_gw_request *r)
{
    for (size_t i = 0; i < mcti_view_n_providers(r->peer->view); i++)
        awaited_connection(r, mcti_view_provider(r->peer->view, i));
}

enum mcti_gw_step mcti_gw_wait_for_eras(struct mcti_gw_request *r, const struct mcti_msg *msg)
{
    const struct mcti_view *v = r->peer->view;
    uint64_t now = mcti_sched_now(v->registry->sched);
    if (!r->until_ms)
        r->until_ms = now + (r->kept ? MCT_ERA_GRACE_MS : MCT_ERA_WAIT_MS);
    for (size_t i = 0; now < r->until_ms && i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *connection = awaited_connection(r, mcti_view_provider(v, i));
        if (connection && !connection->settled) {
            mcti_gw_wait_for_branch(r, msg, (unsigned)(r->until_ms - now));
            return TAKEN;
        }
    }
    return GO_ON;
}
