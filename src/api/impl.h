/* Shared by src/api only: what is behind the handles of include/mcptools. */
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
    API_OPEN, /* what is in it is being said */
    API_STARTED,
    API_CLOSING, /* clients and servers are being stopped */
    API_CLOSED,  /* only memory is left */
};

struct api_attached; /* attach.c */

/* What is behind the program's pointer, which is one to inst.registry. */
struct mct_instance {
    struct mcti_instance inst;
    struct mct_instance_opts opts; /* without its texts */
    struct mcti_choices choices;   /* of the options */
    char *workspace, *address;     /* address: where HTTP is served; NULL: as configured */
    enum mcti_api_phase phase;
    unsigned depth; /* callbacks of the loop that are running */
    struct mcti_log log;
    uv_async_t wake;
    atomic_bool stopping; /* mct_instance_stop() was called */
    struct mcti_answerer answerer;
    struct mcti_provider *own; /* tools of the program; NULL: it has none yet */
    bool serves;               /* clients, who can be asked */
    bool prepared, stdio_gone;
    struct mct_error failure; /* of preparing: it cannot be started; kind NONE: none */
    struct mcti_watcher watcher;
    struct mcti_task tell_states;
    enum mcti_state *told; /* of each server, as it was told last */
    size_t n_told;
    struct mcti_timer tell;        /* tools_changed, once for a burst */
    struct mcti_provider *changed; /* whose tools did; NULL: more than one's */
    bool has_changed;
    struct mcti_list requests, questions, tokens;
    void (*gone)(void *data); /* of stdio */
    void *gone_data;
    struct api_attached *attached; /* NULL: to no loop of the program */
    void (*closed)(void *data);
    void *closed_data;
};

struct mct_instance *mcti_api_of(const struct mct_instance *r);

/* ---- start.c ---- */

void mcti_api_free(struct mct_instance *a);

/* Makes the servers of the configuration, which is not to be added to after that. Once, or not at all before it is
 * started. */
int mcti_api_prepare(struct mct_instance *a, struct mct_error *err);

/* Whether it is one the program knows: not that of its own tools. */
static inline bool mcti_api_is_server(const struct mct_instance *a, const struct mcti_provider *p)
{
    return p != a->own;
}

/* ---- tell.c ---- */

/* From now on the callbacks of the options hear of changes of tools and states. */
void mcti_api_tell_changes(struct mct_instance *a);

/* ---- own.c ---- */

/* Gives the server of the program's own tools, which there is, a name that no server of the configuration has. -1 when
 * out of memory. */
int mcti_api_name_own(struct mct_instance *a);

/* ---- turn.c ---- */

/* One turn of the loop, of the callbacks that are due; `mode` as for uv_run(). */
void mcti_api_turn(struct mct_instance *a, uv_run_mode mode);

/* Whether a function that waits may do so; -1 with *err. */
int mcti_api_may_wait(const struct mct_instance *a, struct mct_error *err);

/* ---- close.c ---- */

/* Frees *a, if the last turn was the last step of its end; returns whether it was. */
bool mcti_api_go_on_closing(struct mct_instance *a);

/* ---- attach.c ---- */

void mcti_api_detach(struct mct_instance *a, void (*then)(struct mct_instance *a));

/* ---- question.c ---- */

void mcti_api_ask(void *data, struct mcti_ask *ask);
void mcti_api_withdraw(void *data, struct mcti_ask *ask);
void mcti_api_end_questions(struct mct_instance *a);

/* ---- request.c ---- */

/* The result of a request in another form, made when it is first asked for. */
struct mcti_api_form {
    char *text; /* NULL: not made yet */
    size_t len;
};

struct mct_request {
    struct mcti_list node, by_token;
    struct mct_instance *api; /* NULL: the instance was closed */
    struct mct_cancel *token;
    struct mct_call_opts opts;
    struct mcti_call call;
    struct mcti_reading reading;
    struct mcti_watcher watcher; /* of a refresh */
    struct mcti_provider *asked; /* the provider of the call; NULL: none yet */
    struct mcti_provider *only;
    struct mcti_timer deadline;
    struct mcti_task told, late;
    struct {
        double progress, total;
        char *message;
        bool is_there;
    } kept;                 /* progress that came while nobody turned the loop: `late` tells it */
    struct mct_error error; /* kind NONE: there is a result */
    char *result, *error_data, *answer;
    size_t result_len;
    struct mcti_api_form text, content;
    const struct mcti_array_format *format; /* of the model's call; NULL: it is the program's own */
    struct mcti_model_call model;
    void (*stop)(struct mct_request *q, const char *reason); /* NULL: nothing is under way */
    bool over, stopping, freed;
};

/* NULL with *err: out of memory, or the instance is not started. */
struct mct_request *mcti_api_request_new(struct mct_instance *r, const struct mct_call_opts *opts,
                                         struct mct_error *err);

void mcti_api_request_drop(struct mct_request *q); /* before anybody has heard of it */

/* What the program gets: nothing if it could not be started, `r` < 0. */
static inline struct mct_request *api_request_started(struct mct_request *q, int r)
{
    if (q && r < 0)
        mcti_api_request_drop(q);
    return r < 0 ? NULL : q;
}

/* It is over: exactly one of result (copied) and err. `done` follows from the loop. */
void mcti_api_request_finish(struct mct_request *q, struct mcti_str result, const struct mct_error *err);

void mcti_api_end_requests(struct mct_instance *a); /* all are cancelled */
void mcti_api_forget_requests(
    struct mct_instance *a); /* those that are left, which are over, know no instance any more */

/* ---- lists.c ---- */

int mcti_api_check_started(const struct mct_instance *a, struct mct_error *err);

/* ---- ask.c ---- */

/* Sets the verb and the callbacks of q->call, which the caller starts afterwards. */
void mcti_api_request_begin(struct mct_request *q, enum mcti_verb verb);

/* Notes which server was asked, after the call was started with the result `r`. Names the server in *err. Returns
 * `r`. */
int mcti_api_request_begun(struct mct_request *q, const struct mcti_call_start *start, int r, struct mct_error *err);

void mcti_api_on_late_progress(void *data);

/* An object as JSON text, absent: none was given. -1 with *err that begins with `what`. */
int mcti_api_read_object(const char *what, struct mcti_str text, struct mcti_str *ret, struct mct_error *err);

/* ---- read.c ---- */

struct mcti_provider *mcti_api_find_server(const struct mct_instance *r, const char *server, struct mct_error *err);

/* ---- cancel.c ---- */

void mcti_api_cancel_join(struct mct_cancel *c, struct mct_request *q);
bool mcti_api_is_fired(const struct mct_cancel *c); /* NULL: it is not */
void mcti_api_end_tokens(struct mct_instance *a);

/* ---- convert.c ---- */

typedef void mcti_api_degrade_fn(struct mcti_buf *to, struct mcti_str result);

/* A result as `fn` writes it, to be freed, with its length in *ret_len. NULL with *err. */
char *mcti_api_degrade(mcti_api_degrade_fn *fn, struct mcti_str result, size_t *ret_len, struct mct_error *err);

/* ---- status.c ---- */

void mcti_api_put_servers(struct mcti_buf *to, const struct mct_instance *a);

/* Sets err->server if `p` is a server. `p` and `err` may be NULL. */
void mcti_api_name_server(const struct mct_instance *a, const struct mcti_provider *p, struct mct_error *err);

#endif
