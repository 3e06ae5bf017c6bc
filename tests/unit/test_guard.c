#include "unit.h"

#include "front/http_guard.h"

static void loopback_endpoint_answers_loopback_names_only(void **state)
{
    const struct mct_guard g = { .loopback = true, .bound_host = MCT_STR("127.0.0.1") };
    static const char *const good[] = { "localhost", "localhost:8931", "LOCALHOST:1", "127.0.0.1:8931",
                                        "127.8.9.1", "[::1]:8931", "[::1]" };
    static const char *const bad[] = { "", "evil.example.com", "evil.example.com:8931", "127.0.0.1.evil.com",
                                       "localhost.evil.com", "192.168.1.2:8931", "0.0.0.0", "[::2]", "[fe80::1]",
                                       "[::1].evil.com", "[::1]evil.com:1", "[::1]:80.evil.com", "[::1", "localhost:80.evil.com",
                                       "localhost:80:80", "127.0.0.1:x", ":80" };
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!mct_guard_host(&g, mct_str_of(good[i])))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (mct_guard_host(&g, mct_str_of(bad[i])))
            fail_msg("accepted: %s", bad[i]);
}

/* Rebinding needs a name, so addresses are fine where other machines are meant to come. */
static void open_endpoint_refuses_foreign_names(void **state)
{
    static const char *const hosts[] = { "gateway.lan" };
    const struct mct_guard g = { .bound_host = MCT_STR("0.0.0.0"), .hosts = hosts, .n_hosts = 1 };
    (void)state;
    assert_true(mct_guard_host(&g, MCT_STR("192.168.1.2:8931")));
    assert_true(mct_guard_host(&g, MCT_STR("Gateway.LAN:8931")));
    assert_false(mct_guard_host(&g, MCT_STR("evil.example.com")));
}

static void origins(void **state)
{
    static const char *const allowed[] = { "https://app.example.com" };
    const struct mct_guard g = { .loopback = true, .origins = allowed, .n_origins = 1 };
    const struct mct_str host = MCT_STR("localhost:8931");
    (void)state;
    assert_true(mct_guard_origin(&g, MCT_STR_NONE, host));
    assert_true(mct_guard_origin(&g, MCT_STR("http://localhost:5173"), host));
    assert_true(mct_guard_origin(&g, MCT_STR("https://app.example.com"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("http://evil.example.com"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("http://localhost.evil.com"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("null"), host));
    assert_false(mct_guard_origin(&g, MCT_STR(""), host));
    assert_false(mct_guard_origin(&g, MCT_STR("http://evil.example.com/x://localhost"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("http://evil.example.com://localhost"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("http://localhost/x"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("http://[::1].evil.com"), host));
    assert_false(mct_guard_origin(&g, MCT_STR("https://app.example.com.evil.com"), host));
}

static void tokens(void **state)
{
    static const char *const list[] = { "first", "second" };
    const struct mct_guard g = { .tokens = list, .n_tokens = 2 }, open = { 0 };
    (void)state;
    assert_int_equal(mct_guard_principal(&open, MCT_STR_NONE), 0);
    assert_int_equal(mct_guard_principal(&g, MCT_STR("Bearer second")), 2);
    assert_int_equal(mct_guard_principal(&g, MCT_STR("bearer  first ")), 1);
    assert_int_equal(mct_guard_principal(&g, MCT_STR_NONE), -1);
    assert_int_equal(mct_guard_principal(&g, MCT_STR("Bearer ")), -1);
    assert_int_equal(mct_guard_principal(&g, MCT_STR("Bearer firs")), -1);
    assert_int_equal(mct_guard_principal(&g, MCT_STR("Basic first")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_endpoint_answers_loopback_names_only),
        cmocka_unit_test(open_endpoint_refuses_foreign_names), cmocka_unit_test(origins),
        cmocka_unit_test(tokens),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
