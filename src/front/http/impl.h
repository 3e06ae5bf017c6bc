/* Shared by the files of the HTTP front only. */
#ifndef MCT_FRONT_HTTP_IMPL_H
#define MCT_FRONT_HTTP_IMPL_H

#include "front/http/http.h"
#include "io/line_file.h"

enum { MCT_RPC_SESSION_NOT_FOUND = -32001, MCT_RPC_REFUSED = -32000 }; /* as the SDKs say it */

/* /mcp or /mcp/NAME */
struct mcti_http_endpoint {
    struct mcti_front_http *front;
    const char *name; /* of the one server; NULL: all */
    char *path;
    char *sse_path;         /* /sse or /sse/NAME; NULL: not served */
    struct mcti_list faces; /* struct mcti_face; the first is for clients that ask for nothing, and stays */
};

/* Whose requests come: nobody in particular, or who has the token of that number. */
struct mcti_http_visitor {
    struct mcti_principal *who;
    struct mcti_principal own; /* that is `who`, if there are tokens */
    struct mcti_list events;   /* kept for its sessions, oldest first */
    size_t event_bytes;
    size_t n_sessions, n_faces; /* n_faces: that it was the first to ask for */
};

/* What an endpoint shows to clients that are offered the same. */
struct mcti_face {
    struct mcti_http_endpoint *endpoint;
    struct mcti_list node;
    struct mcti_offer offer;
    struct mcti_view view;
    struct mcti_peer *stateless; /* all 2026-07-28 requests to it */
    unsigned principal;          /* who asked for it first */
    bool in_use;                 /* by a session with something open; while one is chosen to go */
    uint64_t used_ms;            /* when it was last asked for */
};

/* A session of a handshake client. */
struct mcti_http_session {
    struct mcti_front_http *front;
    struct mcti_face *face; /* the first of the endpoint while it is away */
    struct mcti_peer *peer;
    char id[33];
    bool away;          /* its face was given up while it was idle; see mcti_http_session_face() */
    bool legacy;        /* HTTP+SSE (2024-11-05): everything goes to its one stream */
    unsigned principal; /* who began it, see mcti_guard_principal(): nobody else may use it */
    struct mcti_map_node by_id;
    struct mcti_list lanes;   /* requests that are not answered yet */
    struct mcti_list kept;    /* streams that are over, whose events may be asked for again */
    struct mcti_lane *stream; /* the GET stream, connected or not; NULL: there was no use for it yet */
    unsigned last_stream;     /* number of the newest POST stream */
    struct mcti_list events;  /* oldest first */
    unsigned n_events;
    unsigned event_bytes;
    uint64_t used_ms;
    struct mcti_list node; /* in front->sessions */
};

/*
 * What is said because of one HTTP exchange: one answer, or a stream of messages. In a session it
 * outlives the exchange: the client may come back for what it missed.
 */
struct mcti_lane {
    struct mcti_front_http *front;
    struct mcti_http_exchange *x; /* NULL: the client has hung up */
    struct mcti_peer *peer;
    struct mcti_http_session *session; /* NULL: stateless */
    struct mcti_list node;             /* in session->lanes, session->kept or front->lanes */
    struct mcti_list waiting;          /* in front->waiting while there is an exchange */
    struct mcti_list events;           /* kept ones, oldest first */
    struct mcti_buf *gathered;         /* `[…` answers of a batch; NULL: it is none */
    uint64_t ping_ms;                  /* when a comment is due */
    unsigned n_open;                   /* requests without an answer */
    unsigned number;                   /* of the stream in its session; 0: the GET stream, or none yet */
    unsigned last, sent;               /* event numbers: the newest, and the newest given to a connection */
    uint16_t principal;
    bool streaming;
    bool resumable;                   /* the client has an event id to come back with */
    bool names_session;               /* its answer carries Mcp-Session-Id: it is that of initialize */
    bool over;                        /* everything has been said */
    struct mcti_client_prefs prefs[]; /* one, of a stateless request */
};

struct mcti_http_front_counters {
    uint64_t requests[6][24];           /* by method and status, see metrics.c */
    uint64_t kept, replayed, forgotten; /* events */
    size_t n_streams;
};

