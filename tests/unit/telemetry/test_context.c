/* The trace context of W3C Trace Context, and Retry-After of collectors. */
#include "unit.h"

#include "telemetry/context.h"
#include "telemetry/export.h"

#define TRACE "0af7651916cd43dd8448eb211c80319c"
#define SPAN "b7ad6b7169203331"

static void test_parse(void **state)
{
    static const struct {
        const char *text;
        bool is_valid;
        unsigned flags;
    } rows[] = {
        { "00-" TRACE "-" SPAN "-01", true, 1 },
        { "00-" TRACE "-" SPAN "-00", true, 0 },
        { "00-" TRACE "-" SPAN "-ff", true, 255 },
        { "01-" TRACE "-" SPAN "-01", true, 1 },
        { "cc-" TRACE "-" SPAN "-01-what-comes-later", true, 1 },
        { "cc-" TRACE "-" SPAN "-01.what", false, 0 },
        { "00-" TRACE "-" SPAN "-01-more", false, 0 },
        { "ff-" TRACE "-" SPAN "-01", false, 0 },
        { "0x-" TRACE "-" SPAN "-01", false, 0 },
        { "00-" TRACE "-" SPAN "-0g", false, 0 },
        { "00-" TRACE "-" SPAN "-1", false, 0 },
        { "00-00000000000000000000000000000000-" SPAN "-01", false, 0 },
        { "00-" TRACE "-0000000000000000-01", false, 0 },
        { "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01", false, 0 },
        { "00_" TRACE "-" SPAN "-01", false, 0 },
        { "00-" TRACE "_" SPAN "-01", false, 0 },
        { "00-" TRACE "-" SPAN "_01", false, 0 },
        { "", false, 0 },
        { "00", false, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_trace_context c = { .flags = 77 };
        assert_int_equal(mcti_trace_parse(mcti_str_of(rows[i].text), &c), rows[i].is_valid);
        assert_int_equal(c.flags, rows[i].is_valid ? rows[i].flags : 77);
        assert_string_equal(c.trace, rows[i].is_valid ? TRACE : "");
        assert_string_equal(c.span, rows[i].is_valid ? SPAN : "");
    }
    struct mcti_trace_context c;
    assert_false(mcti_trace_parse(MCT_STR_NONE, &c));
}

static void test_begin(void **state)
{
    struct mcti_trace_context parent, root, other, child;
    char text[MCT_TRACEPARENT_LEN + 1];
    (void)state;
    mcti_trace_begin(NULL, &root);
    mcti_trace_begin(NULL, &other);
    assert_string_not_equal(root.trace, other.trace);
    assert_int_equal(root.flags, 0);
    assert_true(mcti_trace_parse(MCT_STR("00-" TRACE "-" SPAN "-03"), &parent));
    mcti_trace_begin(&parent, &child);
    assert_string_equal(child.trace, TRACE);
    assert_string_not_equal(child.span, SPAN);
    assert_int_equal(child.flags, 3);
    mcti_trace_format(&child, text);
    assert_true(mcti_trace_parse(mcti_str_of(text), &other));
    assert_string_equal(other.trace, child.trace);
    assert_string_equal(other.span, child.span);
    assert_int_equal(other.flags, child.flags);
}

static void test_retry_after(void **state)
{
    static const struct {
        const char *text;
        unsigned s;
    } rows[] = {
        { "0", 0 },
        { "7", 7 },
        { "999999999999", 30000 },
        { "-1", 0 },
        { "7 s", 0 },
        { "", 0 },
        { "Sun, 06 Nov 1994 08:49:37 GMT", 7 },
        { "Sun, 06 Nov 1994 08:49:29 GMT", 0 },
        { "Sun, 06 Nov 1994 08:49:37 GMT and more", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(mcti_export_retry_after_s(mcti_str_of(rows[i].text), 784111770), rows[i].s);
    assert_int_equal(mcti_export_retry_after_s(MCT_STR_NONE, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_retry_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
