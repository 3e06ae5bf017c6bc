/* A call that is held until its task ends. Shared by hold.c, hold_2025.c and give_up.c only. */
#ifndef MCT_HUB_TASKS_IMPL_H
#define MCT_HUB_TASKS_IMPL_H

#include "base/strings.h"
#include "hub/tasks/tasks.h"
#include "mcp/mrtr.h"
#include "mcp/task.h"

struct mcti_hold {
    struct mcti_stage base;
    struct mcti_call *call;
    struct mcti_provider *provider;
    struct mcti_caller caller;
    char *texts;                                                      /* text of the spans of `caller` */
    void (*progress)(struct mcti_call *call, struct mcti_str params); /* of the caller */
    uint64_t token;                                                   /* of its progress, see call->task_token */
    uint64_t progressed;                                              /* highest value of progress so far */
    enum mcti_rev rev;                                                /* of the server */
    bool resumes;        /* the call waits for a task that exists already, and is not its owner */
    bool is_2025;        /* the task is one of 2025-11-25 */
    char task[32];       /* parameter "task" of the call then */
    char *id;            /* of the task, a JSON string; NULL: there is none so far */
    enum mcti_verb verb; /* of the latest request about it */
    char *params;        /* of that request */
    uint64_t seen;       /* hash of the latest state */
    unsigned pause_ms, n_failures;
    uint64_t started_ms, until_ms;
    struct mcti_timer timer;
    struct mcti_strings asked; /* keys of its questions so far, as written */
    struct mcti_round round;
};

static inline struct mcti_hold *hold_of(struct mcti_stage *s)
{
    return MCT_CONTAINER(s, struct mcti_hold, base);
}

void mcti_hold_on_timer(void *data);

/* Passes the outcome of the tool on to the caller, and frees `h`. */
void mcti_hold_finish(struct mcti_hold *h, const struct mcti_outcome *o);

/* The same for a failure; `unasked`: a question was not answered. */
void mcti_hold_fail(struct mcti_hold *h, const struct mct_error *why, bool unasked);

/* Sends a request about the task; `take_params` has its params. */
void mcti_hold_send(struct mcti_hold *h, enum mcti_verb verb, struct mcti_buf *take_params);

/* Records the task that the call has become. Returns -1, with *err, when out of memory. */
int mcti_hold_note_task(struct mcti_hold *h, const struct mcti_task_state *t, struct mct_error *err);

/* ---- hold_2025.c ---- */

/* Sets the parameter that asks for a task. */
void mcti_hold_ask_for_task(struct mcti_hold *h);

/* Handles the answer to the call, and requests the result of its task. */
void mcti_hold_begin_2025(struct mcti_hold *h, const struct mcti_outcome *o);

/* Requests the result of the task: the answer comes when it ends. */
void mcti_hold_read_2025(struct mcti_hold *h);

/* Ends the call with the result of the task. */
void mcti_hold_take_2025(struct mcti_hold *h, const struct mcti_outcome *o);

/* ---- give_up.c ---- */

/* Cancels the task at its server, if it is the call's own; nobody waits for the answer. */
void mcti_hold_give_up(const struct mcti_hold *h);

#endif
