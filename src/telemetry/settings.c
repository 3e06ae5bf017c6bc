#include "telemetry/settings.h"

#include <stdio.h>
#include <stdlib.h>

const char *const mcti_signal_names[MCT_SIGNAL_N] = { "traces", "metrics", "logs" };

enum { DEFAULT_TIMEOUT_MS = 10000, MOST_MS = 86400000, MOST_RECORDS = 1 << 20 };

/* Reading the variables. `failed`: memory ran out. */
struct reader {
    const char *(*lookup)(const char *name);
    const struct mcti_log *log;
    bool failed;
};

/* ---- texts ---- */

/* Returns the value of a variable; NULL if it is unset or empty. */
static const char *reader_get(const struct reader *r, const char *name)
{
    const char *value = r->lookup(name);
    return value && *value ? value : NULL;
}

/* Returns OTEL_EXPORTER_OTLP_SIGNAL_SUFFIX or, if that is not set, OTEL_EXPORTER_OTLP_SUFFIX. */
static const char *reader_get_otlp(const struct reader *r, enum mcti_signal s, const char *suffix)
{
    static const char *const upper[MCT_SIGNAL_N] = { "TRACES", "METRICS", "LOGS" };
    char name[80];
    snprintf(name, sizeof name, "OTEL_EXPORTER_OTLP_%s_%s", upper[s], suffix);
    const char *value = reader_get(r, name);
    snprintf(name, sizeof name, "OTEL_EXPORTER_OTLP_%s", suffix);
    return value ? value : reader_get(r, name);
}

static char *reader_keep(struct reader *r, char *take_text)
{
    r->failed |= !take_text;
    return take_text;
}

static char *reader_dup(struct reader *r, const char *text)
{
    return text ? reader_keep(r, strdup(text)) : NULL;
}

static bool reader_is_true(const struct reader *r, const char *name)
{
    const char *value = reader_get(r, name);
    return value && mcti_str_eq_nocase(mcti_str_of(value), MCT_STR("true"));
}

static unsigned reader_number(const struct reader *r, const char *name, unsigned preset, unsigned max)
{
    const char *value = reader_get(r, name);
    char *end = NULL;
    unsigned long n = value ? strtoul(value, &end, 10) : preset;
    if (!value || (*value >= '0' && *value <= '9' && !*end && n && n <= max))
        return (unsigned)n;
    mcti_log(r->log, MCT_LOG_WARN, "telemetry: %s is not a number from 1 to %u; %u is used", name, max, preset);
    return preset;
}

/* ---- lists: k=v,k=v with percent-encoded values ---- */

static void percent_decode(char *text)
{
    const struct mcti_str s = mcti_str_of(text);
    char *to = text;
    for (size_t i = 0; i < s.len; i++) {
        int byte = mcti_str_percent(s, i);
        *to++ = byte >= 0 ? (char)byte : s.p[i];
        i += byte >= 0 ? 2 : 0;
    }
    *to = '\0';
}

static void pairs_add(struct reader *r, struct mcti_pairs *to, struct mcti_str key, struct mcti_str value)
{
    struct mcti_pair *v = realloc(to->v, (to->n + 1) * sizeof *v);
    struct mcti_pair pair = { mcti_str_dup(key), mcti_str_dup(value) };
    if (v)
        to->v = v;
    if (!v || !pair.key || !pair.value) {
        free(pair.key);
        free(pair.value);
        r->failed = true;
        return;
    }
    percent_decode(pair.value);
    to->v[to->n++] = pair;
}

static void reader_pairs(struct reader *r, const char *name, const char *list, struct mcti_pairs *to)
{
    struct mcti_str rest = mcti_str_of(list), item, key;
    while (list && mcti_str_split(&rest, ',', &item)) {
        item = mcti_str_trim(item);
        if (!item.len)
            continue;
        if (!memchr(item.p, '=', item.len)) {
            mcti_log(r->log, MCT_LOG_WARN, "telemetry: an item of %s has no \"=\" and is ignored", name);
            continue;
        }
        mcti_str_split(&item, '=', &key);
        pairs_add(r, to, mcti_str_trim(key), mcti_str_trim(item));
    }
}

/* ---- one signal ---- */

static char *join_url(const char *base, const char *path)
{
    size_t n = strlen(base);
    const char *slash = n && base[n - 1] == '/' ? "" : "/";
    size_t size = n + strlen(slash) + strlen(path) + 1;
    char *url = malloc(size);
    if (url)
        snprintf(url, size, "%s%s%s", base, slash, path);
    return url;
}

