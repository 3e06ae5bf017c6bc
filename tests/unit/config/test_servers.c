#include "unit.h"

#include "read.h"
#include "config/config.h"

#include <time.h>

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

static void oauth_is_read(void **state)
{
    (void)state;
    read_text(
        "f.json",
        "{\"mcpServers\":{\"a\":{\"url\":\"https://x\",\"auth\":{\"type\":\"oauth\",\"grant\":\"client_credentials\","
        "\"client_id\":\"i\",\"private_key_file\":\"k.pem\",\"alg\":\"ES256\",\"scopes\":[\"r\",\"w\"],"
        "\"callback_port\":8000,\"callback_host\":\"localhost\",\"dpop\":\"required\",\"pkce\":\"assume\",\"allow_"
        "private\":true,"
        "\"extra_params\":{\"audience\":\"z\"},\"idp\":{\"client_id\":\"p\"}}},"
        "\"plain\":{\"url\":\"https://x\"},\"off\":{\"url\":\"https://x\",\"auth\":{\"type\":\"none\"}}},"
        "\"mcptools\":{\"auth\":{\"store\":\"memory\"}}}");
    assert_int_equal(config.n_problems, 0);
    const struct mcti_config_server *s = mcti_config_find(&config, MCT_STR("a"));
    assert_int_equal(s->auth_type, MCT_AUTH_OAUTH);
    assert_string_equal(s->oauth.grant, "client_credentials");
    assert_string_equal(s->oauth.private_key_file, "k.pem");
    assert_string_equal(s->oauth.scopes.v[1], "w");
    assert_int_equal(s->oauth.callback_port, 8000);
    assert_int_equal(s->oauth.callback_host, MCT_CALLBACK_LOCALHOST);
    assert_true(s->oauth.pkce == MCT_PKCE_ASSUMED && s->oauth.allow_private && s->oauth.dpop == 1);
    assert_string_equal(s->oauth.extra_params.v[0].value, "z");
    assert_string_equal(s->oauth.idp_client_id, "p");
    assert_int_equal(mcti_config_find(&config, MCT_STR("plain"))->auth_type, MCT_AUTH_UNSET);
    assert_int_equal(mcti_config_find(&config, MCT_STR("off"))->auth_type, MCT_AUTH_OFF);
    assert_string_equal(config.auth_store, "memory");
}

/* What other programs write; the scopes are "r" and "w". */
static void oauth_of_other_programs_is_read(void **state)
{
    static const char *const entries[] = {
        "\"oauth\":{\"enabled\":true,\"clientId\":\"i\",\"clientSecret\":\"s\",\"scopes\":[\"r\",\"w\"]}",
        "\"oauth\":{\"client_id\":\"i\",\"client_secret\":\"s\",\"scope\":\"r w\"}",
        "\"auth\":{\"CLIENT_ID\":\"i\",\"CLIENT_SECRET\":\"s\",\"scopes\":[\"r\",\"w\"]}",
        "\"auth\":\"oauth\",\"oauthClientId\":\"i\",\"oauthClientSecret\":\"s\",\"oauthScope\":\"r w\"",
        "\"oauthScopes\":[\"r\",\"w\"],\"oauthClientId\":\"i\",\"oauthClientSecret\":\"s\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"mcpServers\":{\"a\":{\"url\":\"https://x\",%s},\"o\":{\"url\":\"https://x\","
                 "\"oauth\":false},\"h\":{\"url\":\"https://x\",\"headers\":{\"Authorization\":\"a\"},"
                 "\"oauth\":{\"clientId\":\"i\"}}}}",
                 entries[i]);
        read_text("f.json", text);
        const struct mcti_config_server *s = mcti_config_find(&config, MCT_STR("a"));
        assert_int_equal(s->error.kind, 0);
        assert_int_equal(s->auth_type, MCT_AUTH_OAUTH);
        assert_string_equal(s->oauth.client_id, "i");
        assert_string_equal(s->oauth.client_secret, "s");
        assert_int_equal(s->oauth.scopes.n, 2);
        assert_string_equal(s->oauth.scopes.v[1], "w");
        assert_int_equal(mcti_config_find(&config, MCT_STR("o"))->auth_type, MCT_AUTH_OFF);
        s = mcti_config_find(&config, MCT_STR("h")); /* an Authorization header wins */
        assert_true(s->auth_type == MCT_AUTH_UNSET && !s->error.kind);
        mcti_config_done(&config);
        mcti_config_init(&config);
    }
}

