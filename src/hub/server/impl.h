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
struct mcp_sub {
    struct mct_list node;
    struct mct_map_node by_uri;
    struct mct_list in_due;     /* in owner->subs_due: the handshake server is to be asked */
    struct mct_list in_waiting; /* in owner->subs_waiting: somebody waits for the agreement */
    struct mct_outbound out; /* resources/subscribe or unsubscribe */
    struct mcp *owner;
    unsigned n;              /* how many want it; 0: the server is just being told so */
    bool agreed;             /* the server has, on this connection */
    bool was_agreed;         /* before its newest acknowledgement */
    bool listed;             /* it is in the newest subscriptions/listen */
    struct mct_list waiting; /* struct mct_agreement */
    char *uri;
};

/* One subscriptions/listen; a new one takes over before the old one ends. */
struct mcp_listen {
    struct mct_outbound out;
    struct mcp *owner;
    uint64_t since_ms;
};

/* A line of a process's stderr while it comes, and how many were logged in this second. */
struct mcp_stderr {
    char line[MCT_LIMIT_STDERR_LINE];
    size_t len;
    unsigned n_lines;
    uint64_t since_ms;
    bool kept; /* last_diagnostics are of this attempt */
};

struct mcp {
    struct mct_provider base;
    struct mct_mcp_opts opts;
    struct mct_answerer can; /* of a branch: its opts.answerer */
    struct mct_transport *transport;
    struct mct_session session;
    bool open;      /* the session has a transport under it */
    bool stopping;
    uint64_t start_deadline_ms;
    uint64_t up_since_ms; /* 0: not connected */
    char *capabilities;   /* what we declare */

    /* this attempt, and what earlier ones found out */
    enum mct_era era;
    unsigned variant;
    bool respawned;    /* the one extra start after a failed probe was used */
    bool from_verdict; /* era and variant were remembered, not found */
    bool tries_handshake; /* a branch in that era, of which nobody knows yet whether the server has it */
    struct mct_verdict verdict;
    uint64_t verdict_ms; /* when it was found */
    struct mct_error first_error; /* why the variant before this one was given up */
    struct mct_handshake handshake;
    struct mct_lists lists;
    struct mcp_stderr err_out;
    struct mct_timer restart;
    unsigned backoff_ms;
    struct mct_task reap; /* frees a transport outside its own callback */
    struct mct_transport *old;
    struct mct_account answers; /* unfinished ones of this connection, below the account of the server: its size decides
                                 * about the reserve, not that of the piece that just came */

    /* calls */
    struct mct_buf meta;      /* scratch for the `_meta` of one request */
    struct mct_list calls;    /* under way at the server */
    struct mct_list attempts; /* calls that may need more than one request */
    uint64_t ghost;           /* on whose authority the call was that was cancelled last */
    uint64_t ghost_until_ms;
    const void *answered;     /* whose call was answered last */
    uint64_t answered_ms;
    const void *asker;        /* whose call, of something that asks, was answered last */
    uint64_t asker_until_ms;
    bool warned_of_turns, warned_of_untold, warned_of_bad;
    struct mct_list questions;
    struct mct_timer recheck; /* of questions that wait until it is clear whose they are */
    unsigned n_unclear;       /* of them; meanwhile no further call is made */
    struct mcp_habit {
        uint64_t what;        /* call.what */
        enum mct_habit habit;
    } habits[MCT_LIMIT_HABITS]; /* a hash table; what does not find its place is forgotten */
    char *stateless_meta;     /* `_meta` of our own requests to a stateless server */

    /* changes */
    struct mct_outbound level_out, ping_out;
    bool level_again; /* it has changed since level_out was sent */
    char *level; /* wanted log level of a handshake server, as JSON text; NULL: none */
    struct mcp_listen listen[2];
    unsigned listening; /* which of them is the newest */
    bool gap;           /* for a while nobody was told of changes */
    struct mct_timer relisten, ping;
    unsigned relisten_ms; /* the next pause; 0: the first */
    unsigned n_pings_lost;
    struct mct_list subs, subs_due, subs_waiting;
    struct mct_map subs_by_uri;
    struct mct_timer disagree;   /* a subscription that is not acknowledged, or could not be asked for */
    unsigned n_subscribing;      /* requests about them that are not answered */
};

static inline struct mcp *mcp_of(const struct mct_provider *p)
{
    return MCT_CONTAINER(p, struct mcp, base);
}

static inline bool mcp_is_stateless(const struct mcp *m)
{
    return mct_rev_is_stateless(m->session.rev);
}

/* Ends this connection because of `why`; a new one follows as configured. */
void mcp_abandon(struct mcp *m, const struct mct_error *why);

/* Everything above the transport ends; calls in flight fail with `why`. */
void mcp_tell_outdated(struct mcp *m); /* what was read of its resources may not be so any more */
void mcp_take_down(struct mcp *m, const struct mct_error *why);

/* The transport is freed, later: we may be in its callback. */
void mcp_drop_transport(struct mcp *m);

/* A transport of m->variant, a session, the handshake of m->era. */
void mcp_begin(struct mcp *m);

/* The texts that say what we can be asked. */
void mcp_make_texts(struct mcp *m);

/* ---- branch.c ---- */

