#include "unit.h"

#include "front/guard.h"
#include "front/http/prefs.h"

static void loopback_endpoint_answers_loopback_names_only(void **state)
{
    const struct mcti_guard g = { .loopback = true, .bound_host = MCT_STR("127.0.0.1") };
    static const char *const good[] = { "localhost", "localhost:8931", "LOCALHOST:1", "127.0.0.1:8931",
                                        "127.8.9.1", "[::1]:8931",     "[::1]" };
    static const char *const bad[] = { "",
                                       "evil.example.com",
                                       "evil.example.com:8931",
                                       "127.0.0.1.evil.com",
                                       "localhost.evil.com",
                                       "192.168.1.2:8931",
                                       "0.0.0.0",
                                       "[::2]",
                                       "[fe80::1]",
                                       "[::1].evil.com",
                                       "[::1]evil.com:1",
                                       "[::1]:80.evil.com",
                                       "[::1",
                                       "localhost:80.evil.com",
                                       "localhost:80:80",
                                       "127.0.0.1:x",
                                       ":80" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!mcti_guard_host(&g, mcti_str_of(good[i])))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (mcti_guard_host(&g, mcti_str_of(bad[i])))
            fail_msg("accepted: %s", bad[i]);
}

/* Rebinding needs a name, so addresses are fine where other machines are meant to come. */
static void open_endpoint_refuses_foreign_names(void **state)
{
    static const char *const hosts[] = { "gateway.lan" };
    const struct mcti_guard g = { .bound_host = MCT_STR("0.0.0.0"), .hosts = hosts, .n_hosts = 1 };
    (void)state;
    assert_true(mcti_guard_host(&g, MCT_STR("192.168.1.2:8931")));
    assert_true(mcti_guard_host(&g, MCT_STR("Gateway.LAN:8931")));
    assert_false(mcti_guard_host(&g, MCT_STR("evil.example.com")));
}

