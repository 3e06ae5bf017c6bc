/*
 * What servers ask their client in the middle of a call: a model's answer (sampling), something of the user
 * (elicitation), or its folders (roots). A question is answered once, at once or later, from the thread of the
 * registry.
 */
#ifndef MCPTOOLS_QUESTION_H
#define MCPTOOLS_QUESTION_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

struct mct_question;
struct mct_request;

typedef void (*mct_question_fn)(struct mct_question *q, void *data);

MCT_API const char *mct_question_method(const struct mct_question *q); /* "sampling/createMessage" … */
MCT_API const char *mct_question_params(const struct mct_question *q); /* a JSON object, as the server wrote it */
MCT_API const char *
mct_question_server(const struct mct_question *q); /* "": a hook of this program asks for approval */
/* The request it came up in; over stdio, where servers do not say so, the likeliest of those that are open at that
 * server. NULL: none of this program's. */
MCT_API struct mct_request *mct_question_request(const struct mct_question *q);

/* fn is called when nobody waits for the answer any more, maybe inside the function that gave it up; the question is
 * gone when it returns. */
MCT_API void mct_question_on_withdraw(struct mct_question *q, mct_question_fn fn, void *data);

/* A CreateMessageResult, ElicitResult or ListRootsResult object. What is none is refused in its place. */
MCT_API void mct_question_answer(struct mct_question *q, const char *result);
/* A JSON-RPC error; code -1 is "the user rejected it" (2025-11-25 "Sampling", "Error Handling"). */
MCT_API void mct_question_refuse(struct mct_question *q, int code, const char *message);

MCT_END_DECLS

#endif
