/*
 * The provider of one MCP server: the struct that the files of this folder share. server.c starts, stops and
 * reconnects; each other file has a part with a header of its own. Private to the folder.
 */
#ifndef MCT_HUB_SERVER_IMPL_H
#define MCT_HUB_SERVER_IMPL_H

#include "base/limits.h"
#include "hub/core/lists.h"
#include "hub/guard/habits.h"
#include "hub/server/server.h"

/* One subscriptions/listen. A new one replaces the old one, which ends only when the new one is acknowledged. */
struct mcti_server_listen {
    struct mcti_outbound out;
    struct mcti_server *owner;
    uint64_t since_ms;
};

/* An unfinished line of a process's stderr, and the number of lines logged in the current second. */
struct mcti_server_stderr {
    char *line; /* MCT_LIMIT_STDERR_LINE bytes; NULL: the process has written none, or there was no memory */
    size_t len;
    unsigned n_lines;
    uint64_t since_ms;
    bool kept; /* base.last_diagnostics are those of this attempt */
};

struct mcti_server {
    struct mcti_provider base;
    struct mcti_mcp_opts opts;
    struct mcti_gate gate;    /* of a branch: unused, it has that of its origin */
    struct mcti_answerer can; /* of a branch: its opts.answerer */
    struct mcti_transport *transport;
    struct mcti_session session;
    uint64_t heard_ms; /* time of the latest message from the server */
    bool open;         /* the session is in use */
    bool up;           /* it is connected, and its lists were fetched */
    bool was_up;
    bool stopping;
    bool again; /* mcti_server_restart() waits for the end of the old connection */
    uint64_t start_ms, start_deadline_ms;
    struct mcti_timer slow; /* of the start, see slow.h */
    struct mcti_timer idle; /* see lazy.h */
    uint64_t used_ms;       /* time at which the latest call ended */
    uint64_t up_since_ms;   /* 0: not connected */
    char *capabilities;     /* client capabilities that are declared to the server */

    /* this attempt, and results of earlier ones */
    enum mcti_era era;
    unsigned variant;
    bool respawned;       /* the one extra start after a failed probe was used */
    bool from_verdict;    /* era and variant come from the verdict */
    bool tries_handshake; /* a branch in the handshake era, which the server may not speak */
    struct mcti_verdict verdict;
    uint64_t verdict_ms;                 /* time of the verdict */
    const struct mct_error *first_error; /* why the variant before this one failed; kept, see base/error.h */
    struct mcti_handshake handshake;
    struct mcti_lists lists;
    struct mcti_server_stderr err_out;
    struct mcti_timer restart;
    unsigned backoff_ms;
    struct mcti_task reap; /* frees a transport outside its own callback */
    struct mcti_transport *old;
    struct mcti_account answers; /* unfinished answers of this connection; a child of the server's account, because
                                  * their total counts against the reserve, not the size of the newest piece */

    /* calls */
    struct mcti_buf meta;         /* scratch for the `_meta` of one request */
    struct mcti_list calls;       /* in flight at the server */
    struct mcti_list attempts;    /* calls that may need more than one request */
    struct mcti_list held;        /* calls that wait for the start, see hold.h */
    uint64_t cancelled_authority; /* authority of the call that was cancelled last */
    uint64_t cancelled_until_ms;  /* a late question of that call may arrive until then */
    const void *answered_owner;   /* owner of the call that was answered last */
    uint64_t answered_ms;
    const void *asking_owner; /* owner of the last answered call of a tool that asks questions */
    uint64_t asking_until_ms; /* a late question of that call may arrive until then */
    bool warned_of_turns, warned_of_undelivered, warned_of_bad;
    struct mcti_list questions;
    struct mcti_timer recheck; /* of waiting questions and calls */
    unsigned n_unclear;        /* questions whose call is not determined yet; no call is sent until it is */
    struct mcti_habits *habits;
    char *stateless_meta; /* `_meta` of the gateway's own requests to a stateless server */

    /* changes */
    struct mcti_outbound level_out, ping_out, check_out;
    bool level_again; /* the level has changed since level_out was sent */
    char *level;      /* log level to request from a handshake server, as JSON text; NULL: none */
    struct mcti_server_listen listen[2];
    unsigned listening; /* index of the newest one */
    bool gap;           /* notifications may have been missed */
    struct mcti_timer relisten, ping;
    unsigned relisten_ms; /* the next pause; 0: the first */
    unsigned n_pings_lost;
    struct mcti_list subs, subs_due, subs_waiting; /* struct mcti_server_sub, see subscribe.c */
    struct mcti_map subs_by_uri;
    struct mcti_timer disagree; /* fails subscriptions that are not acknowledged, or not sent yet */
    unsigned n_subscribing;     /* unanswered resources/subscribe and unsubscribe requests */
};

static inline struct mcti_server *mcti_server_of(const struct mcti_provider *p)
{
    return MCT_CONTAINER(p, struct mcti_server, base);
}

static inline bool mcti_server_is_stateless(const struct mcti_server *m)
{
    return mcti_rev_is_stateless(m->session.rev);
}

/* ---- server.c ---- */

/* Closes the connection because of `why`; a new attempt follows if so configured. */
void mcti_server_abandon(struct mcti_server *m, const struct mct_error *why);

/* Reports that resources read so far may be outdated. */
void mcti_server_report_outdated(struct mcti_server *m);

/* Starts an attempt now, also of a lazy server. */
void mcti_server_start(struct mcti_server *m);

/* Ends the session and everything on it; calls in flight fail with `why`. */
void mcti_server_take_down(struct mcti_server *m, const struct mct_error *why);

/* Frees the transport, later: the caller may run in one of its callbacks. */
void mcti_server_drop_transport(struct mcti_server *m);

/* Ends the attempt. The lists are kept, because the server may come back. Until then calls fail with the error. */
void mcti_server_failed(struct mcti_server *m, const struct mct_error *why);

/* Reports that the server has stopped as it should. */
void mcti_server_stopped(struct mcti_server *m);

/* Writes the capabilities and the `_meta` that are declared to the server. When out of memory, returns -1 and keeps the
 * old ones. */
int mcti_server_make_texts(struct mcti_server *m);

/* ---- link.c ---- */

/* Opens a transport of m->variant and starts the handshake of m->era. */
void mcti_server_begin(struct mcti_server *m);

/* ---- stderr.c ---- */

/* Logs lines of the process's stderr; `data` is the server. */
void mcti_server_on_stderr(void *data, struct mcti_str bytes);

/* Returns the last output of the process on stderr; empty if there is none. Valid until the next turn of the loop. */
struct mcti_str mcti_server_last_lines(const struct mcti_server *m);

/* Logs the last stderr lines of this attempt, unless every line has been logged already. */
void mcti_server_log_last_lines(struct mcti_server *m, enum mct_log_level level);

/* ---- bad.c ---- */

/* Handles an invalid message `text`; `err` is the reason. If the request that it answers can be found, that fails. */
void mcti_server_on_bad_message(struct mcti_server *m, struct mcti_str text, const struct mct_error *err);

#endif
