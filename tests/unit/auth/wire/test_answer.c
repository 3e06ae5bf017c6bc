#include "unit.h"

#include "auth/wire/answer.h"

enum { TEXT = 4096 };

#include "quoted.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- tokens ---- */

static void tokens_are_read(void **state)
{
    struct mcti_token_set t;
    char buf[TEXT];
    (void)state;
    assert_int_equal(mcti_token_set_read(&t,
                                         json("{'access_token':'at','token_type':'Bearer','refresh_token':'rt',"
                                              "'scope':'a b','id_token':'it','issued_token_type':'urn:x',"
                                              "'expires_in':3600,'extra':{}}",
                                              buf),
                                         NULL),
                     0);
    assert_string_equal(t.access_token, "at");
    assert_string_equal(t.token_type, "Bearer");
    assert_string_equal(t.refresh_token, "rt");
    assert_string_equal(t.scope, "a b");
    assert_string_equal(t.id_token, "it");
    assert_string_equal(t.issued_token_type, "urn:x");
    assert_int_equal(t.expires_in_s, 3600);
    mcti_token_set_clear(&t);
    assert_null(t.access_token);
    assert_int_equal(mcti_token_set_read(&t, json("{'access_token':'at','refresh_token':'','scope':null}", buf), NULL),
                     0);
    assert_true(!t.token_type && !t.refresh_token && !t.scope && !t.id_token);
    assert_int_equal(t.expires_in_s, -1);
    mcti_token_set_clear(&t);
}

static const struct {
    const char *value;
    int64_t seconds; /* MISTAKE: refused */
} lives[] = {
#define MISTAKE INT64_MIN
    { "3600", 3600 },
    { "'3600'", 3600 },
    { "3599.9", 3599 },
    { "3.6e3", 3600 },
    { "0", -1 },
    { "-1", -1 },
    { "null", -1 },
    { "'0'", -1 },
    { "1e400", INT64_C(1) << 40 },
    { "99999999999999999999", INT64_C(1) << 40 },
    { "'-1'", MISTAKE },
    { "'1h'", MISTAKE },
    { "''", MISTAKE },
    { "' 1'", MISTAKE },
    { "'1e3'", MISTAKE },
    { "true", MISTAKE },
    { "[1]", MISTAKE },
    { "'999999999999999999999'", MISTAKE },
};

static void lives_are_numbers_or_digits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lives); i++) {
        struct mcti_token_set t;
        char text[TEXT], buf[TEXT];
        snprintf(text, sizeof text, "{'access_token':'x','expires_in':%s}", lives[i].value);
        int ok = mcti_token_set_read(&t, json(text, buf), NULL);
        if (ok != (lives[i].seconds == MISTAKE ? -1 : 0) || (!ok && t.expires_in_s != lives[i].seconds))
            fail_msg("%s: %d %lld", lives[i].value, ok, (long long)t.expires_in_s);
        mcti_token_set_clear(&t);
    }
}

static const struct refused {
    const char *json, *why;
} refused_tokens[] = {
    { "{}", "member \"access_token\" is missing" },
    { "{'access_token':''}", "member \"access_token\" is missing" },
    { "{'access_token':null}", "member \"access_token\" is missing" },
    { "{'access_token':1}", "member \"access_token\" is not a text" },
    { "{'access_token':'a b'}", "member \"access_token\" has an unusable value" },
    { "{'access_token':'a\\r\\nX: y'}", "member \"access_token\" has a control character" },
    { "{'access_token':'a\\u0000'}", "member \"access_token\" has a control character" },
    { "{'access_token':'a\xc3\xbc'}", "member \"access_token\" has an unusable value" },
    { "{'access_token':'a','access_token':'a'}", "duplicate member \"access_token\"" },
    { "{'access_token':'a','\\u0061ccess_token':'b'}", "duplicate member \"access_token\"" },
    { "{'access_token':'a','token_type':['Bearer']}", "member \"token_type\" is not a text" },
    { "{'access_token':'a','refresh_token':'r\\n'}", "member \"refresh_token\" has a control character" },
    { "{'access_token':'a','refresh_token':7}", "member \"refresh_token\" is not a text" },
    { "{'access_token':'a','scope':'a\\\\b'}", "member \"scope\" has an unusable value" },
    { "{'access_token':'a','scope':['a']}", "member \"scope\" is not a text" },
    { "access_token=a&token_type=bearer", "not a JSON object" },
    { "<html>", "not a JSON object" },
    { "", "not a JSON object" },
};

