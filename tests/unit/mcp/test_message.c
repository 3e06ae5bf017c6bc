#include "unit.h"

#include "io/lines.h"

#include "mcp/era.h"
#include "mcp/guess.h"
#include "mcp/message.h"
#include "mcp/method.h"

static void kinds_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        enum mcti_msg_kind kind;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", MCT_MSG_REQUEST },
        { "{\"method\":\"ping\",\"params\":{},\"jsonrpc\":\"2.0\",\"id\":\"a\"}", MCT_MSG_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}", MCT_MSG_NOTIFICATION },
        { "{\"result\":{},\"jsonrpc\":\"2.0\",\"id\":7}", MCT_MSG_RESULT },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\"}}", MCT_MSG_ERROR },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"m\"}}", MCT_MSG_ERROR },
        { "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"m\"}}", MCT_MSG_ERROR },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", MCT_MSG_BATCH },
        { "{\"jsonrpc\":\"2.0\",\"\\u0069d\":1,\"method\":\"ping\",\"x\":0}", MCT_MSG_REQUEST },
    };
    struct mcti_msg msg;
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (mcti_msg_parse(mcti_str_of(rows[i].text), &msg, &err) < 0)
            fail_msg("%s: %s", rows[i].text, err.message);
        assert_int_equal(msg.kind, rows[i].kind);
    }
}

#define REQUEST(params) "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":" params "}"

static void params_are_found(void **state)
{
    static const char *const rows[] = {
        REQUEST("{\"a\":1,\"n\":{\"n\":0},\"_meta\":{\"progressToken\":5}}"),
        REQUEST("{\"\\u006e\":{\"n\":0},\"_meta\":{\"progressToken\":5}}"),
        REQUEST("{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"n\":{\"n\":0},\"_meta\":{"
                "\"progressToken\":5}}"),
    };
    struct mcti_msg msg;
    struct mcti_msg_meta meta;
    struct mcti_str found;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mcti_msg_parse(mcti_str_of(rows[i]), &msg, NULL), 0);
        assert_span(mcti_msg_get(&msg, "n"), "{\"n\":0}");
        assert_null(mcti_msg_get(&msg, "other").p);
        assert_int_equal(mcti_msg_param(&msg, "n", &found, NULL), 0);
        assert_span(found, "{\"n\":0}");
        assert_int_equal(mcti_msg_read_meta(&msg, &meta, NULL), 0);
        assert_span(meta.progress_token, "5");
        const struct mcti_msg other = mcti_msg_with_params(&msg, MCT_STR("{\"n\":1}"));
        assert_span(mcti_msg_get(&other, "n"), "1");
        assert_int_equal(mcti_msg_read_meta(&other, &meta, NULL), 0);
        assert_null(meta.progress_token.p);
        char copy[256];
        memcpy(copy, msg.text.p, msg.text.len);
        const struct mcti_msg moved = mcti_msg_in(&msg, copy);
        assert_ptr_equal(moved.params.p, copy + (msg.params.p - msg.text.p));
        assert_span(moved.id, "7");
        assert_span(moved.method, "m");
        assert_span(mcti_msg_get(&moved, "n"), "{\"n\":0}");
    }
}

static void params_are_there_once(void **state)
{
    static const char *const rows[] = {
        REQUEST("{\"n\":1,\"n\":2}"),
        REQUEST("{\"n\":1,\"\\u006e\":2}"),
        REQUEST("{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"n\":1,\"n\":2}"),
    };
    struct mcti_msg msg;
    struct mcti_str found;
    struct mct_error err;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(mcti_msg_parse(mcti_str_of(rows[i]), &msg, NULL), 0);
        assert_int_equal(mcti_msg_param(&msg, "n", &found, &err), -1);
        assert_string_equal(err.message, "duplicate parameter \"n\"");
    }
}

static void malformed_messages_are_refused(void **state)
{
    static const struct {
        const char *text;
        int code;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",", MCT_RPC_PARSE },
        { "", MCT_RPC_PARSE },
        { "17", MCT_RPC_INVALID_REQUEST },
        { "{\"id\":1,\"method\":\"ping\"}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"i\\u0064\":2,\"method\":\"ping\"}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"result\":{}}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", MCT_RPC_INVALID_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"result\":{}}", MCT_RPC_INVALID_REQUEST },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_msg msg;
        struct mct_error err = { 0 };
        if (mcti_msg_parse(mcti_str_of(rows[i].text), &msg, &err) == 0)
            fail_msg("accepted: %s", rows[i].text);
        assert_int_equal(err.code, rows[i].code);
    }
}

