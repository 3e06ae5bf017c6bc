/* The tools of an instance's view in the format of a model provider, and calls in that format. */
#ifndef MCT_INSTANCE_MODEL_H
#define MCT_INSTANCE_MODEL_H

#include "instance/call.h"
#include "model/array.h"

/* Appends the array of tools to `to` and sets *ret_n to their number. Logs the tools that no provider accepts, and
 * appends an object for each to `left_out` (may be NULL), separated by commas. Returns -1 with *err. */
int mcti_instance_put_tools(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_buf *to,
                            struct mcti_buf *left_out, size_t *ret_n, struct mct_error *err);

/* Calls a tool as mcti_instance_call() does, with `arguments` that a model made in the format `f`. They are converted
 * back to the schema of start->found; if that is NULL, the tool is unknown and the call fails. */
int mcti_instance_call_model(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_call *call,
                             struct mcti_call_start *start, struct mcti_str arguments, struct mct_error *err);

#endif
