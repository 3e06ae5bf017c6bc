/* The iteration in steps finds what the iteration in one go finds, however small the steps are. */
#include "unit.h"

#include "json/step.h"

static const char *const texts[] = {
    "{}",
    "[]",
    "7",
    "\"text\"",
    "[1,-2.5e10,true,null,\"a\",[],{}]",
    " [ 1 , \"b\" , [ 2 , [ \"]\" ] ] , { \"}\" : \"{\" } ] ",
    "{\"a\":1,\"b\":\"two\",\"c\":[3,{\"d\":4}],\"e\":{\"f\":{\"g\":[[[]]]}},\"h\":false}",
    "{ \"key with \\\"quotes\\\" \" : \"\\\\\" , \"\\\\\\\\\" : \"\\\\\\\"\" }",
    ("[\"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\","
     "\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\"]"),
    "[\"a long text of more than one step, and then some: 0123456789 0123456789 0123456789 0123456789 \\n\\n\\n\",9]",
    "[12345678901234567890123456789012345678901234567890123456789012345678901234567890,1]",
    "{\"a long name of more than one step 0123456789 0123456789 0123456789 0123456789\\\\\\\"\":{\"x\":\"}\"}}",
};

static void check_steps(struct mcti_str text, size_t work)
{
    struct mcti_json_steps s = mcti_json_steps_open(text);
    struct mcti_json_iter it = mcti_json_open(text);
    struct mcti_json_member wanted, got;
    bool is_object = mcti_json_type(text) == '{';
    enum mcti_step step;
    for (;;) {
        wanted.key = MCT_STR_NONE;
        bool more = is_object ? mcti_json_next_member(&it, &wanted) : mcti_json_next_item(&it, &wanted.value);
        size_t left, calls = 0;
        do {
            left = work;
            step = mcti_json_step(&s, &left, &got);
            assert_true(left <= work);
            assert_true(++calls < 100);
        } while (step == MCT_STEP_MORE);
        assert_int_equal(step, more ? MCT_STEP_GOT : MCT_STEP_END);
        if (!more)
            return;
        assert_ptr_equal(got.value.p, wanted.value.p);
        assert_int_equal(got.value.len, wanted.value.len);
        assert_ptr_equal(got.key.p, wanted.key.p);
        assert_int_equal(got.key.len, wanted.key.len);
    }
}

static void steps_of_any_size_find_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t work = 0; work < 200; work++)
            check_steps(mcti_str_trim(mcti_str_of(texts[i])), work);
}

/* A long value takes several calls, each of which looks at no more than it may. */
static void the_work_is_bounded(void **state)
{
    enum { LONG = 1 << 20, WORK = 1 << 16 };
    char *text = malloc(LONG);
    struct mcti_json_member m;
    size_t calls = 0;
    (void)state;
    memset(text, 'x', LONG);
    memcpy(text, "[\"", 2);
    memcpy(text + LONG - 2, "\"]", 2);
    struct mcti_json_steps s = mcti_json_steps_open((struct mcti_str){ text, LONG });
    for (enum mcti_step step = MCT_STEP_MORE; step == MCT_STEP_MORE; calls++) {
        const char *before = s.p;
        size_t work = WORK;
        step = mcti_json_step(&s, &work, &m);
        assert_in_range(s.p - before, 1, WORK);
    }
    assert_int_equal(calls, LONG / WORK);
    assert_int_equal(m.value.len, LONG - 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_of_any_size_find_the_same),
                                        cmocka_unit_test(the_work_is_bounded) };
    return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}
