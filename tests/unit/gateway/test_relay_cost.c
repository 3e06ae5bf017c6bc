/*
 * What one relayed tools/call costs in allocations: counted, so that it cannot grow unnoticed. The
 * gateway stands between a client and a server that live in this program and allocate nothing.
 */
#include "unit.h"

#include "base/limits.h"
#include "gateway/gateway.h"
#include "hub/server/server.h"
#include "mcp/shape/shape.h"

/* The linker sends every allocation of the program through these. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static size_t n_allocations;

void *__wrap_malloc(size_t n)
{
    n_allocations++;
    return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    n_allocations++;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    n_allocations++;
    return __real_realloc(p, n);
}

/* ---- a server that answers in the next turn ---- */

struct fake {
    struct mcti_transport base;
    struct mcti_sched *sched;
    struct mcti_task answer;
    char text[65536];
    size_t len;
};

static struct fake fake;

static void say(void *data)
{
    struct fake *f = data;
    f->base.events.on_frame(f->base.events.data, (struct mcti_str){ f->text, f->len }, NULL);
}

static const char *result_for(struct mcti_str method)
{
    if (mcti_str_is(method, "initialize"))
        return "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}}}";
    if (mcti_str_is(method, "tools/list"))
        return "{\"tools\":[{\"name\":\"a tool\",\"inputSchema\":{}}]}";
    return "{\"content\":[{\"type\":\"text\",\"text\":\"an answer of some length, as tools give it\"}],"
           "\"structuredContent\":{\"n\":12345678901234567890,\"f\":1.0}}";
}

static int fake_send(struct mcti_transport *t, struct mcti_str frame, void *lane)
{
    struct mcti_msg msg;
    (void)t;
    (void)lane;
    assert_int_equal(mcti_msg_parse(frame, &msg, NULL), 0);
    if (msg.kind == MCT_MSG_REQUEST) {
        fake.len = (size_t)snprintf(fake.text, sizeof fake.text, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}",
                                    MCT_STR_ARG(msg.id), result_for(msg.method));
        mcti_task_post(fake.sched, &fake.answer);
    }
    return 0;
}

static int fake_open(struct mcti_transport *t, struct mct_error *err)
{
    (void)t;
    (void)err;
    return 0;
}

static void fake_end(struct mcti_transport *t)
{
    (void)t;
}

static const struct mcti_transport_ops fake_ops = {
    .name = "fake", .open = fake_open, .send = fake_send, .close = fake_end, .free = fake_end
};

static struct mcti_transport *fake_connect(void *data, unsigned variant, struct mct_error *err)
{
    (void)variant;
    (void)data;
    (void)err;
    fake.base.ops = &fake_ops;
    mcti_task_init(&fake.answer, say, &fake);
    return &fake.base;
}

/* ---- a client that keeps its last answer ---- */

static char answer[65536];

static int client_send(void *data, struct mcti_str frame, void *lane, bool final)
{
    (void)data;
    (void)lane;
    (void) final;
    memcpy(answer, frame.p, frame.len);
    answer[frame.len] = '\0';
    return 0;
}

static unsigned n_heard;

static void hear(struct mcti_event_listener *l, const struct mcti_event *e)
{
    (void)l;
    n_heard += e->tool.len == sizeof "a tool" - 1;
}

static void never(struct mct_hook_event *e, void *data)
{
    (void)e;
    (void)data;
    fail_msg("a hook for another tool was run");
}

static bool is_observed; /* somebody may look at the gateway */

/* `tool`: a hook is there, for a tool of that name; NULL: there is none. */
static void relay(struct mcti_events *events, const char *tool, size_t wanted)
{
    enum { WARM = 16, CALLS = 100 };
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":\"an id\",\"method\":\"tools/call\",\"params\":{\"name\":\"a_tool\","
        "\"arguments\":{\"text\":\"hello\",\"n\":1e400},\"_meta\":{\"progressToken\":7}}}";
    static const struct mcti_peer_ops peer_ops = { .send = client_send };
    const struct mcti_naming naming = { "double", NULL, MCT_PREFIX_AUTO, 64 };
    const char *const tools[] = { tool, NULL };
    const struct mct_hook_def hook = { .size = sizeof hook, .tools = tools, .run = never };
    struct mcti_hooks hooks;
    struct mcti_outside outside;
    const struct mcti_gateway_opts gateway_opts = {
        .list_wait_ms = 1000, .message_bytes = 1u << 20, .events = events, .hooks = &hooks
    };
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_gateway gateway;
    struct mcti_view view;

    mcti_sched_init(&sched);
    fake.sched = &sched;
    mcti_registry_init(&registry, &sched);
    mcti_hooks_init(&hooks, &sched, NULL);
    mcti_outside_init(&outside, &naming, &sched, NULL); /* as in an instance whose policy calls nothing external */
    registry.outside = hooks.outside = &outside;
    if (tool)
        assert_int_equal(mcti_hooks_add(&hooks, &hook, NULL, NULL), 0);
    const struct mcti_mcp_opts opts = { .connect = fake_connect,
                                        .sched = &sched,
                                        .era = MCT_ERA_HANDSHAKE,
                                        .start_timeout_ms = 1000,
                                        .call_timeout_ms = 1000,
                                        .message_bytes = 1u << 20 };
    assert_int_equal(mcti_registry_add(&registry, mcti_provider_mcp_new("s", &opts, NULL)), 0);
    mcti_gateway_init(&gateway, &registry, NULL, &gateway_opts);
    assert_int_equal(mcti_view_init(&view, &registry, &(struct mcti_view_opts){ .naming = &naming }), 0);
    if (is_observed)
        assert_int_equal(mcti_gateway_observe(&gateway), 0);
    struct mcti_peer *peer = mcti_peer_new(&gateway, &view, &peer_ops, NULL);
    mcti_registry_start_all(&registry);
    mcti_sched_run(&sched, 1);
    mcti_sched_run(&sched, 2);
    assert_int_equal(registry.v[0]->state, MCT_CONNECTED);

    for (int i = 0; i < WARM + CALLS; i++) {
        if (i == WARM)
            n_allocations = 0;
        mcti_peer_receive(peer, mcti_str_of(call), NULL, NULL);
        mcti_sched_run(&sched, 3);
    }
    assert_non_null(strstr(answer, "\"id\":\"an id\",\"result\":{\"content\""));
    assert_non_null(strstr(answer, "12345678901234567890,\"f\":1.0"));
    assert_int_equal(n_allocations, wanted * CALLS);

    mcti_peer_free(peer);
    mcti_gateway_done(&gateway);
    mcti_view_done(&view);
    mcti_registry_done(&registry);
    mcti_hooks_done(&hooks);
    mcti_outside_done(&outside);
}

