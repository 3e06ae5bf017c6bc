/* What a program may do at awkward moments: inside callbacks, between turns, twice, too early, too late. */
#include "api.h"

#include <mcptools/uv.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

static struct {
    struct mct_instance *r;
    struct mct_request *inner, *outer;
    int n_cancelled, n_freed, n_progress, n_done, n_closed, n_withdrawn, n_asked, n_states;
    bool inside; /* a function that asks for something */
    bool stop;
    char text[256];
} w;

static int set_up(void **state)
{
    (void)state;
    memset(&w, 0, sizeof w);
    return 0;
}

static void open_instance(const char *servers, const struct mct_instance_opts *opts)
{
    struct mct_error err;
    w.r = mct_instance_new(opts, &err);
    assert_non_null(w.r);
    if (servers)
        assert_ok(mct_instance_load_text(w.r, servers, &err));
}

static void add(const char *name, mct_tool_fn fn, void (*free_data)(void *))
{
    const struct mct_tool_def def = { .size = sizeof def, .name = name, .execute = fn, .free_data = free_data };
    struct mct_error err;
    assert_ok(mct_instance_add_tool(w.r, &def, &err));
}

static void start(void)
{
    struct mct_error err;
    assert_ok(mct_instance_start(w.r, &err));
    assert_ok(mct_instance_wait_ready(w.r, PATIENCE_MS, &err));
}

static struct mct_request *call(const char *tool, const struct mct_call_opts *opts)
{
    struct mct_error err;
    struct mct_request *q = mct_instance_call(w.r, tool, NULL, opts, &err);
    if (!q)
        fail_msg("%s", err.message);
    return q;
}

static void until(const int *n, int want)
{
    while (*n < want) {
        struct pollfd p = { .fd = mct_instance_fd(w.r), .events = POLLIN };
        poll(&p, 1, mct_instance_timeout(w.r));
        mct_instance_dispatch(w.r);
    }
}

/* ---- tools ---- */

static void quick(struct mct_tool_call *c, void *data)
{
    (void)data;
    mct_tool_call_text(c, "quick");
}

static void on_cancel(struct mct_tool_call *c, void *data)
{
    (void)c;
    (void)data;
    assert_false(w.inside);
    w.n_cancelled++;
}

static void never(struct mct_tool_call *c, void *data)
{
    (void)data;
    mct_tool_call_on_cancel(c, on_cancel, NULL);
}

static void on_outer_cancel(struct mct_tool_call *c, void *data)
{
    (void)c;
    (void)data;
    w.n_cancelled++;
    mct_request_free(w.inner); /* what it was made of */
    mct_request_free(w.outer); /* and, why not, what it was made for */
    w.inner = w.outer = NULL;
}

/* A tool that is made of another. */
static void composite(struct mct_tool_call *c, void *data)
{
    (void)data;
    mct_tool_call_on_cancel(c, on_outer_cancel, NULL);
    w.inner = call("never", NULL);
}

static void count_free(void *data)
{
    (void)data;
    w.n_freed++;
}

static void removes_itself(struct mct_tool_call *c, void *data)
{
    (void)data;
    mct_instance_remove_tool(w.r, "removes_itself", NULL);
    mct_tool_call_text(c, "gone");
    assert_int_equal(w.n_freed, 0); /* its data is in use */
    mct_tool_call_text(c, "again");
}

/* ---- cancelling ---- */

static void told_later(void **state)
{
    (void)state;
    open_instance(NULL, NULL);
    add("never", never, NULL);
    start();
    struct mct_request *q = call("never", NULL), *freed = call("never", NULL);
    mct_instance_dispatch(w.r);
    w.inside = true;
    mct_request_cancel(q, NULL);
    mct_request_free(freed);
    w.inside = false;
    assert_int_equal(w.n_cancelled, 0);
    until(&w.n_cancelled, 2);
    mct_request_free(q);
    q = call("never", NULL);
    mct_instance_dispatch(w.r);
    mct_instance_close_wait(w.r);
    assert_int_equal(w.n_cancelled, 3);
    mct_request_free(q);
}

