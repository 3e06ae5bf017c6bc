/* Requests of both HTTP transports with credentials, from a table of the test. */
#include "unit.h"

#include "io/http/server.h"
#include "mcp/http/transport_sse.h"

#define CALL "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"t\"}}"
#define INITIALIZE                                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","          \
    "\"capabilities\":{}}}"
#define RESULT "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
#define INITIALIZE_RESULT                                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"logging\":{}}}}"
#define INITIALIZED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"

enum refusing { WAITS, FINAL, ORDINARY };

static struct {
    struct mcti_loop loop;
    struct mcti_http_client *client;
    struct mcti_http_server *server;
    struct mcti_http_exchange *stream;
    struct mcti_transport *t;
    /* the credentials */
    struct mcti_credentials credentials;
    const char *token;
    bool is_ready;
    enum refusing refusing;
    struct mcti_list waits;
    uint64_t stamp, refused_stamp;
    unsigned n_answered, n_refused;
    char put[256], operation[128];
    /* what came */
    int refusal; /* status for other tokens than "good" */
    bool drips;  /* and its body never ends */
    unsigned n_posts;
    char frame[256], lost[512];
    int lost_status;
    bool closed;
} ts;

/* ---- the table ---- */

static bool fake_ready(struct mcti_credentials *c, struct mcti_credential_wait *w)
{
    (void)c;
    if (!ts.is_ready)
        mcti_list_append(&ts.waits, &w->node);
    return ts.is_ready;
}

static uint64_t fake_put(struct mcti_credentials *c, const struct mcti_credential_request *r, struct mcti_headers *to)
{
    size_t n = strlen(ts.put);
    (void)c;
    snprintf(ts.put + n, sizeof ts.put - n, "%s%s ", r->method, r->body ? "+" : "");
    assert_true(strstr(r->url, "http://127.0.0.1:") == r->url);
    assert_true(to->text.secret); /* wiped when the request has been handed on */
    mcti_headers_add(to, "Authorization", mcti_str_of(ts.token));
    return ++ts.stamp;
}

static void fake_answered(struct mcti_credentials *c, const struct mcti_fetch *fetch, const char *url)
{
    (void)c, (void)url;
    assert_true(mcti_fetch_status(fetch) > 0);
    ts.n_answered++;
}

static bool fake_refused(struct mcti_credentials *c, const struct mcti_credential_refusal *r,
                         struct mcti_credential_wait *w, struct mct_error *err)
{
    (void)c;
    assert_int_equal(mcti_fetch_status(r->fetch), ts.refusal);
    assert_int_equal(*r->n_tries, ts.n_refused++);
    ++*r->n_tries;
    ts.refused_stamp = r->stamp;
    snprintf(ts.operation, sizeof ts.operation, "%.*s", MCT_STR_ARG(r->operation));
    if (ts.refusing == WAITS)
        mcti_list_append(&ts.waits, &w->node);
    if (ts.refusing == FINAL)
        mcti_fail(err, MCT_ERR_AUTH, "log in first");
    return ts.refusing == WAITS;
}

static const struct mcti_credentials_ops fake_ops = { fake_ready, fake_put, fake_answered, fake_refused };

/* Ends all waits. */
static void let_go(const struct mct_error *err)
{
    struct mcti_list all;
    mcti_list_take(&all, &ts.waits);
    while (!mcti_list_empty(&all)) {
        struct mcti_credential_wait *w = MCT_CONTAINER(all.next, struct mcti_credential_wait, node);
        mcti_list_remove(&w->node);
        w->done(w, err);
    }
}

/* ---- the server ---- */

static void answer_post(struct mcti_http_exchange *x)
{
    char body[512];
    snprintf(body, sizeof body, "%.*s", MCT_STR_ARG(mcti_http_body(x)));
    bool is_request = strstr(body, "\"id\":1"), is_first = strstr(body, "initialize\"");
    ts.n_posts++;
    if (!is_request) {
        mcti_http_reply(x, 202, NULL, MCT_STR(""), MCT_STR_NONE);
    } else if (!ts.stream) { /* Streamable HTTP */
        mcti_http_reply(x, 200, "application/json", MCT_STR("Mcp-Session-Id: s\r\n"),
                        is_first ? MCT_STR(INITIALIZE_RESULT) : MCT_STR(RESULT));
    } else {
        mcti_http_stream_write(ts.stream, MCT_STR("event: message\ndata: " RESULT "\n\n"));
        mcti_http_reply(x, 202, NULL, MCT_STR(""), MCT_STR_NONE);
    }
}

