#include "hub/guard/gate.h"

#include "base/limits.h"
#include "base/rand.h"
#include "hub/core/registry.h"

#include <stdlib.h>

/* A call that waits until fewer run. */
struct mcti_turn {
    struct mcti_fair_item item;
    struct mcti_gate *guard;
    struct mcti_call *call;
    enum mcti_rev rev; /* of the server, as far as was known: the caller has prepared the call for its era */
    uint64_t since_ms;
    struct mcti_timer late;
    char texts[]; /* of the call */
};

static struct mcti_gate *gate_of(struct mcti_entrance *e)
{
    return MCT_CONTAINER(e, struct mcti_gate, base);
}

static unsigned gate_max_calls(const struct mcti_gate *g)
{
    return g->opts.max_calls ? g->opts.max_calls : MCT_LIMIT_SERVER_CALLS;
}

static unsigned gate_max_waiting(const struct mcti_gate *g)
{
    return g->opts.max_waiting ? g->opts.max_waiting : MCT_LIMIT_SERVER_QUEUE;
}

/* ---- waiting ---- */

static void turn_free(struct mcti_turn *t)
{
    if (t->item.lane)
        mcti_fair_remove(&t->guard->waiting, &t->item);
    mcti_timer_stop(t->guard->provider->sched, &t->late);
    free(t);
}

/* Takes the call out of the queue. Its texts stay valid until the turn is freed. */
static struct mcti_call *turn_end(struct mcti_turn *t)
{
    struct mcti_call *call = t->call;
    call->turn = NULL;
    call->entrance = NULL;
    call->waited_ms = (unsigned)(mcti_sched_now(t->guard->provider->sched) - t->since_ms);
    return call;
}

static void turn_fail(struct mcti_turn *t, const struct mct_error *why)
{
    struct mcti_call *call = turn_end(t);
    struct mct_error wrapped = *why;
    mcti_error_wrap(&wrapped, "server '%s'", t->guard->provider->name);
    turn_free(t);
    mcti_call_finish(call, &(struct mcti_outcome){ .failed = &wrapped, .rev = call->provider->info.rev });
}

static void turn_on_late(void *data)
{
    struct mcti_turn *t = data;
    struct mct_error err;
    uint64_t waited = mcti_sched_now(t->guard->provider->sched) - t->since_ms;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "waited %u.%u s for its turn: %zu calls run at the server, %zu wait",
              (unsigned)(waited / 1000), (unsigned)(waited % 1000 / 100), t->guard->n_running, t->guard->waiting.n);
    err.unsent = true;
    turn_fail(t, &err);
}

/* The principal, and within it the session or, without one, the client as it calls itself. */
static struct mcti_fair_key turn_key(struct mcti_call *call)
{
    const struct mcti_call *root = mcti_call_root(call);
    return (struct mcti_fair_key){ root->authority,
                                   root->session ? root->session : mcti_hash(1, root->caller.client_info) };
}

static int gate_fail_full(const struct mcti_gate *g, struct mct_error *err)
{
    mcti_fail(err, MCT_ERR_LIMIT,
              "too many calls: %zu run at the server, and %zu wait (limits.server_calls and "
              "limits.server_queue)",
              g->n_running, g->waiting.n);
    err->unsent = true;
    err->retry_after_ms = MCT_QUEUE_RETRY_MS;
    return -1;
}

/* Makes room in the full queue for a call of `key`, at the cost of somebody who has queued more. */
static int gate_make_room(struct mcti_gate *g, const struct mcti_fair_key *key, struct mct_error *err)
{
    if (g->waiting.n < gate_max_waiting(g))
        return 0;
    struct mcti_fair_item *loser = mcti_fair_loser(&g->waiting, key);
    g->n_refused++;
    gate_fail_full(g, err);
    if (!loser)
        return -1;
    turn_fail(MCT_CONTAINER(loser, struct mcti_turn, item), err);
    return 0;
}

