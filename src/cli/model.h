/* --for: tools, calls and results in the form of a model provider. */
#ifndef MCT_CLI_MODEL_H
#define MCT_CLI_MODEL_H

#include "cli/command.h"
#include "cli/target.h"
#include "model/array.h"
#include "model/call.h"

/* The format that --for names. -1 with *err when there is none of that name. */
int mct_model_format(const struct mct_app *app, const struct mct_array_format **ret, struct mct_error *err);

/* Prints the array of tools on an open app; returns the exit status. */
int mct_model_print_tools(struct mct_app *app, const struct mct_array_format *f);

/* What is to be called. */
struct mct_model {
    const struct mct_array_format *format; /* NULL: no --for was given, and a person calls */
    struct mct_model_call call;
    bool is_whole; /* it was read as the model wrote it, with its arguments; otherwise the command line names a tool */
};

/* Takes the first word of `call`: a tool, or, with --for, '-' or "@FILE", from where the call is read. -1 with *err. */
int mct_model_open(struct mct_model *m, const struct mct_app *app, struct mct_error *err);
void mct_model_close(struct mct_model *m);

/* Opens the app and finds the tool, by its name in the array. Returns 0 or the exit status, the failure having been printed. */
int mct_model_target(const struct mct_model *m, struct mct_app *app, struct mct_target *ret);

#endif
