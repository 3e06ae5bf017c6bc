/*
 * What resource tools cost a model: the size of their list, which stands in every prompt. Measured for servers that
 * are made up, in this process, and for those that are configured.
 */
#ifndef MCT_CLI_TOOLS_COST_H
#define MCT_CLI_TOOLS_COST_H

#include "cli/command.h"

/* Prints the table; `configured` NULL: there are no servers. 0, or the exit status. */
int mcti_tools_cost(struct mcti_app *app, struct mcti_registry *configured);

#endif
