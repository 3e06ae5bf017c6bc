/* Log records, and the durations of sessions with servers. */
#include "telemetry/impl.h"

#include "base/clock.h"
#include "mcp/era.h"
#include "telemetry/attributes.h"

#include <stdlib.h>

enum { LINE_BYTES = 8192, RECORD_BYTES = 64 << 10, METRICS_BYTES = 8 << 20 };

/* A connected server. */
struct telemetry_session {
    struct mcti_map_node node;
    const struct mcti_provider *provider; /* the key: its address */
    uint64_t since_us;
};

static struct mcti_str address_of(const struct mcti_provider *const *p)
{
    return (struct mcti_str){ (const char *)p, sizeof *p };
}

/* ---- log records ---- */

struct severity {
    const char *word;
    int number;
};

/* Queues a record with this body, a raw JSON value. */
static void put_record(struct mcti_telemetry *t, struct severity s, struct mcti_str body, struct mcti_str attributes)
{
    uint64_t now_us = mcti_clock_wall_us();
    struct mcti_buf b;
    mcti_buf_init(&b, RECORD_BYTES);
    mcti_buf_addc(&b, '{');
    mcti_otlp_put_u64(&b, "timeUnixNano", now_us * 1000);
    mcti_otlp_put_u64(&b, "observedTimeUnixNano", now_us * 1000);
    mcti_buf_printf(&b, ",\"severityNumber\":%d,\"severityText\":\"%s\",\"body\":{", s.number, s.word);
    mcti_json_put_member(&b, "stringValue", body);
    mcti_buf_addz(&b, "},\"attributes\":[");
    mcti_buf_add(&b, attributes);
    mcti_buf_addz(&b, "]}");
    if (mcti_buf_ok(&b))
        mcti_export_add(&t->exports[MCT_SIGNAL_LOGS], mcti_buf_str(&b));
    mcti_buf_done(&b);
}

void mcti_telemetry_log(struct mcti_telemetry *t, enum mct_log_level level, const char *line)
{
    static const struct severity severities[] = { [MCT_LOG_ERROR] = { "ERROR", 17 },
                                                  [MCT_LOG_WARN] = { "WARN", 13 },
                                                  [MCT_LOG_INFO] = { "INFO", 9 },
                                                  [MCT_LOG_DEBUG] = { "DEBUG", 5 } };
    if (!t || !mcti_telemetry_has(t, MCT_SIGNAL_LOGS) || t->is_logging)
        return;
    t->is_logging = true; /* a full queue is logged as well */
    put_record(t, severities[level], mcti_str_of(line), MCT_STR(""));
    t->is_logging = false;
}

/* Returns the severity of a level of MCP's logging. */
static struct severity severity_of(struct mcti_str level)
{
    static const struct severity words[] = {
        { "debug", 5 },  { "info", 9 },      { "notice", 10 }, { "warning", 13 },
        { "error", 17 }, { "critical", 18 }, { "alert", 19 },  { "emergency", 21 }
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mcti_json_is(level, words[i].word))
            return words[i];
    return words[1];
}

static void telemetry_on_message(struct mcti_watcher *w, struct mcti_provider *p, struct mcti_str params)
{
    struct mcti_telemetry *t = MCT_CONTAINER(w, struct mcti_telemetry, watcher);
    struct mcti_str body = mcti_json_get(params, "data");
    struct mcti_buf text, attributes;
    if (!mcti_telemetry_has(t, MCT_SIGNAL_LOGS))
        return;
    mcti_buf_init(&text, body.len + 16);
    mcti_buf_init(&attributes, RECORD_BYTES);
    if (mcti_json_unescape_any(body, &text) < 0)
        mcti_buf_add(&text, body);
    mcti_attribute_text(&attributes, "mcptools.server", mcti_str_of(p->name));
    mcti_attribute_value(&attributes, "mcptools.logger", mcti_json_get(params, "logger"));
    struct mcti_str said = mcti_buf_str(&text);
    said.len = said.len < LINE_BYTES ? said.len : LINE_BYTES;
    put_record(t, severity_of(mcti_json_get(params, "level")), said, mcti_buf_str(&attributes));
    mcti_buf_done(&attributes);
    mcti_buf_done(&text);
}