static void unusable_tokens_are_refused_without_showing_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refused_tokens); i++) {
        struct mcti_token_set t, empty = { .expires_in_s = -1 };
        struct mct_error err = { 0 };
        char text[TEXT];
        int ok = mcti_token_set_read(&t, mcti_str_of(quoted(refused_tokens[i].json, text)), &err);
        if (ok != -1 || err.kind != MCT_ERR_PROTOCOL || strcmp(err.message, refused_tokens[i].why) != 0)
            fail_msg("%s: %d %s", refused_tokens[i].json, ok, err.message);
        assert_memory_equal(&t, &empty, sizeof t);
    }
}

/* ---- registrations ---- */

static void registrations_are_read(void **state)
{
    struct mcti_registration r;
    char buf[TEXT];
    (void)state;
    assert_int_equal(
        mcti_registration_read(&r,
                               json("{'client_id':'my client','client_secret':'s e','client_secret_expires_at':17,"
                                    "'token_endpoint_auth_method':'client_secret_post','registration_access_token':"
                                    "'rat','registration_client_uri':'https://as/r','redirect_uris':['u','v']}",
                                    buf),
                               NULL),
        0);
    assert_string_equal(r.client_id, "my client");
    assert_string_equal(r.client_secret, "s e");
    assert_int_equal(r.secret_expires_at, 17);
    assert_string_equal(r.auth_method, "client_secret_post");
    assert_string_equal(r.registration_token, "rat");
    assert_string_equal(r.registration_uri, "https://as/r");
    assert_string_equal(r.redirect_uris.v[1], "v");
    mcti_registration_clear(&r);
    assert_int_equal(mcti_registration_read(
                         &r, json("{'client_id':'x','client_secret':null,'client_secret_expires_at':0}", buf), NULL),
                     0);
    assert_true(!r.client_secret && !r.secret_expires_at && !r.redirect_uris.n);
    mcti_registration_clear(&r);
}

static void unusable_registrations_are_refused(void **state)
{
    static const struct refused rows[] = {
        { "{'client_secret':'x'}", "member \"client_id\" is missing" },
        { "{'client_id':7}", "member \"client_id\" is not a text" },
        { "{'client_id':'a\\u0000b'}", "member \"client_id\" has a control character" },
        { "{'client_id':'\xc3\xbc'}", "member \"client_id\" has an unusable value" },
        { "{'client_id':'x','client_id':'y'}", "duplicate member \"client_id\"" },
        { "{'client_id':'x','client_secret':{}}", "member \"client_secret\" is not a text" },
        { "{'client_id':'x','client_secret_expires_at':'soon'}",
          "member \"client_secret_expires_at\" is not a number" },
        { "{'client_id':'x','redirect_uris':'http://127.0.0.1/'}", "member \"redirect_uris\" is not a list" },
        { "[]", "not a JSON object" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mcti_registration r, empty = { 0 };
        struct mct_error err = { 0 };
        char text[TEXT];
        assert_int_equal(mcti_registration_read(&r, mcti_str_of(quoted(rows[i].json, text)), &err), -1);
        assert_string_equal(err.message, rows[i].why);
        assert_memory_equal(&r, &empty, sizeof r);
    }
}

/* ---- device codes ---- */

#define DEVICE "'device_code':'d','user_code':'AB-CD','verification_uri':'https://as/device','expires_in':600"

static void device_codes_are_read(void **state)
{
    static const struct {
        const char *json;
        int64_t interval_s;
    } rows[] = {
        { "{" DEVICE "}", 5 },
        { "{" DEVICE ",'interval':1}", 1 },
        { "{" DEVICE ",'interval':0}", 5 },
        { "{" DEVICE ",'interval':-3}", 5 },
        { "{" DEVICE ",'interval':1000000}", 300 },
    };
    struct mcti_device_codes d;
    char buf[TEXT];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(mcti_device_codes_read(&d, json(rows[i].json, buf), NULL), 0);
        assert_string_equal(d.device_code, "d");
        assert_string_equal(d.user_code, "AB-CD");
        assert_string_equal(d.verification_uri, "https://as/device");
        assert_null(d.verification_uri_complete);
        assert_int_equal(d.expires_in_s, 600);
        assert_int_equal(d.interval_s, rows[i].interval_s);
        mcti_device_codes_clear(&d);
    }
}

