/* The hooks before a call: applies their decisions in order, asks for approval, and then makes the call. */
#include "hub/hooks/run_impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define BLOCKED "Tool call blocked by plugin hook"
#define FAILED "Tool call blocked because before_tool_call hook failed"

static void before_replace(char **text, struct mcti_str by, bool *ret_failed)
{
    free(*text);
    *text = mcti_str_dup(by);
    *ret_failed |= !*text;
}

/* ---- the call ---- */

static int before_rewrite(struct mcti_hooked *c)
{
    struct mcti_str params = mcti_str_of(c->params), changes = mcti_str_of(c->changes);
    struct mcti_buf arguments, b;
    size_t max = params.len + changes.len + 64;
    if (!c->changes)
        return 0;
    mcti_buf_init(&arguments, max);
    mcti_buf_init(&b, 2 * max);
    int r = mcti_hook_merge(&arguments, mcti_json_get(params, "arguments"), changes);
    const struct mcti_json_set set = { "arguments", mcti_buf_str(&arguments) };
    mcti_json_put_object(&b, params, &set, 1);
    char *text = r == 0 ? mcti_buf_take(&b) : NULL;
    mcti_buf_done(&arguments);
    mcti_buf_done(&b);
    if (!text)
        return -1;
    mcti_hooked_set_params(c, text);
    return 0;
}

void mcti_hooked_make_call(struct mcti_hooked *c)
{
    struct mct_error err;
    const struct mcti_outcome o = { .failed = &err, .rev = c->provider->info.rev };
    c->is_called = true;
    c->started_ms = mcti_sched_now(c->hooks->sched);
    if (mcti_call_go_on(c->call, &err) < 0)
        mcti_hooked_finish(c, &o);
}

/* ---- before_tool_call ---- */

void mcti_hooked_block(struct mcti_hooked *c, struct mcti_str reason)
{
    struct mct_error why;
    mcti_fail(&why, MCT_ERR_POLICY, "%.*s", MCT_STR_ARG(reason));
    mcti_call_pass_over(c->call, &why);
    mcti_hooked_finish_saying(c, reason, true);
}

static void before_on_verdict(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict)
{
    struct mcti_hooked *c = MCT_CONTAINER(a, struct mcti_hooked, approval);
    struct mcti_buf b;
    mcti_buf_init(&b, 16 * MCT_LIMIT_APPROVAL_CHARS);
    if (verdict > HOOK_ALLOW_ALWAYS)
        mcti_hook_approval_put_refusal(&b, a, verdict);
    mcti_hook_approval_end(a, verdict);
    if (verdict > HOOK_ALLOW_ALWAYS)
        mcti_hooked_block(c, mcti_buf_ok(&b) ? mcti_buf_str(&b) : mcti_str_of(MCT_NO_MEMORY_TEXT));
    else
        mcti_hooked_guard(c);
    mcti_buf_done(&b);
}

char *mcti_hooked_approval_key(const struct mcti_hooked *c)
{
    char *key = NULL;
    int n = asprintf(&key, "%.*s\n%llu\n%s\n%.*s", MCT_STR_ARG(c->call->principal),
                     (unsigned long long)c->target.session, c->provider->name, MCT_STR_ARG(c->target.tool));
    return n < 0 ? NULL : key;
}

void mcti_hooked_ask(struct mcti_hooked *c, char *take_key,
                     void (*done)(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict))
{
    struct mcti_hook_approval *a = &c->approval;
    a->hooks = c->hooks;
    a->call = c->call;
    a->tool = c->target.names[0];
    a->server = c->provider->name;
    a->params = mcti_json_get(c->call->params, "arguments");
    a->params = a->params.p ? a->params : MCT_STR("{}");
    a->key = take_key;
    a->done = done;
    mcti_hook_approval_start(a, c->target.approver);
}

/* Blocks the call, asks for approval, or makes the call: all decisions are known. */
static void before_over(struct mcti_hooked *c)
{
    struct mcti_str reason = c->reason && *c->reason ? mcti_str_of(c->reason) : MCT_STR(BLOCKED);
    if (c->block) {
        mcti_hook_approval_end(&c->approval, HOOK_CANCELLED);
        mcti_hooked_block(c, reason);
    } else if (before_rewrite(c) < 0) {
        mcti_hooked_block(c, MCT_STR(FAILED));
    } else if (c->approval.request) {
        mcti_hooked_ask(c, mcti_hooked_approval_key(c), before_on_verdict);
    } else {
        mcti_hooked_guard(c);
    }
}

static void take_reason(struct mcti_hooked *c, struct mcti_str reason, bool *ret_failed)
{
    struct mcti_buf text;
    mcti_buf_init(&text, reason.len + 1);
    mcti_json_unescape_any(reason, &text);
    before_replace(&c->reason, mcti_buf_str(&text), ret_failed);
    mcti_buf_done(&text);
}

static void take_approval(struct mcti_hooked *c, struct mcti_str request, bool *ret_failed)
{
    struct mcti_hook *hook = c->chain[c->at - 1];
    if (c->approval.request) {
        mcti_hook_approval_pass_over(hook, request);
        return;
    }
    before_replace(&c->approval.request, request, ret_failed);
    if (!c->approval.request)
        return;
    c->approval.hook = hook;
    c->approval.hooks = c->hooks;
    mcti_hook_use(hook);
}

/* Takes the members of a decision. Returns -1 when out of memory. */
static int take_decision(struct mcti_hooked *c, const struct mcti_hook_decision *d)
{
    bool failed = false;
    if (d->params.p && !c->approval.request) /* params that await approval do not change */
        before_replace(&c->changes, d->params, &failed);
    if (d->approval.p)
        take_approval(c, d->approval, &failed);
    if (d->reason.p)
        take_reason(c, d->reason, &failed);
    if (mcti_json_true(d->block) || (d->block.p && c->hooks->compat_2026_2))
        c->block = mcti_json_true(d->block);
    return failed ? -1 : 0;
}

static void before_next(struct mcti_hooked *c);

static void before_failed(struct mcti_hooked *c)
{
    if (c->hooks->compat_2026_2) {
        before_next(c);
        return;
    }
    mcti_hook_approval_end(&c->approval, HOOK_CANCELLED);
    mcti_hooked_block(c, MCT_STR(FAILED));
}

static void before_on_decided(void *data, struct mcti_str text, const struct mct_error *failed)
{
    struct mcti_hooked *c = data;
    struct mcti_hook_decision d;
    if (mcti_hooked_read(c, text, failed, &d) < 0 || take_decision(c, &d) < 0)
        before_failed(c);
    else if (c->block && !c->hooks->compat_2026_2)
        before_over(c);
    else
        before_next(c);
}

static void before_next(struct mcti_hooked *c)
{
    const struct mcti_hook_facts f = mcti_hooked_facts(c, MCT_HOOK_BEFORE);
    int r = mcti_hooked_next(c, &f, before_on_decided);
    if (r < 0)
        before_failed(c);
    else if (r == 0)
        before_over(c);
}

void mcti_hooked_before(struct mcti_hooked *c)
{
    if (mcti_hooked_collect(c, MCT_HOOK_BEFORE) < 0)
        mcti_hooked_block(c, MCT_STR(FAILED));
    else
        before_next(c);
}