/* Returns false if OTEL_SIGNAL_EXPORTER switches the signal off. */
static bool signal_is_exported(const struct reader *r, enum mcti_signal s)
{
    static const char *const names[MCT_SIGNAL_N] = { "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER",
                                                     "OTEL_LOGS_EXPORTER" };
    const char *value = reader_get(r, names[s]);
    if (!value || !strcmp(value, "otlp"))
        return true;
    if (strcmp(value, "none") != 0)
        mcti_log(r->log, MCT_LOG_WARN, "telemetry: %s=%s is not supported (otlp or none): no %s are sent", names[s],
                 value, mcti_signal_names[s]);
    return false;
}

/* Returns the URL that records of the signal are sent to; NULL: none. */
static char *signal_url(struct reader *r, enum mcti_signal s, const struct mcti_telemetry_config *c)
{
    static const char *const own[MCT_SIGNAL_N] = { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                                                   "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
                                                   "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT" };
    static const char *const paths[MCT_SIGNAL_N] = { "v1/traces", "v1/metrics", "v1/logs" };
    const char *whole = reader_get(r, own[s]), *base = reader_get(r, "OTEL_EXPORTER_OTLP_ENDPOINT");
    if (whole && strncmp(whole, "http://", 7) != 0 && strncmp(whole, "https://", 8) != 0)
        return mcti_log(r->log, MCT_LOG_WARN, "telemetry: %s is not an http or https URL: no %s are sent", own[s],
                        mcti_signal_names[s]),
               NULL;
    if (whole)
        return reader_dup(r, whole);
    base = base ? base : c->endpoint;
    if (base && strncmp(base, "http://", 7) != 0 && strncmp(base, "https://", 8) != 0)
        return s ? NULL
                 : (mcti_log(r->log, MCT_LOG_WARN,
                             "telemetry: the endpoint is not an http or https URL: nothing is sent"),
                    NULL);
    return base ? reader_keep(r, join_url(base, paths[s])) : NULL;
}

static void signal_check_protocol(const struct reader *r, enum mcti_signal s)
{
    const char *protocol = reader_get_otlp(r, s, "PROTOCOL");
    if (protocol && strcmp(protocol, "http/json") != 0)
        mcti_log(r->log, MCT_LOG_WARN, "telemetry: %s are sent as http/json; the protocol %s is not supported",
                 mcti_signal_names[s], protocol);
}

static bool signal_gzip(const struct reader *r, enum mcti_signal s)
{
    const char *how = reader_get_otlp(r, s, "COMPRESSION");
    if (how && strcmp(how, "gzip") != 0 && strcmp(how, "none") != 0)
        mcti_log(r->log, MCT_LOG_WARN, "telemetry: compression %s is not supported (gzip or none)", how);
    return how && !strcmp(how, "gzip");
}

static unsigned signal_timeout(const struct reader *r, enum mcti_signal s)
{
    static const char *const names[MCT_SIGNAL_N] = { "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
                                                     "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT",
                                                     "OTEL_EXPORTER_OTLP_LOGS_TIMEOUT" };
    unsigned common = reader_number(r, "OTEL_EXPORTER_OTLP_TIMEOUT", DEFAULT_TIMEOUT_MS, MOST_MS);
    return reader_number(r, names[s], common, MOST_MS);
}

static void signal_read(struct reader *r, enum mcti_signal s, const struct mcti_telemetry_config *c,
                        struct mcti_signal_settings *to)
{
    const char *headers = reader_get_otlp(r, s, "HEADERS");
    if (c->off[s] || !signal_is_exported(r, s) || !(to->url = signal_url(r, s, c)))
        return;
    signal_check_protocol(r, s);
    for (size_t i = 0; !headers && c->headers && i < c->headers->n; i++)
        pairs_add(r, &to->headers, mcti_str_of(c->headers->v[i].key), mcti_str_of(c->headers->v[i].value));
    reader_pairs(r, "OTEL_EXPORTER_OTLP_HEADERS", headers, &to->headers);
    to->ca_file = reader_dup(r, reader_get_otlp(r, s, "CERTIFICATE"));
    to->cert_file = reader_dup(r, reader_get_otlp(r, s, "CLIENT_CERTIFICATE"));
    to->key_file = reader_dup(r, reader_get_otlp(r, s, "CLIENT_KEY"));
    to->timeout_ms = signal_timeout(r, s);
    to->gzip = signal_gzip(r, s);
}

/* ---- all ---- */

