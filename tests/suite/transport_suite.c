/*
 * The transport suite: every case runs over every row of the table at its end. A new transport is one
 * new row. The peer of each row sends back every frame it is sent, in order.
 */
#include "../unit/unit.h"

#include "io/loop.h"
#include "io/transport_fd.h"
#include "io/transport_pair.h"
#include "io/transport_stdio.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 32 << 20 };

struct fixture {
    struct mct_loop loop;
    struct mct_transport *t;
    struct mct_transport *echo; /* rows whose peer lives in this process */
    size_t n_frames, n_bytes, n_closed;
    char last[256];
    bool failed;           /* closed with a reason */
    bool free_in_frame;    /* free the transport inside its own callback */
    const struct row *row;
};

struct row {
    const char *name;
    struct mct_transport *(*make)(struct fixture *f);
    bool has_process;
};

/* ---- what the owner hears ---- */

static void on_frame(void *data, struct mct_str frame, void *lane)
{
    struct fixture *f = data;
    (void)lane;
    f->n_frames++;
    f->n_bytes += frame.len;
    snprintf(f->last, sizeof f->last, "%.*s", MCT_STR_ARG(frame));
    if (f->free_in_frame) {
        mct_transport_free(f->t);
        f->t = NULL;
    }
}

static void on_closed(void *data, const struct mct_error *why)
{
    struct fixture *f = data;
    f->n_closed++;
    f->failed = why != NULL;
}

static void turn(struct fixture *f)
{
    uv_run(&f->loop.uv, UV_RUN_ONCE);
}

/* ---- rows ---- */

static void echo_frame(void *data, struct mct_str frame, void *lane)
{
    struct fixture *f = data;
    f->echo->ops->send(f->echo, frame, lane);
}

static void echo_closed(void *data, const struct mct_error *why)
{
    (void)data;
    (void)why;
}

static void start_echo(struct fixture *f, struct mct_transport *end)
{
    f->echo = end;
    end->events = (struct mct_transport_events){ .on_frame = echo_frame, .on_closed = echo_closed, .data = f };
    assert_int_equal(end->ops->open(end, NULL), 0);
}

static struct mct_transport *make_pair(struct fixture *f)
{
    struct mct_transport *ends[2];
    assert_int_equal(mct_transport_pair_new(&f->loop.sched, ends), 0);
    start_echo(f, ends[1]);
    return ends[0];
}

static struct mct_transport *make_fd(struct fixture *f)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    start_echo(f, mct_transport_fd_new(&f->loop, pair[1], dup(pair[1]), MESSAGE_BYTES));
    return mct_transport_fd_new(&f->loop, pair[0], dup(pair[0]), MESSAGE_BYTES);
}

static struct mct_transport *make_child(struct fixture *f, const char *script)
{
    static char *argv[] = { "sh", "-c", NULL, NULL };
    static char *envp[] = { "PATH=/usr/bin:/bin", NULL };
    argv[2] = (char *)(uintptr_t)script;
    const struct mct_stdio_opts opts = { .spawn = { .argv = argv, .envp = envp }, .message_bytes = MESSAGE_BYTES,
                                         .stop_eof_ms = 500, .stop_term_ms = 200 };
    return mct_transport_stdio_new(&f->loop, &opts);
}

static struct mct_transport *make_stdio(struct fixture *f)
{
    return make_child(f, "exec cat");
}

static const struct row rows[] = {
    { "pair", make_pair, false },
    { "fd", make_fd, false },
    { "stdio", make_stdio, true },
};

/* ---- fixture ---- */

static void open_with(struct fixture *f, struct mct_transport *t)
{
    f->t = t;
    t->events = (struct mct_transport_events){ .on_frame = on_frame, .on_closed = on_closed, .data = f };
}

static void begin(struct fixture *f, const struct row *row)
{
    struct mct_error err;
    *f = (struct fixture){ .row = row };
    assert_int_equal(mct_loop_init(&f->loop, NULL, &err), 0);
    open_with(f, row->make(f));
    assert_int_equal(f->t->ops->open(f->t, &err), 0);
}

static void end(struct fixture *f)
{
    mct_transport_free(f->t);
    mct_transport_free(f->echo);
    mct_loop_done(&f->loop);
}

static void send_text(struct fixture *f, const char *text)
{
    assert_int_equal(f->t->ops->send(f->t, mct_str_of(text), NULL), 0);
}

/* ---- cases ---- */

static void exchange(struct fixture *f)
{
    send_text(f, "{\"a\":\"\xc3\xa9\"}");
    assert_int_equal(f->n_frames, 0); /* never from inside send */
    while (!f->n_frames)
        turn(f);
    assert_string_equal(f->last, "{\"a\":\"\xc3\xa9\"}");
}

