/* Questions of tools as programs define them, on a clock of their own. */
#include "unit.h"

#include "world.h"
#include "hub/local/tool.h"

#include <mcptools/client.h>

/* A client that answers when the test wants it. */
static struct mcti_ask *asked[4];
static unsigned n_asked, n_withdrawn, n_answers;
static char said[512];

static void keep_question(void *data, struct mcti_ask *a)
{
    (void)data;
    asked[n_asked++] = a;
}

static void answer_at_once(void *data, struct mcti_ask *a)
{
    (void)data;
    mcti_ask_answer(a, MCT_STR("{\"roots\":[]}"));
}

static void count_withdrawn(void *data, struct mcti_ask *a)
{
    (void)data;
    (void)a;
    n_withdrawn++;
}

static const struct mcti_answerer slow_client = { .ask_roots = true,
                                                  .ask = keep_question,
                                                  .withdraw = count_withdrawn };
static const struct mcti_answerer quick_client = { .ask_roots = true, .ask = answer_at_once };

static void on_answer(struct mct_tool_call *call, const char *answer, const struct mct_error *err, void *data)
{
    snprintf(said, sizeof said, "%s", answer ? answer : err->message);
    n_answers++;
    if (!data || n_answers == 2)
        mct_tool_call_text(call, said);
}

static void ask_once(struct mct_tool_call *call, void *data)
{
    mct_tool_call_ask(call, "roots/list", NULL, on_answer, data);
    assert_int_equal(n_answers, 0); /* never from inside */
}

static void ask_twice(struct mct_tool_call *call, void *data)
{
    (void)data;
    ask_once(call, &w);
    ask_once(call, &w);
}

static void ask_and_answer(struct mct_tool_call *call, void *data)
{
    ask_once(call, data);
    mct_tool_call_text(call, "never mind");
}

static void add_asking(const char *name, mct_tool_fn fn)
{
    const struct mct_tool_def def = { .size = sizeof def, .name = name, .execute = fn };
    struct mct_error err;
    assert_int_equal(mcti_local_add_tool(w.p, &def, MCT_STR_NONE, &err), 0);
    n_asked = n_withdrawn = n_answers = 0;
}

static void the_time_stands_still(void **state)
{
    struct wish x = { .call = { .timeout_ms = 10, .answerer = &slow_client } };
    (void)state;
    add_asking("ask", ask_once);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(1000);
    assert_int_equal(n_asked, 1);
    assert_int_equal(x.n_done, 0);
    mcti_ask_answer(asked[0], MCT_STR("{\"roots\":[1]}"));
    assert_int_equal(n_answers, 0);
    advance(1);
    assert_int_equal(n_answers, 1);
    assert_string_equal(said, "{\"roots\":[1]}");
    assert_int_equal(x.n_done, 1);
    wish_clear(&x);
    assert_int_equal(mcti_sched_next_ms(&w.sched), -1);
}

static void the_time_goes_on_after_the_last_answer(void **state)
{
    struct wish x = { .call = { .timeout_ms = 10, .answerer = &slow_client } };
    (void)state;
    add_asking("ask", ask_twice);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(100);
    mcti_ask_answer(asked[0], MCT_STR("{}"));
    advance(100);
    assert_int_equal(x.n_done, 0);
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_SERVER, "no");
    n_answers = 4; /* so that nobody answers the call */
    mcti_ask_fail(asked[1], &err);
    advance(5);
    assert_string_equal(said, "no");
    assert_int_equal(x.n_done, 0);
    advance(10);
    assert_int_equal(x.failed.kind, MCT_ERR_TIMEOUT);
    wish_clear(&x);
}

static void answers_that_are_there_already(void **state)
{
    struct wish x = { .call.answerer = &quick_client };
    (void)state;
    add_asking("ask", ask_twice);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(2);
    assert_int_equal(n_answers, 2);
    assert_int_equal(x.n_done, 1);
    wish_clear(&x);
}

static void nobody_waits_after_the_end(void **state)
{
    struct wish x = { .call.answerer = &slow_client };
    (void)state;
    add_asking("ask", ask_once);
    add_asking("hasty", ask_and_answer);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(2);
    mcti_call_cancel(&x.call, "enough");
    assert_int_equal(n_withdrawn, 1);
    run(&x, MCT_VERB_TOOLS_CALL, TOOL("hasty"));
    assert_int_equal(n_withdrawn, 2);
    wish_clear(&x);
    x.call.answerer = &quick_client; /* answered, but not reported yet */
    run(&x, MCT_VERB_TOOLS_CALL, TOOL("hasty"));
    advance(10);
    assert_int_equal(n_answers, 0);
    wish_clear(&x);
    assert_int_equal(mcti_sched_next_ms(&w.sched), -1);
}

static void an_end_with_open_questions(void **state)
{
    struct wish x = { .call.answerer = &slow_client };
    (void)state;
    add_asking("ask", ask_twice);
    begin();
    start(&x, MCT_VERB_TOOLS_CALL, TOOL("ask"));
    advance(2);
    w.p->ops->stop(w.p);
    w.p->ops->free(w.p);
    w.p = NULL;
    assert_int_equal(n_withdrawn, 2);
    assert_int_equal(x.failed.kind, MCT_ERR_CONNECT);
    assert_int_equal(n_answers, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_time_stands_still),          TEST(the_time_goes_on_after_the_last_answer),
        TEST(answers_that_are_there_already), TEST(nobody_waits_after_the_end),
        TEST(an_end_with_open_questions),
    };
    return cmocka_run_group_tests_name("asking", tests, NULL, NULL);
}
