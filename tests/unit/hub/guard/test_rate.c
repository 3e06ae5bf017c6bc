/* Rates: bursts, steady requests, and the time to wait. */
#include "unit.h"

#include "hub/guard/rate.h"
#include "mcp/era.h"

static void a_burst_then_one_by_one(void **state)
{
    const struct mcti_rate_rule rule = { .per_minute = 60, .burst = 3 };
    struct mcti_rate r = { 0 };
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(mcti_rate_take(&r, &rule, 1, 5000), 0);
    assert_int_equal(mcti_rate_take(&r, &rule, 1, 5000), 1000);
    assert_int_equal(mcti_rate_take(&r, &rule, 1, 5400), 600);
    assert_int_equal(mcti_rate_take(&r, &rule, 1, 6000), 0);
    assert_int_equal(mcti_rate_take(&r, &rule, 1, 6000), 1000);
    assert_int_equal(r.n_refused, 3);
}

/* No more than the rate passes, however fast somebody asks. */
static void the_rate_holds(void **state)
{
    const struct mcti_rate_rule rules[] = { { 600, 1 }, { 7, 1 }, { 100000, 50 }, { 90, 0 } };
    (void)state;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        struct mcti_rate r = { 0 };
        unsigned n = 0, burst = rules[k].burst ? rules[k].burst : rules[k].per_minute / 6;
        for (uint64_t at = 0; at < 600000; at++)
            for (int i = 0; i < 3; i++)
                n += !mcti_rate_take(&r, &rules[k], 1, at);
        assert_in_range(n, 10 * rules[k].per_minute - 1, 10 * rules[k].per_minute + burst + 1);
    }
}

static void cheap_requests_count_less(void **state)
{
    const struct mcti_rate_rule rule = { .per_minute = 60, .burst = 1 };
    struct mcti_rate r = { 0 };
    (void)state;
    for (int i = 0; i < 10; i++)
        assert_int_equal(mcti_rate_take(&r, &rule, 10, 0), 0);
    assert_int_equal(mcti_rate_take(&r, &rule, 10, 0), 100);
}

static void no_rule_is_no_limit(void **state)
{
    const struct mcti_rate_rule none = { 0 };
    struct mcti_rate r = { 0 };
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(mcti_rate_take(&r, &none, 1, 0), 0);
}

static void refusals_say_when_to_come_again(void **state)
{
    struct mcti_rates r = { .rule = { 60, 1 } };
    struct mct_error err;
    (void)state;
    assert_int_equal(mcti_rates_pay(&r, true, 0, "the client 'a'", &err), 0);
    assert_int_equal(mcti_rates_pay(&r, false, 0, "the client 'a'", &err), 0);
    assert_int_equal(mcti_rates_pay(&r, true, 250, "the client 'a'", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_LIMIT);
    assert_int_equal(err.code, MCT_RPC_BUSY);
    assert_int_equal(err.retry_after_ms, 750);
    assert_string_equal(err.message, "too many requests: the client 'a' has 60 calls a minute; try again in 0.7 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_burst_then_one_by_one), cmocka_unit_test(the_rate_holds),
                                        cmocka_unit_test(cheap_requests_count_less),
                                        cmocka_unit_test(no_rule_is_no_limit),
                                        cmocka_unit_test(refusals_say_when_to_come_again) };
    return cmocka_run_group_tests_name("rates", tests, NULL, NULL);
}
