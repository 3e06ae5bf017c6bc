#include "cli/show/explain.h"

#include "hub/names/canon.h"
#include "json/write.h"

#include <stdlib.h>

/* One tool with the decisions about it. */
struct subject {
    struct mcti_app *app;
    const struct mcti_exposure *x;
    struct mcti_str dotted;
    struct mcti_rule_tool tool;
    const struct mcti_rules *rules;
    uint64_t left_out; /* bit set of the steps whose allow list is ignored */
    enum mcti_standing standing;
    const struct mcti_rule_step *removed_by; /* NULL: none */
    const char *owner_only;                  /* see mcti_rules_owner_only() */
    bool is_hooked;
    struct mcti_hook_target hooks; /* valid if is_hooked */
};

static const char *const results[] = {
    [MCT_RULE_PASSES] = "passes", [MCT_RULE_DENIED] = "denied", [MCT_RULE_NOT_ALLOWED] = "not allowed"
};
static const char *const standings[] = {
    [MCT_ADMITTED] = "listed", [MCT_UNLISTED] = "not listed", [MCT_RESTRICTED] = "owner only", [MCT_REMOVED] = "removed"
};

/* ---- finding it ---- */

/* Returns the list of a server's entry that excludes the tool `name`, or NULL. The provider does not keep excluded
 * tools: the tool may not exist at all. */
static const char *left_out_by(const struct mcti_app *app, const char *name)
{
    const char *raw = NULL;
    const struct mcti_config_server *s = mcti_app_server(app, name, &raw);
    if (!s || !*raw || (!s->allow.n && !s->deny.n))
        return NULL;
    if (mcti_str_glob_any((const char *const *)s->deny.v, s->deny.n, mcti_str_of(raw)))
        return "\"tools.deny\"";
    bool allowed = !s->allow.n || mcti_str_glob_any((const char *const *)s->allow.v, s->allow.n, mcti_str_of(raw));
    return allowed ? NULL : "\"tools.allow\"";
}

static int explain_find(struct mcti_view *all, struct mcti_app *app, const char *name, struct subject *ret,
                        struct mct_error *err)
{
    const struct mcti_exposure *x = mcti_view_named(all, MCT_TOOL, mcti_str_of(name), err);
    const char *left_out = x ? NULL : left_out_by(app, name);
    if (left_out)
        return mcti_fail(err, MCT_ERR_NOT_FOUND, "%s of the server's entry excludes %s before any policy applies",
                         left_out, name);
    if (!x)
        return -1;
    *ret = (struct subject){ .app = app, .x = x, .rules = app->inst.offer.ruled.rules };
    if (mcti_ruled_tool(&app->inst.registry, &all->naming, x->provider, x->item, &ret->tool) < 0)
        return mcti_no_memory(err);
    ret->dotted = mcti_view_tool_names(all, x)->dotted;
    return 0;
}

static void explain_judge(struct subject *s)
{
    static const struct mcti_rules none = { 0 };
    if (s->rules)
        s->left_out = mcti_ruled_left_out(&s->app->inst.registry, &s->app->inst.naming, s->rules);
    else
        s->rules = &none;
    s->standing = mcti_ruled_standing(&s->app->inst.offer.ruled, s->left_out, &s->tool);
    s->owner_only = mcti_rules_owner_only(s->rules, &s->tool);
    mcti_rules_admit(s->rules, s->left_out, &s->tool, &s->removed_by);
}

static bool is_left_out(const struct subject *s, size_t step)
{
    return step < MCT_RULE_STEPS && s->left_out >> step & 1;
}

/* ---- printing ---- */

static const char not_asked_for[] = "no allow list names it; add the tool, its plugin or group:plugins to policy.allow";

static void put_step_text(struct mcti_buf *to, const struct subject *s, size_t i)
{
    const struct mcti_rule_reason reason = mcti_rule_judge(s->rules, &s->rules->steps[i], is_left_out(s, i), &s->tool);
    mcti_buf_printf(to, "  %s: %s", mcti_rule_label(s->rules, &s->rules->steps[i], &s->tool), results[reason.result]);
    if (reason.entry)
        mcti_buf_printf(to, " by \"%s\"", reason.entry);
    mcti_buf_addz(to, is_left_out(s, i) ? " (its allow list names no core tool and is ignored)\n" : "\n");
}

/* Returns the hook after `after` (NULL: the first) in the order in which a call of the tool passes them. */
static struct mcti_hook *next_hook(const struct subject *s, struct mcti_hook *after)
{
    return s->is_hooked ? mcti_hooks_next(&s->hooks, s->x->provider, after) : NULL;
}

static void put_hooks_text(struct mcti_buf *to, const struct subject *s)
{
    for (struct mcti_hook *h = NULL; (h = next_hook(s, h));)
        mcti_buf_printf(to, "  hook %s: %s (priority %d)\n", mcti_hook_kind_word(mct_hook_kind(h)), mcti_hook_name(h),
                        mcti_hook_priority(h));
}

