/* Calls through hooks: order, what is decided, failures, time limits, and the end of a call at every point. */
#include "hooked_call.h"

#include "base/limits.h"

/* ---- order and what is decided ---- */

static void highest_priority_first_and_the_last_params_win(void **state)
{
    (void)state;
    static struct script low = { .name = "low", .decision = "{\"params\":{\"b\":\"low\",\"c\":3}}" };
    static struct script first = { .name = "first", .decision = "{\"params\":{\"a\":\"first\"}}" };
    static struct script second = { .name = "second", .decision = "{}" };
    static struct script after = { .name = "after", .decision = "{}" }, keep = { .name = "keep", .decision = NULL };
    add(&low, MCT_HOOK_BEFORE, -5);
    add(&first, MCT_HOOK_BEFORE, 5);
    add(&second, MCT_HOOK_BEFORE, 5);
    add(&after, MCT_HOOK_AFTER, 0);
    add(&keep, MCT_HOOK_PERSIST, 0);
    begin();
    assert_told("first;second;low;");
    /* merged over the original arguments, not over what another hook made of them; the rest is as it was written */
    assert_string_equal(server.params, "{\"name\":\"t\",\"arguments\":{\"a\":1,\"b\":\"low\",\"c\":3},\"x\":1}");
    assert_non_null(strstr(low.json, "\"params\":{\"a\":1,\"b\":[1.0]}"));
    assert_non_null(
        strstr(low.json, "\"hook\":\"before_tool_call\",\"toolName\":\"srv__t\",\"server\":\"srv\",\"tool\":\"t\""));
    assert_non_null(strstr(low.json, "\"context\":{\"principal\":\"me\",\"client\":\"cli\\\"ent\"}"));
    pass(250);
    server_says(OK);
    assert_told("end ok {\"a\":1,\"b\":\"low\",\"c\":3};after;keep;");
    assert_non_null(strstr(
        after.json, "\"params\":{\"a\":1,\"b\":\"low\",\"c\":3},\"result\":{\"content\":[]},\"durationMs\":250,"));
    assert_int_equal(got[0], 0);
    mct_hook_decide(keep.event, "{\"result\":{\"content\":[1],\"resultType\":\"input_required\"}}");
    settle();
    assert_string_equal(got, "{\"content\":[1]}");
    assert_false(blocked);
}

static void block_is_final_and_false_is_no_decision(void **state)
{
    (void)state;
    static struct script reason = { .name = "reason", .decision = "{\"block\":false,\"blockReason\":\"because\"}" };
    static struct script no = { .name = "no", .decision = "{\"block\":true}" };
    static struct script last = { .name = "last", .decision = "{\"block\":false}" };
    static struct script after = { .name = "after", .decision = "{}" };
    add(&reason, MCT_HOOK_BEFORE, 3);
    add(&no, MCT_HOOK_BEFORE, 2);
    add(&last, MCT_HOOK_BEFORE, 1);
    add(&after, MCT_HOOK_AFTER, 1);
    begin();
    assert_blocked("\"because\"");
    assert_told("reason;no;end policy {\"a\":1,\"b\":[1.0]};"); /* nobody observes what was not called */
    mcti_hooks_remove(&hooks, &reason);
    begin();
    assert_blocked("Tool call blocked by plugin hook");
}

static void persist_hooks_see_what_the_one_before_made(void **state)
{
    (void)state;
    static struct script one = { .name = "one", .decision = "{\"result\":{\"content\":[\"one\"]}}" };
    static struct script two = { .name = "two", .decision = "{}" };
    static struct script three = { .name = "three",
                                   .decision = "{\"result\":{\"content\":[\"three\"],\"isError\":true}}" };
    add(&one, MCT_HOOK_PERSIST, 3);
    add(&two, MCT_HOOK_PERSIST, 2);
    add(&three, MCT_HOOK_PERSIST, 1);
    begin();
    server_says(OK);
    assert_non_null(strstr(one.json, "\"result\":{\"content\":[]}"));
    assert_non_null(strstr(two.json, "\"result\":{\"content\":[\"one\"]}"));
    assert_non_null(strstr(three.json, "\"result\":{\"content\":[\"one\"]}"));
    assert_string_equal(got, "{\"content\":[\"three\"],\"isError\":true}");
    assert_false(blocked);
}

/* ---- failures ---- */

