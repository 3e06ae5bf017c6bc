/* Server-sent events by the rules of the WHATWG, split at every position. */
#include "unit.h"

#include "io/http/sse.h"

#include "base/limits.h"
#include "mcp/message.h"

struct heard {
    struct mcti_buf text; /* "type=data|" of each event */
    unsigned n;
    bool stop;
};

static bool on_event(void *data, struct mcti_str type, struct mcti_str text)
{
    struct heard *h = data;
    h->n++;
    mcti_buf_add(&h->text, type);
    mcti_buf_addc(&h->text, '=');
    mcti_buf_add(&h->text, text);
    mcti_buf_addc(&h->text, '|');
    return !h->stop;
}

static const struct {
    const char *stream, *events, *last_id;
    int retry; /* -1: none */
} rows[] = {
    { "data: a\n\n", "message=a|", "", -1 },
    { "data: a\r\n\r\n", "message=a|", "", -1 },
    { "data: a\r\r", "message=a|", "", -1 },
    { "data: a\r\n\rdata: b\n\r\n", "message=a|message=b|", "", -1 },
    { "\xef\xbb\xbf"
      "data: a\n\n",
      "message=a|", "", -1 },
    { "data: \xef\xbb\xbf"
      "a\n\n",
      "message=\xef\xbb\xbf"
      "a|",
      "", -1 },
    { ": comment\ndata: a\n: another\n\n", "message=a|", "", -1 },
    { "data: a\ndata: b\ndata\ndata:\n\n", "message=a\nb\n\n|", "", -1 },
    { "data:a\n\n", "message=a|", "", -1 },
    { "data:  a\n\n", "message= a|", "", -1 },
    { "event: endpoint\ndata: /x\n\n", "endpoint=/x|", "", -1 },
    { "event: x\n\ndata: a\n\n", "message=a|", "", -1 }, /* the type goes with the event, dispatched or not */
    { "event:\ndata: a\n\n", "message=a|", "", -1 },
    { "id: 1\nretry: 500\ndata:\n\n", "message=|", "1", 500 },
    { "id: 1\n\n", "", "1", -1 },
    { "id: 1\ndata: a\n\nid\ndata: b\n\n", "message=a|message=b|", "", -1 },
    { "id: 1\ndata: a\n\ndata: b\n\n", "message=a|message=b|", "1", -1 },
    { "id: 2\ndata: a", "", "", -1 }, /* cut off by the end */
    { "id: 2\ndata: a\n", "", "", -1 },
    { "retry: 12x\nretry: -5\nretry:\n\n", "", "", -1 },
    { "retry: 99999999999999999999\n\n", "", "", 3600000 },
    { "Data: a\ndatas: b\nfoo\n\n", "", "", -1 },
    { "\n\n\ndata: a\n\n\n\n", "message=a|", "", -1 },
    { "data: {\"a\":\"\xc3\xa9\"}\n\n", "message={\"a\":\"\xc3\xa9\"}|", "", -1 },
};

static void check_cut(size_t row, size_t cut)
{
    struct mcti_sse s;
    struct heard h = { .n = 0 };
    struct mcti_str all = mcti_str_of(rows[row].stream);
    mcti_sse_init(&s, 1000);
    mcti_buf_init(&h.text, 1000);
    assert_int_equal(mcti_sse_feed(&s, &(struct mcti_str){ all.p, cut }, on_event, &h), 0);
    assert_int_equal(mcti_sse_feed(&s, &(struct mcti_str){ all.p + cut, all.len - cut }, on_event, &h), 0);
    if (!mcti_str_is(mcti_buf_str(&h.text), rows[row].events))
        fail_msg("row %zu cut at %zu: %.*s", row, cut, MCT_STR_ARG(mcti_buf_str(&h.text)));
    assert_buf(&s.last_id, rows[row].last_id);
    assert_int_equal(s.has_retry ? (int)s.retry_ms : -1, rows[row].retry);
    mcti_buf_done(&h.text);
    mcti_sse_done(&s);
}

static void the_table_at_every_cut(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (size_t cut = 0; cut <= strlen(rows[row].stream); cut++)
            check_cut(row, cut);
}

static void an_id_with_nul_is_ignored(void **state)
{
    struct mcti_sse s;
    struct heard h = { .n = 0 };
    static const char stream[] = "id: 1\n\nid: a\0b\ndata: x\n\n";
    (void)state;
    mcti_sse_init(&s, 1000);
    mcti_buf_init(&h.text, 1000);
    mcti_sse_feed(&s, &(struct mcti_str){ stream, sizeof stream - 1 }, on_event, &h);
    assert_buf(&s.last_id, "1");
    mcti_buf_done(&h.text);
    mcti_sse_done(&s);
}

