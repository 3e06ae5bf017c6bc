#include "unit.h"

#include "config/config.h"
#include "config/expand.h"
#include "config/jsonc.h"

#include <time.h>

static void comments_and_commas_are_blanked(void **state)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "{\"a\":1,}", "{\"a\":1 }" },
        { "[1, 2 , ]", "[1, 2   ]" },
        { "{} // end", "{}       " },
        { "/* a\nb */{}", "    \n    {}" },
        { "{\"u\":\"http://x/*y*/,]\"}", "{\"u\":\"http://x/*y*/,]\"}" },
        { "{\"q\":\"\\\"//\"}", "{\"q\":\"\\\"//\"}" },
        { "[,]", "[,]" },
        { "[1,,]", "[1,,]" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = strdup(rows[i].in);
        mcti_jsonc_blank(text, strlen(text));
        assert_string_equal(text, rows[i].out);
        free(text);
    }
}

static void variables_expand_once(void **state)
{
    struct mct_error err;
    (void)state;
    setenv("MCT_TEST_A", "value", 1);
    setenv("MCT_TEST_NESTED", "${MCT_TEST_A}", 1);
    setenv("MCT_TEST_EMPTY", "", 1);
    unsetenv("MCT_TEST_UNSET");
    static const char *const pairs[][2] = {
        { "plain", "plain" },
        { "${MCT_TEST_A}", "value" },
        { "a${MCT_TEST_A}b", "avalueb" },
        { "${MCT_TEST_UNSET:-d}", "d" },
        { "${MCT_TEST_UNSET:-}", "" },
        { "${MCT_TEST_EMPTY:-d}", "d" },
        { "${MCT_TEST_EMPTY}", "" },
        { "${MCT_TEST_NESTED}", "${MCT_TEST_A}" },
        { "$HOMEless $", "$HOMEless $" },
        { "$${X}", "${X}" },
        { "kill $$", "kill $$" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *got = mcti_expand(pairs[i][0], &err);
        assert_non_null(got);
        assert_string_equal(got, pairs[i][1]);
        free(got);
    }
    assert_null(mcti_expand("${MCT_TEST_UNSET}", &err));
    assert_non_null(strstr(err.message, "MCT_TEST_UNSET"));
    assert_null(mcti_expand("${", &err));
    assert_null(mcti_expand("${a b}", &err));
}

static struct mcti_config config; /* of the running test */

static int setup(void **state)
{
    (void)state;
    mcti_config_init(&config);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mcti_config_done(&config);
    return 0;
}

static void read_text(const char *file, const char *text)
{
    mcti_config_read(&config, file, text, strlen(text));
}

static bool has_problem(const char *part)
{
    for (size_t i = 0; i < config.n_problems; i++)
        if (strstr(config.problems[i].text, part))
            return true;
    return false;
}

/* Nothing but this has been read, and this is told of it. */
static void read_alone(const char *text, const char *told)
{
    mcti_config_done(&config);
    mcti_config_init(&config);
    read_text("f.json", text);
    if (!has_problem(told))
        fail_msg("not told: %s; but: %s", told, config.n_problems ? config.problems[0].text : "nothing");
}

static void native_file_is_read(void **state)
{
    (void)state;
    read_text("f.json",
              "{ // native\n \"mcpServers\": {\n  \"fs\": {\"command\":\"npx\",\"args\":[\"-y\",\"x\"],"
              "\"env\":{\"K\":\"${V:-n}\"},\"workingDir\":\"~/w\",\"timeout\":1.5,\"tools\":{\"deny\":[\"rm*\"]}},\n"
              "  \"off\": {\"command\":\"c\",\"enabled\":false},\n },\n \"mcptools\":{\"names\":{\"max_length\":40},"
              "\"limits\":{\"call_timeout_s\":7},\"serve\":{\"http\":\"127.0.0.1:1\",\"tokens\":[\"t\"]}} }");
    assert_int_equal(config.n_problems, 0);
    assert_int_equal(config.n_servers, 2);
    const struct mcti_config_server *fs = mcti_config_find(&config, MCT_STR("fs"));
    assert_string_equal(fs->command, "npx");
    assert_int_equal(fs->args.n, 2);
    assert_string_equal(fs->env.v[0].value, "${V:-n}");
    assert_string_equal(fs->cwd, "~/w");
    assert_int_equal(fs->timeout_ms, 1500);
    assert_string_equal(fs->deny.v[0], "rm*");
    assert_int_equal(fs->line, 3);
    assert_false(mcti_config_find(&config, MCT_STR("off"))->enabled);
    assert_int_equal(config.name_max, 40);
    assert_int_equal(config.call_timeout_ms, 7000);
    assert_string_equal(config.tokens[0].token, "t");
    assert_string_equal(config.tokens[0].name, "token-1");
    assert_false(config.broken);
}

static void resource_cache_is_read(void **state)
{
    (void)state;
    read_text("f", "{\"mcptools\":{}}");
    assert_false(config.cache.enabled);
    assert_int_equal(config.cache.ttl_ms, 30000);
    assert_int_equal(config.cache.max_entries, 256);
    assert_int_equal(config.cache.max_bytes, 64 << 20);
}

static void resource_cache_can_be_set(void **state)
{
    (void)state;
    read_text("f", "{\"mcptools\":{\"mcp\":{\"resource_cache\":{\"enabled\":true,\"ttl_s\":1.5,\"max_entries\":9,"
                   "\"max_bytes\":1000}}}}");
    assert_int_equal(config.n_problems, 0);
    assert_true(config.cache.enabled);
    assert_int_equal(config.cache.ttl_ms, 1500);
    assert_int_equal(config.cache.max_entries, 9);
    assert_int_equal(config.cache.max_bytes, 1000);
}

static void plugins_are_read(void **state)
{
    (void)state;
    read_text("f.json",
              "{\"mcpServers\":{\"oc\":{\"type\":\"openclaw\",\"plugins\":[\"./a\",\"b\"],\"workingDir\":\"w\","
              "\"config\":{\"k\":[1]}},\"odd\":{\"command\":\"c\",\"config\":\"x\",\"plugins\":1}}}");
    const struct mcti_config_server *oc = mcti_config_find(&config, MCT_STR("oc"));
    assert_int_equal(oc->error.kind, MCT_ERR_NONE);
    assert_int_equal(oc->plugins.n, 2);
    assert_string_equal(oc->plugins.v[1], "b");
    assert_string_equal(oc->plugin_config, "{\"k\":[1]}");
    assert_string_equal(oc->cwd, "w");
    assert_int_equal(mcti_config_find(&config, MCT_STR("odd"))->error.kind,
                     MCT_ERR_NONE); /* another program's, whatever it is */
    assert_int_equal(config.n_problems, 2);
    assert_true(has_problem("mcpServers.odd.config: has no effect without \"type\": \"openclaw\" or \"plugin\""));
    assert_true(has_problem("mcpServers.odd.plugins: has no effect without \"type\": \"openclaw\""));
}

static void c_plugins_are_read(void **state)
{
    (void)state;
    read_text(
        "f.json",
        "{\"mcpServers\":{\"c\":{\"type\":\"plugin\",\"path\":\"./c.so\",\"config\":{},\"trial\":false,\"context\":"
        "{\"agentDir\":\"d\",\"agentId\":\"i\",\"sessionKey\":\"k\",\"messageChannel\":\"m\",\"agentAccountId\":\"a\","
        "\"sandboxed\":true,\"more\":1}},\"default\":{\"type\":\"plugin\",\"path\":\"x\"},"
        "\"odd\":{\"command\":\"c\",\"path\":\"x\",\"context\":1,\"trial\":1}}}");
    const struct mcti_config_server *c = mcti_config_find(&config, MCT_STR("c"));
    const char *const texts[] = { c->plugin_path, c->agent_dir,       c->agent_id,
                                  c->session_key, c->message_channel, c->agent_account_id };
    static const char *const expected[] = { "./c.so", "d", "i", "k", "m", "a" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(texts[i], expected[i]);
    assert_true(c->sandboxed && !c->trial && mcti_config_find(&config, MCT_STR("default"))->trial);
    assert_true(has_problem("mcpServers.c.context.more: unknown key"));
    assert_true(has_problem("mcpServers.odd.path: has no effect without \"type\": \"plugin\""));
    assert_int_equal(config.n_problems, 4);
}

static void relatives_are_read_too(void **state)
{
    (void)state;
    read_text("a", "{\"servers\":{\"x\":{\"type\":\"stdio\",\"command\":\"c\"}}}");
    read_text("b", "{\"mcp\":{\"servers\":{\"y\":{\"command\":\"c\"}}},\"other\":17}");
    read_text("c", "{\"mcpServers\":{\"x\":{\"command\":\"second\"}}}");
    assert_int_equal(config.n_servers, 2);
    assert_string_equal(mcti_config_find(&config, MCT_STR("x"))->command, "c"); /* the first source wins */
    assert_int_equal(config.n_problems, 0);
}

/* Whoever writes one means "everybody", and would get nobody. */
static void patterns_of_origins_break_it(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcptools\":{\"serve\":{\"origins\":[\"https://app.example.com\"]}}}");
    assert_false(config.broken);
    mcti_config_done(&config);
    mcti_config_init(&config);
    read_text("f.json", "{\"mcptools\":{\"serve\":{\"origins\":[\"https://app.example.com\",\"*\"]}}}");
    assert_true(config.broken);
    assert_true(has_problem("\"serve.origins\" must name each origin"));
}

/* A mistake names file, line and key, and costs its entry only. */
static void mistakes_cost_their_entry(void **state)
{
    static const struct {
        const char *entry, *told;
    } rows[] = {
        { "{\"command\":7}", "f.json:2: mcpServers.bad.command: must be a string" },
        { "{\"command\":\"c\",\"args\":\"x\"}", "mcpServers.bad.args: must be a list of strings" },
        { "{\"command\":\"c\",\"args\":[1]}", "mcpServers.bad.args: must be a list of strings" },
        { "{\"command\":\"c\",\"env\":{\"A\":1}}", "mcpServers.bad.env: must be an object of strings" },
        { "{\"command\":\"c\",\"timeout\":\"1\"}", "mcpServers.bad.timeout: must be a number of seconds" },
        { "{\"command\":\"c\",\"timeout\":-1}", "mcpServers.bad.timeout: must be a number of seconds" },
        { "{}", "mcpServers.bad: needs \"command\"" },
        { "17", "mcpServers.bad: must be an object" },
        { "{\"command\":\"c\",\"url\":\"http://x\"}", "has both \"command\" and \"url\"" },
        { "{\"url\":\"http://x\",\"type\":\"stdio\"}", "\"type\": \"stdio\" needs a \"command\"" },
        { "{\"command\":\"c\",\"type\":\"sse\"}", "a \"command\" is started over stdio" },
        { "{\"type\":\"http\"}", "needs a \"url\"" },
        { "{\"type\":\"plugin\"}", "\"type\": \"plugin\" needs \"path\"" },
        { "{\"type\":\"plugin\",\"path\":\"x\",\"command\":\"c\"}", "neither \"command\" nor" },
        { "{\"type\":\"plugin\",\"path\":1}", "mcpServers.bad.path: must be a string" },
        { "{\"type\":\"plugin\",\"path\":\"x\",\"trial\":0}", "mcpServers.bad.trial: must be true or false" },
        { "{\"type\":\"plugin\",\"path\":\"x\",\"context\":{\"agentId\":1}}",
          "mcpServers.bad.context.agentId: must be a string" },
        { "{\"type\":\"openclaw\"}", "needs \"plugins\"" },
        { "{\"type\":\"openclaw\",\"plugins\":[\"p\"],\"command\":\"c\"}", "neither \"command\" nor" },
        { "{\"type\":\"openclaw\",\"plugins\":\"p\"}", "mcpServers.bad.plugins: must be a list" },
        { "{\"type\":\"openclaw\",\"plugins\":[\"p\"],\"config\":[]}", "mcpServers.bad.config: must be an object" },
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"bearer\"}}", "needs a \"token\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"api-key\",\"key\":\"k\"}}", "a \"key\" and a \"header\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"oauth\"}}", "bearer and api-key only" },
        { "{\"url\":\"http://x\",\"headers\":{\"A\":1}}", "mcpServers.bad.headers: must be an object of strings" },
        { "{\"type\":\"carrier-pigeon\",\"command\":\"c\"}", "\"type\" must be" },
        { "{\"command\":\"c\",\"protocol\":\"2020-01-01\"}", "\"protocol\" must be" },
        { "{\"command\":\"c\",\"isolation\":\"alone\"}", "\"isolation\"" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        snprintf(text, sizeof text, "{\"mcpServers\":{\"good\":{\"command\":\"c\"},\n\"bad\":%s}}", rows[i].entry);
        read_alone(text, rows[i].told);
        assert_int_equal(mcti_config_find(&config, MCT_STR("bad"))->error.kind, MCT_ERR_CONFIG);
        assert_int_equal(mcti_config_find(&config, MCT_STR("good"))->error.kind, MCT_ERR_NONE);
        assert_false(config.broken);
    }
}

static void unknown_keys_warn(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcpServers\":{\"a\":{\"command\":\"c\",\n\"comand\":\"d\"}},\"$schema\":\"x\"}");
    assert_int_equal(config.n_problems, 1);
    assert_true(has_problem("f.json:2: mcpServers.a.comand: unknown key"));
    assert_false(config.problems[0].fatal);
}

