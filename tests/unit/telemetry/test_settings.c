/* The variables of OpenTelemetry and the section "telemetry". */
#include "unit.h"

#include "telemetry/settings.h"

static const char *const *variables; /* name, value, …, NULL: the environment of the running test */
static char said[4096];

static const char *lookup(const char *name)
{
    for (const char *const *v = variables; *v; v += 2)
        if (!strcmp(*v, name))
            return v[1];
    return NULL;
}

static void hear(enum mct_log_level level, const char *line, void *data)
{
    (void)level;
    (void)data;
    size_t n = strlen(said);
    snprintf(said + n, sizeof said - n, "%s\n", line);
}

static struct mcti_telemetry_settings read_with(const char *const *environment, const struct mcti_telemetry_config *c)
{
    static const struct mcti_log log = { .level = MCT_LOG_DEBUG, .write = hear };
    static const struct mcti_telemetry_config none = { 0 };
    struct mcti_telemetry_settings s;
    variables = environment;
    *said = '\0';
    assert_int_equal(mcti_telemetry_settings_read(&s, c ? c : &none, lookup, &log), 0);
    return s;
}

#define ENV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_off(void **state)
{
    const char *const *const rows[] = {
        ENV("OTEL_SERVICE_NAME", "x"),
        ENV("OTEL_EXPORTER_OTLP_ENDPOINT", ""),
        ENV("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_SDK_DISABLED", "TRUE"),
        ENV("OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://h"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_telemetry_settings s = read_with(rows[i], NULL);
        assert_false(mcti_telemetry_is_on(&s));
        mcti_telemetry_settings_done(&s);
    }
    assert_non_null(strstr(said, "not an http or https URL"));
}

static void test_urls(void **state)
{
    struct mcti_telemetry_settings s =
        read_with(ENV("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318/base/", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
                      "https://l/whole?x=1", "OTEL_METRICS_EXPORTER", "none"),
                  NULL);
    (void)state;
    assert_string_equal(s.signals[MCT_SIGNAL_TRACES].url, "http://h:4318/base/v1/traces");
    assert_null(s.signals[MCT_SIGNAL_METRICS].url);
    assert_string_equal(s.signals[MCT_SIGNAL_LOGS].url, "https://l/whole?x=1");
    assert_string_equal(said, "");
    mcti_telemetry_settings_done(&s);
}

static void test_headers(void **state)
{
    struct mcti_pair pair = { (char[]){ "k" }, (char[]){ "configured" } };
    const struct mcti_pairs headers = { &pair, 1 };
    const struct mcti_telemetry_config c = { .endpoint = "http://c", .headers = &headers };
    (void)state;
    struct mcti_telemetry_settings s = read_with(ENV("X", "y"), &c);
    assert_string_equal(s.signals[MCT_SIGNAL_TRACES].headers.v[0].value, "configured");
    mcti_telemetry_settings_done(&s);
    s = read_with(
        ENV("OTEL_EXPORTER_OTLP_HEADERS", "a=b%20c , d=e=f,bad, g=%zz", "OTEL_EXPORTER_OTLP_LOGS_HEADERS", "only=logs"),
        &c);
    const struct mcti_pairs *h = &s.signals[MCT_SIGNAL_TRACES].headers;
    assert_int_equal(h->n, 3);
    assert_string_equal(h->v[0].value, "b c");
    assert_string_equal(h->v[1].value, "e=f");
    assert_string_equal(h->v[2].value, "%zz");
    assert_int_equal(s.signals[MCT_SIGNAL_LOGS].headers.n, 1);
    assert_string_equal(s.signals[MCT_SIGNAL_LOGS].headers.v[0].key, "only");
    assert_non_null(strstr(said, "has no \"=\""));
    assert_null(strstr(said, "bad")); /* it may be a secret */
    mcti_telemetry_settings_done(&s);
}

static void test_sampler(void **state)
{
    static const struct {
        const char *name, *arg;
        bool samples, by_parent;
        double ratio;
        bool warns;
    } rows[] = {
        { "always_on", NULL, true, false, 1, false },
        { "always_off", NULL, false, false, 1, false },
        { "parentbased_always_on", NULL, true, true, 1, false },
        { "parentbased_traceidratio", "0.25", true, true, 0.25, false },
        { "traceidratio", "2", true, false, 1, true },
        { "traceidratio", "x", true, false, 1, true },
        { "jaeger_remote", NULL, true, true, 1, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mcti_telemetry_settings s =
            read_with(ENV("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_TRACES_SAMPLER", rows[i].name,
                          "OTEL_TRACES_SAMPLER_ARG", rows[i].arg ? rows[i].arg : ""),
                      NULL);
        assert_int_equal(s.samples, rows[i].samples);
        assert_int_equal(s.by_parent, rows[i].by_parent);
        assert_true(s.ratio == rows[i].ratio);
        assert_int_equal(*said != '\0', rows[i].warns);
        mcti_telemetry_settings_done(&s);
    }
}

static void test_numbers(void **state)
{
    struct mcti_telemetry_settings s =
        read_with(ENV("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h", "OTEL_EXPORTER_OTLP_TIMEOUT", "5",
                      "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "-1", "OTEL_BSP_SCHEDULE_DELAY", "99", "OTEL_SERVICE_NAME",
                      "wins", "OTEL_RESOURCE_ATTRIBUTES", "service.name=loses,a=b", "OTEL_PROPAGATORS", "none"),
                  NULL);
    (void)state;
    assert_int_equal(s.signals[MCT_SIGNAL_TRACES].timeout_ms, 5);
    assert_int_equal(s.signals[MCT_SIGNAL_LOGS].timeout_ms, 5);
    assert_int_equal(s.delay_ms[MCT_SIGNAL_TRACES], 99);
    assert_int_equal(s.delay_ms[MCT_SIGNAL_LOGS], 1000);
    assert_string_equal(s.service_name, "wins");
    assert_int_equal(s.resource.n, 2);
    assert_false(s.propagates);
    assert_non_null(strstr(said, "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT is not a number"));
    mcti_telemetry_settings_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_off),     cmocka_unit_test(test_urls),    cmocka_unit_test(test_headers),
        cmocka_unit_test(test_sampler), cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