static void test_on_request(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    if (!mcti_str_is(mcti_http_get(x, "authorization"), "good") && ts.drips) {
        mcti_http_stream_open(x, ts.refusal, "text/plain", MCT_STR("WWW-Authenticate: Bearer\r\n"));
        mcti_http_stream_write(x, MCT_STR("not"));
    } else if (!mcti_str_is(mcti_http_get(x, "authorization"), "good")) {
        mcti_http_reply(x, ts.refusal, "text/plain", MCT_STR("WWW-Authenticate: Bearer\r\n"), MCT_STR("no"));
    } else if (mcti_str_is(mcti_http_method(x), "GET")) {
        ts.stream = x;
        mcti_http_stream_open(x, 200, "text/event-stream", MCT_STR(""));
        mcti_http_stream_write(x, MCT_STR("event: endpoint\ndata: /mcp\n\n"));
    } else if (mcti_str_is(mcti_http_method(x), "DELETE")) {
        mcti_http_reply(x, 200, NULL, MCT_STR(""), MCT_STR_NONE);
    } else {
        answer_post(x);
    }
}

static void test_on_abort(void *data, struct mcti_http_exchange *x)
{
    (void)data;
    if (ts.stream == x)
        ts.stream = NULL;
}

/* ---- the transport ---- */

static void test_on_frame(void *data, struct mcti_str frame, void *lane)
{
    (void)data, (void)lane;
    snprintf(ts.frame, sizeof ts.frame, "%.*s", MCT_STR_ARG(frame));
    ts.t->ops->request_over(ts.t, 1, true);
}

static void test_on_lost(void *data, struct mcti_str id, const struct mct_error *why)
{
    (void)data;
    assert_true(mcti_str_is(id, "1"));
    assert_int_equal(why->kind, MCT_ERR_AUTH);
    snprintf(ts.lost, sizeof ts.lost, "%s", why->message);
    ts.lost_status = why->http_status;
}

static void test_on_closed(void *data, const struct mct_error *why)
{
    (void)data;
    ts.closed = true;
    if (why)
        snprintf(ts.lost, sizeof ts.lost, "%s", why->message);
    ts.lost_status = why ? why->http_status : 0;
}

typedef struct mcti_transport *make_fn(const struct mcti_url_opts *opts);
static make_fn *const kinds[] = { mcti_transport_http_new, mcti_transport_sse_new };

enum { N_KINDS = 2, SSE = 1 };

static void begin(unsigned kind, const char *token)
{
    static const struct mcti_http_handler handler = { .on_request = test_on_request, .on_abort = test_on_abort };
    const struct mcti_http_opts http = { .body_bytes = 1 << 16, .answer_bytes = 1 << 20 };
    char url[64];
    memset(&ts, 0, sizeof ts);
    ts.credentials.ops = &fake_ops;
    ts.is_ready = true;
    ts.token = token;
    ts.refusal = 401;
    mcti_list_init(&ts.waits);
    assert_int_equal(mcti_loop_init(&ts.loop, NULL, NULL), 0);
    ts.client = mcti_http_client_new(&ts.loop, NULL);
    ts.server = mcti_http_server_new(&ts.loop, "127.0.0.1:0", &http, &handler, NULL);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/mcp", mcti_http_server_port(ts.server));
    const struct mcti_url_opts opts = {
        .loop = &ts.loop, .client = ts.client, .url = url, .message_bytes = 1 << 16, .credentials = &ts.credentials
    };
    ts.t = kinds[kind](&opts);
    ts.t->events = (struct mcti_transport_events){ .on_frame = test_on_frame,
                                                   .on_lost = test_on_lost,
                                                   .on_closed = test_on_closed };
    assert_int_equal(ts.t->ops->open(ts.t, NULL), 0);
}

static void end(void)
{
    mcti_transport_free(ts.t);
    assert_true(mcti_list_empty(&ts.waits)); /* nobody waits any more */
    mcti_http_client_free(ts.client);
    mcti_http_server_free(ts.server);
    mcti_loop_done(&ts.loop);
}

static void send_frame(const char *frame)
{
    assert_int_equal(ts.t->ops->send(ts.t, mcti_str_of(frame), NULL), 0);
}

