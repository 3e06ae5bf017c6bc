/* Builds the rules of hub/policy/rules.h from the lists of tools in the configuration. */
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- lists that were read ---- */

struct mcti_config_rules *mcti_config_add_rules(struct mcti_config_rule_sets *to)
{
    struct mcti_config_rules *v = realloc(to->v, (to->n + 1) * sizeof *v);
    if (!v)
        return NULL;
    to->v = v;
    v[to->n] = (struct mcti_config_rules){ 0 };
    return &v[to->n++];
}

void mcti_config_clear_rules(struct mcti_config_rules *r)
{
    free(r->name);
    free(r->profile);
    free(r->provider);
    mcti_strings_clear(&r->allow);
    mcti_strings_clear(&r->also_allow);
    mcti_strings_clear(&r->deny);
    mcti_strings_clear(&r->owner_only);
    mcti_strings_clear(&r->external);
    mcti_strings_clear(&r->flow_tools);
    mcti_config_clear_rule_sets(&r->by_provider);
    *r = (struct mcti_config_rules){ 0 };
}

void mcti_config_clear_rule_sets(struct mcti_config_rule_sets *sets)
{
    for (size_t i = 0; i < sets->n; i++)
        mcti_config_clear_rules(&sets->v[i]);
    free(sets->v);
    *sets = (struct mcti_config_rule_sets){ 0 };
}

static const struct mcti_config_rules *config_rules_find(const struct mcti_config_rule_sets *sets, unsigned section,
                                                         const char *name)
{
    for (size_t i = 0; i < sets->n; i++)
        if (sets->v[i].section == section && mcti_str_eq_nocase(mcti_str_trim_white(mcti_str_of(sets->v[i].name)),
                                                                mcti_str_trim_white(mcti_str_of(name))))
            return &sets->v[i];
    return NULL;
}

static const struct mcti_config_rules *find_provider(const struct mcti_config_rule_sets *sets, const char *used)
{
    struct mcti_str model = mcti_str_trim_white(mcti_str_of(used)), provider = MCT_STR_NONE;
    const char **keys = calloc(sets->n + 1, sizeof *keys);
    size_t at = sets->n;
    mcti_str_split(&model, '/', &provider);
    for (size_t i = 0; keys && i < sets->n; i++)
        keys[i] = sets->v[i].name;
    if (keys && used)
        at = mcti_rule_provider_key(keys, sets->n, provider, model);
    free(keys);
    return at < sets->n ? &sets->v[at] : NULL;
}

/* ---- steps ---- */

/* Rules under construction, with the arrays they own. */
struct made {
    struct mcti_rules rules; /* must be first: free_made() gets a pointer to it */
    struct mcti_rule_step *steps;
    struct mcti_rule_group *groups;
    struct mcti_rule_owned *owner_only;
    bool failed;
};

static void free_made(struct mcti_rules *r)
{
    struct made *m = MCT_CONTAINER(r, struct made, rules);
    for (size_t i = 0; i < r->n_steps; i++) {
        free((char *)m->steps[i].label);
        free((char *)m->steps[i].deny_label);
    }
    free(m->steps);
    free(m->groups);
    free(m->owner_only);
    free(m);
}

static struct mcti_rule_list list_of(const struct mcti_strings *s)
{
    return (struct mcti_rule_list){ (const char *const *)s->v, s->n };
}

/* Returns the name of a list: it begins with `of` and, if a section is given, names its file. */
static char *step_label(const char *of, const char *what, const char *file)
{
    char *label = NULL;
    int n = asprintf(&label, "%s%s%s%s%s", of, what, file ? " (" : "", file ? file : "", file ? ")" : "");
    return n < 0 ? NULL : label;
}

/* Adds a step with the label `of` `what`, see step_label(). */
static struct mcti_rule_step *add_step(struct made *m, const struct mcti_config_rules *section, const char *of,
                                       const char *what, const char *file)
{
    struct mcti_rule_step *v = realloc(m->steps, (m->rules.n_steps + 1) * sizeof *v);
    char *label = v ? step_label(of, what, file) : NULL;
    if (v)
        m->steps = v;
    if (!label) {
        m->failed = true;
        return NULL;
    }
    v[m->rules.n_steps] = (struct mcti_rule_step){ .label = label,
                                                   .section = section->section,
                                                   .spares_core = section->compat == MCT_COMPAT_2026_2 };
    return &v[m->rules.n_steps++];
}

