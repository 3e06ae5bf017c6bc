/*
 * Tools written in C. A tool is a definition and a function that is run for each call.
 *
 * The arguments have been checked against `parameters` when the function runs: a call with other arguments is
 * answered with an error that the model reads. A result is checked against `output_schema` before it is sent, and
 * replaced by an error if it does not match. `unchecked` switches both off.
 *
 * Resources and prompts of the program (<mcptools/provide.h>) receive the same kind of call, with the same
 * functions. <mcptools/client.h> has functions that ask the client of a call, and tell who it is.
 *
 * The function answers each call once, with one of the functions under "answers", at once or later. It runs
 * on the thread that drives the instance and must not block it. Work that takes long continues in
 * mct_tool_call_later(), in the loop of the program, or in a thread of the program that notifies the thread
 * of the instance.
 *
 * A call is valid until it is answered, or until it is cancelled (see mct_tool_call_on_cancel()). It must not
 * be used after that.
 */
#ifndef MCPTOOLS_TOOL_H
#define MCPTOOLS_TOOL_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

struct mct_tool_call;

typedef void (*mct_tool_fn)(struct mct_tool_call *call, void *data);

/* The caller for whom tools are made, as in OpenClaw's tool context. Every text may be NULL. */
struct mct_tool_context {
    size_t size;
    const char *workspace_dir, *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id;
    bool sandboxed;
};

/* Whether calls of a tool become tasks for clients that know tasks (2025-11-25 "Tasks", and the extension
 * io.modelcontextprotocol/tasks of 2026-07-28). Such a client gets the id of the task at once, and fetches the result
 * when it is there, even if it has disconnected meanwhile. Progress messages of the call are the status of the task. */
enum mct_tool_task {
    MCT_TOOL_TASK_NEVER, /* calls are answered with their result */
    MCT_TOOL_TASK_MAY,   /* they become tasks if the client can follow them */
    MCT_TOOL_TASK_MUST,  /* and 2026-07-28 clients that cannot are refused; those of older revisions wait */
};

struct mct_tool_def {
    size_t size;
    const char *name;          /* 1 to 128 of [A-Za-z0-9_.-] (2025-11-25 "Tool Names") */
    const char *label;         /* title for people; NULL: the name */
    const char *description;   /* for the model; may be NULL */
    const char *parameters;    /* JSON Schema of the arguments, of the type "object"; NULL: any object */
    const char *output_schema; /* JSON Schema of the structured content; NULL: none */
    const char *annotations;   /* ToolAnnotations object; NULL: none */
    bool owner_only;           /* hidden from callers that are not the owner, and refused to them */
    mct_tool_fn execute;
    void *data;                    /* passed to `execute` */
    void (*free_data)(void *data); /* called once when the tool is removed and its last call is over; may be NULL */
    bool unchecked;                /* arguments and results are not checked against the schemas above */
    const char *icons;             /* JSON array of Icon objects; NULL: none */
    const char *meta;              /* `_meta` object; NULL: none */
    enum mct_tool_task task;
};

#define MCT_TOOL_DEF_INIT MCT_SIZED(struct mct_tool_def)

/* ---- arguments: texts are valid as long as the call ---- */

/*
 * Return the arguments as a JSON object, "{}" if the caller gave none. The arguments of a read are the variables of
 * the resource template, and those of a completion are the arguments that the user has given already.
 *
 *   ret_len  receives the length in bytes
 */
MCT_API const char *mct_tool_call_arguments(struct mct_tool_call *call);
MCT_API const char *mct_tool_call_arguments_len(struct mct_tool_call *call, size_t *ret_len);

/*
 * Returns one argument as JSON, so that a string has its quotes; NULL if it is absent.
 *
 *   name  name of the argument
 */
MCT_API const char *mct_tool_call_argument(struct mct_tool_call *call, const char *name);

/*
 * Return the text of one argument that is a string. Return NULL if the argument is absent or not a string,
 * or, without the length, if the text contains U+0000.
 *
 *   name     name of the argument
 *   ret_len  receives the length in bytes, 0 if the function returns NULL
 */
