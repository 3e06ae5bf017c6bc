#include "hub/policy/ruled.h"

#include "hub/names/canon.h"

#include <stdlib.h>

/* The result of checking the `allow` lists of one set of rules. */
struct ruling {
    const struct mcti_rules *rules;
    uint64_t generation, left_out, warned;
};

struct mcti_rulings {
    struct mcti_attached attached;
    struct ruling *v;
    size_t n;
};

static void rulings_free(struct mcti_attached *a)
{
    struct mcti_rulings *r = MCT_CONTAINER(a, struct mcti_rulings, attached);
    free(r->v);
    free(r);
}

static struct mcti_rulings *rulings_of(struct mcti_registry *registry)
{
    struct mcti_rulings *r = registry->rulings ? registry->rulings : calloc(1, sizeof *r);
    if (r && !registry->rulings) {
        r->attached.free = rulings_free;
        mcti_list_append(&registry->attached, &r->attached.node);
    }
    return registry->rulings = r;
}

/* ---- one tool ---- */

static struct mcti_str plugin_of(const struct mcti_item *item)
{
    struct mcti_str id = MCT_STR_NONE;
    mcti_json_plain(mcti_json_get(mcti_json_get(mcti_item_json(item), "_meta"), "openclaw/plugin"), &id);
    return id;
}

bool mcti_ruled_says_owner_only(const struct mcti_item *item)
{
    return mcti_json_true(mcti_json_get(mcti_json_get(mcti_item_json(item), "_meta"), "openclaw/ownerOnly"));
}

bool mcti_ruled_says_optional(const struct mcti_provider *p, const struct mcti_item *item)
{
    return p->hosts_plugins &&
           mcti_json_true(mcti_json_get(mcti_json_get(mcti_item_json(item), "_meta"), "openclaw/optional"));
}

int mcti_ruled_tool(struct mcti_registry *r, const struct mcti_naming *naming, const struct mcti_provider *p,
                    const struct mcti_item *item, struct mcti_rule_tool *ret)
{
    const struct mcti_tool_names *names = mcti_canon_find(r, naming, p, item);
    if (!names)
        return -1;
    *ret = (struct mcti_rule_tool){ .server = mcti_str_of(p->name),
                                    .plugin = plugin_of(item),
                                    .plugin_is_sure = p->hosts_plugins,
                                    .owner_only = mcti_ruled_says_owner_only(item),
                                    .optional = mcti_ruled_says_optional(p, item) };
    mcti_rule_tool_add(ret, names->dotted, names->dotted_is_sure);
    mcti_rule_tool_add(ret, mcti_str_of(names->prefixed), names->prefixed_is_sure);
    mcti_rule_tool_add(ret, mcti_item_id(item), p->trusted || p->hosts_plugins || p->only_one);
    for (size_t i = 0; i < MCT_NAMES_ALONE; i++)
        mcti_rule_tool_add(ret, mcti_str_of(names->alone[i]), false);
    return 0;
}

/* ---- all ---- */

static size_t ruled_count(const struct mcti_registry *r)
{
    size_t n = r->n;
    for (size_t i = 0; i < r->n; i++)
        n += r->v[i]->items[MCT_TOOL].n;
    return n;
}

/* Collects all tools, and an entry for each server, so that a list may name a server without tools. */
static size_t ruled_collect(struct mcti_registry *r, const struct mcti_naming *naming, struct mcti_rule_tool *to)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct mcti_str id = mcti_str_of(r->v[i]->name);
        to[n++] = (struct mcti_rule_tool){ .server = id,
                                           .plugin = r->v[i]->hosts_plugins ? id : MCT_STR_NONE,
                                           .plugin_is_sure = r->v[i]->hosts_plugins };
        for (size_t k = 0; k < r->v[i]->items[MCT_TOOL].n; k++)
            n += mcti_ruled_tool(r, naming, r->v[i], r->v[i]->items[MCT_TOOL].v[k], &to[n]) == 0;
    }
    return n;
}

static uint64_t ruled_check(const struct mcti_rules *rules, const struct mcti_rule_tool *tools, size_t n,
                            struct mcti_buf *said)
{
    uint64_t left_out = 0;
    for (size_t i = 0; i < rules->n_steps; i++) {
        size_t before = said->len;
        bool is = mcti_rule_check_allow(rules, &rules->steps[i], tools, n, said);
        left_out |= i < MCT_RULE_STEPS && is ? (uint64_t)1 << i : 0;
        if (said->len > before)
            mcti_buf_addc(said, '\n');
    }
    return left_out;
}

static void ruled_log(const struct mcti_registry *r, struct ruling *ruling, struct mcti_str said)
{
    struct mcti_str line;
    uint64_t hash = mcti_hash(0, said);
    if (hash == ruling->warned)
        return;
    ruling->warned = hash;
    while (mcti_str_split(&said, '\n', &line))
        if (line.len && r->n)
            mcti_log(r->v[0]->log, MCT_LOG_WARN, "%.*s", MCT_STR_ARG(line));
}

static struct ruling *ruling_of(struct mcti_registry *r, const struct mcti_rules *rules)
{
    struct mcti_rulings *all = rulings_of(r);
    for (size_t i = 0; all && i < all->n; i++)
        if (all->v[i].rules == rules)
            return &all->v[i];
    struct ruling *v = all ? realloc(all->v, (all->n + 1) * sizeof *v) : NULL;
    if (!v)
        return NULL;
    all->v = v;
    v[all->n] = (struct ruling){ .rules = rules, .warned = mcti_hash(0, MCT_STR("")) };
    return &v[all->n++];
}

uint64_t mcti_ruled_left_out(struct mcti_registry *r, const struct mcti_naming *naming, const struct mcti_rules *rules)
{
    struct ruling *ruling = mcti_registry_settled(r) ? ruling_of(r, rules) : NULL;
    struct mcti_buf said;
    if (!ruling || ruling->generation == r->generation)
        return ruling ? ruling->left_out : 0;
    struct mcti_rule_tool *tools = calloc(ruled_count(r) + 1, sizeof *tools);
    if (!tools)
        return 0;
    mcti_buf_init(&said, 1u << 20);
    ruling->left_out = ruled_check(rules, tools, ruled_collect(r, naming, tools), &said);
    ruling->generation = r->generation;
    free(tools);
    ruled_log(r, ruling, mcti_buf_str(&said));
    mcti_buf_done(&said);
    return ruling->left_out;
}

enum mcti_standing mcti_ruled_standing(const struct mcti_ruled *who, uint64_t left_out,
                                       const struct mcti_rule_tool *tool)
{
    static const struct mcti_rules none = { 0 };
    const struct mcti_rules *rules = who->rules ? who->rules : &none;
    if (!mcti_rules_admit(rules, left_out, tool, NULL))
        return MCT_REMOVED;
    return who->stranger && mcti_rules_owner_only(rules, tool) ? MCT_RESTRICTED : MCT_ADMITTED;
}
