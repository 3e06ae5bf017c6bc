/*
 * A lane: the way back to the client of one HTTP exchange, either a single answer or an event stream. Inside a session
 * a lane outlives its exchange, so that the client can resume the stream. A lane owns its gathered batch and its stored
 * events; it does not own the exchange.
 */
#ifndef MCT_FRONT_HTTP_LANE_H
#define MCT_FRONT_HTTP_LANE_H

#include "front/http/impl.h"

struct mcti_http_session;

struct mcti_lane {
    struct mcti_front_http *front;
    struct mcti_http_exchange *x; /* NULL: the client has hung up */
    struct mcti_peer *peer;
    struct mcti_http_session *session; /* NULL: stateless */
    struct mcti_list node;             /* in session->lanes, session->kept or front->lanes */
    struct mcti_list waiting;          /* in front->waiting while there is an exchange */
    struct mcti_list silent;           /* in front->silent until the first byte is sent */
    struct mcti_list events;           /* stored events, oldest first */
    struct mcti_buf *gathered;         /* answers of a batch as an unfinished JSON array; NULL: not a batch */
    uint64_t ping_ms;                  /* time of the next keep-alive comment */
    unsigned n_open;                   /* requests without an answer */
    unsigned number;                   /* stream number in the session; 0: the GET stream, or not a stream yet */
    unsigned last, sent;               /* event numbers: the newest, and the newest written to a connection */
    uint16_t principal;
    bool streaming;
    bool resumable;                   /* the client has an event id to resume with */
    bool names_session;               /* the answer to initialize: carries Mcp-Session-Id */
    bool over;                        /* every request is answered; only stored events remain */
    struct mcti_client_prefs prefs[]; /* one element for a stateless request, otherwise none */
};

/* Creates a lane without an exchange, in no list. Returns NULL when out of memory. */
struct mcti_lane *mcti_lane_make(struct mcti_front_http *f, struct mcti_peer *peer, struct mcti_http_session *s);

/* Creates a lane for `n_open` requests of the exchange v->x. When out of memory, answers with 500 and returns NULL. */
struct mcti_lane *mcti_lane_new(const struct mcti_http_visit *v, struct mcti_peer *peer, struct mcti_http_session *s,
                                unsigned n_open);

/* Sends `frame` as the whole answer or as an event of a stream. A `final` frame answers a request; the last one may
 * free the lane. Returns -1 if the frame was neither sent nor stored. */
int mcti_lane_send(struct mcti_lane *l, struct mcti_str frame, bool final);
int mcti_lane_send_pieces(struct mcti_lane *l, const struct mcti_pieces *frame, bool final);

/* Sends a shared text as an event of the GET stream, and stores it. */
void mcti_lane_notify(struct mcti_lane *l, struct mcti_text *frame);

/* Turns the answer into an event stream and sends the answers gathered so far. */
void mcti_lane_open_stream(struct mcti_lane *l);

/* Counts one request as finished without an answer; the last one closes and frees the lane. */
void mcti_lane_done(struct mcti_lane *l);

/* Closes the connection of a request that cannot be answered. The lane is freed later, as if the client had left. */
void mcti_lane_abandon(struct mcti_lane *l);

/* Ends the exchange with what has been sent so far, and frees the lane. The lane's peer may be freed already. */
void mcti_lane_close(struct mcti_lane *l);
void mcti_lane_free(struct mcti_lane *l);

/* Separates the lane from its exchange, if it has one. */
void mcti_lane_detach(struct mcti_lane *l);

/* Connects the lane, which must have no exchange, to `x`. */
void mcti_lane_attach(struct mcti_lane *l, struct mcti_http_exchange *x);

/* Answers the open request `id` with the error that the gateway is shutting down. Does not free the lane. */
void mcti_lane_answer_shutdown(struct mcti_lane *l, struct mcti_str id);

/* Closes the connection in the middle of a stream; the client resumes later (2025-11-25, "polling"). Does nothing if
 * the client's revision cannot resume. */
void mcti_lane_hang_up(struct mcti_lane *l);

/* Turns the answers that clients have waited for longer than a moment into streams with an event id, so that the client
 * can resume if the connection is lost (2025-11-25 "Resumability"). Quick answers stay whole. `data` is the front. */
void mcti_lanes_prime(void *data);

/* Sends the due keep-alive comments, so that proxies keep the connections, and plans the next round. */
void mcti_lanes_ping(struct mcti_front_http *f);

#endif