static void tools_made_of_tools(void **state)
{
    (void)state;
    for (int how = 0; how < 3; how++) { /* cancelled, its time is over, the instance goes */
        const struct mct_call_opts opts = { .size = sizeof opts, .timeout_ms = how == 1 ? 20 : 0 };
        memset(&w, 0, sizeof w);
        open_instance(NULL, NULL);
        add("never", never, NULL);
        add("composite", composite, NULL);
        start();
        w.outer = call("composite", &opts);
        while (!w.inner && how != 1)
            mct_instance_dispatch(w.r);
        if (how == 0)
            mct_request_cancel(w.outer, NULL);
        if (how < 2)
            until(&w.n_cancelled, 2);
        mct_instance_close_wait(w.r);
        assert_int_equal(w.n_cancelled, 2);
    }
}

static void a_tool_removes_itself(void **state)
{
    (void)state;
    open_instance(NULL, NULL);
    add("removes_itself", removes_itself, count_free);
    start();
    struct mct_request *q = call("removes_itself", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_string_equal(mct_request_text(q, NULL), "gone");
    assert_int_equal(w.n_freed, 1);
    mct_request_free(q);
    mct_instance_close_wait(w.r);
}

static void removed_before_it_began(void **state)
{
    struct mct_error err;
    (void)state;
    open_instance(NULL, NULL);
    add("quick", quick, count_free);
    start();
    struct mct_request *q = call("quick", NULL);
    assert_int_equal(mct_instance_remove_tool(w.r, "quick", NULL), 0);
    assert_null(mct_instance_call(w.r, "quick", NULL, NULL, &err));
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_string_equal(mct_request_text(q, NULL), "quick");
    assert_int_equal(w.n_freed, 1);
    mct_request_free(q);
    mct_instance_close_wait(w.r);
}

/* ---- between turns ---- */

static void the_list_is_always_current(void **state)
{
    struct mct_error err;
    (void)state;
    open_instance(NULL, NULL);
    add("quick", quick, NULL);
    assert_ok(mct_instance_start(w.r, &err)); /* nobody has turned anything yet */
    for (int i = 0; i < 3; i++) {
        struct mct_tools *t = mct_instance_tools(w.r, &err);
        assert_int_equal(t->n, i == 2 ? 2 : 1);
        mct_tools_free(t);
        if (i == 0) {
            assert_int_equal(mct_instance_remove_tool(w.r, "quick", NULL), 0);
            add("other", quick, NULL);
        } else if (i == 1) {
            add("more", quick, NULL);
        }
    }
    struct mct_request *q = call("more", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    mct_request_free(q);
    mct_instance_close_wait(w.r);
}

static void after_a_while(struct mct_tool_call *c, void *data)
{
    (void)data;
    mct_tool_call_later(c, 1500, quick, NULL);
}

/* Another instance is driven for a while, and only that. */
static void drive_another(void)
{
    struct mct_instance *idle = w.r;
    open_instance(NULL, NULL);
    add("after_a_while", after_a_while, NULL);
    start();
    struct mct_request *q = call("after_a_while", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    mct_request_free(q);
    mct_instance_close_wait(w.r);
    w.r = idle;
}

/* An agent waits for its model while nobody turns the loop: that is no time that a call has taken. */
static void idle_time_counts_for_nobody(void **state)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .timeout_ms = 1000 };
    (void)state;
    open_instance(SERVERS(SERVER("s", "\"--tools\",\"1\"")), NULL);
    add("quick", quick, NULL);
    start();
    drive_another();
    struct mct_request *q[2] = { call("quick", &opts), call("tool0", &opts) };
    for (int i = 0; i < 2; i++) {
        if (mct_request_wait(q[i], NULL) < 0)
            fail_msg("%s", mct_request_error(q[i])->message);
        mct_request_free(q[i]);
    }
    mct_instance_close_wait(w.r);
}

static struct mct_tool_call *held;

static void hold(struct mct_tool_call *c, void *data)
{
    (void)data;
    held = c;
    mct_tool_call_on_cancel(c, on_cancel, NULL);
}

static void on_progress(struct mct_request *q, double progress, double total, const char *message, void *data)
{
    (void)total;
    (void)data;
    assert_false(w.inside);
    assert_true(progress == 2);
    snprintf(w.text, sizeof w.text, "%s", message);
    w.n_progress++;
    mct_request_free(q);
}

/* A tool that answers from elsewhere tells of its progress while nobody turns the loop. */
static void progress_from_outside(void **state)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .progress = on_progress };
    (void)state;
    held = NULL;
    open_instance(NULL, NULL);
    add("hold", hold, NULL);
    start();
    call("hold", &opts);
    while (!held)
        mct_instance_dispatch(w.r);
    w.inside = true;
    mct_tool_call_progress(held, 1, 3, "first");
    mct_tool_call_progress(held, 2, 3, "latest");
    w.inside = false;
    until(&w.n_progress, 1);
    assert_string_equal(w.text, "latest");
    until(&w.n_cancelled, 1);
    mct_instance_close_wait(w.r);
    assert_int_equal(w.n_progress, 1);
}

