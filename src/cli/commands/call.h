/* Shared by the files of the command `call`. */
#ifndef MCT_CLI_COMMANDS_CALL_H
#define MCT_CLI_COMMANDS_CALL_H

#include "cli/command.h"

/* Appends the arguments that the command line gives the tool: the object of --args, or key=value. Returns -1 with *err.
 */
int mcti_call_put_arguments(const struct mcti_app *app, struct mcti_buf *to, const struct mcti_item *tool,
                            struct mct_error *err);

/* Prints a result as text, with a line end behind it, except with -o raw. */
void mcti_call_print_text(const struct mcti_app *app, struct mcti_str result);

/* Returns the exit status that a result stands for. Logs structuredContent that does not match the output schema. */
int mcti_call_judge(struct mcti_app *app, const struct mcti_app_outcome *o, const char *server);

/* Appends a hint to the message of a refusal by policy. */
void mcti_call_add_hint(struct mct_error *err, const char *name);

#endif
