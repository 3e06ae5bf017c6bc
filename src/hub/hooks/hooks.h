/*
 * The hooks of one gateway or program: <mcptools/hook.h> says what they are, docs/HOOKS.md what they see and say. An
 * ordered list that calls borrow while they are started; run.h runs a call through it. Everything happens on the thread
 * of the scheduler.
 */
#ifndef MCT_HUB_HOOKS_HOOKS_H
#define MCT_HUB_HOOKS_HOOKS_H

#include "base/map.h"
#include "hub/view/view.h"

#include <mcptools/hook.h>

enum { MCT_HOOK_KINDS = MCT_HOOK_PERSIST + 1, MCT_HOOK_NAMES = 8, MCT_HOOK_NAME_BYTES = 512 };

struct mcti_hooks {
    struct mcti_sched *sched;
    const struct mcti_log *log;
    bool compat_2026_2;     /* set by the owner: the rules of OpenClaw 2026.2 */
    struct mcti_list hooks; /* struct mcti_hook, in the order in which they run */
    size_t n;
    struct mcti_list events; /* struct mct_hook_event: handlers that are running */
    unsigned n_running[MCT_HOOK_KINDS];
    unsigned n_unknown;       /* see mcti_hooks_hold() */
    struct mcti_list waiting; /* struct mcti_hooked, because of that */
    struct mcti_map always;   /* approvals for good, see approval.c */
    uint64_t n_calls, n_added;
    char process[9]; /* what ids of calls begin with */
};

void mcti_hooks_init(struct mcti_hooks *h, struct mcti_sched *sched, const struct mcti_log *log);

/* No call is under way any more; handlers that only observe are withdrawn. */
void mcti_hooks_done(struct mcti_hooks *h);

/* `owner`, compared only: whose it is. -1 with *err; then free_data is not called. */
int mcti_hooks_add(struct mcti_hooks *h, const struct mct_hook_def *def, const void *owner, struct mct_error *err);

/* All of that owner. None of their functions is called after this, but for free_data of one that is just running: that
 * comes when it returns. Calls that were to pass one of them are treated as if it had failed. */
void mcti_hooks_remove(struct mcti_hooks *h, const void *owner);

/* Somebody has hooks that are not known yet: calls wait. Counted. */
void mcti_hooks_hold(struct mcti_hooks *h);
void mcti_hooks_release(struct mcti_hooks *h);

/* Whether no handler is running. */
bool mcti_hooks_idle(const struct mcti_hooks *h);

/* ---- a call through them ---- */

/* What is called, by whom. Made for one call. */
struct mcti_hook_target {
    struct mcti_hooks *hooks;
    char own[2][MCT_HOOK_NAME_BYTES]; /* text of names of a tool that is in no registry */
    struct mcti_str
        names[MCT_HOOK_NAMES]; /* every name that the tool may have anywhere; the first is what events say */
    bool unsure;               /* that these are all: every hook is for it */
    struct mcti_str tool;      /* its server's name of it */
    const struct mcti_answerer
        *approver;    /* who is asked whether a held call may go on; outlives the call. NULL: nobody */
    uint64_t session; /* the client's, a number no other has had; 0: it has none */
};

/* False: the call passes none. Names are good until the loop turns, and while *ret stays where it is. `h` may be NULL.
 */
bool mcti_hook_target(struct mcti_hooks *h, struct mcti_view *v, const struct mcti_exposure *x,
                      struct mcti_hook_target *ret);

/* The next hook that such a call at `p` passes; `after` NULL: the first. NULL: there is none. */
struct mcti_hook;
struct mcti_hook *mcti_hooks_next(const struct mcti_hook_target *t, const struct mcti_provider *p,
                                  struct mcti_hook *after);

enum mct_hook_kind mct_hook_kind(const struct mcti_hook *hook);
const char *mcti_hook_kind_word(enum mct_hook_kind kind); /* "before_tool_call" … */
const char *mcti_hook_name(const struct mcti_hook *hook);
int mcti_hook_priority(const struct mcti_hook *hook);

/* "before", "before_tool_call" …, the short words first. */
extern const struct mcti_word mcti_hook_kind_words[];

/* Sets *ret to the kind that `word` names; returns false if it names none. */
bool mcti_hook_kind_find(const char *word, enum mct_hook_kind *ret);

#endif
