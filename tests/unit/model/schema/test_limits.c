#include "unit.h"

#include "normal.h"
#include "model/schema/profile.h"

static bool explodes(int levels, const char *inner, const char *name)
{
    struct mcti_schema_report report = { false };
    struct mcti_buf bomb, made;
    put_bomb(&bomb, levels, inner);
    mcti_buf_init(&made, 64u << 20);
    assert_int_equal(mcti_schema_normalise(&made, mcti_buf_str(&bomb), profile(name), &report, NULL), 0);
    assert_true(made.len < MCT_LIMIT_SCHEMA_GROWTH_BYTES + bomb.len);
    assert_true(mcti_json_valid(mcti_buf_str(&made), MCT_LIMIT_JSON_DEPTH, NULL, NULL));
    mcti_buf_done(&bomb);
    mcti_buf_done(&made);
    return report.cut;
}

/* "Billion laughs": what doubles at each level is cut within its budget, and that is said. */
static void test_bomb(void **state)
{
    (void)state;
    for (const struct mcti_schema_profile *p = mcti_schema_profiles + 1; p->name; p++) {
        assert_true(explodes(100, "{\"type\":\"string\"}", p->name));
        assert_true(explodes(20, "{\"type\":\"string\"}", p->name));
        assert_false(explodes(8, "{\"type\":\"string\"}", p->name));
    }
    assert_false(explodes(100, "{\"type\":\"string\"}", "none"));
}

/* The budget is one of bytes, too. */
static void test_bomb_of_text(void **state)
{
    struct mcti_buf inner;
    (void)state;
    mcti_buf_init(&inner, 1u << 20);
    mcti_buf_addz(&inner, "{\"description\":\"");
    for (int i = 0; i < 65536; i++)
        mcti_buf_addc(&inner, 'x');
    mcti_buf_addz(&inner, "\"}");
    char *text = mcti_buf_take(&inner);
    assert_true(explodes(8, text, "openclaw"));
    assert_false(explodes(2, text, "openclaw"));
    free(text);
}

static void assert_refused(struct mcti_str schema, enum mct_error_kind kind, const char *why)
{
    struct mct_error err = { 0 };
    struct mcti_buf made;
    mcti_buf_init(&made, 64u << 20);
    assert_int_equal(mcti_schema_normalise(&made, schema, profile("gemini"), NULL, &err), -1);
    assert_int_equal(err.kind, kind);
    assert_string_equal(err.message, why);
    assert_int_equal(made.len, 0);
    mcti_buf_done(&made);
}

static void test_limits(void **state)
{
    struct mcti_buf b;
    (void)state;
    put_repeated(&b, "", "{\"items\":", "", 128);
    mcti_buf_addz(&b, "1");
    for (int i = 0; i < 128; i++)
        mcti_buf_addc(&b, '}');
    struct mcti_buf made;
    normalise(&made, mcti_buf_str(&b), profile("openclaw"));
    mcti_buf_done(&made);
    mcti_buf_done(&b);

    put_repeated(&b, "", "[", "", 129);
    for (int i = 0; i < 129; i++)
        mcti_buf_addc(&b, ']');
    assert_refused(mcti_buf_str(&b), MCT_ERR_LIMIT, "the schema: is nested too deeply");
    mcti_buf_done(&b);

    put_repeated(&b, "{\"enum\":[0", ",%d", "]}", MCT_LIMIT_SCHEMA_NODES);
    assert_refused(mcti_buf_str(&b), MCT_ERR_LIMIT, "the schema: has too many values");
    mcti_buf_done(&b);

    assert_refused(MCT_STR("[]"), MCT_ERR_USAGE, "the schema of a tool must be an object");
    assert_refused(MCT_STR("true"), MCT_ERR_USAGE, "the schema of a tool must be an object");
}

/* A chain of references is as deep as it is long. */
static void test_chain(void **state)
{
    struct mcti_schema_report report = { false };
    struct mcti_buf b, made;
    (void)state;
    put_repeated(&b, "{\"$ref\":\"#/$defs/0\",\"$defs\":{", "\"%d\":{\"$ref\":\"#/$defs/%d\"},", "\"x\":{}}}", 20000);
    mcti_buf_init(&made, 1u << 20);
    assert_int_equal(mcti_schema_normalise(&made, mcti_buf_str(&b), profile("openclaw"), &report, NULL), 0);
    assert_true(report.cut);
    mcti_buf_done(&b);
    mcti_buf_done(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bomb),
        cmocka_unit_test(test_bomb_of_text),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
