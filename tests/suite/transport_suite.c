/*
 * The transport suite: every case runs over every row of peers.c, so that a new transport is tested
 * without a new test.
 */
#include "../unit/unit.h"

#include "base/limits.h"
#include "fixture.h"

#include <signal.h>
#include <unistd.h>

/* False when the row has no such peer. */
static bool begin(struct fixture *f, const struct row *row, enum manner manner)
{
    struct mct_error err;
    *f = (struct fixture){ .row = row };
    assert_int_equal(mcti_loop_init(&f->loop, NULL, &err), 0);
    peer_open(&f->peer, &f->loop, manner);
    struct mcti_transport *t = row->make(&f->peer);
    if (t)
        fixture_listen(f, t);
    return t != NULL;
}

static void end(struct fixture *f)
{
    mcti_transport_free(f->t);
    peer_close(&f->peer);
    mcti_loop_done(&f->loop);
}

/* A request whose params hold `size` further bytes; its id is the count of requests so far. */
static int request(struct fixture *f, size_t size)
{
    struct mcti_buf b;
    mcti_buf_init(&b, MESSAGE_BYTES);
    mcti_buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/call\",\"params\":{\"name\":\"\xc3\xa9\"",
                    ++f->n_sent);
    if (f->row->stateless)
        mcti_buf_addz(&b, ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}");
    mcti_buf_addz(&b, ",\"text\":\"");
    char *at = mcti_buf_reserve(&b, size + 16);
    memset(at, 'x', size);
    b.len += size;
    mcti_buf_addz(&b, "\"}}");
    int r = f->t->ops->send(f->t, mcti_buf_str(&b), NULL);
    mcti_buf_done(&b);
    return r;
}

static void open_and_request(struct fixture *f)
{
    struct mct_error err;
    assert_int_equal(f->t->ops->open(f->t, &err), 0);
    assert_int_equal(request(f, 1), 0);
}

/* ---- cases with a peer that answers ---- */

static void exchange(struct fixture *f)
{
    assert_int_equal(f->n_frames, 0); /* never from inside send */
    while (!f->n_frames)
        fixture_turn(f);
    assert_non_null(strstr(f->last, "\"id\":1"));
    assert_non_null(strstr(f->last, "\"name\":\"\xc3\xa9\""));
}

static void many_in_flight(struct fixture *f)
{
    for (unsigned i = 1; i < f->row->many; i++)
        assert_int_equal(request(f, 10), 0);
    while (f->n_frames < f->row->many)
        fixture_turn(f);
    assert_int_equal(f->n_lost, 0);
    assert_false(f->twice);
    for (unsigned i = 1; i <= f->row->many; i++)
        assert_true(f->answered[i]);
    if (f->row->ordered)
        assert_false(f->out_of_order);
}

static void huge_message(struct fixture *f)
{
    enum { SIZE = 8 << 20 };
    assert_int_equal(request(f, SIZE), 0);
    while (f->n_frames < 2)
        fixture_turn(f);
    assert_true(f->n_bytes > SIZE);
}

static void too_large_a_message_is_not_sent(struct fixture *f)
{
    struct mcti_str huge = { malloc(MESSAGE_BYTES + 1), MESSAGE_BYTES + 1 };
    memset((char *)(uintptr_t)huge.p, ' ', huge.len);
    if (f->row->limits_sending)
        assert_int_equal(f->t->ops->send(f->t, huge, NULL), -1);
    free((char *)(uintptr_t)huge.p);
    while (!f->n_frames)
        fixture_turn(f);
}

static void close_is_told_once(struct fixture *f)
{
    f->t->ops->close(f->t);
    assert_int_equal(f->n_closed, 0); /* never from inside close */
    f->t->ops->close(f->t);
    while (!f->n_closed)
        fixture_turn(f);
    assert_false(f->failed);
    assert_int_equal(request(f, 1), -1);
    assert_int_equal(f->n_closed, 1);
}

