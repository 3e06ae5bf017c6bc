/* Marks of results from outside: what they add, and that everything else stays as it is. */
#include "unit.h"

#include "hub/call/external_mark.h"

#define MARK "\"mcptools/external\":{\"server\":\"web\",\"tool\":\"a\\\"b\"}"

static void check(const char *result, const char *wanted)
{
    const struct mcti_external_mark mark = { MCT_STR("web"), MCT_STR("a\"b"), false };
    struct mcti_buf b;
    mcti_buf_init(&b, strlen(result) + MCT_EXTERNAL_MARK_BYTES);
    mcti_external_mark_put(&b, mcti_str_of(result), &mark);
    assert_true(mcti_buf_ok(&b));
    assert_buf(&b, wanted);
    mcti_buf_done(&b);
}

static void meta(void **state)
{
    (void)state;
    check("{}", "{\"_meta\":{" MARK "}}");
    check("{ \"content\" : [ 1.0 ] }", "{ \"content\" : [ 1.0 ],\"_meta\":{" MARK "} }");
    check("{\"_meta\":{},\"a\":1}", "{\"_meta\":{" MARK "},\"a\":1}");
    check("{\"_meta\":{\"x\":1,\"mcptools/external\":false}}", "{\"_meta\":{\"x\":1," MARK "}}");
    check("{\"_meta\":{\"mcptools/external\":1,\"mcptools\\u002fexternal\":2}}", "{\"_meta\":{" MARK "}}");
    check("{\"_meta\":null}", "{\"_meta\":{" MARK "}}");
    /* a second one cannot hide the first */
    check("{\"_meta\":1,\"a\":2,\"\\u005fmeta\":{\"b\":3}}", "{\"_meta\":{" MARK "},\"a\":2}");
}

/* Returns what stands between two texts. */
static char *between(const char *text, const char *before, const char *after)
{
    const char *from = strstr(text, before);
    assert_non_null(from);
    from += strlen(before);
    const char *to = strstr(from, after);
    assert_non_null(to);
    return strndup(from, (size_t)(to - from));
}

static void frame(const char *content, const char *inside)
{
    const struct mcti_external_mark mark = { MCT_STR("web"), MCT_STR_NONE, true };
    struct mcti_buf b, result;
    mcti_buf_init(&b, MCT_EXTERNAL_MARK_BYTES);
    mcti_buf_init(&result, 1000);
    mcti_buf_printf(&result, "{\"content\":%s,\"isError\":true}", content);
    mcti_external_mark_put(&b, mcti_buf_str(&result), &mark);
    char *text = mcti_buf_take(&b), *id = NULL, *end = NULL, *got = NULL;
    assert_non_null(text);
    id = between(text, "server web, mark ", ")");
    end = between(text, "ends (mark ", ")");
    assert_int_equal(strlen(id), 16);
    assert_string_equal(id, end);
    got = between(text, "\"annotations\":{\"audience\":[\"assistant\"]}}",
                  "{\"type\":\"text\",\"text\":\"[Data from outside ends");
    assert_string_equal(got, inside);
    assert_non_null(strstr(text, "],\"isError\":true,\"_meta\":{\"mcptools/external\":{\"server\":\"web\"}}}"));
    free(got);
    free(end);
    free(id);
    free(text);
    mcti_buf_done(&result);
}

static void frames(void **state)
{
    (void)state;
    frame("[]", ",");
    frame("[ ]", ", ");
    frame("[{\"type\":\"image\",\"data\":\"\"}, 1]", ",{\"type\":\"image\",\"data\":\"\"}, 1,");
}

static void no_content_has_no_frame(void **state)
{
    const struct mcti_external_mark mark = { MCT_STR("web"), MCT_STR_NONE, true };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, MCT_EXTERNAL_MARK_BYTES);
    mcti_external_mark_put(&b, MCT_STR("{\"content\":\"x\"}"), &mark);
    assert_buf(&b, "{\"content\":\"x\",\"_meta\":{\"mcptools/external\":{\"server\":\"web\"}}}");
    mcti_buf_done(&b);
}

static void a_result_that_does_not_fit_is_none(void **state)
{
    const struct mcti_external_mark mark = { MCT_STR("web"), MCT_STR_NONE, true };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 64);
    mcti_external_mark_put(&b, MCT_STR("{\"content\":[]}"), &mark);
    assert_false(mcti_buf_ok(&b));
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meta),
        cmocka_unit_test(frames),
        cmocka_unit_test(no_content_has_no_frame),
        cmocka_unit_test(a_result_that_does_not_fit_is_none),
    };
    return cmocka_run_group_tests_name("external-mark", tests, NULL, NULL);
}
