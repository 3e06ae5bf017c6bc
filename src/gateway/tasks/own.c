/* Tasks of the gateway's own: their life, and the client inside of the gateway that makes the call. */
#include "gateway/tasks/impl.h"
#include "gateway/tasks/open.h"

#include "gateway/answer.h"
#include "gateway/call.h"

#include "base/limits.h"
#include "base/rand.h"

#include <stdlib.h>
#include <time.h>

enum { ID_INITIALIZE, ID_CALL };

static struct mcti_own_task *own_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct mcti_own_task, node);
}

static uint64_t own_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- end ---- */

/* Frees the inner client, which cancels its call. */
static void own_task_close(void *data)
{
    struct mcti_own_task *t = data;
    struct mcti_peer *inner = t->inner;
    mcti_task_stop(&t->close);
    t->inner = NULL;
    mcti_peer_free(inner);
    mcti_own_asks_drop(t);
}

static void own_task_free(struct mcti_own_task *t)
{
    own_task_close(t);
    mcti_list_remove(&t->node);
    while (!mcti_list_empty(&t->waits)) {
        struct mcti_gw_tasked *w = MCT_CONTAINER(t->waits.next, struct mcti_gw_tasked, wait);
        mcti_list_remove(&w->wait);
        w->task = NULL;
        mcti_gw_fail_unknown_task(w->request);
    }
    mcti_timer_stop(t->gateway->sched, &t->expiry);
    mcti_account_put(&t->principal->account, MCT_HELD_PARKED, &t->held, 0);
    free(t->server);
    free(t->tool);
    free(t->token);
    free(t->message);
    free(t->outcome);
    free(t);
}

static void own_task_on_expired(void *data)
{
    own_task_free(data);
}

void mcti_gateway_end_tasks(struct mcti_gateway *g, const struct mcti_view *endpoint, const struct mcti_principal *who)
{
    MCT_LIST_EACH(it, &g->own_tasks)
        if ((!endpoint || own_of(it)->endpoint == endpoint) && (!who || own_of(it)->principal == who))
            own_task_free(own_of(it));
}

size_t mcti_gateway_count_tasks(const struct mcti_gateway *g, const char *server)
{
    size_t n = mcti_open_tasks_count(g, server);
    MCT_LIST_EACH(it, &g->own_tasks)
        n += own_of(it)->inner && !strcmp(own_of(it)->server, server);
    return n;
}

bool mcti_gateway_has_tasks(const struct mcti_gateway *g, const struct mcti_view *endpoint)
{
    MCT_LIST_EACH(it, &g->own_tasks)
        if (own_of(it)->inner && own_of(it)->endpoint == endpoint)
            return true;
    return false;
}

void mcti_gw_own_tasks_left(struct mcti_peer *p)
{
    MCT_LIST_EACH(it, &p->gateway->own_tasks)
        if (own_of(it)->client == p)
            own_of(it)->client = NULL;
}

struct mcti_peer *mcti_gw_session_of(struct mcti_peer *p)
{
    return p->of_task ? p->of_task->client : p;
}

/* ---- states ---- */

enum mcti_task_status mcti_own_task_status_2025(const struct mcti_own_task *t)
{
    return t->status == MCT_TASK_COMPLETED && t->is_tool_error ? MCT_TASK_FAILED : t->status;
}

