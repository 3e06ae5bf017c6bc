/* The hooks of a transcript: they decide as it says, and what they hear is kept as lines of text for it to expect. */
#ifndef MCT_TESTS_GUARD_H
#define MCT_TESTS_GUARD_H

#include "hub/hooks/hosts.h"

enum { MAX_GUARDS = 16, MAX_GUARDED = 64 };

struct guard {
    struct guards *guards;
    char decision[1024]; /* empty: later */
};

struct guards {
    struct mcti_outside outside;
    char listed[2][256]; /* tools whose results are from outside, and guarded ones */
    const char *lists[2][16];
    struct mcti_hooks hooks;
    struct mcti_hook_hosts hosts;
    struct guard v[MAX_GUARDS];
    size_t n;
    char *heard[MAX_GUARDED];
    size_t n_heard, next;
    struct mct_hook_event *open[MAX_GUARDED]; /* not decided, oldest first */
    size_t n_open;
};

void guards_init(struct guards *g, struct mcti_sched *s, struct mcti_naming *naming);
void guards_done(struct guards *g);
void guards_clear(struct guards *g); /* frees what the hooks heard, until the registry is done */

/* A line of the transcript; false when it is none of theirs. Returns an error text in *ret_wrong. */
bool guards_line(struct guards *g, struct mcti_str word, struct mcti_str rest, const char **ret_wrong);

#endif
