/*
 * One side of a JSON-RPC conversation, sans I/O: frames in, frames out. The same type serves connections to servers and
 * to clients. Owns our request ids, their timeouts and progress tokens, and keeps a list of the peer's unanswered
 * requests. Does not own the transport, and interprets no method except notifications/cancelled and
 * notifications/progress.
 *
 * Requests are structs embedded in their owners, without an allocation here: mcti_outbound for those we sent,
 * mcti_inbound for those we must answer.
 */
#ifndef MCT_MCP_SESSION_H
#define MCT_MCP_SESSION_H

#include "base/limits.h"
#include "base/list.h"
#include "base/table/map.h"
#include "base/sched/sched.h"
#include "mcp/era.h"
#include "mcp/message.h"

struct mcti_batch;
struct mcti_session;

/* A request we sent. The caller sets the callbacks, then calls mcti_session_begin() and mcti_session_send(). */
struct mcti_outbound {
    /* The request has ended; called exactly once unless the request was cancelled. `answer` is a result or error
     * message, valid during the call, or NULL with `err` giving the reason (timeout, connection lost). Never called
     * from inside mcti_session_send(). */
    void (*done)(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err);
    /* Receives the params of a notifications/progress for this request. May be NULL. */
    void (*progress)(struct mcti_outbound *o, struct mcti_str params);
    /* The time is over; returns whether to wait for `timeout_ms` more. May be NULL: no. */
    bool (*more_time)(struct mcti_outbound *o);
    unsigned timeout_ms; /* 0: none. Progress restarts it, up to MCT_PROGRESS_FACTOR times its length */
    void *lane;          /* the peer's request this one belongs to; NULL: none */
    unsigned n_holds;    /* the timeout is suspended while this is not 0: a person is answering a question */
    bool silent;         /* the peer is not notified of a timeout: initialize must not be cancelled */

    struct mcti_session *session; /* NULL if not in flight */
    struct mcti_map_node node;
    uint64_t id;
    struct mcti_timer timer;
    uint64_t deadline_ms; /* upper limit of the extended timeout */
    double progressed;    /* last reported progress; the next value must be larger */
    bool has_progressed;
};

/* A request from the peer. Embedded in the struct that will answer it. */
struct mcti_inbound {
    /* The peer does not need the answer any more: it cancelled the request, or its connection was closed. The session
     * treats the request as answered. Called at most once. */
    void (*cancelled)(struct mcti_inbound *in);

    struct mcti_session *session; /* NULL once answered or cancelled */
    struct mcti_list node;
    void *lane;
    struct mcti_batch *batch; /* batch that contains the request and its answer; NULL: not batched */
    char *id;                 /* as written, owned */
    size_t id_len;
    char *progress_token; /* as written, stored after `id`; NULL: progress was not requested */
    size_t progress_token_len;
};

struct mcti_session_ops {
    /* Sends one frame; `final` is true if it answers the lane's request. Returns -1 if the peer has disconnected. */
    int (*send)(void *data, struct mcti_str frame, void *lane, bool final);
    /* The same for a long frame in pieces. NULL: answers are not sent in pieces. */
    int (*send_pieces)(void *data, const struct mcti_pieces *frame, void *lane, bool final);
    /* Handles a request: registers it with mcti_inbound_init() and answers it now or later, or refuses it with
     * mcti_session_refuse(). */
    void (*on_request)(void *data, struct mcti_session *s, const struct mcti_msg *msg, void *lane);
    /* Handles any notification except cancelled and progress. */
    void (*on_notification)(void *data, struct mcti_session *s, const struct mcti_msg *msg);
    /* Returns the request that progress with the token of an earlier one belongs to; NULL: none. May be NULL. */
    struct mcti_outbound *(*succeeds)(void *data, uint64_t token);
    /* Our request `id` has ended: answered or abandoned. May be NULL. */
    void (*request_over)(void *data, uint64_t id, bool answered);
    /* Nothing more will be sent on this lane: the peer cancelled its request or, if `lost`, there was no memory even
     * for an error, and the connection must end, so that the peer does not wait. May be NULL. */
    void (*on_lane_done)(void *data, void *lane, bool lost);
    /* Handles a frame that is not a usable message; the session has already answered a malformed request. Only `text`
     * of `msg`, the frame, is valid. NULL: ignored. */
    void (*on_bad_frame)(void *data, const struct mcti_msg *msg, const struct mct_error *err);
};

struct mcti_session {
    const struct mcti_session_ops *ops;
    void *data;
    struct mcti_sched *sched;
    enum mcti_rev rev;       /* negotiated revision; MCT_REV_NONE before */
    enum mcti_rev heard;     /* revision of the newest request that names one itself; MCT_REV_NONE: none did */
    bool answers_bad_frames; /* servers answer malformed frames with an error, clients do not */
    bool lean;               /* one of very many sessions: keeps no memory between frames */
    unsigned n_holds;        /* all timeouts are suspended while this is not 0: a person is answering a question */
    int refusal;             /* inside send(): code of the error the frame carries; 0: not an error */
    unsigned refusal_ms;     /* with MCT_RPC_BUSY: time after which a new attempt may succeed */
    struct mcti_map outbound;
    struct mcti_list inbound;
    size_t n_inbound,
        /* max_inbound: MCT_LIMIT_IN_FLIGHT, unless each request has a connection of its own, which is limited elsewhere
         */
        max_inbound;
    uint64_t last_id;
    struct mcti_buf frame;    /* frame being built */
    size_t params_at;         /* where its params begin, if it is a request of ours */
    struct mcti_msg *sending; /* inside send(): the request that the frame is; NULL: it is something else */
    struct mcti_batch *batch; /* batch being received, see batch.h */
};