static void read_sampler(struct reader *r, struct mcti_telemetry_settings *to)
{
    static const char parent[] = "parentbased_";
    const char *name = reader_get(r, "OTEL_TRACES_SAMPLER"), *arg = reader_get(r, "OTEL_TRACES_SAMPLER_ARG");
    to->samples = to->by_parent = true;
    to->ratio = 1;
    if (!name)
        return;
    to->by_parent = !strncmp(name, parent, sizeof parent - 1);
    const char *root = to->by_parent ? name + sizeof parent - 1 : name;
    if (!strcmp(root, "always_off")) {
        to->samples = false;
    } else if (!strcmp(root, "traceidratio")) {
        char *end = NULL;
        double ratio = arg ? strtod(arg, &end) : 1;
        bool fits = !arg || (!*end && ratio >= 0 && ratio <= 1);
        to->ratio = fits ? ratio : 1;
        if (!fits)
            mcti_log(r->log, MCT_LOG_WARN, "telemetry: OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1; 1 is used");
    } else if (strcmp(root, "always_on") != 0) {
        mcti_log(r->log, MCT_LOG_WARN, "telemetry: the sampler %s is not supported; parentbased_always_on is used",
                 name);
        to->by_parent = true;
    }
}

static void read_batches(struct reader *r, struct mcti_telemetry_settings *to)
{
    static const struct {
        const char *delay, *queue, *batch;
        unsigned delay_ms;
    } rows[MCT_SIGNAL_N] = {
        { "OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 5000 },
        { "OTEL_METRIC_EXPORT_INTERVAL", NULL, NULL, 60000 },
        { "OTEL_BLRP_SCHEDULE_DELAY", "OTEL_BLRP_MAX_QUEUE_SIZE", "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", 1000 },
    };
    for (int s = 0; s < MCT_SIGNAL_N; s++) {
        to->delay_ms[s] = reader_number(r, rows[s].delay, rows[s].delay_ms, MOST_MS);
        to->max_queue[s] = rows[s].queue ? reader_number(r, rows[s].queue, 2048, MOST_RECORDS) : 1;
        to->max_batch[s] = rows[s].batch ? reader_number(r, rows[s].batch, 512, MOST_RECORDS) : 1;
    }
}

/* Takes service.name out of the resource: OTEL_SERVICE_NAME wins over it. */
static void settings_read_resource(struct reader *r, struct mcti_telemetry_settings *to)
{
    const char *name = reader_get(r, "OTEL_SERVICE_NAME");
    reader_pairs(r, "OTEL_RESOURCE_ATTRIBUTES", reader_get(r, "OTEL_RESOURCE_ATTRIBUTES"), &to->resource);
    for (size_t i = 0; i < to->resource.n; i++)
        if (!strcmp(to->resource.v[i].key, "service.name") && !name)
            name = to->resource.v[i].value;
    to->service_name = reader_dup(r, name ? name : "mcptools");
}

static void read_rest(struct reader *r, struct mcti_telemetry_settings *to)
{
    const char *temporality = reader_get(r, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE");
    const char *propagators = reader_get(r, "OTEL_PROPAGATORS");
    settings_read_resource(r, to);
    read_sampler(r, to);
    read_batches(r, to);
    to->propagates = !propagators || strstr(propagators, "tracecontext");
    to->delta = temporality && (!strcmp(temporality, "delta") || !strcmp(temporality, "lowmemory"));
    if (reader_get(r, "OTEL_CONFIG_FILE") || reader_get(r, "OTEL_EXPERIMENTAL_CONFIG_FILE"))
        mcti_log(r->log, MCT_LOG_WARN, "telemetry: OTEL_CONFIG_FILE is not supported and is ignored");
}

int mcti_telemetry_settings_read(struct mcti_telemetry_settings *ret, const struct mcti_telemetry_config *c,
                                 const char *(*lookup)(const char *name), const struct mcti_log *log)
{
    struct reader r = { lookup, log, false };
    *ret = (struct mcti_telemetry_settings){ .arguments = c->arguments };
    if (reader_is_true(&r, "OTEL_SDK_DISABLED"))
        return 0;
    for (int s = 0; s < MCT_SIGNAL_N; s++)
        signal_read(&r, s, c, &ret->signals[s]);
    if (mcti_telemetry_is_on(ret))
        read_rest(&r, ret);
    if (!r.failed)
        return 0;
    mcti_telemetry_settings_done(ret);
    return -1;
}

bool mcti_telemetry_is_on(const struct mcti_telemetry_settings *s)
{
    return s->signals[MCT_SIGNAL_TRACES].url || s->signals[MCT_SIGNAL_METRICS].url || s->signals[MCT_SIGNAL_LOGS].url;
}

void mcti_telemetry_settings_done(struct mcti_telemetry_settings *s)
{
    for (int i = 0; i < MCT_SIGNAL_N; i++) {
        struct mcti_signal_settings *one = &s->signals[i];
        for (size_t k = 0; k < one->headers.n; k++) {
            mcti_secret_free(one->headers.v[k].value);
            one->headers.v[k].value = NULL;
        }
        mcti_pairs_clear(&one->headers);
        free(one->url);
        free(one->ca_file);
        free(one->cert_file);
        free(one->key_file);
    }
    mcti_pairs_clear(&s->resource);
    free(s->service_name);
    *s = (struct mcti_telemetry_settings){ 0 };
}