static void what_is_no_decision_blocks(void **state)
{
    (void)state;
    static const char *const nonsense[] = {
        "!",
        "x",
        "",
        "[]",
        "{} {}",
        "{\"params\":[]}",
        "{\"params\":\"{}\"}",
        "{\"block\":1}",
        "{\"block\":\"true\"}",
        "{\"blockReason\":{}}",
        "{\"requireApproval\":true}",
        "{\"requireApproval\":{\"title\":1}}",
        "{\"blok\":true}",
        "{\"result\":{\"content\":[]}}",
        "{\"requireApproval\":{\"allowedDecisions\":\"deny\"}}",
        "{\"requireApproval\":{\"timeoutMs\":\"1\"}}",
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        struct script bad = { .name = "bad", .decision = nonsense[i] }, next = { .name = "next", .decision = "{}" };
        add(&bad, MCT_HOOK_BEFORE, 1);
        add(&next, MCT_HOOK_BEFORE, 0);
        begin();
        assert_blocked("Tool call blocked because before_tool_call hook failed");
        assert_told("bad;end policy {\"a\":1,\"b\":[1.0]};");
        hooks.compat_2026_2 = true; /* as if it were not there */
        begin();
        assert_told("bad;next;");
        server_says(OK);
        assert_string_equal(got, OK);
        hooks.compat_2026_2 = false;
        mcti_hooks_remove(&hooks, &bad);
        mcti_hooks_remove(&hooks, &next);
        assert_true(bad.freed && next.freed);
        mcti_buf_clear(&told);
    }
}

static const char *logged;

static void on_log(enum mct_log_level level, const char *text, void *data)
{
    static char last[1024];
    (void)data;
    snprintf(last, sizeof last, "%d %s", (int)level, text);
    logged = last;
}

static void what_is_wrong_with_a_decision_is_told(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "{\"block\":1}", "\"block\" must be true or false, not 1" },
        { "{\"params\":\"a long text that is not shown in all its length\"}",
          "\"params\" must be an object, not \"a long text that is not shown in all it…" },
        { "{\"requireApproval\":{\"timeoutMs\":\"1\"}}", "\"requireApproval.timeoutMs\" must be a number, not \"1\"" },
        { "{\"blok\":true}", "the decision has no known member: unknown member \"blok\"" },
        { "{\"block\":true,\"requireApproval\":{\"tytle\":1}}",
          "unknown member \"requireApproval.tytle\" of its decision" },
    };
    const struct mcti_log log = { .level = MCT_LOG_DEBUG, .write = on_log };
    hooks.log = &log;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct script s = { .name = "s", .decision = rows[i][0] };
        add(&s, MCT_HOOK_BEFORE, 0);
        begin();
        assert_true(blocked);
        if (!strstr(logged, rows[i][1]))
            fail_msg("%s is not in %s", rows[i][1], logged);
        mcti_hooks_remove(&hooks, &s);
    }
    hooks.log = NULL;
}

static void null_and_unknown_members_say_nothing(void **state)
{
    (void)state;
    static struct script one = { .name = "one",
                                 .decision = " {\"params\":null,\"block\":null,\"blockReason\":null,"
                                             "\"requireApproval\":null,\"result\":7,\"else\":{}} " };
    static struct script none = { .name = "none", .decision = "{}" };
    add(&one, MCT_HOOK_BEFORE, 1);
    add(&none, MCT_HOOK_BEFORE, 1);
    begin();
    assert_string_equal(server.params, PARAMS);
    server_says(OK);
    assert_string_equal(got, OK);
}

static void a_result_that_is_none_is_withheld(void **state)
{
    (void)state;
    static const char *const nonsense[] = { "!", "{\"result\":[]}", "{\"result\":{}}",
                                            "{\"result\":{\"content\":{}}}" };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        struct script bad = { .name = "bad", .decision = nonsense[i] };
        add(&bad, MCT_HOOK_PERSIST, 1);
        begin();
        server_says("{\"content\":[\"secret\"]}");
        assert_null(strstr(got, "secret"));
        assert_non_null(strstr(got, "\"isError\":true"));
        assert_false(blocked);
        hooks.compat_2026_2 = true;
        begin();
        server_says("{\"content\":[\"secret\"]}");
        assert_string_equal(got, "{\"content\":[\"secret\"]}");
        hooks.compat_2026_2 = false;
        mcti_hooks_remove(&hooks, &bad);
    }
}

