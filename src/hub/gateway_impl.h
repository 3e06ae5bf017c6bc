/* Shared by the gateway_*.c files only. */
#ifndef MCT_HUB_GATEWAY_IMPL_H
#define MCT_HUB_GATEWAY_IMPL_H

#include "hub/gateway.h"
#include "hub/shape.h"

/* One request of a client while it is being answered; one allocation. */
struct gw_request {
    struct mct_inbound in;
    struct mct_peer *peer;
    enum mct_verb verb;
    enum mct_rev rev;
    struct mct_call call;

    char *kept;               /* the message, kept for a second look; NULL: not needed so far */
    size_t kept_len;
    struct mct_settle wait;   /* for servers that are still starting */

    struct mct_provider **candidates; /* resources/read: whom to ask, best first; owned */
    size_t n_candidates, n_sure, next;

    struct mct_list listen;   /* in peer->listens */
    unsigned listen_kinds;
};

/* A handler answers r->in now or later and then lets it go with gw_request_free(). */
typedef void (*gw_handler)(struct gw_request *r, const struct mct_msg *msg,
                           const struct mct_msg_meta *meta);

void gw_request_free(struct gw_request *r);

/* Answers with an error and frees. */
void gw_fail(struct gw_request *r, const struct mct_error *err);

/* Keeps a copy of the message in r->kept. -1 when out of memory (answered and freed then). */
int gw_keep(struct gw_request *r, const struct mct_msg *msg);

/* Waits for servers that are still starting and looks at the request again then. False: there is
 * nothing to wait for. */
bool gw_wait(struct gw_request *r, const struct mct_msg *msg);

void gw_initialize(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_discover(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_ping(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_list(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_set_level(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_listen(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_call_named(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_read(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);
void gw_complete(struct gw_request *r, const struct mct_msg *msg, const struct mct_msg_meta *meta);

/* Tells one peer about the kinds in p->dirty. */
void gw_tell_changes(struct mct_peer *p);

/* Asks the servers for the most verbose level any peer wants. */
void gw_update_levels(struct mct_gateway *g);

/* A log message of a server on its way to the peers. */
void gw_forward_message(struct mct_gateway *g, struct mct_provider *p, struct mct_str params);

#endif
