#include "unit.h"

#include "hub/apps/inject.h"
#include "hub/apps/rewrite.h"

static void the_script_stands_in_the_head(void **state)
{
    static const struct {
        const char *text;
        size_t at;
    } rows[] = {
        { "\"<!doctype html><html><head><meta>\"", 28 },
        { "\"<HTML><HEAD lang=en>\\n<meta>\"", 21 },
        { "\"<!DOCTYPE html><p>x\"", 16 },
        { "\"<header>x</header>\"", 1 },
        { "\"<head\"", 1 },
        { "\"\"", 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = (size_t)(mcti_app_script_place(mcti_str_of(rows[i].text)) - rows[i].text);
        if (at != rows[i].at)
            fail_msg("%s: %zu", rows[i].text, at);
    }
}

/* A name of a server must not end the script. */
static void names_stay_inside(void **state)
{
    struct mcti_buf b;
    size_t n = 0;
    (void)state;
    mcti_buf_init(&b, MCT_APP_SCRIPT_BYTES);
    mcti_app_script_begin(&b);
    mcti_app_script_add(&b, MCT_STR("</script>\"\\"), MCT_STR("a__x"), &n);
    mcti_app_script_add(&b, MCT_STR("y"), MCT_STR("a__y"), &n);
    mcti_app_script_end(&b);
    mcti_buf_addc(&b, '\0');
    assert_int_equal(n, 2);
    assert_non_null(strstr(b.p, "names={\"\\u003c/script>\\\"\\\\\":\"a__x\",\"y\":\"a__y\"};"));
    assert_ptr_equal(strstr(b.p, "</script>"), b.p + b.len - 1 - strlen("</script>"));
    mcti_buf_done(&b);
}

/* Only the text of a page gets the script. */
static void other_contents_stay(void **state)
{
    const struct mcti_app_uris none = { .n = 0 };
    const struct mcti_app_rewrite how = { .uris = &none, .script = MCT_STR("<script>\"</script>") };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 4096);
    assert_true(mcti_app_put_result(
        &b, &how, MCT_VERB_RESOURCES_READ,
        MCT_STR("{\"contents\":[{\"uri\":\"ui://a\",\"text\":\"<head>1\",\"mimeType\":\"text/html;profile=mcp-app\"},"
                "{\"uri\":\"ui://b\",\"text\":\"<head>2\",\"mimeType\":\"text/html\"},"
                "{\"uri\":\"ui://c\",\"blob\":\"AA==\",\"mimeType\":\"text/html;profile=mcp-app\"}]}")));
    assert_buf(&b, "{\"contents\":[{\"uri\":\"ui://a\",\"text\":\"<head><script>\\\"</script>1\","
                   "\"mimeType\":\"text/html;profile=mcp-app\"},"
                   "{\"uri\":\"ui://b\",\"text\":\"<head>2\",\"mimeType\":\"text/html\"},"
                   "{\"uri\":\"ui://c\",\"blob\":\"AA==\",\"mimeType\":\"text/html;profile=mcp-app\"}]}");
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_script_stands_in_the_head),
        cmocka_unit_test(names_stay_inside),
        cmocka_unit_test(other_contents_stay),
    };
    return cmocka_run_group_tests_name("inject", tests, NULL, NULL);
}
