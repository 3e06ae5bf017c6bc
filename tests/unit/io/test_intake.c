/* A connection's share of a turn: limited, in order, without losses. */
#include "unit.h"

#include "base/limits.h"
#include "io/intake.h"
#include "io/lines.h"

struct reader {
    struct mcti_sched sched;
    struct mcti_intake intake;
    struct mcti_lines lines;
    unsigned n_taken, n_out_of_order, n_holds, stop_at;
    bool held;
};

static bool on_line(void *data, struct mcti_str line)
{
    struct reader *r = data;
    char expected[16];
    snprintf(expected, sizeof expected, "%u", r->n_taken++);
    r->n_out_of_order += !mcti_str_is(line, expected);
    if (r->n_taken == r->stop_at)
        mcti_intake_stop(&r->intake);
    return mcti_intake_frame(&r->intake) && !r->intake.stopped;
}

static void take(void *data, struct mcti_str *bytes)
{
    struct reader *r = data;
    mcti_lines_feed(&r->lines, bytes, on_line, r);
}

static void hold(void *data, bool hold)
{
    struct reader *r = data;
    r->held = hold;
    r->n_holds += hold;
}

static void begin(struct reader *r, size_t max)
{
    *r = (struct reader){ .n_taken = 0 };
    mcti_sched_init(&r->sched);
    mcti_lines_init(&r->lines, 1u << 20);
    mcti_intake_init(&r->intake, &r->sched, max);
    r->intake.take = take;
    r->intake.hold = hold;
    r->intake.data = r;
}

static void end(struct reader *r)
{
    mcti_intake_done(&r->intake);
    mcti_lines_done(&r->lines);
}

/* The lines "0", "1", … up to n. */
static void put_lines(struct mcti_buf *b, unsigned n)
{
    mcti_buf_init(b, 1u << 20);
    for (unsigned i = 0; i < n; i++)
        mcti_buf_printf(b, "%u\n", i);
}

static void many_messages_take_many_turns(void **state)
{
    enum { N = 10 * MCT_TURN_FRAMES + 3 };
    struct reader r;
    struct mcti_buf b;
    (void)state;
    begin(&r, 1u << 20);
    put_lines(&b, N);
    mcti_sched_run(&r.sched, 1);
    assert_int_equal(mcti_intake_feed(&r.intake, mcti_buf_str(&b)), 0);
    for (unsigned turn = 1; turn <= 10; turn++) {
        assert_int_equal(r.n_taken, turn * MCT_TURN_FRAMES);
        assert_true(r.held && mcti_intake_waits(&r.intake));
        mcti_sched_run(&r.sched, 1);
    }
    assert_int_equal(r.n_taken, N);
    assert_int_equal(r.n_out_of_order, 0);
    assert_int_equal(r.n_holds, 1);
    assert_false(r.held || mcti_intake_waits(&r.intake));
    mcti_buf_done(&b);
    end(&r);
}

/* One message in pieces: bytes are counted, too. */
static void many_bytes_are_read_on_in_the_next_turn(void **state)
{
    static char blanks[1024];
    struct reader r;
    size_t n = 0;
    (void)state;
    begin(&r, 1u << 20);
    memset(blanks, ' ', sizeof blanks);
    mcti_sched_run(&r.sched, 1);
    for (; !r.held; n += sizeof blanks)
        assert_int_equal(mcti_intake_feed(&r.intake, (struct mcti_str){ blanks, sizeof blanks }), 0);
    assert_int_equal(n, MCT_TURN_BYTES);
    mcti_sched_run(&r.sched, 1);
    assert_false(r.held);
    assert_int_equal(mcti_intake_feed(&r.intake, (struct mcti_str){ blanks, sizeof blanks }), 0);
    assert_false(r.held);
    end(&r);
}

static void what_cannot_be_kept_is_told(void **state)
{
    struct reader r;
    struct mcti_buf b;
    (void)state;
    begin(&r, 16);
    put_lines(&b, 2 * MCT_TURN_FRAMES);
    assert_int_equal(mcti_intake_feed(&r.intake, mcti_buf_str(&b)), -1);
    mcti_buf_done(&b);
    end(&r);
}

static void its_owner_may_stop_it_inside(void **state)
{
    struct reader r;
    struct mcti_buf b;
    (void)state;
    begin(&r, 1u << 20);
    r.stop_at = MCT_TURN_FRAMES + 5; /* in the second turn */
    put_lines(&b, 4 * MCT_TURN_FRAMES);
    assert_int_equal(mcti_intake_feed(&r.intake, mcti_buf_str(&b)), 0);
    for (int turn = 0; turn < 5; turn++)
        mcti_sched_run(&r.sched, 1);
    assert_int_equal(r.n_taken, r.stop_at);
    assert_int_equal(mcti_intake_feed(&r.intake, MCT_STR("x\n")), 0);
    assert_int_equal(r.n_taken, r.stop_at);
    assert_int_equal(mcti_sched_next_ms(&r.sched), -1);
    mcti_buf_done(&b);
    end(&r);
}

/* A peer that sends what nobody asked for is read slowly after a while, and at once again when it has stopped. */
static void waste_is_read_slowly(void **state)
{
    struct reader r;
    (void)state;
    begin(&r, 1u << 20);
    mcti_sched_run(&r.sched, 1);
    mcti_intake_waste(&r.intake, MCT_WASTE_BYTES);
    assert_int_equal(mcti_intake_feed(&r.intake, MCT_STR("0\n")), 0);
    assert_false(r.held);
    mcti_intake_waste(&r.intake, MCT_WASTE_BYTES_PER_S / 2);
    assert_int_equal(mcti_intake_feed(&r.intake, MCT_STR("1\n")), 0);
    assert_true(r.held);
    assert_int_equal(mcti_sched_next_ms(&r.sched), 501);
    mcti_sched_run(&r.sched, 400);
    assert_true(r.held);
    mcti_sched_run(&r.sched, 502);
    assert_false(r.held);
    assert_int_equal(r.n_taken, 2);
    mcti_sched_run(&r.sched, 100000); /* all waste is made up for */
    mcti_intake_waste(&r.intake, MCT_WASTE_BYTES);
    assert_int_equal(mcti_intake_feed(&r.intake, MCT_STR("2\n")), 0);
    assert_false(r.held);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_messages_take_many_turns), cmocka_unit_test(many_bytes_are_read_on_in_the_next_turn),
        cmocka_unit_test(what_cannot_be_kept_is_told),   cmocka_unit_test(its_owner_may_stop_it_inside),
        cmocka_unit_test(waste_is_read_slowly),
    };
    return cmocka_run_group_tests_name("intake", tests, NULL, NULL);
}
