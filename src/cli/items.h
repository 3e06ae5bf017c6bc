/* Listing resources, templates or prompts of one or all servers. */
#ifndef MCT_CLI_ITEMS_H
#define MCT_CLI_ITEMS_H

#include "cli/command.h"

/* The whole command: returns the exit status. */
int mcti_items_command(struct mcti_app *app, enum mcti_kind kind);

#endif
