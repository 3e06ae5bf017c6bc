#include "unit.h"

#include "normal.h"
#include "model/schema/profile.h"

static struct mcti_str cached(struct mcti_schema_cache *c, const char *schema, const struct mcti_schema_profile *p)
{
    char text[TEXT];
    struct mcti_str s = MCT_STR_NONE;
    assert_int_equal(mcti_schema_cache_get(c, json(schema, text), p, &s, NULL, NULL), 0);
    return s;
}

static void test_cache(void **state)
{
    static const char *const extra[] = { "title", NULL };
    struct mcti_schema_profile without = *profile("openclaw");
    struct mcti_schema_cache *c = mcti_schema_cache_new(100000);
    struct mct_error err = { 0 };
    struct mcti_str text;
    (void)state;
    assert_non_null(c);
    without.extra = extra;
    struct mcti_str first = cached(c, "{'title':'T'}", profile("openclaw"));
    assert_span(first, "{\"title\":\"T\"}");
    assert_ptr_equal(cached(c, "{'title':'T'}", profile("openclaw")).p, first.p);
    assert_span(cached(c, "{'title':'T'}", &without), "{}");
    assert_span(cached(c, "{'title':'T'}", profile("anthropic")),
                "{\"title\":\"T\",\"type\":\"object\",\"properties\":{}}");
    assert_ptr_equal(cached(c, "{'title':'T'}", profile("openclaw")).p, first.p);
    assert_int_equal(mcti_schema_cache_get(c, MCT_STR("[]"), &without, &text, NULL, &err), -1);
    assert_int_equal(err.kind, MCT_ERR_USAGE);
    mcti_schema_cache_free(c);
    mcti_schema_cache_free(NULL);
}

static void test_cache_tells_of_cuts(void **state)
{
    struct mcti_schema_cache *c = mcti_schema_cache_new(1u << 20);
    struct mcti_buf bomb;
    struct mcti_str text;
    (void)state;
    put_bomb(&bomb, 40, "{}");
    for (int i = 0; i < 2; i++) {
        struct mcti_schema_report report = { false };
        assert_int_equal(mcti_schema_cache_get(c, mcti_buf_str(&bomb), profile("openclaw"), &text, &report, NULL), 0);
        assert_true(report.cut);
    }
    mcti_buf_done(&bomb);
    mcti_schema_cache_free(c);
}

/* However many are asked for, the newest is there, also when it alone is more than the cache may hold. */
static void test_cache_is_bounded(void **state)
{
    struct mcti_schema_cache *c = mcti_schema_cache_new(2000);
    char schema[64], wanted[128];
    (void)state;
    for (int i = 0; i < 1000; i++) {
        snprintf(schema, sizeof schema, "{'title':'%d'}", i);
        snprintf(wanted, sizeof wanted, "{\"title\":\"%d\"}", i);
        assert_span(cached(c, schema, profile("openclaw")), wanted);
    }
    mcti_schema_cache_free(c);
    c = mcti_schema_cache_new(0);
    assert_span(cached(c, "{'title':'T'}", profile("openclaw")), "{\"title\":\"T\"}");
    mcti_schema_cache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_cache_tells_of_cuts),
        cmocka_unit_test(test_cache_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
