/* Calls that wait for a person, because a hook wants it. */
#include "hooked_call.h"

#define ACCEPT(word) "{\"action\":\"accept\",\"content\":{\"decision\":\"" word "\"}}"

static void a_person_decides(void **state)
{
    (void)state;
    static const struct {
        const char *answer, *refusal; /* refusal NULL: the call is made */
    } rows[] = {
        { ACCEPT("allow-once"), NULL },
        { ACCEPT("deny"), "it was not approved: T?itle" },
        { ACCEPT("allow-always"), "it was not approved" }, /* which was not offered */
        { ACCEPT("nonsense"), "it was not approved" },
        { "{\"action\":\"accept\"}", "it was not approved" },
        { "{\"action\":\"decline\"}", "it was not approved" },
        { "{\"action\":\"cancel\"}", "was dismissed" },
    };
    static struct script asks = {
        .name = "asks",
        .decision = "{\"params\":{\"a\":\"x\\u001b\"},\"requireApproval\":{\"title\":\"T\\nitle\","
                    "\"description\":\"why\",\"severity\":\"warning\",\"allowedDecisions\":[\"allow-once\",\"wave\"]}}"
    };
    static struct script later = { .name = "later",
                                   .decision =
                                       "{\"params\":{\"a\":\"frozen\"},\"requireApproval\":{\"title\":\"other\"}}" };
    add(&asks, MCT_HOOK_BEFORE, 1);
    add(&later, MCT_HOOK_BEFORE, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin();
        assert_non_null(asked);
        assert_string_equal(
            form, "{\"message\":\"A hook requests approval: T?itle — Call srv__t of server 'srv' with "
                  "{\\\"a\\\":\\\"x\\\\u001b\\\",\\\"b\\\":[1.0]}? why Severity: "
                  "warning\",\"requestedSchema\":{\"type\":\"object\","
                  "\"properties\":{\"decision\":{\"type\":\"string\",\"title\":\"Decision\",\"enum\":[\"allow-once\","
                  "\"deny\"]}},\"required\":[\"decision\"]}}");
        pass(MCT_APPROVAL_MS - 1);
        assert_int_equal(got[0], 0);
        mcti_ask_answer(asked, mcti_str_of(rows[i].answer));
        asked = NULL;
        settle();
        if (rows[i].refusal) {
            assert_blocked(rows[i].refusal);
        } else {
            assert_string_equal(server.params,
                                "{\"name\":\"t\",\"arguments\":{\"a\":\"x\\u001b\",\"b\":[1.0]},\"x\":1}");
            server_says(OK);
        }
    }
}

static void what_hides_is_shown_to_a_person(void **state)
{
    (void)state;
    static struct script asks = {
        .name = "asks",
        .decision = "{\"params\":{\"a\":\"\xe2\x80\xa8\"},\"requireApproval\":{\"title\":"
                    "\"1\\u20282\\u20293\\u200b4\\u200d5\\u20606\\udb40\\udc417\\ufeff8\\u2013 \\ud83d\\ude00\"}}"
    };
    add(&asks, MCT_HOOK_BEFORE, 1);
    begin();
    if (!strstr(form, "approval: 1?2?3?4?5?6?7?8\xe2\x80\x93 \xf0\x9f\x98\x80 \xe2\x80\x94 Call ") ||
        !strstr(form, "{\\\"a\\\":\\\"?\\\""))
        fail_msg("%s", form);
    mcti_call_cancel(&call, NULL);
}

static void nobody_can_be_asked(void **state)
{
    (void)state;
    static const struct mcti_answerer nobody = { .instead = "say so" };
    static struct script asks = { .name = "asks", .decision = "{\"requireApproval\":{}}" };
    struct mcti_hook_target target = {
        .hooks = &hooks, .names = { MCT_STR("srv__t") }, .tool = MCT_STR("t"), .approver = &nobody
    };
    add(&asks, MCT_HOOK_BEFORE, 1);
    call = (struct mcti_call){ .verb = MCT_VERB_TOOLS_CALL, .params = MCT_STR(PARAMS), .done = on_done };
    struct mcti_call_start start = { .provider = &server.base, .target = &target, .is_hooked = true };
    assert_int_equal(mcti_call_start(&call, &start, NULL), 0);
    settle();
    assert_blocked("this client cannot be asked for it (say so)");
    mcti_buf_clear(&told);
}

static void nobody_answers_in_time(void **state)
{
    (void)state;
    static struct script asks = { .name = "asks", .decision = "{\"requireApproval\":{\"timeoutMs\":50}}" };
    add(&asks, MCT_HOOK_BEFORE, 1);
    begin();
    pass(49);
    assert_int_equal(got[0], 0);
    pass(1);
    assert_blocked("the approval timed out");
    assert_told("asks;question-withdrawn;end policy {\"a\":1,\"b\":[1.0]};");
    mcti_hooks_remove(&hooks, &asks);
    static struct script forever = { .name = "forever", .decision = "{\"requireApproval\":{\"timeoutMs\":1e300}}" };
    add(&forever, MCT_HOOK_BEFORE, 1);
    begin();
    pass(MCT_ASK_MS);
    assert_blocked("the approval timed out");
}

static void a_later_block_beats_an_approval(void **state)
{
    (void)state;
    static struct script asks = { .name = "asks", .decision = "{\"requireApproval\":{}}" };
    static struct script no = { .name = "no", .decision = "{\"block\":true}" };
    add(&asks, MCT_HOOK_BEFORE, 1);
    add(&no, MCT_HOOK_BEFORE, 0);
    begin();
    assert_null(asked);
    assert_blocked("Tool call blocked by plugin hook");
}

static void always_is_for_this_caller_this_tool_and_this_hook(void **state)
{
    (void)state;
    static struct script asks = { .name = "asks", .decision = "{\"requireApproval\":{}}" };
    static struct script other = { .name = "other", .decision = "{\"requireApproval\":{}}" };
    add(&asks, MCT_HOOK_BEFORE, 1);
    begin();
    mcti_ask_answer(asked, MCT_STR(ACCEPT("allow-always")));
    asked = NULL;
    settle();
    server_says(OK);
    begin();
    assert_null(asked);
    server_says(OK);
    asks.decision =
        "{\"requireApproval\":{\"allowedDecisions\":[\"allow-once\"]}}"; /* it does not leave it at that this time */
    begin();
    assert_non_null(asked);
    mcti_call_cancel(&call, NULL);
    asks.decision = "{\"requireApproval\":{}}";
    assert_int_equal(begin_with(PARAMS, 8, "me", NULL), 0);
    assert_non_null(asked);
    mcti_call_cancel(&call, NULL);
    assert_int_equal(begin_with(PARAMS, 7, "you", NULL), 0);
    assert_non_null(asked);
    mcti_call_cancel(&call, NULL);
    other.name = asks.name; /* as those of one program in two files, or of one plugin */
    mcti_hooks_remove(&hooks, &asks);
    add(&other, MCT_HOOK_BEFORE, 1);
    begin();
    assert_non_null(asked);
    mcti_call_cancel(&call, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_hides_is_shown_to_a_person),
        T(nobody_can_be_asked),
        T(a_person_decides),
        T(nobody_answers_in_time),
        T(a_later_block_beats_an_approval),
        T(always_is_for_this_caller_this_tool_and_this_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
