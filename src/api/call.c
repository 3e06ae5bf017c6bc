/* Calls of tools and prompts by their exposed names, and what all requests to one server share. */
#include "api/request.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- a request to one server ---- */

static struct mct_request *request_of(struct mcti_call *call)
{
    return MCT_CONTAINER(call, struct mct_request, call);
}

static void stop_call(struct mct_request *q, const char *reason)
{
    mcti_call_cancel(&q->call, reason);
}

static void api_call_on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mct_request *q = request_of(call);
    struct mct_error err;
    if (o->result.p) {
        mcti_api_request_finish(q, o->result, NULL);
        return;
    }
    mcti_outcome_error(o, MCT_STR_NONE, &err);
    mcti_api_name_server(q->api, q->asked, &err);
    q->error_data = o->error.p ? mcti_str_dup(mcti_json_get(o->error, "data")) : NULL;
    mcti_api_request_finish(q, MCT_STR_NONE, &err);
}

static void report_progress(struct mct_request *q, double progress, double total, const char *message)
{
    mcti_api_plan_heartbeat(q);
    q->last.progress = progress;
    q->last.total = total;
    q->opts.progress(q, progress, total, message ? message : "", q->opts.data);
}

void mcti_api_plan_heartbeat(struct mct_request *q)
{
    if (q->opts.heartbeat_ms && q->opts.progress && !q->over)
        mcti_timer_set(&q->api->inst.loop.sched, &q->heartbeat, q->opts.heartbeat_ms);
}

void mcti_api_on_heartbeat(void *data)
{
    struct mct_request *q = data;
    char message[64];
    uint64_t ms = mcti_sched_now(&q->api->inst.loop.sched) - q->since_ms;
    snprintf(message, sizeof message, "still running after %llu s", (unsigned long long)(ms + 500) / 1000);
    report_progress(q, q->last.progress, q->last.total, message);
}

void mcti_api_on_late_progress(void *data)
{
    struct mct_request *q = data;
    char *message = q->pending.message;
    q->pending.message = NULL;
    report_progress(q, q->pending.progress, q->pending.total, message);
    free(message);
}

/* A tool of the program may send progress while the loop is not running. The latest one is then reported in the next
 * turn of the loop. */
static void api_call_on_progress(struct mcti_call *call, struct mcti_str params)
{
    struct mct_request *q = request_of(call);
    double progress = mcti_json_double(mcti_json_get(params, "progress")),
           total = mcti_json_double(mcti_json_get(params, "total"));
    char *message = mcti_json_dup(mcti_json_get(params, "message"));
    if (q->api->depth) {
        mcti_task_stop(&q->late_progress);
        report_progress(q, progress, total, message);
        free(message);
        return;
    }
    free(q->pending.message);
    q->pending.progress = progress;
    q->pending.total = total;
    q->pending.message = message;
    mcti_task_post(&q->api->inst.loop.sched, &q->late_progress);
}

void mcti_api_request_begin(struct mct_request *q, enum mcti_verb verb)
{
    q->call = (struct mcti_call){ .verb = verb,
                                  .done = api_call_on_done,
                                  .caller.log_level = mcti_str_of(q->api->log_level),
                                  .progress = q->opts.progress ? api_call_on_progress : NULL };
    q->stop = stop_call;
}

int mcti_api_request_set_server(struct mct_request *q, const struct mcti_call_start *start, int r,
                                struct mct_error *err)
{
    q->asked = start->found ? start->found->provider : start->provider;
    if (r < 0)
        mcti_api_name_server(q->api, q->asked, err);
    return r;
}

/* ---- by name ---- */

int mcti_api_read_object(const char *what, struct mcti_str text, struct mcti_str *ret, struct mct_error *err)
{
    *ret = MCT_STR_NONE;
    return text.p ? mcti_json_read_object(text, what, ret, err) : 0;
}

static int request_start_named(struct mct_request *q, enum mcti_verb verb, struct mcti_str arguments,
                               struct mcti_call_start *start, struct mct_error *err)
{
    mcti_api_request_begin(q, verb);
    int r = mcti_instance_call(&q->api->inst, &q->call, start, arguments, err);
    return mcti_api_request_set_server(q, start, r, err);
}

static struct mct_request *request_named(struct mct_instance *r, enum mcti_verb verb, const char *name,
                                         struct mcti_str arguments, const struct mct_call_opts *opts,
                                         struct mct_error *err)
{
    struct mcti_call_start start = { .name = mcti_str_of(name) };
    struct mcti_str args;
    if (mcti_api_read_object("arguments", arguments, &args, err) < 0)
        return NULL;
    struct mct_request *q = mcti_api_request_new(r, opts, err);
    return api_request_started(q, q ? request_start_named(q, verb, args, &start, err) : -1);
}

struct mct_request *mct_instance_call(struct mct_instance *r, const char *tool, const char *arguments,
                                      const struct mct_call_opts *opts, struct mct_error *err)
{
    return mct_instance_call_len(r, tool, arguments, arguments ? strlen(arguments) : 0, opts, err);
}

struct mct_request *mct_instance_call_len(struct mct_instance *r, const char *tool, const char *arguments, size_t len,
                                          const struct mct_call_opts *opts, struct mct_error *err)
{
    return request_named(r, MCT_VERB_TOOLS_CALL, tool, (struct mcti_str){ arguments, len }, opts, err);
}

struct mct_request *mct_instance_get_prompt(struct mct_instance *r, const char *prompt, const char *arguments,
                                            const struct mct_call_opts *opts, struct mct_error *err)
{
    return request_named(r, MCT_VERB_PROMPTS_GET, prompt, mcti_str_of(arguments), opts, err);
}
