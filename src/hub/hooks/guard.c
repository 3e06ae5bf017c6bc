/* The flow policy (hub/policy/outside.h): guarded tools need approval once their client has received something from
 * outside. */
#include "hub/hooks/run_impl.h"

#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- which calls are held ---- */

/* Sets *ret to the names of a tool of the view itself. */
static void guard_name_own(const struct mcti_hook_target *t, struct mcti_rule_tool *ret)
{
    *ret = (struct mcti_rule_tool){ .n_names = 0 };
    for (size_t i = 0; i < MCT_HOOK_NAMES; i++)
        mcti_rule_tool_add(ret, t->names[i], false);
}

static bool guard_applies(struct mcti_outside *o, struct mcti_view *v, const struct mcti_exposure *x,
                          struct mcti_hook_target *t)
{
    struct mcti_rule_tool tool;
    if (mcti_view_is_own(v, x))
        guard_name_own(t, &tool);
    else if (mcti_ruled_tool(v->registry, &v->naming, x->provider, x->item, &tool) < 0)
        return mcti_outside_guards(o, NULL, &t->guard);
    return mcti_outside_guards(o, &tool, &t->guard);
}

bool mcti_hook_guard(struct mcti_hooks *h, struct mcti_call *call, struct mcti_view *v, const struct mcti_exposure *x,
                     bool is_hooked, struct mcti_hook_target *ret)
{
    struct mcti_outside *o = h->outside;
    if (!mcti_outside_is_on(o) || !o->opts.guarded.n_steps || (!is_hooked && !mcti_outside_client(o, call)))
        return is_hooked;
    if (!is_hooked)
        mcti_hook_target_name(h, v, x, ret);
    ret->is_guarded = guard_applies(o, v, x, ret);
    return is_hooked || ret->is_guarded;
}

/* ---- refusals ---- */

static void guard_put_why(struct mcti_buf *to, const struct mcti_outside_client *client)
{
    mcti_buf_addz(to, "this client has received data from outside");
    if (client)
        mcti_buf_printf(to, " (%s)", client->from);
}

/* Appends what would let the call pass. */
static void guard_put_advice(struct mcti_buf *to, const struct mcti_outside_client *client,
                             const struct mcti_outside *o)
{
    if (client && client->until_ms)
        mcti_buf_printf(to, "; wait until it has received none for %u s, or change policy.flow in the configuration",
                        o->opts.remember_ms / 1000);
    else
        mcti_buf_addz(to, "; start a new session, or change policy.flow in the configuration");
}

/* Refuses the call. `more` (may be NULL) says more about `what`. */
static void guard_refuse(struct mcti_hooked *c, const char *what, const char *more)
{
    const struct mcti_outside_client *client = mcti_outside_client(c->hooks->outside, c->call);
    struct mcti_buf b;
    mcti_buf_init(&b, 16 * 1024);
    mcti_buf_printf(&b, "Tool call denied: %s", what);
    if (more)
        mcti_buf_printf(&b, " (%s)", more);
    mcti_buf_addz(&b, ": ");
    guard_put_why(&b, client);
    guard_put_advice(&b, client, c->hooks->outside);
    mcti_log(c->hooks->log, MCT_LOG_WARN, "policy.flow: refused a call of %.*s of server '%s': %s",
             MCT_STR_ARG(c->target.names[0]), c->provider->name, what);
    mcti_hooked_block(c, mcti_buf_ok(&b) ? mcti_buf_str(&b) : mcti_str_of(MCT_NO_MEMORY_TEXT));
    mcti_buf_done(&b);
}

/* ---- approval ---- */

/* Returns "requireApproval" as a hook would write it; NULL when out of memory. */
static char *guard_request(const struct mcti_outside_rule *rule, const struct mcti_outside_client *client)
{
    struct mcti_buf b, why;
    mcti_buf_init(&b, 16 * 1024);
    mcti_buf_init(&why, 4096);
    mcti_buf_addz(&why, "This tool needs approval: ");
    guard_put_why(&why, client);
    mcti_buf_addz(&why, ", which may contain instructions of strangers.");
    if (rule->approval == MCT_OUTSIDE_PER_CLIENT)
        mcti_buf_addz(&why, " \"allow-always\" holds for all further calls of the tool by this client.");
    mcti_buf_addc(&b, '{');
    mcti_json_put_member(&b, "title", MCT_STR("Data from outside"));
    mcti_json_put_member(&b, "description", mcti_buf_str(&why));
    mcti_buf_mind(&b, mcti_buf_str(&why));
    mcti_json_put_raw(&b, "allowedDecisions",
                      rule->approval == MCT_OUTSIDE_PER_CALL ? MCT_STR("[\"allow-once\",\"deny\"]")
                                                             : MCT_STR("[\"allow-once\",\"allow-always\",\"deny\"]"));
    mcti_buf_addc(&b, '}');
    mcti_buf_done(&why);
    return mcti_buf_take(&b);
}

/* Returns the key under which an approval holds, until the client counts as another one. */
static char *guard_key(const struct mcti_hooked *c, const struct mcti_outside_client *client)
{
    char *call = mcti_hooked_approval_key(c), *key = NULL;
    if (call && asprintf(&key, "%s\nflow %llu", call, (unsigned long long)client->number) < 0)
        key = NULL;
    free(call);
    return key;
}

static void guard_on_verdict(struct mcti_hook_approval *a, enum mcti_hook_verdict verdict)
{
    static const char *const refusals[] = {
        [HOOK_DENY] = "it was not approved",
        [HOOK_TIMEOUT] = "it needs approval, and the question timed out",
        [HOOK_CANCELLED] = "it needs approval, and the form was dismissed",
        [HOOK_UNASKED] = "it needs approval, and this client cannot be asked for it",
    };
    struct mcti_hooked *c = MCT_CONTAINER(a, struct mcti_hooked, approval);
    const char *instead = verdict == HOOK_UNASKED ? a->instead : NULL;
    mcti_hook_approval_end(a, verdict);
    if (verdict > HOOK_ALLOW_ALWAYS)
        guard_refuse(c, refusals[verdict], instead);
    else
        mcti_hooked_make_call(c);
}

void mcti_hooked_guard(struct mcti_hooked *c)
{
    const struct mcti_outside_client *client =
        c->target.is_guarded ? mcti_outside_client(c->hooks->outside, c->call) : NULL;
    if (!client) {
        mcti_hooked_make_call(c);
    } else if (c->target.guard.mode == MCT_OUTSIDE_DENY) {
        guard_refuse(c, "policy.flow forbids it", NULL);
    } else if ((c->approval.request = guard_request(&c->target.guard, client))) {
        mcti_hooked_ask(c, guard_key(c, client), guard_on_verdict);
    } else {
        mcti_hooked_block(c, mcti_str_of(MCT_NO_MEMORY_TEXT));
    }
}