struct mcti_front_http {
    struct mcti_loop *loop;
    struct mcti_gateway *gateway;
    struct mcti_http_server *server;
    struct mcti_guard guard;
    struct mcti_naming naming;
    size_t message_bytes, max_sessions;
    bool draining;
    struct mcti_http_endpoint *endpoints;
    size_t n_endpoints, n_faces; /* n_faces: beside the first of each endpoint */
    const char *const *only;     /* servers of /mcp; none: all */
    size_t n_only;
    struct mcti_map sessions_by_id;
    struct mcti_list sessions; /* least recently used first */
    size_t n_sessions;
    struct mcti_list lanes;             /* of stateless requests */
    struct mcti_list waiting;           /* lanes with an exchange; the next to be pinged first */
    struct mcti_timer tick;             /* keep-alive comments, session expiry */
    struct mcti_http_visitor *visitors; /* by number of the token; 0: nobody in particular */
    struct mcti_buf line, scratch;      /* an event being made: its text, and as it is sent */
    bool legacy_sse;
    char **cors; /* header lines for each of guard.origins; owned */
    struct mcti_http_front_counters counters;
    struct call_counters *calls; /* NULL: nobody tells of calls */
    const struct mcti_event_log *event_log, *audit_log;
    struct mcti_line_file log; /* of accesses */
};

/* One request and who sent it. */
struct mcti_http_visit {
    struct mcti_front_http *front;
    struct mcti_http_endpoint *endpoint; /* NULL: of no particular one */
    struct mcti_face *face;              /* of the endpoint; NULL: not chosen, see mcti_face_of() */
    struct mcti_http_exchange *x;
    unsigned principal;
    struct mcti_client_prefs prefs; /* what the operator has set for the client, and the URL says */
};

/* Fills v->prefs. False: answered with an error. */
bool mcti_http_visit_read_prefs(struct mcti_http_visit *v);

/* ---- admit.c ---- */

/* Answers who may not use the endpoint; `data` is the front. */
void mcti_http_admit(void *data, struct mcti_http_exchange *x);

/* Whose request it is, see mcti_guard_principal(). */
int mcti_http_principal_of(struct mcti_front_http *f, const struct mcti_http_exchange *x);

/* ---- face.c ---- */

/* The face for clients with these settings, made if nobody had them before; NULL when there are too many, all in use,
 * or memory is short. */
struct mcti_face *mcti_face_for(struct mcti_http_endpoint *e, const struct mcti_client_prefs *prefs,
                                unsigned principal);

/* What a client is told for whom there is no face. */
extern const char mcti_faces_too_many[];

/* Gives a session that comes back its face; false: there is no room for it. */
bool mcti_http_session_face(struct mcti_http_session *s);

/* The one for who sends this; NULL: answered with 503. A request of a session goes to the session's instead. */
struct mcti_face *mcti_face_of(const struct mcti_http_visit *v, struct mcti_str id);

void mcti_faces_expire(struct mcti_front_http *f);
struct mcti_face *mcti_face_first(const struct mcti_http_endpoint *e); /* NULL: it could not be made */
void mcti_faces_free(struct mcti_http_endpoint *e);

/* ---- lane.c ---- */

/* Without an exchange and in no list; NULL when out of memory. */
struct mcti_lane *mcti_lane_make(struct mcti_front_http *f, struct mcti_peer *peer, struct mcti_http_session *s);

/* For `n_open` requests. NULL (answered with 500) when out of memory. */
struct mcti_lane *mcti_lane_new(const struct mcti_http_visit *v, struct mcti_peer *peer, struct mcti_http_session *s,
                                unsigned n_open);

/* Sends a message: as the whole answer, or as an event of a stream. The lane may be gone when final. */
int mcti_lane_send(struct mcti_lane *l, struct mcti_str frame, bool final);

/* The same for a text that many share, on a GET stream. */
void mcti_lane_tell(struct mcti_lane *l, struct mcti_text *frame);

/* Opens the stream with what has been gathered so far. */
void mcti_lane_open_stream(struct mcti_lane *l);

/* One request on it gets no answer. */
void mcti_lane_done(struct mcti_lane *l);

/* Ends it as it is, and frees; its peer may have gone already. */
void mcti_lane_close(struct mcti_lane *l);
void mcti_lane_free(struct mcti_lane *l);

