/*
 * Requests: calls of tools, reading resources, getting prompts. A request is a handle that the program owns
 * until mct_request_free(). It ends once, with a result or with an error.
 *
 * A program either waits for a request with mct_request_wait(), or sets `done` and continues. With a loop of
 * its own it can have any number of requests under way at once (examples/async.c is the whole program):
 *
 *     static void on_done(struct mct_request *request, void *data)
 *     {
 *         struct mct_error err;
 *         int *n_open = (int *)data;
 *         const char *text = mct_request_text(request, &err);
 *         printf("%s\n", text ? text : err.message);
 *         fflush(stdout);
 *         mct_request_free(request);
 *         --*n_open;
 *     }
 *
 *     struct mct_call_opts opts = MCT_CALL_OPTS_INIT;
 *     opts.done = on_done;
 *     opts.data = &n_open;
 *     if (mct_instance_call(instance, "git__log", "{\"max_count\":3}", &opts, &err))
 *         n_open++;
 *     while (n_open) {
 *         struct pollfd fd = { .fd = mct_instance_fd(instance), .events = POLLIN };
 *         poll(&fd, 1, mct_instance_timeout(instance));
 *         mct_instance_dispatch(instance);
 *     }
 */
#ifndef MCPTOOLS_REQUEST_H
#define MCPTOOLS_REQUEST_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

struct mct_request;

typedef void (*mct_request_fn)(struct mct_request *request, void *data);

/* ---- cancellation tokens ---- */

/* A cancellation token: cancels any number of requests at once. */
struct mct_cancel;

/*
 * Creates a token for requests of an instance.
 *
 * Returns the token, to be freed with mct_cancel_free(), or NULL with *err:
 *
 *   MCT_ERR_USAGE      the instance is being closed
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_cancel *mct_cancel_new(struct mct_instance *instance, struct mct_error *err);

/*
 * Cancels all requests that were made with a token, and prevents further ones. The requests end from the
 * loop.
 *
 *   cancel  the token
 *
 * Threads: any, and signal handlers.
 */
MCT_API void mct_cancel_fire(struct mct_cancel *cancel);

/*
 * Frees a token. May be called after its instance was freed. If it was not fired, its requests continue without it.
 *
 *   cancel  the token; NULL is allowed
 */
MCT_API void mct_cancel_free(struct mct_cancel *cancel);

/* ---- making requests ---- */

struct mct_call_opts {
    size_t size;
    /* deadline, which progress does not extend; 0: time-out of the server, which progress extends */
    unsigned timeout_ms;
    struct mct_cancel *cancel; /* NULL: none */
    mct_request_fn done;       /* called once when the request is over, unless it was freed; may free it. NULL: none */
    /* `message` is "" if there is none, `total` is 0 if it is unknown. NULL: progress is not requested */
    void (*progress)(struct mct_request *request, double progress, double total, const char *message, void *data);
    void *data; /* passed to the callbacks */
    /* `progress` is also called after each pause of this length, with the last values and a message such as "still
     * running after 30 s"; 0: only when the server reports progress */
    unsigned heartbeat_ms;
};

#define MCT_CALL_OPTS_INIT MCT_SIZED(struct mct_call_opts)

