/*
 * What a model sends when it calls a tool of an array (array.h), and what it wants to read afterwards: the forms of the
 * providers. Pure functions over text; what a model wrote is a stranger's.
 */
#ifndef MCT_MODEL_CALL_H
#define MCT_MODEL_CALL_H

#include "base/buf.h"
#include "base/error.h"

struct mcti_model_shape;
struct mcti_array_format;

extern const struct mcti_model_shape mcti_model_chat, mcti_model_responses, mcti_model_anthropic, mcti_model_gemini,
    mcti_model_mcp;

struct mcti_model_call {
    struct mcti_buf id;        /* as it was written, JSON; empty: it has none */
    struct mcti_buf arguments; /* an object */
    char *name;                /* of the tool in the array */
};

/* One call, as a JSON object. -1 with *err saying what is wrong with it; *ret is to be ended all the same. If it has a
 * name then, only the arguments are wrong (models are cut off in the middle of them), and the model can be answered. */
int mcti_model_call_read(struct mcti_model_call *ret, const struct mcti_array_format *f, struct mcti_str text,
                         struct mct_error *err);
void mcti_model_call_done(struct mcti_model_call *call);

/*
 * Appends what goes back to the model, made of a CallToolResult: text, and images where the provider takes them there
 * (degrade.h). A call without an id is answered without one.
 */
void mcti_model_result_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_model_call *call,
                           struct mcti_str result);

#endif