/* ---- libuv: somebody asks just before the loop waits ---- */

static uv_prepare_t asking;

static void on_asked(struct mct_request *q, void *data)
{
    (void)data;
    assert_string_equal(mct_request_text(q, NULL), "quick");
    mct_request_free(q);
    mct_instance_close(w.r, NULL, NULL);
}

static void on_prepare(uv_prepare_t *prepare)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .done = on_asked };
    if (!mct_instance_is_ready(w.r) || w.n_asked++)
        return;
    uv_close((uv_handle_t *)prepare, NULL);
    call("quick", &opts);
}

static void asked_as_the_loop_waits(void **state)
{
    struct mct_error err;
    uv_loop_t loop;
    (void)state;
    uv_loop_init(&loop);
    uv_prepare_init(&loop, &asking);
    uv_prepare_start(&asking, on_prepare); /* before ours: it runs after it */
    open_instance(NULL, NULL);
    add("quick", quick, NULL);
    assert_ok(mct_instance_start(w.r, &err));
    assert_ok(mct_instance_attach(w.r, &loop, &err));
    alarm(PATIENCE_MS / 1000);
    assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
    alarm(0);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* ---- questions ---- */

static void answer_all_the_same(struct mct_question *q, void *data)
{
    (void)data;
    w.n_withdrawn++;
    mct_question_answer(q,
                        "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"late\"},\"model\":\"m\"}");
    mct_question_refuse(q, -1, "late");
}

static void keep(struct mct_question *q, void *data)
{
    (void)data;
    w.n_asked++;
    mct_question_on_withdraw(q, answer_all_the_same, NULL);
}

static struct mct_request *asking_request;

static void free_what_it_is_about(struct mct_question *q, void *data)
{
    (void)q;
    (void)data;
    w.n_withdrawn++;
    mct_request_free(asking_request);
}

static void keep_and_free(struct mct_question *q, void *data)
{
    (void)data;
    w.n_asked++;
    mct_question_on_withdraw(q, free_what_it_is_about, NULL);
}

/* Whoever hears that a question is withdrawn frees the request that is just being given up. */
static void freed_while_it_is_given_up(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .sampling = keep_and_free };
    struct mct_error err;
    (void)state;
    open_instance(SERVERS(ASKER("asker", "legacy")), &o);
    start();
    for (int i = 1; i <= 2; i++) {
        asking_request = mct_instance_call(w.r, "test_sampling", "{\"prompt\":\"?\"}", NULL, &err);
        until(&w.n_asked, i);
        if (i == 1)
            mct_request_cancel(asking_request, NULL);
        else
            mct_instance_close_wait(w.r);
        assert_int_equal(w.n_withdrawn, i);
    }
}

/* The question's callback ends what it is about, and answers. */
static void end_and_answer(struct mct_question *q, void *data)
{
    (void)data;
    w.n_asked++;
    mct_question_on_withdraw(q, answer_all_the_same, NULL);
    if (w.stop)
        mct_instance_close(w.r, NULL, NULL);
    else
        mct_request_free(asking_request);
    mct_question_answer(q,
                        "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"late\"},\"model\":\"m\"}");
}

