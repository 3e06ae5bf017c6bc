/* The person in a flow: other ways of answering, and time. */
#include "auth/flow/flowing.h"

static const struct fake_row usual[FAKE_ROWS] = USUAL_ROWS;

/* Addresses of this machine are reached for want of a public one: only the browser would go to the endpoint. */
static void a_browser_does_not_reach_this_machine(void **state)
{
    (void)state;
    flowing_open(usual);
    flowing_start();
    while (fake_count("GET " ASM) == 0)
        flowing_turn();
    fk.env.net.allow_private = false;
    flowing_run();
    assert_failed(MCT_ERR_POLICY, "allow_private");
    assert_asked(DISCOVERED);
    flowing_close();
}

static int paste(const char *answer, struct mct_error *err)
{
    char url[8192];
    flowing_answer(url, sizeof url, fl.url[0], answer);
    return mcti_flow_paste(fl.flow, mcti_str_of(url), err);
}

static void a_pasted_address(void **state)
{
    struct mct_error err;
    (void)state;
    flowing_open(usual);
    fl.answers[0] = NULL;
    flowing_start();
    assert_int_equal(mcti_flow_paste(fl.flow, MCT_STR("http://x/?code=c&state=s"), &err), -1);
    flowing_run_until_invited();
    assert_int_equal(mcti_flow_paste(fl.flow, MCT_STR("code=c1"), &err), -1);
    assert_int_equal(mcti_flow_paste(fl.flow, MCT_STR(""), &err), -1);
    assert_int_equal(paste("code=c1&state=x", &err), -1);
    assert_has(err.message, "another login");
    assert_int_equal(fl.n_over, 0);
    assert_int_equal(paste("code=c1&state=STATE#x \n", &err), 0);
    assert_int_equal(fl.n_over, 1);
    assert_int_equal(paste("code=c2&state=STATE", &err), -1); /* one answer is taken */
    flowing_run();
    assert_logged_in();
    assert_has(fk.body, "&code=c1&");
    flowing_close();
}

static void a_pasted_refusal(void **state)
{
    struct mct_error err;
    (void)state;
    flowing_open(usual);
    fl.answers[0] = NULL;
    flowing_start();
    flowing_run_until_invited();
    assert_int_equal(paste("error=access_denied&state=STATE", &err), 0);
    assert_false(fl.is_done); /* not from inside the call */
    flowing_run();
    assert_failed(MCT_ERR_AUTH, "access_denied");
    flowing_close();
}

static void a_wrong_state_is_ignored(void **state)
{
    (void)state;
    flowing_open(usual);
    fl.answers[0] = "code=evil&state=guessed";
    flowing_start();
    flowing_run_until_invited();
    flowing_turn();
    while (fl.is_browsing)
        flowing_turn();
    for (int i = 0; i < 50; i++)
        flowing_turn();
    assert_false(fl.is_done);
    assert_int_equal(fl.n_over, 0);
    flowing_answer(fl.browser, sizeof fl.browser, fl.url[0], "code=c1&state=STATE");
    flowing_run();
    assert_logged_in();
    assert_has(fk.body, "&code=c1&");
    flowing_close();
}

static void a_program_brings_its_own_redirect_uri(void **state)
{
    struct mct_error err;
    (void)state;
    flowing_open(usual);
    fl.person.redirect_uri = "https://app.example/cb";
    fl.answers[0] = NULL;
    flowing_start();
    flowing_run_until_invited();
    assert_has(fk.body, "\"redirect_uris\":[\"https://app.example/cb\"]");
    assert_has(fk.body, "\"application_type\":\"web\"");
    assert_string_equal(url_get(fl.url[0], "redirect_uri"), "https://app.example/cb");
    assert_int_equal(paste("code=c1&state=STATE", &err), 0);
    flowing_run();
    assert_logged_in();
    assert_has(fk.body, "redirect_uri=https%3A%2F%2Fapp.example%2Fcb&");
    flowing_close();
}

static void nobody_answers(void **state)
{
    (void)state;
    flowing_open(usual);
    fl.answers[0] = NULL;
    flowing_start();
    flowing_run_until_invited();
    fk.skew_ms += MCT_AUTH_PERSON_MS - 1000;
    flowing_turn();
    assert_false(fl.is_done);
    fk.skew_ms += 2000;
    flowing_run();
    assert_failed(MCT_ERR_TIMEOUT, "the login was not finished within 300 seconds");
    flowing_close();
}

static void a_person_may_have_more_time(void **state)
{
    (void)state;
    flowing_open(usual);
    fl.answers[0] = NULL;
    fl.person.wait_ms = 2 * MCT_AUTH_PERSON_MS;
    flowing_start();
    flowing_run_until_invited();
    fk.skew_ms += 2 * MCT_AUTH_PERSON_MS - 1000;
    flowing_turn();
    assert_false(fl.is_done);
    fk.skew_ms += 2000;
    flowing_run();
    assert_failed(MCT_ERR_TIMEOUT, "600 seconds");
    flowing_close();
}

static int refuse_to_invite(void *data, const struct mcti_auth_invitation *i, struct mct_error *err)
{
    (void)data, (void)i;
    return mcti_fail(err, MCT_ERR_AUTH, "no screen");
}

static void a_person_who_cannot_be_asked(void **state)
{
    (void)state;
    flowing_open(usual);
    fl.person.invite = refuse_to_invite;
    flowing_start();
    flowing_run();
    assert_failed(MCT_ERR_AUTH, "no screen");
    assert_int_equal(fl.n_over, 0);
    flowing_close();
}

/* Cancels after each number of turns. */
static void a_cancelled_flow_is_silent(void **state)
{
    bool was_invited = false, is_done = false;
    (void)state;
    for (int turns = 0; !is_done && turns < 100000; turns = turns * 5 / 4 + 1) {
        flowing_open(usual);
        flowing_start();
        for (int i = 0; i < turns && !fl.is_done; i++)
            flowing_turn();
        was_invited |= fl.n_invited > 0;
        is_done = fl.is_done;
        mcti_flow_cancel(fl.flow);
        fl.flow = NULL;
        assert_int_equal(fl.n_over, fl.n_invited);
        for (int i = 0; i < 20; i++)
            fake_turn();
        assert_int_equal(fl.is_done, is_done);
        flowing_close();
    }
    assert_true(was_invited);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_browser_does_not_reach_this_machine),
        cmocka_unit_test(a_pasted_address),
        cmocka_unit_test(a_pasted_refusal),
        cmocka_unit_test(a_wrong_state_is_ignored),
        cmocka_unit_test(a_program_brings_its_own_redirect_uri),
        cmocka_unit_test(nobody_answers),
        cmocka_unit_test(a_person_may_have_more_time),
        cmocka_unit_test(a_person_who_cannot_be_asked),
        cmocka_unit_test(a_cancelled_flow_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
