/* Shared by the files of gateway/tasks only: what a request keeps because of a task, and tasks of the gateway's own. */
#ifndef MCT_GATEWAY_TASKS_IMPL_H
#define MCT_GATEWAY_TASKS_IMPL_H

#include "gateway/tasks.h"
#include "gateway/tasks/id.h"
#include "mcp/task.h"

/* What a request keeps because of its task. */
struct mcti_gw_tasked {
    struct mcti_provider *connection; /* used last */
    struct mcti_task_id id;           /* `own` NULL: the call has not become a task so far */
    char *exposed;                    /* id that the client has sent, a JSON string; NULL: none */
    char *state;                      /* of a completed task; NULL: none */
    struct mcti_list wait;            /* in task->waits: a tasks/result that is not answered yet */
    struct mcti_gw_request *request;  /* that has it */
    struct mcti_own_task *task;       /* that it waits for; NULL: none */
};

/* Gives the request an empty r->task, in place of that of an earlier dispatch. Returns -1 with *err. */
int mcti_gw_task_renew(struct mcti_gw_request *r, struct mct_error *err);

#define MCT_OWN_TASK_PREFIX "task-"

/* A task of the gateway's own. `inner` is the client inside of the gateway that makes the call. */
struct mcti_own_task {
    struct mcti_list node; /* in gateway->own_tasks, the oldest first */
    struct mcti_gateway *gateway;
    const struct mcti_view *endpoint;
    struct mcti_principal *principal;
    struct mcti_client_prefs prefs;
    char id[sizeof MCT_OWN_TASK_PREFIX + 34]; /* a JSON string */
    char *server, *tool;                      /* name of the server, and its own name of the tool */
    struct mcti_peer *inner;                  /* NULL: the call has ended */
    struct mcti_peer *client;                 /* session that asked for it; NULL: it has none, or has left */
    char *token;                              /* progress token of that session, as written; NULL: none */
    enum mcti_task_status status;
    char *message;                           /* what the server said last, a JSON string; NULL: nothing */
    uint64_t created_ms, updated_ms, ttl_ms; /* the first two on the wall clock */
    char *outcome;                           /* result, or error if is_error, in the form of 2025-11-25 */
    bool is_error, is_tool_error;
    size_t held;                  /* bytes charged for it */
    struct mcti_list asks, waits; /* struct mcti_own_ask; struct mcti_gw_tasked */
    unsigned n_asked;
    struct mcti_timer expiry;
    struct mcti_task close; /* frees `inner` after its call */
};

/* A question of the call that waits for its answer. */
struct mcti_own_ask {
    struct mcti_list node;
    struct mcti_own_task *task;
    unsigned number;
    enum mcti_ask_kind kind;
    char *id, *params; /* of the request to the inner client */
    struct mcti_outbound out;
    struct mcti_gw_tasked *by; /* the request on whose stream it has been put to the client; NULL: it has not */
};

/* ---- tasks.c ---- */

/* Fails in the one way for all ids without a task: those that are made up, unknown to the server, of another principal,
 * or of a tool that the client may not use (any more). */
void mcti_gw_fail_unknown_task(struct mcti_gw_request *r);

/* Reads the id of a server's task that the client of the request has. Returns -1 if it is none. */
int mcti_gw_task_read_id(const struct mcti_gw_request *r, struct mcti_str text, struct mcti_task_id *ret);

/* Returns the tool of a task if the client of the request may call it; NULL: it may not. */
const struct mcti_exposure *mcti_gw_task_tool(struct mcti_gw_request *r, const char *server, const char *tool,
                                              struct mcti_view **ret_view);

/* ---- own.c ---- */

/* Returns the task of the client with this id, if it may use the tool. */
struct mcti_own_task *mcti_own_task_find(struct mcti_gw_request *r, struct mcti_str id);

bool mcti_own_task_is_of(const struct mcti_own_task *t, const struct mcti_gw_request *r);

/* Ends the call: the task is cancelled. */
void mcti_own_task_cancel(struct mcti_own_task *t);

/* Sets the status, and tells those who follow the task. */
void mcti_own_task_set(struct mcti_own_task *t, enum mcti_task_status status);

/* Returns the status as 2025-11-25 has it: a result that says isError is a failure. */
enum mcti_task_status mcti_own_task_status_2025(const struct mcti_own_task *t);

/* ---- own_ask.c ---- */

/* Keeps a question of the call. Returns -1 if there are too many, or when out of memory. */
int mcti_own_ask_new(struct mcti_own_task *t, const struct mcti_msg *msg);

/* The call has withdrawn the question with this id. */
void mcti_own_ask_withdraw(struct mcti_own_task *t, struct mcti_str id);

/* Answers the question: `member` is "result" or "error". Frees `a`; may end the task. */
void mcti_own_ask_answer(struct mcti_own_ask *a, const char *member, struct mcti_str value);

/* Puts the questions that wait to a client that waits for the result. */
void mcti_own_asks_put(struct mcti_own_task *t);

/* The request is over: questions that were put on its stream wait for the next. */
void mcti_own_asks_recall(struct mcti_gw_tasked *by);

void mcti_own_asks_drop(struct mcti_own_task *t);

/* ---- own_state.c ---- */

/* Writes the Task object of 2025-11-25. */
void mcti_own_put_2025(struct mcti_buf *to, const struct mcti_own_task *t);

/* Writes the members of the state as the extension has them, after those of an open object. `whole`: with result, error
 * and questions. */
void mcti_own_put_state(struct mcti_buf *to, const struct mcti_own_task *t, bool whole);

/* Writes an object, a result or params, that belongs to the task, with `_meta` that names it (2025-11-25 "Tasks",
 * related-task). */
void mcti_own_put_related(struct mcti_buf *to, const struct mcti_own_task *t, struct mcti_str object);

/* ---- watch.c ---- */

/* Tells the subscribers of the task its state. */
void mcti_watch_tell_own(struct mcti_own_task *t);

/* ---- own_answer.c ---- */

/* Answers a tasks/result; the task has ended. */
void mcti_own_task_send_result(struct mcti_own_task *t, struct mcti_gw_request *r);

#endif