static void put_hooks_json(struct mcti_buf *to, const struct subject *s)
{
    mcti_json_put_key(to, "hooks");
    mcti_buf_addc(to, '[');
    for (struct mcti_hook *h = NULL; (h = next_hook(s, h));) {
        mcti_buf_addz(to, mcti_buf_last(to) == '[' ? "{" : ",{");
        mcti_json_put_member(to, "hook", mcti_str_of(mcti_hook_kind_word(mct_hook_kind(h))));
        mcti_json_put_member(to, "name", mcti_str_of(mcti_hook_name(h)));
        mcti_json_put_key(to, "priority");
        mcti_buf_printf(to, "%d}", mcti_hook_priority(h));
    }
    mcti_buf_addc(to, ']');
}

static void explain_put_text(struct mcti_buf *to, const struct subject *s)
{
    mcti_buf_add(to, s->x->name);
    mcti_buf_addz(to, "\n  tool: ");
    mcti_buf_add(to, s->dotted);
    if (s->tool.plugin.p)
        mcti_buf_printf(to, "\n  plugin: %.*s", MCT_STR_ARG(s->tool.plugin));
    mcti_buf_addc(to, '\n');
    for (size_t i = 0; i < s->rules->n_steps; i++)
        put_step_text(to, s, i);
    if (s->tool.optional)
        mcti_buf_printf(to, "  optional: %s\n",
                        mcti_rules_ask_for(s->rules, &s->tool) ? "an allow list names it" : not_asked_for);
    if (s->owner_only)
        mcti_buf_printf(to, "  for the owner only%s%s%s\n", *s->owner_only ? " by \"" : ", as the tool itself says",
                        s->owner_only, *s->owner_only ? "\"" : "");
    mcti_buf_printf(to, "  %s", standings[s->standing]);
    if (s->removed_by)
        mcti_buf_printf(to, " by %s", mcti_rule_label(s->rules, s->removed_by, &s->tool));
    mcti_buf_addc(to, '\n');
    put_hooks_text(to, s);
}

static void put_step_json(struct mcti_buf *to, const struct subject *s, size_t i)
{
    const struct mcti_rule_reason reason = mcti_rule_judge(s->rules, &s->rules->steps[i], is_left_out(s, i), &s->tool);
    mcti_buf_addz(to, i ? ",{" : "{");
    mcti_json_put_member(to, "step", mcti_str_of(mcti_rule_label(s->rules, &s->rules->steps[i], &s->tool)));
    mcti_json_put_member(to, "result", mcti_str_of(results[reason.result]));
    if (reason.entry)
        mcti_json_put_member(to, "entry", mcti_str_of(reason.entry));
    if (is_left_out(s, i))
        mcti_json_put_raw(to, "allowIgnored", MCT_STR("true"));
    mcti_buf_addc(to, '}');
}

static void explain_put_json(struct mcti_buf *to, const struct subject *s)
{
    mcti_buf_addc(to, '{');
    mcti_json_put_member(to, "name", s->x->name);
    mcti_json_put_member(to, "tool", s->dotted);
    mcti_json_put_member(to, "server", mcti_str_of(s->x->provider->name));
    if (s->tool.plugin.p)
        mcti_json_put_member(to, "plugin", s->tool.plugin);
    mcti_json_put_raw(to, "ownerOnly", s->owner_only ? MCT_STR("true") : MCT_STR("false"));
    if (s->owner_only && *s->owner_only)
        mcti_json_put_member(to, "ownerOnlyBy", mcti_str_of(s->owner_only));
    if (s->tool.optional)
        mcti_json_put_raw(to, "optionalAskedFor",
                          mcti_rules_ask_for(s->rules, &s->tool) ? MCT_STR("true") : MCT_STR("false"));
    mcti_json_put_key(to, "steps");
    mcti_buf_addc(to, '[');
    for (size_t i = 0; i < s->rules->n_steps; i++)
        put_step_json(to, s, i);
    mcti_buf_addc(to, ']');
    mcti_json_put_member(to, "result", mcti_str_of(standings[s->standing]));
    if (s->removed_by)
        mcti_json_put_member(to, "removedBy", mcti_str_of(mcti_rule_label(s->rules, s->removed_by, &s->tool)));
    put_hooks_json(to, s);
    mcti_buf_addc(to, '}');
}

static void explain_print(struct mcti_app *app, const struct subject *s)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 24);
    if (app->opt.output == MCT_OUT_JSON) {
        explain_put_json(&b, s);
        mcti_out_json(app, mcti_buf_str(&b));
    } else {
        explain_put_text(&b, s);
        mcti_out_text(app, mcti_buf_str(&b));
    }
    mcti_buf_done(&b);
}

int mcti_explain(struct mcti_app *app, const char *name)
{
    struct subject s;
    struct mcti_view all;
    struct mct_error err;
    if (mcti_view_init(&all, &app->inst.registry, &(struct mcti_view_opts){ .naming = &app->inst.naming }) < 0) {
        mcti_no_memory(&err);
        return mcti_out_fail(app, &err, NULL);
    }
    int r = explain_find(&all, app, name, &s, &err);
    if (r == 0) {
        explain_judge(&s);
        mcti_app_await_hooks(app);
        s.is_hooked = mcti_hook_target(&app->inst.hooks, &all, s.x, &s.hooks);
        explain_print(app, &s);
    }
    mcti_view_done(&all);
    if (r == 0)
        return 0;
    mcti_out_failures(app); /* the tool may belong to a server that did not start */
    return mcti_out_fail(app, &err, NULL);
}
