/* Requests of a program: the structure behind struct mct_request, from its start to its result. For src/api only. */
#ifndef MCT_API_REQUEST_H
#define MCT_API_REQUEST_H

#include "api/impl.h"
#include "model/array.h"
#include "model/call.h"
#include "resources/reading.h"

#include <mcptools/model.h>

/* ---- request.c ---- */

struct mcti_api_skills; /* see skills/skills.c */

/* A converted form of a result, made on first use. */
struct mcti_api_form {
    char *text; /* NULL: not made yet */
    size_t len;
};

struct mct_request {
    struct mcti_list node, by_token;
    struct mct_instance *api; /* NULL: the instance has been closed */
    struct mcti_lease lease;  /* until it is over */
    struct mct_cancel *token;
    struct mct_call_opts opts;
    struct mcti_call call;
    struct mcti_reading reading;
    struct mcti_api_skills *skills;  /* operation about skills, owned; NULL: none */
    struct mcti_watcher watcher;     /* of a refresh */
    struct mcti_agreement agreement; /* of a subscription */
    struct api_sub *sub;             /* subscription that is requested */
    struct mcti_provider *asked;     /* provider of the call; NULL: none yet */
    struct mcti_provider *only;      /* server of a refresh; NULL: all */
    struct mcti_timer deadline, heartbeat;
    uint64_t since_ms; /* its start, on the loop's clock */
    struct {
        double progress, total;
    } last; /* progress reported so far */
    struct mcti_task report, late_progress;
    struct {
        double progress, total;
        char *message;
    } pending;              /* progress that arrived outside of a turn of the loop: late_progress reports it */
    struct mct_error error; /* kind NONE: no error */
    char *result, *error_data, *answer;
    char *task; /* id in the result; NULL: not read so far, or none */
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

/* ---- call.c ---- */

/* Sets the verb and the callbacks of q->call, which the caller starts afterwards. */
void mcti_api_request_begin(struct mct_request *q, enum mcti_verb verb);

/* Stores the server of a call that was started with the result `r`; if that is -1, names the server in *err. Returns
 * `r`. */
int mcti_api_request_set_server(struct mct_request *q, const struct mcti_call_start *start, int r,
                                struct mct_error *err);

/* Reports the pending progress of a request. `data`: the struct mct_request. */
void mcti_api_on_late_progress(void *data);

/* Plans the next report of a request that is silent. `data`: the struct mct_request. */
void mcti_api_plan_heartbeat(struct mct_request *q);
void mcti_api_on_heartbeat(void *data);

/* Sets *ret to the object in `text`; absent if `text` is. Returns -1 with an *err that begins with `what`. */
int mcti_api_read_object(const char *what, struct mcti_str text, struct mcti_str *ret, struct mct_error *err);

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

#endif
