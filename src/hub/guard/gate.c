#include "hub/guard/gate.h"

#include "base/limits.h"
#include "base/rand.h"
#include "hub/core/registry.h"

#include <stdio.h>
#include <stdlib.h>

enum { A_RETRY = 10 /* calls */ };

/* A call that waits until fewer run. */
struct mcti_turn {
    struct mcti_fair_item item;
    struct mcti_gate *gate;
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

static uint64_t gate_now(const struct mcti_gate *g)
{
    return mcti_sched_now(g->provider->sched);
}

/* Returns whether another call may run now. */
static bool gate_has_room(const struct mcti_gate *g)
{
    return !g->held_until_ms && g->n_running < (g->careful ? g->careful : gate_max_calls(g));
}

/* Lets more calls run at a time after an overload, until there is no reason for care. */
static void gate_trust(struct mcti_gate *g, unsigned careful)
{
    g->careful = careful >= gate_max_calls(g) ? 0 : careful;
}

/* ---- waiting ---- */

static void turn_free(struct mcti_turn *t)
{
    if (t->item.lane)
        mcti_fair_remove(&t->gate->waiting, &t->item);
    mcti_timer_stop(t->gate->provider->sched, &t->late);
    free(t);
}

/* Takes the call out of the queue. Its texts stay valid until the turn is freed. */
static struct mcti_call *turn_end(struct mcti_turn *t)
{
    struct mcti_call *call = t->call;
    call->turn = NULL;
    call->entrance = NULL;
    call->waited_ms = (unsigned)(gate_now(t->gate) - t->since_ms);
    return call;
}

static void turn_fail(struct mcti_turn *t, const struct mct_error *why)
{
    struct mcti_call *call = turn_end(t);
    struct mct_error wrapped = *why;
    mcti_error_wrap(&wrapped, "server '%s'", t->gate->provider->name);
    turn_free(t);
    mcti_call_finish(call, &(struct mcti_outcome){ .failed = &wrapped, .rev = call->provider->info.rev });
}

static void turn_on_late(void *data)
{
    struct mcti_turn *t = data;
    struct mct_error err;
    uint64_t waited = gate_now(t->gate) - t->since_ms;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "waited %u.%u s for its turn: %zu calls run at the server, %zu wait",
              (unsigned)(waited / 1000), (unsigned)(waited % 1000 / 100), t->gate->n_running, t->gate->waiting.n);
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
    err->code = MCT_RPC_BUSY;
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
        *t = (struct mcti_turn){ .gate = g, .call = call, .rev = call->provider->info.rev };
    if (!t || mcti_fair_push(&g->waiting, &t->item, &key) < 0) {
        free(t);
        mcti_no_memory(err);
        return MCT_ANSWER;
    }
    mcti_call_keep_texts(call, t->texts);
    mcti_timer_init(&t->late, turn_on_late, t);
    t->since_ms = gate_now(g);
    unsigned limit_ms = call->timeout_ms ? call->timeout_ms : *g->call_timeout_ms;
    if (limit_ms)
        mcti_timer_set(g->provider->sched, &t->late, limit_ms);
    call->turn = t;
    call->entrance = &g->base;
    g->n_waited++;
    return MCT_HOLD;
}

/* ---- the health of the server ---- */

static void gate_tell(struct mcti_gate *g, enum mcti_breaker_turn turn)
{
    const struct mcti_breaker *b = &g->breaker;
    struct mcti_provider *p = g->provider;
    if (turn == MCT_BREAKER_CLOSED) {
        mcti_log(p->log, MCT_LOG_INFO, "server '%s': answers calls again", p->name);
        mcti_provider_note(p, "it answers calls again");
    } else if (turn == MCT_BREAKER_OPENED) {
        unsigned pause_ms = (unsigned)(b->until_ms - gate_now(g));
        mcti_log(p->log, MCT_LOG_WARN, "server '%s': failed %u of the last %u calls (last: %s); no calls for %u.%u s",
                 p->name, b->told_failed, b->told_n, b->last, pause_ms / 1000, pause_ms % 1000 / 100);
        mcti_provider_note(p, "failed %u of the last %u calls; no calls for %u.%u s", b->told_failed, b->told_n,
                           pause_ms / 1000, pause_ms % 1000 / 100);
    }
}

