/* Shared by the files of the HTTP front only. */
#ifndef MCT_FRONT_HTTP_IMPL_H
#define MCT_FRONT_HTTP_IMPL_H

#include "front/http/http.h"
#include "io/line_file.h"

enum { MCT_RPC_SESSION_NOT_FOUND = -32001, MCT_RPC_REFUSED = -32000 }; /* as the SDKs say it */

/* /mcp or /mcp/NAME */
struct endpoint {
    struct mct_front_http *front;
    const char *name;       /* of the one server; NULL: all */
    char *path;
    char *sse_path;         /* /sse or /sse/NAME; NULL: not served */
    struct mct_list faces;  /* struct face; the first is for clients that ask for nothing, and stays */
};

/* Whose requests come: nobody in particular, or who has the token of that number. */
struct visitor {
    struct mct_principal *who;
    struct mct_principal own;  /* that is `who`, if there are tokens */
    struct mct_list events;    /* kept for its sessions, oldest first */
    size_t event_bytes;
    size_t n_sessions, n_faces; /* n_faces: that it was the first to ask for */
};

/* What an endpoint shows to clients that are offered the same. */
struct face {
    struct endpoint *endpoint;
    struct mct_list node;
    struct mct_offer offer;
    struct mct_view view;
    struct mct_peer *stateless; /* all 2026-07-28 requests to it */
    unsigned principal;         /* who asked for it first */
    bool in_use;                /* by a session with something open; while one is chosen to go */
    uint64_t used_ms;           /* when it was last asked for */
};

/* A session of a handshake client. */
struct http_session {
    struct mct_front_http *front;
    struct face *face;       /* the first of the endpoint while it is away */
    struct mct_peer *peer;
    char id[33];
    bool away;               /* its face was given up while it was idle; see session_face() */
    bool legacy;             /* HTTP+SSE (2024-11-05): everything goes to its one stream */
    unsigned principal;      /* who began it, see mct_guard_principal(): nobody else may use it */
    struct mct_map_node by_id;
    struct mct_list lanes;   /* requests that are not answered yet */
    struct mct_list kept;    /* streams that are over, whose events may be asked for again */
    struct lane *stream;     /* the GET stream, connected or not; NULL: there was no use for it yet */
    unsigned last_stream;    /* number of the newest POST stream */
    struct mct_list events;  /* oldest first */
    unsigned n_events;
    unsigned event_bytes;
    uint64_t used_ms;
    struct mct_list node;    /* in front->sessions */
};

/*
 * What is said because of one HTTP exchange: one answer, or a stream of messages. In a session it
 * outlives the exchange: the client may come back for what it missed.
 */
struct lane {
    struct mct_front_http *front;
    struct mct_http_exchange *x;  /* NULL: the client has hung up */
    struct mct_peer *peer;
    struct http_session *session; /* NULL: stateless */
    struct mct_list node;         /* in session->lanes, session->kept or front->lanes */
    struct mct_list waiting;      /* in front->waiting while there is an exchange */
    struct mct_list events;       /* kept ones, oldest first */
    struct mct_buf *gathered;     /* `[…` answers of a batch; NULL: it is none */
    uint64_t ping_ms;             /* when a comment is due */
    unsigned n_open;              /* requests without an answer */
    unsigned number;              /* of the stream in its session; 0: the GET stream, or none yet */
    unsigned last, sent;          /* event numbers: the newest, and the newest given to a connection */
    uint16_t principal;
    bool streaming;
    bool resumable;               /* the client has an event id to come back with */
    bool names_session;           /* its answer carries Mcp-Session-Id: it is that of initialize */
    bool over;                    /* everything has been said */
    struct mct_client_prefs prefs[]; /* one, of a stateless request */
};

struct http_counters {
    uint64_t requests[6][24]; /* by method and status, see metrics.c */
    uint64_t kept, replayed, forgotten; /* events */
    size_t n_streams;
};

struct mct_front_http {
    struct mct_loop *loop;
    struct mct_gateway *gateway;
    struct mct_http_server *server;
    struct mct_guard guard;
    struct mct_naming naming;
    size_t message_bytes, max_sessions;
    bool draining;
    struct endpoint *endpoints;
    size_t n_endpoints, n_faces; /* n_faces: beside the first of each endpoint */
    const char *const *only; /* servers of /mcp; none: all */
    size_t n_only;
    struct mct_map sessions_by_id;
    struct mct_list sessions; /* least recently used first */
    size_t n_sessions;
    struct mct_list lanes;    /* of stateless requests */
    struct mct_list waiting;  /* lanes with an exchange; the next to be pinged first */
    struct mct_timer tick;    /* keep-alive comments, session expiry */
    struct visitor *visitors; /* by number of the token; 0: nobody in particular */
    struct mct_buf line, scratch; /* an event being made: its text, and as it is sent */
    bool legacy_sse;
    char **cors;              /* header lines for each of guard.origins; owned */
    struct http_counters counters;
    struct call_counters *calls; /* NULL: nobody tells of calls */
    const struct mct_event_log *event_log, *audit_log;
    struct mct_line_file log; /* of accesses */
};

