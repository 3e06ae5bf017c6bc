#include "hub/guard/metrics.h"

#include "hub/guard/gate.h"

static uint64_t count_running(const struct mcti_gate *g)
{
    return g->n_running;
}

static uint64_t count_waiting(const struct mcti_gate *g)
{
    return g->waiting.n;
}

static uint64_t count_waited(const struct mcti_gate *g)
{
    return g->n_waited;
}

static uint64_t count_refused(const struct mcti_gate *g)
{
    return g->n_refused;
}

static uint64_t count_opened(const struct mcti_gate *g)
{
    return g->breaker.n_opened;
}

static uint64_t count_barred(const struct mcti_gate *g)
{
    return g->breaker.n_refused;
}

static uint64_t count_open(const struct mcti_gate *g)
{
    return g->breaker.is_open;
}

static uint64_t count_retries(const struct mcti_gate *g)
{
    return g->n_retries;
}

static uint64_t count_not_retried(const struct mcti_gate *g)
{
    return g->n_not_retried;
}

static uint64_t count_paused(const struct mcti_gate *g)
{
    return g->held_until_ms != 0;
}

static const struct {
    const char *name, *type, *help;
    uint64_t (*count)(const struct mcti_gate *g);
} rows[] = {
    { "server_calls_running", "gauge", "Calls that run at a server.", count_running },
    { "server_calls_waiting", "gauge", "Calls that wait until fewer run.", count_waiting },
    { "server_calls_waited_total", "counter", "Calls that have waited for a turn.", count_waited },
    { "server_calls_refused_total", "counter", "Calls refused because too many waited.", count_refused },
    { "server_paused", "gauge", "1 while a server gets no calls because it is busy or its rate is used up.",
      count_paused },
    { "server_retries_total", "counter", "Calls that were sent again after a failure.", count_retries },
    { "server_retries_refused_total", "counter", "Calls not sent again because too many were.", count_not_retried },
    { "server_breaker_open", "gauge", "1 while calls to a server are refused because it fails.", count_open },
    { "server_breaker_opened_total", "counter", "Times that a server failed too often.", count_opened },
    { "server_breaker_refused_total", "counter", "Calls refused because the server fails.", count_barred },
};

static void metrics_put_server(struct mcti_buf *to, const char *name, const char *server, uint64_t value)
{
    mcti_buf_printf(to, "mcptools_%s{server=\"", name);
    for (const char *c = server; *c; c++) {
        if (*c == '\\' || *c == '"')
            mcti_buf_addc(to, '\\');
        mcti_buf_addc(to, *c == '\n' ? ' ' : *c);
    }
    mcti_buf_printf(to, "\"} %llu\n", (unsigned long long)value);
}

void mcti_gate_put_metrics(struct mcti_buf *to, const struct mcti_registry *r)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        mcti_buf_printf(to, "# HELP mcptools_%s %s\n# TYPE mcptools_%s %s\n", rows[k].name, rows[k].help, rows[k].name,
                        rows[k].type);
        for (size_t i = 0; i < r->n; i++) {
            const struct mcti_gate *g = mcti_gate_of(r->v[i]);
            if (g)
                metrics_put_server(to, rows[k].name, r->v[i]->name, rows[k].count(g));
        }
    }
}
