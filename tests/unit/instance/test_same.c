#include "unit.h"

#include "config/import/import.h"
#include "instance/same.h"

static struct mcti_config a, b;
static char kept[256];

static void same_read(struct mcti_config *c, const char *text)
{
    mcti_config_done(c);
    mcti_config_init(c);
    mcti_config_read(c, "f.json", text, strlen(text));
    assert_false(c->broken);
}

/* Reads two entries of the server "s". Returns whether they are the same. */
static bool same_entries(const char *x, const char *y)
{
    char text[512];
    snprintf(text, sizeof text, "{\"mcpServers\":{\"s\":%s}}", x);
    same_read(&a, text);
    snprintf(text, sizeof text, "\n\n{ // moved\n\"mcpServers\":{\"z\":{\"command\":\"z\"},\"s\":%s}}", y);
    same_read(&b, text);
    return mcti_same_server(mcti_config_find(&a, MCT_STR("s")), mcti_config_find(&b, MCT_STR("s")));
}

static void entries_are_compared_by_meaning(void **state)
{
    static const struct {
        bool same;
        const char *x, *y;
    } rows[] = {
        { true, "{\"command\":\"c\"}", "{\"command\":\"c\"}" },
        { true, "{\"command\":\"c\",\"cwd\":\"/w\"}", "{\"workingDir\":\"/w\",\n\"command\":\"c\"}" },
        { true, "{\"command\":\"c\",\"env\":{\"A\":\"1\",\"B\":\"2\"}}",
          "{\"command\":\"c\",\"env\":{\"B\":\"2\",\"A\":\"1\"}}" },
        { true, "{\"command\":\"c\",\"disabled\":false}", "{\"command\":\"c\",\"enabled\":true}" },
        { true, "{\"command\":\"c\",\"description\":\"one\"}", "{\"command\":\"c\",\"description\":\"two\"}" },
        { false, "{\"command\":\"c\"}", "{\"command\":\"d\"}" },
        { false, "{\"command\":\"c\",\"args\":[\"a\",\"b\"]}", "{\"command\":\"c\",\"args\":[\"b\",\"a\"]}" },
        { false, "{\"command\":\"c\",\"args\":[\"a\"]}", "{\"command\":\"c\",\"args\":[\"a\",\"\"]}" },
        { false, "{\"command\":\"c\",\"env\":{\"A\":\"1\"}}", "{\"command\":\"c\",\"env\":{\"A\":\"2\"}}" },
        { false, "{\"command\":\"c\",\"env\":{\"A\":\"1\"}}", "{\"command\":\"c\",\"env\":{\"B\":\"1\"}}" },
        { false, "{\"command\":\"c\"}", "{\"command\":\"c\",\"enabled\":false}" },
        { false, "{\"command\":\"c\"}", "{\"command\":\"c\",\"timeout\":2}" },
        { false, "{\"command\":\"c\"}", "{\"command\":\"c\",\"protocol\":\"legacy\"}" },
        { false, "{\"command\":\"c\"}", "{\"command\":\"c\",\"tools\":{\"deny\":[\"x\"]}}" },
        { false, "{\"command\":\"c\"}", "{\"url\":\"https://c\"}" },
        { false, "{\"url\":\"https://c\"}", "{\"url\":\"https://c\",\"type\":\"sse\"}" },
        { false, "{\"url\":\"https://c\",\"auth\":{\"type\":\"bearer\",\"token\":\"a\"}}",
          "{\"url\":\"https://c\",\"auth\":{\"type\":\"bearer\",\"token\":\"b\"}}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (same_entries(rows[i].x, rows[i].y) != rows[i].same)
            fail_msg("row %zu: %s, %s", i, rows[i].x, rows[i].y);
        if (same_entries(rows[i].y, rows[i].x) != rows[i].same)
            fail_msg("row %zu, the other way: %s, %s", i, rows[i].x, rows[i].y);
    }
}

static void same_on_kept(void *data, const char *key)
{
    (void)data;
    snprintf(kept + strlen(kept), sizeof kept - strlen(kept), "%s ", key);
}

static void some_settings_are_kept(void **state)
{
    (void)state;
    *kept = '\0';
    same_read(&a,
              "{\"mcptools\":{\"names\":{\"max_length\":40},\"serve\":{\"http\":\"127.0.0.1:1\",\"mode\":\"search\","
              "\"tokens\":[\"x\"]},\"limits\":{\"call_timeout_s\":1,\"message_bytes\":5000}}}");
    same_read(&b,
              "{\"mcptools\":{\"names\":{\"max_length\":50},\"serve\":{\"http\":\"127.0.0.1:2\",\"tokens\":[\"y\"]},"
              "\"limits\":{\"call_timeout_s\":2,\"message_bytes\":5000},"
              "\"hooks\":[{\"on\":\"before\",\"command\":\"h\"}]}}");
    mcti_same_keep(&b, &a, same_on_kept, NULL);
    assert_string_equal(kept, "names.max_length serve.http serve.mode hooks ");
    assert_int_equal(b.name_max, 40);
    assert_string_equal(b.serve_http, "127.0.0.1:1");
    assert_int_equal(b.prefs.mode, MCT_MODE_SEARCH);
    assert_int_equal(b.n_hooks, 0);
    assert_int_equal(a.n_hooks, 1);
    assert_int_equal(b.call_timeout_ms, 2000);
    assert_string_equal(b.tokens[0].token, "y");
}

/* What was set at the start borrows texts of the old configuration, which is freed. */
static void texts_in_use_are_kept(void **state)
{
    static const char config[] =
        "{\"mcptools\":{\"mcp\":{\"default_server\":\"s\",\"resource_uri_allowlist\":[\"x:\"]}}}";
    (void)state;
    *kept = '\0';
    same_read(&a, config);
    same_read(&b, config);
    const char *preferred = a.preferred, *allowed = a.uri_allow.v[0];
    mcti_same_keep(&b, &a, same_on_kept, NULL);
    assert_string_equal(kept, "");
    assert_ptr_equal(b.preferred, preferred);
    assert_ptr_equal(b.uri_allow.v[0], allowed);
}

static void entries_are_exchanged(void **state)
{
    (void)state;
    same_read(&a, "{\"mcpServers\":{\"s\":{\"command\":\"old\"}}}");
    same_read(&b, "{\"mcpServers\":{\"t\":{\"command\":\"t\"},\"s\":{\"command\":\"new\"}}}");
    mcti_same_exchange(&b, &a, "s");
    assert_string_equal(mcti_config_find(&a, MCT_STR("s"))->command, "new");
    assert_string_equal(mcti_config_find(&b, MCT_STR("s"))->command, "old");
    assert_string_equal(mcti_config_find(&b, MCT_STR("t"))->command, "t");
}

static void tokens_are_compared(void **state)
{
    static const char *const rows[] = {
        "{\"token\":\"y\",\"name\":\"n\"}",
        "{\"token\":\"x\",\"name\":\"m\"}",
        "{\"token\":\"x\",\"name\":\"n\",\"owner\":true}",
        "{\"token\":\"x\",\"name\":\"n\",\"read_only\":true}",
        "{\"token\":\"x\",\"name\":\"n\",\"mode\":\"search\"}",
        "{\"token\":\"x\",\"name\":\"n\",\"dialects\":[]}",
        "{\"token\":\"x\",\"name\":\"n\",\"deny\":[\"a\"]}",
    };
    char text[256];
    (void)state;
    same_read(&a, "{\"mcptools\":{\"serve\":{\"tokens\":[{\"token\":\"x\",\"name\":\"n\"}]}}}");
    same_read(&b, "{\"mcptools\":{\"serve\":{\"tokens\":[\"z\",{\"name\":\"n\",\"token\":\"x\"}]}}}");
    assert_true(mcti_same_token(&a, 0, &b, 1));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "{\"mcptools\":{\"serve\":{\"tokens\":[%s]}}}", rows[i]);
        same_read(&b, text);
        if (mcti_same_token(&a, 0, &b, 0))
            fail_msg("%s", rows[i]);
    }
}

