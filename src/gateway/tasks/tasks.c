/* Requests about tasks, and the answers of calls that have become tasks. */
#include "gateway/tasks/impl.h"
#include "gateway/tasks/key.h"
#include "gateway/tasks/open.h"

#include "gateway/answer.h"
#include "gateway/call.h"

#include "base/rand.h"

#include <stdlib.h>

void mcti_gw_task_free(struct mcti_gw_tasked *t)
{
    if (!t)
        return;
    if (t->task) {
        mcti_own_asks_recall(t);
        mcti_list_remove(&t->wait);
        mcti_own_asks_put(t->task); /* to another request that waits */
    }
    mcti_task_id_done(&t->id);
    free(t->exposed);
    free(t->state);
    free(t);
}

int mcti_gw_task_renew(struct mcti_gw_request *r, struct mct_error *err)
{
    mcti_gw_task_free(r->task);
    r->task = calloc(1, sizeof *r->task);
    if (!r->task)
        return mcti_no_memory(err);
    r->task->request = r;
    return 0;
}

/* Returns the key of ids. If its file cannot be used, ids are valid until the gateway ends. */
static struct mcti_str task_key(struct mcti_gateway *g)
{
    struct mct_error err;
    bool is_kept = !g->has_task_key && g->task_key_file;
    if (is_kept && mcti_task_key_load(g->task_key_file, g->task_key, &err) < 0) {
        mcti_log(g->log, MCT_LOG_WARN, "tasks end for clients when the gateway ends: %s", err.message);
        is_kept = false;
    }
    if (!g->has_task_key && !is_kept)
        mcti_random(g->task_key, sizeof g->task_key);
    int old = is_kept ? mcti_task_key_load_old(g->task_key_file, g->old_task_key, &err) : 0;
    if (old < 0)
        mcti_log(g->log, MCT_LOG_WARN, "ids of tasks from before the change of their key are unknown: %s", err.message);
    g->has_old_task_key |= old > 0;
    g->has_task_key = true;
    return (struct mcti_str){ (const char *)g->task_key, sizeof g->task_key };
}

int mcti_gw_task_read_id(const struct mcti_gw_request *r, struct mcti_str text, struct mcti_task_id *ret)
{
    const struct mcti_gateway *g = r->peer->gateway;
    struct mcti_str old = { (const char *)g->old_task_key, sizeof g->old_task_key };
    if (mcti_task_id_read(text, task_key(r->peer->gateway), gw_principal(r), ret) == 0)
        return 0;
    return g->has_old_task_key ? mcti_task_id_read(text, old, gw_principal(r), ret) : -1;
}

/* ---- who follows tasks ---- */

bool mcti_gw_offers_tasks(const struct mcti_view *v)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (mcti_provider_has_tasks(mcti_view_provider(v, i)))
            return true;
    return false;
}

int mcti_gw_needs_tasks(struct mcti_str method, const struct mcti_msg_meta *meta, struct mcti_buf *ret_data,
                        struct mct_error *err)
{
    if (mcti_tasks_declared(meta->capabilities))
        return 0;
    mcti_fail(err, MCT_ERR_UNSUPPORTED, "%.*s needs the extension %s, which the request does not declare",
              MCT_STR_ARG(method), MCT_TASKS_ID);
    err->code = MCT_RPC_MISSING_CAPABILITY;
    mcti_buf_addz(ret_data, "{\"requiredCapabilities\":");
    mcti_tasks_declare(ret_data, MCT_STR_NONE);
    mcti_buf_addc(ret_data, '}');
    return -1;
}

/* Returns whether a server that is still starting may turn out to have tasks: those of an earlier gateway. */
static bool any_is_starting(const struct mcti_view *v)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++)
        if (!mcti_view_provider(v, i)->settled)
            return true;
    return false;
}

int mcti_gateway_admits_task(const struct mcti_view *v, const struct mcti_msg *msg, const struct mcti_msg_meta *meta,
                             struct mcti_buf *ret_data, struct mct_error *err)
{
    if (!mcti_gw_offers_tasks(v) && !any_is_starting(v))
        return mcti_fail(err, MCT_ERR_UNSUPPORTED, "method not found: %.*s", MCT_STR_ARG(msg->method));
    return mcti_gw_needs_tasks(msg->method, meta, ret_data, err);
}

