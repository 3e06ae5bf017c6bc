/* One subscription to a resource, which subscribe.c makes, and the subscribers of each resource (topic.c). */
#ifndef MCT_GATEWAY_NOTIFY_TOPIC_H
#define MCT_GATEWAY_NOTIFY_TOPIC_H

#include "gateway/subscribe.h"

enum { GW_SUB_OWNER = sizeof(void *) };

struct gw_topic;

struct mcti_gw_sub {
    struct mcti_list node;       /* in peer->subs or request->subs */
    struct mcti_map_node by_key; /* in gateway->subs */
    struct mcti_subs *owner;
    struct mcti_peer *peer;
    struct mcti_gw_request *listen; /* owner of the list, for a subscriptions/listen; NULL: the peer owns it */
    struct mcti_principal *principal;
    struct mcti_account *payer;
    size_t held;
    struct mcti_provider *provider; /* connection that the server accepted it on; NULL: none so far */
    struct mcti_branch *branch;     /* branch of `provider`; NULL: the shared connection */
    struct gw_topic *topic;         /* NULL: not accepted yet */
    struct mcti_list in_topic;
    struct mcti_gw_request *request; /* request waiting for the acceptance; NULL: accepted */
    struct mcti_agreement agreement;
    struct mcti_settle wait;     /* for a connection that may fail */
    size_t next;                 /* next candidate to try */
    struct mcti_provider *asked; /* candidate tried last */
    struct mct_error *error;     /* error of the last candidate; NULL: the search is over */
    char *own;                   /* the URI as its server writes it, owned; NULL: as the client does */
    size_t len;                  /* of the key */
    char key[];                  /* address of `owner`, then the URI */
};

static inline struct mcti_str mcti_gw_sub_uri(const struct mcti_gw_sub *s)
{
    return (struct mcti_str){ s->key + GW_SUB_OWNER, s->len - GW_SUB_OWNER };
}

/* Returns the URI as its server writes it. */
static inline struct mcti_str mcti_gw_sub_own(const struct mcti_gw_sub *s)
{
    return s->own ? mcti_str_of(s->own) : mcti_gw_sub_uri(s);
}

static inline void mcti_gw_sub_put_key(char *to, const void *owner, struct mcti_str uri)
{
    memcpy(to, &owner, GW_SUB_OWNER);
    memcpy(to + GW_SUB_OWNER, uri.p, uri.len);
}

/* Adds the subscription to the topic of its resource, whose updates it receives from now on. Returns -1 when out of
 * memory. */
int mcti_gw_topic_join(struct mcti_gw_sub *s);
void mcti_gw_topic_leave(struct mcti_gw_sub *s); /* does nothing if it has none */

#endif