/* The exchange is over, or was never there; the lane stays. */
void mcti_lane_detach(struct mcti_lane *l);
void mcti_lane_attach(struct mcti_lane *l, struct mcti_http_exchange *x);

/* Tells who waits for the answer to that request that the gateway ends. The lane stays. */
void mcti_lane_bye(struct mcti_lane *l, struct mcti_str id);

/* Hangs up on a stream in the middle: the client comes back for the rest (2025-11-25, "polling"). Nothing
 * happens where it could not. */
void mcti_lane_hang_up(struct mcti_lane *l);

void mcti_lanes_ping(struct mcti_front_http *f); /* comments, so that proxies keep the streams */

/* ---- events.c ---- */

/* Appends the event of a message, which is one line; number 0: without an id. */
void mcti_http_event_put(struct mcti_buf *to, const struct mcti_lane *l, unsigned number, struct mcti_str line);

/* Keeps a message, which is one line, as the next event of the lane; false when it cannot be kept. Of a text that
 * others share the event takes a reference only. */
bool mcti_http_event_keep(struct mcti_lane *l, struct mcti_str line);
bool mcti_http_event_share(struct mcti_lane *l, struct mcti_text *line);
void mcti_http_events_forget(struct mcti_lane *l);
void mcti_http_events_expire(struct mcti_front_http *f);

/* The lane whose event `id` names; NULL: there is none, or something that came after it is not kept any more.
 * Number of the event in *ret_number. */
struct mcti_lane *mcti_http_events_find(struct mcti_http_session *s, struct mcti_str id, unsigned *ret_number);

/* Goes on with a stream on another exchange, behind the event of that number. */
void mcti_http_events_resume(struct mcti_lane *l, struct mcti_http_exchange *x, unsigned number);

/* ---- session.c ---- */

/* Whether it has nothing open. */
bool mcti_http_session_is_idle(const struct mcti_http_session *s);

/* NULL when there are too many, none of them idle, or memory is short. */
struct mcti_http_session *mcti_http_session_new(const struct mcti_http_visit *v, const struct mcti_peer_ops *ops);
void mcti_http_session_free(struct mcti_http_session *s); /* ends its lanes */
struct mcti_http_session *mcti_http_session_find(struct mcti_front_http *f, struct mcti_str id);
void mcti_http_session_touch(struct mcti_http_session *s);
void mcti_http_session_end_stream(struct mcti_http_session *s); /* the GET stream, for good: the gateway is leaving */
void mcti_http_sessions_expire(struct mcti_front_http *f);

/* The GET stream, which may be without a connection; NULL when out of memory. */
struct mcti_lane *mcti_http_session_stream(struct mcti_http_session *s);

extern const struct mcti_peer_ops mcti_http_session_peer_ops, mcti_http_stateless_peer_ops;
struct mcti_principal *mcti_http_session_principal(void *session, void *lane);

/* Whose requests these are, in a word. */
struct mcti_str mcti_http_principal_word(const struct mcti_front_http *f, unsigned principal);

/* ---- post.c, batch.c, get.c, stateless.c ---- */

void mcti_http_handle_post(const struct mcti_http_visit *v);
void mcti_http_handle_get(const struct mcti_http_visit *v);
void mcti_http_handle_delete(const struct mcti_http_visit *v);

/* The session an exchange names; NULL when it was answered with an error. */
struct mcti_http_session *mcti_http_named_session(const struct mcti_http_visit *v, struct mcti_str id);

/* The same for one that is ended: its view, where that was given up, stays so. */
struct mcti_http_session *mcti_http_leaving_session(const struct mcti_http_visit *v, struct mcti_str id);

/* Whether the session is what the URL asks for; answers with an error if not. */
bool mcti_http_session_fits(const struct mcti_http_visit *v, const struct mcti_http_session *s, struct mcti_str id);

/* Whether MCP-Protocol-Version is absent or a handshake revision; answers with an error if not. */
bool mcti_http_version_fits(const struct mcti_http_visit *v, struct mcti_str id);

/* A header that repeats a part of the message and stands there twice; NULL: none. */
const char *mcti_http_repeated_header(const struct mcti_http_exchange *x);

/* Whether the Accept lines admit the type. */
bool mcti_http_accepts(const struct mcti_http_exchange *x, const char *type);