int mcti_gw_task_prepare(struct mcti_gw_request *r, struct mcti_provider *connection, const struct mcti_call_start *s,
                         struct mcti_str capabilities, struct mct_error *err)
{
    bool is_stateless = mcti_rev_is_stateless(r->rev);
    if (mcti_verb_is_task(r->verb)) {
        r->call.tasks = MCT_TASKS_FOLLOWED;
        return 0;
    }
    if (!is_stateless || !mcti_rev_is_stateless(connection->info.rev))
        r->call.tasks = MCT_TASKS_HELD;
    r->call.is_task = r->peer->of_task;
    if (r->call.tasks == MCT_TASKS_HELD || r->verb != MCT_VERB_TOOLS_CALL || !mcti_provider_makes_tasks(connection) ||
        !s->found || !mcti_tasks_declared(capabilities))
        return 0;
    if (mcti_gw_task_renew(r, err) < 0)
        return -1;
    r->task->id = (struct mcti_task_id){ .server = strdup(s->provider->name),
                                         .tool = mcti_str_dup(mcti_item_id(s->found->item)) };
    if (!r->task->id.server || !r->task->id.tool)
        return mcti_no_memory(err);
    r->task->connection = connection;
    r->call.tasks = MCT_TASKS_FOLLOWED;
    return 0;
}

/* ---- requests ---- */

void mcti_gw_fail_unknown_task(struct mcti_gw_request *r)
{
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_USAGE, "no such task: it is unknown, has expired or belongs to another client");
    mcti_gw_fail(r, &err);
}

/* Returns the view in which calls of the client find their tools. */
static struct mcti_view *tools_of(struct mcti_view *v)
{
    struct mcti_view *inner = v->own && v->own->inner ? v->own->inner(v->own) : NULL;
    return inner ? inner : v;
}

const struct mcti_exposure *mcti_gw_task_tool(struct mcti_gw_request *r, const char *server, const char *tool,
                                              struct mcti_view **ret_view)
{
    struct mcti_provider *p = mcti_registry_find(r->peer->gateway->registry, mcti_str_of(server));
    struct mcti_view *v = *ret_view = tools_of(r->peer->view);
    const struct mcti_provider *source = p ? mcti_view_source(v, p) : NULL;
    const struct mcti_item *item = source ? mcti_items_find(&source->items[MCT_TOOL], mcti_str_of(tool)) : NULL;
    return item ? mcti_view_of_item(v, item) : NULL;
}

/* Returns whether the server of the task is not connected, so that its tools are not known. */
static bool is_away(const struct mcti_gw_request *r)
{
    const struct mcti_task_id *id = &r->task->id;
    const struct mcti_provider *p = mcti_registry_find(r->peer->gateway->registry, mcti_str_of(id->server));
    return p && p->state != MCT_CONNECTED && !mcti_items_find(&p->items[MCT_TOOL], mcti_str_of(id->tool)) &&
           mcti_view_shows(tools_of(r->peer->view), p);
}

/* Sends the request to the server of the task, if the client may call the tool. */
static void gw_task_start(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    const struct mcti_task_id *id = &r->task->id;
    struct mcti_view *v;
    const struct mcti_exposure *found = mcti_gw_task_tool(r, id->server, id->tool, &v);
    const struct mcti_json_set subject = { "taskId", mcti_str_of(id->own) };
    struct mct_error err;
    bool away = !found && is_away(r);
    if (away && mcti_gw_wait(r, msg, r->peer->gateway->list_wait_ms) == TAKEN)
        return;
    if (away) {
        mcti_fail(&err, MCT_ERR_CONNECT, "server '%s': not connected", id->server);
        mcti_gw_fail(r, &err);
    } else if (!found) {
        mcti_gw_fail_unknown_task(r);
    } else if (mcti_gw_start_found(r, &(struct mcti_gw_found){ v, found, msg, meta }, &subject, &err) < 0) {
        mcti_gw_fail(r, &err);
    }
}

void mcti_gw_task(struct mcti_gw_request *r, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    struct mcti_buf scratch;
    struct mcti_str exposed;
    struct mct_error err;
    if (!mcti_rev_is_stateless(r->rev)) {
        mcti_gw_task_2025(r, msg, meta);
        return;
    }
    mcti_buf_init(&scratch, MCT_TASK_ID_BYTES);
    if (mcti_gw_task_renew(r, &err) < 0 ||
        mcti_gw_text_param(msg, "taskId", MCT_TASK_ID_BYTES, &scratch, &exposed, &err) < 0) {
        mcti_gw_fail(r, &err);
    } else if (mcti_gw_own_task_answer(r, msg, exposed) == TAKEN) {
        mcti_buf_done(&scratch);
        return;
    } else if (mcti_gw_task_read_id(r, exposed, &r->task->id) < 0) {
        mcti_gw_fail_unknown_task(r);
    } else {
        r->task->exposed = mcti_str_dup(mcti_json_get(msg->params, "taskId"));
        if (r->task->exposed) {
            gw_task_start(r, msg, meta);
        } else {
            mcti_no_memory(&err);
            mcti_gw_fail(r, &err);
        }
    }
    mcti_buf_done(&scratch);
}

