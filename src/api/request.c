/* Requests of the program, of every kind: creation, end, cancellation and results. */
#include "api/request.h"

#include "base/limits.h"
#include "model/degrade.h"

#include <stdlib.h>

static void api_request_on_report(void *data)
{
    struct mct_request *q = data;
    if (q->opts.done)
        q->opts.done(q, q->opts.data);
}

static void api_request_release(struct mct_request *q);

/* Cancels the operation of the request. This may call callbacks of the program for withdrawn questions and hooks, and
 * one of them may free the request. Returns false if that happened. */
static bool api_request_stop(struct mct_request *q, const char *reason)
{
    void (*fn)(struct mct_request *, const char *) = q->stop;
    q->stop = NULL;
    if (!fn)
        return true;
    q->stopping = true;
    fn(q, reason);
    q->stopping = false;
    bool freed = q->freed;
    if (freed)
        api_request_release(q);
    return !freed;
}

static void api_request_on_deadline(void *data)
{
    struct mct_request *q = data;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "no answer within %u ms", q->opts.timeout_ms);
    if (api_request_stop(q, "timed out"))
        mcti_api_request_finish(q, MCT_STR_NONE, &err);
}

static int read_opts(struct mct_call_opts *ret, const struct mct_call_opts *given, struct mct_error *err)
{
    if (mcti_sized_copy(ret, sizeof *ret, given, "struct mct_call_opts", err) < 0)
        return -1;
    return mcti_api_is_fired(ret->cancel)
               ? mcti_fail(err, MCT_ERR_CANCELLED, "the cancellation token was fired already")
               : 0;
}

struct mct_request *mcti_api_request_new(struct mct_instance *r, const struct mct_call_opts *given,
                                         struct mct_error *err)
{
    struct mct_instance *a = mcti_api_of(r);
    struct mct_call_opts opts;
    if (mcti_api_check_started(a, err) < 0 || read_opts(&opts, given, err) < 0)
        return NULL;
    struct mct_request *q = calloc(1, sizeof *q);
    if (!q) {
        mcti_no_memory(err);
        return NULL;
    }
    uv_update_time(&a->inst.loop.uv); /* the callback that creates the request may have run for long */
    q->api = a;
    q->opts = opts;
    mcti_list_init(&q->by_token);
    mcti_task_init(&q->report, api_request_on_report, q);
    mcti_task_init(&q->late_progress, mcti_api_on_late_progress, q);
    mcti_timer_init(&q->deadline, api_request_on_deadline, q);
    mcti_timer_init(&q->heartbeat, mcti_api_on_heartbeat, q);
    q->since_ms = mcti_sched_now(&a->inst.loop.sched);
    mcti_api_plan_heartbeat(q);
    if (q->opts.timeout_ms)
        mcti_timer_set(&a->inst.loop.sched, &q->deadline, q->opts.timeout_ms);
    mcti_list_append(&a->requests, &q->node);
    mcti_lease_begin(&q->lease, &a->inst.registry);
    if (q->opts.cancel)
        mcti_api_cancel_join(q->opts.cancel, q);
    return q;
}

void mcti_api_request_finish(struct mct_request *q, struct mcti_str result, const struct mct_error *err)
{
    struct mct_error none;
    q->stop = NULL;
    q->over = true;
    mcti_timer_stop(&q->api->inst.loop.sched, &q->deadline);
    mcti_timer_stop(&q->api->inst.loop.sched, &q->heartbeat);
    if (!err && !(q->result = mcti_str_dup(result))) {
        mcti_no_memory(&none);
        err = &none;
    }
    q->result_len = q->result ? result.len : 0;
    if (err)
        q->error = *err;
    mcti_list_remove(&q->by_token);
    q->asked = q->only = NULL;
    mcti_lease_end(&q->lease);
    mcti_task_post(&q->api->inst.loop.sched, &q->report);
}

static void api_request_release(struct mct_request *q)
{
    if (q->api) {
        mcti_timer_stop(&q->api->inst.loop.sched, &q->deadline);
        mcti_timer_stop(&q->api->inst.loop.sched, &q->heartbeat);
        mcti_reading_done(&q->reading);
    }
    mcti_task_stop(&q->report);
    mcti_task_stop(&q->late_progress);
    mcti_list_remove(&q->by_token);
    mcti_list_remove(&q->node);
    free(q->pending.message);
    free(q->result);
    free(q->error_data);
    free(q->task);
    free(q->text.text);
    free(q->content.text);
    free(q->answer);
    mcti_model_call_done(&q->model);
    mcti_lease_end(&q->lease);
    free(q);
}

void mcti_api_request_drop(struct mct_request *q)
{
    q->stop = NULL;
    api_request_release(q);
}

void mct_request_free(struct mct_request *q)
{
    if (!q)
        return;
    q->freed = true;
    if (!q->stopping && api_request_stop(q, "abandoned by the caller"))
        api_request_release(q);
}

