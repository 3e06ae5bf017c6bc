#include "unit.h"

#include "read.h"
#include "config/config.h"

#include <time.h>

static bool is_listed(const struct mcti_rules *r, const char *name)
{
    struct mcti_rule_tool tool = { 0 };
    mcti_rule_tool_add(&tool, mcti_str_of(name), true);
    return mcti_rules_admit(r, 0, &tool, NULL);
}

/* Everybody's steps, and those of tokens behind them; tokens with the same lists share what is made of them. */
static void rules_are_made(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcptools\":{\"policy\":{\"allow\":[\"a*\",\"group:g\"],\"deny\":[\"ax\"],\"profile\":\"p\","
                        "\"also_allow\":[\"b\"],"
                        "\"profiles\":{\"p\":{\"allow\":[\"a*\"]}},\"groups\":{\"g\":[\"b\"]},\"owner_only\":[\"ay\"],"
                        "\"by_provider\":{\"o/m\":{\"deny\":["
                        "\"az\"]}}},\"serve\":{\"tokens\":[\"s\",{\"token\":\"t\",\"allow\":[\"a1\"],\"owner\":true},{"
                        "\"token\":\"u\",\"allow\":[\"a1\"]},"
                        "{\"token\":\"v\",\"provider\":\"O/m\"}]}}}");
    read_text("g.json", "{\"mcptools\":{\"policy\":{\"deny\":[\"aw\"]}}}");
    assert_int_equal(mcti_config_make_rules(&config), 0);
    assert_int_equal(config.n_problems, 1); /* another section was read before */
    const struct mcti_ruled all = mcti_config_ruled(&config);
    const struct mcti_credential *t = config.tokens;
    assert_true(is_listed(all.rules, "a1") && is_listed(all.rules, "b") && is_listed(all.rules, "az"));
    assert_false(is_listed(all.rules, "ax") || is_listed(all.rules, "aw") || is_listed(all.rules, "c") || all.stranger);
    assert_string_equal(all.rules->steps[0].label, "policy.profile (p)");
    assert_string_equal(all.rules->steps[2].label, "policy.allow (g.json)");
    assert_string_equal(all.rules->owner_only[0].tools.v[0], "ay");
    assert_true(t[0].prefs.ruled.rules == all.rules && t[0].prefs.ruled.stranger);
    assert_true(t[1].prefs.ruled.rules == t[2].prefs.ruled.rules && !t[1].prefs.ruled.stranger &&
                t[2].prefs.ruled.stranger);
    assert_true(is_listed(t[1].prefs.ruled.rules, "a1") && !is_listed(t[1].prefs.ruled.rules, "az"));
    assert_true(is_listed(t[3].prefs.ruled.rules, "a1") && !is_listed(t[3].prefs.ruled.rules, "az"));
}

