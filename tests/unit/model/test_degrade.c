#include "unit.h"

#include "model/degrade.h"
#include "json/write.h"

static const struct {
    const char *result, *text, *content; /* `content` NULL: one block with that text */
} degraded[] = {
    { "{\"content\":[{\"type\":\"text\",\"text\":\"a\\nb\"},{\"type\":\"text\",\"text\":\"c\"}]}", "a\nb\nc",
      "[{\"type\":\"text\",\"text\":\"a\\nb\"},{\"type\":\"text\",\"text\":\"c\"}]" },
    { "{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AAAA\"}]}",
      "[Image result: image/png, 3B]", "[{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]" },
    { "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"AA==\"}]}",
      "[Audio result: audio/wav, 1B]" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"text\":\"inline\"}}]}", "inline" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"blob\":\"AA==\"}}]}",
      "[Resource: x://y]" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"text\":\"\"}}]}", "[Resource: x://y]" },
    { "{\"content\":[{\"type\":\"resource_link\",\"name\":\"n\",\"uri\":\"x://y\"}]}", "[n] x://y" },
    { "{\"content\":[{\"type\":\"new\",\"x\":1}]}", "{\"type\":\"new\",\"x\":1}" },
    { "{\"content\":[],\"structuredContent\":{\"a\":1}}", "{\"a\":1}" },
    { "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"a\":1}}", "t" },
    { "{\"content\":[{\"type\":\"text\",\"text\":\"\\u00e9 "
      "\\ud800\",\"annotations\":{\"audience\":[\"user\"]},\"_meta\":{\"a\":1}}]}",
      "\xc3\xa9 \xef\xbf\xbd", "[{\"type\":\"text\",\"text\":\"\\u00e9 \\ud800\"}]" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x://y\",\"mimeType\":\"image/"
      "png\",\"blob\":\"AAAA\"}}]}",
      "[Resource: x://y]" },
    { "{\"content\":[{ \"type\" : \"new\", \"x\" : [ 1.0 ] }]}", "{\"type\":\"new\",\"x\":[1.0]}" },
    { "{\"content\":[{\"x\":1}]}", "{\"x\":1}" },
    { "{\"content\":[{\"type\":\"text\"}]}", "{\"type\":\"text\"}" },
    { "{\"content\":[{\"type\":\"text\",\"text\":7}]}", "{\"type\":\"text\",\"text\":7}" },
    { "{\"content\":[{\"type\":\"image\",\"data\":\"AAAA\"}]}", "{\"type\":\"image\",\"data\":\"AAAA\"}" },
    { "{\"content\":[{\"type\":\"image\",\"data\":null,\"mimeType\":\"image/png\"}]}",
      "{\"type\":\"image\",\"data\":null,\"mimeType\":\"image/png\"}" },
    { "{\"content\":[{\"type\":\"audio\",\"mimeType\":\"audio/wav\"}]}",
      "{\"type\":\"audio\",\"mimeType\":\"audio/wav\"}" },
    { "{\"content\":[{\"type\":\"resource\"}]}", "{\"type\":\"resource\"}" },
    { "{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"\"}}]}",
      "{\"type\":\"resource\",\"resource\":{\"text\":\"\"}}" },
    { "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"x://y\"}]}",
      "{\"type\":\"resource_link\",\"uri\":\"x://y\"}" },
    { "{\"content\":[{\"type\":[\"text\"],\"text\":\"a\"}]}", "{\"type\":[\"text\"],\"text\":\"a\"}" },
    { "{\"content\":[null,\"a\",[]]}", "null\n\"a\"\n[]",
      "[{\"type\":\"text\",\"text\":\"null\"},{\"type\":\"text\",\"text\":\"\\\"a\\\"\"},{\"type\":\"text\",\"text\":"
      "\"[]\"}]" },
    { "{\"content\":{\"type\":\"text\"},\"structuredContent\":{\"a\":1}}", "{\"type\":\"text\"}" },
    { "{\"structuredContent\":{ \"a\" : 1 }}", "{\"a\":1}" },
    { "{\"content\":null,\"structuredContent\":{\"a\":1}}", "{\"a\":1}" },
    { "{\"content\":[],\"structuredContent\":{\"type\":\"text\",\"text\":\"a\"}}",
      "{\"type\":\"text\",\"text\":\"a\"}" },
    { "{\"content\":[],\"structuredContent\":null}", "", "[]" },
    { "{\"content\":[]}", "", "[]" },
    { "{}", "", "[]" },
    { "7", "", "[]" },
};

static void content_degrades(void **state)
{
    struct mcti_buf b, one;
    (void)state;
    mcti_buf_init(&b, 1000);
    mcti_buf_init(&one, 1000);
    for (size_t i = 0; i < sizeof degraded / sizeof *degraded; i++) {
        struct mcti_str result = mcti_str_of(degraded[i].result);
        mcti_buf_clear(&b);
        mcti_degrade_result(&b, result);
        assert_buf(&b, degraded[i].text);
        mcti_buf_clear(&b);
        mcti_degrade_content(&b, result);
        mcti_buf_clear(&one);
        mcti_buf_addz(&one, "[{\"type\":\"text\"");
        mcti_json_put_member(&one, "text", mcti_str_of(degraded[i].text));
        mcti_buf_add(&one, MCT_STR("}]\0"));
        assert_buf(&b, degraded[i].content ? degraded[i].content : one.p);
    }
    mcti_buf_done(&b);
    mcti_buf_done(&one);
}

static void degraded_content_is_bounded(void **state)
{
    struct mcti_buf b;
    (void)state;
    for (size_t max = 0; max < 60; max++) {
        mcti_buf_init(&b, max);
        mcti_degrade_content(&b, MCT_STR("{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"four\"}},{"
                                         "\"type\":\"text\",\"text\":\"four\"}]}"));
        assert_false(mcti_buf_ok(&b));
        mcti_buf_done(&b);
    }
}

static void sizes_are_decimal(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = { { 0, "0B" },          { 999, "999B" },   { 1000, "1KB" },       { 24000, "24KB" },
                 { 1500000, "1.5MB" }, { 999999, "1MB" }, { 3000000000u, "3GB" } };
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 100);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mcti_buf_clear(&b);
        mcti_degrade_size(&b, rows[i].bytes);
        assert_buf(&b, rows[i].text);
    }
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_degrades),
        cmocka_unit_test(degraded_content_is_bounded),
        cmocka_unit_test(sizes_are_decimal),
    };
    return cmocka_run_group_tests_name("degrade", tests, NULL, NULL);
}