/* Events over the limit are dropped, later ones are not, and memory use stays small. */
static void too_large_events_are_dropped(void **state)
{
    struct mcti_sse s;
    struct heard h = { .n = 0 };
    char chunk[100];
    int dropped = 0;
    (void)state;
    memset(chunk, 'x', sizeof chunk);
    mcti_sse_init(&s, 256);
    mcti_buf_init(&h.text, 1000);
    mcti_sse_feed(&s, &MCT_STR("id: 7\ndata: "), on_event, &h);
    for (int i = 0; i < 1000; i++) {
        dropped += mcti_sse_feed(&s, &(struct mcti_str){ chunk, sizeof chunk }, on_event, &h) < 0;
        assert_true(s.line.cap + s.data.cap < 2048);
    }
    assert_int_equal(dropped, 1); /* reported at once, and only once */
    assert_int_equal(mcti_sse_feed(&s, &MCT_STR("\n\ndata: b\n\n"), on_event, &h), 0);
    assert_buf(&h.text, "message=b|");
    for (int i = 0; i < 10; i++) /* the same in many lines */
        dropped += mcti_sse_feed(&s, &MCT_STR("data: 0123456789012345678901234567890123456789\n"), on_event, &h) < 0;
    assert_int_equal(dropped, 2);
    assert_int_equal(mcti_sse_feed(&s, &MCT_STR("\ndata: c\n\n"), on_event, &h), 0);
    assert_buf(&h.text, "message=b|message=c|");
    mcti_buf_done(&h.text);
    mcti_sse_done(&s);
}

static void reading_stops_when_asked(void **state)
{
    struct mcti_sse s;
    struct heard h = { .stop = true };
    (void)state;
    mcti_sse_init(&s, 256);
    mcti_buf_init(&h.text, 1000);
    struct mcti_str bytes = MCT_STR("data: a\r\n\r\ndata: b\n\n");
    mcti_sse_feed(&s, &bytes, on_event, &h);
    assert_int_equal(h.n, 1);
    mcti_sse_feed(&s, &bytes, on_event, &h);
    assert_buf(&h.text, "message=a|message=b|");
    assert_int_equal(bytes.len, 0);
    mcti_buf_done(&h.text);
    mcti_sse_done(&s);
}

static void a_new_stream_keeps_the_id(void **state)
{
    struct mcti_sse s;
    struct heard h = { .n = 0 };
    (void)state;
    mcti_sse_init(&s, 256);
    mcti_buf_init(&h.text, 1000);
    mcti_sse_feed(&s, &MCT_STR("id: 1\nretry: 5\ndata: a\n\nid: 2\ndata: cut"), on_event, &h);
    mcti_sse_restart(&s);
    assert_buf(&s.last_id, "1");
    mcti_sse_feed(&s,
                  &MCT_STR("\xef\xbb\xbf"
                           "data: b\n\n"),
                  on_event, &h);
    assert_buf(&h.text, "message=a|message=b|");
    assert_buf(&s.last_id, "1");
    assert_true(s.has_retry);
    mcti_buf_done(&h.text);
    mcti_sse_done(&s);
}

struct long_event {
    const struct mcti_sse *s;
    bool is_checked, is_message;
};

static bool on_long_event(void *data, struct mcti_str type, struct mcti_str text)
{
    struct long_event *e = data;
    struct mcti_chunk *chunk = e->s->chunk;
    struct mcti_msg msg;
    (void)type;
    assert_non_null(chunk);
    assert_ptr_equal(text.p, chunk->p + chunk->text_at);
    e->is_checked = chunk->check && chunk->check->at > text.len / 2;
    e->is_message = mcti_msg_parse_chunk(text, chunk, &msg, NULL) == 0 && msg.kind == MCT_MSG_RESULT;
    return true;
}

/* Most of a long message is checked before its end has arrived. */
static void long_data_is_checked_while_it_arrives(void **state)
{
    static const char *const begin[] = { "data:", "data: ", "id: 1\ndata: " };
    (void)state;
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
        struct mcti_sse s;
        struct long_event e = { .s = &s };
        struct mcti_str piece = { calloc(1, MCT_TURN_BYTES), MCT_TURN_BYTES };
        memset((char *)(uintptr_t)piece.p, 'x', piece.len);
        mcti_sse_init(&s, 1 << 20);
        mcti_sse_feed(&s, &(struct mcti_str){ begin[i], strlen(begin[i]) }, on_long_event, &e);
        mcti_sse_feed(&s, &MCT_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\""), on_long_event, &e);
        for (int n = 0; n < 8; n++)
            mcti_sse_feed(&s, &(struct mcti_str){ piece.p, piece.len }, on_long_event, &e);
        mcti_sse_feed(&s, &MCT_STR("\"}}\n\n"), on_long_event, &e);
        assert_true(e.is_checked);
        assert_true(e.is_message);
        assert_null(s.check);
        mcti_sse_done(&s);
        free((char *)(uintptr_t)piece.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_at_every_cut),       cmocka_unit_test(an_id_with_nul_is_ignored),
        cmocka_unit_test(too_large_events_are_dropped), cmocka_unit_test(reading_stops_when_asked),
        cmocka_unit_test(a_new_stream_keeps_the_id),    cmocka_unit_test(long_data_is_checked_while_it_arrives),
    };
    return cmocka_run_group_tests_name("sse", tests, NULL, NULL);
}
