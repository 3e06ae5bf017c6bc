#include "hub/hooks/run_impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the end ---- */

static void drop_chain(struct mct_hooked *c)
{
    for (size_t i = 0; i < c->n; i++)
        hook_unuse(c->chain[i]);
    free(c->chain);
    c->chain = NULL;
    c->n = c->at = 0;
}

static void hooked_free(struct mct_hooked *c)
{
    mct_list_remove(&c->node);
    mct_task_stop(&c->begin);
    hook_event_withdraw(c->event);
    hook_approval_end(&c->approval, HOOK_CANCELLED);
    drop_chain(c);
    mct_arena_done(&c->texts);
    free(c->params);
    free(c->changes);
    free(c->reason);
    free(c->result);
    free(c);
}

void hooked_finish(struct mct_hooked *c, const struct mct_outcome *o)
{
    struct mct_call *call = c->call;
    mct_stage_take(call, &c->base);
    mct_call_leave(call, o);
    hooked_free(c);
}

void hooked_finish_saying(struct mct_hooked *c, struct mct_str text, bool blocked)
{
    struct mct_outcome o = { .rev = MCT_REV_LATEST_HANDSHAKE, .blocked = blocked };
    struct mct_buf b;
    mct_buf_init(&b, 6 * text.len + 256);
    mct_shape_tool_says(&b, text);
    o.result = mct_buf_str(&b);
    hooked_finish(c, &o);
    mct_buf_done(&b);
}

/* ---- handlers ---- */

struct hook_facts hooked_facts(const struct mct_hooked *c, enum mct_hook_kind kind)
{
    return (struct hook_facts){ .kind = kind, .name = c->target.names[0], .server = mct_str_of(c->provider->name),
                                .tool = c->target.tool, .id = mct_str_of(c->id), .principal = c->call->principal,
                                .params = mct_json_get(mct_str_of(c->params), "arguments"), .client = c->client,
                                .duration_ms = c->duration_ms };
}

int hooked_collect(struct mct_hooked *c, enum mct_hook_kind kind)
{
    drop_chain(c);
    c->chain = calloc(c->hooks->n + 1, sizeof *c->chain);
    if (!c->chain)
        return -1;
    for (struct mct_hook *hook = NULL; (hook = mct_hooks_next(&c->target, c->provider, hook));) {
        if (hook->kind != kind)
            continue;
        hook_use(hook);
        c->chain[c->n++] = hook;
    }
    return 0;
}

void hooked_log_failure(const struct mct_hook *hook, const struct mct_error *err)
{
    mct_log(hook->hooks->log, MCT_LOG_ERROR, "hook '%s' (%s) failed: %s", hook->name, mct_hook_kind_word(hook->kind),
            err->message);
}

static void warn_of_unknown(struct mct_hook *hook, const struct hook_decision *d)
{
    if (!d->unknown.p || hook->warned)
        return;
    hook->warned = true;
    mct_log(hook->hooks->log, MCT_LOG_WARN, "hook '%s' (%s): \"%s%.*s\" in its decision means nothing and is ignored",
            hook->name, mct_hook_kind_word(hook->kind), d->unknown_in, MCT_STR_ARG(d->unknown));
}

int hooked_read(struct mct_hooked *c, struct mct_str text, const struct mct_error *failed, struct hook_decision *ret)
{
    struct mct_hook *hook = c->chain[c->at - 1];
    struct mct_error err;
    c->event = NULL;
    if (failed || hook_decision_read(hook->kind, text, ret, &err) < 0) {
        hooked_log_failure(hook, failed ? failed : &err);
        return -1;
    }
    warn_of_unknown(hook, ret);
    return 0;
}

int hooked_next(struct mct_hooked *c, const struct hook_facts *f, hook_decided_fn done)
{
    struct mct_error err;
    if (c->at == c->n)
        return 0;
    struct mct_hook *hook = c->chain[c->at++];
    c->event = hook_event_start(hook, hook_facts_json(f), done, c, &err);
    if (!c->event)
        hooked_log_failure(hook, &err);
    return c->event ? 1 : -1;
}

/* ---- the beginning ---- */

void hooked_set_params(struct mct_hooked *c, char *take_params)
{
    free(c->params);
    c->params = take_params;
    c->call->params = mct_str_of(take_params);
    c->call->meta = mct_json_get(c->call->params, "_meta");
    c->call->subject.value = MCT_STR_NONE;
}

