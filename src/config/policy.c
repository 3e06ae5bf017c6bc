/* "mcptools.policy": lists of tools, and sets of them by name. */
#include "config/read_impl.h"

#include <stdlib.h>

#define C(member) offsetof(struct mcti_config, member)
#define R(member) offsetof(struct mcti_config_rules, member)

static const struct mcti_config_field profile_fields[] = {
    { "allow", STRINGS, R(allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, R(deny), NULL, NULL, 0, 0 },
    { 0 },
};

static const struct mcti_config_field provider_fields[] = {
    { "allow", STRINGS, R(allow), NULL, NULL, 0, 0 },
    { "deny", STRINGS, R(deny), NULL, NULL, 0, 0 },
    { "profile", STRING, R(profile), NULL, NULL, 0, 0 },
    { "also_allow", STRINGS, R(also_allow), NULL, NULL, 0, 0 },
    { 0 },
};

/* Of every section: restrictions hold whoever writes them. */
#define NARROWING                                                                                                      \
    { "allow", STRINGS, C(section.allow), NULL, NULL, 0, 0 }, { "deny", STRINGS, C(section.deny), NULL, NULL, 0, 0 },  \
        { "profile", STRING, C(section.profile), NULL, NULL, 0, 0 },                                                   \
        { "also_allow", STRINGS, C(section.also_allow), NULL, NULL, 0, 0 },                                            \
        { "provider", STRING, C(section.provider), NULL, NULL, 0, 0 },                                                 \
        { "by_provider", RULES, C(section.by_provider), provider_fields, NULL, 0, 0 },                                 \
        { "profiles", RULES, C(profiles), profile_fields, NULL, 0, 0 },                                                \
        { "groups", GROUPS, C(groups), NULL, NULL, 0, 0 },                                                             \
        { "owner_only", STRINGS, C(section.owner_only), NULL, NULL, 0, 0 },                                            \
        { "read_only", BOOL, C(read_only), NULL, NULL, 0, 0 },                                                         \
    {                                                                                                                  \
        "mutating_tools", STRINGS, C(mutating_tools), NULL, NULL, 0, 0                                                 \
    }

const struct mcti_config_field mcti_config_policy_fields[] = {
    NARROWING,
    { "read_only_tools", STRINGS, C(read_only_tools), NULL, NULL, 0, 0 },
    { "compat", STRING, C(section.compat), NULL, NULL, 0, 0 },
    { 0 },
};

const struct mcti_config_field mcti_config_more_policy_fields[] = {
    NARROWING,
    { "read_only_tools", SKIP, 0, NULL, NULL, 0, 0 },
    { "compat", SKIP, 0, NULL, NULL, 0, 0 },
    { 0 },
};

/* A group holds tools: a list that reached further would not show what it lets through. */
static bool holds_group(const struct mcti_strings *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (mcti_rule_group_name(mcti_str_of(members->v[i])).p)
            return true;
    return false;
}

static void read_rule_set(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_json_member m,
                          struct mcti_config_rules *to)
{
    const struct mcti_config_field lists = { "", OBJECT, 0, f->fields, NULL, 0, 0 },
                                   members = { "", STRINGS, R(allow), NULL, NULL, 0, 0 };
    bool is_group = f->type == GROUPS;
    to->name = mcti_config_key_dup(m);
    if (!to->name || !to->name[0])
        mcti_config_mistake(at, m, true, "needs a name");
    else if (mcti_config_read_field(at, is_group ? &members : &lists, m, to) && is_group && holds_group(&to->allow))
        mcti_config_mistake(at, m, true, "a group cannot hold groups");
}

static bool has_set(const struct mcti_config_rule_sets *sets, unsigned section, struct mcti_json_member m)
{
    bool has = false;
    char *name = mcti_config_key_dup(m);
    for (size_t i = 0; name && !has && i < sets->n; i++)
        has = sets->v[i].section == section && sets->v[i].name && !strcasecmp(sets->v[i].name, name);
    free(name);
    return has;
}

void mcti_config_read_rule_sets(struct mcti_config_place *at, const struct mcti_config_field *f, struct mcti_str object,
                                struct mcti_config_rule_sets *to)
{
    unsigned section = (unsigned)at->config->sections.n; /* which is closed when it has been read */
    struct mcti_json_member one;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &one);) {
        struct mcti_config_rules *set = has_set(to, section, one) ? NULL : mcti_config_add_rules(to);
        if (set)
            set->section = section;
        if (set)
            read_rule_set(at, f, one, set);
        else
            mcti_config_mistake(at, one, true, "is there twice");
    }
}
