/*
 * The hooks of one gateway or program, as an ordered list: see <mcptools/hook.h> and docs/HOOKS.md. Calls borrow the
 * list while they are started; run.h runs the hooks of a call. All functions are called on the thread of the scheduler.
 */
#ifndef MCT_HUB_HOOKS_HOOKS_H
#define MCT_HUB_HOOKS_HOOKS_H

#include "base/table/map.h"
#include "hub/policy/outside.h"
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
    unsigned n_running[MCT_HOOK_KINDS], n_waiting[MCT_HOOK_KINDS];
    struct mcti_list queues[MCT_HOOK_KINDS]; /* events that wait for others to end */
    unsigned n_unknown;                      /* see mcti_hooks_hold() */
    struct mcti_list waiting;                /* struct mcti_hooked: calls that wait while n_unknown is not 0 */
    struct mcti_outside *outside;            /* guards tools, see guard.c; set by the owner. NULL: none */
    struct mcti_map always;                  /* permanent approvals, see approval.c */
    uint64_t n_calls, n_added;
    char process[9]; /* first part of the ids of calls */
};

void mcti_hooks_init(struct mcti_hooks *h, struct mcti_sched *sched, const struct mcti_log *log);

/* Frees all hooks and withdraws the handlers that still observe. No call may be open. */
void mcti_hooks_done(struct mcti_hooks *h);

/* Adds a hook of `owner`, which is compared only. On failure returns -1 and sets *err; free_data is not called. */
int mcti_hooks_add(struct mcti_hooks *h, const struct mct_hook_def *def, const void *owner, struct mct_error *err);

/* Removes all hooks of `owner`. Their functions are not called afterwards, except free_data of a hook that is running,
 * which is called when the hook returns. For calls that have not passed a removed hook yet, the hook counts as failed.
 */
void mcti_hooks_remove(struct mcti_hooks *h, const void *owner);

/* Make calls wait until all hooks are known, and let them continue. Calls of hold and release are counted. */
void mcti_hooks_hold(struct mcti_hooks *h);
void mcti_hooks_release(struct mcti_hooks *h);

/* Returns whether no handler is running. */
bool mcti_hooks_idle(const struct mcti_hooks *h);

/* ---- hooks of one call ---- */

/* The tool of a call, and its caller, for hooks. */
struct mcti_hook_target {
    struct mcti_hooks *hooks;
    char own[2][MCT_HOOK_NAME_BYTES];      /* text of names of a tool that is in no registry */
    struct mcti_str names[MCT_HOOK_NAMES]; /* every name of the tool in any view; events use the first */
    bool unsure;                           /* some names may be missing: every hook applies */
    struct mcti_str tool;                  /* raw name */
    const struct mcti_answerer *approver;  /* asks the user for approvals; outlives the call. NULL: none */
    uint64_t session;                      /* unique number of the client's session; 0: none */
    bool is_guarded;                       /* the flow policy names the tool, with this rule */
    struct mcti_outside_rule guard;
};

/* Sets *ret to the target of a call. Returns false if no hook applies to the tool. Names are valid until the next turn
 * of the loop, and only while *ret is not moved. `h` may be NULL. */
bool mcti_hook_target(struct mcti_hooks *h, struct mcti_view *v, const struct mcti_exposure *x,
                      struct mcti_hook_target *ret);

/* Sets *ret to the target of a call whether hooks apply or not. */
void mcti_hook_target_name(struct mcti_hooks *h, struct mcti_view *v, const struct mcti_exposure *x,
                           struct mcti_hook_target *ret);

/* Returns whether the call has to be held: hooks apply, as *ret from mcti_hook_target() says, or the flow policy guards
 * the tool and the client has received something from outside. Completes *ret. */
bool mcti_hook_guard(struct mcti_hooks *h, struct mcti_call *call, struct mcti_view *v, const struct mcti_exposure *x,
                     bool is_hooked, struct mcti_hook_target *ret);

/* Returns the hook after `after` that applies to a call at `p`; `after` NULL: the first. Returns NULL if there is no
 * further one. */
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
