/* Who hears of calls, what the provider has to say in it, and the lines that are made of events. */
#include "unit.h"

#include "base/limits.h"
#include "hub/call/start.h"
#include "hub/call/event_line.h"
#include "hub/core/provider.h"

/* ---- a provider that does as it is told, a caller that counts, and listeners that note ---- */

static struct {
    struct mcti_provider base;
    int result; /* of call() */
    bool mutes; /* refuses the arguments as a provider may */
    const char *as_server;
    unsigned n_cancelled;
} server;

static unsigned n_done;

static int server_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    (void)p;
    if (server.mutes)
        call->events = NULL;
    call->event_server = server.as_server;
    return server.result < 0 ? mcti_fail(err, MCT_ERR_CONNECT, "not there") : 0;
}

static void server_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason)
{
    (void)p;
    (void)call;
    (void)reason;
    server.n_cancelled++;
}

static const struct mcti_provider_ops server_ops = { .type = "test", .call = server_call, .cancel = server_cancel };

struct notes {
    struct mcti_event_listener listener;
    struct mcti_buf text;
};

static size_t longest_tool;

static void note(struct mcti_event_listener *l, const char *phase, const struct mcti_event *e)
{
    struct mcti_buf *b = &MCT_CONTAINER(l, struct notes, listener)->text;
    longest_tool = e->tool.len > longest_tool ? e->tool.len : longest_tool;
    mcti_buf_printf(b, "%s %s %.*s %.*s %.*s", phase, e->id, MCT_STR_ARG(e->server), MCT_STR_ARG(e->tool),
                    MCT_STR_ARG(e->arguments.p ? e->arguments : MCT_STR("-")));
    if (e->result.p || e->error)
        mcti_buf_printf(b, " %s %s", mcti_outcome_word(e->outcome), e->error ? e->error->message : "");
    mcti_buf_addz(b, "; ");
}

static void note_begin(struct mcti_event_listener *l, const struct mcti_event *e)
{
    assert_true(!e->result.p && !e->error);
    note(l, "begin", e);
}

static void note_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    assert_true(!e->result.p != !e->error);
    note(l, "end", e);
}

static void on_done(struct mcti_call *call, const struct mcti_outcome *o)
{
    (void)call;
    (void)o;
    n_done++;
}

static struct mcti_events events;
static struct notes one, two;

static void fixed_clock(struct mcti_events *e, uint64_t *ret_wall_ms, uint64_t *ret_since_us)
{
    (void)e;
    *ret_wall_ms = 1785231000007;
    *ret_since_us = 5;
}

static int set_up(void **state)
{
    (void)state;
    memset(&server, 0, sizeof server);
    n_done = 0;
    assert_int_equal(mcti_provider_init(&server.base, &server_ops, "srv", NULL, NULL), 0);
    mcti_events_init(&events);
    assert_int_equal(strlen(events.process), 8);
    strcpy(events.process, "p");
    events.clock = fixed_clock;
    one = two = (struct notes){ .listener = { .begin = note_begin, .end = note_end } };
    mcti_buf_init(&one.text, 65536);
    mcti_buf_init(&two.text, 65536);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mcti_event_listener_remove(&one.listener);
    mcti_event_listener_remove(&two.listener);
    mcti_events_done(&events);
    mcti_buf_done(&one.text);
    mcti_buf_done(&two.text);
    mcti_provider_done(&server.base);
    return 0;
}

static struct mcti_call make_call(const char *params)
{
    return (struct mcti_call){ .verb = MCT_VERB_TOOLS_CALL,
                               .params = mcti_str_of(params),
                               .events = &events,
                               .principal = MCT_STR("me"),
                               .done = on_done };
}

static int start(struct mcti_call *call)
{
    struct mct_error err;
    return mcti_provider_call(&server.base, call, &err);
}

static void finish(struct mcti_call *call, const char *result)
{
    const struct mcti_outcome o = { .result = mcti_str_of(result), .rev = MCT_REV_LATEST };
    mcti_call_finish(call, &o);
}

#define ARGS "{\"name\":\"t\",\"arguments\":{\"a\":1}}"

static void ends_are_heard_by_who_heard_the_begin(void **state)
{
    struct mcti_call first = make_call(ARGS), second = make_call(ARGS), third = make_call(ARGS);
    (void)state;
    mcti_events_add(&events, &one.listener);
    start(&first);
    mcti_events_add(&events, &two.listener);
    start(&second);
    finish(&first, "{}");
    assert_buf(&one.text, "begin p-1 srv t {\"a\":1}; begin p-2 srv t {\"a\":1}; end p-1 srv t - ok ; ");
    mcti_event_listener_remove(&one.listener);
    mcti_event_listener_remove(&one.listener);
    finish(&second, "{\"isError\":true}");
    assert_buf(&two.text, "begin p-2 srv t {\"a\":1}; end p-2 srv t - tool_error ; ");
    mcti_event_listener_remove(&two.listener);
    start(&third);
    assert_null(third.stage);
    finish(&third, "{}");
    assert_int_equal(n_done, 3);
    assert_true(first.done == on_done && second.done == on_done);
    assert_null(first.stage);
    assert_false(mcti_str_glob(MCT_STR("*end p-2*"), mcti_buf_str(&one.text)));
}

