/* The library as a program uses it: calls that become tasks. The server is tasks_server.py. */
#include "program.h"

#define OLD SERVERS("\"s\":{\"command\":\"" PYTHON "\",\"args\":[\"" TASKS_SERVER "\",\"2025-11-25\"]}")
#define TASKS SERVERS("\"s\":{\"command\":\"" PYTHON "\",\"args\":[\"" TASKS_SERVER "\"]}")

static int n_asked;

static void accept_question(struct mct_question *q, void *data)
{
    (void)data;
    n_asked++;
    mct_question_answer(q, "{\"action\":\"accept\",\"content\":{}}");
}

static struct mct_instance *opened(void)
{
    const struct mct_instance_opts o = { .size = sizeof o, .elicit = accept_question };
    struct mct_instance *r = with(TASKS, &o);
    n_asked = 0;
    start(r);
    return r;
}

/* Waits for a request that works, checks that its result has the text, and frees it. */
static void assert_has_result(struct mct_request *q, const char *text)
{
    struct mct_error err;
    assert_non_null(q);
    assert_ok(mct_request_wait(q, &err));
    if (!strstr(mct_request_result(q), text))
        fail_msg("no '%s' in: %s", text, mct_request_result(q));
    mct_request_free(q);
}

/* Starts a call that becomes a task. Returns its id, owned. */
static char *task_of(struct mct_instance *r, const char *tool)
{
    struct mct_error err;
    struct mct_request *q = mct_instance_call_task(r, tool, NULL, NULL, &err);
    assert_non_null(q);
    assert_null(mct_request_task(q));
    assert_ok(mct_request_wait(q, &err));
    assert_non_null(mct_request_task(q));
    char *id = strdup(mct_request_task(q));
    mct_request_free(q);
    return id;
}

static void calls_follow_their_task(void **state)
{
    struct mct_instance *r = opened();
    struct mct_error err;
    (void)state;
    assert_has_result(mct_instance_call(r, "s.slow", NULL, NULL, &err), "of slow");
    assert_has_result(mct_instance_call(r, "s.asks", NULL, NULL, &err), "of asks");
    assert_int_equal(n_asked, 1);
    mct_instance_close_wait(r);
}

static void tasks_are_left_alone_and_awaited(void **state)
{
    struct mct_instance *r = opened();
    struct mct_error err;
    char *slow = task_of(r, "s.slow"), *asks = task_of(r, "s.asks");
    (void)state;
    struct mct_request *q = mct_instance_get_task(r, "s", slow, NULL, &err);
    assert_ok(mct_request_wait(q, &err));
    assert_string_equal(mct_request_task(q), slow);
    assert_has(mct_request_result(q), "\"status\": \"working\"");
    mct_request_free(q);
    assert_has_result(mct_instance_await_task(r, "s", asks, NULL, &err), "of asks");
    assert_int_equal(n_asked, 1);
    assert_has_result(mct_instance_await_task(r, "s", slow, NULL, &err), "of slow");
    assert_has_result(mct_instance_get_task(r, "s", slow, NULL, &err), "\"status\": \"completed\"");
    free(slow);
    free(asks);
    mct_instance_close_wait(r);
}

/* A task goes on if nobody waits for it any more, and ends when it is cancelled. */
static void tasks_outlive_those_who_wait(void **state)
{
    struct mct_instance *r = opened();
    struct mct_error err;
    char *id = task_of(r, "s.stays");
    (void)state;
    struct mct_request *q = mct_instance_await_task(r, "s", id, NULL, &err);
    mct_request_cancel(q, NULL);
    mct_request_free(q);
    const struct mct_call_opts soon = { .size = sizeof soon, .timeout_ms = 200 };
    q = mct_instance_await_task(r, "s", id, &soon, &err);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_TIMEOUT);
    mct_request_free(q);
    assert_has_result(mct_instance_get_task(r, "s", id, NULL, &err), "\"status\": \"working\"");
    assert_has_result(mct_instance_cancel_task(r, "s", id, NULL, &err), "{");
    assert_has_result(mct_instance_await_task(r, "s", id, NULL, &err), "was cancelled");
    free(id);
    mct_instance_close_wait(r);
}

/* A call that is cancelled cancels its task. */
static void cancelled_calls_end_their_task(void **state)
{
    struct mct_instance *r = opened();
    struct mct_error err;
    const struct mct_call_opts soon = { .size = sizeof soon, .timeout_ms = 300 };
    (void)state;
    struct mct_request *q = mct_instance_call(r, "s.stays", NULL, &soon, &err);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    mct_request_free(q);
    assert_has_result(mct_instance_await_task(r, "s", "T0", NULL, &err), "was cancelled");
    mct_instance_close_wait(r);
}

/* A task of 2025-11-25 is awaited in any case. */
static void old_tasks_are_awaited(void **state)
{
    struct mct_instance *r = with(OLD, NULL);
    struct mct_error err;
    (void)state;
    start(r);
    assert_has_result(mct_instance_call(r, "s.slow", NULL, NULL, &err), "of O");
    struct mct_request *q = mct_instance_call_task(r, "s.slow", NULL, NULL, &err);
    assert_ok(mct_request_wait(q, &err));
    assert_null(mct_request_task(q));
    assert_has_result(q, "of O");
    mct_instance_close_wait(r);
}

static void wrong_requests_fail(void **state)
{
    struct mct_instance *r = opened();
    struct mct_error err;
    (void)state;
    assert_null(mct_instance_get_task(r, "nobody", "T0", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_null(mct_instance_call_task(r, "s.slow", "[]", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_null(mct_instance_call_task(r, "s.no", NULL, NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    struct mct_request *q = mct_instance_await_task(r, "s", "T\"9", NULL, &err);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_int_equal(mct_request_error(q)->kind, MCT_ERR_SERVER);
    assert_has(mct_request_error(q)->message, "does not know the task");
    assert_null(mct_request_task(q));
    mct_request_free(q);
    mct_instance_close_wait(r);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_follow_their_task, set_up),
        cmocka_unit_test_setup(tasks_are_left_alone_and_awaited, set_up),
        cmocka_unit_test_setup(tasks_outlive_those_who_wait, set_up),
        cmocka_unit_test_setup(cancelled_calls_end_their_task, set_up),
        cmocka_unit_test_setup(old_tasks_are_awaited, set_up),
        cmocka_unit_test_setup(wrong_requests_fail, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
