#include "unit.h"

#include "base/limits.h"
#include "hub/apps/uris.h"

/* Providers are only compared, and asked for their names. */
static struct mcti_provider a = { .name = "a" }, b = { .name = "b b/" }, c = { .name = "c" };

static void add(struct mcti_app_uris *u, struct mcti_provider *p, const char *uri)
{
    assert_int_equal(mcti_app_uris_add(u, p, mcti_str_of(uri), strchr(uri, '{') != NULL), 0);
}

static void is_shown(const struct mcti_app_uris *u, const struct mcti_provider *p, const char *own, const char *shown)
{
    struct mcti_buf scratch, back;
    mcti_buf_init(&scratch, MCT_LIMIT_URI_BYTES);
    mcti_buf_init(&back, MCT_LIMIT_URI_BYTES);
    struct mcti_str text = mcti_app_uri_show(u, p, mcti_str_of(own), &scratch);
    assert_span(text, shown);
    if (strcmp(own, shown) != 0) {
        assert_ptr_equal(mcti_app_uri_read(u, text, &back), p);
        assert_buf(&back, own);
    }
    mcti_buf_done(&back);
    mcti_buf_done(&scratch);
}

static void uris_of_several_servers_differ(void **state)
{
    struct mcti_app_uris u = { .unique = true };
    struct mcti_buf back;
    (void)state;
    add(&u, &a, "ui://x/1");
    add(&u, &a, "ui://x/1"); /* listed, and named by a tool */
    add(&u, &a, "ui://alone");
    add(&u, &a, "x://1");
    add(&u, &b, "ui://x/1");
    add(&u, &b, "x://1");
    assert_int_equal(u.n, 3);
    assert_int_equal(mcti_app_uris_settle(&u), 0);
    is_shown(&u, &a, "ui://x/1", "ui://a/x/1");
    is_shown(&u, &b, "ui://x/1", "ui://b%20b%2F/x/1");
    is_shown(&u, &a, "ui://alone", "ui://alone");
    is_shown(&u, &c, "ui://x/1", "ui://x/1");
    is_shown(&u, &a, "x://1", "x://1");
    assert_true(mcti_app_uris_change(&u, &a));
    assert_true(mcti_app_uris_change(&u, &b));
    assert_false(mcti_app_uris_change(&u, &c));
    mcti_buf_init(&back, MCT_LIMIT_URI_BYTES);
    assert_null(mcti_app_uri_read(&u, MCT_STR("ui://x/1"), &back));
    assert_null(mcti_app_uri_read(&u, MCT_STR("ui://a/alone"), &back));
    assert_null(mcti_app_uri_read(&u, MCT_STR("ui://c/x/1"), &back));
    assert_ptr_equal(mcti_app_uri_read(&u, MCT_STR("ui://alone"), &back), &a);
    mcti_buf_done(&back);
    assert_ptr_equal(mcti_app_uri_own(&u, MCT_STR("ui://x/1"), NULL)->provider, &a); /* in their order */
    mcti_app_uris_clear(&u);
}

/* The form of one server's URI is the own URI of another one, and so on. */
static void forms_are_not_taken_from_others(void **state)
{
    struct mcti_app_uris u = { .unique = true };
    (void)state;
    add(&u, &c, "ui://c/a/x");
    add(&u, &c, "ui://a/x");
    add(&u, &a, "ui://x");
    add(&u, &b, "ui://x");
    assert_int_equal(mcti_app_uris_settle(&u), 0);
    is_shown(&u, &a, "ui://x", "ui://a/x");
    is_shown(&u, &c, "ui://a/x", "ui://c/a/x");
    is_shown(&u, &c, "ui://c/a/x", "ui://c/c/a/x");
    mcti_app_uris_clear(&u);
}

static void templates_have_forms_for_what_they_match(void **state)
{
    struct mcti_app_uris u = { .unique = true };
    struct mcti_buf back;
    (void)state;
    add(&u, &a, "ui://p/{id}");
    add(&u, &c, "ui://p/{id}");
    assert_int_equal(mcti_app_uris_settle(&u), 0);
    is_shown(&u, &a, "ui://p/{id}", "ui://a/p/{id}");
    is_shown(&u, &c, "ui://p/7", "ui://c/p/7");
    is_shown(&u, &b, "ui://p/7", "ui://p/7");
    is_shown(&u, &a, "ui://q/7", "ui://q/7");
    mcti_buf_init(&back, MCT_LIMIT_URI_BYTES);
    assert_null(mcti_app_uri_read(&u, MCT_STR("ui://a/q/7"), &back));
    mcti_buf_done(&back);
    mcti_app_uris_clear(&u);
}

static void a_program_sees_them_as_they_are(void **state)
{
    struct mcti_app_uris u = { .unique = false };
    (void)state;
    add(&u, &a, "ui://x");
    add(&u, &b, "ui://x");
    assert_int_equal(mcti_app_uris_settle(&u), 0);
    is_shown(&u, &a, "ui://x", "ui://x");
    const struct mcti_app_uri *first = mcti_app_uri_shown(&u, MCT_STR("ui://x"), NULL);
    assert_ptr_equal(first->provider, &a);
    assert_ptr_equal(mcti_app_uri_shown(&u, MCT_STR("ui://x"), first)->provider, &b);
    mcti_app_uris_clear(&u);
}

/* The work grows with the number of URIs, also if each form is the own URI of the next server's. */
static void many_uris_are_no_work(void **state)
{
    struct mcti_app_uris u = { .unique = true };
    char uri[64];
    const unsigned n = MUCH(20000);
    (void)state;
    for (unsigned i = 0; i < n; i++) {
        snprintf(uri, sizeof uri, "ui://page/%u", i);
        add(&u, &a, uri);
        add(&u, &c, uri);
        snprintf(uri, sizeof uri, "ui://a/page/%u", i);
        add(&u, &b, uri);
    }
    assert_int_equal(mcti_app_uris_settle(&u), 0);
    is_shown(&u, &b, "ui://a/page/7", "ui://b%20b%2F/a/page/7");
    assert_int_equal(u.n_changed, 3);
    mcti_app_uris_clear(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uris_of_several_servers_differ),
        cmocka_unit_test(forms_are_not_taken_from_others),
        cmocka_unit_test(templates_have_forms_for_what_they_match),
        cmocka_unit_test(a_program_sees_them_as_they_are),
        cmocka_unit_test(many_uris_are_no_work),
    };
    return cmocka_run_group_tests_name("uris", tests, NULL, NULL);
}