static void set_flag(void *flag)
{
    *(bool *)flag = true;
}

/* Runs the loop until the condition holds, at most a minute: Valgrind is slow on a busy machine. */
#define RUN_UNTIL(condition)                                                                                           \
    do {                                                                                                               \
        bool late = false;                                                                                             \
        struct mcti_timer limit;                                                                                       \
        mcti_timer_init(&limit, set_flag, &late);                                                                      \
        mcti_timer_set(&ts.loop.sched, &limit, 60000);                                                                 \
        while (!(condition) && !late)                                                                                  \
            uv_run(&ts.loop.uv, UV_RUN_ONCE);                                                                          \
        mcti_timer_stop(&ts.loop.sched, &limit);                                                                       \
        assert_true(condition);                                                                                        \
    } while (0)

/* Runs the loop for a while, in which a request would arrive. */
static void run_a_while(void)
{
    bool late = false;
    struct mcti_timer limit;
    mcti_timer_init(&limit, set_flag, &late);
    mcti_timer_set(&ts.loop.sched, &limit, 60);
    while (!late)
        uv_run(&ts.loop.uv, UV_RUN_ONCE);
}

/* ---- tests ---- */

static void a_refused_request_is_sent_again(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        begin(kind, "good");
        if (kind == SSE)
            RUN_UNTIL(ts.stream);
        ts.token = "old";
        send_frame(CALL);
        RUN_UNTIL(!mcti_list_empty(&ts.waits));
        assert_int_equal(ts.n_posts, 0);
        assert_string_equal(ts.operation, "tools/call t");
        assert_int_equal(ts.refused_stamp, ts.stamp);
        ts.token = "good";
        let_go(NULL);
        RUN_UNTIL(*ts.frame);
        assert_string_equal(ts.frame, RESULT);
        assert_int_equal(ts.n_posts, 1);
        assert_string_equal(ts.put, kind == SSE ? "GET POST+ POST+ " : "POST+ POST+ ");
        end();
    }
}

/* The stream of HTTP+SSE is a request like others. */
static void a_refused_stream_is_opened_again(void **state)
{
    (void)state;
    begin(SSE, "old");
    RUN_UNTIL(!mcti_list_empty(&ts.waits));
    assert_string_equal(ts.operation, "GET");
    assert_false(ts.closed);
    ts.token = "good";
    let_go(NULL);
    send_frame(CALL);
    RUN_UNTIL(*ts.frame);
    end();
}

static void a_request_waits_until_there_are_credentials(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        begin(kind, "good");
        if (kind == SSE)
            RUN_UNTIL(ts.stream);
        ts.is_ready = false;
        send_frame(CALL);
        run_a_while();
        assert_int_equal(ts.n_posts, 0);
        assert_false(mcti_list_empty(&ts.waits));
        let_go(NULL); /* ready() is not asked again */
        RUN_UNTIL(*ts.frame);
        assert_int_equal(ts.n_posts, 1);
        end();
    }
}

static void a_final_refusal_tells_its_reason(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        for (int status = 401; status <= 403; status += 2) {
            begin(kind, "good");
            if (kind == SSE)
                RUN_UNTIL(ts.stream);
            ts.token = "old";
            ts.refusal = status;
            ts.refusing = FINAL;
            send_frame(CALL);
            RUN_UNTIL(*ts.lost);
            assert_string_equal(ts.lost, "log in first");
            assert_int_equal(ts.lost_status, status);
            end();
        }
    }
}

static void an_ordinary_refusal_keeps_its_text(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        begin(kind, "old");
        ts.refusing = ORDINARY;
        if (kind != SSE)
            send_frame(CALL);
        RUN_UNTIL(*ts.lost);
        assert_true(strstr(ts.lost, "HTTP 401: the server requires credentials") == ts.lost);
        assert_int_equal(ts.lost_status, 401);
        end();
    }
}

static void a_refusal_without_an_end_is_one(void **state)
{
    (void)state;
    begin(0, "old");
    ts.drips = true;
    send_frame(CALL);
    RUN_UNTIL(!mcti_list_empty(&ts.waits));
    ts.token = "good";
    let_go(NULL);
    RUN_UNTIL(*ts.frame);
    ts.token = "old";
    ts.refusing = ORDINARY;
    ts.n_refused = 0;
    send_frame(CALL);
    RUN_UNTIL(*ts.lost);
    assert_true(strstr(ts.lost, "(not)"));
    end();
}