static void maps_that_are_none_are_told(void **state)
{
    (void)state;
    read_alone("{\"mcpServers\":[]}", "f.json:1: mcpServers: must be an object");
    assert_true(config.broken);
    read_alone("{\"servers\":7}", "f.json:1: servers: must be an object");
    read_alone("{\n\"mcp\":{\"servers\":\"x\"}}", "f.json:2: mcp: must be an object");
    read_alone("{\"mcpservers\":{}}", "f.json:1: mcpservers: is not looked at: it is written \"mcpServers\"");
    assert_false(config.broken);
}

static void separators_of_names_are_checked(void **state)
{
    const struct mcti_offer offer = { 0 };
    (void)state;
    read_text("f.json", "{\"mcptools\":{\"names\":{\"separator\":\"\"}}}");
    mcti_config_check(&config, &offer);
    assert_true(has_problem("f.json: mcptools.names.separator: \"\" lets names"));
    mcti_config_done(&config);
    mcti_config_init(&config);
    read_text("f.json", "{\"mcptools\":{\"names\":{\"separator\":\".\"}}}");
    mcti_config_check(&config, &offer);
    assert_true(has_problem("mcptools.names.separator: '.' has characters"));
}

static void numbers_have_a_range(void **state)
{
    static const struct {
        const char *settings, *problem;
    } rows[] = {
        { "\"limits\":{\"memory_bytes\":1099511627777}",
          "limits.memory_bytes: must be a number from 1048576 to 1099511627776" },
        { "\"limits\":{\"memory_bytes\":1}", "limits.memory_bytes: must be a number from 1048576 to 1099511627776" },
        { "\"limits\":{\"server_share\":101}", "limits.server_share: must be a number from 1 to 100" },
        { "\"limits\":{\"server_share\":\"9\"}", "limits.server_share: must be a number from 1 to 100" },
        { "\"limits\":{\"drain_s\":-1}", "limits.drain_s: must be a number of seconds from 0 to 3600" },
    };
    char text[200];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "{\"mcptools\":{%s}}", rows[i].settings);
        read_alone(text, rows[i].problem);
    }
    teardown(state);
    setup(state);
    read_text("f.json", "{\"mcptools\":{\"limits\":{\"memory_bytes\":8589934592}}}");
    assert_int_equal(config.n_problems, 0);
    assert_true(config.memory_bytes == (uint64_t)8 << 30);
}