/* One request and who sent it. */
struct visit {
    struct mct_front_http *front;
    struct endpoint *endpoint; /* NULL: of no particular one */
    struct face *face;         /* of the endpoint; NULL: not chosen, see face_of() */
    struct mct_http_exchange *x;
    unsigned principal;
    struct mct_client_prefs prefs; /* what the operator has set for the client, and the URL says */
};

/* Fills v->prefs. False: answered with an error. */
bool visit_read_prefs(struct visit *v);

/* ---- admit.c ---- */

/* Answers who may not use the endpoint; `data` is the front. */
void admit(void *data, struct mct_http_exchange *x);

/* Whose request it is, see mct_guard_principal(). */
int principal_of(struct mct_front_http *f, const struct mct_http_exchange *x);

/* ---- face.c ---- */

/* The face for clients with these settings, made if nobody had them before; NULL when there are too many, all in use, or
 * memory is short. */
struct face *face_for(struct endpoint *e, const struct mct_client_prefs *prefs, unsigned principal);

/* What a client is told for whom there is no face. */
extern const char faces_too_many[];

/* Gives a session that comes back its face; false: there is no room for it. */
bool session_face(struct http_session *s);

/* The one for who sends this; NULL: answered with 503. A request of a session goes to the session's instead. */
struct face *face_of(const struct visit *v, struct mct_str id);

void faces_expire(struct mct_front_http *f);
struct face *face_first(const struct endpoint *e); /* NULL: it could not be made */
void faces_free(struct endpoint *e);

/* ---- lane.c ---- */

/* Without an exchange and in no list; NULL when out of memory. */
struct lane *lane_make(struct mct_front_http *f, struct mct_peer *peer, struct http_session *s);

/* For `n_open` requests. NULL (answered with 500) when out of memory. */
struct lane *lane_new(const struct visit *v, struct mct_peer *peer, struct http_session *s, unsigned n_open);

/* Sends a message: as the whole answer, or as an event of a stream. The lane may be gone when final. */
int lane_send(struct lane *l, struct mct_str frame, bool final);

/* The same for a text that many share, on a GET stream. */
void lane_tell(struct lane *l, struct mct_text *frame);

/* Opens the stream with what has been gathered so far. */
void lane_open_stream(struct lane *l);

/* One request on it gets no answer. */
void lane_done(struct lane *l);

/* Ends it as it is, and frees; its peer may have gone already. */
void lane_close(struct lane *l);
void lane_free(struct lane *l);

/* The exchange is over, or was never there; the lane stays. */
void lane_detach(struct lane *l);
void lane_attach(struct lane *l, struct mct_http_exchange *x);

/* Tells who waits for the answer to that request that the gateway ends. The lane stays. */
void lane_bye(struct lane *l, struct mct_str id);

/* Hangs up on a stream in the middle: the client comes back for the rest (2025-11-25, "polling"). Nothing
 * happens where it could not. */
void lane_hang_up(struct lane *l);

void lanes_ping(struct mct_front_http *f); /* comments, so that proxies keep the streams */

/* ---- events.c ---- */

/* Appends the event of a message, which is one line; number 0: without an id. */
void event_put(struct mct_buf *to, const struct lane *l, unsigned number, struct mct_str line);

/* Keeps a message, which is one line, as the next event of the lane; false when it cannot be kept. Of a text that others
 * share the event takes a reference only. */
bool event_keep(struct lane *l, struct mct_str line);
bool event_share(struct lane *l, struct mct_text *line);
void events_forget(struct lane *l);
void events_expire(struct mct_front_http *f);

/* The lane whose event `id` names; NULL: there is none, or something that came after it is not kept any more.
 * Number of the event in *ret_number. */
struct lane *events_find(struct http_session *s, struct mct_str id, unsigned *ret_number);

/* Goes on with a stream on another exchange, behind the event of that number. */
void events_resume(struct lane *l, struct mct_http_exchange *x, unsigned number);

/* ---- session.c ---- */

/* Whether it has nothing open. */
bool session_is_idle(const struct http_session *s);

/* NULL when there are too many, none of them idle, or memory is short. */
struct http_session *session_new(const struct visit *v, const struct mct_peer_ops *ops);
void session_free(struct http_session *s); /* ends its lanes */
struct http_session *session_find(struct mct_front_http *f, struct mct_str id);
void session_touch(struct http_session *s);
void session_end_stream(struct http_session *s); /* the GET stream, for good: the gateway is leaving */
void sessions_expire(struct mct_front_http *f);

