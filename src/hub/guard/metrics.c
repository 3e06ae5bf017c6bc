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

static const struct {
    const char *name, *type, *help;
    uint64_t (*count)(const struct mcti_gate *g);
} rows[] = {
    { "server_calls_running", "gauge", "Calls that run at a server.", count_running },
    { "server_calls_waiting", "gauge", "Calls that wait until fewer run.", count_waiting },
    { "server_calls_waited_total", "counter", "Calls that have waited for a turn.", count_waited },
    { "server_calls_refused_total", "counter", "Calls refused because too many waited.", count_refused },
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
