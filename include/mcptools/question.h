/*
 * Questions are the requests that a server sends to its client during a call. The kinds are a completion by a model
 * (sampling), input of the user (elicitation) and the folders the client works in (roots). The callbacks in struct
 * mct_instance_opts receive them.
 *
 * A question is answered once, with mct_question_answer() or mct_question_refuse(), inside the callback or
 * later, on the thread of the instance. It is gone after that.
 */
#ifndef MCPTOOLS_QUESTION_H
#define MCPTOOLS_QUESTION_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

struct mct_question;
struct mct_request;

typedef void (*mct_question_fn)(struct mct_question *question, void *data);

/*
 * Returns the method: "sampling/createMessage", "elicitation/create" or "roots/list".
 */
MCT_API const char *mct_question_method(const struct mct_question *question);

/*
 * Returns the parameters as the server wrote them, a JSON object. The text is valid as long as the question.
 */
MCT_API const char *mct_question_params(const struct mct_question *question);

/*
 * Returns the name of the server that asks, or "" if a hook of this program asks for approval.
 */
MCT_API const char *mct_question_server(const struct mct_question *question);

/*
 * Returns the request during which the question was asked. Over stdio, a question does not name its request;
 * the library then returns the likeliest of the open requests to that server. NULL means that no request of
 * the program is involved.
 */
MCT_API struct mct_request *mct_question_request(const struct mct_question *question);

/*
 * Sets the function that is called when the answer is no longer needed. The question is freed when that function
 * returns. It may be called inside the function that cancels the request.
 *
 *   fn    the function; NULL: none
 *   data  passed to `fn`
 */
MCT_API void mct_question_on_withdraw(struct mct_question *question, mct_question_fn fn, void *data);

/*
 * Answers a question.
 *
 *   result  CreateMessageResult, ElicitResult or ListRootsResult object. Anything else is replaced by a
 *           JSON-RPC error
 */
MCT_API void mct_question_answer(struct mct_question *question, const char *result);

/*
 * Answers a question with a JSON-RPC error.
 *
 *   code     error code; -1 means that the user rejected it (2025-11-25 "Sampling", "Error Handling")
 *   message  for the server; NULL: "refused"
 */
MCT_API void mct_question_refuse(struct mct_question *question, int code, const char *message);

MCT_END_DECLS

#endif