static void by_the_rules_of_2026_2_the_last_word_counts(void **state)
{
    (void)state;
    static struct script no = { .name = "no", .decision = "{\"block\":true,\"params\":{\"a\":0}}" };
    static struct script yes = { .name = "yes", .decision = "{\"block\":false,\"params\":{\"b\":0}}" };
    hooks.compat_2026_2 = true;
    add(&no, MCT_HOOK_BEFORE, 2);
    begin();
    assert_blocked("Tool call blocked by plugin hook");
    add(&yes, MCT_HOOK_BEFORE, 1);
    begin();
    assert_string_equal(server.params, "{\"name\":\"t\",\"arguments\":{\"a\":1,\"b\":0},\"x\":1}");
    server_says(OK);
}

static void who_is_late_is_withdrawn_and_blocks(void **state)
{
    (void)state;
    static struct script slow = { .name = "slow" }, after = { .name = "after" }, keep = { .name = "keep" };
    add(&slow, MCT_HOOK_BEFORE, 0);
    begin();
    pass(MCT_HOOK_MS - 1);
    assert_int_equal(got[0], 0);
    pass(1);
    assert_blocked("hook failed");
    assert_told("slow;slow-withdrawn;end policy {\"a\":1,\"b\":[1.0]};");
    mcti_hooks_remove(&hooks, &slow);
    add(&after, MCT_HOOK_AFTER, 0);
    add(&keep, MCT_HOOK_PERSIST, 0);
    begin();
    server_says(OK);
    assert_told("end ok {\"a\":1,\"b\":[1.0]};after;keep;");
    pass(MCT_HOOK_MS);
    assert_told("after-withdrawn;keep-withdrawn;");
    assert_non_null(strstr(got, "withheld"));
    assert_true(mcti_hooks_idle(&hooks));
}

static void one_decision_counts(void **state)
{
    (void)state;
    static struct script two = { .name = "two", .decision = "twice" };
    add(&two, MCT_HOOK_BEFORE, 0);
    begin();
    assert_blocked("\"first\"");
}

static void a_hook_that_goes_in_the_middle_has_failed(void **state)
{
    (void)state;
    static struct script slow = { .name = "slow" }, next = { .name = "next", .decision = "{}" };
    add(&slow, MCT_HOOK_BEFORE, 1);
    add(&next, MCT_HOOK_BEFORE, 0);
    begin();
    mcti_hooks_remove(&hooks, &next);
    assert_true(next.freed);
    mct_hook_decide(slow.event, NULL);
    settle();
    assert_blocked("hook failed");
    begin();
    mcti_hooks_remove(&hooks, &slow);
    assert_true(slow.freed);
    settle();
    assert_blocked("hook failed");
    assert_told("slow;end policy {\"a\":1,\"b\":[1.0]};slow;slow-withdrawn;end policy {\"a\":1,\"b\":[1.0]};");
    begin();
    server_says(OK);
    assert_string_equal(got, OK);
}

static void ignore_decision(void *data, struct mcti_str decision, const struct mct_error *failed)
{
    (void)data;
    (void)decision;
    (void)failed;
}

/* As many handlers run as may; the others wait, run in their order, and have a time limit. */
static void too_many_at_once_wait(void **state)
{
    (void)state;
    enum { N = MCT_LIMIT_HOOK_RUNS };
    static struct script after = { .name = "after", .silent = true }, before = { .name = "before" };
    static struct mct_hook_event *running[N];
    add(&after, MCT_HOOK_AFTER, 0);
    for (int i = 0; i < N + 2; i++) {
        begin();
        server_says(OK);
        if (i < N)
            running[i] = after.event;
    }
    assert_int_equal(hooks.n_running[MCT_HOOK_AFTER], N);
    assert_int_equal(hooks.n_waiting[MCT_HOOK_AFTER], 2);
    assert_ptr_equal(after.event, running[N - 1]); /* the handler was not called again */
    mct_hook_decide(running[0], NULL);
    settle();
    assert_ptr_not_equal(after.event, running[N - 1]);
    assert_int_equal(hooks.n_running[MCT_HOOK_AFTER], N);
    assert_int_equal(hooks.n_waiting[MCT_HOOK_AFTER], 1);
    add(&before, MCT_HOOK_BEFORE, 0); /* others are not held up by that */
    begin();
    mct_hook_decide(before.event, NULL);
    settle();
    server_says(OK);
    assert_string_equal(got, OK);
    pass(MCT_HOOK_MS + 1); /* those that ran are late, and the last one runs */
    assert_int_equal(hooks.n_waiting[MCT_HOOK_AFTER], 0);
    assert_int_not_equal(hooks.n_running[MCT_HOOK_AFTER], 0);
    pass(MCT_HOOK_MS + 1);
    assert_int_equal(hooks.n_running[MCT_HOOK_AFTER], 0);
}

