#include "hub/policy/ruled.h"

#include "hub/names/canon.h"

#include <stdlib.h>

/* What was found of the lists of one set of rules. */
struct ruling {
    const struct mct_rules *rules;
    uint64_t generation, left_out, warned;
};

struct mct_rulings {
    struct mct_attached attached;
    struct ruling *v;
    size_t n;
};

static void rulings_free(struct mct_attached *a)
{
    struct mct_rulings *r = MCT_CONTAINER(a, struct mct_rulings, attached);
    free(r->v);
    free(r);
}

static struct mct_rulings *rulings_of(struct mct_registry *registry)
{
    struct mct_rulings *r = registry->rulings ? registry->rulings : calloc(1, sizeof *r);
    if (r && !registry->rulings) {
        r->attached.free = rulings_free;
        mct_list_append(&registry->attached, &r->attached.node);
    }
    return registry->rulings = r;
}

/* ---- one tool ---- */

static struct mct_str plugin_of(const struct mct_item *item)
{
    struct mct_str id = MCT_STR_NONE;
    mct_json_plain(mct_json_get(mct_json_get(item->json, "_meta"), "openclaw/plugin"), &id);
    return id;
}

bool mct_ruled_says_owner_only(const struct mct_item *item)
{
    return mct_json_true(mct_json_get(mct_json_get(item->json, "_meta"), "openclaw/ownerOnly"));
}

bool mct_ruled_says_optional(const struct mct_provider *p, const struct mct_item *item)
{
    return p->hosts_plugins && mct_json_true(mct_json_get(mct_json_get(item->json, "_meta"), "openclaw/optional"));
}

int mct_ruled_tool(struct mct_registry *r, const struct mct_naming *naming, struct mct_provider *p,
                   const struct mct_item *item, struct mct_rule_tool *ret)
{
    const struct mct_tool_names *names = mct_canon_find(r, naming, p, item);
    if (!names)
        return -1;
    *ret = (struct mct_rule_tool){ .server = mct_str_of(p->name), .plugin = plugin_of(item),
                                   .plugin_is_sure = p->hosts_plugins, .owner_only = mct_ruled_says_owner_only(item),
                                   .optional = mct_ruled_says_optional(p, item) };
    mct_rule_tool_add(ret, names->dotted, names->dotted_is_sure);
    mct_rule_tool_add(ret, mct_str_of(names->prefixed), names->prefixed_is_sure);
    mct_rule_tool_add(ret, item->id, p->trusted || p->hosts_plugins || p->only_one);
    for (size_t i = 0; i < MCT_NAMES_ALONE; i++)
        mct_rule_tool_add(ret, mct_str_of(names->alone[i]), false);
    return 0;
}

/* ---- all ---- */

static size_t count(const struct mct_registry *r)
{
    size_t n = r->n;
    for (size_t i = 0; i < r->n; i++)
        n += r->v[i]->items[MCT_TOOL].n;
    return n;
}

/* All tools, and each server for itself, so that it is known whether or not it has any. */
static size_t collect(struct mct_registry *r, const struct mct_naming *naming, struct mct_rule_tool *to)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct mct_str id = mct_str_of(r->v[i]->name);
        to[n++] = (struct mct_rule_tool){ .server = id, .plugin = r->v[i]->hosts_plugins ? id : MCT_STR_NONE,
                                          .plugin_is_sure = r->v[i]->hosts_plugins };
        for (size_t k = 0; k < r->v[i]->items[MCT_TOOL].n; k++)
            n += mct_ruled_tool(r, naming, r->v[i], r->v[i]->items[MCT_TOOL].v[k], &to[n]) == 0;
    }
    return n;
}

static uint64_t check(const struct mct_rules *rules, const struct mct_rule_tool *tools, size_t n, struct mct_buf *said)
{
    uint64_t left_out = 0;
    for (size_t i = 0; i < rules->n_steps; i++) {
        size_t before = said->len;
        bool is = mct_rule_check_allow(rules, &rules->steps[i], tools, n, said);
        left_out |= i < MCT_RULE_STEPS && is ? (uint64_t)1 << i : 0;
        if (said->len > before)
            mct_buf_addc(said, '\n');
    }
    return left_out;
}

static void tell(const struct mct_registry *r, struct ruling *ruling, struct mct_str said)
{
    struct mct_str line;
    uint64_t hash = mct_hash(0, said);
    if (hash == ruling->warned)
        return;
    ruling->warned = hash;
    while (mct_str_split(&said, '\n', &line))
        if (line.len && r->n)
            mct_log(r->v[0]->log, MCT_LOG_WARN, "%.*s", MCT_STR_ARG(line));
}

static struct ruling *ruling_of(struct mct_registry *r, const struct mct_rules *rules)
{
    struct mct_rulings *all = rulings_of(r);
    for (size_t i = 0; all && i < all->n; i++)
        if (all->v[i].rules == rules)
            return &all->v[i];
    struct ruling *v = all ? realloc(all->v, (all->n + 1) * sizeof *v) : NULL;
    if (!v)
        return NULL;
    all->v = v;
    v[all->n] = (struct ruling){ .rules = rules, .warned = mct_hash(0, MCT_STR("")) };
    return &v[all->n++];
}

uint64_t mct_ruled_left_out(struct mct_registry *r, const struct mct_naming *naming, const struct mct_rules *rules)
{
    struct ruling *ruling = mct_registry_settled(r) ? ruling_of(r, rules) : NULL;
    struct mct_buf said;
    if (!ruling || ruling->generation == r->generation)
        return ruling ? ruling->left_out : 0;
    struct mct_rule_tool *tools = calloc(count(r) + 1, sizeof *tools);
    if (!tools)
        return 0;
    mct_buf_init(&said, 1u << 20);
    ruling->left_out = check(rules, tools, collect(r, naming, tools), &said);
    ruling->generation = r->generation;
    free(tools);
    tell(r, ruling, mct_buf_str(&said));
    mct_buf_done(&said);
    return ruling->left_out;
}

enum mct_standing mct_ruled_standing(const struct mct_ruled *who, uint64_t left_out, const struct mct_rule_tool *tool)
{
    static const struct mct_rules none = { 0 };
    const struct mct_rules *rules = who->rules ? who->rules : &none;
    if (!mct_rules_admit(rules, left_out, tool, NULL))
        return MCT_REMOVED;
    return who->stranger && mct_rules_owner_only(rules, tool) ? MCT_RESTRICTED : MCT_ADMITTED;
}
