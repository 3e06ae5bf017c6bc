/*
 * The client of a call: who it is, questions to it, and log messages for it. The functions are for every kind of call:
 * of tools, resources, prompts and completions.
 *
 *     static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
 *     {
 *         mct_tool_call_text(call, answer ? answer : err->message);
 *     }
 *
 *     mct_tool_call_ask(call, "elicitation/create", "{\"message\":\"Really?\",\"requestedSchema\":"
 *                       "{\"type\":\"object\",\"properties\":{}}}", on_answer, NULL);
 */
#ifndef MCPTOOLS_CLIENT_H
#define MCPTOOLS_CLIENT_H

#include <mcptools/tool.h>

MCT_BEGIN_DECLS

/* ---- who calls ---- */

/* The caller. A text is NULL where it is unknown. */
struct mct_caller {
    const char *principal; /* name of the token that the client has, "local" for a client without one and for the
                            * program itself */
    const char *client_name, *client_version;
    const char *client_info; /* Implementation object of the client */
    uint64_t session;        /* number of the client's session, unique in the instance; 0: the client has none */
    const char *revision;    /* protocol revision of the client: "2025-11-25" */
    const char *meta;        /* `_meta` object of the request */
};

/*
 * Returns the caller. It is valid as long as the call. NULL if the call is over, or if an allocation failed.
 */
MCT_API const struct mct_caller *mct_tool_call_caller(struct mct_tool_call *call);

/* ---- questions ---- */

/* Receives the answer to a question: either `result` (a JSON object, CreateMessageResult, ElicitResult or
 * ListRootsResult) or `err` is set. Both are valid during the call of the function. */
typedef void (*mct_answer_fn)(struct mct_tool_call *call, const char *result, const struct mct_error *err, void *data);

/*
 * Asks the client of a call. Clients of the revisions up to 2025-11-25 get a request, clients of 2026-07-28 an
 * `input_required` result; the program sees no difference. The call stays open meanwhile, and its time-out is
 * suspended. A call may ask several questions, one after the other or at once.
 *
 * `answered` is called once from the loop, unless the call ends before. Kinds of errors: MCT_ERR_UNSUPPORTED if the
 * client cannot be asked (see mct_tool_call_can_ask()), MCT_ERR_SERVER if it refused, MCT_ERR_TIMEOUT,
 * MCT_ERR_CANCELLED, MCT_ERR_PROTOCOL, MCT_ERR_USAGE if the question is invalid, MCT_ERR_LIMIT, MCT_ERR_NO_MEMORY.
 *
 *   method    "sampling/createMessage", "elicitation/create" or "roots/list"
 *   params    JSON object, copied; NULL: none
 *   answered  receives the answer
 *   data      passed to `answered`
 */
MCT_API void mct_tool_call_ask(struct mct_tool_call *call, const char *method, const char *params,
                               mct_answer_fn answered, void *data);

/*
 * Returns true if the client has declared that it answers such questions.
 *
 *   method  as for mct_tool_call_ask()
 *   params  likewise: they decide which mode of elicitation, and whether sampling with tools is needed; may be NULL
 */
MCT_API bool mct_tool_call_can_ask(struct mct_tool_call *call, const char *method, const char *params);

/*
 * Closes the client's connection until there is something to send, if the client can resume it ("polling", 2025-11-25):
 * for calls that take long, over HTTP.
 */
MCT_API void mct_tool_call_hang_up(struct mct_tool_call *call);

/* ---- log messages ---- */

/*
 * Send a log message to the client of a call, if it wants messages of that level. Does nothing if the level is
 * unknown or the call is over.
 *
 *   level   "debug", "info", "notice", "warning", "error", "critical", "alert" or "emergency"
 *   text    the message
 *   logger  name of the part of the program; may be NULL
 *   data    the message as JSON of any type
 */
MCT_API void mct_tool_call_log(struct mct_tool_call *call, const char *level, const char *text);
MCT_API void mct_tool_call_log_json(struct mct_tool_call *call, const char *level, const char *logger,
                                    const char *data);

MCT_END_DECLS

#endif