static void many_in_flight_keep_their_order(struct fixture *f)
{
    enum { N = 2000 };
    char text[64];
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "{\"n\":%d}", i);
        send_text(f, text);
    }
    while (f->n_frames < N)
        turn(f);
    assert_string_equal(f->last, "{\"n\":1999}");
}

static void huge_message(struct fixture *f)
{
    enum { SIZE = 8 << 20 };
    char *text = malloc(SIZE);
    memset(text, 'x', SIZE);
    memcpy(text, "{\"x\":\"", 6);
    memcpy(text + SIZE - 2, "\"}", 2);
    assert_int_equal(f->t->ops->send(f->t, (struct mct_str){ text, SIZE }, NULL), 0);
    free(text);
    while (!f->n_frames)
        turn(f);
    assert_int_equal(f->n_bytes, SIZE);
}

static void close_is_told_once(struct fixture *f)
{
    f->t->ops->close(f->t);
    assert_int_equal(f->n_closed, 0); /* never from inside close */
    f->t->ops->close(f->t);
    while (!f->n_closed)
        turn(f);
    assert_false(f->failed);
    assert_int_equal(f->t->ops->send(f->t, MCT_STR("{}"), NULL), -1);
    assert_int_equal(f->n_closed, 1);
}

static void close_while_busy(struct fixture *f)
{
    for (int i = 0; i < 500; i++)
        send_text(f, "{\"some\":\"frame\"}");
    f->t->ops->close(f->t);
    while (!f->n_closed)
        turn(f);
    assert_int_equal(f->n_closed, 1);
}

static void free_while_busy(struct fixture *f)
{
    for (int i = 0; i < 500; i++)
        send_text(f, "{\"some\":\"frame\"}");
    mct_transport_free(f->t);
    f->t = NULL;
}

static void free_inside_its_own_callback(struct fixture *f)
{
    f->free_in_frame = true;
    send_text(f, "{\"a\":1}");
    send_text(f, "{\"a\":2}");
    while (!f->n_frames)
        turn(f);
    assert_int_equal(f->n_frames, 1);
    assert_int_equal(f->n_closed, 0);
}

static void peer_closes(struct fixture *f)
{
    if (!f->echo)
        return; /* the cases below end a process */
    f->echo->ops->close(f->echo);
    while (!f->n_closed)
        turn(f);
    assert_int_equal(f->n_closed, 1);
}

static const struct suite_case {
    const char *name;
    void (*run)(struct fixture *f);
} cases[] = {
    { "exchange", exchange },
    { "many in flight keep their order", many_in_flight_keep_their_order },
    { "huge message", huge_message },
    { "close is told once", close_is_told_once },
    { "close while busy", close_while_busy },
    { "free while busy", free_while_busy },
    { "free inside its own callback", free_inside_its_own_callback },
    { "peer closes", peer_closes },
};
enum { N_CASES = sizeof cases / sizeof *cases, N_ROWS = sizeof rows / sizeof *rows };

struct pick {
    const struct suite_case *c;
    const struct row *row;
};

static void run_case(void **state)
{
    const struct pick *pick = *state;
    struct fixture f;
    begin(&f, pick->row);
    pick->c->run(&f);
    end(&f);
}

/* ---- what only a process can do ---- */

static void run_child(const char *script, struct fixture *f, const char *sent)
{
    struct mct_error err;
    *f = (struct fixture){ 0 };
    assert_int_equal(mct_loop_init(&f->loop, NULL, &err), 0);
    open_with(f, make_child(f, script));
    assert_int_equal(f->t->ops->open(f->t, &err), 0);
    if (sent)
        f->t->ops->send(f->t, mct_str_of(sent), NULL);
    while (!f->n_closed)
        turn(f);
}

static void last_words_arrive_before_the_end(void **state)
{
    struct fixture f;
    (void)state;
    run_child("printf '{\"a\":1}\\n{\"b\":2}\\n{\"cut\":'; exit 3", &f, NULL);
    assert_int_equal(f.n_frames, 2);
    assert_string_equal(f.last, "{\"b\":2}");
    assert_true(f.failed);
    end(&f);
}

static void words_that_are_no_json_are_skipped(void **state)
{
    struct fixture f;
    struct mct_transport_facts facts = { 0 };
    (void)state;
    run_child("echo starting up; echo '{\"a\":1}'; echo; echo bye; echo oops >&2", &f, NULL);
    f.t->ops->describe(f.t, &facts);
    assert_int_equal(f.n_frames, 1);
    assert_int_equal(facts.bad_lines, 2);
    assert_span(facts.diagnostics, "oops\n");
    end(&f);
}

