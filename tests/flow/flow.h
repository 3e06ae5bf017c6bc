/* A transcript from its first line to its end; run_flow.c says what its lines are. */
#ifndef MCT_TESTS_FLOW_H
#define MCT_TESTS_FLOW_H

#include <stdbool.h>

/* What was asked in a transcript, and what was answered. */
struct flow_request {
    unsigned hash; /* of who asked, and the id */
    unsigned n_asked, n_answered;
    bool owed; /* the last time it was asked on a connection that is still there */
};

enum { FLOW_REQUESTS = 512 };

struct flow_tally {
    struct flow_request v[FLOW_REQUESTS];
    unsigned n;
    bool bad_frame; /* somebody has received what is no JSON */
};

/*
 * Runs `file`. With `tally` NULL, exits with 1 where something else comes than the file says. Otherwise nothing needs
 * to come as it says: lines that cannot be run are skipped, at the end 15 minutes pass, and *tally is filled. Returns
 * what is wrong, or NULL.
 */
const char *flow_run(const char *file, struct flow_tally *tally);

#endif