/* The answer to a malformed request still carries its id. */
static void id_is_known_when_it_can_be(void **state)
{
    struct mcti_msg msg;
    struct mct_error err;
    (void)state;
    assert_int_equal(mcti_msg_parse(MCT_STR("{\"id\":\"x\",\"method\":\"ping\"}"), &msg, &err), -1);
    assert_span(msg.id, "\"x\"");
}

static void ids_are_kept_as_written(void **state)
{
    static const char *const ids[] = { "0", "1.0", "-7", "1e3", "12345678901234567890", "\"\\u0041\"", "\"\"" };
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char text[200];
        struct mcti_msg msg;
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\": %s }", ids[i]);
        assert_int_equal(mcti_msg_parse(mcti_str_of(text), &msg, NULL), 0);
        assert_span(msg.id, ids[i]);
    }
    assert_true(mcti_msg_id_eq(MCT_STR("\"A\""), MCT_STR("\"\\u0041\"")));
    assert_false(mcti_msg_id_eq(MCT_STR("\"1\""), MCT_STR("1")));
}

static struct mcti_msg request(const char *params)
{
    static char text[1024];
    struct mcti_msg msg;
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":%s}", params);
    assert_int_equal(mcti_msg_parse(mcti_str_of(text), &msg, NULL), 0);
    return msg;
}

static void meta_is_read_strictly(void **state)
{
    struct mcti_msg_meta meta;
    struct mct_error err;
    (void)state;
    struct mcti_msg msg = request("{\"_meta\":{\"progressToken\":\"t\",\"" MCT_META_VERSION "\":\"2026-07-28\"}}");
    assert_int_equal(mcti_msg_read_meta(&msg, &meta, &err), 0);
    assert_span(meta.progress_token, "\"t\"");
    assert_span(meta.version, "\"2026-07-28\"");
    assert_null(meta.capabilities.p);
    msg = request("{\"_meta\":{\"progressToken\":1,\"progressToken\":2}}");
    assert_int_equal(mcti_msg_read_meta(&msg, &meta, &err), -1);
    assert_int_equal(mcti_error_rpc_code(&err), MCT_RPC_INVALID_PARAMS);
    msg = request("{\"_meta\":{\"progressToken\":{}}}");
    assert_int_equal(mcti_msg_read_meta(&msg, &meta, &err), -1);
    msg = request("{\"_meta\":[]}");
    assert_int_equal(mcti_msg_read_meta(&msg, &meta, &err), -1);
    msg = request("{\"name\":\"a\",\"na\\u006de\":\"b\"}");
    struct mcti_str name;
    assert_int_equal(mcti_msg_param(&msg, "name", &name, &err), -1);
}

struct arrival {
    struct mcti_lines lines;
    int n, n_checked;
    struct mct_error err;
};

static bool arrival_on_line(void *data, struct mcti_str line)
{
    struct arrival *a = data;
    struct mcti_msg msg;
    a->n++;
    a->n_checked += a->lines.chunk && a->lines.chunk->check && a->lines.chunk->check->at > line.len / 2;
    if (mcti_msg_parse_chunk(line, a->lines.chunk, &msg, &a->err) == 0)
        assert_true(mcti_str_is(msg.method, "ping") && msg.params.len > line.len - 100);
    return true;
}

/* Compares the verdict on a message that comes in pieces of `step` bytes with that on the whole. */
static void check_arrival(const char *end, size_t step)
{
    struct arrival a = { 0 };
    struct mcti_buf text;
    struct mcti_msg msg;
    struct mct_error err = { 0 };
    mcti_buf_init(&text, 1 << 20);
    mcti_lines_init(&a.lines, 1 << 20);
    mcti_buf_addz(&text, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{\"a\":\"");
    while (text.len < 6 * step - 4)
        mcti_buf_addc(&text, 'a');
    mcti_buf_addz(&text, end);
    struct mcti_str line = { text.p, text.len - (strchr(end, '\r') ? 2 : 1) };
    mcti_msg_parse(line, &msg, &err);
    for (size_t at = 0; at < text.len; at += step) {
        struct mcti_str piece = { text.p + at, text.len - at < step ? text.len - at : step };
        assert_int_equal(mcti_lines_feed(&a.lines, &piece, arrival_on_line, &a), 0);
    }
    assert_int_equal(a.n, 1);
    assert_int_equal(a.n_checked, 1);
    assert_string_equal(a.err.message, err.message);
    assert_int_equal(a.err.code, err.code);
    mcti_lines_done(&a.lines);
    mcti_buf_done(&text);
}

static void long_messages_are_checked_as_they_come(void **state)
{
    static const char *const ends[] = { "\"}}\n", "\"}}\r\n", "\"}]\n", "\x01\"}}\n", "\n" };
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t step = 65533; step < 65540; step++)
            check_arrival(ends[i], step);
}

