#include "unit.h"

#include "auth/wire/form.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void everything_but_the_unreserved_is_escaped(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 4096);
    mcti_buf_add_percent(&b, MCT_STR("aZ09-._~ !&=+%/:\"\n\0\xc3\xbc"));
    assert_buf(&b, "aZ09-._~%20%21%26%3D%2B%25%2F%3A%22%0A%00%C3%BC");
    mcti_buf_done(&b);
}

static void parameters_are_joined(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 4096);
    mcti_form_put(&b, "a", MCT_STR("1"));
    mcti_form_put(&b, "none", MCT_STR_NONE);
    mcti_form_put(&b, "b c", MCT_STR(""));
    mcti_form_put(&b, "d", MCT_STR("http://h:1/?x=y"));
    assert_buf(&b, "a=1&b%20c=&d=http%3A%2F%2Fh%3A1%2F%3Fx%3Dy");
    static const char *const starts[] = { "https://as/x?", "https://as/x?y=z&" };
    for (size_t i = 0; i < COUNT(starts); i++) {
        char whole[64];
        mcti_buf_clear(&b);
        mcti_buf_addz(&b, starts[i]);
        mcti_form_put(&b, "a", MCT_STR("1"));
        snprintf(whole, sizeof whole, "%sa=1", starts[i]);
        assert_buf(&b, whole);
    }
    mcti_buf_done(&b);
}

static void lost_values_are_not_sent(void **state)
{
    struct mcti_buf lost, b;
    (void)state;
    mcti_buf_init(&lost, 1);
    mcti_buf_addz(&lost, "too long");
    mcti_buf_init(&b, 4096);
    mcti_form_put(&b, "a", mcti_buf_str(&lost));
    assert_false(mcti_buf_ok(&b));
    mcti_buf_done(&lost);
    mcti_buf_done(&b);
}

static const struct {
    const char *text, *decoded; /* NULL: malformed */
} decoded[] = {
    { "", "" },          { "abc", "abc" },   { "a+b%20c", "a b c" }, { "%2B%2b", "++" }, { "%C3%bc", "\xc3\xbc" },
    { "a%0ab", "a\nb" }, { "%25%34", "%4" }, { "%", NULL },          { "a%2", NULL },    { "%zz", NULL },
    { "%2g", NULL },     { "%-1", NULL },    { "% 1", NULL },        { "%00", NULL },    { "a%00b", NULL },
};

static void values_are_decoded(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(decoded); i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        int ok = mcti_form_decode(&b, mcti_str_of(decoded[i].text));
        if (ok != (decoded[i].decoded ? 0 : -1) || (!ok && !mcti_str_is(mcti_buf_str(&b), decoded[i].decoded)))
            fail_msg("%s: %d %.*s", decoded[i].text, ok, MCT_STR_ARG(mcti_buf_str(&b)));
        mcti_buf_done(&b);
    }
    struct mcti_buf b;
    mcti_buf_init(&b, 16);
    assert_int_equal(mcti_form_decode(&b, MCT_STR("a\0b")), -1);
    mcti_buf_done(&b);
}

static const struct {
    const char *form;
    int n;
    const char *value; /* of "state" */
} found[] = {
    { "", 0, "" },
    { "code=1&state=x", 1, "x" },
    { "state=x&code=1", 1, "x" },
    { "state=a%26state%3Db", 1, "a&state=b" },
    { "state=a+b", 1, "a b" },
    { "state=", 1, "" },
    { "state", 1, "" },
    { "state=a=b", 1, "a=b" },
    { "&&state=x&&", 1, "x" },
    { "st%61te=x", 1, "x" },
    { "state=x&state=y", 2, "x" },
    { "state=x&st%61te=x", 2, "x" },
    { "state=x&state", 2, "x" },
    { "state=x&a&state=&state=%", 3, "x" },
    { "State=x&STATE=y", 0, "" },
    { "states=x&stat=y&xstate=z&state%00=a&state%=b&%zz=c", 0, "" },
    { "a=state=x", 0, "" },
    { "a=1;state=x", 0, "" },
    { "a=%zz&state=x", 1, "x" },
    { "state=%zz", -1, NULL },
    { "state=%00", -1, NULL },
    { "state=x%", -1, NULL },
};

static void parameters_are_found_and_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(found); i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 4096);
        int n = mcti_form_get(mcti_str_of(found[i].form), "state", &b);
        if (n != found[i].n || (found[i].value && !mcti_str_is(mcti_buf_str(&b), found[i].value)))
            fail_msg("%s: %d %.*s", found[i].form, n, MCT_STR_ARG(mcti_buf_str(&b)));
        mcti_buf_done(&b);
    }
    struct mcti_buf b;
    mcti_buf_init(&b, 16);
    assert_int_equal(mcti_form_get(MCT_STR_NONE, "state", &b), 0);
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_but_the_unreserved_is_escaped),
        cmocka_unit_test(parameters_are_joined),
        cmocka_unit_test(lost_values_are_not_sent),
        cmocka_unit_test(values_are_decoded),
        cmocka_unit_test(parameters_are_found_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
