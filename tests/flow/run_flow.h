/* A transcript from its first line to its end; run_flow.c describes the language. */
#ifndef MCT_TESTS_RUN_FLOW_H
#define MCT_TESTS_RUN_FLOW_H

#include "tally.h"

/*
 * Runs `file`. With `tally` NULL, exits with 1 where something else comes than the file says. Otherwise nothing needs
 * to come as it says: lines that cannot be run are skipped, at the end 15 minutes pass, and *tally is filled. Returns
 * what is wrong, or NULL.
 */
const char *flow_run(const char *file, struct flow_tally *tally);

#endif
