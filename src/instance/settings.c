#include "instance/settings.h"

#include "config/connect/outside.h"
#include "config/connect/serve.h"
#include "instance/same.h"
#include "instance/vetting.h"

int mcti_settings_prepare(const struct mcti_instance *i, struct mcti_config *fresh, struct mct_error *err)
{
    const struct mcti_service *s = &i->service;
    if (!s->http)
        return 0;
    if (!s->any_host && mcti_config_check_exposure(fresh, s->address, err) < 0)
        return -1;
    return mcti_config_expand_tokens(fresh, err);
}

/* The configurations whose tokens are compared. */
struct two_configs {
    const struct mcti_config *fresh, *old;
};

static bool settings_token_stays(const void *data, size_t token)
{
    const struct two_configs *two = data;
    for (size_t i = 0; i < two->old->n_tokens; i++)
        if (mcti_same_token(two->fresh, token, two->old, i))
            return true;
    return false;
}

static int settings_serve(struct mcti_instance *i, const struct mcti_config *old)
{
    struct mcti_service *s = &i->service;
    const struct two_configs two = { &i->config, old };
    struct mcti_gateway_opts opts = mcti_config_gateway(&i->config, &i->offer, &i->dialect, &i->events);
    opts.policy = i->policy;
    mcti_gateway_update(s->gateway, &opts);
    i->registry.max_branches = i->config.server_connections;
    if (!s->http)
        return 0;
    const struct mcti_front_http_opts http = mcti_config_http(&i->config, s->address, &i->naming);
    return mcti_front_http_update(s->http, &http.guard, http.sessions, settings_token_stays, &two);
}

/* ---- which tools there are ---- */

static bool same_rule_sets(const struct mcti_config_rule_sets *a, const struct mcti_config_rule_sets *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        const struct mcti_config_rules *x = &a->v[i], *y = &b->v[i];
        same = mcti_config_same_lists(x, y) && mcti_config_same_strings(&x->owner_only, &y->owner_only) &&
               (!x->name == !y->name) && (!x->name || !strcmp(x->name, y->name)) && x->compat == y->compat &&
               same_rule_sets(&x->by_provider, &y->by_provider);
    }
    return same;
}

static bool same_tools(const struct mcti_config *a, const struct mcti_config *b)
{
    return a->read_only == b->read_only && mcti_config_same_strings(&a->read_only_tools, &b->read_only_tools) &&
           mcti_config_same_strings(&a->mutating_tools, &b->mutating_tools) &&
           same_rule_sets(&a->sections, &b->sections) && same_rule_sets(&a->groups, &b->groups) &&
           same_rule_sets(&a->profiles, &b->profiles);
}

int mcti_settings_apply(struct mcti_instance *i, struct mcti_config *old)
{
    bool same_budgets = mcti_result_rules_same(&i->config.results.rules, &old->results.rules);
    bool tells = i->service.gateway && (!same_budgets || !same_tools(&i->config, old));
    int r = mcti_config_carry_rules(&i->config, old, mcti_same_token);
    int64_t since_s = i->policy.since_s;
    bool was_read_only = i->policy.read_only;
    i->policy = mcti_config_policy(&i->config);
    if (was_read_only == i->policy.read_only)
        i->policy.since_s = since_s;
    i->registry.generation++;
    if (mcti_config_renew_outside(&i->config, &i->outside) < 0)
        r = -1;
    if (mcti_vetting_renew(i) < 0)
        r = -1;
    if (i->service.gateway && settings_serve(i, old) < 0)
        r = -1;
    if (tells)
        mcti_gateway_tell_tools(i->service.gateway);
    return r;
}
