/* The HTTP front with a provider of this program behind it: what a tool can ask of the connection. */
#include "unit.h"

#include "base/limits.h"
#include "front/http/events.h"
#include "front/http/face.h"
#include "front/http/handle.h"
#include "front/http/metrics.h"
#include "front/page/page.h"
#include "hub/core/stage.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- a provider whose one tool has its stream closed, and answers when it is told to ---- */

static struct {
    struct mcti_provider base;
    struct mcti_call *call;
    struct mcti_gateway *gateway;
    struct mcti_task close_stream;
    struct mcti_ask ask;
    bool asks;    /* does that instead */
    bool answers; /* right after that */
} tool;

static void tool_answer(void)
{
    const struct mcti_outcome o = { .result = MCT_STR("{\"content\":[]}"), .rev = MCT_REV_2025_11_25 };
    struct mcti_call *call = tool.call;
    mcti_call_finish(call, &o);
}

static void on_answered(struct mcti_ask *a, struct mcti_str result, const struct mct_error *err)
{
    (void)a;
    (void)err;
    if (result.p)
        tool_answer();
}

static void close_stream(void *data)
{
    (void)data;
    MCT_LIST_EACH(it, &tool.gateway->peers) {
        struct mcti_peer *p = MCT_CONTAINER(it, struct mcti_peer, node);
        if (p->session.n_inbound && p->ops->close_stream)
            p->ops->close_stream(p->data, MCT_CONTAINER(p->session.inbound.next, struct mcti_inbound, node)->lane);
    }
    if (tool.answers)
        tool_answer();
}

static void tool_start(struct mcti_provider *p)
{
    mcti_items_add(&p->items[MCT_TOOL], mcti_item_new(MCT_TOOL, MCT_STR("{\"name\":\"poll\",\"inputSchema\":{}}")));
    p->info.capabilities = strdup("{\"tools\":{}}");
    mcti_provider_set_state(p, MCT_CONNECTED, NULL);
}

static int tool_call(struct mcti_provider *p, struct mcti_call *call, struct mct_error *err)
{
    (void)err;
    tool.call = call;
    tool.ask = (struct mcti_ask){ .kind = MCT_ASK_ELICITATION,
                                  .params = MCT_STR("{\"message\":\"?\"}"),
                                  .server = "t",
                                  .about = call,
                                  .answered = on_answered };
    if (tool.asks)
        mcti_ask_start(&tool.ask, call->answerer);
    else
        mcti_task_post(p->sched, &tool.close_stream);
    return 0;
}

static void tool_cancel(struct mcti_provider *p, struct mcti_call *call, const char *reason)
{
    (void)p;
    (void)call;
    (void)reason;
    mcti_ask_withdraw(&tool.ask);
}

static void tool_stop(struct mcti_provider *p)
{
    (void)p;
}

static const struct mcti_provider_ops tool_ops = { .type = "test",
                                                   .start = tool_start,
                                                   .call = tool_call,
                                                   .cancel = tool_cancel,
                                                   .stop = tool_stop,
                                                   .free = mcti_provider_done };

/* ---- the program around it, and a client in the same thread ---- */

static struct {
    struct mcti_loop loop;
    struct mcti_registry registry;
    struct mcti_gateway gateway;
    struct mcti_front_http *http;
    char session[64];
    const char *query; /* of the URL; NULL: none */
    uint64_t later_ms; /* than it is */
} gw;

static uint64_t clock_now(void *data)
{
    const struct mcti_loop *loop = data;
    return uv_now(&loop->uv) + gw.later_ms;
}

static void let_pass(uint64_t ms)
{
    gw.later_ms += ms;
    mcti_sched_run(&gw.loop.sched, clock_now(&gw.loop));
}

