/* Internals of the public functions: the structures behind the handles of include/mcptools. For src/api only. */
#ifndef MCT_API_IMPL_H
#define MCT_API_IMPL_H

#include "base/sized.h"
#include "instance/call.h"
#include "model/array.h"
#include "hub/local/tool.h"
#include "model/call.h"
#include "resources/reading.h"

#include <mcptools/lists.h>
#include <mcptools/model.h>
#include <mcptools/request.h>
#include <mcptools/serve.h>
#include <stdatomic.h>

enum mcti_api_phase {
    API_OPEN,    /* the program configures the instance */
    API_STARTED, /* servers run */
    API_CLOSING, /* clients and servers are being stopped */
    API_CLOSED,  /* ready to be freed */
};

struct api_attached; /* attach.c */

/* The instance of a program. */
struct mct_instance {
    struct mcti_instance inst;
    struct mct_instance_opts opts; /* the texts are NULL after they were read */
    struct mcti_choices choices;   /* from the options */
    char *workspace, *address;     /* workspace folder; HOST:PORT of HTTP, NULL: as configured */
    enum mcti_api_phase phase;
    unsigned depth; /* not 0: the loop is running, the program is in a callback */
    struct mcti_log log;
    uv_async_t wake;
    atomic_bool stopping; /* mct_instance_stop() was called */
    struct mcti_answerer answerer;
    struct mcti_provider *own; /* tools of the program; NULL: none yet */
    bool serves;               /* the instance serves clients, which can answer questions of servers */
    bool prepared, stdio_gone; /* mcti_api_prepare() was called; the client on stdio has left */
    struct mct_error failure;  /* error of mcti_api_prepare(); kind NONE: none */
    struct mcti_watcher watcher;
    struct mcti_task report_states;
    enum mcti_state *reported; /* state of each server that was last reported to the program */
    size_t n_reported;
    struct mcti_timer report_tools; /* calls opts.tools_changed once for a burst of changes */
    struct mcti_provider *changed;  /* provider whose tools changed; NULL: several */
    bool has_changed;
    struct mcti_list requests, questions, tokens;
    void (*gone)(void *data); /* called when the client on stdio disconnects */
    void *gone_data;
    struct api_attached *attached; /* NULL: not attached to a loop of the program */
    void (*closed)(void *data);
    void *closed_data;
};

struct mct_instance *mcti_api_of(const struct mct_instance *r);

/* ---- start.c ---- */

void mcti_api_free(struct mct_instance *a);

/* Creates the servers from the configuration, which must not change afterwards. Later calls do nothing and return the
 * same result. Returns -1 with *err (may be NULL). */
int mcti_api_prepare(struct mct_instance *a, struct mct_error *err);

/* Returns false for the provider of the program's own tools, which is not shown to the program as a server. */
static inline bool mcti_api_is_server(const struct mct_instance *a, const struct mcti_provider *p)
{
    return p != a->own;
}

/* ---- changes.c ---- */

/* Starts to report changes of tools and states to the callbacks in the options. */
void mcti_api_report_changes(struct mct_instance *a);

/* ---- own.c ---- */

/* Gives a->own a name that no configured server has. Returns -1 when out of memory. */
int mcti_api_name_own(struct mct_instance *a);

/* ---- turn.c ---- */

/* Runs one turn of the loop. `mode`: as for uv_run(). */
void mcti_api_turn(struct mct_instance *a, uv_run_mode mode);

/* Fails with *err where waiting is not allowed: in a callback, and for an attached instance. */
int mcti_api_may_wait(const struct mct_instance *a, struct mct_error *err);

/* ---- close.c ---- */

/* Frees *a if the last step of closing has been taken, and returns whether that is so. To be called after each turn. */
bool mcti_api_close_finish(struct mct_instance *a);

/* ---- attach.c ---- */

/* Detaches the instance from the program's loop, and calls `then` when the handles there are closed. */
void mcti_api_detach(struct mct_instance *a, void (*then)(struct mct_instance *a));

/* ---- question.c ---- */

/* Operations of the answerer of an instance (mcp/ask.h); `data`: the struct mct_instance. */
void mcti_api_ask(void *data, struct mcti_ask *ask);
void mcti_api_withdraw(void *data, struct mcti_ask *ask);

/* Fails all open questions, and calls their callbacks for withdrawal. */
void mcti_api_end_questions(struct mct_instance *a);

/* ---- request.c ---- */

/* A converted form of a result, made on first use. */
struct mcti_api_form {
    char *text; /* NULL: not made yet */
    size_t len;
};