static void stderr_is_drained_and_its_tail_kept(void **state)
{
    struct fixture f;
    struct mct_transport_facts facts = { 0 };
    (void)state;
    run_child("i=0; while [ $i -lt 20000 ]; do echo \"line $i\" >&2; i=$((i+1)); done; echo '{}'", &f, NULL);
    f.t->ops->describe(f.t, &facts);
    assert_int_equal(f.n_frames, 1);
    assert_int_equal(facts.diagnostics.len, 8192);
    assert_memory_equal(facts.diagnostics.p + facts.diagnostics.len - 11, "line 19999\n", 11);
    end(&f);
}

static void a_child_that_does_not_read_does_not_block_us(void **state)
{
    struct fixture f;
    struct mct_error err;
    char *text = malloc(1 << 20);
    (void)state;
    f = (struct fixture){ 0 };
    memset(text, 'x', 1 << 20);
    assert_int_equal(mct_loop_init(&f.loop, NULL, &err), 0);
    open_with(&f, make_child(&f, "exec sleep 1000"));
    assert_int_equal(f.t->ops->open(f.t, &err), 0);
    int r = 0;
    for (int i = 0; i < 200 && r == 0; i++)
        r = f.t->ops->send(f.t, (struct mct_str){ text, 1 << 20 }, NULL);
    assert_int_equal(r, -1); /* the queue has a ceiling */
    free(text);
    end(&f);
}

static void stubborn_children_are_ended(void **state)
{
    struct fixture f;
    struct mct_error err;
    (void)state;
    f = (struct fixture){ 0 };
    assert_int_equal(mct_loop_init(&f.loop, NULL, &err), 0);
    open_with(&f, make_child(&f, "trap '' TERM; echo '{}'; while :; do sleep 1000; done"));
    assert_int_equal(f.t->ops->open(f.t, &err), 0);
    while (!f.n_frames)
        turn(&f);
    f.t->ops->close(f.t);
    while (!f.n_closed)
        turn(&f);
    assert_false(f.failed);
    end(&f);
}

static void refused_starts_say_why(void **state)
{
    static char *none[] = { "no-such-program-anywhere", NULL }, *cat[] = { "cat", NULL };
    static char *envp[] = { "PATH=/usr/bin:/bin", NULL };
    const struct mct_stdio_opts bad_program = { .spawn = { none, envp, NULL }, .message_bytes = 1000 };
    const struct mct_stdio_opts bad_folder = { .spawn = { cat, envp, "/no/such/folder" }, .message_bytes = 1000 };
    struct mct_loop loop;
    struct mct_error err;
    (void)state;
    assert_int_equal(mct_loop_init(&loop, NULL, &err), 0);
    struct mct_transport *t = mct_transport_stdio_new(&loop, &bad_program);
    assert_int_equal(t->ops->open(t, &err), -1);
    assert_string_equal(err.message, "starting 'no-such-program-anywhere': not found in PATH; install it or give "
                                     "its full path");
    mct_transport_free(t);
    t = mct_transport_stdio_new(&loop, &bad_folder);
    assert_int_equal(t->ops->open(t, &err), -1);
    assert_string_equal(err.message, "starting 'cat': working directory '/no/such/folder': No such file or directory");
    mct_transport_free(t);
    mct_loop_done(&loop);
}

int main(void)
{
    static struct pick picks[N_CASES * N_ROWS];
    static char names[N_CASES * N_ROWS][80];
    static struct CMUnitTest tests[N_CASES * N_ROWS + 8];
    const struct CMUnitTest of_processes[] = {
        cmocka_unit_test(last_words_arrive_before_the_end), cmocka_unit_test(words_that_are_no_json_are_skipped),
        cmocka_unit_test(stderr_is_drained_and_its_tail_kept),
        cmocka_unit_test(a_child_that_does_not_read_does_not_block_us),
        cmocka_unit_test(stubborn_children_are_ended), cmocka_unit_test(refused_starts_say_why),
    };
    for (int i = 0; i < N_CASES * N_ROWS; i++) {
        picks[i] = (struct pick){ &cases[i % N_CASES], &rows[i / N_CASES] };
        snprintf(names[i], sizeof names[i], "%s: %s", picks[i].row->name, picks[i].c->name);
        tests[i] = (struct CMUnitTest){ .name = names[i], .test_func = run_case, .initial_state = &picks[i] };
    }
    signal(SIGPIPE, SIG_IGN);
    int failed = _cmocka_run_group_tests("transports", tests, N_CASES * N_ROWS, NULL, NULL);
    return failed + cmocka_run_group_tests_name("processes", of_processes, NULL, NULL);
}
