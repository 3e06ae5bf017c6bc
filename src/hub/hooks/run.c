#include "hub/hooks/run_impl.h"

#include "base/limits.h"
#include "mcp/shape/shape.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the end ---- */

static void drop_chain(struct mcti_hooked *c)
{
    for (size_t i = 0; i < c->n; i++)
        mcti_hook_unuse(c->chain[i]);
    free(c->chain);
    c->chain = NULL;
    c->n = c->at = 0;
}

static void hooked_free(struct mcti_hooked *c)
{
    mcti_list_remove(&c->node);
    mcti_task_stop(&c->begin);
    mcti_hook_event_withdraw(c->event);
    mcti_hook_approval_end(&c->approval, HOOK_CANCELLED);
    drop_chain(c);
    mcti_arena_done(&c->texts);
    free(c->params);
    free(c->changes);
    free(c->reason);
    free(c->result);
    free(c);
}

void mcti_hooked_finish(struct mcti_hooked *c, const struct mcti_outcome *o)
{
    struct mcti_call *call = c->call;
    mcti_stage_take(call, &c->base);
    mcti_call_leave(call, o);
    hooked_free(c);
}

void mcti_hooked_finish_saying(struct mcti_hooked *c, struct mcti_str text, bool blocked)
{
    struct mcti_outcome o = { .rev = MCT_REV_LATEST_HANDSHAKE, .blocked = blocked };
    struct mct_error err;
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * text.len + 256);
    mcti_shape_tool_says(&b, text);
    mcti_no_memory(&err);
    if (mcti_buf_ok(&b))
        o.result = mcti_buf_str(&b);
    else
        o.failed = &err;
    mcti_hooked_finish(c, &o);
    mcti_buf_done(&b);
}

/* ---- handlers ---- */

struct mcti_hook_facts mcti_hooked_facts(const struct mcti_hooked *c, enum mct_hook_kind kind)
{
    return (struct mcti_hook_facts){ .kind = kind,
                                     .name = c->target.names[0],
                                     .server = mcti_str_of(c->provider->name),
                                     .tool = c->target.tool,
                                     .id = mcti_str_of(c->id),
                                     .principal = c->call->principal,
                                     .params = mcti_json_get(mcti_str_of(c->params), "arguments"),
                                     .client = c->client,
                                     .duration_ms = c->duration_ms };
}

int mcti_hooked_collect(struct mcti_hooked *c, enum mct_hook_kind kind)
{
    drop_chain(c);
    c->chain = calloc(c->hooks->n + 1, sizeof *c->chain);
    if (!c->chain)
        return -1;
    for (struct mcti_hook *hook = NULL; (hook = mcti_hooks_next(&c->target, c->provider, hook));) {
        if (hook->kind != kind)
            continue;
        mcti_hook_use(hook);
        c->chain[c->n++] = hook;
    }
    return 0;
}

void mcti_hooked_log_failure(const struct mcti_hook *hook, const struct mct_error *err)
{
    mcti_log(hook->hooks->log, MCT_LOG_ERROR, "hook '%s' (%s) failed: %s", hook->name, mcti_hook_kind_word(hook->kind),
             err->message);
}

static void warn_of_unknown(struct mcti_hook *hook, const struct mcti_hook_decision *d)
{
    if (!d->unknown.p || hook->warned)
        return;
    hook->warned = true;
    mcti_log(hook->hooks->log, MCT_LOG_WARN, "hook '%s' (%s): ignoring unknown member \"%s%.*s\" of its decision",
             hook->name, mcti_hook_kind_word(hook->kind), d->unknown_in, MCT_STR_ARG(d->unknown));
}

int mcti_hooked_read(struct mcti_hooked *c, struct mcti_str text, const struct mct_error *failed,
                     struct mcti_hook_decision *ret)
{
    struct mcti_hook *hook = c->chain[c->at - 1];
    struct mct_error err;
    c->event = NULL;
    if (failed || mcti_hook_decision_read(hook->kind, text, ret, &err) < 0) {
        mcti_hooked_log_failure(hook, failed ? failed : &err);
        return -1;
    }
    warn_of_unknown(hook, ret);
    return 0;
}

int mcti_hooked_next(struct mcti_hooked *c, const struct mcti_hook_facts *f, mcti_hook_decided_fn done)
{
    struct mct_error err;
    if (c->at == c->n)
        return 0;
    struct mcti_hook *hook = c->chain[c->at++];
    c->event = mcti_hook_event_start(hook, mcti_hook_facts_json(f), done, c, &err);
    if (!c->event)
        mcti_hooked_log_failure(hook, &err);
    return c->event ? 1 : -1;
}

/* ---- the beginning ---- */

void mcti_hooked_set_params(struct mcti_hooked *c, char *take_params)
{
    free(c->params);
    c->params = take_params;
    c->call->params = mcti_str_of(take_params);
    c->call->meta = mcti_json_get(c->call->params, "_meta");
    c->call->subject.value = MCT_STR_NONE;
}

static void hooks_run_on_begin(void *data)
{
    struct mcti_hooked *c = data;
    if (c->hooks->n_unknown) /* the host that holds calls has a time limit */
        mcti_list_append(&c->hooks->waiting, &c->node);
    else
        mcti_hooked_before(c);
}

