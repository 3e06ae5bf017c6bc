#include "unit.h"

#include "base/limits.h"
#include "mcp/http_refusal.h"

#include <sys/stat.h>
#include <unistd.h>

static void refusals_say_what_to_do(void **state)
{
    static const struct {
        int status;
        const char *body, *told;
        enum mct_error_kind kind;
        bool other;
    } rows[] = {
        { 401, "", "HTTP 401: the server requires credentials", MCT_ERR_AUTH, false },
        { 403, "{\"error\":\"no\"}", "does not allow this request (no)", MCT_ERR_AUTH, false },
        { 404, "<!doctype html>\n<b>", "no MCP endpoint at this URL (<!doctype html>?<b>)", MCT_ERR_CONNECT, true },
        { 405, "", "does not accept MCP messages", MCT_ERR_CONNECT, true },
        { 400, "{\"error\":{\"message\":\"bad\\u001b[31m\"}}", "HTTP 400 (bad?[31m)", MCT_ERR_CONNECT, true },
        { 429, "", "no more requests", MCT_ERR_CONNECT, false },
        { 500, "oops", "HTTP 500 (oops)", MCT_ERR_CONNECT, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_error err;
        mcti_fail_refused(&err, rows[i].status, mcti_str_of(rows[i].body));
        if (!strstr(err.message, rows[i].told))
            fail_msg("row %zu: %s", i, err.message);
        assert_int_equal(err.kind, rows[i].kind);
        assert_int_equal(err.http_status, rows[i].status);
        assert_int_equal(mcti_http_is_unsupported(rows[i].status), rows[i].other);
    }
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("2"), 0), 2000);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("9999999"), 0), MCT_LIMIT_RETRY_MS);
    const struct mcti_str date = MCT_STR("Wed, 21 Oct 2026 07:28:00 GMT");
    enum { AT = 1792567680 };
    assert_int_equal(mcti_http_retry_after_ms(date, AT - 5), 5000);
    assert_int_equal(mcti_http_retry_after_ms(date, AT), 0);
    assert_int_equal(mcti_http_retry_after_ms(date, AT + 5), 0);
    assert_int_equal(mcti_http_retry_after_ms(date, 0), MCT_LIMIT_RETRY_MS);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("Wed, 21 Okt 2026 07:28:00 GMT"), AT - 5), 0);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("Wed, 21 anF 2026 07:28:00 GMT"), AT - 5), 0);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("Wed, 21 Oct 2026 07:28:00 GMT+1"), AT - 5), 0);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("-3"), 0), 0);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR("soon"), 0), 0);
    assert_int_equal(mcti_http_retry_after_ms(MCT_STR_NONE, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_say_what_to_do),
    };
    return cmocka_run_group_tests_name("http refusal", tests, NULL, NULL);
}