/* Words stand for values; without the key the default holds. */
static void words_of_servers_are_read(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcpServers\":{\"plain\":{\"command\":\"c\"},\"a\":{\"url\":\"http://"
                        "x\",\"transport\":\"h\\u0074tp\",\"protocol\":"
                        "\"match\",\"isolation\":\"principal\",\"capabilities\":\"client\",\"resource_tools\":"
                        "\"never\",\"auth\":{\"type\":\"bearer\","
                        "\"token\":\"t\"}},\"old\":{\"command\":\"c\",\"protocol\":\"legacy\"},\"new\":{\"command\":"
                        "\"c\",\"protocol\":\"2026-07-28\"},"
                        "\"one\":{\"command\":\"c\",\"protocol\":\"2025-06-18\"}}}");
    assert_int_equal(config.n_problems, 0);
    const struct mcti_config_server *s = mcti_config_find(&config, MCT_STR("plain"));
    assert_true(s->type == MCT_SERVER_UNSET && s->isolation == MCT_SHARED && s->capabilities == MCT_CAPABILITIES_ALL);
    assert_true(s->resource_tools == MCT_RESOURCE_TOOLS_ASKED && s->auth_type == MCT_AUTH_UNSET);
    assert_true(s->protocol.era == MCT_ERA_AUTO && s->protocol.match == MCT_MATCH_AUTO &&
                s->protocol.rev == MCT_REV_NONE);
    s = mcti_config_find(&config, MCT_STR("a"));
    assert_true(s->type == MCT_SERVER_HTTP && s->isolation == MCT_BY_PRINCIPAL &&
                s->capabilities == MCT_CAPABILITIES_CLIENT);
    assert_true(s->resource_tools == MCT_RESOURCE_TOOLS_NEVER && s->auth_type == MCT_AUTH_BEARER);
    assert_true(s->protocol.era == MCT_ERA_AUTO && s->protocol.match == MCT_MATCH_ALL);
    s = mcti_config_find(&config, MCT_STR("old"));
    assert_true(s->protocol.era == MCT_ERA_HANDSHAKE && s->protocol.rev == MCT_REV_NONE && !s->protocol.match);
    s = mcti_config_find(&config, MCT_STR("new"));
    assert_true(s->protocol.era == MCT_ERA_STATELESS && s->protocol.rev == MCT_REV_2026_07_28);
    s = mcti_config_find(&config, MCT_STR("one"));
    assert_true(s->protocol.era == MCT_ERA_HANDSHAKE && s->protocol.rev == MCT_REV_2025_06_18);
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
        { "{\"command\":\"c\",\"args\":[1]}", "mcpServers.bad.args[0]: must be a string: \"1\"" },
        { "{\"command\":\"c\",\"env\":{\"A\":1}}", "mcpServers.bad.env.A: must be a string: \"1\"" },
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
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"api-key\",\"header\":\"k\"}}", "api-key needs a \"key\"" },
        { "{\"command\":\"c\",\"auth\":{\"type\":\"oauth\"}}", "\"auth\" of type oauth needs a \"url\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"bearer\",\"token\":\"t\",\"client_id\":\"c\"}}",
          "keys of type oauth" },
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"oauth\",\"token\":\"t\"}}", "remove \"token\" and \"key\"" },
        { "{\"url\":\"http://x\",\"headers\":{\"authorization\":\"t\"},\"auth\":{\"type\":\"oauth\"}}",
          "\"headers\" has Authorization" },
        { "{\"url\":\"http://x\",\"auth\":{\"issuer\":\"as.example\"}}", "must begin with https://" },
        { "{\"url\":\"http://x\",\"auth\":{\"client_metadata_url\":\"http://x/c\"}}",
          "\"client_metadata_url\" must begin with https://" },
        { "{\"url\":\"http://x\",\"auth\":{\"grant\":\"password\"}}", "mcpServers.bad.auth.grant: must be" },
        { "{\"url\":\"http://x\",\"auth\":{\"grant\":\"client_credentials\",\"client_id\":\"c\"}}",
          "needs a \"client_id\", and \"client_secret\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"client_secret\":\"c\"}}", "but no \"client_id\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"client_id\":\"c\",\"private_key\":\"k\",\"private_key_file\":\"f\"}}",
          "has both \"private_key\" and" },
        { "{\"url\":\"http://x\",\"auth\":{\"assertion\":\"k\",\"assertion_file\":\"f\"}}",
          "has both \"assertion\" and" },
        { "{\"url\":\"http://x\",\"auth\":{\"grant\":\"workload_identity\"}}", "needs an \"assertion\" or" },
        { "{\"url\":\"http://x\",\"auth\":{\"grant\":\"enterprise\",\"idp\":{\"client_id\":\"i\"}}}",
          "needs \"idp\" with a \"client_id\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"grant\":\"enterprise\",\"client_id\":\"c\",\"idp\":{\"client_id\":\"i\","
          "\"issuer\":\"https://i\"}}}",
          "needs an \"id_token\"" },
        { "{\"url\":\"http://x\",\"auth\":{\"callback_port\":70000}}",
          "mcpServers.bad.auth.callback_port: must be a number from 1 to 65535" },
        { "{\"url\":\"http://x\",\"auth\":{\"pkce\":\"no\"}}", "mcpServers.bad.auth.pkce: must be required or assume" },
        { "{\"url\":\"http://x\",\"auth\":{\"dpop\":true}}",
          "mcpServers.bad.auth.dpop: must be auto, required or never" },
        { "{\"url\":\"http://x\",\"auth\":{\"idp\":{\"issuer\":1}}}",
          "mcpServers.bad.auth.idp.issuer: must be a string" },
        { "{\"url\":\"http://x\",\"headers\":{\"A\":\"caf\u00e9\"}}", "HTTP headers must not have" },
        { "{\"url\":\"ws://x\",\"type\":\"ws\"}", "WebSocket is no transport" },
        { "{\"url\":\"http://x\",\"auth\":{\"type\":\"basic\"}}",
          "mcpServers.bad.auth.type: must be bearer, api-key, oauth or none" },
        { "{\"url\":\"http://x\",\"headers\":{\"A\":1}}", "mcpServers.bad.headers.A: must be a string: \"1\"" },
        { "{\"type\":\"carrier-pigeon\",\"command\":\"c\"}",
          "mcpServers.bad.type: must be stdio, streamable-http, http, sse, openclaw or plugin" },
        { "{\"command\":\"c\",\"protocol\":\"2020-01-01\"}",
          "mcpServers.bad.protocol: must be auto, match, single or legacy, or a revision such as 2025-11-25" },
        { "{\"command\":\"c\",\"isolation\":\"alone\"}",
          "mcpServers.bad.isolation: must be shared, session or principal" },
        { "{\"command\":\"c\",\"capabilities\":1}", "mcpServers.bad.capabilities: must be all or client" },
        { "{\"command\":\"c\",\"resource_tools\":\"\"}",
          "mcpServers.bad.resource_tools: must be asked, always or never" },
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
    read_alone("{\n\"mcp\":{\"servers\":\"x\"}}", "f.json:2: mcp.servers: must be an object");
    read_alone("{\"mcpservers\":{}}",
               "f.json:1: mcpservers: ignored, because no program has this key; write \"mcpServers\"");
    assert_false(config.broken);
}

