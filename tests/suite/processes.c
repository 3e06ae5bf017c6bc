/* What only a transport over a process can do: last words, stderr, children that do not end, starts that fail. */
#include "../unit/unit.h"

#include "fixture.h"
#include "io/process/transport_stdio.h"

static struct mcti_transport *make_child(struct fixture *f, const char *script)
{
    static char *argv[] = { "sh", "-c", NULL, NULL };
    static char *envp[] = { "PATH=/usr/bin:/bin", NULL };
    argv[2] = (char *)(uintptr_t)script;
    const struct mcti_stdio_opts opts = {
        .spawn = { .argv = argv, .envp = envp }, .message_bytes = MESSAGE_BYTES, .stop_eof_ms = 500, .stop_term_ms = 200
    };
    return mcti_transport_stdio_new(&f->loop, &opts);
}

static void end_child(struct fixture *f)
{
    mcti_transport_free(f->t);
    mcti_loop_done(&f->loop);
}

static void run_child_slowly(const char *script, struct fixture *f, const char *sent, uint64_t frame_ms)
{
    struct mct_error err;
    *f = (struct fixture){ .frame_ms = frame_ms };
    assert_int_equal(mcti_loop_init(&f->loop, NULL, &err), 0);
    fixture_listen(f, make_child(f, script));
    assert_int_equal(f->t->ops->open(f->t, &err), 0);
    if (sent)
        f->t->ops->send(f->t, mcti_str_of(sent), NULL);
    while (!f->n_closed)
        fixture_turn(f);
}

static void run_child(const char *script, struct fixture *f, const char *sent)
{
    run_child_slowly(script, f, sent, 0);
}

static void last_words_arrive_before_the_end(void **state)
{
    struct fixture f;
    (void)state;
    run_child("printf '{\"a\":1}\\n{\"b\":2}\\n{\"cut\":'; exit 3", &f, NULL);
    assert_int_equal(f.n_frames, 2);
    assert_string_equal(f.last, "{\"b\":2}");
    assert_true(f.failed);
    end_child(&f);
}

/* The process ends long before all of them have been acted on. */
static void many_last_words_arrive(void **state)
{
    struct fixture f;
    (void)state;
    run_child_slowly("yes '{\"n\":1}' | head -n 8000; echo '{\"last\":1}'", &f, NULL, 5);
    assert_int_equal(f.n_frames, 8001);
    assert_string_equal(f.last, "{\"last\":1}");
    end_child(&f);
}

/* The same when it has left a process that writes on. */
static void who_writes_on_is_not_waited_for(void **state)
{
    struct fixture f;
    (void)state;
    run_child_slowly("i=0; while [ $i -lt 1000 ]; do echo '{\"n\":1}'; i=$((i+1)); done; yes '{\"m\":1}' & exit 3", &f,
                     NULL, 5);
    assert_true(f.n_frames >= 1000);
    assert_true(f.failed);
    end_child(&f);
}

static void words_that_are_no_json_are_skipped(void **state)
{
    struct fixture f;
    struct mcti_transport_facts facts = { 0 };
    (void)state;
    run_child("echo starting up; echo '{\"a\":1}'; echo; echo bye; echo oops >&2", &f, NULL);
    f.t->ops->describe(f.t, &facts);
    assert_int_equal(f.n_frames, 1);
    assert_int_equal(facts.bad_lines, 2);
    assert_span(facts.diagnostics, "oops\n");
    end_child(&f);
}

static void stderr_is_drained_and_its_tail_kept(void **state)
{
    struct fixture f;
    struct mcti_transport_facts facts = { 0 };
    (void)state;
    run_child("i=0; while [ $i -lt 20000 ]; do echo \"line $i\" >&2; i=$((i+1)); done; echo '{}'", &f, NULL);
    f.t->ops->describe(f.t, &facts);
    assert_int_equal(f.n_frames, 1);
    assert_int_equal(facts.diagnostics.len, 8192);
    assert_memory_equal(facts.diagnostics.p + facts.diagnostics.len - 11, "line 19999\n", 11);
    end_child(&f);
}

static void stubborn_children_are_ended(void **state)
{
    struct fixture f;
    struct mct_error err;
    (void)state;
    f = (struct fixture){ 0 };
    assert_int_equal(mcti_loop_init(&f.loop, NULL, &err), 0);
    fixture_listen(&f, make_child(&f, "trap '' TERM; echo '{}'; while :; do sleep 1000; done"));
    assert_int_equal(f.t->ops->open(f.t, &err), 0);
    while (!f.n_frames)
        fixture_turn(&f);
    f.t->ops->close(f.t);
    while (!f.n_closed)
        fixture_turn(&f);
    assert_false(f.failed);
    end_child(&f);
}

static void refused_starts_say_why(void **state)
{
    static char *none[] = { "no-such-program-anywhere", NULL }, *cat[] = { "cat", NULL };
    static char *envp[] = { "PATH=/usr/bin:/bin", NULL };
    const struct mcti_stdio_opts bad_program = { .spawn = { none, envp, NULL }, .message_bytes = 1000 };
    const struct mcti_stdio_opts bad_folder = { .spawn = { cat, envp, "/no/such/folder" }, .message_bytes = 1000 };
    struct mcti_loop loop;
    struct mct_error err;
    (void)state;
    assert_int_equal(mcti_loop_init(&loop, NULL, &err), 0);
    struct mcti_transport *t = mcti_transport_stdio_new(&loop, &bad_program);
    assert_int_equal(t->ops->open(t, &err), -1);
    assert_string_equal(err.message, "starting 'no-such-program-anywhere': not found in PATH; install it or give "
                                     "its full path");
    mcti_transport_free(t);
    t = mcti_transport_stdio_new(&loop, &bad_folder);
    assert_int_equal(t->ops->open(t, &err), -1);
    assert_string_equal(err.message, "starting 'cat': working directory '/no/such/folder': No such file or directory");
    mcti_transport_free(t);
    mcti_loop_done(&loop);
}

int run_process_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_words_arrive_before_the_end),
        cmocka_unit_test(many_last_words_arrive),
        cmocka_unit_test(who_writes_on_is_not_waited_for),
        cmocka_unit_test(words_that_are_no_json_are_skipped),
        cmocka_unit_test(stderr_is_drained_and_its_tail_kept),
        cmocka_unit_test(stubborn_children_are_ended),
        cmocka_unit_test(refused_starts_say_why),
    };
    return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
