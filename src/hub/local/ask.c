/* The client of a call: who it is, questions to it, and log messages for it. */
#include "hub/local/def.h"

#include "base/limits.h"

#include <stdlib.h>

struct mcti_local_question {
    struct mcti_ask ask;
    struct mcti_list node; /* in call->questions */
    struct mcti_task report;
    struct mct_tool_call *call;
    mct_answer_fn answered;
    void *data;
    char *params, *result; /* result NULL: `error` is the outcome */
    struct mct_error error;
};

/* ---- questions ---- */

static struct mcti_sched *sched_of(const struct mct_tool_call *c)
{
    return c->def->provider->sched;
}

static void local_question_free(struct mcti_local_question *q)
{
    mcti_task_stop(&q->report);
    mcti_list_remove(&q->node);
    free(q->params);
    free(q->result);
    free(q);
}

/* Tells the program the outcome. */
static void local_question_on_report(void *data)
{
    struct mcti_local_question *q = data;
    struct mct_tool_call *c = q->call;
    mcti_list_remove(&q->node);
    mcti_local_call_begin(c);
    if (!--c->n_open && c->request)
        mcti_local_suspend(c->request, false);
    q->answered(c, q->result, q->result ? NULL : &q->error, q->data);
    mcti_local_call_end(c);
    local_question_free(q);
}

static void local_question_on_answer(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err)
{
    struct mcti_local_question *q = MCT_CONTAINER(a, struct mcti_local_question, ask);
    if (err)
        q->error = *err;
    else if (!(q->result = mcti_str_dup(result)))
        mcti_no_memory(&q->error);
    mcti_task_post(sched_of(q->call), &q->report);
}

void mcti_local_questions_end(struct mct_tool_call *c)
{
    while (!mcti_list_empty(&c->questions)) {
        struct mcti_local_question *q = MCT_CONTAINER(c->questions.next, struct mcti_local_question, node);
        mcti_ask_withdraw(&q->ask);
        local_question_free(q);
    }
    c->n_open = 0;
}

static const struct mcti_answerer *answerer_of(const struct mct_tool_call *c)
{
    const struct mcti_call *call = mcti_local_call(c->request);
    return call->answerer ? call->answerer : c->def->provider->answerer;
}

/* Starts the question, or sets its outcome to an error. */
static void local_question_start(struct mcti_local_question *q, const char *method, const char *params)
{
    struct mcti_str object = MCT_STR("{}");
    enum mcti_ask_kind kind = method ? mcti_ask_find(mcti_str_of(method)) : MCT_ASK_N;
    int r = kind == MCT_ASK_N
                ? mcti_fail(&q->error, MCT_ERR_USAGE,
                            "unknown question '%s'; it must be sampling/createMessage, elicitation/create "
                            "or roots/list",
                            method ? method : "")
                : 0;
    if (r == 0 && params)
        r = mcti_json_read_object(mcti_str_of(params), "params", &object, &q->error);
    if (r == 0 && !(q->params = mcti_str_dup(object)))
        r = mcti_no_memory(&q->error);
    if (r < 0) {
        mcti_task_post(sched_of(q->call), &q->report);
        return;
    }
    q->ask = (struct mcti_ask){ .kind = kind,
                                .params = { q->params, object.len },
                                .server = q->call->def->provider->name,
                                .about = mcti_local_call(q->call->request),
                                .answered = local_question_on_answer };
    mcti_ask_start(&q->ask, answerer_of(q->call));
}

void mct_tool_call_ask(struct mct_tool_call *c, const char *method, const char *params, mct_answer_fn answered,
                       void *data)
{
    struct mcti_local_question *q = c->request ? calloc(1, sizeof *q) : NULL;
    struct mct_error err;
    if (!c->request)
        return;
    if (!q) {
        mcti_no_memory(&err);
        answered(c, NULL, &err, data);
        return;
    }
    q->call = c;
    q->answered = answered;
    q->data = data;
    mcti_task_init(&q->report, local_question_on_report, q);
    mcti_list_append(&c->questions, &q->node);
    if (!c->n_open++)
        mcti_local_suspend(c->request, true);
    local_question_start(q, method, params);
}

bool mct_tool_call_can_ask(struct mct_tool_call *c, const char *method, const char *params)
{
    enum mcti_ask_kind kind = method ? mcti_ask_find(mcti_str_of(method)) : MCT_ASK_N;
    struct mcti_str object = MCT_STR("{}");
    if (!c->request || kind == MCT_ASK_N ||
        (params && mcti_json_read_object(mcti_str_of(params), "params", &object, NULL) < 0))
        return false;
    return mcti_answerer_can(answerer_of(c), kind, object);
}

void mct_tool_call_hang_up(struct mct_tool_call *c)
{
    if (c->request)
        mcti_local_hang_up(c->request);
}

/* ---- log messages ---- */

void mct_tool_call_log_json(struct mct_tool_call *c, const char *level, const char *logger, const char *data)
{
    static const char *const levels[] = { "debug", "info",     "notice", "warning",
                                          "error", "critical", "alert",  "emergency" };
    size_t i = 0, n = sizeof levels / sizeof *levels;
    while (level && i < n && strcmp(level, levels[i]) != 0)
        i++;
    if (c->request && level && i < n && data)
        mcti_local_log(c->request, level, logger, mcti_str_of(data));
}

void mct_tool_call_log(struct mct_tool_call *c, const char *level, const char *text)
{
    struct mcti_buf b;
    size_t len = text ? strlen(text) : 0;
    mcti_buf_init(&b, 6 * len + 16);
    mcti_json_put_string(&b, (struct mcti_str){ text, len });
    char *json = mcti_buf_take(&b);
    mct_tool_call_log_json(c, level, NULL, json);
    free(json);
}

/* ---- the caller ---- */

/* Returns a copy of a string member as text; NULL if there is none. */
static const char *ask_keep_text(struct mct_tool_call *c, struct mcti_str object, const char *key)
{
    char *text = mcti_json_dup(mcti_json_get(object, key));
    const char *kept = mcti_arena_dup(&c->texts, mcti_str_of(text));
    free(text);
    return kept;
}

const struct mct_caller *mct_tool_call_caller(struct mct_tool_call *c)
{
    const struct mcti_local_request *r = c->request;
    if (c->caller || !r)
        return c->caller;
    struct mct_caller *by = mcti_arena_get(&c->texts, sizeof *by);
    if (!by)
        return NULL;
    by->principal = mcti_arena_dup(&c->texts, r->principal);
    by->client_info = mcti_arena_dup(&c->texts, r->client_info);
    by->client_name = ask_keep_text(c, r->client_info, "name");
    by->client_version = ask_keep_text(c, r->client_info, "version");
    by->session = r->call->session;
    by->revision = r->call->caller.rev ? mcti_rev_text(r->call->caller.rev) : NULL;
    by->meta = mcti_arena_dup(&c->texts, mcti_json_get(r->params, "_meta"));
    c->caller = by;
    return by;
}