static enum mcti_pass gate_queue(struct mcti_gate *g, struct mcti_call *call, struct mct_error *err)
{
    const struct mcti_fair_key key = turn_key(call);
    if (gate_make_room(g, &key, err) < 0)
        return MCT_ANSWER;
    struct mcti_turn *t = malloc(sizeof *t + mcti_call_texts_len(call));
    if (t)
        *t = (struct mcti_turn){ .guard = g, .call = call, .rev = call->provider->info.rev };
    if (!t || mcti_fair_push(&g->waiting, &t->item, &key) < 0) {
        free(t);
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    mcti_call_keep_texts(call, t->texts);
    mcti_timer_init(&t->late, turn_on_late, t);
    t->since_ms = mcti_sched_now(g->provider->sched);
    unsigned limit_ms = call->timeout_ms ? call->timeout_ms : *g->call_timeout_ms;
    if (limit_ms)
        mcti_timer_set(g->provider->sched, &t->late, limit_ms);
    call->turn = t;
    call->entrance = &g->base;
    g->n_waited++;
    return MCT_HOLD;
}

/* ---- going on ---- */

static void gate_count(struct mcti_gate *g, struct mcti_call *call)
{
    call->entrance = &g->base;
    call->is_paused = false;
    g->n_running++;
}

/* Sends the call, to the server that has replaced this one if it was removed meanwhile. */
static int gate_send(struct mcti_gate *g, struct mcti_turn *t, struct mcti_call *call, struct mct_error *err)
{
    struct mcti_provider *p = call->provider = mcti_registry_current(call->provider);
    if (t->rev && mcti_rev_is_stateless(t->rev) != mcti_rev_is_stateless(p->info.rev)) {
        mcti_fail(err, MCT_ERR_CONNECT, "it speaks another protocol revision than before; call it again");
        return mcti_error_wrap(err, "server '%s'", p->name);
    }
    if (p->entrance != &g->base)
        return mcti_call_send(call, err);
    gate_count(g, call);
    return mcti_call_deliver(call, err);
}

static void gate_on_next(void *data)
{
    struct mcti_gate *g = data;
    struct mct_error err;
    while (g->n_running < gate_max_calls(g)) {
        struct mcti_fair_item *item = mcti_fair_pop(&g->waiting);
        if (!item)
            return;
        struct mcti_turn *t = MCT_CONTAINER(item, struct mcti_turn, item);
        struct mcti_call *call = turn_end(t);
        int sent = gate_send(g, t, call, &err);
        turn_free(t);
        if (sent < 0)
            mcti_call_finish(call, &(struct mcti_outcome){ .failed = &err, .rev = call->provider->info.rev });
    }
}

static void gate_plan(struct mcti_gate *g)
{
    if (g->waiting.n && g->n_running < gate_max_calls(g))
        mcti_task_post(g->provider->sched, &g->next);
}

/* ---- the entrance ---- */

/* Returns whether the call that this one is made for runs here: it must not wait for itself. */
static bool gate_is_inside(const struct mcti_gate *g, const struct mcti_call *call)
{
    for (const struct mcti_call *outer = call->behalf; outer; outer = outer->behalf)
        if (outer->entrance == &g->base && !outer->turn)
            return true;
    return false;
}

static enum mcti_pass gate_enter(struct mcti_entrance *e, struct mcti_call *call, struct mct_error *err)
{
    struct mcti_gate *g = gate_of(e);
    bool is_free = g->n_running < gate_max_calls(g) && !g->waiting.n;
    call->waited_ms = 0;
    if (!is_free && !call->is_own && !gate_is_inside(g, call))
        return gate_queue(g, call, err);
    gate_count(g, call);
    return MCT_PASS;
}

static void gate_left(struct mcti_entrance *e, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_gate *g = gate_of(e);
    (void)o;
    g->n_running -= !call->is_paused;
    gate_plan(g);
}

static void gate_forget(struct mcti_entrance *e, struct mcti_call *call)
{
    struct mcti_turn *t = call->turn;
    (void)e;
    turn_end(t);
    turn_free(t);
}

static void gate_pause(struct mcti_entrance *e, struct mcti_call *call, bool pauses)
{
    struct mcti_gate *g = gate_of(e);
    if (call->is_paused == pauses || call->turn)
        return;
    call->is_paused = pauses;
    g->n_running += pauses ? -1 : 1;
    gate_plan(g);
}

static void gate_reset(struct mcti_entrance *e)
{
    gate_plan(gate_of(e));
}

static void gate_put_status(const struct mcti_entrance *e, struct mcti_buf *to)
{
    const struct mcti_gate *g = MCT_CONTAINER(e, const struct mcti_gate, base);
    if (!g->waiting.n)
        return;
    mcti_json_put_key(to, "waiting");
    mcti_buf_addu(to, g->waiting.n);
}

static const struct mcti_entrance_ops gate_ops = {
    .enter = gate_enter,
    .left = gate_left,
    .forget = gate_forget,
    .pause = gate_pause,
    .reset = gate_reset,
    .put_status = gate_put_status,
};

void mcti_gate_init(struct mcti_gate *g, struct mcti_provider *p, const unsigned *call_timeout_ms,
                    const struct mcti_gate_opts *opts)
{
    *g = (struct mcti_gate){ .base = { &gate_ops }, .provider = p, .opts = *opts, .call_timeout_ms = call_timeout_ms };
    mcti_fair_init(&g->waiting);
    mcti_task_init(&g->next, gate_on_next, g);
    p->entrance = &g->base;
}

void mcti_gate_done(struct mcti_gate *g)
{
    mcti_task_stop(&g->next);
    mcti_fair_done(&g->waiting);
}

void mcti_gate_set(struct mcti_gate *g, const struct mcti_gate_opts *opts)
{
    g->opts = *opts;
    gate_plan(g);
}

const struct mcti_gate *mcti_gate_of(const struct mcti_provider *p)
{
    return p->entrance && p->entrance->ops == &gate_ops ? MCT_CONTAINER(p->entrance, const struct mcti_gate, base)
                                                        : NULL;
}

void mcti_gate_fail_all(struct mcti_gate *g, const struct mct_error *why)
{
    struct mcti_fair_item *item;
    while ((item = mcti_fair_pop(&g->waiting)))
        turn_fail(MCT_CONTAINER(item, struct mcti_turn, item), why);
}