static void add_profile(struct made *m, const struct mcti_config *c, const struct mcti_config_rules *section,
                        const struct mcti_config_rules *r, const char *of)
{
    const struct mcti_config_rules *profile =
        r->profile ? config_rules_find(&c->profiles, section->section, r->profile) : NULL;
    struct mcti_rule_step *step = profile ? add_step(m, section, of, "profile", profile->name) : NULL;
    if (!step)
        return;
    step->allow = list_of(&profile->allow);
    step->deny = list_of(&profile->deny);
    step->also = list_of(&r->also_allow);
}

static void add_lists(struct made *m, const struct mcti_config_rules *section, const struct mcti_config_rules *r,
                      const char *of, const char *file)
{
    struct mcti_rule_step *step = r->allow.n || r->deny.n ? add_step(m, section, of, "allow", file) : NULL;
    if (!step)
        return;
    step->deny_label = step_label(of, "deny", file);
    m->failed |= !step->deny_label;
    step->allow = list_of(&r->allow);
    step->deny = list_of(&r->deny);
}

static void add_section(struct made *m, const struct mcti_config *c, const struct mcti_config_rules *s,
                        const char *used)
{
    const struct mcti_config_rules *provider = find_provider(&s->by_provider, used ? used : s->provider);
    const char *file = s == c->sections.v ? NULL : s->name;
    add_profile(m, c, s, s, "policy.");
    if (provider)
        add_profile(m, c, s, provider, "policy.by_provider.");
    add_lists(m, s, s, "policy.", file);
    if (provider)
        add_lists(m, s, provider, "policy.by_provider.", provider->name);
}

static void add_groups(struct made *m, const struct mcti_config *c)
{
    m->groups = calloc(c->groups.n + 1, sizeof *m->groups);
    m->failed |= !m->groups;
    for (size_t i = 0; m->groups && i < c->groups.n; i++)
        m->groups[i] =
            (struct mcti_rule_group){ c->groups.v[i].name, list_of(&c->groups.v[i].allow), c->groups.v[i].section };
    m->rules.groups = m->groups;
    m->rules.n_groups = m->groups ? c->groups.n : 0;
}

static void add_owner_only(struct made *m, const struct mcti_config *c)
{
    m->owner_only = calloc(c->sections.n + 1, sizeof *m->owner_only);
    m->failed |= !m->owner_only;
    for (size_t i = 0; m->owner_only && i < c->sections.n; i++)
        if (c->sections.v[i].owner_only.n)
            m->owner_only[m->rules.n_owner_only++] =
                (struct mcti_rule_owned){ list_of(&c->sections.v[i].owner_only), c->sections.v[i].section };
    m->rules.owner_only = m->owner_only;
}

/* Builds the rules of a token; `token` NULL: those of all clients. */
static struct mcti_rules *config_rules_make(struct mcti_config *c, const struct mcti_config_rules *token)
{
    struct mcti_rules **rules = realloc(c->rules, (c->n_rules + 1) * sizeof *rules);
    struct made *m = rules ? calloc(1, sizeof *m) : NULL;
    if (rules)
        c->rules = rules;
    if (!m)
        return NULL;
    for (size_t i = 0; i < c->sections.n; i++)
        add_section(m, c, &c->sections.v[i], token ? token->provider : NULL);
    if (token) {
        add_profile(m, c, &c->sections.v[0], token, "serve.tokens."); /* profiles of the first section */
        add_lists(m, &c->sections.v[0], token, "serve.tokens.", NULL);
    }
    add_groups(m, c);
    add_owner_only(m, c);
    m->rules.steps = m->steps;
    if (m->failed) {
        free_made(&m->rules);
        return NULL;
    }
    return rules[c->n_rules++] = &m->rules;
}

void mcti_config_free_rules(struct mcti_config *c)
{
    for (size_t i = 0; i < c->n_rules; i++)
        free_made(c->rules[i]);
    free(c->rules);
    c->rules = NULL;
    c->n_rules = 0;
}

