#include "unit.h"

#include "mcp/task.h"

#define STATE(members) "{\"taskId\":\"t\"," members "}"

static void states_are_read(void **state)
{
    static const struct {
        const char *text;
        int result;
        enum mcti_task_status status;
    } rows[] = {
        { STATE("\"status\":\"working\""), 0, MCT_TASK_WORKING },
        { STATE("\"status\":\"input_required\",\"inputRequests\":{}"), 0, MCT_TASK_INPUT_REQUIRED },
        { STATE("\"status\":\"completed\""), 0, MCT_TASK_COMPLETED },
        { STATE("\"status\":\"failed\""), 0, MCT_TASK_FAILED },
        { STATE("\"status\":\"cancelled\""), 0, MCT_TASK_CANCELLED },
        { STATE("\"status\":\"asleep\""), -1, MCT_TASK_UNKNOWN },
        { STATE("\"status\":1"), -1, MCT_TASK_UNKNOWN },
        { "{\"status\":\"working\"}", -1, MCT_TASK_WORKING },
        { "{\"taskId\":\"\",\"status\":\"working\"}", -1, MCT_TASK_WORKING },
        { "{\"taskId\":1,\"status\":\"working\"}", -1, MCT_TASK_WORKING },
        { "{}", -1, MCT_TASK_UNKNOWN },
    };
    struct mcti_task_state t;
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mcti_task_read(mcti_str_of(rows[i].text), &t, &err), rows[i].result);
        assert_int_equal(t.status, rows[i].status);
    }
}

static void long_ids_are_refused(void **state)
{
    struct mcti_task_state t;
    struct mct_error err;
    char text[2 * MCT_LIMIT_TASK_ID_BYTES];
    (void)state;
    for (int n = MCT_LIMIT_TASK_ID_BYTES - 3; n < MCT_LIMIT_TASK_ID_BYTES; n++) {
        snprintf(text, sizeof text, "{\"status\":\"working\",\"taskId\":\"%0*d\"}", n, 0);
        assert_int_equal(mcti_task_read(mcti_str_of(text), &t, &err), n + 2 <= MCT_LIMIT_TASK_ID_BYTES ? 0 : -1);
    }
}

static void members_of_other_types_are_absent(void **state)
{
    struct mcti_task_state t;
    struct mct_error err;
    (void)state;
    assert_int_equal(mcti_task_read(MCT_STR(STATE("\"status\":\"failed\",\"result\":[],\"error\":\"e\","
                                                  "\"statusMessage\":1,\"ttlMs\":null,\"pollIntervalMs\":-1")),
                                    &t, &err),
                     0);
    assert_null(t.result.p);
    assert_null(t.error.p);
    assert_null(t.message.p);
    assert_false(t.has_ttl);
    assert_int_equal(t.poll_ms, 0);
}

static void pauses_are_those_of_the_server_or_grow(void **state)
{
    struct mcti_task_state t = { 0 };
    static const unsigned grow[] = { 500, 750, 1125, 1687, 2530, 3795, 5000, 5000 };
    unsigned ms = 0;
    (void)state;
    for (size_t i = 0; i < sizeof grow / sizeof *grow; i++)
        assert_int_equal(ms = mcti_task_pause_ms(&t, ms), grow[i]);
    t.poll_ms = 1;
    assert_int_equal(mcti_task_pause_ms(&t, 5000), 50);
    t.poll_ms = 700;
    assert_int_equal(mcti_task_pause_ms(&t, 5000), 700);
    t.poll_ms = 1u << 31;
    assert_int_equal(mcti_task_pause_ms(&t, 5000), 60000);
}

static void declarations_are_found_and_made(void **state)
{
    static const struct {
        const char *capabilities;
        bool declares;
        const char *declared;
    } rows[] = {
        { "{}", false, "{\"extensions\":{\"" MCT_TASKS_ID "\":{}}}" },
        { "{\"a\":1.0,\"extensions\":{\"x/y\":{}}}", false,
          "{\"a\":1.0,\"extensions\":{\"x/y\":{},\"" MCT_TASKS_ID "\":{}}}" },
        { "{\"extensions\":{\"" MCT_TASKS_ID "\":{\"z\":1}}}", true, "{\"extensions\":{\"" MCT_TASKS_ID "\":{}}}" },
        { "{\"extensions\":{\"" MCT_TASKS_ID "\":null}}", false, "{\"extensions\":{\"" MCT_TASKS_ID "\":{}}}" },
        { "{\"extensions\":[]}", false, "{\"extensions\":{\"" MCT_TASKS_ID "\":{}}}" },
        { "{\"" MCT_TASKS_ID "\":{}}", false, "{\"" MCT_TASKS_ID "\":{},\"extensions\":{\"" MCT_TASKS_ID "\":{}}}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        assert_int_equal(mcti_tasks_declared(mcti_str_of(rows[i].capabilities)), rows[i].declares);
        mcti_tasks_declare(&b, mcti_str_of(rows[i].capabilities));
        assert_buf(&b, rows[i].declared);
        mcti_buf_done(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_read),
        cmocka_unit_test(long_ids_are_refused),
        cmocka_unit_test(members_of_other_types_are_absent),
        cmocka_unit_test(pauses_are_those_of_the_server_or_grow),
        cmocka_unit_test(declarations_are_found_and_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
