/* The commands resources, templates and prompts, which list the items of one server or of all servers. */
#ifndef MCT_CLI_SHOW_ITEMS_H
#define MCT_CLI_SHOW_ITEMS_H

#include "cli/command.h"

/* Runs the command for items of `kind`. Returns the exit status. */
int mcti_items_command(struct mcti_app *app, enum mcti_kind kind);

enum { MCT_COUNTS_BYTES = 128 };

/* Writes "4 tools, 2 resources, 1 template, 0 prompts". Returns `to`. */
const char *mcti_items_counts(const struct mcti_provider *p, char to[MCT_COUNTS_BYTES]);

#endif