/* ---- tokens: tokens with equal lists share their rules, and so the views of their clients ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool mcti_config_same_strings(const struct mcti_strings *a, const struct mcti_strings *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = !strcmp(a->v[i], b->v[i]);
    return same;
}

bool mcti_config_same_lists(const struct mcti_config_rules *a, const struct mcti_config_rules *b)
{
    return same_text(a->profile, b->profile) && same_text(a->provider, b->provider) &&
           mcti_config_same_strings(&a->allow, &b->allow) && mcti_config_same_strings(&a->also_allow, &b->also_allow) &&
           mcti_config_same_strings(&a->deny, &b->deny);
}

static const struct mcti_rules *made_for(struct mcti_config *c, size_t token)
{
    static const struct mcti_config_rules nothing = { 0 };
    const struct mcti_config_rules *own = &c->token_rules.v[token];
    if (mcti_config_same_lists(own, &nothing))
        return c->rules[0];
    for (size_t i = 0; i < token; i++)
        if (mcti_config_same_lists(own, &c->token_rules.v[i]))
            return c->tokens[i].prefs.ruled.rules;
    return config_rules_make(c, own);
}

/* ---- rules that views have while the configuration is read again ---- */

/* Adds rules that remove all tools of servers. */
static int config_rules_bar(struct mcti_config *c)
{
    static const char *const everything[] = { "*" };
    static const struct mcti_config_rules nowhere = { 0 };
    struct mcti_rules **rules = realloc(c->rules, (c->n_rules + 1) * sizeof *rules);
    struct made *m = rules ? calloc(1, sizeof *m) : NULL;
    c->rules = rules ? rules : c->rules;
    if (!m)
        return -1;
    struct mcti_rule_step *step = add_step(m, &nowhere, "a token that", " was removed", NULL);
    m->rules.steps = m->steps;
    rules[c->n_rules++] = &m->rules;
    if (step)
        step->deny = (struct mcti_rule_list){ everything, 1 };
    return step ? 0 : -1;
}

/* Exchanges two sets of rules but for their addresses. */
static void config_rules_exchange(struct mcti_config *fresh, size_t a, struct mcti_config *old, size_t b)
{
    struct mcti_rules *x = fresh->rules[a], *y = old->rules[b];
    struct made *p = MCT_CONTAINER(x, struct made, rules), *q = MCT_CONTAINER(y, struct made, rules), was = *p;
    *p = *q;
    *q = was;
    fresh->rules[a] = y;
    old->rules[b] = x;
    for (size_t i = 0; i < fresh->n_tokens; i++)
        if (fresh->tokens[i].prefs.ruled.rules == x)
            fresh->tokens[i].prefs.ruled.rules = y;
}

static size_t index_of_rules(const struct mcti_config *c, const struct mcti_rules *rules)
{
    size_t i = 0;
    while (i < c->n_rules && c->rules[i] != rules)
        i++;
    return i;
}

/* Returns the index of the rules in `fresh` that replace those with the index `b`; n_rules if none do. */
static size_t successor_of_rules(const struct mcti_config *fresh, const struct mcti_config *old, size_t b,
                                 mcti_same_token_fn same)
{
    for (size_t i = 0; b && i < old->n_tokens; i++)
        for (size_t k = 0; old->tokens[i].prefs.ruled.rules == old->rules[b] && k < fresh->n_tokens; k++)
            if (same(fresh, k, old, i))
                return index_of_rules(fresh, fresh->tokens[k].prefs.ruled.rules);
    return b ? fresh->n_rules : 0;
}

int mcti_config_carry_rules(struct mcti_config *fresh, struct mcti_config *old, mcti_same_token_fn same)
{
    for (size_t b = 0; b < old->n_rules; b++) {
        size_t a = successor_of_rules(fresh, old, b, same);
        if (a == fresh->n_rules && config_rules_bar(fresh) < 0)
            return -1;
        config_rules_exchange(fresh, a, old, b);
    }
    return 0;
}

/* ---- warnings ---- */

/* The place of a list, for messages: the index of its section, and its key below "mcptools.". */
struct list_place {
    struct mcti_config *config;
    unsigned section;
    const char *key;
};

/* Returns the file of the section; "" if memory was too short to store it. */
static const char *file_of(const struct list_place *at)
{
    const struct mcti_config_rule_sets *sections = &at->config->sections;
    return at->section < sections->n && sections->v[at->section].name ? sections->v[at->section].name : "";
}

#define WARN(at, fmt, ...)                                                                                             \
    mcti_config_problem((at)->config, false, "%s: mcptools.%s" fmt, file_of(at), (at)->key, __VA_ARGS__)

