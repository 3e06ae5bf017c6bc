/* mcptools tools --explain NAME: shows how each step of the policy decides about one tool. */
#ifndef MCT_CLI_SHOW_EXPLAIN_H
#define MCT_CLI_SHOW_EXPLAIN_H

#include "cli/command.h"

/* Prints the explanation. The servers of the app must have been started. Returns the exit status. */
int mcti_explain(struct mcti_app *app, const char *name);

#endif