static void doubtful_rules_are_told(void **state)
{
    static const struct {
        const char *policy, *told;
    } rows[] = {
        { "\"profile\":\"coding\"", "f.json: mcptools.policy.profile: unknown profile 'coding' hides nothing" },
        { "\"profile\":\"Full\"", NULL },
        { "\"also_allow\":[\"x\"]", "f.json: mcptools.policy.also_allow: has no effect without a profile" },
        { "\"deny\":[\"group:typo\"]", "f.json: mcptools.policy: unknown group 'group:typo'" },
        { "\"deny\":[\"group:a.B\",\"group:plugins\"]", NULL },
        { "\"deny\":[\"group:\\nw\"],\"groups\":{\"\\fw\":[\"x\"]}", NULL },
        { "\"owner_only\":[\"group:typo\"]", "f.json: mcptools.policy.owner_only: unknown group 'group:typo'" },
        { "\"groups\":{\"a.b\":[\"x\"]}", "group:a.b means the group" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        mcti_config_done(&config);
        mcti_config_init(&config);
        snprintf(text, sizeof text, "{\"mcpServers\":{\"a.b\":{\"command\":\"c\"}},\"mcptools\":{\"policy\":{%s}}}",
                 rows[i].policy);
        read_text("f.json", text);
        assert_int_equal(mcti_config_make_rules(&config), 0);
        if (rows[i].told ? !has_problem(rows[i].told) : config.n_problems != 0)
            fail_msg("row %zu: %s", i, config.n_problems ? config.problems[0].text : "nothing is told");
        assert_int_equal(mcti_config_ruled(&config).rules->n_steps, rows[i].policy[1] == 'd');
    }
}

static void policy_is_read(void **state)
{
    (void)state;
    read_text("f.json",
              "{\"mcpServers\":{\"a\":{\"command\":\"c\",\"trusted\":true}},\"mcptools\":{\"policy\":{\"read_only\":"
              "true,\"read_only_tools\":[\"a.get*\"],\"mutating_tools\":[\"*.rm\",\"x\"]}}}");
    assert_int_equal(config.n_problems, 0);
    const struct mcti_policy p = mcti_config_policy(&config);
    assert_true(config.servers[0].trusted && p.read_only && p.since_s > 0);
    assert_int_equal(p.n_read_only_tools, 1);
    assert_string_equal(p.read_only_tools[0], "a.get*");
    assert_int_equal(p.n_mutating_tools, 2);
    assert_string_equal(p.mutating_tools[1], "x");
}

/* The first section counts; a restriction holds whichever file it stands in. */
static void restrictions_of_other_sections_hold(void **state)
{
    (void)state;
    read_text("a.json",
              "{\"mcptools\":{\"policy\":{\"mutating_tools\":[\"x\"],\"read_only_tools\":[\"a.*\"]},\"names\":{"
              "\"scheme\":\"mcp\"}}}");
    read_text(
        "b.json",
        "{\n\"mcptools\":{\"policy\":{\"mutating_tools\":[\"y\"],\"read_only_tools\":[\"b.*\"],\"read_only\":true},"
        "\"names\":{\"scheme\":\"nexo\"}},\n\"mcptools\":{\"policy\":{\"read_only\":false}}}");
    const struct mcti_policy p = mcti_config_policy(&config);
    assert_false(config.broken);
    assert_true(p.read_only);
    assert_int_equal(p.n_mutating_tools, 2);
    assert_string_equal(p.mutating_tools[1], "y");
    assert_int_equal(p.n_read_only_tools, 1);
    assert_string_equal(config.scheme, "mcp");
    assert_int_equal(config.n_problems, 2);
    assert_true(has_problem("b.json:2: mcptools: \"mcptools\" was read from a.json before; of this section only"));
    assert_true(has_problem("b.json:3: mcptools: \"mcptools\" was read from a.json"));
    read_text("c.json", "{\"mcptools\":{\"policy\":{\n\"deny\":[1]}}}");
    assert_true(config.broken && has_problem("c.json:2: mcptools.policy.deny[0]: must be a string"));
}

/* {"caf\u00e9": …} */
static void names_are_what_they_mean(void **state)
{
    (void)state;
    read_text("f.json",
              "{\"mcpServer\\u0073\":{\"caf\\u00e9\":{\"command\":\"c\",\"env\":{\"\\u0041\":\"1\"}},\"caf\xc3\xa9\":{"
              "\"command\":\"d\"},\"\\ud800\":{\"command\":\"e\"}}}");
    assert_int_equal(config.n_servers, 1);
    assert_string_equal(config.servers[0].name, "caf\xc3\xa9");
    assert_string_equal(config.servers[0].env.v[0].key, "A");
    assert_int_equal(config.n_problems, 2);
    assert_true(has_problem("duplicate server name") && has_problem("name is not valid Unicode"));
}

/* Sound by themselves, but not together. */
static void settings_without_effect_are_told(void **state)
{
    static const struct {
        const char *settings, *told; /* NULL: nothing */
    } rows[] = {
        { "\"mcp\":{\"default_server\":\"nope\"}",
          "f.json: mcptools.mcp.default_server: unknown or disabled server 'nope'" },
        { "\"mcp\":{\"default_server\":\"off\"}", "unknown or disabled server 'off'" },
        { "\"mcp\":{\"default_server\":\"a.b\"}", NULL },
        { "\"mcp\":{\"list_max_resources\":500,\"list_max_resources_ceiling\":10}",
          "mcptools.mcp.list_max_resources: 500 exceeds list_max_resources_ceiling; 10 is used" },
        { "\"mcp\":{\"list_max_resources\":10,\"list_max_resources_ceiling\":10}", NULL },
        { "\"mcp\":{\"resource_max_bytes\":11,\"resource_max_bytes_ceiling\":10}",
          "mcptools.mcp.resource_max_bytes: 11 exceeds" },
        { "\"mcp\":{\"resource_uri_allowlist\":[\"https://\"]}", "resource_uri_allowlist: 'https://' matches no URI" },
        { "\"mcp\":{\"resource_uri_allowlist\":[\"file:\"]}", "resource_uri_allowlist: 'file:' matches no URI" },
        { "\"mcp\":{\"resource_uri_allowlist\":[\"https\",\"x+y\"]}", NULL },
        { "\"policy\":{\"read_only_tools\":[\"nosuch__*\"]}",
          "read_only_tools: 'nosuch__*' matches no tool of a configured server" },
        { "\"policy\":{\"read_only_tools\":[\"get_*\"]}", "'get_*' matches no tool of a configured server" },
        { "\"policy\":{\"read_only_tools\":[\"a.c.*\"]}", "'a.c.*' matches no tool of a configured server" },
        { "\"policy\":{\"read_only_tools\":[\"a.b\"]}", "'a.b' matches no tool of a configured server" },
        { "\"policy\":{\"read_only_tools\":[\"*\",\"?ff.x\",\"a*\",\"a.b.*\",\"a_b__x\",\"off.y*\",\"o*__x\",\"a.b.c."
          "d\"]}",
          NULL },
        { "\"policy\":{\"mutating_tools\":[\"get_*\"]}", NULL },
        { "\"names\":{\"scheme\":\"bare\"},\"policy\":{\"read_only_tools\":[\"get_*\"]}", NULL },
        { "\"serve\":{\"mode\":\"router\"}", "clients that choose no dialect get no tools" },
        { "\"serve\":{\"mode\":\"router\",\"dialects\":[\"nexo\"]}", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        mcti_config_done(&config);
        mcti_config_init(&config);
        snprintf(text, sizeof text,
                 "{\"mcpServers\":{\"a.b\":{\"command\":\"c\"},\"off\":{\"command\":\"c\",\"enabled\":false}},"
                 "\"mcptools\":{%s}}",
                 rows[i].settings);
        read_text("f.json", text);
        const struct mcti_offer offer = { .dialects = config.prefs.dialects,
                                          .alone = config.prefs.mode == MCT_MODE_ROUTER };
        mcti_config_check(&config, &offer);
        if (rows[i].told ? !has_problem(rows[i].told) : config.n_problems != 0)
            fail_msg("row %zu: %s", i, config.n_problems ? config.problems[0].text : "nothing is told");
        assert_false(config.broken);
    }
}

static void tokens_have_names_and_settings(void **state)
{
    (void)state;
    read_text("f.json",
              "{\"mcptools\":{\"serve\":{\"tokens\":[\"one\",{\"token\":\"two\",\"name\":\"alice.B-2_\",\"read_only\":"
              "true,\"dialects\":[\"codex\",\"nexo\"],\"mode\":\"router\"},{\"token\":\"three\",\"dialects\":[]},"
              "\"four\"]}}}");
    assert_int_equal(config.n_problems, 0);
    assert_int_equal(config.n_tokens, 4);
    const struct mcti_credential *t = config.tokens;
    assert_string_equal(t[0].name, "token-1");
    assert_string_equal(t[1].token, "two");
    assert_string_equal(t[1].name, "alice.B-2_");
    assert_true(t[1].prefs.read_only && !t[1].prefs.read_only_by_client && t[1].prefs.has_dialects);
    assert_int_equal(t[1].prefs.dialects, 3);
    assert_int_equal(t[1].prefs.mode, MCT_MODE_ROUTER);
    assert_true(t[2].prefs.has_dialects && !t[2].prefs.dialects && !t[2].prefs.read_only);
    assert_string_equal(t[3].name, "token-4");
    assert_false(t[3].prefs.has_dialects || t[3].prefs.mode);
}

/* Whoever cannot be told what a token lets do must not be let in. */
static void mistakes_in_settings_break_it(void **state)
{
    static const struct {
        const char *settings, *told;
    } rows[] = {
        { "\"policy\":{\n\"read_only\":1}", "f.json:2: mcptools.policy.read_only: must be true or false" },
        { "\"policy\":{\"read_only_tools\":\"x\"}",
          "f.json:1: mcptools.policy.read_only_tools: must be a list of strings" },
        { "\"policy\":{\"mutating_tools\":[1]}", "mcptools.policy.mutating_tools[0]: must be a string" },
        { "\"policy\":{\"allow\":\"x\"}", "mcptools.policy.allow: must be a list of strings" },
        { "\"policy\":{\"owner_only\":{}}", "mcptools.policy.owner_only: must be a list of strings" },
        { "\"policy\":{\"groups\":{\"g\":[\"x\",\" Group:h\"]}}",
          "mcptools.policy.groups.g: a group must not contain groups" },
        { "\"policy\":{\"groups\":{\"g\":{}}}", "mcptools.policy.groups.g: must be a list of strings" },
        { "\"policy\":{\"groups\":[]}", "mcptools.policy.groups: must be an object" },
        { "\"policy\":{\"profiles\":{\"p\":[]}}", "mcptools.policy.profiles.p: must be an object" },
        { "\"policy\":{\"profiles\":{\"p\":{},\"P\":{}}}", "mcptools.policy.profiles.P: duplicate name" },
        { "\"policy\":{\"profiles\":{\"p\":{\"deny\":[1]}}}", "mcptools.policy.profiles.p.deny[0]: must be a string" },
        { "\"policy\":{\"compat\":\"2025.1\"}", "mcptools.policy.compat: must be 2026.2" },
        { "\"hooks_compat\":true", "mcptools.hooks_compat: must be 2026.2" },
        { "\"names\":{\"scheme\":\"triple\"}", "mcptools.names.scheme: must be double, mcp, nexo or bare" },
        { "\"hooks\":[{\"on\":\"now\",\"command\":\"c\"}]", "mcptools.hooks[0].on: must be before, after, persist," },
        { "\"serve\":{\"tokens\":[{\"token\":\"t\",\"allow\":1}]}",
          "mcptools.serve.tokens[0].allow: must be a list of strings" },
        { "\"policy\":{\"read_only\":true},\n\"policy\":{}", "f.json:2: mcptools.policy: duplicate key; remove one" },
        { "\"policy\":{\"read_only\":true,\"read_\\u006fnly\":false}", "read_\\u006fnly: duplicate key" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"read_only\":true,\"read_only\":false}]}",
          "tokens[0].read_only: duplicate key" },
        { "\"serve\":{\"tokens\":\"x\"}", "mcptools.serve.tokens: must be a list of strings and objects" },
        { "\"serve\":{\"tokens\":[\"a\",\n7,\"b\"]}",
          "f.json:2: mcptools.serve.tokens[1]: must be a string or an object" },
        { "\"serve\":{\"tokens\":[\n{\"name\":\"a\"}]}", "f.json:2: mcptools.serve.tokens[0]: needs a \"token\"" },
        { "\"serve\":{\"tokens\":[\"\"]}", "mcptools.serve.tokens[0]: needs a \"token\"" },
        { "\"serve\":{\"tokens\":[\" a\"]}",
          "mcptools.serve.tokens[0]: \"token\" must not begin or end with white space" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\\t\"}]}",
          "mcptools.serve.tokens[0]: \"token\" must not begin or end with white space" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\n\"read_only\":\"yes\"}]}",
          "f.json:2: mcptools.serve.tokens[0].read_only: must be true or false" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"mode\":\"find\"}]}",
          "tokens[0].mode: must be full, router or search" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"dialects\":[\"latin\"]}]}",
          "tokens[0].dialects: must be a list of nexo" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"dialects\":\"nexo\"}]}",
          "tokens[0].dialects: must be a list of nexo" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"name\":\"a b\"}]}",
          "tokens[0]: \"name\" must be 1 to 64 letters" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"name\":\"\"}]}", "tokens[0]: \"name\" must be" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"name\":\"local\"}]}", "tokens[0]: \"name\" must be" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"name\":\"n\"},{\"token\":\"b\",\"name\":\"n\"}]}",
          "tokens[1]: duplicate \"name\"" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"name\":\"token-2\"},\"b\"]}", "tokens[1]: duplicate \"name\"" },
        { "\"serve\":{\"tokens\":[\"a\",{\"token\":\"a\",\"read_only\":true}]}", "tokens[1]: duplicate \"token\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        snprintf(text, sizeof text, "{\"mcptools\":{%s}}", rows[i].settings);
        read_alone(text, rows[i].told);
        assert_true(config.broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rules_are_made, setup, teardown),
        cmocka_unit_test_setup_teardown(doubtful_rules_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(policy_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(restrictions_of_other_sections_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_what_they_mean, setup, teardown),
        cmocka_unit_test_setup_teardown(settings_without_effect_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(tokens_have_names_and_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_settings_break_it, setup, teardown),
    };
    return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
