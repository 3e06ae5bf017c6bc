/* Which connection to a server a request uses: the shared one, or one for its session, principal or capabilities. */
#include "hub/gateway_impl.h"

#include <stdio.h>

enum { KEY_BYTES = 200 };

/* Clients of 2026-07-28 have no session: they are told apart by whose they are. */
static void put_owner(const struct gw_request *r, enum mct_isolation isolation, char *to, const void **ret_owner)
{
    bool by_session = isolation == MCT_BY_SESSION && !mct_rev_is_stateless(r->rev);
    if (by_session) {
        snprintf(to, KEY_BYTES, "session %p ", (const void *)r->peer);
        *ret_owner = r->peer;
    } else if (isolation != MCT_SHARED) {
        snprintf(to, KEY_BYTES, "principal %.*s ", MCT_STR_ARG(gw_principal(r)));
    }
}

/* What this client can be asked, told to a server that is to know. */
static void put_capabilities(const struct mct_answerer *can, char *to)
{
    size_t n = strlen(to);
    snprintf(to + n, KEY_BYTES - n, "%d%d%d%d%d%d", can->form, can->url, can->sampling, can->sampling_tools,
             can->sampling_context, can->ask_roots);
}

struct mct_provider *gw_connection_for(struct gw_request *r, struct mct_provider *p, struct mct_branch **ret_branch,
                                       struct mct_error *err)
{
    char text[KEY_BYTES] = "";
    struct mct_branch_key key = { .text = text };
    struct mct_answerer can = mct_gateway_answerer;
    const struct mct_answerer *client = mct_rev_is_stateless(r->rev) ? &r->can : &r->peer->can;
    *ret_branch = NULL;
    put_owner(r, p->isolation, text, &key.owner);
    if (p->by_capabilities && !mct_rev_is_stateless(p->info.rev)) {
        put_capabilities(client, text);
        can.form = client->form;
        can.url = client->url;
        can.sampling = client->sampling;
        can.sampling_tools = client->sampling_tools;
        can.sampling_context = client->sampling_context;
        can.ask_roots = client->ask_roots;
        can.roots_change = false; /* unless there is one whose roots they are */
        key.can = &can;
    }
    if (!text[0] || !p->ops->branch)
        return p;
    if (key.owner) {
        can.roots_change = can.ask_roots;
        gw_ask_owner(r->peer, &can);
        key.can = &can;
    }
    *ret_branch = mct_branch_get(r->peer->gateway->registry, p, &key, err);
    if (!*ret_branch)
        return NULL;
    mct_branch_use(*ret_branch);
    return (*ret_branch)->provider;
}

struct mct_provider *gw_connection(struct gw_request *r, struct mct_provider *p, struct mct_error *err)
{
    mct_branch_unuse(r->branch);
    return gw_connection_for(r, p, &r->branch, err);
}
