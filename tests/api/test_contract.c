/* Promises of the headers that concern all functions: versions, sizes, errors, texts with lengths, and driving until a
 * stop. */
#include "program.h"

#include <pthread.h>
#include <signal.h>

static void version(void **state)
{
    unsigned major = 0, minor = 0, patch = 0;
    (void)state;
    assert_string_equal(mct_version(), MCPTOOLS_VERSION);
    assert_int_equal(sscanf(MCPTOOLS_VERSION, "%u.%u.%u", &major, &minor, &patch), 3);
    assert_int_equal(MCPTOOLS_VERSION_NUM, major << 16 | minor << 8 | patch);
}

static void sizes(void **state)
{
    const struct mct_instance_opts opts = MCT_INSTANCE_OPTS_INIT;
    const struct mct_call_opts call_opts = MCT_CALL_OPTS_INIT;
    const struct mct_completion completion = MCT_COMPLETION_INIT;
    const struct mct_tool_def tool = MCT_TOOL_DEF_INIT;
    const struct mct_hook_def hook = MCT_HOOK_DEF_INIT;
    (void)state;
    assert_int_equal(opts.size, sizeof opts);
    assert_int_equal(call_opts.size, sizeof call_opts);
    assert_int_equal(completion.size, sizeof completion);
    assert_int_equal(tool.size, sizeof tool);
    assert_int_equal(hook.size, sizeof hook);
    for (int kind = 0; kind < MCT_ERR_N_KINDS; kind++)
        assert_non_null(mct_error_word((enum mct_error_kind)kind));
}

/* ---- errors ---- */

