/* "results": budgets of tool results, and the store of what is over them. */
#include "config/read_impl.h"

#define OWNER struct mcti_config

/* Reads a number of bytes, or a text with a unit. */
static bool results_budget(struct mcti_str value, size_t *ret)
{
    struct mcti_str text;
    if (mcti_json_type(value) == '0')
        return mcti_result_budget_read(value, ret);
    return mcti_json_plain(value, &text) && mcti_result_budget_read(text, ret);
}

static bool read_budget(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config *c = to;
    (void)at;
    return results_budget(m->value, &c->results.rules.bytes);
}

static bool read_budgets(struct mcti_config_place *at, const struct mcti_json_member *m, void *to)
{
    struct mcti_config *c = to;
    struct mcti_json_member one;
    size_t bytes;
    if (mcti_json_type(m->value) != '{')
        return false;
    for (struct mcti_json_iter it = mcti_json_open(m->value); mcti_json_next_member(&it, &one);) {
        char *glob = mcti_config_key_dup(one);
        if (!glob || !results_budget(one.value, &bytes))
            mcti_config_mistake(at, one, false, "must be a budget such as \"10k tokens\", \"64 KB\" or \"off\"");
        else
            mcti_result_rules_add(&c->results.rules, mcti_str_of(glob), bytes);
        free(glob);
    }
    return true;
}

const struct mcti_config_field mcti_config_results_fields[] = {
    FIELD_SPECIAL("budget", read_budget,
                  "must be a budget of at least 2000 bytes, such as \"25k tokens\" or 100000, or \"off\"",
                  "How much of a tool's result a client of the gateway gets, such as `\"25k tokens\"` (4 bytes each), "
                  "`\"100 KB\"` or `100000`. The whole is kept, and `read_result` and `mcptools://result/ID` read it. "
                  "See docs/RESULTS.md.",
                  .unit = "budget", .preset = "`off`"),
    FIELD_SPECIAL("budgets", read_budgets, "must be an object of budgets",
                  "Budgets of single tools: patterns of `SERVER.TOOL` or `SERVER` with their budgets. The first that "
                  "matches decides; `\"off\"` sets no limit.",
                  .unit = "object", .preset = "none"),
    FIELD_BYTES("bytes", results.bytes, 1u << 16, MCT_LIMIT_MEMORY_MAX,
                "Memory for kept results. One token may use half of it; the least recently used make room."),
    FIELD_SECONDS("ttl_s", results.ttl_ms, 1, 86400, "How long a result is kept."),
    { 0 },
};
