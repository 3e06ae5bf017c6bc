#include "config/connect/outside.h"

#include <stdlib.h>

static struct mcti_rule_step outside_step(const struct mcti_config_rules *section, const struct mcti_strings *list)
{
    return (struct mcti_rule_step){ .label = "policy",
                                    .deny = { (const char *const *)list->v, list->n },
                                    .section = section->section };
}

static bool outside_has_external_server(const struct mcti_config *c)
{
    bool has = false;
    for (size_t i = 0; !has && i < c->n_servers; i++)
        has = c->servers[i].enabled && c->servers[i].external;
    return has;
}

/* Groups are those of the rules of all clients. */
static struct mcti_rules outside_rules(const struct mcti_config *c, const struct mcti_rule_step *steps, size_t n)
{
    const struct mcti_rules *all = c->n_rules ? c->rules[0] : NULL;
    return (struct mcti_rules){
        .steps = steps, .n_steps = n, .groups = all ? all->groups : NULL, .n_groups = all ? all->n_groups : 0
    };
}

int mcti_config_renew_outside(const struct mcti_config *c, struct mcti_outside *o)
{
    size_t most = c->sections.n + 1, n_external = 0, n_guarded = 0;
    struct mcti_rule_step *external = calloc(most, sizeof *external), *guarded = calloc(most, sizeof *guarded);
    struct mcti_outside_rule *rules = calloc(most, sizeof *rules);
    if (!external || !guarded || !rules) {
        free(external);
        free(guarded);
        free(rules);
        return -1;
    }
    for (size_t i = 0; i < c->sections.n; i++) {
        const struct mcti_config_rules *s = &c->sections.v[i];
        if (s->external.n)
            external[n_external++] = outside_step(s, &s->external);
        if (!s->flow_tools.n || s->flow_mode == MCT_OUTSIDE_OFF)
            continue;
        rules[n_guarded] = (struct mcti_outside_rule){ s->flow_mode, s->flow_approval };
        guarded[n_guarded++] = outside_step(s, &s->flow_tools);
    }
    mcti_outside_take(o, &(struct mcti_outside_opts){ .is_on = n_external || outside_has_external_server(c),
                                                      .external = outside_rules(c, external, n_external),
                                                      .guarded = outside_rules(c, guarded, n_guarded),
                                                      .rules = rules,
                                                      .mark = c->external_mark,
                                                      .scope = c->flow_scope,
                                                      .remember_ms = c->flow_remember_ms });
    return 0;
}
