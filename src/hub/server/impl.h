/*
 * The parts of provider_mcp share this: server.c begins, ends and reconnects, connect.c finds out what
 * the server is, call.c runs calls, listen.c and subscribe.c hear of changes, question.c
 * answers what handshake servers ask, branch.c makes further connections and learns which eras the server has.
 */
#ifndef MCT_HUB_SERVER_IMPL_H
#define MCT_HUB_SERVER_IMPL_H

#include "base/limits.h"
#include "hub/core/lists.h"
#include "hub/server/server.h"

/* A resource whose changes somebody wants to hear of. */
struct mcti_server_sub {
    struct mcti_list node;
    struct mcti_map_node by_uri;
    struct mcti_list in_due;     /* in owner->subs_due: the handshake server is to be asked */
    struct mcti_list in_waiting; /* in owner->subs_waiting: somebody waits for the agreement */
    struct mcti_outbound out;    /* resources/subscribe or unsubscribe */
    struct mcti_server *owner;
    unsigned n;               /* how many want it; 0: the server is just being told so */
    bool agreed;              /* the server has, on this connection */
    bool was_agreed;          /* before its newest acknowledgement */
    bool listed;              /* it is in the newest subscriptions/listen */
    struct mcti_list waiting; /* struct mcti_agreement */
    char *uri;
};

/* One subscriptions/listen; a new one takes over before the old one ends. */
struct mcti_server_listen {
    struct mcti_outbound out;
    struct mcti_server *owner;
    uint64_t since_ms;
};

/* A line of a process's stderr while it comes, and how many were logged in this second. */
struct mcti_server_stderr {
    char line[MCT_LIMIT_STDERR_LINE];
    size_t len;
    unsigned n_lines;
    uint64_t since_ms;
    bool kept; /* last_diagnostics are of this attempt */
};

struct mcti_server {
    struct mcti_provider base;
    struct mcti_mcp_opts opts;
    struct mcti_answerer can; /* of a branch: its opts.answerer */
    struct mcti_transport *transport;
    struct mcti_session session;
    bool open; /* the session has a transport under it */
    bool stopping;
    uint64_t start_deadline_ms;
    uint64_t up_since_ms; /* 0: not connected */
    char *capabilities;   /* what we declare */

    /* this attempt, and what earlier ones found out */
    enum mcti_era era;
    unsigned variant;
    bool respawned;       /* the one extra start after a failed probe was used */
    bool from_verdict;    /* era and variant were remembered, not found */
    bool tries_handshake; /* a branch in that era, of which nobody knows yet whether the server has it */
    struct mcti_verdict verdict;
    uint64_t verdict_ms;          /* when it was found */
    struct mct_error first_error; /* why the variant before this one was given up */
    struct mcti_handshake handshake;
    struct mcti_lists lists;
    struct mcti_server_stderr err_out;
    struct mcti_timer restart;
    unsigned backoff_ms;
    struct mcti_task reap; /* frees a transport outside its own callback */
    struct mcti_transport *old;
    struct mcti_account answers; /* unfinished ones of this connection, below the account of the server: its size
                                  * decides about the reserve, not that of the piece that just came */

    /* calls */
    struct mcti_buf meta;      /* scratch for the `_meta` of one request */
    struct mcti_list calls;    /* under way at the server */
    struct mcti_list attempts; /* calls that may need more than one request */
    uint64_t ghost;            /* on whose authority the call was that was cancelled last */
    uint64_t ghost_until_ms;
    const void *answered; /* whose call was answered last */
    uint64_t answered_ms;
    const void *asker; /* whose call, of something that asks, was answered last */
    uint64_t asker_until_ms;
    bool warned_of_turns, warned_of_untold, warned_of_bad;
    struct mcti_list questions;
    struct mcti_timer recheck; /* of questions that wait until it is clear whose they are */
    unsigned n_unclear;        /* of them; meanwhile no further call is made */
    struct mcp_habit {
        uint64_t what; /* call.what */
        enum mcti_habit habit;
    } habits[MCT_LIMIT_HABITS]; /* a hash table; what does not find its place is forgotten */
    char *stateless_meta;       /* `_meta` of our own requests to a stateless server */

