#include "unit.h"

#include "world.h"
#include "hub/local/local.h"

#define ASK_NAME MCT_JSON({ "who": { "method": "elicitation/create", "params": { "message": "?" } } })

static void ask(struct mcti_local_request *r, void *data)
{
    struct mcti_str who = mcti_local_input(r, "who");
    (void)data;
    w.n_ran++;
    if (who.p)
        mcti_local_text(r, "%.*s %.*s", MCT_STR_ARG(who), MCT_STR_ARG(mcti_local_state(r)));
    else
        mcti_local_ask(r, MCT_STR(ASK_NAME), MCT_STR("round one"));
}

static void answers_come_with_the_state(void **state)
{
    struct wish x = { 0 };
    char params[1024];
    (void)state;
    add(MCT_TOOL, TOOL("ask"), ask, NULL);
    add(MCT_TOOL, TOOL("other"), ask, NULL);
    begin();
    run(&x, MCT_VERB_TOOLS_CALL, "{\"name\":\"ask\",\"inputResponses\":{\"who\":7}}"); /* no answer at all */
    assert_span(member(x.result, "resultType"), "\"input_required\"");
    assert_span(member(x.result, "inputRequests"), ASK_NAME);
    struct mcti_str sealed = member(x.result, "requestState");
    assert_int_equal(mcti_json_type(sealed), '"');
    static const struct {
        const char *name, *suffix;
        bool good;
    } rows[] = { { "ask", "", true }, { "other", "", false }, { "ask", "-TAMPERED", false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wish again = { 0 };
        unsigned before = w.n_ran;
        snprintf(params, sizeof params,
                 "{\"name\":\"%s\",\"inputResponses\":{\"x\":{},\"who\":{\"a\":1}},"
                 "\"requestState\":%.*s%s\"}",
                 rows[i].name, (int)sealed.len - 1, sealed.p, rows[i].suffix);
        run(&again, MCT_VERB_TOOLS_CALL, params);
        assert_int_equal(w.n_ran - before, rows[i].good);
        assert_int_equal(code_of(&again), rows[i].good ? 0 : -32602);
        if (rows[i].good)
            assert_non_null(strstr(again.result, "{\\\"a\\\":1} round one"));
        wish_clear(&again);
    }
    wish_clear(&x);
}

static void ask_as_told(struct mcti_local_request *r, void *data)
{
    mcti_local_ask(r, mcti_str_of(data), MCT_STR_NONE);
}

static void only_what_is_declared_is_asked(void **state)
{
    static const struct {
        const char *capabilities, *questions, *lacking; /* NULL: may be asked */
    } rows[] = {
        { "{\"elicitation\":{}}", ASK_NAME, NULL },
        { "{}", ASK_NAME, "{\"elicitation\":{\"form\":{}}}" },
        { "{\"elicitation\":{\"url\":{}}}", ASK_NAME, "{\"elicitation\":{\"form\":{}}}" },
        { "{\"elicitation\":{}}", MCT_JSON({ "a": { "method": "elicitation/create", "params": { "mode": "url" } } }),
                                             "{\"elicitation\":{\"url\":{}}}" },
          { "{\"elicitation\":{}}",
            MCT_JSON({ "a": { "method": "sampling/createMessage", "params": {} } }), "{\"sampling\":{}}" },
            { "{\"sampling\":{}}", MCT_JSON({ "a": { "method": "roots/list" } }), "{\"roots\":{}}" },
            };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wish x = { .call.caller = { .rev = MCT_REV_LATEST, .capabilities = mcti_str_of(rows[i].capabilities) } };
        add(MCT_TOOL, TOOL("ask"), ask_as_told, (void *)rows[i].questions);
        run(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
        assert_int_equal(code_of(&x), rows[i].lacking ? -32021 : 0);
        if (rows[i].lacking)
            assert_span(mcti_json_get(member(x.error, "data"), "requiredCapabilities"), rows[i].lacking);
        wish_clear(&x);
        mcti_local_remove(w.p, MCT_TOOL, "ask");
    }
}

static void what_is_no_question_is_not_asked(void **state)
{
    static const char *const bad[] = { "[]", "{\"a\":{\"method\":\"ping\"}}", "{\"a\":1}", "{" };
    (void)state;
    begin();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct wish x = { 0 };
        add(MCT_TOOL, TOOL("ask"), ask_as_told, (void *)bad[i]);
        run(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
        assert_int_equal(code_of(&x), -32603);
        wish_clear(&x);
        mcti_local_remove(w.p, MCT_TOOL, "ask");
    }
}

static void answer_bob(void *data, struct mcti_ask *a)
{
    (void)data;
    assert_int_equal(a->kind, MCT_ASK_ELICITATION);
    mcti_ask_answer(a, MCT_STR("{\"name\":\"Bob\"}"));
}

/* The same handler for a client that is asked in the old way. */
static void interactive_calls_go_round(void **state)
{
    static const struct mcti_answerer person = { .form = true, .ask = answer_bob };
    struct wish x = { .call = { .interactive = true, .answerer = &person, .caller.rev = MCT_REV_2025_11_25 } };
    (void)state;
    add(MCT_TOOL, TOOL("ask"), ask, NULL);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(3);
    assert_int_equal(x.n_done, 1);
    assert_int_equal(w.n_ran, 2);
    assert_non_null(strstr(x.result, "{\\\"name\\\":\\\"Bob\\\"} round one"));
    wish_clear(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(answers_come_with_the_state),
        TEST(only_what_is_declared_is_asked),
        TEST(what_is_no_question_is_not_asked),
        TEST(interactive_calls_go_round),
    };
    return cmocka_run_group_tests_name("questions", tests, NULL, NULL);
}