/* 2025-03-26: several messages at once. */
void mcti_http_handle_batch(const struct mcti_http_visit *v, const struct mcti_msg *batch);

/* A 2026-07-28 message that has a version in `_meta` or in its header. */
void mcti_http_handle_stateless(const struct mcti_http_visit *v, const struct mcti_msg *msg,
                                const struct mcti_msg_meta *meta);

/* A JSON-RPC error as the whole answer. `id` and `data` may be absent; what stands for an absent id depends on the
 * revision that the request names. */
void mcti_http_reply_error(struct mcti_http_exchange *x, int status, struct mcti_str id, const struct mct_error *err,
                           struct mcti_str data);
void mcti_http_post_refuse(struct mcti_http_exchange *x, int status, int code, struct mcti_str id, const char *why);

/* The same message, for a stream or for a batch. */
void mcti_http_error_put(struct mcti_buf *to, struct mcti_str id, const struct mct_error *err, struct mcti_str data);

/* While draining: 503 to who wants something new. */
bool mcti_http_refuse_late(const struct mcti_http_visit *v, struct mcti_str id);

/* ---- http.c ---- */

/* {"error":{"kind","message"}} for what is no JSON-RPC request. */
void mcti_http_reply_plain(struct mcti_http_exchange *x, int status, struct mcti_str headers, const char *kind,
                           const char *message);

/* ---- sse.c ---- */

void mcti_http_handle_sse(const struct mcti_http_visit *v);
void mcti_http_handle_sse_message(const struct mcti_http_visit *v);

/* ---- bye.c ---- */

/* Answers everything that is still open with an error. */
void mcti_http_bye(struct mcti_front_http *f);

/* ---- pages.c, metrics.c ---- */

/* A page that is no MCP endpoint; false: there is none of that path. */
bool mcti_http_serve_page(const struct mcti_http_visit *v, struct mcti_str path);
bool mcti_http_page_is_open(struct mcti_str path); /* nobody is asked for a token */
bool mcti_http_page_is_known(struct mcti_str path);
void mcti_metrics_put(struct mcti_buf *to, const struct mcti_front_http *f);
void mcti_metrics_put_label(struct mcti_buf *to, const char *text);
void mcti_metrics_count(struct mcti_front_http *f, const struct mcti_http_exchange *x);

/* ---- visitors.c: on whose authority requests come ---- */

void mcti_visitors_put_memory(struct mcti_buf *to, const struct mcti_front_http *f);
int mcti_visitors_init(struct mcti_front_http *f);

/* Who has most of what is counted there, a size_t member of struct mcti_http_visitor. */
unsigned mcti_visitors_most(const struct mcti_front_http *f, size_t offset);

/* ---- calls.c: what became of calls ---- */

int mcti_http_calls_init(struct mcti_front_http *f); /* after the last server was added */
void mcti_http_calls_done(struct mcti_front_http *f);
void mcti_http_calls_put(struct mcti_buf *to, const struct mcti_front_http *f);

/* ---- cors.c ---- */

int mcti_cors_init(struct mcti_front_http *f);
void mcti_cors_free(struct mcti_front_http *f);
void mcti_cors_mark(struct mcti_front_http *f, struct mcti_http_exchange *x);

/* Answers a browser that asks whether its page may; false: it is no such question. */
bool mcti_cors_preflight(struct mcti_front_http *f, struct mcti_http_exchange *x);

/* ---- log.c: one line of JSON for each exchange, without secrets ---- */

void mcti_access_init(struct mcti_front_http *f, int fd);
void mcti_access_done(struct mcti_front_http *f);
void mcti_access_begin(struct mcti_front_http *f, struct mcti_http_exchange *x, struct mcti_str path);
void mcti_access_principal(struct mcti_http_exchange *x, unsigned principal);
void mcti_access_session(struct mcti_http_exchange *x, const struct mcti_http_session *s);
void mcti_access_message(struct mcti_http_exchange *x, const struct mcti_msg *msg);
void mcti_access_name(const struct mcti_http_visit *v, struct mcti_view *view,
                      const struct mcti_msg *msg); /* of a tool or prompt */
void mcti_access_end(struct mcti_front_http *f, struct mcti_http_exchange *x);

#endif