/* Returns whether a failure says something about the server rather than about the call. A time-out does not: the tool
 * may be slow. */
static bool gate_blames(const struct mct_error *e)
{
    return (e->kind == MCT_ERR_CONNECT || e->kind == MCT_ERR_PROTOCOL) && (!e->http_status || e->http_status >= 500);
}

/* Returns the message without the name of the server in front. */
static const char *gate_reason(const struct mcti_gate *g, const struct mct_error *e)
{
    char prefix[96];
    int n = snprintf(prefix, sizeof prefix, "server '%s': ", g->provider->name);
    return n > 0 && (size_t)n < sizeof prefix && !strncmp(e->message, prefix, (size_t)n) ? e->message + n : e->message;
}

static void gate_judge(struct mcti_gate *g, const struct mcti_call *call, const struct mcti_outcome *o)
{
    const struct mct_error *e = o ? o->failed : NULL;
    uint64_t now = gate_now(g);
    if (o && !e && g->careful && !g->held_until_ms)
        gate_trust(g, g->careful + 1);
    if (o && !e)
        gate_tell(g, mcti_breaker_answered(&g->breaker, now));
    else if (e && gate_blames(e))
        gate_tell(g, mcti_breaker_failed(&g->breaker, &g->opts.breaker, call, 1, gate_reason(g, e), now));
    else
        mcti_breaker_ended(&g->breaker, call, e && e->kind == MCT_ERR_TIMEOUT, now);
}

void mcti_gate_pinged(struct mcti_gate *g, const struct mct_error *err)
{
    enum { WEIGHT = 2 }; /* it has neither answered a call in its time limit nor a ping */
    gate_tell(g, err ? mcti_breaker_failed(&g->breaker, &g->opts.breaker, NULL, WEIGHT, err->message, gate_now(g))
                     : mcti_breaker_answered(&g->breaker, gate_now(g)));
}

bool mcti_gate_may_retry(struct mcti_gate *g)
{
    static const struct mcti_rate_rule rule = { MCT_LIMIT_RETRIES, MCT_LIMIT_RETRIES };
    bool may = g->saved >= A_RETRY;
    g->saved -= may ? A_RETRY : 0;
    may = may || !mcti_rate_take(&g->spare, &rule, 1, gate_now(g));
    g->n_retries += may;
    g->n_not_retried += !may;
    return may;
}

/* Returns 0 if the server is well enough for the call; else -1 with *err. */
static int gate_is_well(struct mcti_gate *g, const struct mcti_call *call, struct mct_error *err)
{
    return g->breaker.is_open ? mcti_breaker_try(&g->breaker, call, gate_now(g), err) : 0;
}

/* ---- going on ---- */

static void gate_count(struct mcti_gate *g, struct mcti_call *call)
{
    call->entrance = &g->base;
    call->is_paused = false;
    g->n_running++;
    g->saved += g->saved < MCT_LIMIT_RETRIES * A_RETRY;
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
    if (gate_is_well(g, call, err) < 0)
        return mcti_error_wrap(err, "server '%s'", p->name);
    gate_count(g, call);
    return mcti_call_deliver(call, err);
}

/* Begins or extends a pause. */
static void gate_close_for(struct mcti_gate *g, unsigned ms)
{
    uint64_t until_ms = gate_now(g) + ms;
    if (until_ms <= g->held_until_ms)
        return;
    g->held_until_ms = until_ms;
    mcti_timer_set(g->provider->sched, &g->opens, ms);
}

/* Takes one call of the server's rate. Returns false if it has to wait: a pause has begun. */
static bool gate_pay(struct mcti_gate *g)
{
    unsigned wait_ms = mcti_rate_take(&g->rate, &g->opts.rate, 1, gate_now(g));
    if (wait_ms)
        gate_close_for(g, wait_ms);
    return !wait_ms;
}

