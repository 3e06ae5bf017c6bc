/* The answer to an authorization request. The request itself is in auth/flow/test_flow.c. */
#include "unit.h"

#include "auth/grant/code.h"

enum judgement { OTHER, TAKEN, FAILED };

static const struct judge_row {
    const char *query;
    bool needs_iss;
    enum judgement judgement;
    const char *text; /* the code, or part of the message */
    const char *error;
} judge_rows[] = {
    { "code=c&state=s1", false, TAKEN, "c", "" },
    { "state=s1&code=a%2Bb+c%20d&x=y", false, TAKEN, "a+b c d", "" },
    { "code=c&state=s1&iss=https%3A%2F%2Fas.example", false, TAKEN, "c", "" },
    { "code=c&state=s1&iss=https://as.example", true, TAKEN, "c", "" },
    /* state */
    { "", false, OTHER, NULL, "" },
    { "code=c", false, OTHER, NULL, "" },
    { "code=c&state=", false, OTHER, NULL, "" },
    { "code=c&state=s", false, OTHER, NULL, "" },
    { "code=c&state=s12", false, OTHER, NULL, "" },
    { "code=c&state=S1", false, OTHER, NULL, "" },
    { "code=c&state=%zz", false, OTHER, NULL, "" },
    { "code=c&state=s1%00", false, OTHER, NULL, "" },
    { "code=c&state=s2&state=s1", false, OTHER, NULL, "" },
    { "error=access_denied&state=s2", false, OTHER, NULL, "" },
    /* doubled and malformed parameters */
    { "code=c&state=s1&state=s1", false, FAILED, "'state'", "" },
    { "code=c&state=s1&state=s2", false, FAILED, "'state'", "" },
    { "code=c&state=s1&code=d", false, FAILED, "'code'", "" },
    { "code=c&state=s1&iss=https://as.example&iss=https://as.example", false, FAILED, "'iss'", "" },
    { "error=a&state=s1&error=b", false, FAILED, "'error'", "" },
    { "code=%zz&state=s1", false, FAILED, "malformed", "" },
    { "code=c&state=s1&iss=%", false, FAILED, "malformed", "" },
    /* iss */
    { "code=c&state=s1", true, FAILED, "does not name", "" },
    { "code=c&state=s1&iss=", false, FAILED, "is not from", "" },
    { "code=c&state=s1&iss=https://as.example/", true, FAILED, "is not from", "" },
    { "code=c&state=s1&iss=https://AS.example", true, FAILED, "is not from", "" },
    { "code=c&state=s1&iss=https://as.example:443", true, FAILED, "is not from", "" },
    { "code=c&state=s1&iss=https://as.exampl%65", true, TAKEN, "c", "" }, /* decoded once */
    { "code=c&state=s1&iss=https://as.exampl%2565", true, FAILED, "is not from", "" },
    { "code=c&state=s1&iss=https://evil.example", false, FAILED, "is not from", "" },
    /* nothing of an answer from elsewhere is told */
    { "error=evil&error_description=call+us&state=s1&iss=https://evil.example", false, FAILED, "is not from", "" },
    { "error=evil&error_description=call+us&state=s1", true, FAILED, "does not name", "" },
    /* errors */
    { "error=access_denied&state=s1", false, FAILED, "was refused", "access_denied" },
    { "error=access_denied&code=c&state=s1", false, FAILED, "was refused", "access_denied" },
    { "error=invalid_scope&state=s1&error_description=no+such", false, FAILED, "(invalid_scope: no such)",
      "invalid_scope" },
    { "error=access_denied&state=s1&error_description=%zz", false, FAILED, "(access_denied", "access_denied" },
    { "error=other%1b%5b2J&state=s1", false, FAILED, "has refused (other?[2J)", "other?[2J" },
    { "error=&state=s1&code=c", false, FAILED, "has refused", "" },
    /* code */
    { "state=s1", false, FAILED, "no code", "" },
    { "state=s1&code=", false, FAILED, "no code", "" },
};

static void answers_are_judged(void **state)
{
    char expected_state[] = "s1";
    (void)state;
    for (size_t i = 0; i < sizeof judge_rows / sizeof *judge_rows; i++) {
        const struct judge_row *r = &judge_rows[i];
        const struct mcti_code_expected e = { expected_state, "https://as.example", r->needs_iss };
        struct mcti_oauth_error error;
        struct mct_error why = { .message = "" };
        struct mcti_buf code;
        mcti_buf_init(&code, 1024);
        int got = mcti_code_judge(&e, mcti_str_of(r->query), &code, &error, &why);
        print_message("# %s\n", r->query);
        assert_int_equal(got, r->judgement == FAILED ? -1 : (int)r->judgement);
        assert_string_equal(error.error, r->error);
        if (r->judgement == TAKEN)
            assert_buf(&code, r->text);
        else
            assert_int_equal(code.len, 0);
        if (r->judgement == FAILED)
            assert_non_null(strstr(why.message, r->text));
        assert_null(strstr(why.message, "evil"));
        assert_null(strstr(why.message, "call us"));
        mcti_buf_done(&code);
    }
}

static void a_long_answer_is_ignored(void **state)
{
    static char query[200000] = "state=s1&code=";
    char expected_state[] = "s1";
    const struct mcti_code_expected e = { expected_state, "https://as.example", false };
    struct mcti_oauth_error error;
    struct mct_error why;
    struct mcti_buf code;
    (void)state;
    memset(query + strlen(query), 'x', sizeof query - 100);
    mcti_buf_init(&code, sizeof query);
    assert_int_equal(mcti_code_judge(&e, mcti_str_of(query), &code, &error, &why), 0);
    assert_int_equal(code.len, 0);
    mcti_buf_done(&code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_judged),
        cmocka_unit_test(a_long_answer_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