/*
 * Call a tool. The result is a CallToolResult object. A call that a rule, read-only mode or a hook refuses
 * has a result with mct_request_is_error(), so that models read the reason. Tools that this caller may not
 * see are unknown.
 *
 *   tool       name of the tool in mct_instance_tools(), SERVER.TOOL, or the server's own name of the tool if
 *              only one server has it
 *   arguments  JSON object; NULL means {}
 *   len        length of `arguments` in bytes
 *   opts       options, copied; NULL: none
 *
 * Return the request, or NULL with *err. Errors of the request itself are listed at mct_request_error():
 *
 *   MCT_ERR_USAGE        `arguments` is not a JSON object, the instance is not started or being closed, or
 *                        the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such tool, or several servers have it
 *   MCT_ERR_CONNECT      the server is not connected
 *   MCT_ERR_LIMIT        too many requests to the server are under way
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_call(struct mct_instance *instance, const char *tool, const char *arguments,
                                              const struct mct_call_opts *opts, struct mct_error *err);
MCT_API struct mct_request *mct_instance_call_len(struct mct_instance *instance, const char *tool,
                                                  const char *arguments, size_t len, const struct mct_call_opts *opts,
                                                  struct mct_error *err);

/*
 * Reads a resource. The result is a ReadResourceResult object with an additional member "server".
 *
 *   server  name of the server; NULL: a server that has the resource
 *   uri     URI of the resource
 *   opts    options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_POLICY       `resource_uri_allowlist` does not allow the URI
 *   MCT_ERR_UNSUPPORTED  the server has no resources; `opts` has members that are newer than the library
 *   MCT_ERR_CONNECT      the server is not connected
 *   MCT_ERR_LIMIT        too many requests to the server are under way
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_read(struct mct_instance *instance, const char *server, const char *uri,
                                              const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Gets a prompt. The result is a GetPromptResult object.
 *
 *   prompt     name of the prompt in mct_instance_prompts(), SERVER.PROMPT, or the server's own name of the
 *              prompt if only one server has it
 *   arguments  JSON object whose members are strings; NULL means {}
 *   opts       options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        `arguments` is not a JSON object, the instance is not started or being closed, or
 *                        the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such prompt, or several servers have it
 *   MCT_ERR_CONNECT      the server is not connected
 *   MCT_ERR_LIMIT        too many requests to the server are under way
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_get_prompt(struct mct_instance *instance, const char *prompt,
                                                    const char *arguments, const struct mct_call_opts *opts,
                                                    struct mct_error *err);

/* One argument of a prompt or of a resource template, to be completed. Either `prompt` or `uri_template` is
 * set. */
struct mct_completion {
    size_t size;
    const char *prompt;       /* name of the prompt, as in mct_instance_get_prompt() */
    const char *uri_template; /* the resource template */
    const char *server;       /* server of the resource template; NULL: any that has it */
    const char *argument;     /* name of the argument */
    const char *value;        /* the part that has been typed; NULL: nothing yet */
    const char *context;      /* JSON object with the arguments that are known already; NULL: none */
};

#define MCT_COMPLETION_INIT MCT_SIZED(struct mct_completion)

/*
 * Completes one argument. The result is a CompleteResult object.
 *
 *   what  the argument, copied with its texts
 *   opts  options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        `what` is incomplete, its size or that of `opts` is not set, or the instance is not
 *                        started or being closed
 *   MCT_ERR_NOT_FOUND    no such prompt or resource template
 *   MCT_ERR_CONNECT      the server is not connected
 *   MCT_ERR_LIMIT        too many requests to the server are under way
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `what` or `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_complete(struct mct_instance *instance, const struct mct_completion *what,
                                                  const struct mct_call_opts *opts, struct mct_error *err);

/*
 * Fetches the lists of servers again. The result is a JSON object as of mct_instance_status(); a server that
 * failed is found in it.
 *
 *   server  name of the server; NULL: all servers
 *   opts    options, copied; NULL: none
 *
 * Returns the request, or NULL with *err:
 *
 *   MCT_ERR_USAGE        the instance is not started or being closed, or the size of `opts` is not set
 *   MCT_ERR_NOT_FOUND    no such server
 *   MCT_ERR_CANCELLED    `opts->cancel` has been fired
 *   MCT_ERR_UNSUPPORTED  `opts` has members that are newer than the library
 *   MCT_ERR_NO_MEMORY
 */
MCT_API struct mct_request *mct_instance_refresh(struct mct_instance *instance, const char *server,
                                                 const struct mct_call_opts *opts, struct mct_error *err);

/* ---- the life of a request ---- */

/*
 * Cancels a request, which ends with MCT_ERR_CANCELLED. The server is notified. Does nothing if the request
 * is over.
 *
 *   request  NULL is allowed
 *   reason   for the server and for the message of the error; may be NULL
 */
MCT_API void mct_request_cancel(struct mct_request *request, const char *reason);

