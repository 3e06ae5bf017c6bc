/* The life of a request: made, answered or given up, told, freed. What it asks is ask.c's. */
#include "api/impl.h"

#include "base/limits.h"
#include "hub/degrade.h"

#include <stdlib.h>

static void on_told(void *data)
{
    struct mct_request *q = data;
    if (q->opts.done)
        q->opts.done(q, q->opts.data);
}

static void on_deadline(void *data)
{
    struct mct_request *q = data;
    struct mct_error err;
    mct_fail(&err, MCT_ERR_TIMEOUT, "no answer within %u ms", q->opts.timeout_ms);
    q->stop(q, "the deadline has passed");
    api_request_finish(q, MCT_STR_NONE, &err);
}

struct mct_request *api_request_new(struct mct_registry *r, const struct mct_call_opts *opts, struct mct_error *err)
{
    struct api *a = api_of(r);
    struct mct_request *q = a->phase == API_STARTED ? calloc(1, sizeof *q) : NULL;
    if (!q) {
        mct_fail(err, a->phase == API_STARTED ? MCT_ERR_INTERNAL : MCT_ERR_USAGE, a->phase == API_STARTED ? "out of memory"
                 : a->phase == API_OPEN ? "the registry has not been started" : "the registry is being closed");
        return NULL;
    }
    q->api = a;
    API_OPTS(&q->opts, opts);
    mct_list_init(&q->by_token);
    mct_task_init(&q->told, on_told, q);
    mct_timer_init(&q->deadline, on_deadline, q);
    if (q->opts.timeout_ms)
        mct_timer_set(&a->loop.sched, &q->deadline, q->opts.timeout_ms);
    mct_list_append(&a->requests, &q->node);
    if (q->opts.cancel)
        api_cancel_join(q->opts.cancel, q);
    return q;
}

void api_request_finish(struct mct_request *q, struct mct_str result, const struct mct_error *err)
{
    struct mct_error none;
    q->stop = NULL;
    q->over = true;
    mct_timer_stop(&q->api->loop.sched, &q->deadline);
    if (!err && !(q->result = mct_str_dup(result))) {
        mct_fail(&none, MCT_ERR_INTERNAL, "out of memory");
        err = &none;
    }
    if (err)
        q->error = *err;
    mct_list_remove(&q->by_token);
    mct_task_post(&q->api->loop.sched, &q->told);
}

static void release(struct mct_request *q)
{
    if (q->api) {
        mct_timer_stop(&q->api->loop.sched, &q->deadline);
        mct_reading_done(&q->reading);
    }
    mct_task_stop(&q->told);
    mct_list_remove(&q->by_token);
    mct_list_remove(&q->node);
    free(q->result);
    free(q->error_data);
    free(q->text);
    free(q->content);
    free(q->answer);
    mct_model_call_done(&q->model);
    free(q);
}

void api_request_drop(struct mct_request *q)
{
    q->stop = NULL;
    release(q);
}

void mct_request_free(struct mct_request *q)
{
    if (!q)
        return;
    if (q->stop)
        q->stop(q, "nobody waits for it any more");
    release(q);
}

void mct_request_cancel(struct mct_request *q, const char *reason)
{
    struct mct_error err;
    if (q->over || !q->stop)
        return;
    mct_fail(&err, MCT_ERR_CANCELLED, "%s", reason ? reason : "cancelled");
    q->stop(q, reason);
    api_request_finish(q, MCT_STR_NONE, &err);
}

void api_end_requests(struct api *a)
{
    MCT_LIST_EACH(it, &a->requests)
        mct_request_cancel(MCT_CONTAINER(it, struct mct_request, node), "the registry is being closed");
}

void api_forget_requests(struct api *a)
{
    while (!mct_list_empty(&a->requests)) {
        struct mct_request *q = MCT_CONTAINER(a->requests.next, struct mct_request, node);
        mct_list_remove(&q->node);
        mct_task_stop(&q->told);
        q->api = NULL;
    }
}

/* ---- what became of it ---- */

bool mct_request_over(const struct mct_request *q)
{
    return q->over;
}

const struct mct_error *mct_request_error(const struct mct_request *q)
{
    return q->error.kind ? &q->error : NULL;
}

const char *mct_request_error_data(const struct mct_request *q)
{
    return q->error_data;
}

const char *mct_request_result(const struct mct_request *q)
{
    return q->result;
}

bool mct_request_is_error(const struct mct_request *q)
{
    return q->result && mct_json_true(mct_json_get(mct_str_of(q->result), "isError"));
}

void *mct_request_data(const struct mct_request *q)
{
    return q->opts.data;
}

const char *mct_request_text(struct mct_request *q)
{
    if (!q->text && q->result)
        q->text = mct_degraded_text(q->result, NULL);
    return q->text;
}

const char *mct_request_content(struct mct_request *q)
{
    if (!q->content && q->result)
        q->content = mct_degraded_content(q->result, NULL);
    return q->content;
}