static void separators_of_names_are_checked(void **state)
{
    const struct mcti_offer offer = { 0 };
    (void)state;
    read_text("f.json", "{\"mcptools\":{\"names\":{\"separator\":\"\"}}}");
    mcti_config_check(&config, &offer);
    assert_true(has_problem("f.json: mcptools.names.separator: \"\" joins names"));
    mcti_config_done(&config);
    mcti_config_init(&config);
    read_text("f.json", "{\"mcptools\":{\"names\":{\"separator\":\".\"}}}");
    mcti_config_check(&config, &offer);
    assert_true(has_problem("mcptools.names.separator: '.' contains characters"));
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
    assert_true(has_problem("f.json:1: mcpServers.a: duplicate server name"));
    assert_string_equal(config.servers[0].command, "c");
    assert_int_equal(config.n_servers, 1);
}

static void broken_files_are_told(void **state)
{
    (void)state;
    read_text("f.json", "{\n\"mcpServers\": {\n oops }}");
    assert_true(has_problem("f.json:3:2: not valid JSON"));
    assert_true(config.broken);
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
    double few = seconds_to_read(MUCH(3000)), many = seconds_to_read(MUCH(30000));
    if (many > 40 * few + 0.1)
        fail_msg("3000 servers: %.3f s, 30000: %.3f s", few, many);
}