static void gate_on_next(void *data)
{
    struct mcti_gate *g = data;
    struct mct_error err;
    while (g->waiting.n && gate_has_room(g) && gate_pay(g)) {
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
    if (g->waiting.n && gate_has_room(g))
        mcti_task_post(g->provider->sched, &g->next);
}

static void gate_on_open(void *data)
{
    struct mcti_gate *g = data;
    if (g->careful && !g->held_until_ms)
        gate_trust(g, 2 * g->careful);
    g->held_until_ms = 0;
    if (g->careful)
        mcti_timer_set(g->provider->sched, &g->opens, MCT_CAREFUL_MS);
    gate_plan(g);
}

void mcti_gate_hold(struct mcti_gate *g, unsigned ms)
{
    if (!g->held_until_ms)
        mcti_provider_note(g->provider, "it asks for a pause of %u.%u s", ms / 1000, ms % 1000 / 100);
    g->careful = 1;
    gate_close_for(g, ms);
}

/* Returns 0 if the call can wait until the pause is over; else -1 with *err. */
static int gate_can_wait(const struct mcti_gate *g, const struct mcti_call *call, struct mct_error *err)
{
    uint64_t now = gate_now(g);
    unsigned limit_ms = call->timeout_ms ? call->timeout_ms : *g->call_timeout_ms;
    unsigned rest_ms = g->held_until_ms > now ? (unsigned)(g->held_until_ms - now) : 0;
    if (!limit_ms || rest_ms < limit_ms)
        return 0;
    mcti_fail(err, MCT_ERR_LIMIT, "%s for %u s, longer than the time limit of the call",
              g->careful ? "the server wants no calls" : "its rate is used up", (rest_ms + 999) / 1000);
    err->code = MCT_RPC_BUSY;
    err->unsent = true;
    err->retry_after_ms = rest_ms;
    return -1;
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
    call->waited_ms = 0;
    if (call->is_own || gate_is_inside(g, call)) {
        gate_count(g, call);
        return MCT_PASS;
    }
    if (gate_is_well(g, call, err) < 0)
        return MCT_ANSWER;
    if (g->waiting.n || !gate_has_room(g) || !gate_pay(g))
        return gate_can_wait(g, call, err) < 0 ? MCT_ANSWER : gate_queue(g, call, err);
    gate_count(g, call);
    return MCT_PASS;
}

static void gate_left(struct mcti_entrance *e, struct mcti_call *call, const struct mcti_outcome *o)
{
    struct mcti_gate *g = gate_of(e);
    g->n_running -= !call->is_paused;
    gate_judge(g, call, o); /* before the next ones are planned */
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
    struct mcti_gate *g = gate_of(e);
    mcti_breaker_reset(&g->breaker);
    g->careful = 0;
    g->held_until_ms = 0;
    gate_plan(g);
}

/* Writes the object "breaker", unless it is closed. */
static void gate_put_breaker(const struct mcti_gate *g, struct mcti_buf *to)
{
    const struct mcti_breaker *b = &g->breaker;
    uint64_t now = gate_now(g);
    if (!b->is_open)
        return;
    mcti_json_put_key(to, "breaker");
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "state", mcti_str_of(mcti_breaker_word(b, now)));
    mcti_json_put_key(to, "failed");
    mcti_buf_addu(to, b->told_failed);
    mcti_json_put_key(to, "calls");
    mcti_buf_addu(to, b->told_n);
    mcti_json_put_member(to, "last", mcti_str_of(b->last));
    mcti_json_put_key(to, "nextTryMs");
    mcti_buf_addu(to, b->until_ms > now ? b->until_ms - now : 0);
    mcti_buf_addc(to, '}');
}

static void gate_put_status(const struct mcti_entrance *e, struct mcti_buf *to)
{
    const struct mcti_gate *g = MCT_CONTAINER(e, const struct mcti_gate, base);
    gate_put_breaker(g, to);
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
    mcti_timer_init(&g->opens, gate_on_open, g);
    p->entrance = &g->base;
}

void mcti_gate_done(struct mcti_gate *g)
{
    mcti_task_stop(&g->next);
    mcti_timer_stop(g->provider->sched, &g->opens);
    mcti_fair_done(&g->waiting);
}

void mcti_gate_set(struct mcti_gate *g, const struct mcti_gate_opts *opts)
{
    g->opts = *opts;
    gate_plan(g);
}

struct mcti_gate *mcti_gate_of(const struct mcti_provider *p)
{
    return p->entrance && p->entrance->ops == &gate_ops ? gate_of(p->entrance) : NULL;
}

void mcti_gate_fail_all(struct mcti_gate *g, const struct mct_error *why)
{
    struct mcti_fair_item *item;
    while ((item = mcti_fair_pop(&g->waiting)))
        turn_fail(MCT_CONTAINER(item, struct mcti_turn, item), why);
}
