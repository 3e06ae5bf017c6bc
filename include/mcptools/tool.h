/*
 * Tools written in C: a definition, and a function that is run for each call. The function answers with one of the
 * mct_tool_call_… functions marked as answers, at once or later (a deferred answer), but exactly once. It runs on the
 * thread that drives the library and must not block it: what takes long goes on in mct_tool_call_later(), in the
 * program's own loop, or in a thread of the program that tells the loop's thread.
 *
 * JSON is text: zero-terminated UTF-8 without a byte order mark.
 */
#ifndef MCPTOOLS_TOOL_H
#define MCPTOOLS_TOOL_H

#include <mcptools/error.h>

MCT_BEGIN_DECLS

/* One call of a tool in this process. Valid until it is answered, or until it is cancelled (see
 * mct_tool_call_on_cancel()); it must not be touched after that. */
struct mct_tool_call;

typedef void (*mct_tool_fn)(struct mct_tool_call *call, void *data);

/* On whose behalf tools are made: what OpenClaw's tool context has. Every member may be NULL. */
struct mct_tool_context {
    size_t size;
    const char *workspace_dir, *agent_dir, *agent_id, *session_key, *message_channel, *agent_account_id;
    bool sandboxed;
};

struct mct_tool_def {
    size_t size;               /* MCT_SIZE(struct mct_tool_def) */
    const char *name;          /* 1 to 128 of [A-Za-z0-9_.-] (2025-11-25 "Tool Names") */
    const char *label;         /* `title`: what people are shown; NULL: the name */
    const char *description;   /* for the model; may be NULL */
    const char *parameters;    /* JSON Schema of the arguments, `type` "object"; NULL: any object */
    const char *output_schema; /* of structured content; NULL: none is promised */
    const char *annotations;   /* ToolAnnotations object; NULL: none */
    bool owner_only;           /* hidden from everybody but the owner, and refused */
    mct_tool_fn execute;
    void *data;                    /* handed to execute */
    void (*free_data)(void *data); /* once, when the tool is gone and no call of it is under way; may be NULL */
};

/* ---- what was asked ---- */

/* The arguments as a JSON object, "{}" where the caller gave none. Not checked against the schema. */
MCT_API const char *mct_tool_call_arguments(struct mct_tool_call *call);

/* One argument as JSON (a string keeps its quotes); NULL: absent. Good as long as the call. */
MCT_API const char *mct_tool_call_argument(struct mct_tool_call *call, const char *name);

/* The same for a string argument, unescaped; NULL: absent, no string, or with U+0000 in it. */
MCT_API const char *mct_tool_call_text_argument(struct mct_tool_call *call, const char *name);

/* ---- while it lasts ---- */

/* Memory that lasts as long as the call, also in on_cancel: zero when it is first asked for, the same ever after. NULL:
 * out of memory. */
MCT_API void *mct_tool_call_memory(struct mct_tool_call *call, size_t size);

/* notifications/progress. Must grow, what does not is dropped. `total` 0: unknown; `message` may be NULL. */
MCT_API void mct_tool_call_progress(struct mct_tool_call *call, double progress, double total, const char *message);

/* Runs fn once after a while, unless the call is over by then. A second wish replaces the first. */
MCT_API void mct_tool_call_later(struct mct_tool_call *call, unsigned in_ms, mct_tool_fn fn, void *data);

/* fn is called, from the loop, if the call ends without an answer of its function: cancelled, timed out, or the library
 * goes. The call is gone when it returns, so a function that keeps the pointer (a deferred answer) needs this. */
MCT_API void mct_tool_call_on_cancel(struct mct_tool_call *call, mct_tool_fn fn, void *data);

/* ---- answers: each ends the call ---- */

/* One text. */
MCT_API void mct_tool_call_text(struct mct_tool_call *call, const char *text);

/* One text that says why the tool has failed (isError), which models read. */
MCT_API void mct_tool_call_error(struct mct_tool_call *call, const char *text);

/* A CallToolResult object: {"content":[…],"structuredContent":{…},"isError":false}. What is none becomes an error that
 * says so. */
MCT_API void mct_tool_call_result(struct mct_tool_call *call, const char *result);

/* A JSON-RPC error, for what is not the tool's to say. */
MCT_API void mct_tool_call_fail(struct mct_tool_call *call, int code, const char *message);

MCT_END_DECLS

#endif