/* A call that is given up while its handler waits leaves the queue. */
static void a_waiting_call_is_given_up(void **state)
{
    (void)state;
    static struct script after = { .name = "after", .silent = true };
    struct mct_error err;
    add(&after, MCT_HOOK_BEFORE, 0);
    struct mcti_hook *hook = MCT_CONTAINER(hooks.hooks.next, struct mcti_hook, node);
    static struct mct_hook_event *events[MCT_LIMIT_HOOK_RUNS + 1];
    for (int i = 0; i <= MCT_LIMIT_HOOK_RUNS; i++)
        assert_non_null(events[i] = mcti_hook_event_start(hook, strdup("{}"), ignore_decision, NULL, &err));
    assert_int_equal(hooks.n_waiting[MCT_HOOK_BEFORE], 1);
    mcti_hook_event_withdraw(events[MCT_LIMIT_HOOK_RUNS]);
    assert_int_equal(hooks.n_waiting[MCT_HOOK_BEFORE], 0);
    for (int i = 0; i < MCT_LIMIT_HOOK_RUNS; i++)
        mcti_hook_event_withdraw(events[i]);
    assert_int_equal(hooks.n_running[MCT_HOOK_BEFORE], 0);
}

static void arguments_are_one_object(void **state)
{
    (void)state;
    struct mct_error err;
    static struct script one = { .name = "one", .decision = "{\"params\":{\"k\":1}}" };
    add(&one, MCT_HOOK_BEFORE, 0);
    assert_int_equal(begin_with("{\"name\":\"t\",\"arguments\":{},\"argum\\u0065nts\":{}}", 0, "me", &err), -1);
    assert_int_equal(begin_with("{\"name\":\"t\",\"arguments\":[]}", 0, "me", &err), -1);
    assert_int_equal(begin_with("{\"name\":\"t\"}", 0, "me", &err), 0);
    assert_string_equal(server.params, "{\"name\":\"t\",\"arguments\":{\"k\":1}}");
    server_says(OK);
    server.result = -1;
    begin();
    assert_string_equal(got, "server 'srv': not there");
    mcti_buf_clear(&told);
}

static void a_hook_with_several_open_events_goes(void **state)
{
    (void)state;
    struct script *s = calloc(1, sizeof *s);
    const struct mct_hook_def def = { .size = sizeof def,
                                      .kind = MCT_HOOK_AFTER,
                                      .run = run_script,
                                      .withdrawn = withdraw_script,
                                      .data = s,
                                      .free_data = free };
    *s = (struct script){ .name = "s", .silent = true };
    assert_int_equal(mcti_hooks_add(&hooks, &def, s, NULL), 0);
    for (int i = 0; i < 3; i++) {
        begin();
        server_says(OK);
    }
    mcti_hooks_remove(&hooks, s); /* each of the three is withdrawn while its data is there */
    settle();
    assert_true(mcti_hooks_idle(&hooks));
}

static void only_a_stateless_server_asks_with_its_result(void **state)
{
    (void)state;
    static struct script keep = { .name = "keep", .decision = "{\"result\":{\"content\":[1]}}" };
    add(&keep, MCT_HOOK_PERSIST, 0);
    begin();
    server_says("{\"resultType\":\"input_required\",\"content\":[\"secret\"]}");
    assert_string_equal(got, "{\"content\":[1]}");
}

/* ---- the end at every point ---- */

static void a_call_may_be_given_up_at_any_point(void **state)
{
    (void)state;
    static struct script before = { .name = "before" }, keep = { .name = "keep" },
                         after = { .name = "after", .decision = "{}" };
    add(&before, MCT_HOOK_BEFORE, 0);
    add(&keep, MCT_HOOK_PERSIST, 0);
    add(&after, MCT_HOOK_AFTER, 0);
    mcti_hooks_hold(&hooks); /* while it is not known which hooks there are */
    begin();
    assert_told("");
    mcti_call_cancel(&call, "enough");
    mcti_hooks_release(&hooks);
    settle();
    assert_told("");
    begin(); /* while a handler decides */
    mcti_call_cancel(&call, "enough");
    settle();
    assert_told("before;before-withdrawn;");
    begin(); /* while the server works */
    mct_hook_decide(before.event, NULL);
    settle();
    mcti_call_cancel(&call, "enough");
    settle();
    assert_told("before;end cancelled {\"a\":1,\"b\":[1.0]};server-cancelled;after;");
    assert_non_null(strstr(after.json, "\"error\":\"enough\""));
    begin(); /* while its result is looked at */
    mct_hook_decide(before.event, "{\"requireApproval\":{}}");
    settle();
    mcti_ask_answer(asked, MCT_STR("{\"action\":\"accept\",\"content\":{\"decision\":\"allow-once\"}}"));
    settle();
    server_says(OK);
    mcti_call_cancel(&call, "enough");
    settle();
    assert_told("before;end ok {\"a\":1,\"b\":[1.0]};after;keep;keep-withdrawn;");
    begin(); /* while a person is asked */
    mct_hook_decide(before.event, "{\"requireApproval\":{}}");
    settle();
    mcti_call_cancel(&call, "enough");
    settle();
    assert_told("before;question-withdrawn;");
    begin(); /* between a decision and what comes of it */
    mct_hook_decide(before.event, NULL);
    mcti_call_cancel(&call, "enough");
    settle();
    assert_told("before;");
    assert_int_equal(got[0], 0);
    assert_true(mcti_hooks_idle(&hooks) && !server.call);
}