static void open_gateway(void)
{
    static const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_ALWAYS, 64 };
    const struct mcti_gateway_opts opts = { .list_wait_ms = 1000, .message_bytes = 1u << 20 };
    const struct mcti_front_http_opts http = { .address = "127.0.0.1:0",
                                               .pages = &mcti_pages,
                                               .guard = { .loopback = true },
                                               .naming = naming,
                                               .message_bytes = 1u << 20,
                                               .access_log = -1 };
    assert_int_equal(mcti_loop_init(&gw.loop, NULL, NULL), 0);
    gw.loop.sched.clock = clock_now;
    mcti_registry_init(&gw.registry, &gw.loop.sched);
    assert_int_equal(mcti_provider_init(&tool.base, &tool_ops, "t", &gw.loop.sched, NULL), 0);
    assert_int_equal(mcti_registry_add(&gw.registry, &tool.base), 0);
    mcti_gateway_init(&gw.gateway, &gw.registry, NULL, &opts);
    tool.gateway = &gw.gateway;
    mcti_task_init(&tool.close_stream, close_stream, NULL);
    mcti_registry_start_all(&gw.registry);
    gw.http = mcti_front_http_new(&gw.loop, &gw.gateway, &http, NULL);
    assert_non_null(gw.http);
}

static void close_gateway(void)
{
    mcti_front_http_free(gw.http);
    gw.later_ms = 0;
    mcti_gateway_done(&gw.gateway);
    mcti_registry_done(&gw.registry);
    mcti_loop_done(&gw.loop);
}

/* Sends a request and reads until `until` has come, or (NULL) the gateway ends the stream. */
static const char *exchange(const char *method, const char *more, const char *body, const char *until)
{
    static char got[65536];
    char text[4096];
    size_t n = 0;
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)mcti_front_http_port(gw.http)),
                              .sin_addr = { htonl(INADDR_LOOPBACK) } };
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    snprintf(text, sizeof text,
             "%s /mcp%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
             "application/json, text/event-stream\r\n%s%sContent-Length: %zu\r\n\r\n%s",
             method, gw.query ? gw.query : "", gw.session, more, strlen(body), body);
    assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
    memset(got, 0, sizeof got);
    while (!strstr(got, until ? until : "\r\n0\r\n\r\n")) {
        ssize_t r = recv(fd, got + n, sizeof got - 1 - n, MSG_DONTWAIT);
        if (r == 0 || (r < 0 && errno != EAGAIN))
            fail_msg("the connection ended after: %s", got);
        n += r > 0 ? (size_t)r : 0;
        uv_run(&gw.loop.uv, UV_RUN_NOWAIT);
    }
    close(fd);
    return got;
}

static void open_session(const char *revision)
{
    char body[256];
    gw.session[0] = '\0';
    snprintf(body, sizeof body,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
             "\"%s\",\"capabilities\":{}}}",
             revision);
    const char *at = strstr(exchange("POST", "", body, "serverInfo"), "Mcp-Session-Id: ");
    assert_non_null(at);
    snprintf(gw.session, sizeof gw.session, "%.*s\r\n", (int)strcspn(at, "\r"), at);
}

static const char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"poll\"}}";

/* 2025-11-25 "Sending Messages to the Server": primed, closed in the middle, taken up again. */
static void a_tool_can_have_its_client_poll(void **state)
{
    (void)state;
    open_gateway();
    open_session("2025-11-25");
    const char *got = exchange("POST", "", call, NULL);
    assert_non_null(strstr(got, "id: 1-0\nretry: 1000\ndata:\n\n"));
    assert_null(strstr(got, "result"));
    tool_answer();
    got = exchange("GET", "Last-Event-ID: 1-0\r\n", "", NULL);
    assert_non_null(strstr(got, "id: 1-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]}}\n\n"));
    close_gateway();
}

/* Clients of older revisions do not come back: their streams stay. */
static void others_are_not_hung_up_on(void **state)
{
    (void)state;
    open_gateway();
    open_session("2025-06-18");
    tool.answers = true;
    assert_non_null(strstr(exchange("POST", "", call, "\"result\""), "Content-Type: application/json"));
    close_gateway();
}

/* ---- views for some clients ---- */

