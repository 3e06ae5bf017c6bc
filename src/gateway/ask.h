/* Sends questions of servers to handshake clients, as requests of the gateway. */
#ifndef MCT_GATEWAY_ASK_H
#define MCT_GATEWAY_ASK_H

#include "gateway/impl.h"

/* Records at initialize the questions that the client can answer. Returns -1 when out of memory. */
int mcti_gw_ask_init(struct mcti_peer *p, struct mcti_str capabilities);

/* Routes questions that come outside of calls on the client's own connection to the client. */
void mcti_gw_ask_owner(struct mcti_peer *p, struct mcti_answerer *to);

/* Sends the questions held back for the client, if the client is initialized now. */
void mcti_gw_ask_held(struct mcti_peer *p);

/* Answers the questions held back for a client that disconnects as if there were no client. */
void mcti_gw_ask_drop(struct mcti_peer *p);

/* Sends the question `a` to the client `p`, on the stream of `in`; NULL: on no particular stream. On failure returns -1
 * and sets *err. */
int mcti_gw_ask_forward(struct mcti_peer *p, const struct mcti_inbound *in, const struct mcti_provider *server,
                        struct mcti_ask *a, struct mct_error *err);

/* URL elicitations: record the pages that a client was sent to, and forward the server's notification of their
 * completion. */
void mcti_gw_elicitation_note(struct mcti_peer *p, const struct mcti_provider *server, struct mcti_str params);
void mcti_gw_forward_elicited(struct mcti_gateway *g, const struct mcti_provider *server, struct mcti_str params);

/* Forgets the pages of one server; NULL: of all. */
void mcti_gw_elicitations_clear(struct mcti_peer *p, const struct mcti_provider *server);

/* ---- gateway/question/roots.c ---- */

/* Asks the clients of a shared connection for their roots, and answers `a`, which came outside of a call, with all of
 * them. Returns false if there is no client to ask. */
bool mcti_gw_roots_gather(struct mcti_gateway *g, struct mcti_ask *a);

/* Notifies servers that the client's roots have changed: on the client's own connections, and on shared ones whose
 * server has asked for roots. */
void mcti_gw_roots_changed(struct mcti_peer *p);

#endif
