/* mcptools tools --explain NAME: what the policy makes of one tool, step by step. */
#ifndef MCT_CLI_EXPLAIN_H
#define MCT_CLI_EXPLAIN_H

#include "cli/command.h"

/* On an open app whose servers have settled. Returns the exit status. */
int mcti_explain(struct mcti_app *app, const char *name);

#endif