struct mct_request {
    struct mcti_list node, by_token;
    struct mct_instance *api; /* NULL: the instance has been closed */
    struct mct_cancel *token;
    struct mct_call_opts opts;
    struct mcti_call call;
    struct mcti_reading reading;
    struct mcti_watcher watcher; /* of a refresh */
    struct mcti_provider *asked; /* provider of the call; NULL: none yet */
    struct mcti_provider *only;  /* server of a refresh; NULL: all */
    struct mcti_timer deadline;
    struct mcti_task report, late_progress;
    struct {
        double progress, total;
        char *message;
    } pending;              /* progress that arrived outside of a turn of the loop: late_progress reports it */
    struct mct_error error; /* kind NONE: no error */
    char *result, *error_data, *answer;
    size_t result_len;
    struct mcti_api_form text, content;
    const struct mcti_array_format *format; /* format of a model's call; NULL: not a model's call */
    struct mcti_model_call model;
    void (*stop)(struct mct_request *q, const char *reason); /* cancels the operation; NULL: none is running */
    bool over, stopping, freed;
};

/* Returns a request without an operation. Returns NULL with *err when out of memory, if the instance is not started, or
 * if the options are invalid or their token has been fired. */
struct mct_request *mcti_api_request_new(struct mct_instance *r, const struct mct_call_opts *opts,
                                         struct mct_error *err);

/* Frees a request that the program has not got yet. */
void mcti_api_request_drop(struct mct_request *q);

/* Returns `q` if its start succeeded. If `r` < 0, drops it and returns NULL. */
static inline struct mct_request *api_request_started(struct mct_request *q, int r)
{
    if (q && r < 0)
        mcti_api_request_drop(q);
    return r < 0 ? NULL : q;
}

/* Ends the request with `result` (copied) or, if not NULL, with `err`. The loop calls opts.done afterwards. */
void mcti_api_request_finish(struct mct_request *q, struct mcti_str result, const struct mct_error *err);

/* Cancels all requests. */
void mcti_api_end_requests(struct mct_instance *a);

/* Detaches the remaining requests, all finished, from the instance. The program frees them later. */
void mcti_api_forget_requests(struct mct_instance *a);

/* ---- lists.c ---- */

/* Fails with *err unless the instance is started. */
int mcti_api_check_started(const struct mct_instance *a, struct mct_error *err);

/* ---- call.c ---- */

/* Sets the verb and the callbacks of q->call, which the caller starts afterwards. */
void mcti_api_request_begin(struct mct_request *q, enum mcti_verb verb);

/* Stores the server of a call that was started with the result `r`; if that is -1, names the server in *err. Returns
 * `r`. */
int mcti_api_request_set_server(struct mct_request *q, const struct mcti_call_start *start, int r,
                                struct mct_error *err);

/* Reports the pending progress of a request. `data`: the struct mct_request. */
void mcti_api_on_late_progress(void *data);

/* Sets *ret to the object in `text`; absent if `text` is. Returns -1 with an *err that begins with `what`. */
int mcti_api_read_object(const char *what, struct mcti_str text, struct mcti_str *ret, struct mct_error *err);

/* ---- read.c ---- */

/* Returns the server of that name, or NULL with *err. */
struct mcti_provider *mcti_api_find_server(const struct mct_instance *r, const char *server, struct mct_error *err);

/* ---- cancel.c ---- */

/* Makes firing `c` cancel the request `q`. */
void mcti_api_cancel_join(struct mct_cancel *c, struct mct_request *q);

/* Returns whether `c` has been fired; false for NULL. */
bool mcti_api_is_fired(const struct mct_cancel *c);

/* Detaches all tokens from the instance. The program frees them later. */
void mcti_api_end_tokens(struct mct_instance *a);

/* ---- convert.c ---- */

typedef void mcti_api_degrade_fn(struct mcti_buf *to, struct mcti_str result);

/* Returns the result as `fn` converts it, to be freed, and its length in *ret_len. Returns NULL with *err. */
char *mcti_api_degrade(mcti_api_degrade_fn *fn, struct mcti_str result, size_t *ret_len, struct mct_error *err);

/* ---- status.c ---- */

/* Appends {"servers":[…]} with the state of each server. */
void mcti_api_put_servers(struct mcti_buf *to, const struct mct_instance *a);

/* Sets err->server if `p` is a server. `p` and `err` may be NULL. */
void mcti_api_name_server(const struct mct_instance *a, const struct mcti_provider *p, struct mct_error *err);

#endif
