/*
 * Hooks around tool calls: before (rewrite the arguments, block with a reason, hold for approval), after (observe) and
 * persist (change the result that is handed on). They come from C, from plugins, and from the configuration, where
 * they are external commands; all see the same events and give the same decisions, in one order: highest priority
 * first, and among equals the one that was added first.
 *
 * Each handler gets a copy of its own of the event: what it does to it changes nothing. It decides once, at once or
 * later. One that takes longer than its time limit, or fails, blocks the call ("fail closed", OpenClaw 2026.9), and
 * keeps its result from the caller; with `"hooks_compat": "2026.2"` in the configuration it is as if it had not been
 * there. An observer's decision is that it is done. docs/HOOKS.md shows events and decisions.
 */
#ifndef MCPTOOLS_HOOK_H
#define MCPTOOLS_HOOK_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

enum mct_hook_kind { MCT_HOOK_BEFORE, MCT_HOOK_AFTER, MCT_HOOK_PERSIST };

/* One event on its way through one handler. Valid until it is decided or withdrawn. */
struct mct_hook_event;

typedef void (*mct_hook_fn)(struct mct_hook_event *event, void *data);

struct mct_hook_def {
    size_t size; /* MCT_SIZE(struct mct_hook_def) */
    enum mct_hook_kind kind;
    const char *name; /* for logs and `--explain`; may be NULL */
    const char *const
        *tools; /* globs over every name that a tool may have (docs/HOOKS.md), ends in NULL; NULL: every tool */
    int priority;
    unsigned timeout_ms;   /* 0: 15,000 */
    mct_hook_fn run;       /* called from the loop, with the event to decide */
    mct_hook_fn withdrawn; /* nobody waits for the decision any more (the call was cancelled, time is over): the event
                            * is gone when this returns, and what is said of it is ignored. It may be called inside the
                            * function that gave the call up. May be NULL */
    void *data;
    void (*free_data)(void *data); /* may be NULL */
};

/* The event as a JSON object; good until it is decided. */
MCT_API const char *mct_hook_event_json(const struct mct_hook_event *event);

/* The decision as a JSON object, as external commands print it; NULL or "{}": nothing to say. What is no decision
 * counts as a failure. */
MCT_API void mct_hook_decide(struct mct_hook_event *event, const char *decision);

/* The handler cannot decide; `message` goes to the log. */
MCT_API void mct_hook_fail(struct mct_hook_event *event, const char *message);

MCT_END_DECLS

#endif