void mct_request_cancel(struct mct_request *q, const char *reason)
{
    struct mct_error err;
    if (!q || q->over || !q->stop)
        return;
    mcti_fail(&err, MCT_ERR_CANCELLED, "%s", reason ? reason : "cancelled");
    if (api_request_stop(q, reason))
        mcti_api_request_finish(q, MCT_STR_NONE, &err);
}

/* Takes each request from the front of the list: cancelling one may end others. */
void mcti_api_end_requests(struct mct_instance *a)
{
    struct mcti_list all;
    mcti_list_take(&all, &a->requests);
    while (!mcti_list_empty(&all)) {
        struct mct_request *q = MCT_CONTAINER(all.next, struct mct_request, node);
        mcti_list_remove(&q->node);
        mcti_list_append(&a->requests, &q->node);
        mct_request_cancel(q, "the instance is being closed");
    }
}

void mcti_api_forget_requests(struct mct_instance *a)
{
    while (!mcti_list_empty(&a->requests)) {
        struct mct_request *q = MCT_CONTAINER(a->requests.next, struct mct_request, node);
        mcti_list_remove(&q->node);
        mcti_task_stop(&q->report);
        mcti_task_stop(&q->late_progress);
        q->api = NULL;
    }
}

/* ---- results ---- */

bool mct_request_is_over(const struct mct_request *q)
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

static struct mcti_str result_of(const struct mct_request *q)
{
    return (struct mcti_str){ q->result, q->result_len };
}

const char *mct_request_result_len(const struct mct_request *q, size_t *ret_len)
{
    *ret_len = q->result_len;
    return q->result;
}

bool mct_request_is_error(const struct mct_request *q)
{
    return q->result && mcti_json_true(mcti_json_get(result_of(q), "isError"));
}

void *mct_request_data(const struct mct_request *q)
{
    return q->opts.data;
}

/* Appends the result of a read or a prompt as a tool result: with embedded resources, or the contents of messages. */
static void put_as_tool_result(struct mcti_buf *b, struct mcti_str result)
{
    struct mcti_str contents = mcti_json_get(result, "contents"), messages = mcti_json_get(result, "messages"), item;
    size_t n = 0;
    mcti_buf_addz(b, "{\"content\":[");
    for (struct mcti_json_iter it = mcti_json_open(contents); mcti_json_next_item(&it, &item); n++) {
        mcti_buf_addz(b, n ? ",{\"type\":\"resource\",\"resource\":" : "{\"type\":\"resource\",\"resource\":");
        mcti_buf_add(b, item);
        mcti_buf_addc(b, '}');
    }
    for (struct mcti_json_iter it = mcti_json_open(messages); mcti_json_next_item(&it, &item); n++) {
        mcti_buf_addz(b, n ? "," : "");
        mcti_buf_add(b, mcti_json_get(item, "content").p ? mcti_json_get(item, "content") : MCT_STR("null"));
    }
    mcti_buf_addz(b, "]}");
}

/* Returns the result as a tool result; converted, it is in *made. */
static struct mcti_str tool_result_of(const struct mct_request *q, struct mcti_buf *made)
{
    struct mcti_str result = result_of(q);
    if (!mcti_json_get(result, "contents").p && !mcti_json_get(result, "messages").p)
        return result;
    put_as_tool_result(made, result);
    return mcti_buf_str(made);
}

static int check_result(const struct mct_request *q, struct mct_error *err)
{
    if (!q->over)
        return mcti_fail(err, MCT_ERR_USAGE, "the request has not finished");
    if (q->error.kind && err)
        *err = q->error;
    return q->result ? 0 : -1;
}

static const char *api_request_degraded(struct mct_request *q, struct mcti_api_form *f, mcti_api_degrade_fn *fn,
                                        size_t *ret_len, struct mct_error *err)
{
    struct mcti_buf made;
    mcti_buf_init(&made, 4 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    if (!f->text && check_result(q, err) == 0) {
        struct mcti_str result = tool_result_of(q, &made);
        f->text = mcti_buf_ok(&made) ? mcti_api_degrade(fn, result, &f->len, err) : NULL;
        if (!mcti_buf_ok(&made))
            mcti_no_memory(err);
    }
    mcti_buf_done(&made);
    *ret_len = f->text ? f->len : 0;
    return f->text;
}

const char *mct_request_text_len(struct mct_request *q, size_t *ret_len, struct mct_error *err)
{
    return api_request_degraded(q, &q->text, mcti_degrade_result, ret_len, err);
}

const char *mct_request_text(struct mct_request *q, struct mct_error *err)
{
    size_t len;
    return mct_request_text_len(q, &len, err);
}

const char *mct_request_content_len(struct mct_request *q, size_t *ret_len, struct mct_error *err)
{
    return api_request_degraded(q, &q->content, mcti_degrade_content, ret_len, err);
}

const char *mct_request_content(struct mct_request *q, struct mct_error *err)
{
    size_t len;
    return mct_request_content_len(q, &len, err);
}