static void questions_that_end_everything(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .sampling = end_and_answer };
    struct mct_error err;
    (void)state;
    for (int i = 0; i < 2; i++) {
        memset(&w, 0, sizeof w);
        w.stop = i == 1;
        open_instance(SERVERS(ASKER("asker", "legacy")), &o);
        start();
        asking_request = mct_instance_call(w.r, "test_sampling", "{\"prompt\":\"?\"}", NULL, &err);
        until(&w.n_asked, 1);
        assert_int_equal(w.n_withdrawn, 1);
        mct_instance_close_wait(w.r);
        if (w.stop)
            mct_request_free(asking_request);
    }
}

static void answer_nonsense(struct mct_question *q, void *data)
{
    (void)data;
    mct_question_answer(q, "{\"foo\":1}");
}

static void answers_too_late_and_wrong(void **state)
{
    struct mct_instance_opts o = { .size = sizeof o, .sampling = keep };
    struct mct_error err;
    (void)state;
    open_instance(SERVERS(ASKER("asker", "legacy")), &o);
    start();
    struct mct_request *q = mct_instance_call(w.r, "test_sampling", "{\"prompt\":\"?\"}", NULL, &err), *other;
    until(&w.n_asked, 1);
    mct_request_cancel(q, NULL);
    until(&w.n_withdrawn, 1);
    other = mct_instance_call(w.r, "test_sampling", "{\"prompt\":\"?\"}", NULL, &err);
    until(&w.n_asked, 2);
    mct_instance_close_wait(w.r);
    assert_int_equal(w.n_withdrawn, 2);
    mct_request_free(q);
    mct_request_free(other);

    o.sampling = answer_nonsense;
    open_instance(SERVERS(ASKER("asker", "legacy")), &o);
    start();
    q = mct_instance_call(w.r, "test_sampling", "{\"prompt\":\"?\"}", NULL, &err);
    mct_request_wait(q, NULL);
    if (mct_request_result(q) && strstr(mct_request_result(q), "foo"))
        fail_msg("the server got it: %s", mct_request_result(q));
    mct_request_free(q);
    mct_instance_close_wait(w.r);
}

/* ---- the beginning and the end ---- */

static void on_state(struct mct_instance *r, const char *server, void *data)
{
    (void)data;
    assert_false(w.inside);
    assert_string_equal(server, "s");
    w.n_states++;
    if (!strcmp(mct_instance_state(r, server, NULL), "connected")) {
        mct_request_free(w.inner); /* a refresh that waits for that very state */
        w.inner = NULL;
    }
}

static void states_are_told_from_the_loop(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .state_changed = on_state };
    struct mct_error err;
    (void)state;
    open_instance(SERVERS(SERVER("s", "\"--tools\",\"1\"")), &o);
    add("quick", quick, NULL);
    w.inside = true;
    assert_ok(mct_instance_start(w.r, &err));
    w.inside = false;
    w.inner = mct_instance_refresh(w.r, NULL, NULL, &err);
    assert_non_null(w.inner);
    while (w.inner)
        mct_instance_dispatch(w.r);
    assert_true(w.n_states >= 1);
    mct_instance_close_wait(w.r);
}

static void failing_to_start_is_final(void **state)
{
    struct mct_error err;
    (void)state;
    open_instance(NULL, NULL);
    assert_int_equal(mct_instance_load_text(w.r, "{\"mcptools\":{\"policy\":{\"deny\":7}}}", &err), -1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mct_instance_serve_http(w.r, "127.0.0.1:0", &err), -1);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
        assert_int_equal(mct_instance_start(w.r, &err), -1);
        assert_int_equal(err.kind, MCT_ERR_CONFIG);
    }
    assert_null(mct_instance_tools(w.r, &err));
    mct_instance_close_wait(w.r);
    open_instance(NULL, NULL);
    assert_int_equal(mct_instance_load_text(w.r, NULL, &err), -1);
    assert_int_equal(mct_instance_load_file(w.r, NULL, &err), -1);
    assert_int_equal(mct_instance_add_tool(w.r, NULL, &err), -1);
    assert_int_equal(mct_instance_add_hook(w.r, NULL, &err), -1);
    assert_int_equal(mct_instance_is_ready(w.r), 0);
    mct_instance_close(w.r, NULL, NULL);
    mct_instance_close_wait(w.r); /* goes on with that */
    mct_instance_close(NULL, NULL, NULL);
    assert_int_equal(mct_request_wait(NULL, NULL), -1);
    mct_request_cancel(NULL, NULL);
}

