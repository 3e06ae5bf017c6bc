/* The tools of an instance's view in the format of a model provider, and calls in that format. */
#ifndef MCT_INSTANCE_MODEL_H
#define MCT_INSTANCE_MODEL_H

#include "instance/call.h"
#include "model/array.h"

/* What is wrong with an array, as JSON objects with commas between them. */
struct mcti_array_faults {
    struct mcti_buf left_out; /* {"name","server","reason"} for each tool that is left out */
    struct mcti_buf errors;   /* {"kind","message","server","tool"} for the same tools, and {"kind","message"} if there
                               * are more tools than the provider accepts */
};

void mcti_array_faults_init(struct mcti_array_faults *faults);
void mcti_array_faults_done(struct mcti_array_faults *faults);

/* Appends the array of tools to `to`. Logs what is wrong with it, and appends that to `faults` (may be NULL). Returns
 * -1 with *err. */
int mcti_instance_put_tools(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_buf *to,
                            struct mcti_array_faults *faults, struct mct_error *err);

/* Calls a tool as mcti_instance_call() does, with `arguments` that a model made in the format `f`. They are converted
 * back to the schema of start->found; if that is NULL, the tool is unknown and the call fails. */
int mcti_instance_call_model(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_call *call,
                             struct mcti_call_start *start, struct mcti_str arguments, struct mct_error *err);

#endif
