/*
 * One side of one conversation, sans I/O: frames in, frames out. The same type stands towards servers
 * and towards clients. It owns our request ids, their timeouts and progress tokens, and knows the
 * peer's requests that we have not answered yet; it does not own the transport and does not know what
 * any method means except notifications/cancelled and notifications/progress.
 *
 * Requests are structs embedded in their owners (no allocation here): mcti_outbound for those we sent,
 * mcti_inbound for those we must answer.
 */
#ifndef MCT_MCP_SESSION_H
#define MCT_MCP_SESSION_H

#include "base/limits.h"
#include "base/list.h"
#include "base/map.h"
#include "base/sched/sched.h"
#include "mcp/era.h"
#include "mcp/message.h"

struct mcti_batch;
struct mcti_session;

/* A request we sent. Set the callbacks, then mcti_session_begin() and mcti_session_send(). */
struct mcti_outbound {
    /* Called exactly once unless cancelled: `answer` is a result or error message borrowed for the
     * call, or NULL with `err` saying why there is none (timeout, connection lost). Never called from
     * inside mcti_session_send(). */
    void (*done)(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err);
    /* notifications/progress for this request: its params. May be NULL. */
    void (*progress)(struct mcti_outbound *o, struct mcti_str params);
    unsigned timeout_ms; /* 0: none. Progress starts it anew, up to MCT_PROGRESS_FACTOR times it */
    void *lane;          /* the peer's request this belongs to; NULL: to none */
    unsigned n_holds;    /* while a person is being asked because of it, it does not time out */
    bool silent;         /* a timeout is not told to the peer: initialize must not be cancelled */

    struct mcti_session *session; /* NULL when not in flight */
    struct mcti_map_node node;
    uint64_t id;
    struct mcti_timer timer;
    uint64_t deadline_ms; /* the hard end */
    double progressed;    /* the last progress told, which the next must exceed */
    bool has_progressed;
};

/* A request the peer sent. Embedded by whoever will answer it. */
struct mcti_inbound {
    /* The peer does not want the answer any more (cancelled, or its connection has gone). The request
     * is answered already as far as the session goes. Called once at most. */
    void (*cancelled)(struct mcti_inbound *in);

    struct mcti_session *session; /* NULL once answered or cancelled */
    struct mcti_list node;
    void *lane;
    struct mcti_batch *batch; /* it came in, and is answered with; NULL: it came alone */
    char *id;                 /* as written, owned */
    size_t id_len;
    char *progress_token; /* as written, behind id in the same memory; NULL: none asked for */
    size_t progress_token_len;
};

struct mcti_session_ops {
    /* Sends one frame; `final` when it answers the lane's request. -1 when the peer is gone. */
    int (*send)(void *data, struct mcti_str frame, void *lane, bool final);
    /* A request. To answer it, register it with mcti_inbound_init() and answer now or later; to refuse
     * it at once use mcti_session_refuse(). */
    void (*on_request)(void *data, struct mcti_session *s, const struct mcti_msg *msg, void *lane);
    /* Any other notification than cancelled and progress. */
    void (*on_notification)(void *data, struct mcti_session *s, const struct mcti_msg *msg);
    /* One of our requests is over: answered, or nobody waits any more. May be NULL. */
    void (*over)(void *data, uint64_t id, bool answered);
    /* The peer cancelled the request of this lane: nothing more will be sent on it. May be NULL. */
    void (*on_lane_done)(void *data, void *lane);
    /* Something that is no message we can act on; NULL: ignored. For a request that is malformed the
     * session has already answered. Of msg only `text` counts: what came. */
    void (*on_bad_frame)(void *data, const struct mcti_msg *msg, const struct mct_error *err);
};

struct mcti_session {
    const struct mcti_session_ops *ops;
    void *data;
    struct mcti_sched *sched;
    enum mcti_rev rev;       /* negotiated; MCT_REV_NONE before */
    enum mcti_rev heard;     /* of the newest request that named its revision itself; MCT_REV_NONE: none has */
    bool answers_bad_frames; /* a server answers garbage with an error, a client never does */
    bool lean;               /* one of very many: keeps no memory between frames */
    unsigned n_holds;        /* while a person is being asked nothing of ours times out */
    int refusal;             /* inside send(): the code of the error that the frame answers with; 0: it is none */
    struct mcti_map outbound;
    struct mcti_list inbound;
    size_t n_inbound,
        max_inbound; /* max: MCT_LIMIT_IN_FLIGHT, unless each has a connection of its own, which is counted */
    uint64_t last_id;
    struct mcti_buf frame;    /* the frame being built */
    struct mcti_batch *batch; /* that is being received; see batch.h */
};

