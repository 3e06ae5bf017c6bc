/* The life of a request: made, answered or given up, told, freed. What it asks is ask.c's. */
#include "api/impl.h"

#include "base/limits.h"
#include "model/degrade.h"

#include <stdlib.h>

static void on_told(void *data)
{
    struct mct_request *q = data;
    if (q->opts.done)
        q->opts.done(q, q->opts.data);
}

static void release(struct mct_request *q);

/* Ends what is under way. The callbacks that this leads to (withdrawn questions and hooks) find nothing of it, and may free
 * the request: false, then it is gone. */
static bool stop(struct mct_request *q, const char *reason)
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
        release(q);
    return !freed;
}

static void on_deadline(void *data)
{
    struct mct_request *q = data;
    struct mct_error err;
    mct_fail(&err, MCT_ERR_TIMEOUT, "no answer within %u ms", q->opts.timeout_ms);
    if (stop(q, "the deadline has passed"))
        api_request_finish(q, MCT_STR_NONE, &err);
}

static int read_opts(struct mct_call_opts *ret, const struct mct_call_opts *given, struct mct_error *err)
{
    if (mct_sized_copy(ret, sizeof *ret, given, "struct mct_call_opts", err) < 0)
        return -1;
    return api_is_fired(ret->cancel) ? mct_fail(err, MCT_ERR_CANCELLED, "its token has been fired") : 0;
}

struct mct_request *api_request_new(struct mct_registry *r, const struct mct_call_opts *given, struct mct_error *err)
{
    struct api *a = api_of(r);
    struct mct_call_opts opts;
    if (api_check_started(a, err) < 0 || read_opts(&opts, given, err) < 0)
        return NULL;
    struct mct_request *q = calloc(1, sizeof *q);
    if (!q) {
        mct_no_memory(err);
        return NULL;
    }
    uv_update_time(&a->inst.loop.uv); /* a callback may have taken long before it asks */
    q->api = a;
    q->opts = opts;
    mct_list_init(&q->by_token);
    mct_task_init(&q->told, on_told, q);
    mct_task_init(&q->late, api_on_late_progress, q);
    mct_timer_init(&q->deadline, on_deadline, q);
    if (q->opts.timeout_ms)
        mct_timer_set(&a->inst.loop.sched, &q->deadline, q->opts.timeout_ms);
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
    mct_timer_stop(&q->api->inst.loop.sched, &q->deadline);
    if (!err && !(q->result = mct_str_dup(result))) {
        mct_no_memory(&none);
        err = &none;
    }
    if (err)
        q->error = *err;
    mct_list_remove(&q->by_token);
    mct_task_post(&q->api->inst.loop.sched, &q->told);
}

static void release(struct mct_request *q)
{
    if (q->api) {
        mct_timer_stop(&q->api->inst.loop.sched, &q->deadline);
        mct_reading_done(&q->reading);
    }
    mct_task_stop(&q->told);
    mct_task_stop(&q->late);
    mct_list_remove(&q->by_token);
    mct_list_remove(&q->node);
    free(q->kept.message);
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
    q->freed = true;
    if (!q->stopping && stop(q, "nobody waits for it any more"))
        release(q);
}

void mct_request_cancel(struct mct_request *q, const char *reason)
{
    struct mct_error err;
    if (!q || q->over || !q->stop)
        return;
    mct_fail(&err, MCT_ERR_CANCELLED, "%s", reason ? reason : "cancelled");
    if (stop(q, reason))
        api_request_finish(q, MCT_STR_NONE, &err);
}

/* Cancelling one may lead to the end of others, so each is taken from the front. */
void api_end_requests(struct api *a)
{
    struct mct_list all;
    mct_list_take(&all, &a->requests);
    while (!mct_list_empty(&all)) {
        struct mct_request *q = MCT_CONTAINER(all.next, struct mct_request, node);
        mct_list_remove(&q->node);
        mct_list_append(&a->requests, &q->node);
        mct_request_cancel(q, "the registry is being closed");
    }
}

void api_forget_requests(struct api *a)
{
    while (!mct_list_empty(&a->requests)) {
        struct mct_request *q = MCT_CONTAINER(a->requests.next, struct mct_request, node);
        mct_list_remove(&q->node);
        mct_task_stop(&q->told);
        mct_task_stop(&q->late);
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

/* The result as one of a tool: what was read as embedded resources, a prompt's messages as their contents. */
static char *as_tool_result(struct mct_str result)
{
    struct mct_str contents = mct_json_get(result, "contents"), messages = mct_json_get(result, "messages"), item;
    struct mct_buf b;
    size_t n = 0;
    if (!contents.p && !messages.p)
        return mct_str_dup(result);
    mct_buf_init(&b, 4 * (size_t)MCT_LIMIT_MESSAGE_BYTES);
    mct_buf_addz(&b, "{\"content\":[");
    for (struct mct_json_iter it = mct_json_open(contents); mct_json_next_item(&it, &item); n++) {
        mct_buf_addz(&b, n ? ",{\"type\":\"resource\",\"resource\":" : "{\"type\":\"resource\",\"resource\":");
        mct_buf_add(&b, item);
        mct_buf_addc(&b, '}');
    }
    for (struct mct_json_iter it = mct_json_open(messages); mct_json_next_item(&it, &item); n++) {
        mct_buf_addz(&b, n ? "," : "");
        mct_buf_add(&b, mct_json_get(item, "content").p ? mct_json_get(item, "content") : MCT_STR("null"));
    }
    mct_buf_addz(&b, "]}");
    return mct_buf_take(&b);
}

static const char *degraded(struct mct_request *q, char **kept, char *(*degrade)(const char *, struct mct_error *))
{
    char *result = !*kept && q->result ? as_tool_result(mct_str_of(q->result)) : NULL;
    if (result)
        *kept = degrade(result, NULL);
    free(result);
    return *kept;
}

const char *mct_request_text(struct mct_request *q)
{
    return degraded(q, &q->text, mct_degraded_text);
}

const char *mct_request_content(struct mct_request *q)
{
    return degraded(q, &q->content, mct_degraded_content);
}
