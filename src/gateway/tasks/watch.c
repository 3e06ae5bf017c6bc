#include "gateway/tasks.h"

#include "gateway/listen.h"
#include "gateway/tasks/impl.h"

#include "base/limits.h"

#include <stdlib.h>

struct watched {
    struct mcti_list node; /* in watch->tasks */
    struct mcti_gw_watch *watch;
    unsigned number; /* id of the requests about it */
    bool is_own;
    char *id;    /* a JSON string */
    char *state; /* read last, until it is told; NULL: none */
    uint64_t seen;
    unsigned pause_ms;
    struct mcti_timer poll;
    struct mcti_task tell;
};

struct mcti_gw_watch {
    struct mcti_gw_request *request;
    struct mcti_list tasks;
    unsigned n;
    struct mcti_peer *inner; /* reads tasks of servers; NULL: it ends */
};

static struct watched *watched_of(struct mcti_list *node)
{
    return MCT_CONTAINER(node, struct watched, node);
}

static struct mcti_sched *watch_sched(const struct watched *w)
{
    return w->watch->request->peer->gateway->sched;
}

static void watched_free(struct watched *w)
{
    mcti_list_remove(&w->node);
    mcti_timer_stop(watch_sched(w), &w->poll);
    mcti_task_stop(&w->tell);
    free(w->id);
    free(w->state);
    free(w);
}

void mcti_gw_watch_free(struct mcti_gw_watch *w)
{
    if (!w)
        return;
    struct mcti_peer *inner = w->inner;
    w->inner = NULL; /* it is told nothing more */
    mcti_peer_free(inner);
    while (!mcti_list_empty(&w->tasks))
        watched_free(watched_of(w->tasks.next));
    free(w);
}

/* ---- telling ---- */

