#include "cli/explain.h"

#include "hub/names/canon.h"
#include "json/write.h"

#include <stdlib.h>

/* One tool and what is thought of it. */
struct subject {
    struct mct_app *app;
    const struct mct_exposure *x;
    struct mct_str dotted;
    struct mct_rule_tool tool;
    const struct mct_rules *rules;
    uint64_t left_out;
    enum mct_standing standing;
    const struct mct_rule_step *removed_by; /* NULL: none */
    const char *owner_only;                 /* see mct_rules_owner_only() */
    bool is_hooked;
    struct mct_hook_target hooks;           /* where it is */
};

static const char *const results[] = { [MCT_RULE_PASSES] = "passes", [MCT_RULE_DENIED] = "denied",
                                       [MCT_RULE_NOT_ALLOWED] = "not allowed" };
static const char *const standings[] = { [MCT_ADMITTED] = "listed", [MCT_RESTRICTED] = "owner only",
                                         [MCT_REMOVED] = "removed" };

/* ---- finding it ---- */

static const struct mct_exposure *find_dotted(struct mct_view *all, const char *name)
{
    const struct mct_exposures *e = mct_view_items(all, MCT_TOOL);
    for (size_t i = 0; i < e->n; i++) {
        const struct mct_tool_names *names = mct_view_tool_names(all, &e->v[i]);
        if (names && mct_str_is(names->dotted, name))
            return &e->v[i];
    }
    return NULL;
}

/* A tool that its server's own entry leaves out is not kept: what can be told is that it would be. */
static const char *left_out_by(const struct mct_app *app, const char *name)
{
    const char *raw = NULL;
    const struct mct_config_server *s = mct_app_server(app, name, &raw);
    if (!s || !*raw || (!s->allow.n && !s->deny.n))
        return NULL;
    if (mct_str_glob_any((const char *const *)s->deny.v, s->deny.n, mct_str_of(raw)))
        return "\"tools.deny\"";
    bool allowed = !s->allow.n || mct_str_glob_any((const char *const *)s->allow.v, s->allow.n, mct_str_of(raw));
    return allowed ? NULL : "\"tools.allow\"";
}

static int find(struct mct_view *all, struct mct_app *app, const char *name, struct subject *ret, struct mct_error *err)
{
    const struct mct_exposure *x = find_dotted(all, name);
    const char *left_out = x ? NULL : left_out_by(app, name);
    if (left_out)
        return mct_fail(err, MCT_ERR_NOT_FOUND, "%s of the server's own entry leaves %s out, before any policy", left_out,
                        name);
    if (!x && !(x = mct_view_named(all, MCT_TOOL, mct_str_of(name), err)))
        return -1;
    *ret = (struct subject){ .app = app, .x = x, .rules = app->offer.ruled.rules };
    if (mct_ruled_tool(&app->registry, &all->naming, x->provider, x->item, &ret->tool) < 0)
        return mct_no_memory(err);
    ret->dotted = mct_view_tool_names(all, x)->dotted;
    return 0;
}

static void judge(struct subject *s, const struct mct_naming *naming)
{
    static const struct mct_rules none = { 0 };
    if (s->rules)
        s->left_out = mct_ruled_left_out(&s->app->registry, naming, s->rules);
    else
        s->rules = &none;
    s->standing = mct_ruled_standing(&s->app->offer.ruled, s->left_out, &s->tool);
    s->owner_only = mct_rules_owner_only(s->rules, &s->tool);
    mct_rules_admit(s->rules, s->left_out, &s->tool, &s->removed_by);
}

static bool is_left_out(const struct subject *s, size_t step)
{
    return step < MCT_RULE_STEPS && s->left_out >> step & 1;
}

/* ---- telling ---- */

static const char not_asked_for[] = "no allow list asks for it: name it, its plugin or group:plugins in policy.allow";

static void put_step_text(struct mct_buf *to, const struct subject *s, size_t i)
{
    const struct mct_rule_reason reason = mct_rule_judge(s->rules, &s->rules->steps[i], is_left_out(s, i), &s->tool);
    mct_buf_printf(to, "  %s: %s", s->rules->steps[i].label, results[reason.result]);
    if (reason.entry)
        mct_buf_printf(to, " by \"%s\"", reason.entry);
    mct_buf_addz(to, is_left_out(s, i) ? " (its allow list names no core tool, and does not count)\n" : "\n");
}

/* Hooks that a call of it passes, in their order: before it, observing, behind it. */
static struct mct_hook *next_hook(const struct subject *s, struct mct_hook *after)
{
    return s->is_hooked ? mct_hooks_next(&s->hooks, s->x->provider, after) : NULL;
}

static void put_hooks_text(struct mct_buf *to, const struct subject *s)
{
    for (struct mct_hook *h = NULL; (h = next_hook(s, h));)
        mct_buf_printf(to, "  hook %s: %s (priority %d)\n", mct_hook_kind_word(mct_hook_kind(h)), mct_hook_name(h),
                       mct_hook_priority(h));
}