static void wait_inside(struct mct_request *q, void *data)
{
    struct mct_error err;
    struct mct_request *other = data;
    assert_int_equal(mct_request_wait(other, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_false(mct_request_is_over(other));
    assert_int_equal(mct_instance_run(seen.instance, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_int_equal(mct_request_wait(q, &err), 0); /* it is over: there is nothing to wait for */
    seen.n_calls = 100;
}

static void errors(void **state)
{
    struct mct_instance *r = seen.instance = with(NULL, NULL);
    struct mct_error err = { 0 };
    (void)state;
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    assert_int_equal(mct_instance_remove_tool(r, "nothing", &err), -1);
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    assert_has(err.message, "'nothing'");
    start(r);

    struct mct_request *slow = call(r, "slow", "{\"ms\":1000000}", NULL);
    assert_null(mct_request_text(slow, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_null(mct_request_answer(slow, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    const struct mct_call_opts o = { .size = sizeof o, .done = wait_inside, .data = slow };
    struct mct_request *quick = call(r, "greet", NULL, &o);
    until(r, &seen.n_calls, 100);
    mct_request_free(quick);

    mct_request_cancel(slow, "enough");
    assert_int_equal(mct_request_wait(slow, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_CANCELLED);
    assert_string_equal(err.message, "enough");
    err.kind = MCT_ERR_NONE;
    assert_null(mct_request_content(slow, &err)); /* why there is none */
    assert_int_equal(err.kind, MCT_ERR_CANCELLED);
    mct_request_free(slow);

    struct mct_request *none = mct_instance_call(r, "nothing", NULL, NULL, &err);
    assert_int_equal(mct_request_wait(none, &err), -1); /* the error of the call stays */
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);

    mct_instance_close(r, NULL, NULL);
    assert_null(mct_cancel_new(r, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    mct_instance_close_wait(r);
}

/* ---- texts with lengths ---- */

static void echo(struct mct_tool_call *c, void *data)
{
    bool fails = mct_tool_call_argument(c, "fail") != NULL;
    size_t len, n_args;
    const char *text = mct_tool_call_text_argument_len(c, "text", &len),
               *args = mct_tool_call_arguments_len(c, &n_args);
    (void)data;
    assert_int_equal(strlen(args), n_args);
    if (memchr(text, '\0', len))
        assert_null(mct_tool_call_text_argument(c, "text"));
    else
        assert_string_equal(mct_tool_call_text_argument(c, "text"), text);
    (fails ? mct_tool_call_error_len : mct_tool_call_text_len)(c, text, len);
}

static void refuses_numbers(struct mct_tool_call *c, void *data)
{
    size_t len = 7;
    (void)data;
    assert_null(mct_tool_call_text_argument_len(c, "text", &len));
    assert_int_equal(len, 0);
    mct_tool_call_result_len(c, "{\"content\":[]}trailing", 14);
}

static const struct mct_tool_def echo_def = { .size = sizeof echo_def, .name = "echo", .execute = echo };
static const struct mct_tool_def numbers_def = { .size = sizeof numbers_def,
                                                 .name = "numbers",
                                                 .execute = refuses_numbers };

/* Arguments without a U+0000 behind them. */
static struct mct_request *call_len(struct mct_instance *r, const char *tool, const char *text, size_t len)
{
    struct mct_error err;
    char *args = malloc(len);
    memcpy(args, text, len);
    struct mct_request *q = mct_instance_call_len(r, tool, args, len, NULL, &err);
    free(args);
    if (mct_request_wait(q, &err) < 0)
        fail_msg("%s", err.message);
    return q;
}

static void zeros(void **state)
{
    static const char args[] = "{\"text\":\"a\\u0000b\"}", failing[] = "{\"text\":\"a\\u0000b\",\"fail\":1}";
    struct mct_instance *r = with(NULL, NULL);
    struct mct_error err;
    size_t len = 0;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &echo_def, &err));
    assert_ok(mct_instance_add_tool(r, &numbers_def, &err));
    start(r);
    struct mct_request *q = call_len(r, "echo", args, strlen(args));
    assert_memory_equal(mct_request_text_len(q, &len, &err), "a\0b", 4);
    assert_int_equal(len, 3);
    assert_has(mct_request_content_len(q, &len, &err), "a\\u0000b");
    assert_int_equal(len, strlen(mct_request_content(q, &err)));
    const char *result = mct_request_result_len(q, &len);
    assert_ptr_equal(result, mct_request_result(q));
    assert_int_equal(len, strlen(result));
    char *text = mct_result_degrade_text_len(result, len, &len, &err);
    assert_int_equal(len, 3);
    assert_memory_equal(text, "a\0b", 4);
    mct_free(text);
    mct_request_free(q);

    q = call_len(r, "echo", failing, strlen(failing));
    assert_true(mct_request_is_error(q));
    assert_memory_equal(mct_request_text_len(q, &len, &err), "a\0b", 4);
    mct_request_free(q);

    q = call_len(r, "numbers", "{\"text\":1}", 10);
    assert_false(mct_request_is_error(q));
    mct_request_free(q);
    assert_null(mct_instance_call_len(r, "echo", "{\"text\":\"\0\"}", 12, NULL, &err)); /* JSON writes it \u0000 */
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    mct_instance_close_wait(r);
}

/* Through a server, too. */
static void large_texts(void **state)
{
    enum { N = 3 << 20 };
    static const char head[] = "{\"text\":\"", tail[] = "\"}";
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    struct mct_error err;
    size_t n = strlen(head) + N + strlen(tail), len = 0;
    char *args = malloc(n);
    (void)state;
    memset(args, 'x', n);
    memcpy(args, head, strlen(head));
    memcpy(args + n - strlen(tail), tail, strlen(tail));
    assert_ok(mct_instance_add_tool(r, &echo_def, &err));
    start(r);
    struct mct_request *q = call_len(r, "echo", args, n);
    const char *text = mct_request_text_len(q, &len, &err);
    assert_int_equal(len, N);
    assert_memory_equal(text, args + strlen(head), N);
    mct_request_free(q);
    q = call_len(r, "tool0", args, n);
    assert_has(mct_request_result_len(q, &len), "\"structuredContent\"");
    assert_true(len > N);
    assert_int_equal(len, strlen(mct_request_result(q)));
    mct_request_free(q);
    free(args);
    mct_instance_close_wait(r);
}

/* ---- until a stop ---- */

static void stop_on_signal(int signum)
{
    (void)signum;
    mct_instance_stop(seen.instance);
}

static void *stop_in_thread(void *data)
{
    mct_instance_stop(data);
    return NULL;
}

static void raise_signal(struct mct_tool_call *c, void *data)
{
    (void)data;
    raise(SIGUSR1);
    mct_tool_call_text(c, "raised");
}

static void runs_until_it_is_stopped(void **state)
{
    const struct mct_tool_def raise_def = { .size = sizeof raise_def, .name = "raise", .execute = raise_signal };
    struct mct_instance *r = seen.instance = with(NULL, NULL);
    struct mct_error err;
    pthread_t thread;
    (void)state;
    assert_ok(mct_instance_add_tool(r, &raise_def, &err));
    start(r);
    signal(SIGUSR1, stop_on_signal);
    struct mct_request *q = call(r, "raise", NULL, NULL);
    assert_ok(mct_instance_run(r, &err));
    signal(SIGUSR1, SIG_DFL);
    assert_int_equal(mct_request_wait(q, NULL), 0); /* the instance goes on */
    mct_request_free(q);

    assert_int_equal(pthread_create(&thread, NULL, stop_in_thread, r), 0);
    assert_ok(mct_instance_run(r, &err)); /* returns, whichever comes first */
    pthread_join(thread, NULL);

    mct_instance_stop(r);
    mct_instance_stop(r);
    assert_ok(mct_instance_run(r, &err)); /* both at once */
    mct_instance_close_wait(r);
}

int main(int argc, char **argv)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = { T(version), T(sizes),       T(errors),
                                        T(zeros),   T(large_texts), T(runs_until_it_is_stopped) };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