static void on_closed(void *data)
{
    (void)data;
    w.n_closed++;
    w.stop = true;
}

static void close_in_done(struct mct_request *q, void *data)
{
    (void)data;
    mct_request_free(q);
    mct_instance_close(w.r, on_closed, NULL);
}

static void runs_until_it_is_closed(void **state)
{
    const struct mct_call_opts opts = { .size = sizeof opts, .done = close_in_done };
    (void)state;
    open_instance(NULL, NULL);
    add("quick", quick, NULL);
    start();
    call("quick", &opts);
    assert_int_equal(mct_instance_run(w.r, NULL), 0);
    assert_int_equal(w.n_closed, 1);
}

static void sizes(void **state)
{
    struct {
        struct mct_call_opts opts;
        long more;
    } newer = { .opts = { .size = sizeof newer } };
    struct mct_error err;
    (void)state;
    assert_null(mct_instance_new(&(struct mct_instance_opts){ .prefix = "never" }, &err));
    assert_has(err.message, "struct mct_instance_opts: .size is not set");
    open_instance(NULL, NULL);
    assert_int_equal(mct_instance_add_tool(w.r, &(struct mct_tool_def){ .name = "x", .execute = quick }, &err), -1);
    assert_has(err.message, "struct mct_tool_def: .size is not set");
    assert_int_equal(mct_instance_add_hook(w.r, &(struct mct_hook_def){ .name = "x" }, &err), -1);
    assert_has(err.message, "struct mct_hook_def: .size is not set");
    add("quick", quick, NULL);
    start();
    assert_null(mct_instance_call(w.r, "quick", NULL, &(struct mct_call_opts){ .timeout_ms = 1 }, &err));
    assert_has(err.message, "struct mct_call_opts: .size is not set");
    struct mct_request *q = mct_instance_call(w.r, "quick", NULL, &newer.opts, &err); /* says nothing new */
    assert_int_equal(mct_request_wait(q, NULL), 0);
    mct_request_free(q);
    newer.more = 1;
    assert_null(mct_instance_call(w.r, "quick", NULL, &newer.opts, &err));
    assert_int_equal(err.kind, MCT_ERR_UNSUPPORTED);
    mct_instance_close_wait(w.r);
}

static void names_with_their_server(void **state)
{
    struct mct_error err;
    static const char *const names[] = { "tool0", "s.tool0", "s__tool0" };
    (void)state;
    open_instance(SERVERS(SERVER("s", "\"--tools\",\"1\"")), NULL);
    start();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct mct_request *q = call(names[i], NULL);
        assert_int_equal(mct_request_wait(q, NULL), 0);
        mct_request_free(q);
    }
    assert_null(mct_instance_call(w.r, "s_tool0", NULL, NULL, &err));
    assert_null(mct_instance_call(w.r, "s.", NULL, NULL, &err));
    mct_instance_close_wait(w.r);
}

static void a_model_is_cut_off(void **state)
{
    struct mct_error err;
    (void)state;
    open_instance(NULL, NULL);
    add("quick", quick, NULL);
    start();
    struct mct_request *q = mct_instance_call_model(
        w.r, "openai",
        "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"quick\",\"arguments\":\"{\\\"a\\\":\"}}", NULL,
        &err);
    assert_non_null(q);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_has(mct_request_answer(q, NULL), "\"tool_call_id\":\"c1\"");
    assert_has(mct_request_answer(q, NULL), "failed to parse function arguments: ");
    mct_request_free(q);
    mct_instance_close_wait(w.r);
}

int main(int argc, char **argv)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        T(told_later),
        T(tools_made_of_tools),
        T(a_tool_removes_itself),
        T(removed_before_it_began),
        T(the_list_is_always_current),
        T(idle_time_counts_for_nobody),
        T(progress_from_outside),
        T(asked_as_the_loop_waits),
        T(answers_too_late_and_wrong),
        T(questions_that_end_everything),
        T(freed_while_it_is_given_up),
        T(states_are_told_from_the_loop),
        T(failing_to_start_is_final),
        T(runs_until_it_is_closed),
        T(sizes),
        T(names_with_their_server),
        T(a_model_is_cut_off),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
