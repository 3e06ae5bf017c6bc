/* The circuit breaker: when it opens, the single attempt, how it closes, and how pauses grow. */
#include "unit.h"

#include "base/limits.h"
#include "hub/guard/breaker.h"

static const struct mcti_breaker_opts opts = { .failures = 3, .pause_ms = 1000 };
static const int one, other;

static enum mcti_breaker_turn fails(struct mcti_breaker *b, const void *call, uint64_t at)
{
    return mcti_breaker_failed(b, &opts, call, 1, "gone", at);
}

static void open_it(struct mcti_breaker *b, uint64_t at)
{
    assert_int_equal(fails(b, NULL, at), MCT_BREAKER_SAME);
    assert_int_equal(fails(b, NULL, at + 1), MCT_BREAKER_SAME);
    assert_int_equal(fails(b, NULL, at + 2), MCT_BREAKER_OPENED);
}

static void failures_in_a_row_open_it(void **state)
{
    struct mcti_breaker b = { 0 };
    struct mct_error err;
    (void)state;
    open_it(&b, 1000);
    assert_int_equal(mcti_breaker_try(&b, &one, 1003, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CONNECT);
    assert_true(err.unsent && err.retry_after_ms >= 499 && err.retry_after_ms <= 1000);
    assert_non_null(strstr(err.message, "failed 3 of the last 3 calls (last: gone); next attempt in "));
    assert_string_equal(mcti_breaker_word(&b, 1003), "open");
}

/* A lost connection ends many calls, for one reason. */
static void failures_at_once_are_one(void **state)
{
    struct mcti_breaker b = { 0 };
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_int_equal(fails(&b, NULL, 1000), MCT_BREAKER_SAME);
    assert_false(b.is_open);
    assert_int_equal(b.in_row, 1);
}

static void an_answer_ends_the_row(void **state)
{
    struct mcti_breaker b = { 0 };
    (void)state;
    for (uint64_t i = 0; i < 4; i++) {
        fails(&b, NULL, 1000 + 10 * i);
        fails(&b, NULL, 1001 + 10 * i);
        mcti_breaker_answered(&b, 1002 + 10 * i);
        assert_int_equal(mcti_breaker_answered(&b, 1003 + 10 * i), MCT_BREAKER_SAME);
    }
    assert_false(b.is_open);
}

static void half_of_the_calls_open_it(void **state)
{
    struct mcti_breaker b = { 0 };
    enum mcti_breaker_turn turn = MCT_BREAKER_SAME;
    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(turn, MCT_BREAKER_SAME);
        mcti_breaker_answered(&b, 1000 + 10 * i);
        turn = fails(&b, NULL, 1001 + 10 * i);
    }
    assert_int_equal(turn, MCT_BREAKER_OPENED);
    assert_int_equal(b.told_failed, 6);
    assert_int_equal(b.told_n, 12);
}

static void old_failures_are_forgotten(void **state)
{
    struct mcti_breaker b = { 0 };
    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        mcti_breaker_answered(&b, 100000 * i);
        assert_int_equal(fails(&b, NULL, 100000 * i + 1), MCT_BREAKER_SAME);
    }
}

static void one_attempt_at_a_time(void **state)
{
    struct mcti_breaker b = { 0 };
    struct mct_error err;
    (void)state;
    open_it(&b, 0);
    uint64_t at = b.until_ms;
    assert_int_equal(mcti_breaker_try(&b, &one, at, &err), 0);
    assert_string_equal(mcti_breaker_word(&b, at), "half-open");
    assert_int_equal(mcti_breaker_try(&b, &other, at, &err), -1);
    /* a call from before says nothing; the attempt does */
    assert_int_equal(fails(&b, &other, at + 1), MCT_BREAKER_SAME);
    assert_int_equal(fails(&b, &one, at + 2), MCT_BREAKER_OPENED);
    assert_true(b.until_ms >= at + 2 + 1000 && b.until_ms <= at + 2 + 2000);
    /* one without an answer does not keep the next one waiting for ever */
    at = b.until_ms;
    assert_int_equal(mcti_breaker_try(&b, &one, at, &err), 0);
    assert_int_equal(mcti_breaker_try(&b, &other, at + MCT_BREAKER_PROBE_MS - 1, &err), -1);
    assert_int_equal(mcti_breaker_try(&b, &other, at + MCT_BREAKER_PROBE_MS, &err), 0);
    assert_int_equal(mcti_breaker_answered(&b, at + MCT_BREAKER_PROBE_MS + 1), MCT_BREAKER_CLOSED);
    assert_string_equal(mcti_breaker_word(&b, at), "closed");
}

static void pauses_grow_and_shrink(void **state)
{
    struct mcti_breaker b = { 0 };
    struct mct_error err;
    uint64_t at = 2;
    (void)state;
    open_it(&b, 0);
    for (unsigned pause = 2000; pause < MCT_BACKOFF_MAX_MS; pause *= 2) {
        at = b.until_ms;
        assert_int_equal(mcti_breaker_try(&b, &one, at, &err), 0);
        assert_int_equal(fails(&b, &one, at), MCT_BREAKER_OPENED);
        assert_int_equal(b.pause_ms, pause);
    }
    at = b.until_ms;
    assert_int_equal(mcti_breaker_try(&b, &one, at, &err), 0);
    fails(&b, &one, at);
    assert_int_equal(b.pause_ms, MCT_BACKOFF_MAX_MS);
    mcti_breaker_answered(&b, b.until_ms);
    /* soon again: it goes on where it was; much later: from the start */
    open_it(&b, b.closed_ms + 1000);
    assert_int_equal(b.pause_ms, MCT_BACKOFF_MAX_MS);
    mcti_breaker_answered(&b, b.until_ms);
    open_it(&b, b.closed_ms + MCT_BACKOFF_MAX_MS);
    assert_int_equal(b.pause_ms, 1000);
}

static void zero_switches_it_off(void **state)
{
    struct mcti_breaker b = { 0 };
    const struct mcti_breaker_opts off = { 0 };
    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(mcti_breaker_failed(&b, &off, NULL, 1, "gone", i), MCT_BREAKER_SAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_in_a_row_open_it),  cmocka_unit_test(failures_at_once_are_one),
        cmocka_unit_test(an_answer_ends_the_row),     cmocka_unit_test(half_of_the_calls_open_it),
        cmocka_unit_test(old_failures_are_forgotten), cmocka_unit_test(one_attempt_at_a_time),
        cmocka_unit_test(pauses_grow_and_shrink),     cmocka_unit_test(zero_switches_it_off),
    };
    return cmocka_run_group_tests_name("circuit breaker", tests, NULL, NULL);
}