static void check_profile(const struct list_place *at, const struct mcti_config_rules *r)
{
    if (r->profile && !config_rules_find(&at->config->profiles, at->section, r->profile) &&
        !mcti_str_eq_nocase(mcti_str_trim_white(mcti_str_of(r->profile)), MCT_STR("full")))
        WARN(at, ".profile: unknown profile '%s' hides nothing; define it in policy.profiles", r->profile);
    if (r->also_allow.n && !r->profile)
        WARN(at, "%s", ".also_allow: has no effect without a profile");
}

static bool is_group(const struct mcti_config *c, unsigned section, struct mcti_str name)
{
    char *text = mcti_str_dup(name);
    bool is = !text || !strcasecmp(text, "plugins") || config_rules_find(&c->groups, section, text);
    for (size_t i = 0; text && !is && i < c->n_servers; i++) /* ids of plugins are unknown here */
        is = !strcasecmp(text, c->servers[i].name) || c->servers[i].plugins.n || c->servers[i].plugin_path;
    free(text);
    return is;
}

static void check_groups(const struct list_place *at, const struct mcti_strings *list)
{
    for (size_t i = 0; i < list->n; i++) {
        struct mcti_str name = mcti_rule_group_name(mcti_str_of(list->v[i]));
        if (name.len && !is_group(at->config, at->section, name))
            WARN(at, ": unknown group '%s': neither policy.groups nor a server has this name", list->v[i]);
    }
}

static void config_rules_check(struct mcti_config *c, unsigned section, const struct mcti_config_rules *r,
                               const char *key)
{
    const struct list_place at = { c, section, key };
    check_profile(&at, r);
    check_groups(&at, &r->allow);
    check_groups(&at, &r->also_allow);
    check_groups(&at, &r->deny);
}

static void check_section(struct mcti_config *c, const struct mcti_config_rules *section)
{
    const struct list_place owner_only = { c, section->section, "policy.owner_only" };
    const struct list_place external = { c, section->section, "policy.external" };
    const struct list_place flow = { c, section->section, "policy.flow.tools" };
    config_rules_check(c, section->section, section, "policy");
    check_groups(&owner_only, &section->owner_only);
    check_groups(&external, &section->external);
    check_groups(&flow, &section->flow_tools);
    for (size_t k = 0; k < section->by_provider.n; k++)
        config_rules_check(c, section->section, &section->by_provider.v[k], "policy.by_provider");
}

static void check_group_name(struct mcti_config *c, const struct mcti_config_rules *group)
{
    const struct list_place at = { c, group->section, "policy.groups" };
    if (mcti_config_find(c, mcti_str_of(group->name)))
        WARN(&at, ".%s: a server has this name, too; group:%s means the group", group->name, group->name);
}

/* Warns of guarded tools if no result is from outside. */
static void check_flow(struct mcti_config *c)
{
    const struct mcti_config_rules *guards = NULL;
    bool any = false;
    for (size_t i = 0; i < c->n_servers; i++)
        any |= c->servers[i].external;
    for (size_t i = 0; i < c->sections.n; i++) {
        any |= c->sections.v[i].external.n > 0;
        guards = c->sections.v[i].flow_tools.n ? &c->sections.v[i] : guards;
    }
    const struct list_place at = { c, guards ? guards->section : 0, "policy.flow.tools" };
    if (guards && !any)
        WARN(&at, "%s", ": has no effect, because nothing is external: neither a server nor a tool in policy.external");
}

static void check_all(struct mcti_config *c)
{
    check_flow(c);
    for (size_t i = 0; i < c->sections.n; i++)
        check_section(c, &c->sections.v[i]);
    for (size_t i = 0; i < c->profiles.n; i++)
        config_rules_check(c, c->profiles.v[i].section, &c->profiles.v[i], "policy.profiles");
    for (size_t i = 0; i < c->token_rules.n; i++)
        config_rules_check(c, 0, &c->token_rules.v[i], "serve.tokens");
    for (size_t i = 0; i < c->groups.n; i++)
        check_group_name(c, &c->groups.v[i]);
}

int mcti_config_make_rules(struct mcti_config *c)
{
    check_all(c);
    if (!config_rules_make(c, NULL))
        return -1;
    for (size_t i = 0; i < c->n_tokens; i++)
        if (!(c->tokens[i].prefs.ruled.rules = made_for(c, i)))
            return -1;
    return 0;
}

struct mcti_ruled mcti_config_ruled(const struct mcti_config *c)
{
    return (struct mcti_ruled){ .rules = c->n_rules ? c->rules[0] : NULL };
}
