/* Wrong bearer tokens: how many an address may try. */
#include "unit.h"

#include "base/limits.h"
#include "front/tries.h"

enum { GUESSER = 1001, OTHER = 2002, START_MS = 1000000, EACH_MS = 60000 / MCT_LIMIT_WRONG_TOKENS_PER_MINUTE };

static struct mcti_tries *new_tries(void)
{
    struct mcti_tries *t = calloc(1, sizeof *t);
    assert_non_null(t);
    return t;
}

static void use_up(struct mcti_tries *t, uint64_t address, uint64_t now_ms)
{
    for (int i = 0; i < MCT_LIMIT_WRONG_TOKENS; i++)
        assert_int_equal(mcti_tries_fail(t, address, now_ms), 0);
}

static void an_address_waits(void **state)
{
    struct mcti_tries *t = new_tries();
    (void)state;
    use_up(t, GUESSER, START_MS);
    unsigned wait_ms = mcti_tries_fail(t, GUESSER, START_MS);
    assert_true(wait_ms > 0 && wait_ms <= EACH_MS);
    assert_int_equal(mcti_tries_fail(t, GUESSER, START_MS + wait_ms), 0);
    assert_true(mcti_tries_fail(t, GUESSER, START_MS + wait_ms) > 0);
    assert_int_equal(mcti_tries_fail(t, OTHER, START_MS), 0);
    free(t);
}

static void a_right_token_counts_as_one_more_guess(void **state)
{
    struct mcti_tries *t = new_tries();
    (void)state;
    assert_int_equal(mcti_tries_pass(t, GUESSER, 1, START_MS), 0);
    use_up(t, GUESSER, START_MS);
    assert_int_equal(mcti_tries_pass(t, GUESSER, 1, START_MS), 0); /* it was there before */
    assert_true(mcti_tries_pass(t, GUESSER, 2, START_MS) > 0);
    assert_int_equal(mcti_tries_pass(t, OTHER, 2, START_MS), 0);
    assert_int_equal(mcti_tries_pass(t, GUESSER, 2, START_MS + EACH_MS), 0);
    free(t);
}

static void a_place_is_left_when_its_rate_is_over(void **state)
{
    struct mcti_tries *t = new_tries();
    const uint64_t same = GUESSER + MCT_TRIES_ADDRESSES;
    (void)state;
    use_up(t, GUESSER, START_MS);
    assert_true(mcti_tries_fail(t, same, START_MS) > 0);
    use_up(t, same, START_MS + 60000);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_waits),
        cmocka_unit_test(a_right_token_counts_as_one_more_guess),
        cmocka_unit_test(a_place_is_left_when_its_rate_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
