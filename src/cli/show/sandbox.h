/* What holds of the sandbox of a server. */
#ifndef MCT_CLI_SHOW_SANDBOX_H
#define MCT_CLI_SHOW_SANDBOX_H

#include "cli/command.h"

/* Prints the object of mcti_sandbox_report() for people; absent: nothing. */
void mcti_sandbox_print(const struct mcti_app *app, struct mcti_str sandbox);

#endif
