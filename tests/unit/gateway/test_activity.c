/* What the gateway records of calls, clients and servers, and the JSON that people get of it. */
#include "unit.h"

#include "gateway/overview/overview.h"

/* The end of one call: the listener gets both events, as from the stage. */
static void call(struct mcti_activity *a, struct mcti_event e)
{
    a->listener.begin(&a->listener, &e);
    e.client_info = MCT_STR_NONE;
    a->listener.end(&a->listener, &e);
}

static void percentiles_are_near(void **state)
{
    struct mcti_latency l = { 0 };
    (void)state;
    assert_int_equal(mcti_latency_percentile(&l, 50), 0);
    for (uint64_t us = 1; us <= 10000; us++)
        mcti_latency_add(&l, us * 10);
    for (unsigned percent = 1; percent <= 100; percent++) {
        double exact = percent * 1000.0, got = (double)mcti_latency_percentile(&l, percent);
        assert_true(got >= exact && got < exact * 1.13);
    }
    uint64_t n = 0;
    for (int i = 0; i < MCT_LATENCY_SECONDS; i++)
        n += l.seconds[i];
    assert_int_equal(n, l.n);
    assert_int_equal(l.seconds[0], 500); /* up to 5 ms, which is included */
}

static void any_duration_has_a_bucket(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        struct mcti_latency l = { 0 };
        uint64_t us = (uint64_t)1 << bit;
        mcti_latency_add(&l, us);
        mcti_latency_add(&l, UINT64_MAX);
        assert_true(mcti_latency_percentile(&l, 50) >= us);
        assert_true(bit > 35 || mcti_latency_percentile(&l, 50) <= us + us / 8);
        assert_true(mcti_latency_percentile(&l, 100) == UINT64_MAX);
    }
}

static void one_call_is_told_exactly(void **state)
{
    struct mcti_latency l = { 0 };
    (void)state;
    mcti_latency_add(&l, 12345);
    assert_int_equal(mcti_latency_percentile(&l, 50), 12345);
    assert_int_equal(mcti_latency_percentile(&l, 99), 12345);
}

static struct mcti_event event_of(const char *server, const char *tool, const char *client, uint64_t us)
{
    return (struct mcti_event){ .verb = MCT_VERB_TOOLS_CALL,
                                .method = "tools/call",
                                .server = mcti_str_of(server),
                                .tool = mcti_str_of(tool),
                                .client = mcti_str_of(client),
                                .principal = MCT_STR("alice"),
                                .client_info = MCT_STR("{\"version\":\"1.2\"}"),
                                .rev = MCT_REV_LATEST,
                                .wall_ms = 1000 + us,
                                .duration_us = us };
}

struct place {
    struct mcti_sched sched;
    struct mcti_registry registry;
    struct mcti_gateway gateway;
    struct mcti_provider provider;
    struct mcti_activity *a;
};

static void nothing(struct mcti_provider *p)
{
    mcti_provider_done(p);
}

static const struct mcti_provider_ops place_ops = { .start = nothing, .stop = nothing, .free = nothing };

static void place_open(struct place *p)
{
    *p = (struct place){ 0 };
    mcti_sched_init(&p->sched);
    mcti_registry_init(&p->registry, &p->sched);
    assert_int_equal(mcti_provider_init(&p->provider, &place_ops, "files", &p->sched, NULL), 0);
    assert_int_equal(mcti_registry_add(&p->registry, &p->provider), 0);
    mcti_gateway_init(&p->gateway, &p->registry, NULL, &(struct mcti_gateway_opts){ .message_bytes = 1 << 16 });
    assert_int_equal(mcti_gateway_observe(&p->gateway), 0);
    p->a = p->gateway.activity;
}

static void place_close(struct place *p)
{
    mcti_gateway_done(&p->gateway);
    mcti_registry_done(&p->registry);
}

static char *overview_of(struct place *p, const struct mcti_overview_opts *o)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1 << 20);
    mcti_overview_put(&b, &p->gateway, o);
    assert_true(mcti_buf_ok(&b));
    char *text = mcti_buf_take(&b);
    assert_int_equal(mcti_json_type(mcti_str_of(text)), '{');
    assert_true(mcti_json_valid(mcti_str_of(text), 16, NULL, NULL));
    return text;
}

static void the_latest_calls_are_kept(void **state)
{
    struct place p;
    char tool[16];
    (void)state;
    place_open(&p);
    assert_null(mcti_activity_recent(p.a, 0));
    for (int i = 0; i < 2 * MCT_ACTIVITY_RECENT + 7; i++) {
        snprintf(tool, sizeof tool, "tool %d", i);
        call(p.a, event_of("files", tool, "c", 1500));
    }
    assert_string_equal(mcti_activity_recent(p.a, 0)->tool, "tool 206");
    assert_string_equal(mcti_activity_recent(p.a, MCT_ACTIVITY_RECENT - 1)->tool, "tool 107");
    assert_null(mcti_activity_recent(p.a, MCT_ACTIVITY_RECENT));
    const struct mcti_activity_server *s = mcti_activity_server_find(p.a, MCT_STR("files"));
    assert_int_equal(s->calls->latency.n, 207);
    assert_int_equal(s->calls->n_running, 0);
    assert_int_equal(p.a->n_tools, 207);
    place_close(&p);
}