static void revisions_negotiate(void **state)
{
    (void)state;
    assert_int_equal(mcti_rev_negotiate(MCT_STR("2025-03-26")), MCT_REV_2025_03_26);
    assert_int_equal(mcti_rev_negotiate(MCT_STR("2099-01-01")), MCT_REV_2025_11_25);
    assert_int_equal(mcti_rev_negotiate(MCT_STR("2026-07-28")), MCT_REV_2025_11_25); /* never by initialize */
    assert_int_equal(mcti_rev_find(MCT_STR("x")), MCT_REV_NONE);
}

static void methods_know_their_era(void **state)
{
    (void)state;
    for (int v = 1; v < MCT_VERB_FOREIGN; v++)
        assert_int_equal(mcti_method_find(mcti_str_of(mcti_method((enum mcti_verb)v)->name)), v);
    assert_int_equal(mcti_method_find(MCT_STR("")), MCT_VERB_UNKNOWN); /* MCT_VERB_FOREIGN has no name of its own */
    assert_false(mcti_method_in(MCT_VERB_PING, MCT_REV_2026_07_28));
    assert_false(mcti_method_in(MCT_VERB_LISTEN, MCT_REV_2025_11_25));
    assert_true(mcti_method_in(MCT_VERB_TOOLS_CALL, MCT_REV_2026_07_28));
    assert_int_equal(mcti_kinds_changed(MCT_STR("notifications/resources/list_changed")),
                     1u << MCT_RESOURCE | 1u << MCT_TEMPLATE);
}

/* ---- guessing the kind of an unusable text ---- */

static const struct {
    const char *text, *id;
    bool asks, answers, is_rpc;
} guesses[] = {
    { "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":NaN}}", "7", false, true, true },
    { "{\"jsonrpc\":\"2.0\",\"result\":{\"id\":1,\"method\":2,\"t\":\"\\\"},{\"},\"id\" : 12 }", "12", false, true,
      true },
    { "{\"id\":\"a\\\"b\",\"error\":", "\"a\\\"b\"", false, true, false },
    { "{\"id\":7", "7", false, false, false },
    { "{\"id\":", "", false, false, false },
    { "{\"id", NULL, false, false, false },
    { "{\"x\":\"id\",\"y\":\"method\"}", NULL, false, false, false },
    { "{\"method\":\"\xff\",\"id\":1}", "1", true, false, false },
    { "[{\"id\":1}]", NULL, false, false, false },
    { "{\"id\":1,\"id\":2}", "1", false, false, false },
    { "{\"a\\", NULL, false, false, false },
    { "{\"a\":1}}}}\"id\":3", NULL, false, false, false },
    { "", NULL, false, false, false },
};

static void unusable_texts_are_guessed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
        size_t len = strlen(guesses[i].text);
        char *exact = malloc(len ? len : 1); /* so that a read beyond the end is detected */
        memcpy(exact, guesses[i].text, len);
        struct mcti_guess g = mcti_guess((struct mcti_str){ exact, len });
        if (!guesses[i].id)
            assert_null(g.id.p);
        else
            assert_span(g.id, guesses[i].id);
        assert_int_equal(g.asks, guesses[i].asks);
        assert_int_equal(g.answers, guesses[i].answers);
        assert_int_equal(g.is_rpc, guesses[i].is_rpc);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(params_are_found),
        cmocka_unit_test(params_are_there_once),
        cmocka_unit_test(malformed_messages_are_refused),
        cmocka_unit_test(id_is_known_when_it_can_be),
        cmocka_unit_test(ids_are_kept_as_written),
        cmocka_unit_test(meta_is_read_strictly),
        cmocka_unit_test(revisions_negotiate),
        cmocka_unit_test(long_messages_are_checked_as_they_come),
        cmocka_unit_test(methods_know_their_era),
        cmocka_unit_test(unusable_texts_are_guessed),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