static void arguments_are_kept_for_who_wants_them(void **state)
{
    char params[] = ARGS;
    struct mcti_call call = make_call(params);
    (void)state;
    one.listener.keeps_arguments = true;
    mcti_events_add(&events, &one.listener);
    start(&call);
    memset(params, 'x', sizeof params - 1); /* borrowed until here */
    finish(&call, "{}");
    assert_buf(&one.text, "begin p-1 srv t {\"a\":1}; end p-1 srv t {\"a\":1} ok ; ");
}

static void what_cannot_be_started_ends_at_once(void **state)
{
    struct mcti_call call = make_call(ARGS);
    (void)state;
    mcti_events_add(&events, &one.listener);
    server.result = -1;
    assert_int_equal(start(&call), -1);
    assert_buf(&one.text, "begin p-1 srv t {\"a\":1}; end p-1 srv t - connect server 'srv': not there; ");
    assert_null(call.stage);
    mcti_call_cancel(&call, "no");
    assert_int_equal(server.n_cancelled + n_done, 0);
}

static void a_call_given_up_ends_once(void **state)
{
    struct mcti_call call = make_call(ARGS), silent = make_call(ARGS);
    (void)state;
    mcti_events_add(&events, &one.listener);
    start(&call);
    mcti_call_cancel(&call, "enough");
    mcti_call_cancel(&call, "again");
    start(&silent);
    mcti_call_cancel(&silent, NULL);
    assert_buf(&one.text, "begin p-1 srv t {\"a\":1}; end p-1 srv t - cancelled enough; "
                          "begin p-2 srv t {\"a\":1}; end p-2 srv t - cancelled the caller abandoned the call; ");
    assert_int_equal(server.n_cancelled, 2);
    assert_int_equal(n_done, 0);
}

static void a_provider_may_refuse_arguments_and_name_another(void **state)
{
    struct mcti_call muted = make_call(ARGS), cancelled = make_call(ARGS), refused = make_call(ARGS),
                     named = make_call(ARGS);
    (void)state;
    mcti_events_add(&events, &one.listener);
    server.mutes = true;
    start(&muted);
    finish(&muted, "{}");
    start(&cancelled);
    mcti_call_cancel(&cancelled, "enough");
    server.result = -1;
    start(&refused);
    assert_int_equal(one.text.len, 0);
    assert_int_equal(n_done, 1);
    server.mutes = false;
    server.result = 0;
    server.as_server = "figma";
    start(&named);
    finish(&named, "{}");
    assert_buf(&one.text, "begin p-4 figma t {\"a\":1}; end p-4 figma t - ok ; ");
}

/* Lists and completions are no calls; nor is anything that has nobody to tell. */
static void other_requests_are_not_told(void **state)
{
    struct mcti_call complete = make_call(ARGS), unheard = make_call(ARGS);
    (void)state;
    mcti_events_add(&events, &one.listener);
    complete.verb = MCT_VERB_COMPLETE;
    unheard.events = NULL;
    start(&complete);
    start(&unheard);
    assert_true(!complete.stage && !unheard.stage);
    assert_int_equal(one.text.len, 0);
}

static void names_are_told_as_text_and_cut(void **state)
{
    static char uri[4 * MCT_LIMIT_URI_BYTES];
    struct mcti_call call = make_call("{\"name\":\"a\\u0062\\n\"}"), renamed = make_call("{\"name\":\"srv__t\"}"),
                     odd = make_call("{\"name\":\"\\ud800\"}"), long_one;
    (void)state;
    mcti_events_add(&events, &one.listener);
    start(&call);
    renamed.subject = (struct mcti_json_set){ "name", MCT_STR("\"t\"") };
    start(&renamed);
    start(&odd);
    assert_buf(&one.text, "begin p-1 srv ab\n -; begin p-2 srv t -; begin p-3 srv \"\\ud800\" -; ");
    memset(uri, 'u', sizeof uri);
    memcpy(uri, "{\"uri\":\"", 8);
    memcpy(uri + sizeof uri - 3, "\"}", 3);
    long_one = make_call(uri);
    long_one.verb = MCT_VERB_RESOURCES_READ;
    start(&long_one);
    assert_int_equal(longest_tool, MCT_LIMIT_URI_BYTES);
    mcti_call_cancel(&call, NULL);
    mcti_call_cancel(&renamed, NULL);
    mcti_call_cancel(&odd, NULL);
    mcti_call_cancel(&long_one, NULL);
}

