/*
 * Hooks around tool calls. A hook of the kind MCT_HOOK_BEFORE may rewrite the arguments, block the call or
 * hold it for approval; MCT_HOOK_AFTER observes; MCT_HOOK_PERSIST may change the result that is passed on.
 *
 * Hooks come from the program, from plugins, and from the configuration, where they are external commands.
 * All of them receive the same events and return the same decisions, highest priority first; hooks with the
 * same priority run in the order in which they were added.
 *
 * Each hook receives its own copy of the event and decides once: inside `run`, or later. A hook that exceeds
 * its time limit or fails blocks the call, or withholds its result ("fail closed", OpenClaw 2026.9). With
 * `"hooks_compat": "2026.2"` in the configuration such a hook is ignored. docs/HOOKS.md describes events and
 * decisions.
 */
#ifndef MCPTOOLS_HOOK_H
#define MCPTOOLS_HOOK_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

enum mct_hook_kind { MCT_HOOK_BEFORE, MCT_HOOK_AFTER, MCT_HOOK_PERSIST };

/* One event for one hook. Valid until the hook has decided, or until its `withdrawn` returns. */
struct mct_hook_event;

typedef void (*mct_hook_fn)(struct mct_hook_event *event, void *data);

struct mct_hook_def {
    size_t size;
    enum mct_hook_kind kind;
    const char *name;         /* for logs and `--explain`; may be NULL */
    const char *const *tools; /* globs for the names of the tools (docs/HOOKS.md), NULL at the end; NULL: all tools */
    int priority;
    unsigned timeout_ms;   /* 0: 15,000 */
    mct_hook_fn run;       /* called from the loop with an event to decide */
    mct_hook_fn withdrawn; /* the decision is no longer needed: the call was cancelled or the time limit has passed.
                            * The event is freed when this returns; a decision in it is ignored. May be called inside
                            * the function that cancels the call. May be NULL */
    void *data;            /* passed to the functions */
    void (*free_data)(void *data); /* called once when the hook is freed; may be NULL */
};

#define MCT_HOOK_DEF_INIT MCT_SIZED(struct mct_hook_def)

/*
 * Returns the event as a JSON object. The text is valid until the event is decided.
 */
MCT_API const char *mct_hook_event_json(const struct mct_hook_event *event);

/*
 * Decides an event. For MCT_HOOK_AFTER the content of the decision is ignored; the decision only reports that the hook
 * is done.
 *
 *   event     the event, which is freed when the function returns
 *   decision  JSON object as external commands print it; NULL or "{}" change nothing. Anything else counts as
 *             a failure of the hook
 */
MCT_API void mct_hook_decide(struct mct_hook_event *event, const char *decision);

/*
 * Reports that the hook cannot decide an event.
 *
 *   event    the event, which is freed when the function returns
 *   message  the reason, for the log; NULL is allowed
 */
MCT_API void mct_hook_fail(struct mct_hook_event *event, const char *message);

MCT_END_DECLS

#endif