/* The request, and the copy of its id; nothing for listeners that could be there, or hooks for other tools. */
static void relayed_calls_allocate_little(void **state)
{
    struct mcti_events events;
    (void)state;
    mcti_events_init(&events);
    relay(NULL, NULL, 2);
    relay(&events, NULL, 2);
    relay(&events, "other*", 2);
    mcti_events_done(&events);
}

/* What is kept until the end has the memory of earlier calls. */
static void those_somebody_hears_of_no_more(void **state)
{
    struct mcti_event_listener listener = { .begin = hear, .end = hear };
    struct mcti_events events;
    (void)state;
    mcti_events_init(&events);
    mcti_events_add(&events, &listener);
    n_heard = 0;
    relay(&events, NULL, 2);
    assert_true(n_heard >= 200 && n_heard % 2 == 0);
    mcti_event_listener_remove(&listener);
    mcti_events_done(&events);
}

/* The overview of calls adds nothing to that. */
static void what_is_recorded_allocates_nothing(void **state)
{
    struct mcti_events events;
    (void)state;
    mcti_events_init(&events);
    is_observed = true;
    relay(&events, NULL, 2);
    is_observed = false;
    mcti_events_done(&events);
}

/* Looking for what differs allocates nothing, and neither does changing it. */
static void shapes_allocate_nothing(void **state)
{
    static const char result[] = "{\"content\":[{\"type\":\"resource_link\",\"uri\":\"x:y\",\"name\":\"n\"},"
                                 "{\"type\":\"audio\",\"data\":\"\",\"mimeType\":\"a/b\"}],\"_meta\":{\"k\":1},"
                                 "\"structuredContent\":[1]}";
    static const char tool[] = "{\"name\":\"n\",\"title\":\"T\",\"inputSchema\":{\"type\":\"object\"},"
                               "\"outputSchema\":{\"items\":{\"$ref\":\"#\"}}}";
    static const char form[] = "{\"message\":\"m\",\"requestedSchema\":{\"properties\":{\"a\":{\"type\":\"string\"}}}}";
    static const char error[] = "{\"code\":-32002,\"message\":\"m\"}";
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 65536);
    assert_non_null(mcti_buf_reserve(&b, 65536));
    n_allocations = 0;
    for (int from = MCT_REV_2024_11_05; from < MCT_REV_N; from++) {
        for (int to = MCT_REV_2024_11_05; to < MCT_REV_N; to++) {
            enum mcti_rev f = (enum mcti_rev)from, t = (enum mcti_rev)to;
            b.len = 0;
            mcti_shape_result(&b, MCT_VERB_TOOLS_CALL, mcti_str_of(result), f, t, MCT_STR_NONE);
            bool typed = from == to && mcti_rev_is_stateless(t); /* it gets the resultType it lacks */
            assert_true(from != to || typed || (b.len == sizeof result - 1 && !memcmp(b.p, result, b.len)));
            mcti_shape_item(&b, MCT_TOOL, mcti_str_of(tool), MCT_STR_NONE, f, t);
            mcti_shape_error(&b, MCT_VERB_RESOURCES_READ, mcti_str_of(error), f, t, MCT_STR("\"u\""));
            mcti_shape_ask(&b, MCT_ASK_ELICITATION, mcti_str_of(form), t, NULL);
        }
    }
    assert_int_equal(n_allocations, 0);
    assert_true(mcti_buf_ok(&b));
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(relayed_calls_allocate_little),
                                        cmocka_unit_test(those_somebody_hears_of_no_more),
                                        cmocka_unit_test(what_is_recorded_allocates_nothing),
                                        cmocka_unit_test(shapes_allocate_nothing) };
    return cmocka_run_group_tests_name("relay cost", tests, NULL, NULL);
}