static void doubled_servers_are_told(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcpServers\":{\"a\":{\"command\":\"c\"},\"a\":{\"command\":\"d\"}}}");
    assert_true(has_problem("there twice"));
    assert_string_equal(config.servers[0].command, "c");
    assert_int_equal(config.n_servers, 1);
}

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
        { "\"profile\":\"coding\"",
          "policy.profile: there is no profile 'coding' in policy.profiles: nothing is left out" },
        { "\"profile\":\"Full\"", NULL },
        { "\"also_allow\":[\"x\"]", "policy.also_allow has no effect without a profile" },
        { "\"deny\":[\"group:typo\"]", "policy: 'group:typo' names nothing" },
        { "\"deny\":[\"group:a.B\",\"group:plugins\"]", NULL },
        { "\"deny\":[\"group:\\nw\"],\"groups\":{\"\\fw\":[\"x\"]}", NULL },
        { "\"owner_only\":[\"group:typo\"]", "policy.owner_only: 'group:typo' names nothing" },
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
    assert_true(has_problem("b.json:2: mcptools: another section was read before"));
    assert_true(has_problem("b.json:3: mcptools: another section"));
    read_text("c.json", "{\"mcptools\":{\"policy\":{\n\"deny\":[1]}}}");
    assert_true(config.broken && has_problem("c.json:2: mcptools.policy.deny: must be a list of strings"));
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
    assert_true(has_problem("this server is there twice") && has_problem("no server can have this name"));
}

