/* The device flow, with a clock that is moved. */
#include "auth/flow/flowing.h"

#define DEVICE ",\"device_authorization_endpoint\":\"$/device\""
#define CODES_JSON(more)                                                                                               \
    "{\"device_code\":\"dc\",\"user_code\":\"WDJB-MJHT\",\"verification_uri\":\"https://as.example/device\","          \
    "\"expires_in\":600" more "}"
#define START_ROWS PRM_ROW(",\"scopes_supported\":[\"a\"]"), ASM_ROW(REGISTERS DEVICE), REGISTER_ROW
#define CODES_ROW(more)                                                                                                \
    {                                                                                                                  \
        "POST /device", 200, CODES_JSON(more)                                                                          \
    }
#define ERROR_ROW(error)                                                                                               \
    {                                                                                                                  \
        "POST /token", 400, "{\"error\":\"" error "\"}"                                                                \
    }
#define STARTED DISCOVERED "POST /register\nPOST /device\n"

/* Lets time pass, and runs what is due until the answers are there. */
static void pass(uint64_t ms)
{
    fk.skew_ms += ms;
    for (int i = 0; i < 400 && !fl.is_done; i++) {
        flowing_turn();
        if (i % 40 == 39)
            uv_sleep(1);
    }
}

static void device_open(const struct fake_row *rows)
{
    flowing_open(rows);
    fl.person.device = true;
    fl.answers[0] = NULL;
    flowing_start();
}

static const struct poll_row {
    const char *name;
    struct fake_row rows[FAKE_ROWS];
    uint64_t pauses_ms[6]; /* before each request for tokens; the last one ends the flow, or is the time limit */
    unsigned n_asked;      /* requests for tokens */
    const char *error;
    enum mct_error_kind kind;
} poll_rows[] = {
    { "the interval of the server",
      { START_ROWS, CODES_ROW(",\"interval\":2"), ERROR_ROW("authorization_pending"), TOKEN_ROW },
      { 2000, 2000 },
      2,
      NULL,
      0 },
    { "five seconds if it names none",
      { START_ROWS, CODES_ROW(""), ERROR_ROW("authorization_pending"), TOKEN_ROW },
      { 5000, 5000 },
      2,
      NULL,
      0 },
    { "slower, and it stays so",
      { START_ROWS, CODES_ROW(",\"interval\":2"), ERROR_ROW("slow_down"), ERROR_ROW("authorization_pending"),
        ERROR_ROW("slow_down"), TOKEN_ROW },
      { 2000, 7000, 7000, 12000 },
      4,
      NULL,
      0 },
    { "an endpoint that fails is asked more slowly",
      { START_ROWS, CODES_ROW(",\"interval\":2"), { "POST /token", 503, "" }, { "POST /token", 500, "{}" }, TOKEN_ROW },
      { 2000, 4000, 8000 },
      3,
      NULL,
      0 },
    { "refused", { START_ROWS, CODES_ROW(""), ERROR_ROW("access_denied") }, { 5000 }, 1, "was refused", MCT_ERR_AUTH },
    { "expired at the server",
      { START_ROWS, CODES_ROW(""), ERROR_ROW("expired_token") },
      { 5000 },
      1,
      "has expired",
      MCT_ERR_AUTH },
    { "any other error",
      { START_ROWS, CODES_ROW(""), ERROR_ROW("invalid_request") },
      { 5000 },
      1,
      "invalid_request",
      MCT_ERR_AUTH },
};

static void polling(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof poll_rows / sizeof *poll_rows; i++) {
        const struct poll_row *r = &poll_rows[i];
        print_message("# %s\n", r->name);
        device_open(r->rows);
        flowing_run_until_invited();
        for (unsigned n = 0; r->pauses_ms[n]; n++) {
            pass(r->pauses_ms[n] - 1000);
            assert_int_equal(fake_count("POST /token"), n);
            pass(1500);
            assert_int_equal(fake_count("POST /token"), n + 1);
        }
        flowing_run();
        assert_int_equal(fake_count("POST /token"), r->n_asked);
        if (r->error)
            assert_failed(r->kind, r->error);
        else
            assert_logged_in();
        flowing_close();
    }
}

