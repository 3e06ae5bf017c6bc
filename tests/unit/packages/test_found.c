/* What a registry answers: URLs, versions, the order of what was found. */
#include "packages/found.h"
#include "unit.h"

static void urls_of_the_api(void **state)
{
    (void)state;
    static const char *const bases[] = { "https://r.example", "https://r.example/", "https://r.example/v0.1",
                                         "https://r.example/v0.1/" };
    struct mcti_buf b;
    mcti_buf_init(&b, 4096);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        mcti_buf_clear(&b);
        mcti_found_put_search_url(&b, bases[i], MCT_STR("/a b&c"), MCT_STR_NONE);
        assert_buf(&b, "https://r.example/v0.1/servers?limit=60&version=latest&search=%2Fa%20b%26c");
    }
    mcti_buf_clear(&b);
    mcti_found_put_search_url(&b, "http://127.0.0.1:1/x", MCT_STR("a"), MCT_STR("c/2"));
    assert_buf(&b, "http://127.0.0.1:1/x/v0.1/servers?limit=60&version=latest&search=a&cursor=c%2F2");
    mcti_buf_clear(&b);
    mcti_found_put_version_url(&b, "https://r.example", MCT_STR("io.a/b"), MCT_STR_NONE);
    assert_buf(&b, "https://r.example/v0.1/servers/io.a%2Fb/versions/latest");
    mcti_buf_clear(&b);
    mcti_found_put_version_url(&b, "https://r.example/v0", MCT_STR("io.a/b"), MCT_STR("1.0+x"));
    assert_buf(&b, "https://r.example/v0/servers/io.a%2Fb/versions/1.0%2Bx");
    mcti_buf_done(&b);
}

static void newer_versions(void **state)
{
    (void)state;
    static const char *const in_order[] = { "0.9", "0.10", "1.0.0-alpha", "1.0.0-beta", "1.0.0", "1.0.1", "2", "10.0" };
    size_t n = sizeof in_order / sizeof *in_order;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            int r = mcti_found_compare_versions(in_order[i], in_order[j]);
            assert_int_equal(r < 0 ? -1 : r > 0, i < j ? -1 : i > j);
        }
}

#define ITEM(name, title) "{\"server\":{\"name\":\"" name "\",\"title\":\"" title "\",\"version\":\"1\"}}"

static void the_best_matches_come_first(void **state)
{
    (void)state;
    struct mcti_strings words = { 0 };
    struct mcti_found found = { 0 };
    struct mcti_str cursor;
    struct mct_error err;
    assert_int_equal(mcti_strings_add(&words, MCT_STR("Git")), 0);
    assert_int_equal(
        mcti_found_add_page(
            &found,
            MCT_STR("{\"servers\":[" ITEM("io.github.x/tool", "t") "," ITEM("a.b/my-git", "t") "," ITEM(
                "a.git/x",
                "t") "," ITEM("a.b/gitlab",
                              "t") "," ITEM("c.d/git",
                                            "t") "," ITEM("io.github.git/x",
                                                          "t") "," ITEM("e.f/x", "uses git") "],\"metadata\":{"
                                                                                             "\"nextCursor\":\"n\"}}"),
            &words, &cursor, &err),
        0);
    mcti_found_sort(&found);
    assert_span(cursor, "n");
    static const char *const expected[] = {
        "io.github.git/x", "c.d/git", "a.b/gitlab", "a.b/my-git", "e.f/x", "a.git/x"
    };
    assert_int_equal(found.n, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < found.n; i++)
        assert_string_equal(found.v[i].name, expected[i]);
    mcti_found_done(&found);
    mcti_strings_clear(&words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_of_the_api),
        cmocka_unit_test(newer_versions),
        cmocka_unit_test(the_best_matches_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