/* Tells the session that asked for the task (2025-11-25 "Tasks", status notifications). */
static void own_task_tell(const struct mcti_own_task *t)
{
    struct mcti_buf b;
    if (!t->client || !mcti_gw_is_ready(t->client))
        return;
    mcti_buf_init(&b, MCT_LIMIT_TASK_MESSAGE_BYTES + 1024);
    mcti_own_put_2025(&b, t);
    if (mcti_buf_ok(&b))
        mcti_session_notify(&t->client->session, "notifications/tasks/status", mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
}

void mcti_own_task_set(struct mcti_own_task *t, enum mcti_task_status status)
{
    if (t->status == status || mcti_task_is_over(t->status))
        return;
    t->status = status;
    t->updated_ms = own_wall_ms();
    own_task_tell(t);
    mcti_watch_tell_own(t);
}

/* Answers those who wait for the result. */
static void own_task_settle(struct mcti_own_task *t, enum mcti_task_status status)
{
    mcti_own_task_set(t, status);
    mcti_task_post(t->gateway->sched, &t->close);
    while (!mcti_list_empty(&t->waits)) {
        struct mcti_gw_tasked *w = MCT_CONTAINER(t->waits.next, struct mcti_gw_tasked, wait);
        mcti_list_remove(&w->wait);
        w->task = NULL;
        mcti_own_task_send_result(t, w->request);
    }
}

void mcti_own_task_cancel(struct mcti_own_task *t)
{
    own_task_settle(t, MCT_TASK_CANCELLED);
}

/* Ends a task whose call cannot be made, or gets no answer, because there is no memory. */
static void own_task_give_up(struct mcti_own_task *t)
{
    t->is_error |= !mcti_task_is_over(t->status);
    if (!mcti_task_is_over(t->status))
        own_task_settle(t, MCT_TASK_FAILED);
}

/* Keeps the outcome of the call, if the client's account has room for it. */
static void own_task_finish(struct mcti_own_task *t, const struct mcti_msg *msg)
{
    struct mcti_str value = msg->result.p ? msg->result : msg->error;
    t->is_error = !msg->result.p;
    if (mcti_account_set(&t->principal->account, MCT_HELD_PARKED, &t->held, value.len)) {
        t->is_error = true;
        value = MCT_STR("{\"code\":-32603,\"message\":\"the result of the task is too large to keep; see "
                        "limits.memory_bytes\"}");
    }
    t->outcome = mcti_str_dup(value);
    t->is_error |= !t->outcome;
    t->is_tool_error = !t->is_error && mcti_json_true(mcti_json_get(value, "isError"));
    own_task_settle(t, t->is_error ? MCT_TASK_FAILED : MCT_TASK_COMPLETED);
}

/* ---- what the inner client receives ---- */

/* Passes progress on to the session under its own token, and keeps what the server says. */
static void own_task_progress(struct mcti_own_task *t, struct mcti_str params)
{
    struct mcti_str message = mcti_json_get(params, "message");
    if (mcti_json_type(message) == '"' && message.len <= MCT_LIMIT_TASK_MESSAGE_BYTES) {
        free(t->message);
        t->message = mcti_str_dup(message);
        t->updated_ms = own_wall_ms();
        mcti_watch_tell_own(t);
    }
    if (t->client && t->token && mcti_gw_is_ready(t->client)) {
        const struct mcti_json_set token = { "progressToken", mcti_str_of(t->token) };
        struct mcti_buf b;
        mcti_buf_init(&b, params.len + MCT_LIMIT_ID_BYTES + 64);
        mcti_json_put_object(&b, params, &token, 1);
        if (mcti_buf_ok(&b))
            mcti_session_notify(&t->client->session, "notifications/progress", mcti_buf_str(&b), NULL);
        mcti_buf_done(&b);
    }
}

static int own_task_on_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    struct mcti_own_task *t = data;
    struct mcti_msg msg;
    struct mct_error err;
    uint64_t id = ID_INITIALIZE;
    (void)lane;
    (void) final;
    if (!t->inner || mcti_task_is_over(t->status) || mcti_msg_parse(frame, &msg, &err) < 0)
        return 0;
    mcti_json_uint(msg.id, &id);
    if (msg.kind == MCT_MSG_REQUEST)
        return mcti_own_ask_new(t, &msg);
    if (msg.kind == MCT_MSG_NOTIFICATION && mcti_str_is(msg.method, "notifications/progress"))
        own_task_progress(t, msg.params);
    else if (msg.kind == MCT_MSG_NOTIFICATION && mcti_str_is(msg.method, "notifications/cancelled"))
        mcti_own_ask_withdraw(t, mcti_json_get(msg.params, "requestId"));
    else if (msg.kind == MCT_MSG_ERROR || (msg.kind == MCT_MSG_RESULT && id == ID_CALL))
        own_task_finish(t, &msg);
    return 0;
}

static void own_task_on_lane_done(void *data, void *lane, bool lost)
{
    struct mcti_own_task *t = data;
    (void)lane;
    if (lost && t->inner)
        own_task_give_up(t);
}

static struct mcti_principal *own_task_on_principal(void *data, void *lane)
{
    (void)lane;
    return ((struct mcti_own_task *)data)->principal;
}