static void unusable_device_codes_are_refused(void **state)
{
    static const struct refused rows[] = {
        { "{'user_code':'u','verification_uri':'https://as','expires_in':1}", "member \"device_code\" is missing" },
        { "{'device_code':'d','verification_uri':'https://as','expires_in':1}", "member \"user_code\" is missing" },
        { "{'device_code':'d','user_code':'u','expires_in':1}", "member \"verification_uri\" is missing" },
        { "{'device_code':'d','user_code':'u','verification_uri':'https://as'}",
          "member \"expires_in\" is missing or not positive" },
        { "{'device_code':'d','user_code':'u','verification_uri':'javascript:alert(1)','expires_in':1}",
          "member \"verification_uri\" has an unusable value" },
        { "{'device_code':'d','user_code':'u','verification_uri':'http://as.example/','expires_in':1}",
          "member \"verification_uri\" has an unusable value" },
        { "{" DEVICE ",'verification_uri_complete':'file:///x'}",
          "member \"verification_uri_complete\" has an unusable value" },
        { "{'device_code':'d','user_code':'u\\u001b[2J','verification_uri':'https://as','expires_in':1}",
          "member \"user_code\" has a control character" },
        { "{'device_code':'d','user_code':'\xe2\x80\xae','verification_uri':'https://as','expires_in':1}",
          "member \"user_code\" has an unusable value" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mcti_device_codes d, empty = { 0 };
        struct mct_error err = { 0 };
        char text[TEXT];
        assert_int_equal(mcti_device_codes_read(&d, mcti_str_of(quoted(rows[i].json, text)), &err), -1);
        assert_string_equal(err.message, rows[i].why);
        assert_memory_equal(&d, &empty, sizeof d);
    }
}

/* ---- errors ---- */

static void error_bodies_of_any_shape_are_read(void **state)
{
    static const struct {
        const char *body, *error, *description;
    } rows[] = {
        { "{'error':'invalid_grant','error_description':'gone'}", "invalid_grant", "gone" },
        { " {'error':'invalid_grant'} ", "invalid_grant", "" },
        { "{'error':'x','error_description':7}", "x", "" },
        { "{'error':'x','error_description':'a\\u001b[2J\\nb\\ud800\\u0000'}", "x", "a?[2J?b\xef\xbf\xbd?" },
        { "{'error':{'message':'no'}}", "", "" },
        { "{'error':'x','error':'y'}", "", "" },
        { "{'error':'x y'}", "", "" },
        { "{'error':'x\\n'}", "", "" },
        { "{'error':'\\u001b'}", "", "" },
        { "{'message':'no'}", "", "" },
        { "[]", "", "" },
        { "", "", "" },
        { "  <h1>502\x1b</h1>\r\n", "", "<h1>502?</h1>" },
        { "Bad\tGateway \xff", "", "Bad?Gateway ?" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mcti_oauth_error e;
        char text[TEXT];
        mcti_oauth_error_read(&e, mcti_str_of(quoted(rows[i].body, text)));
        if (strcmp(e.error, rows[i].error) != 0 || strcmp(e.description, rows[i].description) != 0)
            fail_msg("%s: [%s] [%s]", rows[i].body, e.error, e.description);
    }
}

static void long_errors_are_cut(void **state)
{
    struct mcti_oauth_error e;
    char text[TEXT];
    (void)state;
    snprintf(text, sizeof text, "{\"error\":\"%063d\",\"error_description\":\"%01000d\"}", 1, 1);
    mcti_oauth_error_read(&e, mcti_str_of(text));
    assert_int_equal(strlen(e.error), 63);
    assert_int_equal(strlen(e.description), 255);
    snprintf(text, sizeof text, "{\"error\":\"%064d\"}", 1);
    mcti_oauth_error_read(&e, mcti_str_of(text));
    assert_string_equal(e.error, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_read),
        cmocka_unit_test(lives_are_numbers_or_digits),
        cmocka_unit_test(unusable_tokens_are_refused_without_showing_them),
        cmocka_unit_test(registrations_are_read),
        cmocka_unit_test(unusable_registrations_are_refused),
        cmocka_unit_test(device_codes_are_read),
        cmocka_unit_test(unusable_device_codes_are_refused),
        cmocka_unit_test(error_bodies_of_any_shape_are_read),
        cmocka_unit_test(long_errors_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