/* The GET stream, which may be without a connection; NULL when out of memory. */
struct lane *session_stream(struct http_session *s);

extern const struct mct_peer_ops session_peer_ops, stateless_peer_ops;
struct mct_principal *session_principal(void *session, void *lane);

/* Whose requests these are, in a word. */
struct mct_str principal_word(const struct mct_front_http *f, unsigned principal);

/* ---- post.c, batch.c, get.c, stateless.c ---- */

void handle_post(const struct visit *v);
void handle_get(const struct visit *v);
void handle_delete(const struct visit *v);

/* The session an exchange names; NULL when it was answered with an error. */
struct http_session *named_session(const struct visit *v, struct mct_str id);

/* The same for one that is ended: its view, where that was given up, stays so. */
struct http_session *leaving_session(const struct visit *v, struct mct_str id);

/* Whether the session is what the URL asks for; answers with an error if not. */
bool session_fits(const struct visit *v, const struct http_session *s, struct mct_str id);

/* Whether MCP-Protocol-Version is absent or a handshake revision; answers with an error if not. */
bool version_fits(const struct visit *v, struct mct_str id);

/* A header that repeats a part of the message and stands there twice; NULL: none. */
const char *repeated_header(const struct mct_http_exchange *x);

/* Whether the Accept lines admit the type. */
bool accepts(const struct mct_http_exchange *x, const char *type);

/* 2025-03-26: several messages at once. */
void handle_batch(const struct visit *v, const struct mct_msg *batch);

/* A 2026-07-28 message that has a version in `_meta` or in its header. */
void handle_stateless(const struct visit *v, const struct mct_msg *msg, const struct mct_msg_meta *meta);

/* A JSON-RPC error as the whole answer. `id` and `data` may be absent; what stands for an absent id depends on the revision
 * that the request names. */
void reply_error(struct mct_http_exchange *x, int status, struct mct_str id, const struct mct_error *err,
                 struct mct_str data);
void refuse(struct mct_http_exchange *x, int status, int code, struct mct_str id, const char *why);

/* The same message, for a stream or for a batch. */
void put_error(struct mct_buf *to, struct mct_str id, const struct mct_error *err, struct mct_str data);

/* While draining: 503 to who wants something new. */
bool refuse_late(const struct visit *v, struct mct_str id);

/* ---- http.c ---- */

/* {"error":{"kind","message"}} for what is no JSON-RPC request. */
void reply_plain(struct mct_http_exchange *x, int status, struct mct_str headers, const char *kind,
                 const char *message);

/* ---- sse.c ---- */

void handle_sse(const struct visit *v);
void handle_sse_message(const struct visit *v);

/* ---- bye.c ---- */

/* Answers everything that is still open with an error. */
void bye(struct mct_front_http *f);

/* ---- pages.c, metrics.c ---- */

/* A page that is no MCP endpoint; false: there is none of that path. */
bool serve_page(const struct visit *v, struct mct_str path);
bool page_is_open(struct mct_str path); /* nobody is asked for a token */
bool page_is_known(struct mct_str path);
void put_metrics(struct mct_buf *to, const struct mct_front_http *f);
void put_label(struct mct_buf *to, const char *text);
void count_request(struct mct_front_http *f, const struct mct_http_exchange *x);

/* ---- visitors.c: on whose authority requests come ---- */

void put_memory(struct mct_buf *to, const struct mct_front_http *f);
int visitors_init(struct mct_front_http *f);

/* Who has most of what is counted there, a size_t member of struct visitor. */
unsigned visitor_with_most(const struct mct_front_http *f, size_t offset);

/* ---- calls.c: what became of calls ---- */

int calls_init(struct mct_front_http *f); /* after the last server was added */
void calls_done(struct mct_front_http *f);
void put_calls(struct mct_buf *to, const struct mct_front_http *f);

/* ---- cors.c ---- */

int cors_init(struct mct_front_http *f);
void cors_free(struct mct_front_http *f);
void cors_mark(struct mct_front_http *f, struct mct_http_exchange *x);

/* Answers a browser that asks whether its page may; false: it is no such question. */
bool cors_preflight(struct mct_front_http *f, struct mct_http_exchange *x);

/* ---- log.c: one line of JSON for each exchange, without secrets ---- */

void access_init(struct mct_front_http *f, int fd);
void access_done(struct mct_front_http *f);
void access_begin(struct mct_front_http *f, struct mct_http_exchange *x, struct mct_str path);
void access_principal(struct mct_http_exchange *x, unsigned principal);
void access_session(struct mct_http_exchange *x, const struct http_session *s);
void access_message(struct mct_http_exchange *x, const struct mct_msg *msg);
void access_name(const struct visit *v, struct mct_view *view, const struct mct_msg *msg); /* of a tool or prompt */
void access_end(struct mct_front_http *f, struct mct_http_exchange *x);

#endif