struct mct_provider *mcp_branch(struct mct_provider *p, const struct mct_answerer *can, bool handshake);

/* Takes what is known of the server's eras. */
void mcp_take_both(struct mcp *m, enum mct_both both);

/* A connection has begun. False with *err: it is a branch in the handshake era over HTTP, and the server keeps no
 * session, so that it could ask nothing. */
bool mcp_handshake_serves(struct mcp *m, struct mct_error *err);

/* An attempt of such a branch has failed: what that says of the server's eras. `known`: as the attempt before. */
void mcp_note_failure(struct mcp *m, const struct mct_error *err, bool known);

/* ---- connect.c ---- */

/* Begins with what is known or configured. */
void mcp_start_attempt(struct mcp *m);
void mcp_start_handshake(struct mcp *m);
void mcp_on_lists(void *data); /* every list has been fetched */

/* Each begins again, if there is something else to try after `err`: with initialize, with nothing remembered,
 * with the next transport. */
bool mcp_try_handshake_era(struct mcp *m);
bool mcp_try_without_verdict(struct mcp *m, const struct mct_error *err);
bool mcp_try_next_variant(struct mcp *m, const struct mct_error *err);

/* Of two ways that both failed the one that got further says more: the second, unless it was just refused,
 * too. */
const struct mct_error *mcp_telling_error(const struct mcp *m, const struct mct_error *err);

/* ---- stderr.c ---- */

void mcp_on_stderr(void *data, struct mct_str bytes);

/* Logs the last lines of this attempt's stderr, except where each line is logged as it comes. */
void mcp_log_last_words(struct mcp *m, enum mct_log_level level);

/* ---- bad.c ---- */

/* `text` is no message that we can act on, because of `err`. The request it was the answer to fails, if it can be found. */
void mcp_on_bad_message(struct mcp *m, struct mct_str text, const struct mct_error *err);

/* ---- call.c ---- */

int mcp_call(struct mct_provider *p, struct mct_call *call, struct mct_error *err);
void mcp_cancel(struct mct_provider *p, struct mct_call *call, const char *reason);
bool mcp_runs_for(const struct mct_provider *p, const struct mct_call *behalf);

/* Connected, with fresh lists: what waited for that goes on. */
void mcp_calls_go_on(struct mcp *m);

/* No connection will come any more: what is not on its way fails. */
void mcp_calls_fail(struct mcp *m, const struct mct_error *why);

/* Adds the Mcp-Param-* headers of a tools/call. */
void mcp_put_param_headers(struct mcp *m, struct mct_str params, struct mct_headers *to);

/* Calls that wait for others to be over go on, if they may. True: some wait still. */
bool mcp_calls_take_turns(struct mcp *m);

/* Once: that its clients get into each other's way. */
void mcp_warn_of_turns(struct mcp *m);

/* The call behind a request of ours; NULL: it is something else. `o` may be NULL. */
struct mct_call *mcp_call_of(struct mct_outbound *o);

/* ---- listen.c ---- */

void mcp_listen_init(struct mcp *m);
void mcp_listen_begin(struct mcp *m); /* connected: tells the server all that is wanted */
void mcp_listen_stop(struct mcp *m);  /* the connection is gone; the wishes stay */
void mcp_listen_done(struct mcp *m);
void mcp_send_level(struct mcp *m);

/* A notification of the server that is no progress. */
void mcp_on_notification(struct mcp *m, const struct mct_msg *msg);

/* ---- subscribe.c ---- */

int mcp_subscribe(struct mct_provider *p, struct mct_str uri, struct mct_agreement *w, struct mct_error *err);
void mcp_unsubscribe(struct mct_provider *p, struct mct_str uri);

void mcp_subs_init(struct mcp *m);
void mcp_subs_begin(struct mcp *m); /* connected to a handshake server: each is asked for */
void mcp_subs_touch(struct mcp *m); /* they may have changed while nobody was told */
void mcp_subs_stop(struct mcp *m);  /* the connection is gone; the wishes stay */
void mcp_subs_done(struct mcp *m);

/* For subscriptions/listen: the member of the filter, and what came of it. */
void mcp_subs_put(struct mcp *m, struct mct_buf *b);
void mcp_subs_agreed(struct mcp *m, struct mct_str uris); /* those that were acknowledged */
void mcp_subs_fail(struct mcp *m, const char *why);

/* ---- question.c ---- */

void mcp_on_request(struct mcp *m, const struct mct_msg *msg, void *lane);

/* The call that what has just come belongs to: the transport knows, or only calls of one owner are under way. NULL:
 * none, or (*ret_unclear) that cannot be told. */
struct mct_call *mcp_call_about(struct mcp *m, bool *ret_unclear);

/* What is known of what the call names, and what has been learned by it. */
enum mct_habit mcp_habit_of(const struct mcp *m, uint64_t what);
void mcp_note_habit(struct mcp *m, struct mct_call *call, enum mct_habit habit);

/* A call is over: its questions are, too. !answered: it was given up, and may still ask. */
void mcp_questions_end(struct mcp *m, const struct mct_call *call, bool answered);
void mcp_note_end(struct mcp *m, const struct mct_call *call, bool answered);
void mcp_questions_recheck(void *data); /* fewer calls are under way than before: what waited for that goes on */

#endif