static const struct mcti_peer_ops own_task_peer_ops = { .send = own_task_on_send,
                                                        .lane_done = own_task_on_lane_done,
                                                        .principal = own_task_on_principal };

/* ---- beginning ---- */

static void own_task_say(struct mcti_own_task *t, struct mcti_buf *take_frame)
{
    if (t->inner && mcti_buf_ok(take_frame))
        mcti_peer_receive(t->inner, mcti_buf_str(take_frame), NULL, NULL);
    else
        own_task_give_up(t);
    mcti_buf_done(take_frame);
}

/* Lets the inner client initialize with what the client of the request declares. */
static void own_task_greet(struct mcti_own_task *t, const struct mcti_gw_request *r, const struct mcti_msg_meta *meta)
{
    bool stateless = mcti_rev_is_stateless(r->rev);
    struct mcti_str capabilities = stateless ? meta->capabilities : mcti_str_of(r->peer->capabilities);
    struct mcti_str info = stateless ? meta->client_info : mcti_str_of(r->peer->client_info);
    struct mcti_buf b;
    mcti_buf_init(&b, capabilities.len + info.len + MCT_LIMIT_CLIENT_NAME_BYTES * 6 + 256);
    mcti_buf_printf(&b,
                    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"",
                    ID_INITIALIZE, mcti_rev_text(MCT_REV_2025_11_25));
    mcti_json_put_raw(&b, "capabilities", capabilities.p ? capabilities : MCT_STR("{}"));
    if (info.p) {
        mcti_json_put_raw(&b, "clientInfo", info);
    } else {
        mcti_json_put_key(&b, "clientInfo");
        mcti_buf_addc(&b, '{');
        mcti_json_put_member(&b, "name", mcti_str_of(r->peer->client));
        mcti_buf_addc(&b, '}');
    }
    mcti_buf_addz(&b, "}}");
    own_task_say(t, &b);
    mcti_buf_init(&b, 128);
    mcti_buf_addz(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    own_task_say(t, &b);
}

/* Lets the inner client make the call, with what is in `_meta` for the server. */
static void own_task_call(struct mcti_own_task *t, const struct mcti_msg *msg, const struct mcti_msg_meta *meta)
{
    const struct mcti_json_set marks[] = { { "progressToken", MCT_STR("1") },
                                           { MCT_META_VERSION, MCT_STR_NONE },
                                           { MCT_META_CAPABILITIES, MCT_STR_NONE },
                                           { MCT_META_CLIENT_INFO, MCT_STR_NONE },
                                           { MCT_META_LOG_LEVEL, MCT_STR_NONE } };
    struct mcti_buf b, own;
    mcti_buf_init(&own, meta->meta.len + 64);
    mcti_buf_init(&b, 2 * msg->params.len + 512);
    mcti_json_put_object(&own, meta->meta, marks, sizeof marks / sizeof *marks);
    const struct mcti_json_set sets[] = { { "_meta", mcti_buf_str(&own) }, { MCT_TASK_PARAM, MCT_STR_NONE } };
    mcti_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":", ID_CALL);
    mcti_json_put_object(&b, msg->params, sets, 2);
    mcti_buf_addc(&b, '}');
    b.failed |= !mcti_buf_ok(&own);
    mcti_buf_done(&own);
    own_task_say(t, &b);
}

/* Makes room for one more task of the principal: the oldest one that has ended goes. */
static int own_task_limit(struct mcti_gateway *g, const struct mcti_principal *who, struct mct_error *err)
{
    struct mcti_own_task *ended = NULL;
    size_t n = 0, n_all = 0;
    MCT_LIST_EACH(it, &g->own_tasks) {
        n_all++;
        n += own_of(it)->principal == who;
        if (!ended && own_of(it)->principal == who && mcti_task_is_over(own_of(it)->status) && !own_of(it)->inner)
            ended = own_of(it);
    }
    if (n < MCT_LIMIT_PRINCIPAL_TASKS && n_all < MCT_LIMIT_OWN_TASKS)
        return 0;
    if (!ended)
        return mcti_fail(err, MCT_ERR_LIMIT, "too many tasks run (limit %d)", MCT_LIMIT_PRINCIPAL_TASKS);
    own_task_free(ended);
    return 0;
}

