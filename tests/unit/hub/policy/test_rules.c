/* The policy pipeline: what lists mean, and what holds for all of them. */
#include "unit.h"

#include "base/rand.h"
#include "hub/policy/rules.h"

#define LIST(...)                                                                                                      \
    {                                                                                                                  \
        (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)            \
    }

static const char *const members[] = { "read", "write*", "group:git", " " };
static const struct mcti_rule_group groups[] = { { "fs", { members, 4 } } };
static const char *const owned[] = { "Cron", "group:git" };
static const struct mcti_rule_owned owner_only = { .tools = { owned, 2 } };
static const struct mcti_rules base = { .groups = groups, .n_groups = 1, .owner_only = &owner_only, .n_owner_only = 1 };

/* A tool of a server with the names it has in a gateway; the last one is its server's own choice. */
static struct mcti_rule_tool server_tool(const char *server, const char *dotted, const char *prefixed, const char *raw)
{
    struct mcti_rule_tool t = { .server = mcti_str_of(server) };
    mcti_rule_tool_add(&t, mcti_str_of(dotted), true);
    mcti_rule_tool_add(&t, mcti_str_of(prefixed), true);
    mcti_rule_tool_add(&t, mcti_str_of(raw), false);
    return t;
}

static struct mcti_rule_tool plain(const char *name)
{
    struct mcti_rule_tool t = { 0 };
    mcti_rule_tool_add(&t, mcti_str_of(name), true);
    return t;
}

static struct mcti_rule_tool of_plugin(const char *name, const char *plugin, bool is_sure)
{
    struct mcti_rule_tool t = plain(name);
    t.plugin = mcti_str_of(plugin);
    t.plugin_is_sure = is_sure;
    return t;
}

static enum mcti_rule_result judge(struct mcti_rule_step step, const struct mcti_rule_tool *tool)
{
    return mcti_rule_judge(&base, &step, false, tool).result;
}

static bool allows(const char *entry, struct mcti_rule_tool tool)
{
    return judge((struct mcti_rule_step){ .allow = { &entry, 1 } }, &tool) == MCT_RULE_PASSES;
}

static bool denies(const char *entry, struct mcti_rule_tool tool)
{
    return judge((struct mcti_rule_step){ .deny = { &entry, 1 } }, &tool) == MCT_RULE_DENIED;
}

/* ---- what entries mean ---- */