    /* changes */
    struct mcti_outbound level_out, ping_out;
    bool level_again; /* it has changed since level_out was sent */
    char *level;      /* wanted log level of a handshake server, as JSON text; NULL: none */
    struct mcti_server_listen listen[2];
    unsigned listening; /* which of them is the newest */
    bool gap;           /* for a while nobody was told of changes */
    struct mcti_timer relisten, ping;
    unsigned relisten_ms; /* the next pause; 0: the first */
    unsigned n_pings_lost;
    struct mcti_list subs, subs_due, subs_waiting;
    struct mcti_map subs_by_uri;
    struct mcti_timer disagree; /* a subscription that is not acknowledged, or could not be asked for */
    unsigned n_subscribing;     /* requests about them that are not answered */
};

static inline struct mcti_server *mcti_server_of(const struct mcti_provider *p)
{
    return MCT_CONTAINER(p, struct mcti_server, base);
}

static inline bool mcti_server_is_stateless(const struct mcti_server *m)
{
    return mcti_rev_is_stateless(m->session.rev);
}

/* Ends this connection because of `why`; a new one follows as configured. */
void mcti_server_abandon(struct mcti_server *m, const struct mct_error *why);

/* Everything above the transport ends; calls in flight fail with `why`. */
void mcti_server_tell_outdated(struct mcti_server *m); /* what was read of its resources may not be so any more */
void mcti_server_take_down(struct mcti_server *m, const struct mct_error *why);

/* The transport is freed, later: we may be in its callback. */
void mcti_server_drop_transport(struct mcti_server *m);

/* A transport of m->variant, a session, the handshake of m->era. */
void mcti_server_begin(struct mcti_server *m);

/* The texts that say what we can be asked. */
int mcti_server_make_texts(struct mcti_server *m); /* -1 when out of memory: they stay as they are */

/* ---- branch.c ---- */

struct mcti_provider *mcti_server_branch(struct mcti_provider *p, const struct mcti_answerer *can, bool handshake);

/* Takes what is known of the server's eras. */
void mcti_server_take_both(struct mcti_server *m, enum mcti_both both);

/* A connection has begun. False with *err: it is a branch in the handshake era over HTTP, and the server keeps no
 * session, so that it could ask nothing. */
bool mcti_server_handshake_serves(struct mcti_server *m, struct mct_error *err);

/* An attempt of such a branch has failed: what that says of the server's eras. `known`: as the attempt before. */
void mcti_server_note_failure(struct mcti_server *m, const struct mct_error *err, bool known);

/* ---- connect.c ---- */

/* Begins with what is known or configured. */
void mcti_server_start_attempt(struct mcti_server *m);
void mcti_server_start_handshake(struct mcti_server *m);
void mcti_server_on_lists(void *data); /* every list has been fetched */

/* Each begins again, if there is something else to try after `err`: with initialize, with nothing remembered,
 * with the next transport. */
bool mcti_server_try_handshake_era(struct mcti_server *m);
bool mcti_server_try_without_verdict(struct mcti_server *m, const struct mct_error *err);
bool mcti_server_try_next_variant(struct mcti_server *m, const struct mct_error *err);

/* Of two ways that both failed the one that got further says more: the second, unless it was just refused,
 * too. */
const struct mct_error *mcti_server_telling_error(const struct mcti_server *m, const struct mct_error *err);

/* ---- stderr.c ---- */

void mcti_server_on_stderr(void *data, struct mcti_str bytes);

/* Logs the last lines of this attempt's stderr, except where each line is logged as it comes. */
void mcti_server_log_last_words(struct mcti_server *m, enum mct_log_level level);