static uint64_t own_task_ttl_ms(struct mcti_str params)
{
    uint64_t ms = MCT_OWN_TASK_MS;
    mcti_json_uint(mcti_json_get(mcti_json_get(params, MCT_TASK_PARAM), "ttl"), &ms);
    return ms < MCT_OWN_TASK_MIN_MS ? MCT_OWN_TASK_MIN_MS : ms > MCT_OWN_TASK_MS ? MCT_OWN_TASK_MS : ms;
}

/* Creates the task; nothing runs yet. Returns NULL and sets *err if that is impossible. */
static struct mcti_own_task *own_task_new(struct mcti_gw_request *r, const struct mcti_exposure *tool, uint64_t ttl_ms,
                                          struct mct_error *err)
{
    struct mcti_gateway *g = r->peer->gateway;
    char random[33];
    struct mcti_own_task *t = own_task_limit(g, r->principal, err) == 0 ? calloc(1, sizeof *t) : NULL;
    if (!t) {
        if (!err->kind)
            mcti_no_memory(err);
        return NULL;
    }
    bool has_session = !mcti_rev_is_stateless(r->rev);
    *t = (struct mcti_own_task){ .gateway = g,
                                 .endpoint = r->peer->endpoint,
                                 .principal = r->principal,
                                 .prefs = *mcti_gw_prefs(r->peer, r->in.lane),
                                 .client = has_session ? r->peer : NULL,
                                 .created_ms = own_wall_ms(),
                                 .ttl_ms = ttl_ms };
    t->updated_ms = t->created_ms;
    mcti_random_id(random);
    snprintf(t->id, sizeof t->id, "\"" MCT_OWN_TASK_PREFIX "%s\"", random);
    mcti_list_init(&t->asks);
    mcti_list_init(&t->waits);
    mcti_timer_init(&t->expiry, own_task_on_expired, t);
    mcti_task_init(&t->close, own_task_close, t);
    mcti_list_append(&g->own_tasks, &t->node);
    mcti_timer_set(g->sched, &t->expiry, ttl_ms);
    t->server = strdup(tool->provider->name);
    t->tool = mcti_str_dup(mcti_item_id(tool->item));
    t->token = has_session && r->in.progress_token ? strndup(r->in.progress_token, r->in.progress_token_len) : NULL;
    t->inner = mcti_peer_new(g, r->peer->endpoint, &own_task_peer_ops, t);
    if (!t->server || !t->tool || !t->inner) {
        own_task_free(t);
        mcti_no_memory(err);
        return NULL;
    }
    t->inner->is_inner = true;
    t->inner->of_task = t;
    t->inner->prefs = t->prefs;
    t->inner->number = has_session ? r->peer->number : 0;
    t->inner->call_timeout_ms = (unsigned)ttl_ms;
    return t;
}