/* Sound by themselves, but not together. */
static void settings_without_effect_are_told(void **state)
{
    static const struct {
        const char *settings, *told; /* NULL: nothing */
    } rows[] = {
        { "\"mcp\":{\"default_server\":\"nope\"}", "f.json: mcptools.mcp.default_server: there is no server 'nope'" },
        { "\"mcp\":{\"default_server\":\"off\"}", "there is no server 'off'" },
        { "\"mcp\":{\"default_server\":\"a.b\"}", NULL },
        { "\"mcp\":{\"list_max_resources\":500,\"list_max_resources_ceiling\":10}",
          "mcptools.mcp.list_max_resources: 500 is above list_max_resources_ceiling, and 10 counts" },
        { "\"mcp\":{\"list_max_resources\":10,\"list_max_resources_ceiling\":10}", NULL },
        { "\"mcp\":{\"resource_max_bytes\":11,\"resource_max_bytes_ceiling\":10}",
          "mcptools.mcp.resource_max_bytes: 11 is above" },
        { "\"mcp\":{\"resource_uri_allowlist\":[\"https://\"]}", "resource_uri_allowlist: 'https://' allows nothing" },
        { "\"mcp\":{\"resource_uri_allowlist\":[\"file:\"]}", "resource_uri_allowlist: 'file:' allows nothing" },
        { "\"mcp\":{\"resource_uri_allowlist\":[\"https\",\"x+y\"]}", NULL },
        { "\"policy\":{\"read_only_tools\":[\"nosuch__*\"]}", "read_only_tools: 'nosuch__*' is no tool of any server" },
        { "\"policy\":{\"read_only_tools\":[\"get_*\"]}", "'get_*' is no tool of any server" },
        { "\"policy\":{\"read_only_tools\":[\"a.c.*\"]}", "'a.c.*' is no tool of any server" },
        { "\"policy\":{\"read_only_tools\":[\"a.b\"]}", "'a.b' is no tool of any server" },
        { "\"policy\":{\"read_only_tools\":[\"*\",\"?ff.x\",\"a*\",\"a.b.*\",\"a_b__x\",\"off.y*\",\"o*__x\",\"a.b.c."
          "d\"]}",
          NULL },
        { "\"policy\":{\"mutating_tools\":[\"get_*\"]}", NULL },
        { "\"names\":{\"scheme\":\"bare\"},\"policy\":{\"read_only_tools\":[\"get_*\"]}", NULL },
        { "\"serve\":{\"mode\":\"router\"}", "clients that name none get no tools at all" },
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
    assert_true(t[1].prefs.read_only && !t[1].prefs.own_wish && t[1].prefs.has_dialects);
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
        { "\"policy\":{\"mutating_tools\":[1]}", "mcptools.policy.mutating_tools: must be a list of strings" },
        { "\"policy\":{\"allow\":\"x\"}", "mcptools.policy.allow: must be a list of strings" },
        { "\"policy\":{\"owner_only\":{}}", "mcptools.policy.owner_only: must be a list of strings" },
        { "\"policy\":{\"groups\":{\"g\":[\"x\",\" Group:h\"]}}",
          "mcptools.policy.groups.g: a group cannot hold groups" },
        { "\"policy\":{\"groups\":{\"g\":{}}}", "mcptools.policy.groups.g: must be a list of strings" },
        { "\"policy\":{\"groups\":[]}", "mcptools.policy.groups: must be an object" },
        { "\"policy\":{\"profiles\":{\"p\":[]}}", "mcptools.policy.profiles.p: must be an object" },
        { "\"policy\":{\"profiles\":{\"p\":{},\"P\":{}}}", "mcptools.policy.profiles.P: is there twice" },
        { "\"policy\":{\"profiles\":{\"p\":{\"deny\":[1]}}}",
          "mcptools.policy.profiles.p.deny: must be a list of strings" },
        { "\"policy\":{\"compat\":\"2025.1\"}", "\"policy.compat\" must be 2026.2" },
        { "\"serve\":{\"tokens\":[{\"token\":\"t\",\"allow\":1}]}",
          "mcptools.serve.tokens[0].allow: must be a list of strings" },
        { "\"policy\":{\"read_only\":true},\n\"policy\":{}", "f.json:2: mcptools.policy: is there twice" },
        { "\"policy\":{\"read_only\":true,\"read_\\u006fnly\":false}", "read_\\u006fnly: is there twice" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"read_only\":true,\"read_only\":false}]}",
          "tokens[0].read_only: is there twice" },
        { "\"serve\":{\"tokens\":\"x\"}", "mcptools.serve.tokens: must be a list of strings and objects" },
        { "\"serve\":{\"tokens\":[\"a\",\n7,\"b\"]}",
          "f.json:2: mcptools.serve.tokens[1]: must be a string or an object" },
        { "\"serve\":{\"tokens\":[\n{\"name\":\"a\"}]}", "f.json:2: mcptools.serve.tokens[0]: needs a \"token\"" },
        { "\"serve\":{\"tokens\":[\"\"]}", "mcptools.serve.tokens[0]: needs a \"token\"" },
        { "\"serve\":{\"tokens\":[\"${TOKEN}\"]}", "mcptools.serve.tokens[0]: variables are not replaced here" },
        { "\"serve\":{\"tokens\":[\" a\"]}", "mcptools.serve.tokens[0]: no client can send" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\\t\"}]}", "mcptools.serve.tokens[0]: no client can send" },
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
          "tokens[1]: this \"name\" is there twice" },
        { "\"serve\":{\"tokens\":[{\"token\":\"a\",\"name\":\"token-2\"},\"b\"]}",
          "tokens[1]: this \"name\" is there twice" },
        { "\"serve\":{\"tokens\":[\"a\",{\"token\":\"a\",\"read_only\":true}]}",
          "tokens[1]: this \"token\" is there twice" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024];
        snprintf(text, sizeof text, "{\"mcptools\":{%s}}", rows[i].settings);
        read_alone(text, rows[i].told);
        assert_true(config.broken);
    }
}