/* ---- lines ---- */

static struct mcti_event an_event(void)
{
    return (struct mcti_event){ .id = "p-7",
                                .verb = MCT_VERB_TOOLS_CALL,
                                .method = "tools/call",
                                .server = MCT_STR("s\"1"),
                                .tool = MCT_STR("t\n"),
                                .arguments = MCT_STR("{\"a\":\n 1.0,\r\"b\":\"x\\ny\"}"),
                                .arguments_bytes = 24,
                                .principal = MCT_STR("token-1"),
                                .client = MCT_STR("c"),
                                .wall_ms = 1785231000007 };
}

static void a_line_for_each(void **state)
{
    struct mcti_event e = an_event();
    struct mct_error err;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 65536);
    mcti_event_put_begin(&b, &e, 65536);
    assert_buf(&b, "{\"event\":\"begin\",\"id\":\"p-7\",\"ts\":\"2026-07-28T09:30:00.007Z\",\"method\":\"tools/call\","
                   "\"server\":\"s\\\"1\",\"tool\":\"t\\n\",\"arguments\":{\"a\":  1.0, \"b\":\"x\\ny\"},"
                   "\"principal\":\"token-1\",\"client\":\"c\"}");
    mcti_buf_clear(&b);
    e.arguments = e.principal = e.client = MCT_STR_NONE;
    mcti_event_put_begin(&b, &e, 65536);
    assert_buf(&b, "{\"event\":\"begin\",\"id\":\"p-7\",\"ts\":\"2026-07-28T09:30:00.007Z\",\"method\":\"tools/call\","
                   "\"server\":\"s\\\"1\",\"tool\":\"t\\n\"}");
    mcti_buf_clear(&b);
    e.result = MCT_STR("{\"content\":[\n]}");
    e.duration_us = 61000042;
    mcti_event_put_end(&b, &e, 65536);
    assert_buf(&b, "{\"event\":\"end\",\"id\":\"p-7\",\"ts\":\"2026-07-28T09:30:00.007Z\",\"method\":\"tools/call\","
                   "\"server\":\"s\\\"1\",\"tool\":\"t\\n\",\"duration\":61.000042,\"result\":{\"content\":[ ]}}");
    mcti_buf_clear(&b);
    mcti_fail(&err, MCT_ERR_TIMEOUT, "no \"answer\"");
    e.result = MCT_STR_NONE;
    e.error = &err;
    e.duration_us = 12300;
    mcti_event_put_end(&b, &e, 65536);
    assert_true(mcti_str_glob(MCT_STR("*,\"duration\":0.012300,"
                                      "\"error\":{\"kind\":\"timeout\",\"message\":\"no \\\"answer\\\"\"}}"),
                              mcti_buf_str(&b)));
    mcti_buf_clear(&b);
    err.code = -32001;
    mcti_event_put_end(&b, &e, 65536);
    assert_true(
        mcti_str_glob(MCT_STR("*\"error\":{\"kind\":\"timeout\",\"code\":-32001,\"message\":*"), mcti_buf_str(&b)));
    mcti_buf_done(&b);
}

/* Up to the byte: the longest value that fits, and the one after it. */
static void lines_have_an_end(void **state)
{
    static char value[3000];
    struct mcti_event e = an_event();
    struct mcti_buf b;
    bool was_whole = true;
    size_t longest = 0;
    (void)state;
    mcti_buf_init(&b, 65536);
    for (size_t n = 2; n < 2000; n++) {
        memset(value, ' ', sizeof value);
        value[0] = '{';
        value[n - 1] = '}';
        e.arguments = e.result = (struct mcti_str){ value, n };
        for (int end = 0; end < 2; end++) {
            char omitted[64];
            mcti_buf_clear(&b);
            end ? mcti_event_put_end(&b, &e, 1000) : mcti_event_put_begin(&b, &e, 1000);
            size_t len = (size_t)snprintf(omitted, sizeof omitted, "{\"omitted\":true,\"bytes\":%zu}", n);
            bool whole = !memmem(b.p, b.len, omitted, len);
            assert_true(b.len <= 1000);
            longest = b.len > longest ? b.len : longest;
            assert_true(end || was_whole || !whole);
            was_whole = end ? was_whole : whole;
        }
    }
    assert_false(was_whole);
    assert_true(longest > 990);
    mcti_buf_done(&b);
}