static void own_task_send_created(struct mcti_gw_request *r, const struct mcti_own_task *t)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_TASK_MESSAGE_BYTES + 4096);
    if (mcti_rev_is_stateless(r->rev)) {
        mcti_buf_addz(&b, "{\"resultType\":\"task\"");
        mcti_own_put_state(&b, t, false);
    } else {
        mcti_buf_addz(&b, "{\"task\":");
        mcti_own_put_2025(&b, t);
    }
    mcti_buf_addc(&b, '}');
    mcti_gw_send_result(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* The client learns of the task before anything is said about it. */
static void own_task_start(struct mcti_gw_request *r, const struct mcti_exposure *tool, const struct mcti_msg *msg,
                           const struct mcti_msg_meta *meta)
{
    struct mct_error err = { 0 };
    struct mcti_own_task *t = own_task_new(r, tool, own_task_ttl_ms(msg->params), &err);
    char *copy = t ? mcti_str_dup(msg->text) : NULL; /* the answer frees the request */
    if (!copy) {
        if (t)
            own_task_free(t);
        if (!err.kind)
            mcti_no_memory(&err);
        mcti_gw_fail(r, &err);
        return;
    }
    own_task_greet(t, r, meta);
    own_task_send_created(r, t);
    struct mcti_msg again;
    struct mcti_msg_meta own;
    if (mcti_msg_parse(mcti_str_of(copy), &again, &err) == 0 && mcti_msg_read_meta(&again, &own, &err) == 0)
        own_task_call(t, &again, &own);
    free(copy);
}

/* Returns whether a call of the tool becomes a task of the gateway's for every client that follows tasks of the
 * extension: a tool of the program itself, or one that needs a task of 2025-11-25. */
static bool own_task_must_be(const struct mcti_view *v, const struct mcti_exposure *tool)
{
    const struct mcti_provider *p = mcti_view_source(v, tool->provider);
    return (p->tasks_here && tool->item->takes_task) ||
           (tool->item->needs_task && mcti_provider_takes_task(p, tool->item));
}

/* Returns whether the view may have such a tool. */
static bool own_task_can_be(const struct mcti_view *v)
{
    for (size_t i = 0; i < mcti_view_n_providers(v); i++) {
        const struct mcti_provider *p = mcti_view_source(v, mcti_view_provider(v, i));
        if (p->tasks_here || p->info.tasks_2025)
            return true;
    }
    return false;
}

/* Refuses a 2026-07-28 client that does not follow tasks, if a tool of the program needs that. */
static enum mcti_gw_step own_task_refuse(struct mcti_gw_request *r, const struct mcti_exposure *tool,
                                         const struct mcti_msg_meta *meta)
{
    struct mcti_buf data;
    struct mct_error err;
    if (!tool->provider->tasks_here || !tool->item->needs_task)
        return GO_ON;
    mcti_buf_init(&data, 1024);
    mcti_gw_needs_tasks(tool->name, meta, &data, &err);
    mcti_gw_refuse(r, &err, mcti_buf_str(&data));
    mcti_buf_done(&data);
    return TAKEN;
}

enum mcti_gw_step mcti_gw_own_task_begin(struct mcti_gw_request *r, const struct mcti_msg *msg,
                                         const struct mcti_msg_meta *meta)
{
    bool asks = r->rev == MCT_REV_2025_11_25 && mcti_json_type(mcti_msg_get(msg, MCT_TASK_PARAM)) == '{';
    struct mcti_buf scratch;
    struct mcti_str name;
    struct mct_error err;
    bool may_be = asks ? mcti_gw_offers_tasks_2025(r->peer->view)
                       : mcti_rev_is_stateless(r->rev) && own_task_can_be(r->peer->view);
    if (r->verb != MCT_VERB_TOOLS_CALL || r->peer->of_task || !may_be)
        return GO_ON;
    mcti_buf_init(&scratch, MCT_LIMIT_NAME_BYTES);
    const struct mcti_exposure *tool = NULL;
    if (mcti_gw_text_param(msg, "name", MCT_LIMIT_NAME_BYTES, &scratch, &name, &err) == 0)
        tool = mcti_view_named(r->peer->view, MCT_TOOL, name, &err);
    mcti_buf_done(&scratch);
    if (!tool || (!asks && !own_task_must_be(r->peer->view, tool)))
        return GO_ON;
    if (!asks && !mcti_tasks_declared(meta->capabilities))
        return own_task_refuse(r, tool, meta);
    if (asks && !mcti_provider_may_make_task(mcti_view_source(r->peer->view, tool->provider), tool->item)) {
        mcti_fail(&err, MCT_ERR_UNSUPPORTED, "tool '%.*s' does not support tasks", MCT_STR_ARG(tool->name));
        mcti_gw_fail(r, &err);
        return TAKEN;
    }
    own_task_start(r, tool, msg, meta);
    return TAKEN;
}

/* ---- finding ---- */

bool mcti_own_task_is_of(const struct mcti_own_task *t, const struct mcti_gw_request *r)
{
    return t->principal->authority == r->principal->authority;
}

struct mcti_own_task *mcti_own_task_find(struct mcti_gw_request *r, struct mcti_str id)
{
    struct mcti_view *v;
    MCT_LIST_EACH(it, &r->peer->gateway->own_tasks) {
        struct mcti_own_task *t = own_of(it);
        struct mcti_str own = { t->id + 1, strlen(t->id) - 2 };
        if (mcti_str_eq(own, id))
            return mcti_own_task_is_of(t, r) && mcti_gw_task_tool(r, t->server, t->tool, &v) ? t : NULL;
    }
    return NULL;
}