MCT_API const char *mct_tool_call_text_argument(struct mct_tool_call *call, const char *name);
MCT_API const char *mct_tool_call_text_argument_len(struct mct_tool_call *call, const char *name, size_t *ret_len);

/* ---- during a call ---- */

/*
 * Returns memory that exists as long as the call, also in the function of mct_tool_call_on_cancel(). It is
 * zero at first; later calls return the same memory. Returns NULL if an allocation failed.
 *
 *   size  number of bytes; only the first call counts
 */
MCT_API void *mct_tool_call_memory(struct mct_tool_call *call, size_t size);

/*
 * Reports progress, if the caller has requested it.
 *
 *   progress  must be finite and increase with each report; other reports are dropped
 *   total     0: unknown
 *   message   may be NULL
 */
MCT_API void mct_tool_call_progress(struct mct_tool_call *call, double progress, double total, const char *message);

/*
 * Returns whether the call is a task: its client may disconnect, and mct_tool_call_on_cancel() then means that the
 * client has cancelled the task, or that its time is over.
 */
MCT_API bool mct_tool_call_is_task(const struct mct_tool_call *call);

/*
 * Runs a function once after some time, unless the call is over by then. Calling it again replaces the
 * pending function.
 *
 *   in_ms  milliseconds from now
 *   fn     the function
 *   data   passed to `fn`
 */
MCT_API void mct_tool_call_later(struct mct_tool_call *call, unsigned in_ms, mct_tool_fn fn, void *data);

/*
 * Sets the function that is called, from the loop, if the call ends without an answer: it was cancelled, it timed out,
 * or the instance is being closed. The call is freed when that function returns. A tool that answers a call later needs
 * such a function.
 *
 *   fn    the function; NULL: none
 *   data  passed to `fn`
 */
MCT_API void mct_tool_call_on_cancel(struct mct_tool_call *call, mct_tool_fn fn, void *data);

/* ---- answers: each ends the call ---- */

/*
 * Answer with one text: the text block of a tool's result, the text of a resource, or a prompt of one message of
 * the user.
 *
 *   text  the text, copied
 *   len   length of `text` in bytes
 */
MCT_API void mct_tool_call_text(struct mct_tool_call *call, const char *text);
MCT_API void mct_tool_call_text_len(struct mct_tool_call *call, const char *text, size_t len);

/*
 * Answer that the tool failed (isError), with a text that the model reads. Calls of resources and prompts end with the
 * JSON-RPC error -32603 and that text.
 *
 *   text  the reason, copied
 *   len   length of `text` in bytes
 */
MCT_API void mct_tool_call_error(struct mct_tool_call *call, const char *text);
MCT_API void mct_tool_call_error_len(struct mct_tool_call *call, const char *text, size_t len);

/*
 * Answers with structured content, and with the same JSON as text for clients that do not read it. For tools only.
 *
 *   object  JSON object, copied
 */
MCT_API void mct_tool_call_structured(struct mct_tool_call *call, const char *object);

/*
 * Answers with bytes: the image or the audio of a tool's result, or the content of a resource.
 *
 *   mime_type  type of the bytes; NULL: that of the definition of the resource
 *   bytes      the bytes, copied
 *   len        number of bytes
 */
MCT_API void mct_tool_call_blob(struct mct_tool_call *call, const char *mime_type, const void *bytes, size_t len);

/*
 * Answer with a whole result object: CallToolResult {"content":[…],"structuredContent":{…},"isError":false},
 * ReadResourceResult, GetPromptResult or CompleteResult. Anything else is replaced by an error.
 *
 *   result  the object, copied
 *   len     length of `result` in bytes
 */
MCT_API void mct_tool_call_result(struct mct_tool_call *call, const char *result);
MCT_API void mct_tool_call_result_len(struct mct_tool_call *call, const char *result, size_t len);

/*
 * Answers with a JSON-RPC error, for failures that are not the tool's own.
 *
 *   code     JSON-RPC error code
 *   message  for the caller; NULL: "the tool failed"
 */
MCT_API void mct_tool_call_fail(struct mct_tool_call *call, int code, const char *message);

MCT_END_DECLS

#endif