static void close_while_busy(struct fixture *f)
{
    for (int i = 0; i < 50; i++)
        request(f, 1000);
    f->t->ops->close(f->t);
    while (!f->n_closed)
        fixture_turn(f);
    assert_int_equal(f->n_closed, 1);
}

static void free_while_busy(struct fixture *f)
{
    for (int i = 0; i < 50; i++)
        request(f, 1000);
    mcti_transport_free(f->t);
    f->t = NULL;
}

static void free_inside_its_own_callback(struct fixture *f)
{
    f->free_in_frame = true;
    request(f, 1);
    while (!f->n_frames)
        fixture_turn(f);
    assert_int_equal(f->n_frames, 1);
    assert_int_equal(f->n_closed, 0);
}

/* Requests nobody waits for any more must not disturb the others. */
static void some_are_given_up(struct fixture *f)
{
    for (unsigned i = 1; i < 20; i++)
        assert_int_equal(request(f, 10), 0);
    for (unsigned id = 1; id <= 20 && f->t->ops->request_over; id += 2)
        f->t->ops->request_over(f->t, id, false);
    while (f->n_frames < (f->t->ops->request_over ? 10u : 20u))
        fixture_turn(f);
    assert_int_equal(f->n_lost, 0);
    assert_true(f->answered[20]);
}

static void the_peer_vanishes(struct fixture *f)
{
    while (!f->n_frames)
        fixture_turn(f);
    peer_vanish(&f->peer);
    if (f->row->make == rows[2].make)
        return; /* a process is ended below */
    while (!f->n_closed && !f->n_lost) {
        request(f, 1); /* some see it only then */
        fixture_turn(f);
    }
}

/* A transport is for one connection: the next one is new, and finds the peer that came back. */
static void reconnect(struct fixture *f)
{
    while (!f->n_frames)
        fixture_turn(f);
    f->t->ops->close(f->t);
    while (!f->n_closed)
        fixture_turn(f);
    mcti_transport_free(f->t);
    peer_vanish(&f->peer);
    fixture_listen(f, f->row->make(&f->peer));
    f->n_frames = f->n_sent = 0;
    open_and_request(f);
    while (!f->n_frames)
        fixture_turn(f);
    assert_int_equal(f->n_closed, 1);
}

/* ---- cases with others ---- */

static void open_anyhow(struct fixture *f)
{
    struct mct_error err = { 0 };
    if (f->t->ops->open(f->t, &err) < 0) {
        assert_true(err.message[0] != '\0');
        f->n_closed++;
        return;
    }
    request(f, 1);
}

static void nobody_there(struct fixture *f)
{
    open_anyhow(f);
    while (!f->n_closed && !f->n_lost)
        fixture_turn(f);
    assert_int_equal(f->n_frames, 0);
}

static void cancel_while_connecting(struct fixture *f)
{
    open_anyhow(f);
    for (int i = 0; i < 3; i++)
        uv_run(&f->loop.uv, UV_RUN_NOWAIT);
    if (f->t->ops->request_over)
        f->t->ops->request_over(f->t, 1, false);
    f->t->ops->close(f->t);
    while (!f->n_closed)
        fixture_turn(f);
    assert_int_equal(f->n_closed, 1);
    assert_int_equal(f->n_lost, 0);
    assert_false(f->failed);
}

static void cut_in_the_middle(struct fixture *f)
{
    open_anyhow(f);
    while (!f->n_closed && !f->n_lost)
        fixture_turn(f);
    assert_int_equal(f->n_frames, 0);
}

/* What is not read piles up to a limit, and never blocks us. */
static void a_deaf_peer(struct fixture *f)
{
    enum { SIZE = 1 << 20 };
    int r = 0;
    open_anyhow(f);
    for (int i = 0; i < 200 && r == 0; i++) {
        r = request(f, SIZE);
        uv_run(&f->loop.uv, UV_RUN_NOWAIT);
        if (!f->row->ordered && i == 20)
            return; /* each request stands for itself: the session above bounds their number */
    }
    assert_int_equal(r, -1);
}

