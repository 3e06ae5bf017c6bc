/* Tells new users that servers of their other programs can be imported. */
#ifndef MCT_CLI_CLIENTS_HINT_H
#define MCT_CLI_CLIENTS_HINT_H

#include "cli/command.h"

/* Prints one line on stderr, if that is a terminal and there is no mcptools.json yet. */
void mcti_hint_imports(const struct mcti_app *app);

#endif