/* What refuses after the wait fails the request, and only that. */
static void a_failed_wait_fails_the_request(void **state)
{
    struct mct_error err = { .http_status = 401 };
    (void)state;
    mcti_fail(&err, MCT_ERR_AUTH, "nobody logged in");
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        begin(kind, "good");
        if (kind == SSE)
            RUN_UNTIL(ts.stream);
        ts.token = "old";
        send_frame(CALL);
        RUN_UNTIL(!mcti_list_empty(&ts.waits));
        let_go(&err);
        assert_string_equal(ts.lost, "nobody logged in");
        assert_false(ts.closed);
        ts.token = "good";
        send_frame(CALL);
        ts.n_refused = 0;
        RUN_UNTIL(*ts.frame);
        end();
    }
}

static void a_cancelled_wait_is_over(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        for (int before = 0; before < 2; before++) { /* the first attempt, or after it */
            begin(kind, "good");
            if (kind == SSE)
                RUN_UNTIL(ts.stream);
            ts.token = "old";
            ts.is_ready = !before;
            send_frame(CALL);
            RUN_UNTIL(!mcti_list_empty(&ts.waits));
            ts.t->ops->request_over(ts.t, 1, false);
            assert_true(mcti_list_empty(&ts.waits));
            ts.token = "good";
            run_a_while();
            assert_int_equal(ts.n_posts, 0);
            assert_string_equal(ts.lost, "");
            end();
        }
    }
}

static void a_closed_transport_waits_for_nothing(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        begin(kind, "old");
        if (kind != SSE)
            send_frame(CALL);
        RUN_UNTIL(!mcti_list_empty(&ts.waits));
        ts.t->ops->close(ts.t);
        RUN_UNTIL(ts.closed);
        assert_true(mcti_list_empty(&ts.waits));
        end();
    }
}

/* The session has its id, its notification and its stream, and DELETE; each request carries credentials. */
static void every_request_of_a_session_carries_them(void **state)
{
    (void)state;
    begin(0, "old");
    send_frame(INITIALIZE);
    RUN_UNTIL(!mcti_list_empty(&ts.waits));
    ts.token = "good";
    let_go(NULL);
    RUN_UNTIL(*ts.frame);
    ts.token = "old"; /* the notification is refused, too; the call waits behind it */
    ts.n_refused = 0;
    send_frame(INITIALIZED);
    *ts.frame = '\0';
    send_frame(CALL);
    RUN_UNTIL(!mcti_list_empty(&ts.waits));
    assert_string_equal(ts.operation, "notifications/initialized");
    assert_int_equal(ts.n_posts, 1);
    ts.token = "good";
    let_go(NULL);
    RUN_UNTIL(*ts.frame && ts.stream);
    assert_int_equal(ts.n_posts, 2 + 1);
    ts.t->ops->close(ts.t);
    RUN_UNTIL(ts.closed);
    assert_true(strstr(ts.put, "GET ") != NULL);
    assert_true(strstr(ts.put, "DELETE ") != NULL);
    assert_true(ts.n_answered >= 6);
    end();
}

/* The GET stream that waits is not opened a second time, and ends with the transport. */
static void a_waiting_stream_is_one(void **state)
{
    (void)state;
    begin(0, "good");
    send_frame(INITIALIZE);
    RUN_UNTIL(*ts.frame);
    send_frame(INITIALIZED);
    ts.is_ready = false;
    run_a_while();
    assert_null(ts.stream);
    assert_false(mcti_list_empty(&ts.waits));
    assert_true(ts.waits.next->next == &ts.waits);
    let_go(NULL);
    RUN_UNTIL(ts.stream);
    end();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_request_is_sent_again),
        cmocka_unit_test(a_refused_stream_is_opened_again),
        cmocka_unit_test(a_request_waits_until_there_are_credentials),
        cmocka_unit_test(a_final_refusal_tells_its_reason),
        cmocka_unit_test(an_ordinary_refusal_keeps_its_text),
        cmocka_unit_test(a_refusal_without_an_end_is_one),
        cmocka_unit_test(a_failed_wait_fails_the_request),
        cmocka_unit_test(a_cancelled_wait_is_over),
        cmocka_unit_test(a_closed_transport_waits_for_nothing),
        cmocka_unit_test(every_request_of_a_session_carries_them),
        cmocka_unit_test(a_waiting_stream_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