void mcti_session_init(struct mcti_session *s, const struct mcti_session_ops *ops, void *data, struct mcti_sched *sched,
                       size_t message_bytes);

/* Our requests in flight fail with `why`; those of the peer stay. */
void mcti_session_fail_all(struct mcti_session *s, const struct mct_error *why);

/* Every request in flight ends: outbound with `why` (done is called), inbound as cancelled. */
void mcti_session_drop(struct mcti_session *s, const struct mct_error *why);

/* Frees what it owns; nothing may be in flight. */
void mcti_session_done(struct mcti_session *s);

/* A frame from the peer. */
void mcti_session_receive(struct mcti_session *s, struct mcti_str frame, void *lane);

/* As above for a message that has been parsed already. */
void mcti_session_receive_msg(struct mcti_session *s, const struct mcti_msg *msg, void *lane);

/* ---- our requests ---- */

/* A request in two steps: begin gives the buffer (behind `"params":`, which must be written) and sets
 * o->id, which is also the progress token; send returns -1 with *err when it cannot be sent, and then
 * done is not called. */
struct mcti_buf *mcti_session_begin(struct mcti_session *s, struct mcti_outbound *o, const char *method);
int mcti_session_send(struct mcti_session *s, struct mcti_outbound *o, struct mct_error *err);

/* Tells the peer (notifications/cancelled) and forgets the request: no callback follows. NULL reason:
 * the peer is not told. */
void mcti_session_cancel(struct mcti_outbound *o, const char *reason);

/* A message of the peer has been lost. If only one of our requests was open, that was its answer, and it
 * fails with `why`; otherwise the timeouts will tell. */
void mcti_session_lost_message(struct mcti_session *s, const struct mct_error *why);

/* Our request with that id, if it is in flight. */
struct mcti_outbound *mcti_session_find(struct mcti_session *s, uint64_t id);

/* The request of ours with that id (as written) gets no answer. */
void mcti_session_fail(struct mcti_session *s, struct mcti_str id, const struct mct_error *why);

/* Sets *err to what a request is told that nobody answered in time; returns -1. */
int mcti_fail_late(struct mct_error *err, unsigned timeout_ms);

/* ---- notifications ---- */

int mcti_session_notify(struct mcti_session *s, const char *method, struct mcti_str params, void *lane);

/* ---- the peer's requests ---- */

/* Remembers the request until it is answered. -1 when too many are open or memory is short (the
 * request has been refused then). `token` may be absent. */
int mcti_inbound_init(struct mcti_inbound *in, struct mcti_session *s, const struct mcti_msg *msg,
                      struct mcti_str token, void *lane);

/* `to`, which is not registered, takes the place of `from`; to->cancelled stays as it is. */
void mcti_inbound_move(struct mcti_inbound *from, struct mcti_inbound *to);

/* Each of these answers and ends the inbound; on an ended one they do nothing. */
void mcti_inbound_result(struct mcti_inbound *in, struct mcti_str result);
void mcti_inbound_error(struct mcti_inbound *in, struct mcti_str error_object);
void mcti_inbound_fail(struct mcti_inbound *in, const struct mct_error *err, struct mcti_str data);

/* In place: begin gives the buffer (behind `"result":`) or NULL when nobody waits any more. */
struct mcti_buf *mcti_inbound_begin(struct mcti_inbound *in);
void mcti_inbound_send(struct mcti_inbound *in);

/* A notification that belongs to this request; nothing if nobody waits. */
void mcti_inbound_notify(struct mcti_inbound *in, const char *method, struct mcti_str params);

/* Progress of this request under its own token; `params` are those of another notification about the same work.
 * Nothing if nobody waits or no token was given. */
void mcti_inbound_progress(struct mcti_inbound *in, struct mcti_str params);

/* The lane has gone, and its requests end as cancelled. */
void mcti_session_drop_lane(struct mcti_session *s, void *lane);

/* Forgets it without an answer and without a callback. */
void mcti_inbound_drop(struct mcti_inbound *in);

/* Answers a request that was not registered. `data` is raw JSON or absent. */
void mcti_session_refuse(struct mcti_session *s, const struct mcti_msg *msg, void *lane, const struct mct_error *err,
                         struct mcti_str data);

/* {"code":…,"message":…[,"data":…]} */
void mcti_session_put_error(struct mcti_buf *to, const struct mct_error *err, struct mcti_str data);

#endif
