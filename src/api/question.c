/* Questions of servers, passed to the callbacks of the program: by a task, because a callback may end the call that the
 * question belongs to, whose code is just asking. */
#include "api/request.h"

#include "base/limits.h"

#include <stdlib.h>

struct mct_question {
    struct mcti_list node;
    struct mct_instance *api;
    struct mcti_ask *ask; /* NULL: answered or withdrawn */
    char *params;
    struct mcti_task report; /* calls `fn` */
    mct_question_fn fn, withdrawn;
    void *withdrawn_data;
    unsigned busy; /* number of its callbacks that are running: it must not be freed */
};

static void api_question_release(struct mct_question *q)
{
    if (q->ask)
        q->ask->scratch = NULL;
    q->ask = NULL;
    if (q->busy)
        return;
    mcti_task_stop(&q->report);
    mcti_list_remove(&q->node);
    free(q->params);
    free(q);
}

static mct_question_fn callback_for(const struct mct_instance *a, const struct mcti_ask *ask)
{
    if (ask->kind != MCT_ASK_ELICITATION)
        return ask->kind == MCT_ASK_SAMPLING ? a->opts.sampling : a->opts.roots;
    return mcti_json_is(mcti_json_get(ask->params, "mode"), "url") ? a->opts.elicit_url : a->opts.elicit;
}

static void api_question_answer_roots(const struct mct_instance *a, struct mcti_ask *ask)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"roots\":[");
    mcti_put_root(&b, a->workspace);
    mcti_buf_addz(&b, "]}");
    mcti_ask_answer(ask, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void api_question_on_report(void *data)
{
    struct mct_question *q = data;
    q->busy++;
    q->fn(q, q->api->opts.data);
    q->busy--;
    if (!q->ask)
        api_question_release(q);
}

void mcti_api_ask(void *data, struct mcti_ask *ask)
{
    struct mct_instance *a = data;
    mct_question_fn fn = callback_for(a, ask);
    struct mct_error err;
    if (ask->kind == MCT_ASK_ROOTS && !fn && a->workspace) {
        api_question_answer_roots(a, ask);
        return;
    }
    if (a->phase >= API_CLOSING)
        fn = NULL;
    else if (!fn && a->inst.service.gateway) { /* the clients of the gateway may answer */
        mcti_gateway_answerer.ask(&a->inst.service.gateway, ask);
        return;
    }
    struct mct_question *q = fn ? calloc(1, sizeof *q) : NULL;
    char *params = q ? mcti_str_dup(ask->params) : NULL;
    if (!params) {
        free(q);
        if (fn)
            mcti_no_memory(&err);
        else
            mcti_fail(&err, MCT_ERR_UNSUPPORTED, "the program does not answer this kind of question");
        mcti_ask_fail(ask, &err);
        return;
    }
    *q = (struct mct_question){ .api = a, .ask = ask, .params = params, .fn = fn };
    mcti_task_init(&q->report, api_question_on_report, q);
    ask->scratch = q;
    mcti_list_append(&a->questions, &q->node);
    mcti_task_post(&a->inst.loop.sched, &q->report);
}

static void api_question_detach(struct mct_question *q)
{
    q->ask->scratch = NULL;
    q->ask = NULL;
}

/* Calls the callback for withdrawal. An answer of the program in it has no effect. */
static void api_question_report_withdrawal(struct mct_question *q)
{
    q->busy++;
    if (q->withdrawn)
        q->withdrawn(q, q->withdrawn_data);
    q->busy--;
    api_question_release(q);
}

void mcti_api_withdraw(void *data, struct mcti_ask *ask)
{
    struct mct_question *q = ask->scratch;
    (void)data;
    if (!q)
        return;
    api_question_detach(q);
    api_question_report_withdrawal(q);
}

void mcti_api_end_questions(struct mct_instance *a)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_CANCELLED, "the client is shutting down");
    while (!mcti_list_empty(&a->questions)) {
        struct mct_question *q = MCT_CONTAINER(a->questions.next, struct mct_question, node);
        struct mcti_ask *ask = q->ask;
        mcti_list_remove(&q->node);
        if (!ask)
            continue; /* its callback is running and has closed the instance */
        api_question_detach(q);
        mcti_ask_fail(ask, &err);
        api_question_report_withdrawal(q);
    }
}

/* ---- for the program ---- */

const char *mct_question_method(const struct mct_question *q)
{
    return q->ask ? mcti_ask_method(q->ask->kind) : "";
}

const char *mct_question_params(const struct mct_question *q)
{
    return q->params;
}

const char *mct_question_server(const struct mct_question *q)
{
    return q->ask && q->ask->server ? q->ask->server : "";
}

struct mct_request *mct_question_request(const struct mct_question *q)
{
    MCT_LIST_EACH(it, &q->api->requests) {
        struct mct_request *r = MCT_CONTAINER(it, struct mct_request, node);
        if (q->ask && q->ask->about == &r->call)
            return r;
    }
    return NULL;
}

void mct_question_on_withdraw(struct mct_question *q, mct_question_fn fn, void *data)
{
    q->withdrawn = fn;
    q->withdrawn_data = data;
}

/* Returns whether the text has the required member of a result of this kind (2025-11-25 "Schema Reference"). */
static bool is_answer(enum mcti_ask_kind kind, struct mcti_str text)
{
    static const struct {
        const char *key;
        char type;
    } needs[MCT_ASK_N] = { [MCT_ASK_ROOTS] = { "roots", '[' },
                           [MCT_ASK_ELICITATION] = { "action", '"' },
                           [MCT_ASK_SAMPLING] = { "role", '"' } };
    return mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, NULL, NULL) &&
           mcti_json_type(mcti_json_get(text, needs[kind].key)) == needs[kind].type;
}

void mct_question_answer(struct mct_question *q, const char *result)
{
    struct mcti_ask *ask = q->ask;
    struct mcti_str text = mcti_str_of(result ? result : "");
    struct mct_error err;
    if (!ask)
        return;
    api_question_release(q);
    if (is_answer(ask->kind, text)) {
        mcti_ask_answer(ask, text);
        return;
    }
    mcti_fail(&err, MCT_ERR_INTERNAL, "the client's answer is not a valid result of %s", mcti_ask_method(ask->kind));
    mcti_ask_fail(ask, &err);
}

void mct_question_refuse(struct mct_question *q, int code, const char *message)
{
    struct mcti_ask *ask = q->ask;
    struct mct_error err;
    if (!ask)
        return;
    api_question_release(q);
    mcti_fail(&err, MCT_ERR_SERVER, "%s", message ? message : "refused");
    err.code = code;
    mcti_ask_fail(ask, &err);
}