static struct script *canceller;

static void cancel_in_handler(struct mct_hook_event *e, void *data)
{
    (void)data;
    mcti_call_cancel(&call, "from inside");
    assert_non_null(mct_hook_event_json(e));
    mct_hook_decide(e, "{}");
    mcti_hooks_remove(&hooks, canceller);
    assert_false(canceller->freed);
}

static void a_handler_may_end_its_own_call_and_go(void **state)
{
    (void)state;
    static struct script s = { .name = "s" };
    const struct mct_hook_def def = {
        .size = sizeof def, .kind = MCT_HOOK_BEFORE, .run = cancel_in_handler, .data = &s, .free_data = free_script
    };
    canceller = &s;
    mcti_hooks_add(&hooks, &def, &s, NULL);
    begin();
    assert_true(s.freed);
    assert_int_equal(got[0], 0);
}

static void calls_wait_until_hooks_are_known(void **state)
{
    (void)state;
    static struct script no = { .name = "no", .decision = "{\"block\":true}" };
    mcti_hooks_hold(&hooks);
    begin();
    assert_null(server.call);
    add(&no, MCT_HOOK_BEFORE, 0);
    mcti_hooks_release(&hooks);
    settle();
    assert_blocked("Tool call blocked by plugin hook");
    assert_told("no;end policy {\"a\":1,\"b\":[1.0]};");
}

/* ---- arguments ---- */

static void changes_replace_members(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        { "", "{}", "{}" },
        { "{}", "{\"a\":1}", "{\"a\":1}" },
        { "{ \"a\" : 1.0 , \"b\":2}", "{\"b\":{}}", "{\"a\":1.0,\"b\":{}}" },
        { "{\"a\":1,\"a\":2}", "{\"\\u0061\":3}", "{\"\\u0061\":3}" },
        { "{\"a\":1}", "{\"a\":2,\"a\":3}", "{\"a\":3}" },
        { "{\"\":1,\"\\u0000\":2}", "{\"\":4,\"\\u0000\":5,\"\\ud800\":6}", "{\"\":4,\"\\u0000\":5,\"\\ud800\":6}" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 1024);
        assert_int_equal(
            mcti_hook_merge(&b, *rows[i][0] ? mcti_str_of(rows[i][0]) : MCT_STR_NONE, mcti_str_of(rows[i][1])), 0);
        mcti_buf_addc(&b, '\0');
        assert_string_equal(b.p, rows[i][2]);
        mcti_buf_done(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(highest_priority_first_and_the_last_params_win),
        T(block_is_final_and_false_is_no_decision),
        T(persist_hooks_see_what_the_one_before_made),
        T(what_is_no_decision_blocks),
        T(null_and_unknown_members_say_nothing),
        T(a_result_that_is_none_is_withheld),
        T(by_the_rules_of_2026_2_the_last_word_counts),
        T(who_is_late_is_withdrawn_and_blocks),
        T(one_decision_counts),
        T(a_hook_that_goes_in_the_middle_has_failed),
        T(too_many_at_once_wait),
        T(a_waiting_call_is_given_up),
        T(arguments_are_one_object),
        T(a_call_may_be_given_up_at_any_point),
        T(a_handler_may_end_its_own_call_and_go),
        T(calls_wait_until_hooks_are_known),
        T(a_hook_with_several_open_events_goes),
        T(only_a_stateless_server_asks_with_its_result),
        T(what_is_wrong_with_a_decision_is_told),
        T(changes_replace_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
