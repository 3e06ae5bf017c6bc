#include "unit.h"

#include "mcp/apps/ui.h"

static void tools_are_read(void **state)
{
    static const struct {
        const char *tool;
        unsigned use;
        const char *page;
    } rows[] = {
        { "{\"name\":\"t\"}", 0, NULL },
        { "{\"_meta\":{\"ui\":{\"resourceUri\":\"ui://a\"}}}", MCT_UI_LINKED, "\"ui://a\"" },
        { "{\"_meta\":{\"ui/resourceUri\":\"ui://a\"}}", MCT_UI_LINKED, "\"ui://a\"" },
        { "{\"_meta\":{\"ui/resourceUri\":\"ui://old\",\"ui\":{\"resourceUri\":\"ui://new\"}}}", MCT_UI_LINKED,
          "\"ui://new\"" },
        { "{\"_meta\":{\"ui\":{\"resourceUri\":1},\"ui/resourceUri\":\"ui://a\"}}", MCT_UI_LINKED, "\"ui://a\"" },
        { "{\"_meta\":{\"ui\":{\"resourceUri\":\"https://a\"}}}", 0, NULL },
        { "{\"description\":\"resourceUri visibility\"}", 0, NULL },
        { "{\"_meta\":{\"ui\":{\"visibility\":[\"app\"]}}}", MCT_UI_APP_ONLY, NULL },
        { "{\"_meta\":{\"ui\":{\"visibility\":[]}}}", MCT_UI_APP_ONLY, NULL },
        { "{\"_meta\":{\"ui\":{\"visibility\":[\"app\",\"model\"]}}}", 0, NULL },
        { "{\"_meta\":{\"ui\":{\"visibility\":\"app\"}}}", 0, NULL },
        { "{\"_meta\":{\"ui\":{\"visibility\":[\"app\"],\"resourceUri\":\"ui://a\"}}}", MCT_UI_APP_ONLY | MCT_UI_LINKED,
          "\"ui://a\"" },
        { "{\"_meta\":[\"ui/resourceUri\",\"visibility\"]}", 0, NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_str tool = mcti_str_of(rows[i].tool), page = mcti_ui_page_of(tool);
        if (mcti_ui_use(tool) != rows[i].use || !mcti_str_eq(page, mcti_str_of(rows[i].page)))
            fail_msg("%s: %u %.*s", rows[i].tool, mcti_ui_use(tool), MCT_STR_ARG(page));
    }
}

static void pages_are_known_by_their_type(void **state)
{
    static const struct {
        const char *mime;
        bool is;
    } rows[] = {
        { "text/html;profile=mcp-app", true },
        { "text/html; profile=mcp-app", true },
        { "Text/HTML;Profile=mcp-app", true },
        { "text/html;profile=\\\"mcp-app\\\"", false },
        { "text/html", false },
        { "text/html;profile=mcp-app2", false },
        { "text/html;profile=mcp-ap", false },
        { "text/plain;profile=mcp-app", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"uri\":\"ui://a\",\"mimeType\":\"%s\"}", rows[i].mime);
        if (mcti_ui_is_page(mcti_str_of(text)) != rows[i].is)
            fail_msg("%s", text);
    }
    assert_false(mcti_ui_is_page(MCT_STR("{\"uri\":\"ui://a\"}")));
}

static void the_declaration_is_an_object(void **state)
{
    (void)state;
    assert_true(mcti_ui_declared(MCT_STR(MCT_UI_CAPABILITIES)));
    assert_true(mcti_ui_declared(MCT_STR("{\"extensions\":{\"" MCT_UI_ID "\":{}}}")));
    assert_false(mcti_ui_declared(MCT_STR("{\"extensions\":{\"" MCT_UI_ID "\":true}}")));
    assert_false(mcti_ui_declared(MCT_STR("{}")));
    assert_false(mcti_ui_declared(MCT_STR_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_are_read),
        cmocka_unit_test(pages_are_known_by_their_type),
        cmocka_unit_test(the_declaration_is_an_object),
    };
    return cmocka_run_group_tests_name("ui", tests, NULL, NULL);
}