static void names_and_globs(void **state)
{
    static const struct {
        const char *entry, *name;
        bool matches;
    } rows[] = {
        { "*", "anything", true },
        { "**", "anything", true },
        { " * ", "x", true },
        { "read", "read", true },
        { "READ", "read", true },
        { "read", "ReAd", true },
        { "\tread ", "read", true },
        { "read", "reads", false },
        { "ead", "read", false },
        { "rea", "read", false },
        { "re*", "read", true },
        { "*ad", "read", true },
        { "r*d", "read", true },
        { "r*d", "rd", true },
        { "r*d", "reads", false },
        { "e*", "read", false },
        { "*a*d*", "read", true },
        { "*d*a*", "read", false },
        { "a*b*c", "a_b_b_c", true },
        { "a*b*c", "a_c_b", false },
        { "rea?", "read", false },
        { "rea?", "rea?", true },
        { "[r]ead", "read", false },
        { "[r]*", "[r]ead", true },
        { "re.d", "read", false },
        { "re\\ad", "read", false },
        { "", "read", false },
        { " ", "read", false },
        { "bash", "exec", true },
        { "exec", "bash", true },
        { "Bash", "EXEC", true },
        { "bas*", "exec", false },
        { "apply-patch", "apply_patch", true },
        { "apply_patch", "apply-patch", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (allows(rows[i].entry, plain(rows[i].name)) != rows[i].matches ||
            denies(rows[i].entry, plain(rows[i].name)) != rows[i].matches)
            fail_msg("'%s' and '%s'", rows[i].entry, rows[i].name);
}

static void groups_and_ids(void **state)
{
    struct mcti_rule_tool push = server_tool("git", "git.push", "git__push", "push");
    (void)state;
    assert_true(allows("group:fs", plain("read")) && allows(" Group:FS ", plain("write_file")));
    assert_false(allows("group:fs", plain("reads")));
    assert_false(allows("group:fs", push)); /* a group holds no groups */
    assert_true(allows("git", push) && allows("GIT", push) && allows("group:git", push) && denies("group:Git", push));
    assert_false(allows("gi*", plain("push")) || allows("git", plain("push")) || allows("group:gi", push));
    assert_false(allows("group:*", push) || denies("group:nothing", push) || denies("group:", push));
    assert_true(allows("group:plugins", of_plugin("w", "weather", true)) &&
                allows("Weather", of_plugin("w", "weather", true)));
    assert_true(allows("group:weather", of_plugin("w", "weather", true)));
    assert_false(allows("group:plugins", push) || allows("weather", push));
}

/* A stranger's word takes away, and does not let through. */
static void what_anybody_could_say_only_forbids(void **state)
{
    struct mcti_rule_tool push = server_tool("git", "git.push", "git__push", "push");
    (void)state;
    assert_true(allows("git.push", push) && allows("git__p*", push) && denies("git.push", push));
    assert_true(denies("push", push) && !allows("push", push));
    assert_true(denies("weather", of_plugin("w", "weather", false)) &&
                !allows("weather", of_plugin("w", "weather", false)));
    assert_true(denies("group:plugins", of_plugin("w", "weather", false)));
    assert_false(allows("group:plugins", of_plugin("w", "weather", false)));
}

static void steps(void **state)
{
    struct mcti_rule_tool read = plain("read"), write = plain("write");
    struct mcti_rule_step nothing = { 0 }, both = { .allow = LIST("*"), .deny = LIST("write") };
    (void)state;
    assert_int_equal(judge(nothing, &read), MCT_RULE_PASSES);
    assert_int_equal(judge(both, &read), MCT_RULE_PASSES);
    assert_int_equal(judge(both, &write), MCT_RULE_DENIED);
    assert_int_equal(judge((struct mcti_rule_step){ .deny = LIST("write") }, &read), MCT_RULE_PASSES);
    assert_int_equal(judge((struct mcti_rule_step){ .allow = LIST("write") }, &read), MCT_RULE_NOT_ALLOWED);
    assert_int_equal(judge((struct mcti_rule_step){ .allow = LIST("write"), .also = LIST("read") }, &read),
                     MCT_RULE_PASSES);
    assert_int_equal(judge((struct mcti_rule_step){ .also = LIST("write") }, &read), MCT_RULE_PASSES);
    assert_int_equal(
        mcti_rule_judge(&base, &(struct mcti_rule_step){ .allow = LIST("write"), .deny = LIST("x") }, true, &read)
            .result,
        MCT_RULE_PASSES);
    assert_string_equal(mcti_rule_judge(&base, &both, false, &write).entry, "write");
}

static void exec_brings_apply_patch(void **state)
{
    struct mcti_rule_tool patch = server_tool("s", "s.apply_patch", "s__apply_patch", "apply_patch");
    (void)state;
    assert_true(allows("exec", plain("apply_patch")) && allows("bash", plain("apply-patch")) &&
                allows("ex*", plain("apply_patch")));
    assert_true(allows("s.exec", patch) && allows("s__exec", patch));
    assert_false(allows("exec", patch) || allows("t.exec", patch) || allows("exec", plain("reapply_patch")));
    assert_false(allows("apply_patch", plain("exec")) || denies("exec", plain("apply_patch")));
    assert_false(allows("s.exec", server_tool("s", "s.x.apply_patch", "s__x_apply_patch", "x.apply_patch")));
}

static void the_owner_alone(void **state)
{
    struct mcti_rule_tool says = plain("x"), push = server_tool("git", "git.push", "git__push", "push"),
                          cron = plain("cron");
    struct mcti_rule_tool other = plain("y");
    (void)state;
    says.owner_only = true;
    assert_string_equal(mcti_rules_owner_only(&base, &says), "");
    assert_string_equal(mcti_rules_owner_only(&base, &cron), "Cron");
    assert_string_equal(mcti_rules_owner_only(&base, &push), "group:git");
    assert_null(mcti_rules_owner_only(&base, &other));
    assert_string_equal(MCT_OWNER_ONLY_TEXT, "Tool restricted to owner senders.");
}

/* A list means the groups of its own section, and what they do not name by its id. */
static void the_owner_alone_by_sections(void **state)
{
    static const char *const work[] = { "group:work" }, *const git[] = { "group:git" }, *const first[] = { "read" },
                             *const second[] = { "write" };
    static const struct mcti_rule_group of_both[] = { { "work", { first, 1 }, 0 },
                                                      { " Work", { second, 1 }, 1 },
                                                      { "git", { NULL, 0 }, 0 } };
    static const struct mcti_rule_owned lists[] = { { { git, 1 }, 0 }, { { work, 1 }, 1 }, { { git, 1 }, 1 } };
    const struct mcti_rules r = { .groups = of_both, .n_groups = 3, .owner_only = lists, .n_owner_only = 2 };
    struct mcti_rules more = r;
    struct mcti_rule_tool push = server_tool("git", "git.push", "git__push", "push"), read = plain("read"),
                          write = plain("write");
    (void)state;
    more.n_owner_only = 3;
    assert_string_equal(mcti_rules_owner_only(&r, &write), "group:work");
    assert_null(mcti_rules_owner_only(&r, &read));
    assert_null(mcti_rules_owner_only(&r, &push));
    assert_string_equal(mcti_rules_owner_only(&more, &push), "group:git");
}

/* What is optional passes no steps by itself, and no step lets it pass because another one has asked for it. */
static void optional_tools(void **state)
{
    static const struct {
        const char *entry;
        bool asks;
    } rows[] = { { "danger", true },        { "DANGER", true },      { "weather", true }, { "group:plugins", true },
                 { "group:weather", true }, { "group:risky", true }, { "*", false },      { "dang*", false },
                 { "group:all", false },    { "read", false } };
    static const char *const risky[] = { "danger" }, *const all[] = { "*" };
    static const struct mcti_rule_group own[] = { { "risky", { risky, 1 } }, { "all", { all, 1 } } };
    static const char *everything = "*", *danger = "danger";
    struct mcti_rule_tool tool = of_plugin("danger", "weather", true);
    const struct mcti_rules none = { 0 };
    (void)state;
    assert_true(mcti_rules_admit(&none, 0, &tool, NULL));
    tool.optional = true;
    assert_false(mcti_rules_admit(&none, 0, &tool, NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_rule_step made[] = { { .allow = { &everything, 1 } }, { .allow = { &rows[i].entry, 1 } } };
        const struct mcti_rules r = { .steps = made, .n_steps = 2, .groups = own, .n_groups = 2 };
        assert_int_equal(mcti_rules_admit(&r, 0, &tool, NULL), rows[i].asks);
        made[1].also = made[1].allow;
        made[1].allow = made[0].allow;
        assert_int_equal(mcti_rules_admit(&r, 0, &tool, NULL), rows[i].asks);
        made[1].section = 1; /* which only restricts */
        assert_false(mcti_rules_admit(&r, 0, &tool, NULL));
    }
    const struct mcti_rule_step made[] = { { .allow = { &danger, 1 } }, { .deny = { &danger, 1 } } };
    assert_true(mcti_rules_admit(&(struct mcti_rules){ .steps = made, .n_steps = 1 }, 0, &tool, NULL));
    assert_false(mcti_rules_admit(&(struct mcti_rules){ .steps = made, .n_steps = 2 }, 0, &tool, NULL));
    tool = of_plugin("other", "weather", false); /* that is what a stranger says */
    tool.optional = true;
    const char *plugin = "weather";
    const struct mcti_rule_step named = { .allow = { &plugin, 1 } };
    assert_false(mcti_rules_ask_for(&(struct mcti_rules){ .steps = &named, .n_steps = 1 }, &tool));
}

static void model_providers(void **state)
{
    static const char *const keys[] = { "openai", " OpenAI/GPT-5 ", "google", "x/y/z" };
    (void)state;
    assert_int_equal(mcti_rule_provider_key(keys, 4, MCT_STR("openai"), MCT_STR("gpt-5")), 1);
    assert_int_equal(mcti_rule_provider_key(keys, 4, MCT_STR("OPENAI"), MCT_STR("gpt-4")), 0);
    assert_int_equal(mcti_rule_provider_key(keys, 4, MCT_STR("openai"), MCT_STR_NONE), 0);
    assert_int_equal(mcti_rule_provider_key(keys, 4, MCT_STR("x"), MCT_STR("y/z")), 3);
    assert_int_equal(mcti_rule_provider_key(keys, 4, MCT_STR("anthropic"), MCT_STR("gpt-5")), 4);
    assert_int_equal(mcti_rule_provider_key(keys, 0, MCT_STR("openai"), MCT_STR("gpt-5")), 0);
}

/* ---- lists of plugin tools only ---- */

static void lists_without_core_tools(void **state)
{
#define UNKNOWN "tools: policy.allow allowlist contains unknown entries ("
#define IGNORED                                                                                                        \
    "). Ignoring allowlist so core tools remain available. Use tools.alsoAllow for additive plugin tool enablement."
#define WILL_NOT                                                                                                       \
    "). They match no tool. Write a tool as SERVER.TOOL: a bare name counts for plugins and trusted servers only. "    \
    "Servers that are down and plugins that are not loaded have no tools."
    const struct mcti_rule_tool tools[] = { plain("read"), server_tool("git", "git.push", "git__push", "push"),
                                            of_plugin("w_now", "weather", true) };
    const struct {
        struct mcti_rule_list allow, also;
        bool left_out;
        const char *told, *told_otherwise;
    } rows[] = {
        { LIST("w_now"), { 0 }, true, "", "" },
        { LIST("weather", "group:plugins"), { 0 }, true, "", "" },
        { LIST("w_*"), { 0 }, true, "", "" },
        { LIST("typo", "w_now", "other"), { 0 }, true, UNKNOWN "typo, other" IGNORED, UNKNOWN "typo, other" WILL_NOT },
        { LIST("typo"), { 0 }, true, UNKNOWN "typo" IGNORED, UNKNOWN "typo" WILL_NOT },
        { LIST("typo", "read"), { 0 }, false, UNKNOWN "typo" WILL_NOT, UNKNOWN "typo" WILL_NOT },
        { LIST("weather", "group:fs"), { 0 }, false, "", "" },
        { LIST("weather"), LIST("git"), false, "", "" },
        { LIST("weather", " * "), { 0 }, false, "", "" },
        { LIST("git__*"), { 0 }, false, "", "" },
        { { 0 }, LIST("typo"), false, "", "" },
        { { 0 }, { 0 }, false, "", "" },
    };
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        bool spares = i % 2;
        struct mcti_rule_step step = {
            .label = "policy.allow", .allow = rows[i / 2].allow, .also = rows[i / 2].also, .spares_core = spares
        };
        struct mcti_buf said;
        mcti_buf_init(&said, 4096);
        bool left_out = mcti_rule_check_allow(&base, &step, tools, 3, &said);
        if (left_out != (spares && rows[i / 2].left_out) ||
            !mcti_str_is(mcti_buf_str(&said), spares ? rows[i / 2].told : rows[i / 2].told_otherwise))
            fail_msg("row %zu: %d %.*s", i / 2, left_out, MCT_STR_ARG(mcti_buf_str(&said)));
        mcti_buf_done(&said);
    }
}

/* ---- what holds for all lists ---- */

enum { ROUNDS = 4000, MAX_STEPS = 5, MAX_ENTRIES = 4, N_TOOLS = 8 };

static const char *const entries[] = {
    "*",           "read",  "write*",    "git",  "group:git", "group:fs", "group:plugins", "weather", "exec",
    "apply_patch", "git.*", "git__push", "push", "*e*",       "typo",     "group:typo",    " ",       "cron"
};

static uint64_t seed;

static size_t below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % n;
}

static void fill(struct mcti_rule_list *list, const char **room)
{
    list->n = below(MAX_ENTRIES + 1);
    list->v = room;
    for (size_t i = 0; i < list->n; i++)
        room[i] = entries[below(sizeof entries / sizeof *entries)];
}

static void shuffle(struct mcti_rule_list list)
{
    const char **v = (const char **)list.v;
    for (size_t i = list.n; i > 1; i--) {
        size_t k = below(i);
        const char *one = v[k];
        v[k] = v[i - 1];
        v[i - 1] = one;
    }
}

static void make_tools(struct mcti_rule_tool *to)
{
    to[0] = plain("read");
    to[1] = plain("write_file");
    to[2] = plain("exec");
    to[3] = plain("apply_patch");
    to[4] = server_tool("git", "git.push", "git__push", "push");
    to[5] = server_tool("git", "git.apply_patch", "git__apply_patch", "apply_patch");
    to[6] = of_plugin("w_now", "weather", true);
    to[7] = of_plugin("cron", "weather", false);
}

static void all_pipelines(void **state)
{
    struct mcti_rule_tool tools[N_TOOLS];
    size_t n_admitted = 0, n_removed = 0;
    (void)state;
    make_tools(tools);
    mcti_random(&seed, sizeof seed);
    uint64_t first = seed;
    for (size_t round = 0; round < ROUNDS; round++) {
        const char *room[MAX_STEPS][3][MAX_ENTRIES];
        struct mcti_rule_step steps_[MAX_STEPS] = { 0 };
        struct mcti_rules r = base, fewer;
        bool before[N_TOOLS];
        r.steps = steps_;
        r.n_steps = 1 + below(MAX_STEPS);
        for (size_t i = 0; i < r.n_steps; i++) {
            fill(&steps_[i].allow, room[i][0]);
            fill(&steps_[i].also, room[i][1]);
            fill(&steps_[i].deny, room[i][2]);
        }
        fewer = r;
        fewer.n_steps--;
        for (size_t t = 0; t < N_TOOLS; t++) {
            const struct mcti_rule_step *by = NULL;
            before[t] = mcti_rules_admit(&r, 0, &tools[t], &by);
            *(before[t] ? &n_admitted : &n_removed) += 1;
            /* a step more never adds a tool; who takes one away is named; deny wins */
            if ((before[t] && !mcti_rules_admit(&fewer, 0, &tools[t], NULL)) || before[t] != !by)
                fail_msg("seed %llx, round %zu, tool %zu: a step added it", (unsigned long long)first, round, t);
            for (size_t i = 0; i < r.n_steps; i++)
                for (size_t k = 0; k < steps_[i].deny.n; k++)
                    if (before[t] && denies(steps_[i].deny.v[k], tools[t]))
                        fail_msg("seed %llx, round %zu, tool %zu: it is denied", (unsigned long long)first, round, t);
        }
        for (size_t i = 0; i < r.n_steps; i++) {
            shuffle(steps_[i].allow);
            shuffle(steps_[i].also);
            shuffle(steps_[i].deny);
        }
        size_t k = below(r.n_steps); /* nor does the order of steps matter */
        struct mcti_rule_step one = steps_[0];
        steps_[0] = steps_[k];
        steps_[k] = one;
        for (size_t t = 0; t < N_TOOLS; t++)
            if (mcti_rules_admit(&r, 0, &tools[t], NULL) != before[t])
                fail_msg("seed %llx, round %zu, tool %zu: order matters", (unsigned long long)first, round, t);
    }
    assert_true(n_admitted > ROUNDS / 10 && n_removed > ROUNDS / 10); /* both have been looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_globs),
        cmocka_unit_test(groups_and_ids),
        cmocka_unit_test(what_anybody_could_say_only_forbids),
        cmocka_unit_test(steps),
        cmocka_unit_test(exec_brings_apply_patch),
        cmocka_unit_test(the_owner_alone),
        cmocka_unit_test(the_owner_alone_by_sections),
        cmocka_unit_test(optional_tools),
        cmocka_unit_test(model_providers),
        cmocka_unit_test(lists_without_core_tools),
        cmocka_unit_test(all_pipelines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
