#include "telemetry/impl.h"

#include "base/clock.h"
#include "base/rand.h"
#include "telemetry/attributes.h"

#include <stdlib.h>
#include <unistd.h>

enum { HEAD_BYTES = 256 << 10 };

/* The JSON around the records of each signal. */
static const struct {
    const char *before, *middle, *tail;
} frames[MCT_SIGNAL_N] = {
    { "{\"resourceSpans\":[{\"resource\":", "\"scopeSpans\"", "]}]}]}" },
    { "{\"resourceMetrics\":[{\"resource\":", "\"scopeMetrics\"", "]}]}]}" },
    { "{\"resourceLogs\":[{\"resource\":", "\"scopeLogs\"", "]}]}]}" },
};
static const char *const record_keys[MCT_SIGNAL_N] = { "spans", "metrics", "logRecords" };

/* ---- the resource ---- */

/* Writes a random UUID (version 4) as an attribute. */
static void put_instance(struct mcti_buf *to)
{
    unsigned char bytes[16];
    char hex[33], uuid[37];
    mcti_random(bytes, sizeof bytes);
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    mcti_hex(bytes, sizeof bytes, hex);
    snprintf(uuid, sizeof uuid, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    mcti_attribute_text(to, "service.instance.id", mcti_str_of(uuid));
}

static void telemetry_put_resource(struct mcti_buf *to, const struct mcti_telemetry_settings *o)
{
    mcti_buf_addz(to, "{\"attributes\":[");
    mcti_attribute_text(to, "service.name", mcti_str_of(o->service_name));
    mcti_attribute_text(to, "service.version", MCT_STR(MCT_VERSION));
    put_instance(to);
    mcti_attribute_text(to, "telemetry.sdk.name", MCT_STR("mcptools"));
    mcti_attribute_text(to, "telemetry.sdk.language", MCT_STR("cpp")); /* there is no value for C */
    mcti_attribute_text(to, "telemetry.sdk.version", MCT_STR(MCT_VERSION));
    mcti_attribute_int(to, "process.pid", getpid());
    for (size_t i = 0; i < o->resource.n; i++)
        if (strcmp(o->resource.v[i].key, "service.name") != 0)
            mcti_attribute_text(to, o->resource.v[i].key, mcti_str_of(o->resource.v[i].value));
    mcti_buf_addz(to, "]}");
}

/* ---- opening ---- */

static void open_signal(struct mcti_telemetry *t, enum mcti_signal s, struct mcti_str resource)
{
    const struct mcti_telemetry_settings *o = &t->settings;
    struct mcti_buf head;
    if (!o->signals[s].url)
        return;
    mcti_buf_init(&head, HEAD_BYTES);
    mcti_buf_addz(&head, frames[s].before);
    mcti_buf_add(&head, resource);
    mcti_buf_printf(&head, ",%s:[{\"scope\":{\"name\":\"mcptools\",\"version\":\"" MCT_VERSION "\"},\"%s\":[",
                    frames[s].middle, record_keys[s]);
    t->heads[s] = mcti_buf_take(&head);
    const struct mcti_export_opts opts = { .loop = t->loop,
                                           .log = t->log,
                                           .http = t->http,
                                           .settings = &o->signals[s],
                                           .what = mcti_signal_names[s],
                                           .head = t->heads[s],
                                           .tail = frames[s].tail,
                                           .delay_ms = s == MCT_SIGNAL_METRICS ? 0 : o->delay_ms[s],
                                           .max_queue = o->max_queue[s],
                                           .max_batch = o->max_batch[s] };
    if (t->heads[s])
        mcti_export_init(&t->exports[s], &opts);
}

static void telemetry_on_collect(void *data)
{
    struct mcti_telemetry *t = data;
    mcti_telemetry_collect(t);
    mcti_timer_set(&t->loop->sched, &t->collect, t->settings.delay_ms[MCT_SIGNAL_METRICS]);
}

static void open_signals(struct mcti_telemetry *t)
{
    struct mcti_buf resource;
    mcti_buf_init(&resource, HEAD_BYTES);
    telemetry_put_resource(&resource, &t->settings);
    for (int s = 0; s < MCT_SIGNAL_N; s++)
        open_signal(t, (enum mcti_signal)s, mcti_buf_str(&resource));
    mcti_buf_done(&resource);
    mcti_duration_metrics_init(&t->metrics, t->settings.delta, mcti_clock_wall_us());
    mcti_timer_init(&t->collect, telemetry_on_collect, t);
    if (mcti_telemetry_has(t, MCT_SIGNAL_METRICS))
        mcti_timer_set(&t->loop->sched, &t->collect, t->settings.delay_ms[MCT_SIGNAL_METRICS]);
}

int mcti_telemetry_open(const struct mcti_telemetry_opts *opts, struct mcti_telemetry **ret, struct mct_error *err)
{
    struct mcti_telemetry_settings settings;
    *ret = NULL;
    if (mcti_telemetry_settings_read(&settings, &opts->config, opts->lookup, opts->log) < 0)
        return mcti_no_memory(err);
    if (!mcti_telemetry_is_on(&settings)) {
        mcti_telemetry_settings_done(&settings);
        return 0;
    }
    struct mcti_telemetry *t = calloc(1, sizeof *t);
    struct mcti_http_client *http = t ? mcti_http_client_new(opts->loop, err) : NULL;
    if (!http) {
        mcti_telemetry_settings_done(&settings);
        if (!t)
            mcti_no_memory(err);
        free(t);
        return -1;
    }
    *t = (struct mcti_telemetry){ .settings = settings, .loop = opts->loop, .log = opts->log, .http = http };
    const char *outer = opts->lookup("TRACEPARENT");
    t->has_outer = mcti_trace_parse(mcti_str_of(outer), &t->outer);
    open_signals(t);
    mcti_telemetry_init_tracer(t);
    mcti_telemetry_watch(t, opts->registry);
    *ret = t;
    return 0;
}

struct mcti_tracer *mcti_telemetry_tracer(struct mcti_telemetry *t)
{
    return t ? &t->tracer : NULL;
}

/* ---- the end ---- */

static void telemetry_on_idle(void *data)
{
    struct mcti_telemetry *t = data;
    for (int s = 0; s < MCT_SIGNAL_N; s++)
        if (mcti_telemetry_has(t, (enum mcti_signal)s) && !mcti_export_is_idle(&t->exports[s]))
            return;
    if (t->flushed)
        t->flushed(t->data);
}

void mcti_telemetry_flush(struct mcti_telemetry *t, void (*done)(void *data), void *data)
{
    t->flushed = done;
    t->data = data;
    mcti_telemetry_collect(t);
    for (int s = 0; s < MCT_SIGNAL_N; s++) {
        struct mcti_export *e = &t->exports[s];
        if (!mcti_telemetry_has(t, (enum mcti_signal)s))
            continue;
        e->idle = telemetry_on_idle;
        e->data = t;
        mcti_export_flush(e);
    }
    telemetry_on_idle(t);
}

void mcti_telemetry_free(struct mcti_telemetry *t)
{
    if (!t)
        return;
    mcti_telemetry_unwatch(t);
    mcti_timer_stop(&t->loop->sched, &t->collect);
    for (int s = 0; s < MCT_SIGNAL_N; s++) {
        mcti_export_done(&t->exports[s]);
        free(t->heads[s]);
    }
    mcti_duration_metrics_done(&t->metrics);
    mcti_http_client_free(t->http);
    mcti_telemetry_settings_done(&t->settings);
    free(t);
}