static void values_inside_are_told_at_their_place(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcpServers\":{\n\"a\":{\"command\":\"c\",\"env\":{\"A\":\"1\",\n \"PORT\":8080}},\n"
                        "\"b\":{\"command\":\"c\",\"args\":[\"x\",\n  true]},\n"
                        "\"c\":{\"url\":\"http://h/\",\"headers\":{\"X\":[1]}}}}");
    assert_int_equal(config.n_problems, 3);
    assert_string_equal(config.problems[0].text, "f.json:3:2: mcpServers.a.env.PORT: must be a string: \"8080\"");
    assert_string_equal(config.problems[1].text, "f.json:5:3: mcpServers.b.args[1]: must be a string: \"true\"");
    assert_string_equal(config.problems[2].text, "f.json:6:35: mcpServers.c.headers.X: must be a string");
}

static void duplicate_variables_are_told(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcpServers\":{\"a\":{\"command\":\"c\",\"env\":{\"A\":\"1\",\"B\":\"2\",\n\"A\":\"3\"}}},"
                        "\"mcptools\":{\"telemetry\":{\"headers\":{\"X\":\"1\",\n\"X\":\"2\"}}}}");
    const struct mcti_config_server *s = mcti_config_find(&config, MCT_STR("a"));
    assert_int_equal(s->env.n, 2);
    assert_string_equal(s->env.v[0].value, "3");
    assert_true(has_problem("f.json:2: mcpServers.a.env.A: duplicate key; the last one is used"));
    assert_true(has_problem("f.json:3: mcptools.telemetry.headers.X: duplicate key; remove one"));
    assert_true(config.broken && !s->error.kind);
}

static void a_mistake_leaves_the_default(void **state)
{
    (void)state;
    read_text("f.json", "{\"mcpServers\":{\"a\":{\"command\":\"c\",\"enabled\":\"true\",\"breaker\":1}}}");
    const struct mcti_config_server *s = mcti_config_find(&config, MCT_STR("a"));
    assert_true(s->enabled && s->breaker && s->error.kind == MCT_ERR_CONFIG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(native_file_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(words_of_servers_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(oauth_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(oauth_of_other_programs_is_read, setup, teardown),
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
        cmocka_unit_test_setup_teardown(broken_files_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(maps_that_are_none_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(separators_of_names_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(disabled_is_the_opposite_of_enabled, setup, teardown),
        cmocka_unit_test_setup_teardown(values_inside_are_told_at_their_place, setup, teardown),
        cmocka_unit_test_setup_teardown(duplicate_variables_are_told, setup, teardown),
        cmocka_unit_test_setup_teardown(a_mistake_leaves_the_default, setup, teardown),
        cmocka_unit_test_setup_teardown(many_servers_are_read_in_linear_time, setup, teardown),
    };
    return cmocka_run_group_tests_name("servers", tests, NULL, NULL);
}