/* ---- sessions with servers ---- */

static void session_begin(struct mcti_telemetry *t, const struct mcti_provider *p)
{
    struct telemetry_session *s = calloc(1, sizeof *s);
    if (!s)
        return;
    *s = (struct telemetry_session){ .provider = p, .since_us = mcti_clock_since_us() };
    if (mcti_map_put(&t->sessions, &s->node, address_of(&s->provider)) < 0)
        free(s);
}

static void session_end(struct mcti_telemetry *t, struct telemetry_session *s, const struct mcti_provider *p)
{
    struct mcti_buf b;
    mcti_map_remove(&t->sessions, &s->node);
    mcti_buf_init(&b, 4096);
    mcti_attribute_text(&b, "mcptools.server", mcti_str_of(p->name));
    if (p->info.rev)
        mcti_attribute_text(&b, "mcp.protocol.version", mcti_str_of(mcti_rev_text(p->info.rev)));
    if (p->state == MCT_FAILED)
        mcti_attribute_text(&b, "error.type", mcti_str_of(mct_error_word(p->error->kind)));
    if (mcti_buf_ok(&b))
        mcti_duration_metrics_add(&t->metrics, MCT_METRIC_CLIENT_SESSION, mcti_buf_str(&b),
                                  mcti_clock_since_us() - s->since_us);
    mcti_buf_done(&b);
    free(s);
}

static void telemetry_on_state(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_telemetry *t = MCT_CONTAINER(w, struct mcti_telemetry, watcher);
    const struct mcti_provider *key = p;
    struct mcti_map_node *node = mcti_map_get(&t->sessions, address_of(&key));
    if (!mcti_telemetry_has(t, MCT_SIGNAL_METRICS))
        return;
    if (p->state == MCT_CONNECTED && !node)
        session_begin(t, p);
    else if (p->state != MCT_CONNECTED && node)
        session_end(t, MCT_CONTAINER(node, struct telemetry_session, node), p);
}

static void telemetry_on_left(struct mcti_watcher *w, struct mcti_provider *p)
{
    struct mcti_telemetry *t = MCT_CONTAINER(w, struct mcti_telemetry, watcher);
    const struct mcti_provider *key = p;
    struct mcti_map_node *node = mcti_map_get(&t->sessions, address_of(&key));
    if (node)
        session_end(t, MCT_CONTAINER(node, struct telemetry_session, node), p);
}

void mcti_telemetry_watch(struct mcti_telemetry *t, struct mcti_registry *r)
{
    mcti_map_init(&t->sessions);
    t->watcher = (struct mcti_watcher){ .state = telemetry_on_state,
                                        .message = telemetry_on_message,
                                        .left = telemetry_on_left };
    mcti_registry_watch(r, &t->watcher);
}

void mcti_telemetry_unwatch(struct mcti_telemetry *t)
{
    struct mcti_map_node *node;
    mcti_watcher_remove(&t->watcher);
    while ((node = mcti_map_any(&t->sessions))) {
        mcti_map_remove(&t->sessions, node);
        free(MCT_CONTAINER(node, struct telemetry_session, node));
    }
    mcti_map_done(&t->sessions);
}

/* ---- durations ---- */

void mcti_telemetry_collect(struct mcti_telemetry *t)
{
    struct mcti_buf b;
    if (!mcti_telemetry_has(t, MCT_SIGNAL_METRICS) || !t->metrics.changed)
        return;
    mcti_buf_init(&b, METRICS_BYTES);
    mcti_duration_metrics_put(&t->metrics, &b, mcti_clock_wall_us());
    if (mcti_buf_ok(&b))
        mcti_export_add(&t->exports[MCT_SIGNAL_METRICS], mcti_buf_str(&b));
    mcti_buf_done(&b);
}
