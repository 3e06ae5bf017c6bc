/* The tools of an instance's view in the form of a model provider, and calls in that form. */
#ifndef MCT_INSTANCE_MODEL_H
#define MCT_INSTANCE_MODEL_H

#include "instance/call.h"
#include "model/array.h"

/* Appends the array of tools and sets *ret_n to their number. Logs tools that the provider does not take; `left_out`
 * (NULL: not wanted) gets an object for each, separated by commas. -1 with *err: there is no array. */
int mcti_instance_put_tools(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_buf *to,
                            struct mcti_buf *left_out, size_t *ret_n, struct mct_error *err);

/* As mcti_instance_call() with arguments that a model made for start->found, which the tool's own schema takes back.
 * Without `found` the tool is unknown. */
int mcti_instance_call_model(struct mcti_instance *i, const struct mcti_array_format *f, struct mcti_call *call,
                             struct mcti_call_start *start, struct mcti_str arguments, struct mct_error *err);

#endif
