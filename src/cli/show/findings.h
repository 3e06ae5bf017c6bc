/* What judges say about the items of a server. */
#ifndef MCT_CLI_SHOW_FINDINGS_H
#define MCT_CLI_SHOW_FINDINGS_H

#include "cli/command.h"

/* Prints the findings of an object with the members of mcti_vetted_put() for people, a line each; without them,
 * nothing. */
void mcti_findings_print(const struct mcti_app *app, struct mcti_str object);

#endif