static void put_hooks_json(struct mct_buf *to, const struct subject *s)
{
    mct_json_put_key(to, "hooks");
    mct_buf_addc(to, '[');
    for (struct mct_hook *h = NULL; (h = next_hook(s, h));) {
        mct_buf_addz(to, mct_buf_last(to) == '[' ? "{" : ",{");
        mct_json_put_member(to, "hook", mct_str_of(mct_hook_kind_word(mct_hook_kind(h))));
        mct_json_put_member(to, "name", mct_str_of(mct_hook_name(h)));
        mct_json_put_key(to, "priority");
        mct_buf_printf(to, "%d}", mct_hook_priority(h));
    }
    mct_buf_addc(to, ']');
}

static void put_text(struct mct_buf *to, const struct subject *s)
{
    mct_buf_add(to, s->x->name);
    mct_buf_addz(to, "\n  tool: ");
    mct_buf_add(to, s->dotted);
    if (s->tool.plugin.p)
        mct_buf_printf(to, "\n  plugin: %.*s", MCT_STR_ARG(s->tool.plugin));
    mct_buf_addc(to, '\n');
    for (size_t i = 0; i < s->rules->n_steps; i++)
        put_step_text(to, s, i);
    if (s->tool.optional)
        mct_buf_printf(to, "  optional: %s\n", mct_rules_ask_for(s->rules, &s->tool) ? "an allow list asks for it"
                                                                                     : not_asked_for);
    if (s->owner_only)
        mct_buf_printf(to, "  for the owner only%s%s%s\n", *s->owner_only ? " by \"" : ", as the tool itself says",
                       s->owner_only, *s->owner_only ? "\"" : "");
    mct_buf_printf(to, "  %s", standings[s->standing]);
    if (s->removed_by)
        mct_buf_printf(to, " by %s", s->removed_by->label);
    mct_buf_addc(to, '\n');
    put_hooks_text(to, s);
}

static void put_step_json(struct mct_buf *to, const struct subject *s, size_t i)
{
    const struct mct_rule_reason reason = mct_rule_judge(s->rules, &s->rules->steps[i], is_left_out(s, i), &s->tool);
    mct_buf_addz(to, i ? ",{" : "{");
    mct_json_put_member(to, "step", mct_str_of(s->rules->steps[i].label));
    mct_json_put_member(to, "result", mct_str_of(results[reason.result]));
    if (reason.entry)
        mct_json_put_member(to, "entry", mct_str_of(reason.entry));
    if (is_left_out(s, i))
        mct_json_put_raw(to, "allowIgnored", MCT_STR("true"));
    mct_buf_addc(to, '}');
}

static void put_json(struct mct_buf *to, const struct subject *s)
{
    mct_buf_addc(to, '{');
    mct_json_put_member(to, "name", s->x->name);
    mct_json_put_member(to, "tool", s->dotted);
    mct_json_put_member(to, "server", mct_str_of(s->x->provider->name));
    if (s->tool.plugin.p)
        mct_json_put_member(to, "plugin", s->tool.plugin);
    mct_json_put_raw(to, "ownerOnly", s->owner_only ? MCT_STR("true") : MCT_STR("false"));
    if (s->owner_only && *s->owner_only)
        mct_json_put_member(to, "ownerOnlyBy", mct_str_of(s->owner_only));
    if (s->tool.optional)
        mct_json_put_raw(to, "optionalAskedFor", mct_rules_ask_for(s->rules, &s->tool) ? MCT_STR("true") : MCT_STR("false"));
    mct_json_put_key(to, "steps");
    mct_buf_addc(to, '[');
    for (size_t i = 0; i < s->rules->n_steps; i++)
        put_step_json(to, s, i);
    mct_buf_addc(to, ']');
    mct_json_put_member(to, "result", mct_str_of(standings[s->standing]));
    if (s->removed_by)
        mct_json_put_member(to, "removedBy", mct_str_of(s->removed_by->label));
    put_hooks_json(to, s);
    mct_buf_addc(to, '}');
}

static void print(struct mct_app *app, const struct subject *s)
{
    struct mct_buf b;
    mct_buf_init(&b, 1u << 24);
    if (app->opt.output == MCT_OUT_JSON) {
        put_json(&b, s);
        mct_out_json(app, mct_buf_str(&b));
    } else {
        put_text(&b, s);
        mct_out_text(app, mct_buf_str(&b));
    }
    mct_buf_done(&b);
}

int mct_explain(struct mct_app *app, const char *name)
{
    const struct mct_naming naming = mct_config_naming(&app->config, app->opt.prefix);
    struct subject s;
    struct mct_view all;
    struct mct_error err;
    if (mct_view_init(&all, &app->registry, &(struct mct_view_opts){ .naming = &naming }) < 0) {
        mct_no_memory(&err);
        return mct_out_fail(app, &err, NULL);
    }
    int r = find(&all, app, name, &s, &err);
    if (r == 0) {
        judge(&s, &naming);
        mct_app_learn_hooks(app);
        s.is_hooked = mct_hook_target(&app->hooks, &all, s.x, &s.hooks);
        print(app, &s);
    }
    mct_view_done(&all);
    if (r == 0)
        return 0;
    mct_out_failures(app); /* it may belong to a server that did not start */
    return mct_out_fail(app, &err, NULL);
}