static void broken_files_are_told(void **state)
{
    (void)state;
    read_text("f.json", "{\n\"mcpServers\": {\n oops }}");
    assert_true(has_problem("f.json:3: not valid JSON"));
    assert_true(config.broken);
}

static void command_lines_split_into_words(void **state)
{
    static const struct {
        const char *line, *words[5];
    } rows[] = {
        { "npx -y pkg", { "npx", "-y", "pkg" } },
        { "  a  'b c' \"d \\\" e\" f\\ g ", { "a", "b c", "d \" e", "f g" } },
        { "x 'it'\"'\"'s' ''", { "x", "it's", "" } },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_config_server *s = mcti_config_add_server(&config, "s");
        struct mct_error err;
        assert_int_equal(mcti_config_split(rows[i].line, s, &err), 0);
        assert_string_equal(s->command, rows[i].words[0]);
        for (size_t k = 0; k < s->args.n; k++)
            assert_string_equal(s->args.v[k], rows[i].words[k + 1]);
        assert_null(rows[i].words[s->args.n + 1]);
    }
    struct mct_error err;
    assert_int_equal(mcti_config_split("a 'b", mcti_config_add_server(&config, "s"), &err), -1);
    assert_int_equal(mcti_config_split("  ", mcti_config_add_server(&config, "s"), &err), -1);
}

