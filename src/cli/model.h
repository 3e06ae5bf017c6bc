/* The option --for: tools, calls and results in the format of a model provider. */
#ifndef MCT_CLI_MODEL_H
#define MCT_CLI_MODEL_H

#include "cli/command.h"
#include "model/array.h"

/* Sets *ret to the format that --for names. Returns -1 with *err if the name is unknown. */
int mcti_model_format(const struct mcti_app *app, const struct mcti_array_format **ret, struct mct_error *err);

/* Prints the tools of an open app as an array in the format `f`. Returns the exit status. */
int mcti_model_print_tools(struct mcti_app *app, const struct mcti_array_format *f);

/* commands/model_call.c: the command `call` with --for: makes the calls that a model wrote, all at the same time, and
 * prints the answers in the form of its provider. Returns the exit status. */
int mcti_model_call_run(struct mcti_app *app);

#endif