static void on_begin(void *data)
{
    struct mct_hooked *c = data;
    if (c->hooks->n_unknown) /* whoever holds it has a time limit */
        mct_list_append(&c->hooks->waiting, &c->node);
    else
        hooked_before(c);
}

void hooked_go_on(struct mct_list *waiting)
{
    while (!mct_list_empty(waiting)) {
        struct mct_hooked *c = MCT_CONTAINER(waiting->next, struct mct_hooked, node);
        mct_list_remove(&c->node);
        mct_task_post(c->hooks->sched, &c->begin);
    }
}

/* Hooks and server must see the same: of two members a server may take the other one. */
static int check_arguments(struct mct_str params, struct mct_error *err)
{
    struct mct_json_member m;
    unsigned n = 0;
    for (struct mct_json_iter it = mct_json_open(params); mct_json_next_member(&it, &m);) {
        if (!mct_json_key_is(m.key, "arguments"))
            continue;
        if (n++)
            return mct_fail(err, MCT_ERR_USAGE, "\"arguments\" is there twice");
        if (mct_json_type(m.value) != '{')
            return mct_fail(err, MCT_ERR_USAGE, "\"arguments\" must be an object");
    }
    return 0;
}

static struct mct_str keep(struct mct_hooked *c, struct mct_str s)
{
    char *copy = mct_arena_dup(&c->texts, s);
    return copy ? (struct mct_str){ copy, s.len } : MCT_STR_NONE;
}

static void keep_client(struct mct_hooked *c)
{
    struct mct_str name = mct_json_get(c->call->caller.client_info, "name");
    struct mct_buf b;
    mct_buf_init(&b, 6 * c->call->client.len + 16);
    if (c->call->client.p)
        mct_json_put_string(&b, c->call->client);
    else if (mct_json_type(name) == '"')
        mct_buf_add(&b, name.len > 6 * MCT_LIMIT_CLIENT_NAME_BYTES ? MCT_STR("\"\"") : name);
    if (b.len)
        c->client = keep(c, mct_buf_str(&b));
    mct_buf_done(&b);
}

static int keep_all(struct mct_hooked *c, const struct mct_hook_target *target)
{
    struct mct_call *call = c->call;
    struct mct_caller *by = &call->caller;
    struct mct_buf b;
    mct_buf_init(&b, call->params.len + call->subject.value.len + 1024);
    mct_json_put_object(&b, call->params, &call->subject, call->subject.value.p ? 1 : 0);
    char *params = mct_buf_take(&b);
    if (!params)
        return -1;
    c->target = *target;
    for (size_t i = 0; i < MCT_HOOK_NAMES; i++)
        c->target.names[i] = keep(c, target->names[i]);
    c->target.tool = keep(c, target->tool);
    keep_client(c);
    by->client_info = keep(c, by->client_info);
    by->capabilities = keep(c, by->capabilities);
    by->log_level = keep(c, by->log_level);
    call->principal = keep(c, call->principal);
    call->client = keep(c, call->client);
    hooked_set_params(c, params);
    return mct_arena_ok(&c->texts) ? 0 : -1;
}

struct mct_stage *mct_hooked_new(struct mct_call *call, const struct mct_hook_target *target, struct mct_error *err)
{
    struct mct_hooks *h = target->hooks;
    if (check_arguments(call->params, err) < 0)
        return NULL;
    struct mct_hooked *c = calloc(1, sizeof *c);
    if (!c) {
        mct_no_memory(err);
        return NULL;
    }
    *c = (struct mct_hooked){ .call = call, .provider = call->provider, .hooks = h };
    mct_list_init(&c->node);
    mct_arena_init(&c->texts, MCT_LIMIT_MESSAGE_BYTES);
    mct_task_init(&c->begin, on_begin, c);
    snprintf(c->id, sizeof c->id, "call-%s-%llu", h->process, (unsigned long long)++h->n_calls);
    if (keep_all(c, target) < 0) {
        hooked_free(c);
        mct_no_memory(err);
        return NULL;
    }
    mct_task_post(h->sched, &c->begin);
    return &c->base;
}

void mct_hooked_cancel(struct mct_stage *s, struct mct_call *call, const char *reason)
{
    struct mct_hooked *c = hooked_of(s);
    (void)call;
    if (c->is_called)
        hooked_tell_given_up(c, reason);
    hooked_free(c);
}
