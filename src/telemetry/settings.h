/*
 * Settings of telemetry: `mcptools.telemetry` of the configuration, and the variables of OpenTelemetry, which win.
 * Telemetry is off unless one of them names an endpoint.
 */
#ifndef MCT_TELEMETRY_SETTINGS_H
#define MCT_TELEMETRY_SETTINGS_H

#include "base/log/log.h"
#include "base/strings.h"

enum mcti_signal { MCT_SIGNAL_TRACES, MCT_SIGNAL_METRICS, MCT_SIGNAL_LOGS, MCT_SIGNAL_N };

extern const char *const mcti_signal_names[MCT_SIGNAL_N]; /* "traces" … */

/* What the configuration says. Borrowed. */
struct mcti_telemetry_config {
    const char *endpoint; /* base URL; NULL: none */
    const struct mcti_pairs *headers;
    bool off[MCT_SIGNAL_N];
    bool arguments; /* spans have the arguments and results of tools */
};

struct mcti_signal_settings {
    char *url;                            /* NULL: the signal is off */
    struct mcti_pairs headers;            /* secret */
    char *ca_file, *cert_file, *key_file; /* NULL: none */
    unsigned timeout_ms;
    bool gzip;
};

struct mcti_telemetry_settings {
    struct mcti_signal_settings signals[MCT_SIGNAL_N];
    char *service_name;
    struct mcti_pairs resource; /* OTEL_RESOURCE_ATTRIBUTES, decoded */
    bool samples;               /* spans without a parent are recorded, those of `ratio` */
    bool by_parent;             /* a parent decides whether its spans are recorded */
    double ratio;
    bool propagates; /* servers get the trace context */
    bool arguments;
    bool delta;                      /* temporality of metrics; otherwise cumulative */
    unsigned delay_ms[MCT_SIGNAL_N]; /* longest time before a record is sent */
    unsigned max_queue[MCT_SIGNAL_N], max_batch[MCT_SIGNAL_N];
};

/* Reads the settings; `lookup` returns the value of a variable, NULL or an empty text if it is not set. Values that
 * cannot be used are logged as warnings and ignored. Returns -1 when out of memory. */
int mcti_telemetry_settings_read(struct mcti_telemetry_settings *ret, const struct mcti_telemetry_config *c,
                                 const char *(*lookup)(const char *name), const struct mcti_log *log);
void mcti_telemetry_settings_done(struct mcti_telemetry_settings *s);

/* Returns true if any signal is on. */
bool mcti_telemetry_is_on(const struct mcti_telemetry_settings *s);

#endif