static void secrets_of_uris_and_long_names_stay_out(void **state)
{
    struct place p;
    char name[400];
    (void)state;
    place_open(&p);
    struct mcti_event e = event_of("files", "https://user:pass@host/x?token=1#y", "c", 1);
    e.verb = MCT_VERB_RESOURCES_READ;
    call(p.a, e);
    assert_string_equal(mcti_activity_recent(p.a, 0)->tool, "https://host/x");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    call(p.a, event_of("files", name, "c", 1));
    assert_int_equal(strlen(mcti_activity_recent(p.a, 0)->tool), sizeof p.a->recent[0].tool - 1);
    place_close(&p);
}

static void clients_are_few(void **state)
{
    struct place p;
    char name[16];
    (void)state;
    place_open(&p);
    for (int i = 0; i < 3 * MCT_ACTIVITY_CLIENTS; i++) {
        snprintf(name, sizeof name, "client %d", i);
        call(p.a, event_of("files", "t", name, 1));
        call(p.a, event_of("files", "t", "client 0", 1)); /* is used, and so stays */
    }
    assert_int_equal(p.a->n_clients, MCT_ACTIVITY_CLIENTS);
    assert_int_equal(p.a->n_departed, 2 * MCT_ACTIVITY_CLIENTS);
    char *text = overview_of(&p, &(struct mcti_overview_opts){ 0 });
    assert_non_null(strstr(text, "\"name\":\"client 0\",\"version\":\"1.2\",\"principal\":\"alice\","
                                 "\"protocolVersion\":\"2026-07-28\",\"calls\":193,"));
    assert_null(strstr(text, "\"client 1\",\"version\""));
    free(text);
    place_close(&p);
}

static void unknown_servers_share_a_row(void **state)
{
    struct place p;
    (void)state;
    place_open(&p);
    call(p.a, event_of("somewhere", "t", "c", 1));
    call(p.a, event_of("elsewhere", "t", "c", 1));
    assert_int_equal(p.a->other->latency.n, 2);
    assert_null(mcti_activity_server_find(p.a, MCT_STR("somewhere")));
    place_close(&p);
}

static void an_overview_has_what_changed(void **state)
{
    struct place p;
    (void)state;
    place_open(&p);
    struct mcti_event failed = event_of("files", "write", "c", 2000);
    failed.outcome = MCT_ERR_TOOL;
    call(p.a, event_of("files", "read", "c", 2000));
    call(p.a, failed);
    char *all = overview_of(&p, &(struct mcti_overview_opts){ 0 });
    assert_non_null(strstr(all, "\"name\":\"mcptools\""));
    assert_non_null(strstr(all, "\"servers\":[{\"name\":\"files\",\"state\":\"disconnected\""));
    assert_non_null(strstr(all, "\"calls\":{\"total\":2,\"failed\":1,\"running\":0,\"p50Ms\":"));
    assert_non_null(strstr(all, "\"server\":\"files\",\"method\":\"tools/call\",\"tool\":\"write\",\"ms\":2.000,"
                                "\"outcome\":\"tool_error\"}"));
    free(all);

    struct mcti_overview_opts o = { .after = p.a->now };
    char *none = overview_of(&p, &o);
    assert_non_null(strstr(none, "\"servers\":[],\"clients\":[],"));
    assert_non_null(strstr(none, "\"recent\":[]"));
    assert_null(strstr(none, "\"pid\""));
    free(none);

    mcti_provider_set_state(&p.provider, MCT_CONNECTED, NULL);
    char *some = overview_of(&p, &o);
    assert_non_null(strstr(some, "\"servers\":[{\"name\":\"files\",\"state\":\"connected\""));
    assert_non_null(strstr(some, "\"recent\":[]"));
    free(some);

    char *others = overview_of(&p, &(struct mcti_overview_opts){ .principal = MCT_STR("bob") });
    assert_non_null(strstr(others, "\"clients\":[],"));
    assert_non_null(strstr(others, "\"recent\":[]"));
    free(others);
    place_close(&p);
}

static unsigned n_news;

static void hear(struct mcti_activity_reader *r)
{
    (void)r;
    n_news++;
}

static void readers_are_told(void **state)
{
    struct mcti_activity_reader reader = { .news = hear };
    struct place p;
    (void)state;
    place_open(&p);
    mcti_activity_read(p.a, &reader);
    call(p.a, event_of("files", "t", "c", 1));
    assert_int_equal(n_news, 2);
    mcti_activity_reader_remove(&reader);
    call(p.a, event_of("files", "t", "c", 1));
    assert_int_equal(n_news, 2);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(percentiles_are_near),
                                        cmocka_unit_test(any_duration_has_a_bucket),
                                        cmocka_unit_test(one_call_is_told_exactly),
                                        cmocka_unit_test(the_latest_calls_are_kept),
                                        cmocka_unit_test(secrets_of_uris_and_long_names_stay_out),
                                        cmocka_unit_test(clients_are_few),
                                        cmocka_unit_test(unknown_servers_share_a_row),
                                        cmocka_unit_test(an_overview_has_what_changed),
                                        cmocka_unit_test(readers_are_told) };
    return cmocka_run_group_tests_name("activity", tests, NULL, NULL);
}