static void the_person_gets_the_code(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { START_ROWS, CODES_ROW(",\"interval\":1"), TOKEN_ROW };
    (void)state;
    device_open(rows);
    flowing_run_until_invited();
    assert_asked(STARTED);
    assert_string_equal(fl.url[0], "https://as.example/device&");
    assert_string_equal(fl.user_code, "WDJB-MJHT");
    assert_has(fk.body, "scope=a&resource=http");
    assert_has(fk.body, "&client_id=registered");
    assert_int_equal(mcti_flow_paste(fl.flow, MCT_STR("http://127.0.0.1/callback?code=c&state=s"), NULL), -1);
    pass(1000);
    flowing_run();
    assert_logged_in();
    assert_has(fk.body, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc&resource=");
    assert_string_equal(fl.login.grant, "device_code");
    assert_null(fl.login.redirect_uri);
    flowing_close();
}

static void a_code_expires(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { START_ROWS, CODES_ROW(",\"interval\":100"),
                                                     ERROR_ROW("authorization_pending") };
    (void)state;
    device_open(rows);
    flowing_run_until_invited();
    for (int i = 0; i < 5; i++)
        pass(100000);
    pass(99000);
    assert_false(fl.is_done);
    assert_int_equal(fake_count("POST /token"), 5);
    pass(1000);
    flowing_run();
    assert_failed(MCT_ERR_TIMEOUT, "mcptools login git");
    flowing_close();
}

static const struct start_row {
    const char *name;
    struct fake_row rows[FAKE_ROWS];
    const char *asked, *error;
    enum mct_error_kind kind;
} start_rows[] = {
    { "no device flow",
      { PRM_ROW(""), ASM_ROW(REGISTERS) },
      DISCOVERED,
      "does not support the device flow",
      MCT_ERR_UNSUPPORTED },
    { "the endpoint refuses",
      { START_ROWS, { "POST /device", 400, "{\"error\":\"invalid_target\"}" } },
      STARTED,
      "invalid_target",
      MCT_ERR_AUTH },
    { "no codes",
      { START_ROWS, { "POST /device", 200, "{}" } },
      STARTED,
      "the device authorization endpoint",
      MCT_ERR_PROTOCOL },
    { "a page without encryption",
      { START_ROWS,
        { "POST /device", 200,
          "{\"device_code\":\"dc\",\"user_code\":\"U\",\"verification_uri\":\"http://"
          "as.example\",\"expires_in\":9}" } },
      STARTED,
      "verification_uri",
      MCT_ERR_PROTOCOL },
};

static void beginnings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof start_rows / sizeof *start_rows; i++) {
        const struct start_row *r = &start_rows[i];
        print_message("# %s\n", r->name);
        device_open(r->rows);
        flowing_run();
        assert_asked(r->asked);
        assert_failed(r->kind, r->error);
        assert_int_equal(fl.n_invited, 0);
        flowing_close();
    }
}

static void a_cancelled_device_flow_is_silent(void **state)
{
    static const struct fake_row rows[FAKE_ROWS] = { START_ROWS, CODES_ROW(""), TOKEN_ROW };
    (void)state;
    device_open(rows);
    flowing_run_until_invited();
    mcti_flow_cancel(fl.flow);
    fl.flow = NULL;
    assert_int_equal(fl.n_over, 1);
    pass(10000);
    assert_false(fl.is_done);
    assert_asked(STARTED);
    flowing_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polling),
        cmocka_unit_test(the_person_gets_the_code),
        cmocka_unit_test(a_code_expires),
        cmocka_unit_test(beginnings),
        cmocka_unit_test(a_cancelled_device_flow_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
