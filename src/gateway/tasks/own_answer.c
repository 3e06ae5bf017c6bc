/* Answers requests of clients about tasks of the gateway's own. */
#include "gateway/tasks/impl.h"

#include "gateway/answer.h"
#include "gateway/call.h"
#include "gateway/local.h"

#include "base/limits.h"

#include <stdlib.h>

bool mcti_gw_offers_tasks_2025(const struct mcti_view *v)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (mcti_provider_has_tasks(mcti_view_source(v, mcti_view_provider(v, i))))
            return true;
    return false;
}

bool mcti_gw_lists_tasks(const struct mcti_peer *p)
{
    return p->gateway->apart || p->gateway->sole == p;
}

int mcti_gw_admits_task_2025(const struct mcti_peer *p, const struct mcti_msg *msg, enum mcti_verb verb,
                             struct mct_error *err)
{
    if (mcti_gw_offers_tasks_2025(p->view) && (verb != MCT_VERB_TASKS_LIST || mcti_gw_lists_tasks(p)))
        return 0;
    return mcti_fail(err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
}

/* ---- 2025-11-25 ---- */

static void answer_result_2025(struct mcti_gw_request *r, const struct mcti_own_task *t)
{
    struct mcti_str outcome = mcti_str_of(t->outcome);
    struct mcti_buf b;
    mcti_buf_init(&b, outcome.len + 512);
    mcti_own_put_related(&b, t, outcome);
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_own_task_send_result(struct mcti_own_task *t, struct mcti_gw_request *r)
{
    struct mct_error err;
    if (t->status == MCT_TASK_CANCELLED) {
        mcti_fail(&err, MCT_ERR_CANCELLED, "the task was cancelled");
        mcti_gw_fail(r, &err);
    } else if (!t->outcome) {
        mcti_no_memory(&err);
        mcti_gw_fail(r, &err);
    } else if (t->is_error) {
        mcti_gw_send_error(r, mcti_str_of(t->outcome));
    } else {
        answer_result_2025(r, t);
    }
}

/* Waits for the end of the task; its questions go to this client meanwhile. */
static void answer_when_over(struct mcti_gw_request *r, struct mcti_own_task *t)
{
    if (mcti_task_is_over(t->status)) {
        mcti_own_task_send_result(t, r);
        return;
    }
    r->task->task = t;
    mcti_list_append(&t->waits, &r->task->wait);
    mcti_own_asks_put(t);
}

static void answer_state_2025(struct mcti_gw_request *r, const struct mcti_own_task *t)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_TASK_MESSAGE_BYTES + 1024);
    mcti_own_put_2025(&b, t);
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void answer_cancel_2025(struct mcti_gw_request *r, struct mcti_own_task *t)
{
    struct mct_error err;
    if (mcti_task_is_over(t->status)) {
        mcti_fail(&err, MCT_ERR_USAGE, "the task has ended already: %s",
                  mcti_task_status_word(mcti_own_task_status_2025(t)));
        mcti_gw_fail(r, &err);
        return;
    }
    mcti_own_task_cancel(t);
    answer_state_2025(r, t);
}

static void answer_list_2025(struct mcti_gw_request *r)
{
    struct mcti_buf b;
    struct mcti_view *v;
    unsigned n = 0;
    mcti_buf_init(&b, MCT_LIMIT_PRINCIPAL_TASKS * (MCT_LIMIT_TASK_MESSAGE_BYTES + 1024));
    mcti_buf_addz(&b, "{\"tasks\":[");
    MCT_LIST_EACH(it, &r->peer->gateway->own_tasks) {
        const struct mcti_own_task *t = MCT_CONTAINER(it, struct mcti_own_task, node);
        if (!mcti_own_task_is_of(t, r) || !mcti_gw_task_tool(r, t->server, t->tool, &v))
            continue;
        mcti_buf_addz(&b, n++ ? "," : "");
        mcti_own_put_2025(&b, t);
    }
    mcti_buf_addz(&b, "]}");
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void answer_about_2025(struct mcti_gw_request *r, struct mcti_own_task *t)
{
    if (r->verb == MCT_VERB_TASKS_GET)
        answer_state_2025(r, t);
    else if (r->verb == MCT_VERB_TASKS_RESULT)
        answer_when_over(r, t);
    else
        answer_cancel_2025(r, t);
}

void mcti_gw_task_2025(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_buf scratch;
    struct mcti_str id;
    struct mct_error err;
    (void)meta;
    if (r->verb == MCT_VERB_TASKS_LIST) {
        answer_list_2025(r);
        return;
    }
    mcti_buf_init(&scratch, MCT_TASK_ID_BYTES);
    if (mcti_gw_task_renew(r, &err) < 0 ||
        mcti_gw_text_param(msg, "taskId", MCT_TASK_ID_BYTES, &scratch, &id, &err) < 0) {
        mcti_gw_fail(r, &err);
    } else {
        struct mcti_own_task *t = mcti_own_task_find(r, id);
        if (t)
            answer_about_2025(r, t);
        else
            mcti_gw_fail_unknown_task(r);
    }
    mcti_buf_done(&scratch);
}

/* ---- the extension ---- */

static void own_answer_state(struct mcti_gw_request *r, const struct mcti_own_task *t)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addz(&b, "{\"resultType\":\"complete\"");
    mcti_own_put_state(&b, t, true);
    mcti_gw_put_result_meta(&b, r->peer);
    mcti_buf_addc(&b, '}');
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void answer_acknowledge(struct mcti_gw_request *r)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 8192);
    mcti_buf_addz(&b, "{\"resultType\":\"complete\"");
    mcti_gw_put_result_meta(&b, r->peer);
    mcti_buf_addc(&b, '}');
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Returns the question that `responses` answers, and its answer; NULL: none. */
static struct mcti_own_ask *answer_find(struct mcti_own_task *t, struct mcti_str responses, struct mcti_str *ret)
{
    char key[16];
    MCT_LIST_EACH(it, &t->asks) {
        struct mcti_own_ask *a = MCT_CONTAINER(it, struct mcti_own_ask, node);
        snprintf(key, sizeof key, "%u", a->number);
        *ret = mcti_json_get(responses, key);
        if (mcti_json_type(*ret) == '{')
            return a;
    }
    return NULL;
}

/* Hands the answers to the call, each of which may end it. Keys without a question are ignored. */
static void answer_update(struct mcti_gw_request *r, struct mcti_own_task *t, const struct mcti_msg *msg)
{
    struct mcti_str responses = mcti_msg_get(msg, "inputResponses"), one;
    struct mcti_own_ask *a;
    while (!mcti_task_is_over(t->status) && (a = answer_find(t, responses, &one)))
        mcti_own_ask_answer(a, "result", one);
    answer_acknowledge(r);
}

/* Returns whether read-only mode forbids answers to the task. */
static bool answer_is_barred(struct mcti_gw_request *r, const struct mcti_own_task *t)
{
    const struct mcti_gateway *g = r->peer->gateway;
    struct mcti_view *v = NULL;
    bool is_on = g->policy.read_only || mcti_gw_prefs(r->peer, r->in.lane)->read_only;
    const struct mcti_exposure *tool = is_on ? mcti_gw_task_tool(r, t->server, t->tool, &v) : NULL;
    return tool && !mcti_view_is_read_only(v, &g->policy, tool);
}

static void answer_about(struct mcti_gw_request *r, struct mcti_own_task *t, const struct mcti_msg *msg)
{
    struct mct_error err;
    if (r->verb == MCT_VERB_TASKS_GET) {
        own_answer_state(r, t);
    } else if (r->verb == MCT_VERB_TASKS_CANCEL) {
        if (!mcti_task_is_over(t->status))
            mcti_own_task_cancel(t);
        answer_acknowledge(r);
    } else if (answer_is_barred(r, t)) {
        mcti_refusal_of_answer(&err);
        mcti_gw_fail(r, &err);
    } else {
        answer_update(r, t, msg);
    }
}

enum mcti_gw_step mcti_gw_own_task_answer(struct mcti_gw_request *r, const struct mcti_msg *msg, struct mcti_str id)
{
    if (!mcti_str_starts(id, MCT_STR(MCT_OWN_TASK_PREFIX)))
        return GO_ON;
    struct mcti_own_task *t = mcti_own_task_find(r, id);
    if (t)
        answer_about(r, t, msg);
    else
        mcti_gw_fail_unknown_task(r);
    return TAKEN;
}
