/*
 * The one object that crosses the hub: a wish on its way to a provider, and its outcome on the way
 * back. Embedded in whoever started it. Apart are kept: the call failed (`failed`), the peer refused
 * (`error`, kept whole), and the tool says no (a `result` with isError).
 */
#ifndef MCT_HUB_CORE_CALL_H
#define MCT_HUB_CORE_CALL_H

#include "json/write.h"
#include "mcp/ask.h"
#include "mcp/method.h"
#include "mcp/session.h"

struct mcti_events;
struct mcti_local_request;
struct mcti_provider;
struct mcti_stage;
struct mcti_stage_ops;

/* Who asks; spans borrowed while the call is started. */
struct mcti_caller {
    enum mcti_rev rev;
    struct mcti_str client_info, capabilities, log_level; /* raw JSON; absent: unknown */
};

/* Exactly one is set; borrowed for the call of done(). */
struct mcti_outcome {
    struct mcti_str result;         /* object as the server wrote it */
    struct mcti_str error;          /* JSON-RPC error object */
    const struct mct_error *failed; /* there was no answer */
    enum mcti_rev rev;              /* of the server */
    bool unasked;                   /* it failed because what the server asked was not answered */
    bool blocked;                   /* a hook said no: the result says why, and the server has not heard of the call */
};

/* Whether what a call names asks back, on a connection that does not say in which call. */
enum mcti_habit { MCT_HABIT_UNKNOWN, MCT_HABIT_QUIET, MCT_HABIT_ASKS };

struct mcti_call {
    enum mcti_verb verb;
    struct mcti_str params;       /* the caller's params; borrowed while the call is started */
    struct mcti_str meta;         /* the `_meta` in them, absent: none */
    struct mcti_json_set subject; /* the member that is replaced (name, ref), value absent: none */
    struct mcti_caller caller;
    unsigned timeout_ms; /* 0: the provider's */
    bool interactive;    /* what the server asks in a result (input_required, -32042) is answered by
                          * the answerer, and the call goes on; otherwise it is the outcome */
    /* Who answers what the server asks because of this call; NULL: the provider's own answerer. */
    const struct mcti_answerer *answerer;
    /* Whose call this is, compared only: a question that does not say which call it comes from can be
     * answered when all calls under way have the same owner. NULL: like no other. */
    const void *owner;
    struct mcti_call *behalf; /* the call this one is made for, which its questions and log messages belong to; outlives
                               * it. NULL: it is made for itself */
    uint64_t authority;       /* hash of on whose authority it is made; 0: the program's own */

    /* Who hears of it, see hub/call/events.h; NULL: nobody. A provider may set it to NULL while it is given the call:
     * it refuses the arguments, and nothing has begun. */
    struct mcti_events *events;
    /* What they are told as the server, good until the end; NULL: the provider's name. The provider may set it while it
     * is given the call. */
    const char *event_server;
    /* And who makes it: on whose authority, and what the client calls itself, if that is not in caller.client_info;
     * borrowed while the call is started. */
    struct mcti_str principal, client;

    /* Once, unless the call is cancelled: later from the loop, or inside mcti_call_start() where a stage answers. The
     * call may be freed inside. */
    void (*done)(struct mcti_call *call, const struct mcti_outcome *outcome);
    /* params of notifications/progress; NULL: not wanted. */
    void (*progress)(struct mcti_call *call, struct mcti_str params);
    /* params of a notifications/message that came up in this call; NULL: it goes where other messages go. */
    void (*log)(struct mcti_call *call, struct mcti_str params);
    /* The answer will take a while: the client may be let go and come back for it (2025-11-25 "Streamable HTTP",
     * closing a stream before the answer). NULL: it may not. */
    void (*hang_up)(struct mcti_call *call);
    void *data;

    struct mcti_provider *provider;    /* set while it is under way */
    bool is_sent;                      /* the provider has it */
    struct mcti_stage *stage;          /* the innermost that it is in, see stage.h; NULL: none */
    const struct mcti_stage_ops *next; /* which it comes to next */
    struct mcti_outbound out;          /* the provider's */
    struct mcti_timer timer;
    struct mcti_list node;
    uint64_t what;                 /* hash of what it names */
    enum mcti_habit habit;         /* what is known of that */
    uint64_t started_ms, asked_ms; /* asked_ms: when it asked something last that is still open */
    bool asked;                    /* it has, at some time */
    struct mcti_local_request *local;
    struct mcti_server_attempt *attempt; /* NULL: one request is all there is to it */
};

#endif
