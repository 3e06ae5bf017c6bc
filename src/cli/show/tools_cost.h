/*
 * mcptools tools --cost: the size of the list of resource tools, which is part of every prompt of a model. Measures
 * sample servers in this process, and the configured ones.
 */
#ifndef MCT_CLI_SHOW_TOOLS_COST_H
#define MCT_CLI_SHOW_TOOLS_COST_H

#include "cli/command.h"

/* Prints the table. `configured`: the servers of the last row; NULL: no such row. Returns the exit status. */
int mcti_tools_cost(struct mcti_app *app, struct mcti_registry *configured);

#endif