/*
 * Waits until a request is over.
 *
 *   request  may be NULL: then the function returns -1 and leaves *err as it was, so that the error of the
 *            function that returned NULL remains
 *
 * Returns 0 if there is a result, or -1 with *err: the error of the request (see mct_request_error()), or, if
 * the request is not over,
 *
 *   MCT_ERR_USAGE  called in a callback, or the instance is attached to a loop
 */
MCT_API int mct_request_wait(struct mct_request *request, struct mct_error *err);

/*
 * Frees a request. If it is not over, it is cancelled without a call of `done`. May be called after its instance was
 * freed.
 *
 *   request  NULL is allowed
 */
MCT_API void mct_request_free(struct mct_request *request);

/*
 * Returns true if a request is over.
 */
MCT_API bool mct_request_is_over(const struct mct_request *request);

/*
 * Returns `data` of the options with which a request was made.
 */
MCT_API void *mct_request_data(const struct mct_request *request);

/* ---- results: texts are valid until the request is freed ---- */

/*
 * Returns the error of a request, or NULL if it has a result or is not over:
 *
 *   MCT_ERR_SERVER       the server, or a tool of the program with mct_tool_call_fail(), answered with a
 *                        JSON-RPC error; `code` is set
 *   MCT_ERR_CONNECT      the connection was lost, or the server cannot be reached
 *   MCT_ERR_AUTH         the server demands credentials or does not accept them
 *   MCT_ERR_PROTOCOL     the answer of the server violates the protocol
 *   MCT_ERR_NOT_FOUND    no server has the resource; the model named an unknown tool
 *   MCT_ERR_UNSUPPORTED  the server does not have the method, or asks for something that this program cannot
 *                        answer
 *   MCT_ERR_TIMEOUT      the deadline passed
 *   MCT_ERR_CANCELLED    mct_request_cancel(), a token, or the end of the instance
 *   MCT_ERR_LIMIT        the answer is too large, or the server asked back too often
 *   MCT_ERR_USAGE        a call of a model has invalid arguments
 *   MCT_ERR_INTERNAL     the system refused something
 *   MCT_ERR_NO_MEMORY
 */
MCT_API const struct mct_error *mct_request_error(const struct mct_request *request);

/*
 * Returns `data` of the JSON-RPC error with which the server answered, as JSON, or NULL if there is none.
 */
MCT_API const char *mct_request_error_data(const struct mct_request *request);

/*
 * Return the result object as the server wrote it, or NULL if there is none. Nothing in it is lost or
 * changed, except that the result of a read has an additional "server", and results of the program's own
 * tools an additional "_meta".
 *
 *   ret_len  receives the length in bytes, 0 if there is no result
 */
MCT_API const char *mct_request_result(const struct mct_request *request);
MCT_API const char *mct_request_result_len(const struct mct_request *request, size_t *ret_len);

/*
 * Returns true if the result is one of a tool that says that the tool failed.
 */
MCT_API bool mct_request_is_error(const struct mct_request *request);

/*
 * Return the result in the form for models: as one text, or as a JSON array of text and image blocks. The
 * functions mct_result_degrade_text() and mct_result_degrade_content() describe the two forms. A read yields
 * its contents, a prompt its messages. A text that contains U+0000 needs the function with the length.
 *
 *   ret_len  receives the length in bytes, 0 if there is no text
 *
 * Return NULL with *err: the error of the request, or
 *
 *   MCT_ERR_USAGE      the request is not over
 *   MCT_ERR_LIMIT      the text is too large
 *   MCT_ERR_NO_MEMORY
 */
MCT_API const char *mct_request_text(struct mct_request *request, struct mct_error *err);
MCT_API const char *mct_request_text_len(struct mct_request *request, size_t *ret_len, struct mct_error *err);
MCT_API const char *mct_request_content(struct mct_request *request, struct mct_error *err);
MCT_API const char *mct_request_content_len(struct mct_request *request, size_t *ret_len, struct mct_error *err);

MCT_END_DECLS

#endif