/* Those who have the old rules get the new ones, at the same address. */
static void rules_keep_their_address(void **state)
{
    static const char *const text =
        "{\"mcptools\":{\"policy\":{\"deny\":[\"%s\"]},\"serve\":{\"tokens\":[{\"token\":\"x\",\"name\":\"n\","
        "\"deny\":[\"own\"]},{\"token\":\"%s\",\"name\":\"m\",\"deny\":[\"other\"]}]}}}";
    char one[512], two[512];
    (void)state;
    snprintf(one, sizeof one, text, "before", "y");
    snprintf(two, sizeof two, text, "after", "z");
    same_read(&a, one);
    same_read(&b, two);
    assert_int_equal(mcti_config_make_rules(&a), 0);
    assert_int_equal(mcti_config_make_rules(&b), 0);
    const struct mcti_rules *all = a.rules[0], *n = a.tokens[0].prefs.ruled.rules, *m = a.tokens[1].prefs.ruled.rules;
    assert_int_equal(mcti_config_carry_rules(&b, &a, mcti_same_token), 0);
    mcti_config_done(&a);
    mcti_config_init(&a);
    assert_ptr_equal(b.rules[0], all);
    assert_ptr_equal(b.tokens[0].prefs.ruled.rules, n);
    assert_ptr_not_equal(b.tokens[1].prefs.ruled.rules, m);
    assert_string_equal(all->steps[0].deny.v[0], "after");
    assert_string_equal(n->steps[1].deny.v[0], "own");
    assert_string_equal(m->steps[0].deny.v[0], "*"); /* its token has changed: nothing is left */
}

static int same_begin(void **state)
{
    (void)state;
    mcti_config_init(&a);
    mcti_config_init(&b);
    return 0;
}

static int same_end(void **state)
{
    (void)state;
    mcti_config_done(&a);
    mcti_config_done(&b);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries_are_compared_by_meaning, same_begin, same_end),
        cmocka_unit_test_setup_teardown(some_settings_are_kept, same_begin, same_end),
        cmocka_unit_test_setup_teardown(texts_in_use_are_kept, same_begin, same_end),
        cmocka_unit_test_setup_teardown(entries_are_exchanged, same_begin, same_end),
        cmocka_unit_test_setup_teardown(tokens_are_compared, same_begin, same_end),
        cmocka_unit_test_setup_teardown(rules_keep_their_address, same_begin, same_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