void mcti_session_init(struct mcti_session *s, const struct mcti_session_ops *ops, void *data, struct mcti_sched *sched,
                       size_t message_bytes);

/* Ends all our requests in flight with `why`; requests of the peer are kept. */
void mcti_session_fail_all(struct mcti_session *s, const struct mct_error *why);

/* Ends every request in flight: ours with `why` (done is called), the peer's as cancelled. */
void mcti_session_drop(struct mcti_session *s, const struct mct_error *why);

/* Frees the session; no request may be in flight. */
void mcti_session_done(struct mcti_session *s);

/* Receives a frame from the peer. */
void mcti_session_receive(struct mcti_session *s, struct mcti_str frame, void *lane);

/* The same for a frame whose bytes `chunk` owns; NULL: unknown. */
void mcti_session_receive_chunk(struct mcti_session *s, struct mcti_str frame, struct mcti_chunk *chunk, void *lane);

/* Receives a message that is already parsed. */
void mcti_session_receive_msg(struct mcti_session *s, const struct mcti_msg *msg, void *lane);

/* ---- our requests ---- */

/* Send a request in two steps. begin returns the buffer, positioned after `"params":`, which the caller must write, and
 * sets o->id, which is also the progress token. If the request cannot be sent, send returns -1, sets *err and does not
 * call done. */
struct mcti_buf *mcti_session_begin(struct mcti_session *s, struct mcti_outbound *o, const char *method);
int mcti_session_send(struct mcti_session *s, struct mcti_outbound *o, struct mct_error *err);

/* Between the two steps: does the same as mcti_inbound_splice() for a request. */
void mcti_session_splice(struct mcti_session *s, struct mcti_splices *to, struct mcti_chunk *chunk);

/* Cancels a request; no callback follows. Sends notifications/cancelled with `reason` unless that is NULL. */
void mcti_session_cancel(struct mcti_outbound *o, const char *reason);

/* Handles the loss of a message from the peer, of which only the beginning is known (empty: nothing). The request that
 * it answered fails with `why`: the one whose id is in `head`, or without an id the only open one; otherwise the
 * timeouts apply. */
void mcti_session_lost_message(struct mcti_session *s, struct mcti_str head, const struct mct_error *why);

/* Returns our request `id` if it is in flight, else NULL. */
struct mcti_outbound *mcti_session_find(struct mcti_session *s, uint64_t id);

/* Fails our request `id` (as written), which will get no answer, with `why`. */
void mcti_session_fail(struct mcti_session *s, struct mcti_str id, const struct mct_error *why);

/* Sets *err to the error of a request that timed out; returns -1. */
int mcti_fail_timeout(struct mct_error *err, unsigned timeout_ms);

/* ---- notifications ---- */

int mcti_session_notify(struct mcti_session *s, const char *method, struct mcti_str params, void *lane);

/* ---- the peer's requests ---- */

/* Registers a request until it is answered. If too many are open or memory is exhausted, answers with an error and
 * returns -1. `token` may be absent. */
int mcti_inbound_init(struct mcti_inbound *in, struct mcti_session *s, const struct mcti_msg *msg,
                      struct mcti_str token, void *lane);

/* Moves a registration from `from` to `to`, which is not registered; to->cancelled is kept. */
void mcti_inbound_move(struct mcti_inbound *from, struct mcti_inbound *to);

/* Answer and unregister a request; they do nothing if it has already ended. */
void mcti_inbound_result(struct mcti_inbound *in, struct mcti_str result);
void mcti_inbound_error(struct mcti_inbound *in, struct mcti_str error_object);
void mcti_inbound_fail(struct mcti_inbound *in, const struct mct_error *err, struct mcti_str data);

/* Answer in place: begin returns the buffer, positioned after `"result":`, or NULL if the request has already ended. */
struct mcti_buf *mcti_inbound_begin(struct mcti_inbound *in);
void mcti_inbound_send(struct mcti_inbound *in);

/* Between begin and send: makes the answer refer to long spans of `chunk` (NULL: none) instead of copying them. `to` is
 * used until mcti_inbound_send(). */
void mcti_inbound_splice(struct mcti_inbound *in, struct mcti_splices *to, struct mcti_chunk *chunk);

/* Sends a notification that belongs to this request; does nothing if the request has ended. */
void mcti_inbound_notify(struct mcti_inbound *in, const char *method, struct mcti_str params);

/* Sends progress of this request under its own token; `params` are those of another notification about the same work.
 * Does nothing if the request has ended or has no token. */
void mcti_inbound_progress(struct mcti_inbound *in, struct mcti_str params);

/* Handles the loss of a lane: its requests end as cancelled. */
void mcti_session_drop_lane(struct mcti_session *s, void *lane);

/* Unregisters a request without an answer and without a callback. */
void mcti_inbound_drop(struct mcti_inbound *in);

/* Refuses a request that was not registered. `data` is raw JSON or absent. */
void mcti_session_refuse(struct mcti_session *s, const struct mcti_msg *msg, void *lane, const struct mct_error *err,
                         struct mcti_str data);

/* Writes {"code":…,"message":…[,"data":…]}. */
void mcti_session_put_error(struct mcti_buf *to, const struct mct_error *err, struct mcti_str data);

#endif