/* `more`: further members of the params, each with a comma behind it. */
static const char *stateless(const char *query, const char *method, const char *more, const char *until)
{
    char body[2048], headers[256];
    bool calls = !strcmp(method, "tools/call");
    snprintf(
        body, sizeof body,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{"
        "\"elicitation\":{\"form\":{}}}}}}",
        method, calls ? "\"name\":\"poll\"," : "", more);
    snprintf(headers, sizeof headers, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n%s", method,
             calls ? "Mcp-Name: poll\r\n" : "");
    gw.session[0] = '\0';
    gw.query = query;
    const char *got = exchange("POST", headers, body, until);
    gw.query = NULL;
    return got;
}

/* More clients, each with another choice of tools, than there is room for. */
static void crowd_in(void)
{
    static const char *const words[] = { "nexo", "bridge", "claude", "lines", "servers" };
    char query[128];
    for (unsigned n = 0; n <= MCT_LIMIT_FACES; n++) {
        snprintf(query, sizeof query, "?mode=%s&dialect=codex", n & 1 ? "full" : "router");
        for (unsigned i = 0; i < 5; i++)
            if (n >> (i + 1) & 1)
                snprintf(query + strlen(query), sizeof query - strlen(query), ",%s", words[i]);
        stateless(n == MCT_LIMIT_FACES ? "?mode=router" : query, "tools/list", "", "\"tools\"");
    }
}

/* A client that was asked something comes back to its call, however many others there were meanwhile. */
static void a_view_with_a_parked_call_stays(void **state)
{
    char more[1024];
    (void)state;
    open_gateway();
    tool.asks = true;
    const char *at = strstr(stateless("?dialect=nexo", "tools/call", "", "serverInfo"), "requestState\":\"");
    assert_non_null(at);
    at += strlen("requestState\":\"");
    snprintf(more, sizeof more,
             "\"requestState\":\"%.*s\",\"inputResponses\":{\"elicitation-1\":{\"action\":\"decline\"}},",
             (int)strcspn(at, "\""), at);
    let_pass(1);
    crowd_in();
    assert_int_equal(gw.http->n_faces, MCT_LIMIT_FACES);
    assert_non_null(strstr(stateless("?dialect=nexo", "tools/call", more, "}}"), "\"content\":[]"));
    tool.asks = false;
    close_gateway();
}

static bool has_view(unsigned dialects)
{
    MCT_LIST_EACH(it, &gw.http->endpoints[0]->faces)
        if (MCT_CONTAINER(it, struct mcti_face, node)->offer.dialects == dialects)
            return true;
    return false;
}

/* There is room for one more only where another goes: the one nobody has asked for longest. */
static void the_view_used_last_stays(void **state)
{
    const unsigned nexo = mcti_dialect_find(MCT_STR("nexo")), claude = mcti_dialect_find(MCT_STR("claude"));
    (void)state;
    open_gateway();
    stateless("?dialect=nexo", "tools/list", "", "\"tools\"");
    let_pass(1);
    stateless("?dialect=claude", "tools/list", "", "\"tools\"");
    let_pass(1);
    stateless("?dialect=nexo", "tools/list", "", "\"tools\"");
    let_pass(1);
    gw.http->n_faces += MCT_LIMIT_FACES - 2; /* as if there were others, all in use */
    stateless("?dialect=lines", "tools/list", "", "\"tools\"");
    gw.http->n_faces -= MCT_LIMIT_FACES - 2;
    assert_int_equal(gw.http->n_faces, 2);
    assert_true(has_view(nexo));
    assert_false(has_view(claude));
    close_gateway();
}

static void views_nobody_uses_go(void **state)
{
    (void)state;
    open_gateway();
    open_session("2025-11-25");
    stateless("?dialect=nexo", "tools/list", "", "\"tools\"");
    stateless("?mode=router", "tools/list", "", "\"tools\"");
    assert_int_equal(gw.http->n_faces, 2);
    let_pass(MCT_LIMIT_FACE_IDLE_MS / 2);
    stateless("?dialect=nexo", "tools/list", "", "\"tools\"");
    let_pass(MCT_LIMIT_FACE_IDLE_MS / 2 + 60000);
    assert_int_equal(gw.http->n_faces, 1);
    let_pass(MCT_LIMIT_FACE_IDLE_MS);
    assert_int_equal(gw.http->n_faces, 0);
    stateless(NULL, "tools/list", "", "\"tools\"");
    close_gateway();
}

/* A session can be ended where its view was given up and there is no room for another. */
static void a_session_without_a_view_can_end(void **state)
{
    (void)state;
    open_gateway();
    gw.query = "?dialect=nexo";
    open_session("2025-11-25");
    let_pass(MCT_LIMIT_FACE_IDLE_MS + 60000);
    assert_int_equal(gw.http->n_faces, 0);
    gw.http->n_faces += MCT_LIMIT_FACES; /* as if there were others, all in use */
    assert_non_null(strstr(exchange("GET", "", "", "\r\n\r\n"), "HTTP/1.1 503 "));
    assert_non_null(strstr(exchange("DELETE", "", "", "\r\n\r\n"), "HTTP/1.1 204 "));
    gw.http->n_faces -= MCT_LIMIT_FACES;
    gw.query = NULL;
    assert_true(mcti_list_empty(&gw.http->sessions));
    close_gateway();
}

/* ---- memory ---- */

/* Events are forgotten where that makes room for the next one, and only as many as it takes. */
static void events_go_only_where_that_helps(void **state)
{
    struct mcti_account *whole = &gw.gateway.memory.whole;
    const uint64_t *refused = &gw.gateway.memory.tally.refused[MCT_HELD_EVENT];
    (void)state;
    open_gateway();
    open_session("2025-11-25");
    struct mcti_http_session *s = MCT_CONTAINER(gw.http->sessions.next, struct mcti_http_session, node);
    struct mcti_lane *l = mcti_http_session_stream(s);
    for (int i = 0; i < 4; i++)
        assert_true(mcti_http_event_keep(l, MCT_STR("{}")));
    size_t full = whole->rule->share, most = full - whole->held - s->event_bytes / 8;
    mcti_account_add(whole, MCT_HELD_CALL, full);
    assert_false(mcti_http_event_keep(l, MCT_STR("{}")));
    assert_int_equal(s->n_events, 4);
    assert_int_equal(*refused, 1);
    mcti_account_release(whole, MCT_HELD_CALL, full - most);
    assert_true(mcti_http_event_keep(l, MCT_STR("{}")));
    assert_int_equal(s->n_events, 4);
    assert_int_equal(*refused, 1);
    mcti_account_release(whole, MCT_HELD_CALL, most);
    close_gateway();
}

static unsigned n_tries; /* to make room: the second succeeds */

static bool second_helps(void *data, const struct mcti_account *asks, const struct mcti_account *over)
{
    struct mcti_account *whole = &gw.gateway.memory.whole;
    (void)data;
    (void)asks;
    assert_ptr_equal(over, whole);
    if (++n_tries == 2)
        mcti_account_release(whole, MCT_HELD_CALL, whole->rule->share);
    return n_tries <= 2;
}

static int heard(void *data, struct mcti_str frame, void *lane, bool final)
{
    (void)lane;
    (void) final;
    snprintf(data, 256, "%.*s", MCT_STR_ARG(frame));
    return 0;
}

/* One that is served after others made room is not refused, and one that is refused counts once. */
static void a_refusal_counts_once(void **state)
{
    static const struct mcti_peer_ops ops = { .send = heard };
    const struct mcti_str ping = MCT_STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
    struct mcti_account *whole = &gw.gateway.memory.whole;
    const uint64_t *refused = &gw.gateway.memory.tally.refused[MCT_HELD_CALL];
    struct mcti_msg msg;
    struct mct_error err;
    char got[256] = "";
    (void)state;
    open_gateway();
    struct mcti_peer *p = mcti_peer_new(&gw.gateway, &mcti_face_first(gw.http->endpoints[0])->view, &ops, got);
    assert_int_equal(mcti_msg_parse(ping, &msg, &err), 0);
    gw.gateway.make_room = second_helps;
    n_tries = 0;
    mcti_account_add(whole, MCT_HELD_CALL, whole->rule->share);
    mcti_session_receive_msg(&p->session, &msg, NULL);
    assert_non_null(strstr(got, "\"result\""));
    assert_int_equal(*refused, 0);
    mcti_account_add(whole, MCT_HELD_CALL, whole->rule->share);
    mcti_session_receive_msg(&p->session, &msg, NULL);
    assert_non_null(strstr(got, "limits.memory_bytes"));
    assert_int_equal(*refused, 1);
    mcti_account_release(whole, MCT_HELD_CALL, whole->rule->share);
    mcti_peer_free(p);
    close_gateway();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tool_can_have_its_client_poll),
        cmocka_unit_test(others_are_not_hung_up_on),
        cmocka_unit_test(a_view_with_a_parked_call_stays),
        cmocka_unit_test(the_view_used_last_stays),
        cmocka_unit_test(views_nobody_uses_go),
        cmocka_unit_test(a_session_without_a_view_can_end),
        cmocka_unit_test(events_go_only_where_that_helps),
        cmocka_unit_test(a_refusal_counts_once),
    };
    return cmocka_run_group_tests_name("front", tests, NULL, NULL);
}
