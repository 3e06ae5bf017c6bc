/*
 * The providers' forms of tool calls and results: reads the call that a model makes to a tool of an array (array.h),
 * and writes the result that goes back to the model. Pure functions over text; the text of a model is untrusted.
 */
#ifndef MCT_MODEL_CALL_H
#define MCT_MODEL_CALL_H

#include "base/buf.h"
#include "base/error.h"

struct mcti_model_shape;
struct mcti_array_format;
struct mcti_provider_rules;

extern const struct mcti_model_shape mcti_model_chat, mcti_model_responses, mcti_model_anthropic, mcti_model_gemini,
    mcti_model_mcp;

struct mcti_model_call {
    struct mcti_buf id;        /* raw JSON; empty: the call has none */
    struct mcti_buf arguments; /* a JSON object */
    char *name;                /* name of the tool in the array */
};

/* Reads one call from a JSON object. On failure returns -1 and sets *err; *ret must be ended in either case. If
 * ret->name is set then, only the arguments are wrong (a model may be cut off in the middle of them), and the model can
 * be answered. */
int mcti_model_call_read(struct mcti_model_call *ret, const struct mcti_array_format *f, struct mcti_str text,
                         struct mct_error *err);
void mcti_model_call_done(struct mcti_model_call *call);

/* What a model's message asks for. */
struct mcti_model_asked {
    struct mcti_model_call call;
    struct mct_error fault; /* of kind NONE: the call can be made; otherwise the model gets this as the answer */
};

struct mcti_model_calls {
    struct mcti_model_asked *v;
    size_t n;
    bool is_list; /* they came in a message or a list; otherwise there is one call */
};

/* Reads one call, a list of calls, or the calls in an assistant's message or a whole response; other parts of a message
 * are skipped. Returns -1 with *err if nothing in it can be answered; *ret must be ended in either case. */
int mcti_model_calls_read(struct mcti_model_calls *ret, const struct mcti_array_format *f, struct mcti_str text,
                          struct mct_error *err);
void mcti_model_calls_done(struct mcti_model_calls *calls);

/*
 * Appends the form in which a CallToolResult goes back to the model: text, and images if the provider accepts them in
 * results (degrade.h). If the call has no id, the result has none.
 */
void mcti_model_result_put(struct mcti_buf *to, const struct mcti_array_format *f, const struct mcti_model_call *call,
                           struct mcti_str result);

#endif