void mcti_hooked_go_on(struct mcti_list *waiting)
{
    while (!mcti_list_empty(waiting)) {
        struct mcti_hooked *c = MCT_CONTAINER(waiting->next, struct mcti_hooked, node);
        mcti_list_remove(&c->node);
        mcti_task_post(c->hooks->sched, &c->begin);
    }
}

/* Checks that "arguments" is an object and unique: hooks and server must not see different values. */
static int check_arguments(struct mcti_str params, struct mct_error *err)
{
    struct mcti_json_member m;
    unsigned n = 0;
    for (struct mcti_json_iter it = mcti_json_open(params); mcti_json_next_member(&it, &m);) {
        if (!mcti_json_key_is(m.key, "arguments"))
            continue;
        if (n++)
            return mcti_fail(err, MCT_ERR_USAGE, "duplicate member \"arguments\"");
        if (mcti_json_type(m.value) != '{')
            return mcti_fail(err, MCT_ERR_USAGE, "\"arguments\" must be an object");
    }
    return 0;
}

static struct mcti_str hooks_run_keep(struct mcti_hooked *c, struct mcti_str s)
{
    char *copy = mcti_arena_dup(&c->texts, s);
    return copy ? (struct mcti_str){ copy, s.len } : MCT_STR_NONE;
}

static void keep_client(struct mcti_hooked *c)
{
    struct mcti_str name = mcti_json_get(c->call->caller.client_info, "name");
    struct mcti_buf b;
    mcti_buf_init(&b, 6 * c->call->client.len + 16);
    if (c->call->client.p)
        mcti_json_put_string(&b, c->call->client);
    else if (mcti_json_type(name) == '"')
        mcti_buf_add(&b, name.len > 6 * MCT_LIMIT_CLIENT_NAME_BYTES ? MCT_STR("\"\"") : name);
    if (b.len)
        c->client = hooks_run_keep(c, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static int hooks_run_keep_all(struct mcti_hooked *c, const struct mcti_hook_target *target)
{
    struct mcti_call *call = c->call;
    struct mcti_caller *by = &call->caller;
    struct mcti_buf b;
    mcti_buf_init(&b, call->params.len + call->subject.value.len + 1024);
    mcti_json_put_object(&b, call->params, &call->subject, call->subject.value.p ? 1 : 0);
    char *params = mcti_buf_take(&b);
    if (!params)
        return -1;
    c->target = *target;
    for (size_t i = 0; i < MCT_HOOK_NAMES; i++)
        c->target.names[i] = hooks_run_keep(c, target->names[i]);
    c->target.tool = hooks_run_keep(c, target->tool);
    keep_client(c);
    by->client_info = hooks_run_keep(c, by->client_info);
    by->capabilities = hooks_run_keep(c, by->capabilities);
    by->log_level = hooks_run_keep(c, by->log_level);
    call->principal = hooks_run_keep(c, call->principal);
    call->client = hooks_run_keep(c, call->client);
    mcti_hooked_set_params(c, params);
    return mcti_arena_ok(&c->texts) ? 0 : -1;
}

static struct mcti_hooked *hooked_new(struct mcti_call *call, const struct mcti_hook_target *target,
                                      struct mct_error *err)
{
    struct mcti_hooks *h = target->hooks;
    struct mcti_hooked *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_no_memory(err);
        return NULL;
    }
    *c = (struct mcti_hooked){ .call = call, .provider = call->provider, .hooks = h };
    mcti_list_init(&c->node);
    mcti_arena_init(&c->texts, MCT_LIMIT_MESSAGE_BYTES);
    mcti_task_init(&c->begin, hooks_run_on_begin, c);
    snprintf(c->id, sizeof c->id, "call-%s-%llu", h->process, (unsigned long long)++h->n_calls);
    if (hooks_run_keep_all(c, target) < 0) {
        hooked_free(c);
        mcti_no_memory(err);
        return NULL;
    }
    return c;
}

struct mcti_stage *mcti_hooked_new(struct mcti_call *call, const struct mcti_hook_target *target, struct mct_error *err)
{
    struct mcti_hooked *c = check_arguments(call->params, err) < 0 ? NULL : hooked_new(call, target, err);
    if (!c)
        return NULL;
    mcti_task_post(c->hooks->sched, &c->begin);
    return &c->base;
}

struct mcti_stage *mcti_hooked_new_after(struct mcti_call *call, const struct mcti_hook_target *target,
                                         struct mct_error *err)
{
    struct mcti_hooked *c = hooked_new(call, target, err);
    if (!c)
        return NULL;
    c->reads = true;
    c->started_ms = mcti_sched_now(c->hooks->sched);
    return &c->base;
}

void mcti_hooked_sent(struct mcti_stage *s, struct mcti_call *call, const struct mct_error *failed)
{
    (void)call;
    if (failed)
        hooked_free(hooked_of(s));
}

void mcti_hooked_cancel(struct mcti_stage *s, struct mcti_call *call, const char *reason)
{
    struct mcti_hooked *c = hooked_of(s);
    (void)call;
    if (c->is_called)
        mcti_hooked_tell_given_up(c, reason);
    hooked_free(c);
}