static void the_audit_has_no_contents(void **state)
{
    struct mcti_event e = an_event();
    struct mct_error err;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 65536);
    e.result = MCT_STR("{\"content\":[],\"isError\":true}");
    e.outcome = MCT_ERR_TOOL;
    e.duration_us = 12345;
    mcti_event_put_audit(&b, &e);
    assert_buf(&b, "{\"ts\":\"2026-07-28T09:30:00.007Z\",\"id\":\"p-7\",\"principal\":\"token-1\",\"client\":\"c\","
                   "\"method\":\"tools/call\",\"server\":\"s\\\"1\",\"tool\":\"t\\n\",\"outcome\":\"tool_error\","
                   "\"duration_ms\":12.345,\"arguments_bytes\":24,\"result_bytes\":29}");
    mcti_buf_clear(&b);
    mcti_fail(&err, MCT_ERR_SERVER, "secret text");
    err.code = -32007;
    e.error = &err;
    e.outcome = err.kind;
    e.result = e.client = MCT_STR_NONE;
    mcti_event_put_audit(&b, &e);
    assert_buf(&b, "{\"ts\":\"2026-07-28T09:30:00.007Z\",\"id\":\"p-7\",\"principal\":\"token-1\","
                   "\"method\":\"tools/"
                   "call\",\"server\":\"s\\\"1\",\"tool\":\"t\\n\",\"outcome\":\"server_error\",\"code\":-32007,"
                   "\"duration_ms\":12.345,\"arguments_bytes\":24,\"result_bytes\":0}");
    mcti_buf_done(&b);
}

static void audited_uris_keep_no_secrets(void **state)
{
    static const struct {
        const char *uri, *told;
    } rows[] = {
        { "file:///etc/x", "\"file:///etc/x\"" },
        { "https://h/p?token=secret", "\"https://h/p\"" },
        { "https://h/p#secret", "\"https://h/p\"" },
        { "https://user:secret@h/p@q", "\"https://h/p@q\"" },
        { "https://a@secret@h", "\"https://h\"" },
        { "https://h/p?u=https://a:b@c/", "\"https://h/p\"" },
        { "data:text/plain,secret", "\"data:\"" },
        { "DATA:text/plain,secret", "\"DATA:\"" },
        { "x:user:secret@h/p", "\"x:h/p\"" },
        { "x:user:secret@h/y://z@w", "\"x:h/y://z@w\"" },
        { "jdbc:db://user:secret@h/", "\"jdbc:db://h/\"" },
        { "jdbc:db:user:secret@h", "\"jdbc:h\"" },
        { "//user:secret@h/p", "\"//h/p\"" },
        { "x:/p@q", "\"x:/p@q\"" },
        { "x:", "\"x:\"" },
        { "mailto:a@b", "\"mailto:a@b\"" },
        { "", "\"\"" },
    };
    struct mcti_event e = an_event();
    struct mcti_buf b;
    (void)state;
    e.verb = MCT_VERB_RESOURCES_READ;
    e.result = MCT_STR("{}");
    mcti_buf_init(&b, 65536);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mcti_buf_clear(&b);
        e.tool = mcti_str_of(rows[i].uri);
        mcti_event_put_audit(&b, &e);
        assert_span(mcti_json_get(mcti_buf_str(&b), "tool"), rows[i].told);
    }
    static char long_uri[100000];
    memset(long_uri, 'u', sizeof long_uri);
    mcti_buf_clear(&b);
    e.tool = (struct mcti_str){ long_uri, sizeof long_uri };
    mcti_event_put_audit(&b, &e);
    assert_true(mcti_buf_ok(&b) && b.len < 1400);
    memcpy(long_uri, "https://", 8);
    memcpy(long_uri + sizeof long_uri - 4, "@h/p", 4); /* credentials longer than what is told of a URI */
    mcti_buf_clear(&b);
    mcti_event_put_audit(&b, &e);
    assert_span(mcti_json_get(mcti_buf_str(&b), "tool"), "\"https://h/p\"");
    mcti_buf_done(&b);
}

static void processes_are_told_apart(void **state)
{
    struct mcti_events other;
    (void)state;
    mcti_events_init(&events);
    mcti_events_init(&other);
    assert_string_not_equal(events.process, other.process); /* once in 2^32 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ends_are_heard_by_who_heard_the_begin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arguments_are_kept_for_who_wants_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_started_ends_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_call_given_up_ends_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_provider_may_refuse_arguments_and_name_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_requests_are_not_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_told_as_text_and_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(processes_are_told_apart, set_up, tear_down),
        cmocka_unit_test(a_line_for_each),
        cmocka_unit_test(lines_have_an_end),
        cmocka_unit_test(the_audit_has_no_contents),
        cmocka_unit_test(audited_uris_keep_no_secrets),
    };
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