static void disabled_is_the_opposite_of_enabled(void **state)
{
    (void)state;
    read_text(
        "f.json",
        "{\"mcpServers\":{\"a\":{\"command\":\"c\",\"disabled\":true},\"b\":{\"command\":\"c\",\"disabled\":false},"
        "\"c\":{\"command\":\"c\",\"disabled\":true,\"enabled\":false},\n\"d\":{\"command\":\"c\",\"enabled\":true,"
        "\"disabled\":true},\n"
        "\"e\":{\"command\":\"c\",\"disabled\":false,\"enabled\":false}}}");
    assert_false(mcti_config_find(&config, MCT_STR("a"))->enabled);
    assert_true(mcti_config_find(&config, MCT_STR("b"))->enabled);
    assert_false(mcti_config_find(&config, MCT_STR("c"))->enabled);
    assert_int_equal(mcti_config_find(&config, MCT_STR("d"))->error.kind, MCT_ERR_CONFIG);
    assert_int_equal(mcti_config_find(&config, MCT_STR("e"))->error.kind, MCT_ERR_CONFIG);
    assert_true(has_problem("f.json:2: mcpServers.d: \"enabled\" and \"disabled\" are both true"));
    assert_int_equal(config.n_problems, 2);
}

/* Each entry has a mistake, so its line is asked for. */
static double seconds_to_read(unsigned n)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 26);
    mcti_buf_addz(&b, "{\"mcpServers\": {\n");
    for (unsigned i = 0; i < n; i++)
        mcti_buf_printf(&b, "\"server%u\": {\"comand\": \"c\"},\n", i);
    mcti_buf_addz(&b, "}}");
    mcti_config_done(&config);
    mcti_config_init(&config);
    clock_t before = clock();
    mcti_config_read(&config, "f.json", b.p, b.len);
    double s = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_int_equal(config.n_servers, n);
    char last[64];
    snprintf(last, sizeof last, "f.json:%u: mcpServers.server%u.comand", n + 1, n - 1);
    assert_true(has_problem(last));
    mcti_buf_done(&b);
    return s;
}

