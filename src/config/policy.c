/* "mcptools.policy": its keys, and sets of lists by name. */
#include "config/read_impl.h"

#include <stdlib.h>

#define OWNER struct mcti_config_rules

static const struct mcti_config_field profile_fields[] = {
    FIELD_STRINGS("allow", allow, "Tools that pass. If absent or empty, every tool passes."),
    FIELD_STRINGS("deny", deny, "Tools that are removed, even if `allow` names them."),
    { 0 },
};

static const struct mcti_config_field provider_fields[] = {
    FIELD_STRINGS("allow", allow, "Tools that pass. If absent or empty, every tool passes."),
    FIELD_STRINGS("deny", deny, "Tools that are removed, even if `allow` names them."),
    FIELD_STRING("profile", profile, "One of `policy.profiles`, or `full`."),
    FIELD_STRINGS("also_allow", also_allow, "Tools that pass in addition to those in `allow` of the profile."),
    { 0 },
};

/* Row that reads a group. */
static const struct mcti_config_field group_members = FIELD_STRINGS("", allow, NULL);

#undef OWNER
#define OWNER struct mcti_config

const struct mcti_word mcti_vet_words[] = {
    { "off", MCT_VET_OFF },
    { "warn", MCT_VET_WARN },
    { "quarantine", MCT_VET_QUARANTINE },
    { 0 },
};

static const struct mcti_word unpinned_words[] = {
    { "admit", MCT_UNPINNED_ADMIT },
    { "warn", MCT_UNPINNED_WARN },
    { "quarantine", MCT_UNPINNED_QUARANTINE },
    { 0 },
};

static const struct mcti_word mark_words[] = {
    { "meta", MCT_MARK_META },
    { "frame", MCT_MARK_FRAME },
    { "none", MCT_MARK_NONE },
    { 0 },
};

static const struct mcti_word flow_mode_words[] = {
    { "ask", MCT_OUTSIDE_ASK },
    { "deny", MCT_OUTSIDE_DENY },
    { "off", MCT_OUTSIDE_OFF },
    { 0 },
};

static const struct mcti_word approval_words[] = {
    { "session", MCT_OUTSIDE_PER_CLIENT },
    { "call", MCT_OUTSIDE_PER_CALL },
    { 0 },
};

static const struct mcti_word scope_words[] = {
    { "session", MCT_OUTSIDE_BY_SESSION },
    { "principal", MCT_OUTSIDE_BY_PRINCIPAL },
    { 0 },
};

static const struct mcti_config_field flow_fields[] = {
    FIELD_STRINGS("tools", section.flow_tools,
                  "Tools that are guarded: once a client has received a result from outside, they need approval."),
    FIELD_ENUM("mode", section.flow_mode, flow_mode_words,
               "`ask`: the client is asked, by an elicitation; a client that cannot be asked is refused. `deny`: it is "
               "refused. `off`: the tools are not guarded."),
    FIELD_ENUM("approval", section.flow_approval, approval_words,
               "`session`: the answer may hold for all further calls of the tool by this client. `call`: each call "
               "needs an approval of its own."),
    FIELD_ENUM("scope", flow_scope, scope_words,
               "Who counts as a client. `session`: a session; requests without one belong to their principal (the "
               "token). `principal`: everything with the same token.",
               .first_only = true),
    FIELD_SECONDS("remember", flow_remember_ms, 1, 31536000,
                  "How long a principal counts as one that has received a result from outside, after the last one.",
                  .first_only = true),
    { 0 },
};