/* Sends the state, without what makes it a result. */
static void watched_send(struct mcti_gw_request *r, struct mcti_str state)
{
    const struct mcti_json_set kind = { "resultType", MCT_STR_NONE };
    struct mcti_buf b;
    mcti_buf_init(&b, state.len + 64);
    mcti_json_put_object(&b, state, &kind, 1);
    if (mcti_buf_ok(&b))
        mcti_gw_tell_listener(r, "notifications/tasks", mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Tells what was read, if it has changed, and plans the next read. `w` may be gone afterwards. */
static void watched_on_tell(void *data)
{
    struct watched *w = data;
    struct mcti_gw_request *r = w->watch->request;
    struct mcti_task_state t;
    struct mct_error err;
    char *state = w->state;
    w->state = NULL;
    if (mcti_task_read(mcti_str_of(state), &t, &err) < 0) {
        watched_free(w);
        free(state);
        return;
    }
    uint64_t seen = mcti_hash(mcti_hash(mcti_hash((uint64_t)t.status, t.updated), t.message), t.questions);
    bool is_news = seen != w->seen && (w->seen || t.status != MCT_TASK_WORKING);
    w->seen = seen;
    w->pause_ms = mcti_task_pause_ms(&t, w->pause_ms);
    if (mcti_task_is_over(t.status))
        watched_free(w);
    else
        mcti_timer_set(watch_sched(w), &w->poll, w->pause_ms);
    if (is_news)
        watched_send(r, mcti_str_of(state));
    free(state);
}

/* Tells the state of a task of the gateway's own. */
static void watched_tell_own(struct mcti_gw_request *r, const struct mcti_own_task *t)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MCT_LIMIT_MESSAGE_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_own_put_state(&b, t, true);
    mcti_buf_addc(&b, '}');
    if (mcti_buf_ok(&b))
        watched_send(r, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static bool tasks_watch_has(const struct mcti_gw_watch *w, const char *id)
{
    MCT_LIST_EACH(it, &w->tasks)
        if (watched_of(it)->is_own && !strcmp(watched_of(it)->id, id))
            return true;
    return false;
}

void mcti_watch_tell_own(struct mcti_own_task *t)
{
    struct mcti_view *v;
    MCT_LIST_EACH(it, &t->gateway->peers)
        MCT_LIST_EACH(at, &MCT_CONTAINER(it, struct mcti_peer, node)->listens) {
            struct mcti_gw_request *r = MCT_CONTAINER(at, struct mcti_gw_request, listen);
            if (r->watch && tasks_watch_has(r->watch, t->id) && mcti_gw_task_tool(r, t->server, t->tool, &v))
                watched_tell_own(r, t);
        }
}

/* ---- reading ---- */

/* An answer is told in a turn of its own, because that may end the subscription. A task that cannot be read any more is
 * forgotten; one that cannot be read now is read again. */
static int watch_on_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    struct mcti_gw_watch *watch = data;
    struct mcti_msg msg;
    struct mct_error err;
    uint64_t number = 0;
    (void)lane;
    (void) final;
    if (!watch->inner || mcti_msg_parse(frame, &msg, &err) < 0)
        return 0;
    mcti_json_uint(msg.id, &number);
    MCT_LIST_EACH(it, &watch->tasks) {
        struct watched *w = watched_of(it);
        if (w->number != number)
            continue;
        if (msg.kind == MCT_MSG_ERROR)
            mcti_msg_read_error(msg.error, &err);
        if (msg.kind == MCT_MSG_RESULT && (w->state = mcti_str_dup(msg.result)) != NULL)
            mcti_task_post(watch_sched(w), &w->tell);
        else if (msg.kind == MCT_MSG_ERROR && err.code == MCT_RPC_INVALID_PARAMS)
            watched_free(w);
        else
            mcti_timer_set(watch_sched(w), &w->poll,
                           w->pause_ms = mcti_task_pause_ms(&(struct mcti_task_state){ 0 }, w->pause_ms));
        break;
    }
    return 0;
}

static struct mcti_principal *watch_on_principal(void *data, void *lane)
{
    (void)lane;
    return ((struct mcti_gw_watch *)data)->request->principal;
}

static const struct mcti_peer_ops watch_peer_ops = { .send = watch_on_send, .principal = watch_on_principal };

static void watched_on_poll(void *data)
{
    struct watched *w = data;
    struct mcti_buf b;
    mcti_buf_init(&b, strlen(w->id) + 512);
    mcti_buf_printf(&b,
                    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tasks/get\",\"params\":{\"taskId\":%s,\"_meta\":{"
                    "\"" MCT_META_VERSION "\":\"%s\",\"" MCT_META_CAPABILITIES "\":",
                    w->number, w->id, mcti_rev_text(MCT_REV_LATEST));
    mcti_tasks_declare(&b, MCT_STR_NONE);
    mcti_buf_addz(&b, "}}}");
    if (mcti_buf_ok(&b))
        mcti_peer_receive(w->watch->inner, mcti_buf_str(&b), NULL, NULL);
    mcti_buf_done(&b);
}

void mcti_gw_watch_start(struct mcti_gw_watch *watch)
{
    if (!watch)
        return;
    struct mcti_gw_request *r = watch->request;
    MCT_LIST_EACH(it, &watch->tasks) {
        struct watched *w = watched_of(it);
        struct mcti_str id = { w->id + 1, strlen(w->id) - 2 };
        const struct mcti_own_task *t = w->is_own ? mcti_own_task_find(r, id) : NULL;
        if (!w->is_own)
            mcti_timer_set(watch_sched(w), &w->poll, 0);
        else if (t && t->status != MCT_TASK_WORKING)
            watched_tell_own(r, t);
    }
}

/* ---- taking ---- */

/* Returns whether the client has the task. */
static bool watch_may(struct mcti_gw_request *r, struct mcti_str id, bool *ret_is_own)
{
    struct mcti_task_id of;
    struct mcti_view *v;
    *ret_is_own = mcti_str_starts(id, MCT_STR(MCT_OWN_TASK_PREFIX));
    if (*ret_is_own)
        return mcti_own_task_find(r, id);
    if (mcti_gw_task_read_id(r, id, &of) < 0)
        return false;
    bool may = mcti_gw_task_tool(r, of.server, of.tool, &v);
    mcti_task_id_done(&of);
    return may;
}

static struct mcti_gw_watch *tasks_watch_new(struct mcti_gw_request *r)
{
    struct mcti_gw_watch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct mcti_gw_watch){ .request = r };
    mcti_list_init(&w->tasks);
    w->inner = mcti_peer_new(r->peer->gateway, r->peer->endpoint, &watch_peer_ops, w);
    if (!w->inner) {
        free(w);
        return NULL;
    }
    w->inner->is_inner = true;
    w->inner->prefs = *mcti_gw_prefs(r->peer, r->in.lane);
    return w;
}

static void watch_add(struct mcti_gw_request *r, struct mcti_str id, bool is_own)
{
    if (!r->watch)
        r->watch = tasks_watch_new(r);
    struct watched *w = r->watch ? calloc(1, sizeof *w) : NULL;
    if (!w)
        return;
    *w = (struct watched){ .watch = r->watch, .number = ++r->watch->n, .is_own = is_own, .id = mcti_str_dup(id) };
    mcti_timer_init(&w->poll, watched_on_poll, w);
    mcti_task_init(&w->tell, watched_on_tell, w);
    mcti_list_append(&r->watch->tasks, &w->node);
    if (!w->id)
        watched_free(w);
}

void mcti_gw_watch_take(struct mcti_gw_request *r, struct mcti_str ids)
{
    struct mcti_str one, id;
    bool is_own;
    size_t n = 0;
    if (mcti_json_type(ids) != '[')
        return;
    for (struct mcti_json_iter it = mcti_json_open(ids);
         n++ < MCT_LIMIT_PRINCIPAL_TASKS && mcti_json_next_item(&it, &one);)
        if (mcti_json_plain(one, &id) && watch_may(r, id, &is_own))
            watch_add(r, one, is_own);
}

void mcti_gw_watch_put(struct mcti_buf *to, const struct mcti_gw_watch *w)
{
    if (!w || mcti_list_empty(&w->tasks))
        return;
    mcti_json_put_key(to, "taskIds");
    MCT_LIST_EACH(it, &w->tasks)
        mcti_buf_printf(to, "%s%s", it == w->tasks.next ? "[" : ",", watched_of(it)->id);
    mcti_buf_addc(to, ']');
}
