/*
 * A call on its way to a provider, and its outcome on the way back. The caller embeds struct mcti_call in an object of
 * its own. Three kinds of failure are distinct: there was no answer (`failed`), the server sent a JSON-RPC error
 * (`error`), and the tool reported an error (a `result` with isError).
 */
#ifndef MCT_HUB_CORE_CALL_H
#define MCT_HUB_CORE_CALL_H

#include "json/write.h"
#include "mcp/ask.h"
#include "mcp/method.h"
#include "mcp/session.h"
#include "mcp/task.h"

struct mcti_entrance;
struct mcti_events;
struct mcti_local_request;
struct mcti_provider;
struct mcti_stage;
struct mcti_stage_ops;
struct mcti_span;
struct mcti_turn;

/* The client that makes the call; spans borrowed while the call is started. */
struct mcti_caller {
    enum mcti_rev rev;
    struct mcti_str client_info, capabilities, log_level; /* raw JSON; absent: unknown */
    enum mcti_extensions extensions;                      /* of the capabilities: those that a server is told */
};

/* The outcome of a call: exactly one of result, error and failed is set. The texts are valid during the call of done().
 */
struct mcti_outcome {
    struct mcti_str result;         /* object as the server wrote it */
    struct mcti_str error;          /* JSON-RPC error object */
    struct mcti_chunk *chunk;       /* borrowed: owner of the bytes of a long result; NULL: unknown */
    const struct mct_error *failed; /* there was no answer */
    enum mcti_rev rev;              /* of the server */
    bool unasked;                   /* failed because a question of the server was not answered */
    bool is_state;                  /* the result is the state of a task, not that of a tool */
    bool blocked;                   /* refused before it was sent to the server; the result has the reason */
};

/* Who follows a task that the server makes of the call (mcp/task.h). */
enum mcti_tasks {
    MCT_TASKS_NONE,     /* nobody: the extension is not declared to the server */
    MCT_TASKS_FOLLOWED, /* the caller, which has declared it: the task is the outcome */
    /* The stage "hold", if the server may make tasks: the outcome is that of the task. Of tasks/get: the outcome is
     * that of the task that it names, which the call leaves running when it is cancelled. */
    MCT_TASKS_HELD,
};

/* Whether the called item has asked questions before, on a connection whose questions do not name their call. */
enum mcti_habit { MCT_HABIT_UNKNOWN, MCT_HABIT_QUIET, MCT_HABIT_ASKS };

struct mcti_call {
    enum mcti_verb verb;
    const char *method;           /* of MCT_VERB_FOREIGN; borrowed until the call ends. Otherwise unused */
    struct mcti_str params;       /* params of the caller; borrowed while the call is started */
    struct mcti_str meta;         /* `_meta` of the params; absent: none */
    struct mcti_chunk *chunk;     /* borrowed: owner of the bytes of long params; NULL: unknown */
    struct mcti_json_set subject; /* member to replace (name, ref); value absent: none */
    struct mcti_caller caller;
    unsigned timeout_ms; /* 0: the provider's */
    enum mcti_tasks tasks;
    /* MCT_TASKS_HELD: the latest state of the task, set before the outcome. MCT_TASK_UNKNOWN: the server has forgotten
     * it */
    enum mcti_task_status task_status;
    struct mcti_str task; /* parameter "task" (2025-11-25), raw JSON; absent: none, whatever the params have */
    uint64_t task_token;  /* of MCT_VERB_TASKS_RESULT: progress token of the call that the task comes from; 0: none */
    bool is_task;         /* of the gateway's own: a task of 2025-11-25 is made even if the tool can do without */
    bool interactive;     /* the answerer answers questions in results (input_required, -32042), and the call continues;
                          * if false, such a result is the outcome */
    /* Answers the questions that the server asks because of this call; NULL: the provider's own answerer. */
    const struct mcti_answerer *answerer;
    /* Opaque identity of the caller; never dereferenced. A question that does not name its call can be routed if all
     * open calls have the same owner. NULL equals no owner, not even NULL. */
    const void *owner;
    struct mcti_call *behalf; /* call that this one is made for and that gets its questions and log messages; outlives
                               * it. NULL: none */
    uint64_t authority;       /* hash of the principal's name; 0: the program itself */

