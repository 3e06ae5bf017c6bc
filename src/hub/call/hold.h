/* A call that is held until its task ends. Shared by hold.c and give_up.c only. */
#ifndef MCT_HUB_CALL_HOLD_H
#define MCT_HUB_CALL_HOLD_H

#include "base/strings.h"
#include "hub/call/stages.h"
#include "mcp/mrtr.h"
#include "mcp/task.h"

struct mcti_hold {
    struct mcti_stage base;
    struct mcti_call *call;
    struct mcti_provider *provider;
    struct mcti_caller caller;
    char *texts;                                                      /* text of the spans of `caller` */
    void (*progress)(struct mcti_call *call, struct mcti_str params); /* of the caller */
    uint64_t progressed;                                              /* highest value of progress so far */
    enum mcti_rev rev;                                                /* of the server */
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

/* Cancels the task at its server, if there is one; nobody waits for the answer. */
void mcti_hold_give_up(const struct mcti_hold *h);

#endif