static void origins(void **state)
{
    static const char *const allowed[] = { "https://app.example.com" };
    const struct mcti_guard g = { .loopback = true, .origins = allowed, .n_origins = 1 };
    const struct mcti_str host = MCT_STR("localhost:8931");
    (void)state;
    assert_true(mcti_guard_origin(&g, MCT_STR_NONE, host));
    assert_true(mcti_guard_origin(&g, MCT_STR("http://localhost:5173"), host));
    assert_true(mcti_guard_origin(&g, MCT_STR("https://app.example.com"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("http://evil.example.com"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("http://localhost.evil.com"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("null"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR(""), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("http://evil.example.com/x://localhost"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("http://evil.example.com://localhost"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("http://localhost/x"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("http://[::1].evil.com"), host));
    assert_false(mcti_guard_origin(&g, MCT_STR("https://app.example.com.evil.com"), host));
}

static void tokens(void **state)
{
    static const struct mcti_credential list[] = { { .token = "first" }, { .token = "second" } };
    const struct mcti_guard g = { .tokens = list, .n_tokens = 2 }, open = { 0 };
    (void)state;
    assert_int_equal(mcti_guard_principal(&open, MCT_STR_NONE), 0);
    assert_int_equal(mcti_guard_principal(&g, MCT_STR("Bearer second")), 2);
    assert_int_equal(mcti_guard_principal(&g, MCT_STR("bearer  first ")), 1);
    assert_int_equal(mcti_guard_principal(&g, MCT_STR_NONE), -1);
    assert_int_equal(mcti_guard_principal(&g, MCT_STR("Bearer ")), -1);
    assert_int_equal(mcti_guard_principal(&g, MCT_STR("Bearer firs")), -1);
    assert_int_equal(mcti_guard_principal(&g, MCT_STR("Basic first")), -1);
}

enum { NOW = 1000 };

/* What the URL says, on top of nothing. */
static void wishes(void **state)
{
    static const struct {
        const char *query;
        bool read_only, has_dialects;
        unsigned dialects;
        enum mcti_mode mode;
    } rows[] = {
        { "", false, false, 0, MCT_MODE_UNSET },
        { "&&x=1&y&=&%zz=1&read_onlyx=7&xmode=z", false, false, 0, MCT_MODE_UNSET },
        { "read_only=1", true, false, 0, MCT_MODE_UNSET },
        { "a=b&read_only=true", true, false, 0, MCT_MODE_UNSET },
        { "read%5fonly=%31", true, false, 0, MCT_MODE_UNSET },
        { "read_only=tru%65", true, false, 0, MCT_MODE_UNSET },
        { "read_only=0", false, false, 0, MCT_MODE_UNSET },
        { "read_only=false", false, false, 0, MCT_MODE_UNSET },
        { "mode=router", false, false, 0, MCT_MODE_ROUTER },
        { "mode=full&dialect=nexo", false, true, 1, MCT_MODE_FULL },
        { "dialect=servers,codex", false, true, 32 | 2, MCT_MODE_UNSET },
        { "dialect=bridge%2Cclaude,lines,bridge", false, true, 4 | 8 | 16, MCT_MODE_UNSET },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_client_prefs p = { 0 };
        struct mct_error err = { 0 };
        if (mcti_http_prefs_read(mcti_str_of(rows[i].query), NOW, &p, &err) < 0)
            fail_msg("%s: %s", rows[i].query, err.message);
        assert_int_equal(p.read_only, rows[i].read_only);
        assert_int_equal(p.read_only_by_client, rows[i].read_only);
        assert_int_equal(p.since_s, rows[i].read_only ? NOW : 0);
        assert_int_equal(p.has_dialects, rows[i].has_dialects);
        assert_int_equal(p.dialects, rows[i].dialects);
        assert_int_equal(p.mode, rows[i].mode);
    }
}

static void wishes_that_are_none(void **state)
{
    static const struct {
        const char *query, *told;
    } rows[] = {
        { "read_only", "URL parameter read_only must be 1, true" },
        { "read_only=", "URL parameter read_only must be" },
        { "read_only=yes", "URL parameter read_only must be" },
        { "read_only=TRUE", "URL parameter read_only must be" },
        { "read_only=%3", "URL parameter read_only must be" },
        { "read_only=%g1", "URL parameter read_only must be" },
        { "read_only=1%00", "URL parameter read_only must be" },
        { "read_only=1+", "URL parameter read_only must be" },
        { "read_only=0&x=1&read_only=1", "duplicate URL parameter read_only" },
        { "read_only=1&read%5Fonly=0", "duplicate URL parameter read_only" },
        { "mode=find", "URL parameter mode must be full, router or search" },
        { "dialect=", "URL parameter dialect must be nexo, codex, bridge, claude, lines, servers or skills" },
        { "dialect=codex,", "URL parameter dialect must be" },
        { "dialect=codex,latin", "URL parameter dialect must be" },
    };
    struct mct_error err;
    char long_one[1024];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_client_prefs p = { 0 }, untouched = { 0 };
        if (mcti_http_prefs_read(mcti_str_of(rows[i].query), NOW, &p, &err) == 0)
            fail_msg("taken: %s", rows[i].query);
        assert_non_null(strstr(err.message, rows[i].told));
        assert_memory_equal(&p, &untouched, sizeof p);
    }
    memset(long_one, 'a', sizeof long_one);
    memcpy(long_one, "mode=", 5);
    assert_int_equal(mcti_http_prefs_read((struct mcti_str){ long_one, sizeof long_one }, NOW,
                                          &(struct mcti_client_prefs){ 0 }, &err),
                     -1);
}

/* A client asks for less, never for more; and what is a wish stays told from an order. */
static void the_operator_has_the_first_word(void **state)
{
    const struct mcti_client_prefs set = {
        .read_only = true, .mode = MCT_MODE_ROUTER, .has_dialects = true, .dialects = 1
    };
    struct mcti_client_prefs p = set;
    (void)state;
    assert_int_equal(mcti_http_prefs_read(MCT_STR("read_only=0&mode=full&dialect=codex"), NOW, &p, NULL), 0);
    assert_memory_equal(&p, &set, sizeof p);
    assert_int_equal(mcti_http_prefs_read(MCT_STR("read_only=1"), NOW, &p, NULL), 0);
    assert_memory_equal(&p, &set, sizeof p);
    assert_int_equal(mcti_http_prefs_read(MCT_STR_NONE, NOW, &p, NULL), 0);
    assert_memory_equal(&p, &set, sizeof p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_endpoint_answers_loopback_names_only),
        cmocka_unit_test(open_endpoint_refuses_foreign_names),
        cmocka_unit_test(origins),
        cmocka_unit_test(tokens),
        cmocka_unit_test(wishes),
        cmocka_unit_test(wishes_that_are_none),
        cmocka_unit_test(the_operator_has_the_first_word),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