/* Ten times the servers take about ten times the time, not a hundred times. */
static void many_servers_are_read_in_linear_time(void **state)
{
    (void)state;
    double few = seconds_to_read(3000), many = seconds_to_read(30000);
    if (many > 40 * few + 0.1)
        fail_msg("3000 servers: %.3f s, 30000: %.3f s", few, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_commas_are_blanked),
        cmocka_unit_test(variables_expand_once),
        cmocka_unit_test_setup_teardown(native_file_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(resource_cache_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(resource_cache_can_be_set, setup, teardown),
        cmocka_unit_test_setup_teardown(plugins_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(c_plugins_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(relatives_are_read_too, setup, teardown),
        cmocka_unit_test_setup_teardown(patterns_of_origins_break_it, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_cost_their_entry, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_keys_warn, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_have_a_range, setup, teardown),
        cmocka_unit_test_setup_teardown(doubled_servers_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(rules_are_made, setup, teardown),
        cmocka_unit_test_setup_teardown(doubtful_rules_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(policy_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(restrictions_of_other_sections_hold, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_what_they_mean, setup, teardown),
        cmocka_unit_test_setup_teardown(settings_without_effect_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(tokens_have_names_and_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes_in_settings_break_it, setup, teardown),
        cmocka_unit_test_setup_teardown(broken_files_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(maps_that_are_none_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(separators_of_names_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(disabled_is_the_opposite_of_enabled, setup, teardown),
        cmocka_unit_test_setup_teardown(many_servers_are_read_in_linear_time, setup, teardown),
        cmocka_unit_test_setup_teardown(command_lines_split_into_words, setup, teardown),
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
