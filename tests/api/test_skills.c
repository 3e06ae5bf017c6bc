/* The library as a program uses it: skills. The server is that of
 * program/test_skills.py. */
#include "program.h"

#define SKILLS(options) "{\"command\":\"" PYTHON "\",\"args\":[\"" SKILLS_SERVER "\",\"2026-07-28\",\"" options "\"]}"
#define ONE SERVERS("\"docs\":" SKILLS("{}"))
#define TWO                                                                                                            \
    SERVERS("\"docs\":" SKILLS("{}") ",\"liar\":" SKILLS("{\\\"change\\\":{\\\"pdf/SKILL.md\\\":\\\"evil\\\"}}"))
#define GIT "skill://git-workflow/SKILL.md"
#define PDF "skill://pdf/SKILL.md"

static struct mct_instance *opened(const char *servers)
{
    struct mct_instance *r = with(servers, NULL);
    start(r);
    return r;
}

/* Waits for a request that works, checks that its result has the text, and frees it. */
static void assert_result_has(struct mct_request *q, const char *text)
{
    struct mct_error err;
    assert_non_null(q);
    assert_ok(mct_request_wait(q, &err));
    if (!strstr(mct_request_result(q), text))
        fail_msg("no '%s' in: %s", text, mct_request_result(q));
    mct_request_free(q);
}

/* Waits for a request that fails in this way, and frees it. */
static void assert_fails(struct mct_request *q, enum mct_error_kind kind, const char *text)
{
    struct mct_error err;
    assert_non_null(q);
    assert_int_equal(mct_request_wait(q, &err), -1);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.message, text))
        fail_msg("no '%s' in: %s", text, err.message);
    assert_null(mct_request_result(q));
    mct_request_free(q);
}

static void skills_are_listed(void **state)
{
    struct mct_instance *r = opened(TWO);
    struct mct_error err;
    (void)state;
    assert_result_has(mct_instance_skills(r, NULL, NULL, &err), "\"server\":\"liar\"");
    assert_result_has(mct_instance_skills(r, "docs", NULL, &err), "\"errors\":[]}");
    assert_null(mct_instance_skills(r, "nobody", NULL, &err));
    assert_int_equal(err.kind, MCT_ERR_NOT_FOUND);
    mct_request_free(mct_instance_skills(r, NULL, NULL, &err)); /* while it runs */
    mct_instance_close_wait(r);
}

static void files_are_read_if_they_are_what_was_listed(void **state)
{
    struct mct_instance *r = opened(TWO);
    struct mct_error err;
    (void)state;
    assert_result_has(mct_instance_read_skill(r, "docs", GIT, NULL, &err), "How this team uses Git");
    assert_result_has(mct_instance_read_skill(r, "docs", "skill://pdf/logo.png", NULL, &err), "\"blob\":\"AAEC");
    assert_fails(mct_instance_read_skill(r, "liar", PDF, NULL, &err), MCT_ERR_INTEGRITY, "4 bytes");
    assert_fails(mct_instance_read_skill(r, NULL, PDF, NULL, &err), MCT_ERR_NOT_FOUND, "'docs' and 'liar'");
    assert_fails(mct_instance_read_skill(r, "docs", "skill://pdf/other", NULL, &err), MCT_ERR_NOT_FOUND, "");
    mct_request_free(mct_instance_read_skill(r, "docs", GIT, NULL, &err));
    mct_instance_close_wait(r);
}

static void bytes_are_verified_with_an_entry(void **state)
{
    struct mct_instance *r = opened(ONE);
    struct mct_error err;
    (void)state;
    struct mct_request *q = mct_instance_skill(r, NULL, PDF, NULL, &err);
    assert_non_null(q);
    assert_ok(mct_request_wait(q, &err));
    const char *entry = mct_request_result(q), *file = "skill://pdf/references/FORMS.md";
    assert_ok(mct_skill_verify(entry, file, "# Forms\n", 8, &err));
    assert_int_equal(mct_skill_verify(entry, file, "# forms\n", 8, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_INTEGRITY);
    assert_int_equal(mct_skill_verify(entry, file, NULL, 0, &err), -1);
    assert_int_equal(mct_skill_verify("[]", file, "", 0, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    assert_int_equal(mct_skill_verify("{}", file, "", 0, NULL), -1);
    mct_request_free(q);
    assert_string_equal(mct_error_word(MCT_ERR_INTEGRITY), "integrity");
    mct_instance_close_wait(r);
}

static void requests_end_with_the_instance(void **state)
{
    struct mct_instance *r = opened(ONE);
    struct mct_error err;
    (void)state;
    struct mct_request *q = mct_instance_read_skill(r, NULL, GIT, NULL, &err);
    struct mct_request *cancelled = mct_instance_skills(r, NULL, NULL, &err);
    mct_request_cancel(cancelled, "enough");
    assert_fails(cancelled, MCT_ERR_CANCELLED, "enough");
    mct_instance_close_wait(r);
    assert_true(mct_request_is_over(q));
    mct_request_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(skills_are_listed, set_up),
        cmocka_unit_test_setup(files_are_read_if_they_are_what_was_listed, set_up),
        cmocka_unit_test_setup(bytes_are_verified_with_an_entry, set_up),
        cmocka_unit_test_setup(requests_end_with_the_instance, set_up),
    };
    return cmocka_run_group_tests_name("api: skills", tests, NULL, NULL);
}
