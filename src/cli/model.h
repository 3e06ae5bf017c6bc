/* The option --for: tools, calls and results in the format of a model provider. */
#ifndef MCT_CLI_MODEL_H
#define MCT_CLI_MODEL_H

#include "cli/command.h"
#include "cli/target.h"
#include "model/array.h"
#include "model/call.h"

/* Sets *ret to the format that --for names. Returns -1 with *err if the name is unknown. */
int mcti_model_format(const struct mcti_app *app, const struct mcti_array_format **ret, struct mct_error *err);

/* Prints the tools of an open app as an array in the format `f`. Returns the exit status. */
int mcti_model_print_tools(struct mcti_app *app, const struct mcti_array_format *f);

/* The call that the command line specifies. */
struct mcti_model {
    const struct mcti_array_format *format; /* NULL: no --for was given */
    struct mcti_model_call call;
    bool is_whole; /* the call was read from a model's output, arguments included; otherwise words name the tool */
};

/* Reads the first argument of the command `call`: a tool, or with --for the source of a whole call, "-" or "@FILE".
 * Returns -1 with *err. */
int mcti_model_open(struct mcti_model *m, const struct mcti_app *app, struct mct_error *err);
void mcti_model_close(struct mcti_model *m);

/* Opens the app and finds the tool by its name in the array. Returns 0, or the exit status after printing the error. */
int mcti_model_target(const struct mcti_model *m, struct mcti_app *app, struct mcti_target *ret);

#endif
