/* Histograms of durations, and the OTLP text of them and of attributes. */
#include "unit.h"

#include "telemetry/attributes.h"
#include "telemetry/gzip.h"
#include "telemetry/metrics.h"

#include <zlib.h>

enum { SECOND = 1000000 };

static struct mcti_str put(struct mcti_metrics *m, struct mcti_buf *b, uint64_t now_us)
{
    mcti_buf_clear(b);
    mcti_buf_addc(b, '[');
    mcti_duration_metrics_put(m, b, now_us);
    mcti_buf_addc(b, ']');
    assert_true(mcti_json_valid(mcti_buf_str(b), 16, NULL, NULL));
    return mcti_buf_str(b);
}

static void test_histogram(void **state)
{
    struct mcti_metrics m;
    struct mcti_buf b;
    struct mcti_str one, point;
    (void)state;
    mcti_buf_init(&b, 1 << 20);
    mcti_duration_metrics_init(&m, false, 5);
    mcti_duration_metrics_add(&m, MCT_METRIC_SERVER_OPERATION, MCT_STR("{}"), SECOND / 100); /* a bound belongs below */
    mcti_duration_metrics_add(&m, MCT_METRIC_SERVER_OPERATION, MCT_STR("{}"), SECOND / 100 + 1);
    mcti_duration_metrics_add(&m, MCT_METRIC_SERVER_OPERATION, MCT_STR("{}"), 1000ull * SECOND);
    assert_true(m.changed);
    struct mcti_json_iter it = mcti_json_open(put(&m, &b, 7));
    assert_true(mcti_json_next_item(&it, &one));
    assert_false(m.changed);
    assert_true(mcti_json_is(mcti_json_get(one, "name"), "mcp.server.operation.duration"));
    it = mcti_json_open(mcti_json_get(mcti_json_get(one, "histogram"), "dataPoints"));
    assert_true(mcti_json_next_item(&it, &point));
    assert_span(mcti_json_get(point, "bucketCounts"),
                "[\"1\",\"1\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\",\"1\"]");
    assert_span(mcti_json_get(point, "startTimeUnixNano"), "\"5000\"");
    assert_span(mcti_json_get(point, "timeUnixNano"), "\"7000\"");
    assert_span(mcti_json_get(point, "min"), "0.01");
    assert_span(mcti_json_get(point, "max"), "1000");
    assert_span(mcti_json_get(point, "attributes"), "[{}]");
    mcti_duration_metrics_done(&m);
    mcti_buf_done(&b);
}

static void test_delta(void **state)
{
    struct mcti_metrics m;
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1 << 20);
    mcti_duration_metrics_init(&m, true, 1);
    mcti_duration_metrics_add(&m, MCT_METRIC_CLIENT_SESSION, MCT_STR("{}"), 1);
    put(&m, &b, 2);
    assert_non_null(strstr(b.p, "\"aggregationTemporality\":1"));
    assert_span(put(&m, &b, 3), "[]");
    mcti_duration_metrics_done(&m);
    mcti_buf_done(&b);
}

static void test_bound(void **state)
{
    struct mcti_metrics m;
    char key[32];
    (void)state;
    mcti_duration_metrics_init(&m, false, 0);
    for (int i = 0; i < MCT_METRIC_SERIES + 5; i++) {
        snprintf(key, sizeof key, "{\"%d\":0}", i);
        assert_int_equal(mcti_duration_metrics_has_room(&m), i < MCT_METRIC_SERIES);
        mcti_duration_metrics_add(&m, MCT_METRIC_CLIENT_OPERATION, mcti_str_of(key), 1);
    }
    assert_int_equal(m.n, MCT_METRIC_SERIES);
    assert_int_equal(m.n_dropped, 5);
    mcti_duration_metrics_done(&m);
}

static void test_attributes(void **state)
{
    struct mcti_buf b;
    (void)state;
    mcti_buf_init(&b, 1 << 20);
    mcti_attribute_text(&b, "a", MCT_STR("\"\xff"));
    mcti_attribute_text(&b, "left out", MCT_STR_NONE);
    mcti_attribute_int(&b, "b", -5);
    mcti_attribute_value(&b, "c", MCT_STR("\"x\\u0041\""));
    mcti_attribute_value(&b, "d", MCT_STR("7"));
    assert_buf(&b, "{\"key\":\"a\",\"value\":{\"stringValue\":\"\\\"\xef\xbf\xbd\"}},"
                   "{\"key\":\"b\",\"value\":{\"intValue\":\"-5\"}},"
                   "{\"key\":\"c\",\"value\":{\"stringValue\":\"xA\"}},"
                   "{\"key\":\"d\",\"value\":{\"stringValue\":\"7\"}}");
    mcti_buf_done(&b);
}

static void test_gzip(void **state)
{
    struct mcti_buf b;
    unsigned char plain[64];
    z_stream z = { .next_out = plain, .avail_out = sizeof plain };
    (void)state;
    mcti_buf_init(&b, 100);
    mcti_buf_addz(&b, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    mcti_gzip(&b);
    assert_true(mcti_buf_ok(&b));
    assert_in_range(b.len, 10, 39);
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    z.next_in = (unsigned char *)b.p;
    z.avail_in = (uInt)b.len;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, 40);
    inflateEnd(&z);
    mcti_buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram),  cmocka_unit_test(test_delta), cmocka_unit_test(test_bound),
        cmocka_unit_test(test_attributes), cmocka_unit_test(test_gzip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
