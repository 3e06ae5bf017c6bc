/* The library as a program uses it: what servers ask it, what it decides about calls, and the modes it can choose. */
#include "program.h"

/* ---- what servers ask ---- */

static void on_withdrawn(struct mct_question *q, void *data)
{
    (void)q;
    (void)data;
    seen.n_withdrawn++;
}

static void answer_sampling(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_non_null(mct_question_request(q));
    snprintf(seen.method, sizeof seen.method, "%s", mct_question_method(q));
    snprintf(seen.params, sizeof seen.params, "%s", mct_question_params(q));
    mct_question_answer(q,
                        "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Paris\"},\"model\":\"m\"}");
}

static void refuse(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_string_equal(mct_question_server(q), "asker");
    mct_question_refuse(q, -1, "not today");
}

static void keep_open(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    mct_question_on_withdraw(q, on_withdrawn, NULL);
}

static void asked_by(const char *servers)
{
    const struct mct_instance_opts o = {
        .size = sizeof o, .sampling = answer_sampling, .elicit = refuse, .workspace_dir = "/tmp"
    };
    struct mct_instance *r = with(servers, &o);
    struct mct_error err;
    memset(&seen, 0, sizeof seen);
    start(r);
    struct mct_request *q = call(r, "test_sampling", "{\"prompt\":\"Where?\"}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_text(q, NULL), "Paris");
    assert_string_equal(seen.method, "sampling/createMessage");
    assert_has(seen.params, "Where?");
    mct_request_free(q);
    q = call(r, "test_elicitation", "{\"message\":\"Who?\"}", NULL);
    mct_request_wait(q, NULL);
    assert_int_equal(seen.n_questions, 2);
    mct_request_free(q);
    q = call(r, "test_input_required_result_list_roots", "{}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_text(q, NULL), "file:///tmp");
    mct_request_free(q);
    assert_ok(mct_instance_set_workspace(r, "/usr", &err));
    q = call(r, "test_input_required_result_list_roots", "{}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_text(q, NULL), "file:///usr");
    mct_request_free(q);
    mct_instance_close_wait(r);
}

static void answer_roots(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_string_equal(mct_question_method(q), "roots/list");
    mct_question_answer(q, "{\"roots\":[{\"uri\":\"file:///one\"},{\"uri\":\"file:///two\"}]}");
}

static void roots(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .roots = answer_roots };
    struct mct_instance *r = with(SERVERS(ASKER("asker", "2026")), &o);
    (void)state;
    start(r);
    struct mct_request *q = call(r, "test_input_required_result_list_roots", "{}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_has(mct_request_text(q, NULL), "file:///two");
    assert_int_equal(seen.n_questions, 1);
    mct_request_free(q);
    mct_instance_notify_roots(r);
    mct_instance_close_wait(r);
}

/* Whether the server asks in requests, or in results. */
static void questions(void **state)
{
    (void)state;
    asked_by(SERVERS(ASKER("asker", "legacy")));
    asked_by(SERVERS(ASKER("asker", "2026")));
}

static void questions_left_open(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .sampling = keep_open };
    struct mct_instance *r = with(SERVERS(ASKER("asker", "legacy")), &o);
    struct mct_error err;
    (void)state;
    start(r);
    struct mct_request *q = call(r, "test_sampling", "{\"prompt\":\"Where?\"}", NULL), *other;
    until(r, &seen.n_questions, 1);
    mct_request_cancel(q, NULL);
    until(r, &seen.n_withdrawn, 1);
    other = call(r, "test_sampling", "{\"prompt\":\"Where?\"}", NULL);
    until(r, &seen.n_questions, 2);
    mct_instance_close_wait(r); /* with a question and a call open */
    assert_int_equal(seen.n_withdrawn, 2);
    assert_int_equal(mct_request_error(other)->kind, MCT_ERR_CANCELLED);
    mct_request_free(other);
    mct_request_free(q);

    r = with(SERVERS(ASKER("asker", "legacy")), NULL); /* nobody answers: the server is told so, and the call ends */
    start(r);
    q = call(r, "test_missing_capability", "{}", NULL);
    mct_request_wait(q, NULL);
    assert_true(mct_request_is_over(q));
    mct_request_free(q);
    assert_int_equal(mct_instance_set_workspace(r, "/usr", &err), -1);
    mct_instance_close_wait(r);
}

/* ---- policy ---- */

static void policy(void **state)
{
    struct mct_instance_opts o = { .size = sizeof o, .stranger = true };
    struct mct_error err;
    (void)state;
    struct mct_instance *r = with(
        "{\"mcpServers\":{" SERVER("a", "\"--tools\",\"2\"") "},\"mcptools\":{\"policy\":{\"deny\":[\"a__tool1\"]}}}",
        &o);
    assert_ok(mct_instance_add_tool(r, &secret_def, &err));
    start(r);
    assert_true(has_tool(r, "tool0"));
    assert_false(has_tool(r, "tool1"));
    assert_false(has_tool(r, "secret"));
    assert_null(mct_instance_call(r, "tool1", NULL, NULL, &err));
    struct mct_request *q = call(r, "secret", "{}", NULL);
    mct_request_wait(q, NULL);
    assert_true(mct_request_is_error(q));
    assert_string_equal(mct_request_text(q, NULL), "Tool restricted to owner senders.");
    mct_request_free(q);
    assert_int_equal(seen.n_calls, 0);
    mct_instance_close_wait(r);

    o.stranger = false;
    o.read_only = true;
    r = with(NULL, &o);
    assert_ok(mct_instance_add_tool(r, &secret_def, &err));
    assert_ok(mct_instance_add_tool(r, &greet_def, &err)); /* says that it only reads */
    start(r);
    struct mct_tools *t = mct_instance_tools(r, &err);
    assert_true(find_tool(t, "secret")->owner_only);
    mct_tools_free(t);
    q = call(r, "secret", "{}", NULL);
    mct_request_wait(q, NULL);
    assert_true(mct_request_is_error(q));
    assert_int_equal(seen.n_calls, 0);
    mct_request_free(q);
    assert_says(r, "greet", NULL, "Hello, nobody!");
    mct_instance_close_wait(r);
}

/* ---- hooks ---- */

static char heard[512];

static void say(struct mct_hook_event *event, void *data)
{
    snprintf(heard, sizeof heard, "%s", mct_hook_event_json(event));
    mct_hook_decide(event, data);
    mct_hook_decide(event, "{\"block\":true}"); /* too late: reported, and ignored */
}

static void say_nothing(struct mct_hook_event *event, void *data)
{
    (void)event;
    (void)data;
    seen.n_questions++;
}

static void count_withdrawn(struct mct_hook_event *event, void *data)
{
    (void)event;
    (void)data;
    seen.n_withdrawn++;
}

static void add_hook(struct mct_instance *r, enum mct_hook_kind kind, mct_hook_fn run, const char *decision)
{
    static const char *const greet_only[] = { "gr*", NULL };
    const struct mct_hook_def def = { .size = sizeof def,
                                      .kind = kind,
                                      .name = "h",
                                      .tools = greet_only,
                                      .run = run,
                                      .withdrawn = count_withdrawn,
                                      .data = (void *)(uintptr_t)decision };
    struct mct_error err;
    assert_ok(mct_instance_add_hook(r, &def, &err));
}

static void approve(struct mct_question *q, void *data)
{
    (void)data;
    seen.n_questions++;
    assert_has(mct_question_params(q), "greet");
    mct_question_answer(q, "{\"action\":\"accept\",\"content\":{\"decision\":\"allow-once\"}}");
}

static void hooks(void **state)
{
    const struct mct_instance_opts o = { .size = sizeof o, .elicit = approve };
    struct mct_instance *r = with(NULL, &o);
    struct mct_error err;
    (void)state;
    assert_int_equal(mct_instance_add_hook(r, &(struct mct_hook_def){ .size = sizeof(struct mct_hook_def) }, &err), -1);
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    assert_ok(mct_instance_add_tool(r, &slow_def, &err));
    add_hook(r, MCT_HOOK_BEFORE, say, "{\"params\":{\"name\":\"Ada\"}}");
    start(r);
    assert_says(r, "greet", "{\"name\":\"x\",\"other\":1}", "Hello, Ada!");
    assert_has(heard, "\"params\":{\"name\":\"x\",\"other\":1}");
    assert_has(heard, "\"hook\":\"before_tool_call\"");
    heard[0] = '\0';
    assert_says(r, "slow", "{\"ms\":1}", "later"); /* is none of its business */
    assert_string_equal(heard, "");

    add_hook(r, MCT_HOOK_PERSIST, say,
             "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"kept\"}]}}"); /* also while it runs */
    assert_says(r, "greet", NULL, "kept");
    assert_has(heard, "Hello, Ada!");
    add_hook(r, MCT_HOOK_BEFORE, say, "{\"requireApproval\":{\"title\":\"Really?\"}}");
    assert_says(r, "greet", NULL, "kept");
    assert_int_equal(seen.n_questions, 1);
    add_hook(r, MCT_HOOK_BEFORE, say, "{\"block\":true,\"blockReason\":\"no greetings\"}");
    int n_before = seen.n_calls;
    struct mct_request *q = call(r, "greet", "{}", NULL);
    assert_int_equal(mct_request_wait(q, NULL), 0);
    assert_true(mct_request_is_error(q));
    assert_string_equal(mct_request_text(q, NULL), "no greetings");
    assert_int_equal(seen.n_calls, n_before);
    mct_request_free(q);
    mct_instance_close_wait(r);

    r = with(NULL, NULL); /* one that never decides: the call can be given up, and the instance closed */
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    add_hook(r, MCT_HOOK_BEFORE, say_nothing, NULL);
    start(r);
    seen.n_questions = seen.n_withdrawn = 0;
    q = call(r, "greet", "{}", NULL);
    until(r, &seen.n_questions, 1);
    mct_request_cancel(q, NULL);
    assert_int_equal(mct_request_wait(q, NULL), -1);
    assert_int_equal(seen.n_withdrawn, 1);
    mct_request_free(q);
    q = call(r, "greet", "{}", NULL);
    until(r, &seen.n_questions, 2);
    mct_instance_close_wait(r);
    assert_int_equal(seen.n_withdrawn, 2);
    mct_request_free(q);
}

/* Three tools in place of all others, which they find and call; and the resource tools of a dialect. */
static void modes(void **state)
{
    struct mct_instance_opts o = { .size = sizeof o, .mode = "search" };
    struct mct_error err;
    (void)state;
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--tools\",\"9\"") "," SERVER("b", "\"--tools\",\"9\"")), &o);
    assert_ok(mct_instance_add_tool(r, &greet_def, &err));
    start(r);
    struct mct_tools *t = mct_instance_tools(r, &err);
    assert_int_equal(t->n, 3);
    assert_non_null(find_tool(t, "tool_search"));
    mct_tools_free(t);
    struct mct_request *q = call(r, "tool_search", "{\"query\":\"greets somebody\"}", NULL);
    mct_request_wait(q, NULL);
    assert_has(mct_request_text(q, NULL), "greet");
    mct_request_free(q);
    assert_says(r, "tool_call", "{\"name\":\"greet\",\"arguments\":{\"name\":\"you\"}}", "Hello, you!");
    assert_null(mct_instance_call(r, "tool_call", "{\"name\":\"nothing\"}", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_instance_close_wait(r);

    o = (struct mct_instance_opts){ .size = sizeof o, .mode = "router", .dialects = "nexo" };
    r = with(SERVERS(SERVER("a", "\"--tools\",\"9\",\"--resources\",\"2\"")), &o);
    start(r);
    assert_true(has_tool(r, "ListMcpResources"));
    assert_false(has_tool(r, "tool0"));
    q = call(r, "ListMcpResources", "{}", NULL);
    mct_request_wait(q, NULL);
    assert_has(mct_request_text(q, NULL), "test://resource/1");
    mct_request_free(q);
    mct_instance_close_wait(r);
}

/* The block for a system prompt, with and without a resource. */
static void resource_prompt(void **state)
{
    struct mct_error err;
    (void)state;
    struct mct_instance *r = with(SERVERS(SERVER("a", "\"--resources\",\"2\"")), NULL);
    assert_null(mct_instance_resource_prompt(r, &err));
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    start(r);
    char *text = mct_instance_resource_prompt(r, &err);
    assert_has(text, "Use the \"mcp_read_resource\" tool");
    assert_has(text, "URI: test://resource/1");
    mct_free(text);
    mct_instance_close_wait(r);
    r = with(SERVERS(SERVER("a", "\"--tools\",\"1\"")), NULL);
    start(r);
    text = mct_instance_resource_prompt(r, &err);
    assert_string_equal(text, "");
    mct_free(text);
    mct_instance_close_wait(r);
}

int main(int argc, char **argv)
{
#define T(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        T(questions), T(roots), T(questions_left_open), T(policy), T(hooks), T(modes), T(resource_prompt),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