    /* Listeners of the call, see hub/call/events.h; NULL: none. A provider that refuses the arguments while it is given
     * the call may set it to NULL: no event is sent. */
    struct mcti_events *events;
    /* Server name reported to listeners; valid until the call ends. NULL: the provider's name. The provider may set it
     * while it is given the call. */
    const char *event_server;
    /* Principal and client reported to listeners; client absent: the name in caller.client_info. Borrowed while the
     * call is started, but the principal of a call that others are made on behalf of lasts as long as the call. */
    struct mcti_str principal, client;
    struct mcti_str session_info; /* clientInfo of the session, an object; outlives the call. Absent: no session */
    uint64_t session;             /* number of the client's session; 0: none */

    const struct mcti_span *span; /* telemetry of the request that the call is made for; outlives it. NULL: none */
    struct mcti_str traceparent;  /* replaces the one in `meta`, a JSON string; absent: `meta` is sent as it is */

    /* Called once, unless the call is cancelled: later from the loop, or inside mcti_call_start() if a stage answers.
     * May free the call. */
    void (*done)(struct mcti_call *call, const struct mcti_outcome *outcome);
    /* Receives the params of notifications/progress; NULL: progress is not requested. */
    void (*progress)(struct mcti_call *call, struct mcti_str params);
    /* Receives the params of a notifications/message that belongs to this call; NULL: such messages are treated like
     * those of no call. */
    void (*log)(struct mcti_call *call, struct mcti_str params);
    /* Receives any other notification that belongs to this call, which the gateway does not know; NULL: they are
     * dropped. */
    void (*notified)(struct mcti_call *call, struct mcti_str method, struct mcti_str params);
    /* Receives the state of a completed task whose result is the outcome that follows, of tasks/get. NULL: the state is
     * the outcome. */
    void (*completed)(struct mcti_call *call, struct mcti_str state);
    /* Called if the answer will take a while: the client's stream may be closed, and the client resumes it (2025-11-25
     * "Streamable HTTP", closing a stream before the answer). NULL: it may not. */
    void (*hang_up)(struct mcti_call *call);
    void *data;

    struct mcti_provider *provider;    /* set while the call is open */
    bool is_sent;                      /* the provider has the call */
    struct mcti_stage *stage;          /* innermost stage that has the call, see stage.h; NULL: none */
    const struct mcti_stage_ops *next; /* next stage */
    struct mcti_entrance *entrance;    /* of the server: it counts the call, or lets it wait. NULL: neither */
    struct mcti_turn *turn;            /* place of the waiting call at the entrance; NULL: it does not wait */
    bool is_own;                       /* a request of the hub itself, which no entrance holds up */
    bool is_paused;                    /* not counted while a person answers a question */
    unsigned waited_ms;                /* time that the entrance has taken from the time limit */

    /* The members below belong to the provider. */
    struct mcti_outbound out;
    struct mcti_timer timer;
    struct mcti_list node;
    uint64_t what;                 /* hash of the called item */
    enum mcti_habit habit;         /* of the called item */
    uint64_t started_ms, asked_ms; /* asked_ms: time of the last question that is still open */
    bool asked;                    /* the server has asked a question during the call */
    bool wants_log;                /* the request asks a 2026-07-28 server for log messages */
    struct mcti_local_request *local;
    struct mcti_server_attempt *attempt; /* NULL: the call is a single request */
};

/* Returns whether the outcome is a 2026-07-28 result that asks the caller: a further round follows. */
bool mcti_outcome_asks(const struct mcti_outcome *o);

/* Returns whether the outcome is none of a tool yet: the server asks, or has made a task of the call. */
bool mcti_outcome_is_pending(const struct mcti_outcome *o);

/* Returns whether the call is about the result of a tool: of its call, or of the task that the call has become. */
static inline bool mcti_call_is_of_tool(const struct mcti_call *call)
{
    return call->verb == MCT_VERB_TOOLS_CALL || call->verb == MCT_VERB_TASKS_GET;
}

/* Returns the length of the texts that the call borrows while it is started and that a provider reads; keep copies them
 * to `to` and lets the call point to the copies. */
size_t mcti_call_texts_len(const struct mcti_call *call);
void mcti_call_keep_texts(struct mcti_call *call, char *to);

/* Returns the rest of a time limit (0: none) after the call has waited at its entrance; at least 1. */
static inline unsigned mcti_call_rest_ms(const struct mcti_call *call, unsigned limit_ms)
{
    return !limit_ms || !call->waited_ms ? limit_ms : limit_ms > call->waited_ms ? limit_ms - call->waited_ms : 1;
}

/* Returns the call that `call` is made for: itself, or that of the client. */
struct mcti_call *mcti_call_root(struct mcti_call *call);

static inline const char *mcti_call_method(const struct mcti_call *call)
{
    return call->verb == MCT_VERB_FOREIGN ? call->method : mcti_method(call->verb)->name;
}

#endif