/* ---- bad.c ---- */

/* `text` is no message that we can act on, because of `err`. The request it was the answer to fails, if it can be
 * found. */
void mcti_server_on_bad_message(struct mcti_server *m, struct mcti_str text, const struct mct_error *err);

/* ---- call.c ---- */

int mcti_server_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err);
void mcti_server_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason);
bool mcti_server_runs_for(const struct mcti_provider *p, const struct mcti_call *behalf);

/* Connected, with fresh lists: what waited for that goes on. */
void mcti_server_calls_go_on(struct mcti_server *m);

/* No connection will come any more: what is not on its way fails. */
void mcti_server_calls_fail(struct mcti_server *m, const struct mct_error *why);

/* Adds the Mcp-Param-* headers of a tools/call. */
void mcti_server_put_param_headers(struct mcti_server *m, struct mcti_str params, struct mcti_headers *to);

/* Calls that wait for others to be over go on, if they may. True: some wait still. */
bool mcti_server_calls_take_turns(struct mcti_server *m);

/* Once: that its clients get into each other's way. */
void mcti_server_warn_of_turns(struct mcti_server *m);

/* The call behind a request of ours; NULL: it is something else. `o` may be NULL. */
struct mcti_call *mcti_server_call_of(struct mcti_outbound *o);

/* ---- listen.c ---- */

void mcti_server_listen_init(struct mcti_server *m);
void mcti_server_listen_begin(struct mcti_server *m); /* connected: tells the server all that is wanted */
void mcti_server_listen_stop(struct mcti_server *m);  /* the connection is gone; the wishes stay */
void mcti_server_listen_done(struct mcti_server *m);
void mcti_server_send_level(struct mcti_server *m);

/* A notification of the server that is no progress. */
void mcti_server_on_notification(struct mcti_server *m, const struct mcti_msg *msg);

/* ---- subscribe.c ---- */

int mcti_server_subscribe(struct mcti_provider *p, struct mcti_str uri, struct mcti_agreement *w,
                          struct mct_error *err);
void mcti_server_unsubscribe(struct mcti_provider *p, struct mcti_str uri);

void mcti_server_subs_init(struct mcti_server *m);
void mcti_server_subs_begin(struct mcti_server *m); /* connected to a handshake server: each is asked for */
void mcti_server_subs_touch(struct mcti_server *m); /* they may have changed while nobody was told */
void mcti_server_subs_stop(struct mcti_server *m);  /* the connection is gone; the wishes stay */
void mcti_server_subs_done(struct mcti_server *m);

/* For subscriptions/listen: the member of the filter, and what came of it. */
void mcti_server_subs_put(struct mcti_server *m, struct mcti_buf *b);
void mcti_server_subs_agreed(struct mcti_server *m, struct mcti_str uris); /* those that were acknowledged */
void mcti_server_subs_fail(struct mcti_server *m, const char *why);

/* ---- question.c ---- */

void mcti_server_on_request(struct mcti_server *m, const struct mcti_msg *msg, void *lane);

/* The call that what has just come belongs to: the transport knows, or only calls of one owner are under way. NULL:
 * none, or (*ret_unclear) that cannot be told. */
struct mcti_call *mcti_server_call_about(struct mcti_server *m, bool *ret_unclear);

/* What is known of what the call names, and what has been learned by it. */
enum mcti_habit mcti_server_habit_of(const struct mcti_server *m, uint64_t what);
void mcti_server_note_habit(struct mcti_server *m, struct mcti_call *call, enum mcti_habit habit);

/* A call is over: its questions are, too. !answered: it was given up, and may still ask. */
void mcti_server_questions_end(struct mcti_server *m, const struct mcti_call *call, bool answered);
void mcti_server_note_end(struct mcti_server *m, const struct mcti_call *call, bool answered);
void mcti_server_questions_recheck(
    void *data); /* fewer calls are under way than before: what waited for that goes on */

#endif
