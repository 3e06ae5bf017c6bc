/* From the caller to the call: what hooks decide, in their order, and what a person says where one asks for it. */
#include "hub/hooks/run_impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

#define BLOCKED "Tool call blocked by plugin hook"
#define FAILED "Tool call blocked because before_tool_call hook failed"

static void replace(char **text, struct mct_str by, bool *ret_failed)
{
    free(*text);
    *text = mct_str_dup(by);
    *ret_failed |= !*text;
}

/* ---- the call ---- */

static int rewrite(struct mct_hooked *c)
{
    struct mct_str params = mct_str_of(c->params), changes = mct_str_of(c->changes);
    struct mct_buf arguments, b;
    size_t max = params.len + changes.len + 64;
    if (!c->changes)
        return 0;
    mct_buf_init(&arguments, max);
    mct_buf_init(&b, 2 * max);
    int r = hook_merge(&arguments, mct_json_get(params, "arguments"), changes);
    const struct mct_json_set set = { "arguments", mct_buf_str(&arguments) };
    mct_json_put_object(&b, params, &set, 1);
    char *text = r == 0 ? mct_buf_take(&b) : NULL;
    mct_buf_done(&arguments);
    mct_buf_done(&b);
    if (!text)
        return -1;
    hooked_set_params(c, text);
    return 0;
}

static void make_call(struct mct_hooked *c)
{
    struct mct_error err;
    const struct mct_outcome o = { .failed = &err, .rev = c->provider->info.rev };
    c->is_called = true;
    c->started_ms = mct_sched_now(c->hooks->sched);
    if (mct_call_go_on(c->call, &err) < 0)
        hooked_finish(c, &o);
}

/* ---- before it ---- */

static void block(struct mct_hooked *c, struct mct_str reason)
{
    struct mct_error why;
    mct_fail(&why, MCT_ERR_POLICY, "%.*s", MCT_STR_ARG(reason));
    mct_call_pass_over(c->call, &why);
    hooked_finish_saying(c, reason, true);
}

static void on_verdict(struct hook_approval *a, enum hook_verdict verdict)
{
    struct mct_hooked *c = MCT_CONTAINER(a, struct mct_hooked, approval);
    struct mct_buf b;
    mct_buf_init(&b, 16 * MCT_LIMIT_APPROVAL_CHARS);
    if (verdict > HOOK_ALLOW_ALWAYS)
        hook_approval_put_refusal(&b, a, verdict);
    hook_approval_end(a, verdict);
    if (verdict > HOOK_ALLOW_ALWAYS)
        block(c, mct_buf_str(&b));
    else
        make_call(c);
    mct_buf_done(&b);
}

/* On whose behalf, and of which tool: names alone, as these last longer than what they name. */
static char *approval_key(const struct mct_hooked *c)
{
    char *key = NULL;
    int n = asprintf(&key, "%.*s\n%llu\n%s\n%.*s", MCT_STR_ARG(c->call->principal), (unsigned long long)c->target.session,
                     c->provider->name, MCT_STR_ARG(c->target.tool));
    return n < 0 ? NULL : key;
}

static void ask(struct mct_hooked *c)
{
    struct hook_approval *a = &c->approval;
    a->call = c->call;
    a->tool = c->target.names[0];
    a->server = c->provider->name;
    a->params = mct_json_get(c->call->params, "arguments");
    a->params = a->params.p ? a->params : MCT_STR("{}");
    a->key = approval_key(c);
    a->done = on_verdict;
    hook_approval_start(a, c->target.approver);
}

/* Every hook has been heard that is to be. */
static void before_over(struct mct_hooked *c)
{
    struct mct_str reason = c->reason && *c->reason ? mct_str_of(c->reason) : MCT_STR(BLOCKED);
    if (c->block) {
        hook_approval_end(&c->approval, HOOK_CANCELLED);
        block(c, reason);
    } else if (rewrite(c) < 0) {
        block(c, MCT_STR(FAILED));
    } else if (c->approval.request) {
        ask(c);
    } else {
        make_call(c);
    }
}

static void take_reason(struct mct_hooked *c, struct mct_str reason, bool *ret_failed)
{
    struct mct_buf text;
    mct_buf_init(&text, reason.len + 1);
    mct_json_unescape_any(reason, &text);
    replace(&c->reason, mct_buf_str(&text), ret_failed);
    mct_buf_done(&text);
}

static void take_approval(struct mct_hooked *c, struct mct_str request, bool *ret_failed)
{
    struct mct_hook *hook = c->chain[c->at - 1];
    if (c->approval.request) {
        hook_approval_pass_over(hook, request);
        return;
    }
    replace(&c->approval.request, request, ret_failed);
    if (!c->approval.request)
        return;
    c->approval.hook = hook;
    hook_use(hook);
}

/* -1 when out of memory. */
static int take_decision(struct mct_hooked *c, const struct hook_decision *d)
{
    bool failed = false;
    if (d->params.p && !c->approval.request) /* what a person approves of does not change */
        replace(&c->changes, d->params, &failed);
    if (d->approval.p)
        take_approval(c, d->approval, &failed);
    if (d->reason.p)
        take_reason(c, d->reason, &failed);
    if (mct_json_true(d->block) || (d->block.p && c->hooks->compat_2026_2))
        c->block = mct_json_true(d->block);
    return failed ? -1 : 0;
}

static void before_next(struct mct_hooked *c);

static void before_failed(struct mct_hooked *c)
{
    if (c->hooks->compat_2026_2) {
        before_next(c);
        return;
    }
    hook_approval_end(&c->approval, HOOK_CANCELLED);
    block(c, MCT_STR(FAILED));
}

static void on_decided(void *data, struct mct_str text, const struct mct_error *failed)
{
    struct mct_hooked *c = data;
    struct hook_decision d;
    if (hooked_read(c, text, failed, &d) < 0 || take_decision(c, &d) < 0)
        before_failed(c);
    else if (c->block && !c->hooks->compat_2026_2)
        before_over(c);
    else
        before_next(c);
}

static void before_next(struct mct_hooked *c)
{
    const struct hook_facts f = hooked_facts(c, MCT_HOOK_BEFORE);
    int r = hooked_next(c, &f, on_decided);
    if (r < 0)
        before_failed(c);
    else if (r == 0)
        before_over(c);
}

void hooked_before(struct mct_hooked *c)
{
    if (hooked_collect(c, MCT_HOOK_BEFORE) < 0)
        block(c, MCT_STR(FAILED));
    else
        before_next(c);
}
