/* --for: tools, calls and results in the form of a model provider. */
#ifndef MCT_CLI_MODEL_H
#define MCT_CLI_MODEL_H

#include "cli/command.h"
#include "cli/target.h"
#include "model/array.h"
#include "model/call.h"

/* The format that --for names. -1 with *err when there is none of that name. */
int mcti_model_format(const struct mcti_app *app, const struct mcti_array_format **ret, struct mct_error *err);

/* Prints the array of tools on an open app; returns the exit status. */
int mcti_model_print_tools(struct mcti_app *app, const struct mcti_array_format *f);

/* What is to be called. */
struct mcti_model {
    const struct mcti_array_format *format; /* NULL: no --for was given, and a person calls */
    struct mcti_model_call call;
    bool is_whole; /* it was read as the model wrote it, with its arguments; otherwise the command line names a tool */
};

/* Takes the first word of `call`: a tool, or, with --for, '-' or "@FILE", from where the call is read. -1 with *err. */
int mcti_model_open(struct mcti_model *m, const struct mcti_app *app, struct mct_error *err);
void mcti_model_close(struct mcti_model *m);

/* Opens the app and finds the tool, by its name in the array. Returns 0 or the exit status, the failure having been
 * printed. */
int mcti_model_target(const struct mcti_model *m, struct mcti_app *app, struct mcti_target *ret);

#endif