static void count(void *data)
{
    struct fixture *f = data;
    f->n_ticks++;
    mcti_timer_set(&f->loop.sched, &f->tick, 0);
}

/* Every turn ends, with a bounded number of its messages, and others have their time in it. */
static void a_peer_that_never_pauses(struct fixture *f)
{
    unsigned n_turns = 0;
    mcti_timer_init(&f->tick, count, f);
    mcti_timer_set(&f->loop.sched, &f->tick, 0);
    open_anyhow(f);
    while (f->n_frames < 100 * MCT_TURN_FRAMES) {
        unsigned before = f->n_frames;
        fixture_turn(f);
        n_turns++;
        assert_true(f->n_frames - before <= 2 * MCT_TURN_FRAMES);
    }
    assert_true(f->n_ticks >= n_turns - 1);
    mcti_timer_stop(&f->loop.sched, &f->tick);
}

/* It ends while it is flooded. */
static void a_flood_and_a_close(struct fixture *f)
{
    open_anyhow(f);
    while (f->n_frames < 10 * MCT_TURN_FRAMES)
        fixture_turn(f);
    f->t->ops->close(f->t);
    while (!f->n_closed)
        fixture_turn(f);
    assert_false(f->failed);
}

static const struct suite_case {
    const char *name;
    enum manner manner;
    void (*run)(struct fixture *f);
} cases[] = {
    { "exchange", ANSWERS, exchange },
    { "many in flight", ANSWERS, many_in_flight },
    { "huge message", ANSWERS, huge_message },
    { "too large a message is not sent", ANSWERS, too_large_a_message_is_not_sent },
    { "close is told once", ANSWERS, close_is_told_once },
    { "close while busy", ANSWERS, close_while_busy },
    { "free while busy", ANSWERS, free_while_busy },
    { "free inside its own callback", ANSWERS, free_inside_its_own_callback },
    { "some are given up", ANSWERS, some_are_given_up },
    { "the peer vanishes", ANSWERS, the_peer_vanishes },
    { "reconnect", ANSWERS, reconnect },
    { "nobody there", ABSENT, nobody_there },
    { "cancel while connecting", SILENT, cancel_while_connecting },
    { "cut in the middle of a message", HALF, cut_in_the_middle },
    { "a deaf peer", DEAF, a_deaf_peer },
    { "a peer that never pauses", FLOODS, a_peer_that_never_pauses },
    { "a flood and a close", FLOODS, a_flood_and_a_close },
};
enum { N_CASES = sizeof cases / sizeof *cases };

struct pick {
    const struct suite_case *c;
    const struct row *row;
};

static void run_case(void **state)
{
    const struct pick *pick = *state;
    struct fixture f;
    if (begin(&f, pick->row, pick->c->manner)) {
        if (pick->c->manner == ANSWERS)
            open_and_request(&f);
        pick->c->run(&f);
    }
    end(&f);
}

int main(int argc, char **argv)
{
    static struct pick picks[N_CASES * N_ROWS];
    static char names[N_CASES * N_ROWS][80];
    static struct CMUnitTest tests[N_CASES * N_ROWS];
    if (argc == 3 && !strcmp(argv[1], "--peer"))
        return peer_main(argv[2]);
    peer_program = argv[0];
    for (int i = 0; i < N_CASES * N_ROWS; i++) {
        picks[i] = (struct pick){ &cases[i % N_CASES], &rows[i / N_CASES] };
        snprintf(names[i], sizeof names[i], "%s: %s", picks[i].row->name, picks[i].c->name);
        tests[i] = (struct CMUnitTest){ .name = names[i], .test_func = run_case, .initial_state = &picks[i] };
    }
    signal(SIGPIPE, SIG_IGN);
    int failed = _cmocka_run_group_tests("transports", tests, N_CASES * N_ROWS, NULL, NULL);
    return failed + run_process_tests();
}