const struct mcti_config_field mcti_config_policy_fields[] = {
    FIELD_STRINGS("allow", section.allow, "Tools that pass. If absent or empty, every tool passes."),
    FIELD_STRINGS("deny", section.deny, "Tools that are removed, even if `allow` names them."),
    FIELD_STRING("profile", section.profile, "One of `policy.profiles`, or `full`."),
    FIELD_STRINGS("also_allow", section.also_allow, "Tools that pass in addition to those in `allow` of the profile."),
    FIELD_STRING("provider", section.provider,
                 "The model provider in use, `provider` or `provider/model`: chooses from `policy.by_provider`."),
    FIELD_RULES("by_provider", section.by_provider, provider_fields,
                "Lists for model providers, by `provider/model` or `provider`."),
    FIELD_RULES("profiles", profiles, profile_fields, "Sets of lists that `profile` names."),
    FIELD_GROUPS("groups", groups, "Lists of tools by name. `group:NAME` stands for them in other lists of this file."),
    FIELD_STRINGS("owner_only", section.owner_only, "Tools that only the owner may use."),
    FIELD_STRINGS("external", section.external,
                  "Tools and servers whose results are data from outside; see docs/FLOW.md."),
    FIELD_ENUM("external_mark", external_mark, mark_words,
               "How such results are marked. `meta`: by `_meta[\"mcptools/external\"]`. `frame`: results of tools also "
               "by a text before and one behind their content. `none`: not at all.",
               .first_only = true),
    FIELD_OBJECT("flow", flow_fields, "Tools that need approval after a result from outside."),
    FIELD_BOOL("read_only", read_only, "`true` refuses every tool that may change something, for all clients."),
    FIELD_STRINGS(
        "mutating_tools", mutating_tools,
        "Globs over `SERVER.TOOL` or exposed names: tools that may change something, whatever their annotations say."),
    FIELD_STRINGS("read_only_tools", read_only_tools,
                  "Globs over `SERVER.TOOL` or `SERVER__TOOL`: tools that change nothing.", .first_only = true),
    FIELD_ENUM("compat", section.compat, mcti_compat_words,
               "`2026.2` ignores an `allow` list that names only tools of plugins, as OpenClaw 2026.2 does.",
               .preset = "lists apply as written", .first_only = true),
    FIELD_ENUM("pins", pins, mcti_vet_words,
               "What happens to items of a pinned server (`mcptools pin`) that differ from their pins, or are new: "
               "`quarantine` hides them until `mcptools approve`, `warn` reports them.",
               .preset = "`quarantine`", .first_only = true),
    FIELD_ENUM("pins_unpinned", pins_unpinned, unpinned_words, "What happens to items of servers without pins.",
               .preset = "`admit`", .first_only = true),
    FIELD_ENUM("scan", scan, mcti_vet_words,
               "What happens to items in which the rules of `mcptools scan` find something hard: `quarantine` hides "
               "them, `warn` reports them; see docs/SCAN.md.",
               .first_only = true),
    FIELD_STRINGS("scan_ignore", scan_ignore,
                  "Globs over `RULE` or `RULE:SERVER.ITEM`: findings that do not count, also for `mcptools scan`.",
                  .first_only = true),
    { 0 },
};

/* Returns true if one of the members is a group. Groups contain tools only, so that a list shows what it allows. */
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
    const struct mcti_config_field lists = FIELD_OBJECT("", f->fields, NULL);
    bool is_group = f->type == TYPE_GROUPS;
    to->name = mcti_config_key_dup(m);
    if (!to->name || !to->name[0])
        mcti_config_mistake(at, m, true, "the name must not be empty");
    else if (mcti_config_read_field(at, is_group ? &group_members : &lists, m, to) && is_group &&
             holds_group(&to->allow))
        mcti_config_mistake(at, m, true, "a group must not contain groups; list their tools instead");
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
    unsigned section = (unsigned)at->config->sections.n; /* the index that the section gets when it is added, after it
                                                          * was read */
    struct mcti_json_member one;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &one);) {
        struct mcti_config_rules *set = has_set(to, section, one) ? NULL : mcti_config_add_rules(to);
        if (set)
            set->section = section;
        if (set)
            read_rule_set(at, f, one, set);
        else
            mcti_config_mistake(at, one, true, "duplicate name; upper and lower case are the same here");
    }
}
