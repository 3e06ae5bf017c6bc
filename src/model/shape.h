/* The forms of calls and results of one provider; shared by call.c and result.c. */
#ifndef MCT_MODEL_SHAPE_H
#define MCT_MODEL_SHAPE_H

#include "model/call.h"

struct mcti_model_shape {
    const char *example; /* an example, for messages */
    const char *type;    /* value of its member "type", if present; NULL: not checked */
    const char *inside;  /* member that holds the name and the arguments; NULL: the call itself holds them */
    bool may_be_bare;    /* that member is also accepted alone */
    bool all_are_calls;  /* a list of calls contains nothing else */
    const char *id, *arguments;
    const char *lists[4]; /* where a message or a whole response has its calls: names of members and indexes, with dots
                           * between them; ends in NULL */
    void (*put)(struct mcti_buf *to, const struct mcti_provider_rules *rules, const struct mcti_model_call *call,
                struct mcti_str result);
};

/* result.c: functions for `put`. */
#define MCT_MODEL_PUT(name)                                                                                            \
    void name(struct mcti_buf *to, const struct mcti_provider_rules *rules, const struct mcti_model_call *call,        \
              struct mcti_str result)
MCT_MODEL_PUT(mcti_model_put_chat);
MCT_MODEL_PUT(mcti_model_put_responses);
MCT_MODEL_PUT(mcti_model_put_anthropic);
MCT_MODEL_PUT(mcti_model_put_gemini);
MCT_MODEL_PUT(mcti_model_put_mcp);

#endif
