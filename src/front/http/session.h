/*
 * A session of a handshake client: its peer, its open and finished streams, and the stored events of those streams. The
 * front owns all sessions; stateless requests have none.
 */
#ifndef MCT_FRONT_HTTP_SESSION_H
#define MCT_FRONT_HTTP_SESSION_H

#include "front/http/lane.h"

struct mcti_http_session {
    struct mcti_front_http *front;
    struct mcti_face *face; /* the first face of the endpoint while face_dropped */
    struct mcti_peer *peer;
    char id[33];
    bool face_dropped;  /* the face was freed while the session was idle; see mcti_http_session_restore_face() */
    bool legacy;        /* HTTP+SSE (2024-11-05): every message goes to the one stream */
    unsigned principal; /* principal that initialized the session, the only one that may use it */
    struct mcti_map_node by_id;
    struct mcti_list lanes;   /* lanes with unanswered requests */
    struct mcti_list kept;    /* finished streams with stored events */
    struct mcti_lane *stream; /* the GET stream, connected or not; NULL: not needed yet */
    unsigned last_stream;     /* number of the newest POST stream */
    struct mcti_list events;  /* stored events of all streams, oldest first */
    unsigned n_events;
    unsigned event_bytes;
    uint64_t used_ms;
    struct mcti_list node; /* in front->sessions */
};

/* Returns true if no request is open and no stream is connected. */
bool mcti_http_session_is_idle(const struct mcti_http_session *s);

/* Creates a session on v->face. Returns NULL if there are too many sessions and none is idle, or when out of memory. */
struct mcti_http_session *mcti_http_session_new(const struct mcti_http_visit *v, const struct mcti_peer_ops *ops);

/* Frees the session, cancels its requests and closes its lanes. */
void mcti_http_session_free(struct mcti_http_session *s);
struct mcti_http_session *mcti_http_session_find(struct mcti_front_http *f, struct mcti_str id);

/* Marks the session as the most recently used one. */
void mcti_http_session_touch(struct mcti_http_session *s);

/* Closes the connection of the GET stream, if there is one. */
void mcti_http_session_end_stream(struct mcti_http_session *s);

/* Frees the idle sessions that have expired. */
void mcti_http_sessions_expire(struct mcti_front_http *f);

/* Returns the GET stream, which may be unconnected; creates it if necessary. Returns NULL when out of memory. */
struct mcti_lane *mcti_http_session_stream(struct mcti_http_session *s);

extern const struct mcti_peer_ops mcti_http_session_peer_ops, mcti_http_stateless_peer_ops;
struct mcti_principal *mcti_http_session_principal(void *session, void *lane);

/* Returns the name of the principal with that number: a token's name, or "local". */
struct mcti_str mcti_http_principal_word(const struct mcti_front_http *f, unsigned principal);

#endif
