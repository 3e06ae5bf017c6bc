/*
 * Questions of a task of the gateway's own. A client of the extension finds them in the state of the task and answers
 * with tasks/update. A client of 2025-11-25 gets them as requests on the stream of its tasks/result.
 */
#include "gateway/tasks/impl.h"

#include "base/limits.h"

#include <stdlib.h>

static struct mcti_own_ask *own_ask_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_own_ask, node);
}

static void own_ask_free(struct mcti_own_ask *a)
{
    if (a->by)
        mcti_session_cancel(&a->out, "the question was withdrawn");
    mcti_list_remove(&a->node);
    free(a->id);
    free(a->params);
    free(a);
}

void mcti_own_asks_drop(struct mcti_own_task *t)
{
    while (!mcti_list_empty(&t->asks))
        own_ask_free(own_ask_of(t->asks.next));
}

static void own_asks_update_status(struct mcti_own_task *t)
{
    enum mcti_task_status before = t->status;
    mcti_own_task_set(t, mcti_list_empty(&t->asks) ? MCT_TASK_WORKING : MCT_TASK_INPUT_REQUIRED);
    if (t->status == before && t->status == MCT_TASK_INPUT_REQUIRED)
        mcti_watch_tell_own(t); /* other questions */
}

/* ---- to the call ---- */

static void own_ask_reply(struct mcti_own_task *t, struct mcti_str id, const char *member, struct mcti_str value)
{
    struct mcti_buf b;
    mcti_buf_init(&b, id.len + value.len + 64);
    mcti_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"%s\":", MCT_STR_ARG(id), member);
    mcti_buf_add(&b, value);
    mcti_buf_addc(&b, '}');
    if (t->inner && mcti_buf_ok(&b))
        mcti_peer_receive(t->inner, mcti_buf_str(&b), NULL, NULL);
    mcti_buf_done(&b);
}

void mcti_own_ask_answer(struct mcti_own_ask *a, const char *member, struct mcti_str value)
{
    struct mcti_own_task *t = a->task;
    char *id = a->id;
    a->id = NULL;
    own_ask_free(a);
    own_asks_update_status(t);
    own_ask_reply(t, mcti_str_of(id), member, value);
    free(id);
}

void mcti_own_ask_withdraw(struct mcti_own_task *t, struct mcti_str id)
{
    MCT_LIST_EACH(it, &t->asks)
        if (mcti_msg_id_eq(mcti_str_of(own_ask_of(it)->id), id))
            own_ask_free(own_ask_of(it));
    own_asks_update_status(t);
}

/* ---- to a client of 2025-11-25 ---- */

/* A question that got no answer waits for the next tasks/result, because the client may have left only. */
static void own_ask_on_reply(struct mcti_outbound *o, const struct mcti_msg *answer, const struct mct_error *err)
{
    struct mcti_own_ask *a = MCT_CONTAINER(o, struct mcti_own_ask, out);
    a->by = NULL;
    if (!err)
        mcti_own_ask_answer(a, answer->error.p ? "error" : "result", answer->error.p ? answer->error : answer->result);
}

static void own_ask_put(struct mcti_own_ask *a, struct mcti_gw_tasked *by)
{
    struct mcti_session *s = &by->request->peer->session;
    struct mct_error err;
    struct mcti_buf params;
    mcti_buf_init(&params, strlen(a->params) + 512);
    mcti_own_put_related(&params, a->task, mcti_str_of(a->params));
    a->out = (struct mcti_outbound){ .done = own_ask_on_reply, .timeout_ms = MCT_ASK_MS, .lane = by->request->in.lane };
    struct mcti_buf *b = mcti_session_begin(s, &a->out, mcti_ask_method(a->kind));
    mcti_buf_add(b, mcti_buf_str(&params));
    if (mcti_session_send(s, &a->out, &err) == 0)
        a->by = by;
    mcti_buf_done(&params);
}

void mcti_own_asks_put(struct mcti_own_task *t)
{
    struct mcti_gw_tasked *by =
        mcti_list_empty(&t->waits) ? NULL : MCT_CONTAINER(t->waits.next, struct mcti_gw_tasked, wait);
    MCT_LIST_EACH(it, &t->asks)
        if (by && !own_ask_of(it)->by)
            own_ask_put(own_ask_of(it), by);
}

void mcti_own_asks_recall(struct mcti_gw_tasked *by)
{
    MCT_LIST_EACH(it, &by->task->asks) {
        struct mcti_own_ask *a = own_ask_of(it);
        if (a->by != by)
            continue;
        a->by = NULL;
        mcti_session_cancel(&a->out, "the request for the result has ended");
    }
}

/* ---- from the call ---- */

int mcti_own_ask_new(struct mcti_own_task *t, const struct mcti_msg *msg)
{
    enum mcti_ask_kind kind = mcti_ask_find(msg->method);
    struct mcti_own_ask *a = kind != MCT_ASK_N && t->n_asked < MCT_LIMIT_TASK_QUESTIONS ? calloc(1, sizeof *a) : NULL;
    if (a) {
        *a = (struct mcti_own_ask){ .task = t, .number = ++t->n_asked, .kind = kind };
        mcti_list_append(&t->asks, &a->node);
        a->id = mcti_str_dup(msg->id);
        a->params = mcti_str_dup(msg->params.p ? msg->params : MCT_STR("{}"));
    }
    if (!a || !a->id || !a->params) {
        if (a)
            own_ask_free(a);
        return -1;
    }
    own_asks_update_status(t);
    mcti_own_asks_put(t);
    return 0;
}
