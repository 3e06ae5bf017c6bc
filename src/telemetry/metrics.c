#include "telemetry/metrics.h"

#include "telemetry/attributes.h"

#include <stdlib.h>

/* Bounds in seconds, as the semantic conventions have them. */
static const double bounds[MCT_METRIC_BOUNDS] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300 };

static const struct {
    const char *name, *description;
} rows[MCT_METRIC_N] = {
    [MCT_METRIC_CLIENT_OPERATION] = { "mcp.client.operation.duration", "Duration of requests to MCP servers." },
    [MCT_METRIC_SERVER_OPERATION] = { "mcp.server.operation.duration", "Duration of requests of MCP clients." },
    [MCT_METRIC_CLIENT_SESSION] = { "mcp.client.session.duration", "Duration of sessions with MCP servers." },
    [MCT_METRIC_SERVER_SESSION] = { "mcp.server.session.duration", "Duration of sessions of MCP clients." },
};

struct series {
    struct mcti_map_node node;
    uint64_t count, buckets[MCT_METRIC_BOUNDS + 1];
    double sum, min, max;
    size_t len;
    char attributes[];
};

void mcti_duration_metrics_init(struct mcti_metrics *m, bool delta, uint64_t now_us)
{
    *m = (struct mcti_metrics){ .delta = delta, .since_us = now_us };
    for (int i = 0; i < MCT_METRIC_N; i++)
        mcti_map_init(&m->series[i]);
}

static void metric_clear(struct mcti_map *series)
{
    struct mcti_map_node *node;
    while ((node = mcti_map_any(series))) {
        mcti_map_remove(series, node);
        free(MCT_CONTAINER(node, struct series, node));
    }
}

void mcti_duration_metrics_done(struct mcti_metrics *m)
{
    for (int i = 0; i < MCT_METRIC_N; i++) {
        metric_clear(&m->series[i]);
        mcti_map_done(&m->series[i]);
    }
}

bool mcti_duration_metrics_has_room(const struct mcti_metrics *m)
{
    return m->n < MCT_METRIC_SERIES;
}

static struct series *series_new(struct mcti_metrics *m, enum mcti_metric metric, struct mcti_str attributes)
{
    struct series *s = m->n < MCT_METRIC_SERIES ? calloc(1, sizeof *s + attributes.len) : NULL;
    if (!s)
        return NULL;
    memcpy(s->attributes, attributes.p, attributes.len);
    s->len = attributes.len;
    if (mcti_map_put(&m->series[metric], &s->node, (struct mcti_str){ s->attributes, s->len }) < 0) {
        free(s);
        return NULL;
    }
    m->n++;
    return s;
}

void mcti_duration_metrics_add(struct mcti_metrics *m, enum mcti_metric metric, struct mcti_str attributes,
                               uint64_t duration_us)
{
    struct mcti_map_node *node = mcti_map_get(&m->series[metric], attributes);
    struct series *s = node ? MCT_CONTAINER(node, struct series, node) : series_new(m, metric, attributes);
    double seconds = (double)duration_us / 1e6;
    size_t k = 0;
    if (!s) {
        m->n_dropped++;
        return;
    }
    while (k < MCT_METRIC_BOUNDS && seconds > bounds[k])
        k++;
    s->buckets[k]++;
    s->min = !s->count || seconds < s->min ? seconds : s->min;
    s->max = !s->count || seconds > s->max ? seconds : s->max;
    s->sum += seconds;
    s->count++;
    m->changed = true;
}

static void put_numbers(struct mcti_buf *to, const struct series *s)
{
    mcti_otlp_put_u64(to, "count", s->count);
    mcti_json_put_key(to, "sum");
    mcti_json_put_double(to, s->sum);
    mcti_json_put_key(to, "min");
    mcti_json_put_double(to, s->min);
    mcti_json_put_key(to, "max");
    mcti_json_put_double(to, s->max);
    mcti_buf_addz(to, ",\"bucketCounts\":[");
    for (size_t i = 0; i <= MCT_METRIC_BOUNDS; i++)
        mcti_buf_printf(to, "%s\"%llu\"", i ? "," : "", (unsigned long long)s->buckets[i]);
    mcti_buf_addz(to, "],\"explicitBounds\":[");
    for (size_t i = 0; i < MCT_METRIC_BOUNDS; i++) {
        mcti_buf_addz(to, i ? "," : "");
        mcti_json_put_double(to, bounds[i]);
    }
    mcti_buf_addc(to, ']');
}

static void put_point(struct mcti_buf *to, const struct mcti_metrics *m, const struct series *s, uint64_t now_us)
{
    mcti_buf_addz(to, mcti_buf_last(to) == '}' ? ",{" : "{");
    mcti_otlp_put_u64(to, "startTimeUnixNano", m->since_us * 1000);
    mcti_otlp_put_u64(to, "timeUnixNano", now_us * 1000);
    put_numbers(to, s);
    mcti_buf_addz(to, ",\"attributes\":[");
    mcti_buf_add(to, (struct mcti_str){ s->attributes, s->len });
    mcti_buf_addz(to, "]}");
}

static void put_metric(struct mcti_buf *to, const struct mcti_metrics *m, enum mcti_metric metric, uint64_t now_us)
{
    const struct mcti_map *all = &m->series[metric];
    mcti_buf_addz(to, mcti_buf_last(to) == '}' ? ",{" : "{");
    mcti_json_put_member(to, "name", mcti_str_of(rows[metric].name));
    mcti_json_put_member(to, "unit", MCT_STR("s"));
    mcti_json_put_member(to, "description", mcti_str_of(rows[metric].description));
    mcti_buf_printf(to, ",\"histogram\":{\"aggregationTemporality\":%d,\"dataPoints\":[", m->delta ? 1 : 2);
    for (size_t i = 0; i < all->n_buckets; i++)
        for (struct mcti_map_node *node = all->buckets[i]; node; node = node->next)
            put_point(to, m, MCT_CONTAINER(node, struct series, node), now_us);
    mcti_buf_addz(to, "]}}");
}

void mcti_duration_metrics_put(struct mcti_metrics *m, struct mcti_buf *to, uint64_t now_us)
{
    for (int i = 0; i < MCT_METRIC_N; i++)
        if (m->series[i].n)
            put_metric(to, m, (enum mcti_metric)i, now_us);
    m->changed = false;
    if (!m->delta)
        return;
    m->since_us = now_us;
    m->n = 0;
    for (int i = 0; i < MCT_METRIC_N; i++)
        metric_clear(&m->series[i]);
}
