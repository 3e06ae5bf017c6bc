/* Shared by the files of the HTTP front only. */
#ifndef MCT_FRONT_HTTP_IMPL_H
#define MCT_FRONT_HTTP_IMPL_H

#include "front/front_http.h"

#define MCT_SSE_HEADERS "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"

/* /mcp or /mcp/NAME */
struct endpoint {
    struct mct_front_http *front;
    char *path;
    struct mct_view view;
    struct mct_peer *stateless; /* all 2026-07-28 requests to it */
};

/* A session of a handshake client. */
struct http_session {
    struct mct_front_http *front;
    struct endpoint *endpoint;
    struct mct_peer *peer;
    char id[33];
    struct mct_map_node by_id;
    struct mct_list lanes;   /* its open exchanges */
    struct lane *stream;     /* the GET stream, if one is open */
    struct mct_buf backlog;  /* events that wait for it, ready to be sent */
    size_t n_backlog;
    uint64_t used_ms;
    struct mct_list node;    /* in front->sessions */
};

/* One HTTP exchange that will be answered with MCP messages. */
struct lane {
    struct mct_front_http *front;
    struct mct_http_exchange *x;
    struct mct_peer *peer;
    struct http_session *session; /* NULL: stateless */
    bool streaming;
    bool names_session;           /* its answer carries Mcp-Session-Id: it is that of initialize */
    struct mct_list node;         /* in session->lanes or front->lanes */
};

struct mct_front_http {
    struct mct_loop *loop;
    struct mct_gateway *gateway;
    struct mct_http_server *server;
    struct mct_guard guard;
    struct mct_naming naming;
    size_t message_bytes;
    struct endpoint *endpoints;
    size_t n_endpoints;
    struct mct_map sessions_by_id;
    struct mct_list sessions; /* least recently used first */
    size_t n_sessions;
    struct mct_list lanes;    /* of stateless requests */
    struct mct_timer tick;    /* keep-alive comments and session expiry */
};

/* ---- lanes ---- */

/* NULL (answered with 500) when out of memory. */
struct lane *lane_new(struct mct_front_http *f, struct mct_http_exchange *x, struct mct_peer *peer,
                      struct http_session *s);

/* Sends a message: as the whole answer, or as an event of a stream. The lane is gone when final. */
int lane_send(struct lane *l, struct mct_str frame, bool final);

/* Begins a stream; `extra` are further header lines. */
void lane_open_stream(struct lane *l, struct mct_str extra);

/* Ends it without a message. */
void lane_end(struct lane *l);
void lane_free(struct lane *l);
void lane_ping(struct lane *l); /* a comment, so that proxies keep the stream */

/* One server-sent event of a JSON text. */
void put_event(struct mct_buf *to, struct mct_str frame);

/* ---- sessions ---- */

/* NULL when there are too many, none of them idle, or memory is short. */
struct http_session *session_new(struct mct_front_http *f, struct endpoint *e);
void session_free(struct http_session *s); /* ends its lanes */
struct http_session *session_find(struct mct_front_http *f, struct mct_str id);
void session_touch(struct http_session *s);
void session_attach(struct http_session *s, struct lane *l); /* the GET stream */
void sessions_expire(struct mct_front_http *f);

extern const struct mct_peer_ops session_peer_ops, stateless_peer_ops;

/* ---- requests ---- */

void handle_post(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x);
void handle_get(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x);
void handle_delete(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x);

/* A JSON-RPC error as the whole answer. `id` and `data` may be absent. */
void reply_error(struct mct_http_exchange *x, int status, struct mct_str id, const struct mct_error *err,
                 struct mct_str data);

/* A 2026-07-28 message that has a version in `_meta` or in its header. */
void handle_stateless(struct mct_front_http *f, struct endpoint *e, struct mct_http_exchange *x,
                      const struct mct_msg *msg, const struct mct_msg_meta *meta);

#endif