void mcti_gw_task_on_completed(struct mcti_call *call, struct mcti_str state)
{
    struct mcti_gw_tasked *t = mcti_gw_of(call)->task;
    free(t->state);
    t->state = mcti_str_dup(state);
}

/* ---- answers ---- */

/* Answers with the object, some of whose members are set. */
static void send_with(struct mcti_gw_request *r, struct mcti_str object, const struct mcti_json_set *sets, size_t n)
{
    struct mcti_buf b;
    size_t len = object.len + 64;
    for (size_t i = 0; i < n; i++)
        len += sets[i].value.len + 64;
    mcti_buf_init(&b, len);
    mcti_json_put_object(&b, object, sets, n);
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Answers a call with the task that the server has made of it. */
static void task_answer_created(struct mcti_gw_request *r, struct mcti_str result)
{
    struct mcti_task_state task;
    struct mct_error err;
    struct mcti_buf b;
    if (mcti_task_read(result, &task, &err) < 0) {
        mcti_gw_fail(r, &err);
        return;
    }
    r->task->id.own = mcti_str_dup(task.id);
    mcti_buf_init(&b, MCT_TASK_ID_BYTES);
    if (r->task->id.own)
        mcti_task_id_put(&b, task_key(r->peer->gateway), gw_principal(r), &r->task->id);
    if (!r->task->id.own || !mcti_buf_ok(&b)) {
        mcti_no_memory(&err);
        mcti_gw_fail(r, &err);
    } else {
        const struct mcti_json_set id = { "taskId", mcti_buf_str(&b) };
        if (!mcti_task_is_over(task.status))
            mcti_open_task_add(r, r->task->connection, id.value);
        send_with(r, result, &id, 1);
    }
    mcti_buf_done(&b);
}

/* Records that the task has ended, or runs on. */
static void note_seen(const struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    struct mcti_task_state task;
    struct mct_error err;
    bool is_over = !o->is_state || mcti_task_read(o->result, &task, &err) < 0 || mcti_task_is_over(task.status);
    mcti_open_task_seen(r->peer->gateway, mcti_str_of(r->task->exposed), is_over);
}

/* Answers tasks/get. The state of a completed task was kept when the stages got its result. */
static void task_answer_state(struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    const struct mcti_gw_tasked *t = r->task;
    struct mct_error err;
    const struct mcti_json_set sets[] = { { "resultType", MCT_STR("\"complete\"") },
                                          { "taskId", mcti_str_of(t->exposed) },
                                          { "result", o->result } };
    if (!o->is_state && !t->state) {
        mcti_no_memory(&err);
        mcti_gw_fail(r, &err);
    } else if (o->is_state) {
        send_with(r, o->result, sets, 2);
    } else {
        send_with(r, mcti_str_of(t->state), sets, 3);
    }
}

static bool is_unknown(const struct mcti_outcome *o)
{
    int64_t code = 0;
    mcti_json_int(mcti_json_get(o->error, "code"), &code);
    return code == MCT_RPC_INVALID_PARAMS;
}

enum mcti_gw_step mcti_gw_task_answer(struct mcti_gw_request *r, const struct mcti_outcome *o)
{
    bool is_created = o->result.p && mcti_rev_is_stateless(o->rev) && mcti_result_is_task(o->result);
    if (!mcti_verb_is_task(r->verb)) {
        if (is_created)
            task_answer_created(r, o->result);
        return is_created ? TAKEN : GO_ON;
    }
    if (r->verb == MCT_VERB_TASKS_GET && o->result.p) {
        note_seen(r, o);
        task_answer_state(r, o);
    } else if (is_unknown(o)) {
        mcti_open_task_seen(r->peer->gateway, mcti_str_of(r->task->exposed), true);
        mcti_gw_fail_unknown_task(r);
    } else {
        return GO_ON;
    }
    return TAKEN;
}
