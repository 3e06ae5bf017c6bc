/*
 * Asking: one request is one handle, which is the caller's until mct_request_free(). A request that failed to start is
 * NULL with *err; any other ends once: with a result, or with an error that mct_request_error() tells.
 */
#ifndef MCPTOOLS_REQUEST_H
#define MCPTOOLS_REQUEST_H

#include <mcptools/instance.h>

MCT_BEGIN_DECLS

struct mct_request;

typedef void (*mct_request_fn)(struct mct_request *q, void *data);

/* A cancellation token: one word for many requests. It may be fired from any thread and from signal handlers; a request
 * made with one that has been fired is not sent (MCT_ERR_CANCELLED). */
struct mct_cancel;
MCT_API struct mct_cancel *mct_cancel_new(struct mct_instance *r); /* NULL: out of memory */
MCT_API void mct_cancel_fire(struct mct_cancel *c);
MCT_API void
mct_cancel_free(struct mct_cancel *c); /* also after its registry; requests go on without it. NULL is fine */

struct mct_call_opts {
    size_t size;               /* MCT_SIZE(struct mct_call_opts) */
    unsigned timeout_ms;       /* the deadline, progress or not; 0: the server's time-out, which progress puts off */
    struct mct_cancel *cancel; /* NULL: none */
    mct_request_fn done;       /* once, when it has ended, unless it is freed before; may free it. NULL: nobody */
    /* `message` "" where there is none, `total` 0: unknown. NULL: not wanted */
    void (*progress)(struct mct_request *q, double progress, double total, const char *message, void *data);
    void *data;
};

/* A tool of the array, by its name there, by SERVER.TOOL, or by the name its server gives it where one server alone has
 * it. `arguments`: a JSON object; NULL: none. What policy or a hook refuses is a result with mct_request_is_error(), as
 * models read it; what is not there for this caller is unknown. */
MCT_API struct mct_request *mct_instance_call(struct mct_instance *r, const char *tool, const char *arguments,
                                              const struct mct_call_opts *opts, struct mct_error *err);
/* resources/read; `server` NULL: of whichever has it. The result has "server" beside "contents". */
MCT_API struct mct_request *mct_instance_read(struct mct_instance *r, const char *server, const char *uri,
                                              const struct mct_call_opts *opts, struct mct_error *err);
/* prompts/get */
MCT_API struct mct_request *mct_instance_prompt(struct mct_instance *r, const char *prompt, const char *arguments,
                                                const struct mct_call_opts *opts, struct mct_error *err);
/* completion/complete for one argument of a prompt or of a resource template. */
struct mct_completion {
    size_t size;              /* MCT_SIZE(struct mct_completion) */
    const char *prompt;       /* its name in the list; NULL: it is of a template */
    const char *uri_template; /* of the template */
    const char *server;       /* that has the template; NULL: whichever */
    const char *argument;     /* its name */
    const char *value;        /* what has been typed of it; NULL: nothing yet */
    const char *context;      /* arguments that are known already, a JSON object; NULL: none */
};
MCT_API struct mct_request *mct_instance_complete(struct mct_instance *r, const struct mct_completion *what,
                                                  const struct mct_call_opts *opts, struct mct_error *err);
/* Has the lists of all servers (NULL) or of one fetched again; the result is {"servers":[…]} as of
 * mct_instance_status(). */
MCT_API struct mct_request *mct_instance_refresh(struct mct_instance *r, const char *server,
                                                 const struct mct_call_opts *opts, struct mct_error *err);

/* Ends it with MCT_ERR_CANCELLED; the server is told. `reason` may be NULL. Nothing when it is over. */
MCT_API void mct_request_cancel(struct mct_request *q, const char *reason);
/* Until it is over. -1: it has an error. -2: it is not over, as nothing can be waited for in a callback, or on a
 * registry that is attached to a loop. */
MCT_API int mct_request_wait(struct mct_request *q);
MCT_API void
mct_request_free(struct mct_request *q); /* one that is under way is cancelled, without a callback. NULL is fine */

/* ---- once it is over; what is returned is good until it is freed ---- */

MCT_API bool mct_request_over(const struct mct_request *q);
/* Why there is no result; NULL: there is one. A refusal of the server has its code, and `data` as JSON (NULL: none). */
MCT_API const struct mct_error *mct_request_error(const struct mct_request *q);
MCT_API const char *mct_request_error_data(const struct mct_request *q);
/* The result object as the server wrote it: nothing is lost. (A read has "server" beside; tools of this program get
 * `_meta`.) NULL: there is none. */
MCT_API const char *mct_request_result(const struct mct_request *q);
/* Of a tool's result: whether the tool says that it failed. */
MCT_API bool mct_request_is_error(const struct mct_request *q);
/* The result as a model would read it: texts only (mct_degraded_text()), or text and images (mct_degraded_content());
 * of a read its contents, of a prompt its messages. NULL: there is no result, or memory is short. */
MCT_API const char *mct_request_text(struct mct_request *q);
MCT_API const char *mct_request_content(struct mct_request *q);
MCT_API void *mct_request_data(const struct mct_request *q); /* of the options */

MCT_END_DECLS

#endif
