#include "unit.h"

#include "base/limits.h"
#include "mcp/http/headers.h"

#include <sys/stat.h>
#include <unistd.h>

static void values_are_encoded_where_they_must_be(void **state)
{
    static const struct {
        const char *text, *value;
    } rows[] = {
        { "plain text", "plain text" },
        { "", "" },
        { " lead", "=?base64?IGxlYWQ=?=" },
        { "trail ", "=?base64?dHJhaWwg?=" },
        { "tab\there", "=?base64?dGFiCWhlcmU=?=" },
        { "line\r\nX-Evil: 1", "=?base64?bGluZQ0KWC1FdmlsOiAx?=" },
        { "caf\xc3\xa9", "=?base64?Y2Fmw6k=?=" },
        { "=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=" },
        { "=?base64?", "=?base64?" },
        { "=?BASE64?eA==?=", "=?BASE64?eA==?=" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_buf b;
        mcti_buf_init(&b, 1000);
        mcti_header_value_put(&b, mcti_str_of(rows[i].text));
        assert_buf(&b, rows[i].value);
        mcti_buf_done(&b);
    }
}

/* Compares the header lines, each with '|' for its end. */
static void assert_headers(const struct mcti_headers *h, const char *wanted)
{
    char text[1000];
    size_t n = 0;
    for (size_t i = 0; i < h->text.len && n < sizeof text - 1; i++)
        if (h->text.p[i] != '\r')
            text[n++] = (char)(h->text.p[i] == '\n' ? '|' : h->text.p[i]);
    text[n] = '\0';
    assert_string_equal(text, wanted);
}

static void messages_are_repeated(void **state)
{
    static const struct {
        const char *frame, *headers;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", "Mcp-Method: tools/list|" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\\u00e9\"}}",
          "Mcp-Method: tools/call|Mcp-Name: =?base64?YcOp?=|" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"a:b\"}}",
          "Mcp-Method: resources/read|Mcp-Name: a:b|" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"\"}}",
          "Mcp-Method: prompts/get|Mcp-Name:|" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\",\"params\":{\"ref\":{}}}",
          "Mcp-Method: completion/complete|" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_headers h;
        struct mcti_msg msg;
        mcti_headers_init(&h);
        assert_int_equal(mcti_msg_parse(mcti_str_of(rows[i].frame), &msg, NULL), 0);
        mcti_headers_put_standard(&h, &msg);
        assert_headers(&h, rows[i].headers);
        mcti_headers_done(&h);
    }
}

#define SCHEMA(properties) "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties "}}}"

static void parameters_are_repeated(void **state)
{
    static const char tool[] = SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
                                      "\"caf\\u00e9\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},\"b\":{\"type\":"
                                      "\"boolean\",\"x-mcp-header\":\"B\"},"
                                      "\"o\":{\"type\":\"object\",\"properties\":{\"in\":{\"type\":\"string\",\"x-mcp-"
                                      "header\":\"In\"}}},\"plain\":{\"type\":\"string\"}");
    static const struct {
        const char *arguments, *headers;
    } rows[] = {
        { "{\"r\":\"us west\",\"plain\":\"x\"}", "Mcp-Param-Region: us west|" },
        { "{\"r\":null}", "" },
        { "{\"r\":\"\"}", "Mcp-Param-Region:|" },
        { "{\"caf\xc3\xa9\":1.0,\"b\":false}", "Mcp-Param-N: 1|Mcp-Param-B: false|" },
        { "{\"caf\xc3\xa9\":-12e2}", "Mcp-Param-N: -1200|" },
        { "{\"caf\xc3\xa9\":-0}", "Mcp-Param-N: 0|" },
        { "{\"caf\xc3\xa9\":9007199254740993}", "" },
        { "{\"caf\xc3\xa9\":100000000000000000000000000000000000000000000000000000000000000000000000}", "" },
        { "{\"o\":{\"in\":\"deep\"}}", "Mcp-Param-In: deep|" },
        { "{\"\\u0072\":\"first\",\"r\":\"second\"}", "Mcp-Param-Region: first|" },
        { "{\"o\":7,\"r\":{}}", "" },
        { "7", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_headers h;
        mcti_headers_init(&h);
        mcti_headers_put_params(&h, mcti_str_of(tool), mcti_str_of(rows[i].arguments));
        assert_headers(&h, rows[i].headers);
        mcti_headers_done(&h);
    }
}

/* Adds `n` members of the form `form`, which takes their number. */
static void put_many(struct mcti_buf *b, unsigned n, const char *form)
{
    for (unsigned i = 0; i < n; i++) {
        mcti_buf_addz(b, i ? "," : "");
        mcti_buf_printf(b, form, i);
    }
}

static struct mcti_str no_header(const void *from, const char *name, size_t *ret_n)
{
    (void)from;
    (void)name;
    *ret_n = 0;
    return MCT_STR_NONE;
}

/* As many annotated parameters as fit, and a million arguments: comparing every pair would exceed the time limit of the
 * tests by an hour. */
static void many_arguments_are_looked_at_once(void **state)
{
    struct mcti_buf tool, arguments;
    struct mcti_headers h;
    struct mct_error err;
    (void)state;
    mcti_buf_init(&tool, MCT_LIMIT_ANNOTATED_BYTES);
    mcti_buf_init(&arguments, 1u << 26);
    mcti_buf_addz(&tool, "{\"name\":\"t\",\"inputSchema\":{\"properties\":{");
    put_many(&tool, 20000, "\"p%u\":{\"const\":\"x-mcp-header\"}");
    mcti_buf_addz(&tool, ",\"last\":{\"type\":\"string\",\"x-mcp-header\":\"L\"}}}}");
    mcti_buf_addc(&arguments, '{');
    put_many(&arguments, MUCH(1000000), "\"q\\u0041%u\":0");
    mcti_buf_addz(&arguments, ",\"l\\u0061st\":\"x\"}");
    assert_true(mcti_buf_ok(&tool) && mcti_buf_ok(&arguments));
    assert_int_equal(mcti_param_headers_check(mcti_buf_str(&tool), NULL), 0);
    mcti_headers_init(&h);
    mcti_headers_put_params(&h, mcti_buf_str(&tool), mcti_buf_str(&arguments));
    assert_headers(&h, "Mcp-Param-L: x|");
    mcti_headers_done(&h);
    assert_int_equal(mcti_headers_check_params(mcti_buf_str(&tool), mcti_buf_str(&arguments), no_header, NULL, &err),
                     -1);
    assert_non_null(strstr(err.message, "Mcp-Param-L is missing"));
    mcti_buf_done(&tool);
    mcti_buf_done(&arguments);
}

static void bad_annotations_are_found(void **state)
{
    static const struct {
        const char *tool, *told; /* NULL: accepted */
    } rows[] = {
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}"), NULL },
        { SCHEMA("\"x-mcp-header\":{\"type\":\"string\"}"), NULL },       /* a parameter of that name */
        { SCHEMA("\"a\":{\"const\":{\"x-mcp-header\":\"A b\"}}"), NULL }, /* no schema */
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}"), "non-empty" },
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":7}"), "non-empty" },
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A b\"}"), "not an HTTP token" },
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A:\"}"), "not an HTTP token" },
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\xc3\xa9\"}"), "not an HTTP token" },
        { SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\\r\"}"), "non-empty" },
        { SCHEMA("\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}"), "not a string, integer or boolean" },
        { SCHEMA("\"a\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}"), "not a string" },
        { SCHEMA("\"a\":{\"type\":\"array\",\"x-mcp-header\":\"A\"}"), "not a string" },
        { SCHEMA("\"a\":{\"type\":\"null\",\"x-mcp-header\":\"A\"}"), "not a string" },
        { SCHEMA(
              "\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"type\":\"string\",\"x-mcp-header\":\"a\"}"),
          "duplicate" },
        { SCHEMA("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}"),
          "not on a parameter" },
        { SCHEMA("\"a\":{\"anyOf\":[{\"type\":\"string\",\"x-mcp-header\":\"A\"}]}"), "not on a parameter" },
        { SCHEMA("\"a\":{\"if\":{\"properties\":{\"b\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}"),
          "not on a parameter" },
        { "{\"inputSchema\":{\"$defs\":{\"d\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}", "not on a parameter" },
        { "{\"inputSchema\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}}", "not on a parameter" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mct_error err = { 0 };
        int r = mcti_param_headers_check(mcti_str_of(rows[i].tool), &err);
        assert_int_equal(r, rows[i].told ? -1 : 0);
        if (rows[i].told && !strstr(err.message, rows[i].told))
            fail_msg("row %zu: %s", i, err.message);
    }
}

/* Characters that end a header line never get into one. */
static void headers_cannot_be_injected(void **state)
{
    struct mcti_headers h;
    (void)state;
    mcti_headers_init(&h);
    mcti_headers_add(&h, "X-A", MCT_STR("b\r\nX-Evil: 1"));
    assert_false(mcti_buf_ok(&h.text));
    mcti_headers_done(&h);
    mcti_headers_init(&h);
    mcti_headers_add(&h, "X A", MCT_STR("b"));
    assert_false(mcti_buf_ok(&h.text));
    mcti_headers_done(&h);
    mcti_headers_init(&h);
    mcti_headers_add(&h, "", MCT_STR("b"));
    assert_false(mcti_buf_ok(&h.text));
    mcti_headers_done(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_encoded_where_they_must_be),
        cmocka_unit_test(messages_are_repeated),
        cmocka_unit_test(parameters_are_repeated),
        cmocka_unit_test(many_arguments_are_looked_at_once),
        cmocka_unit_test(bad_annotations_are_found),
        cmocka_unit_test(headers_cannot_be_injected),
    };
    return cmocka_run_group_tests_name("headers", tests, NULL, NULL);
}
