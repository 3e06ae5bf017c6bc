/* /metrics: outcomes and durations of calls, by server. */
#include "front/http/metrics.h"
#include "front/page/impl.h"

#include "gateway/activity/series.h"

static void put_outcomes(struct mcti_buf *b, const char *name, const struct mcti_activity_calls *c)
{
    for (int v = 0; v < MCT_ACTIVITY_VERBS; v++) {
        const char *method = mcti_method(mcti_activity_verbs[v])->name; /* of extensions: none, there may be many */
        for (int kind = 0; kind < MCT_ERR_N_KINDS; kind++) {
            if (!c->outcomes[v][kind])
                continue;
            mcti_buf_addz(b, "mcptools_calls_total{server=\"");
            mcti_series_put_label(b, name);
            mcti_buf_printf(b, "\",method=\"%s\",outcome=\"%s\"} %llu\n", *method ? method : "extension",
                            mcti_outcome_word((enum mct_error_kind)kind), (unsigned long long)c->outcomes[v][kind]);
        }
    }
}

static void calls_put_line(struct mcti_buf *b, const char *what, const char *name)
{
    mcti_buf_printf(b, "mcptools_call_duration_seconds_%s{server=\"", what);
    mcti_series_put_label(b, name);
    mcti_buf_addc(b, '"');
}

static void put_durations(struct mcti_buf *b, const char *name, const struct mcti_activity_calls *c)
{
    const struct mcti_latency *l = &c->latency;
    uint64_t n = 0;
    if (!l->n)
        return;
    for (int i = 0; i < MCT_LATENCY_SECONDS; i++) {
        n += l->seconds[i];
        calls_put_line(b, "bucket", name);
        mcti_buf_printf(b, ",le=\"%s\"} %llu\n", mcti_latency_bounds[i].le, (unsigned long long)n);
    }
    calls_put_line(b, "sum", name);
    mcti_buf_printf(b, "} %llu.%06llu\n", (unsigned long long)(l->us / 1000000), (unsigned long long)(l->us % 1000000));
    calls_put_line(b, "count", name);
    mcti_buf_printf(b, "} %llu\n", (unsigned long long)l->n);
}

/* Calls `put` for each server that was called, in the order of the registry, and for all that are not in it. */
static void calls_each(struct mcti_buf *b, const struct mcti_gateway *g,
                       void (*put)(struct mcti_buf *b, const char *name, const struct mcti_activity_calls *c))
{
    for (size_t i = 0; i < g->registry->n; i++) {
        const char *name = g->registry->v[i]->name;
        const struct mcti_activity_server *s = mcti_activity_server_find(g->activity, mcti_str_of(name));
        if (s && s->calls)
            put(b, name, s->calls);
    }
    if (g->activity->other)
        put(b, "other", g->activity->other);
}

void mcti_page_put_calls(struct mcti_buf *b, const struct mcti_gateway *g)
{
    mcti_buf_addz(
        b, "# HELP mcptools_calls_total Finished calls; server \"other\": every server outside the configuration.\n"
           "# TYPE mcptools_calls_total counter\n");
    calls_each(b, g, put_outcomes);
    mcti_buf_addz(b, "# HELP mcptools_call_duration_seconds Duration of calls.\n"
                     "# TYPE mcptools_call_duration_seconds histogram\n");
    calls_each(b, g, put_durations);
}

void mcti_page_put_results(struct mcti_buf *b, const struct mcti_gateway *g)
{
    const struct mcti_results *r = g->results;
    if (!r || (!r->on && !r->n_cut))
        return;
    mcti_buf_printf(b,
                    "# HELP mcptools_results_kept Results over their budget that are kept.\n"
                    "# TYPE mcptools_results_kept gauge\nmcptools_results_kept %zu\n"
                    "# HELP mcptools_results_bytes Memory of these results.\n"
                    "# TYPE mcptools_results_bytes gauge\nmcptools_results_bytes %zu\n",
                    r->n, r->bytes);
    mcti_buf_printf(b,
                    "# HELP mcptools_results_cut_total Results that were over their budget.\n"
                    "# TYPE mcptools_results_cut_total counter\nmcptools_results_cut_total %llu\n"
                    "# HELP mcptools_results_evicted_total Kept results that made room for others.\n"
                    "# TYPE mcptools_results_evicted_total counter\nmcptools_results_evicted_total %llu\n",
                    (unsigned long long)r->n_cut, (unsigned long long)r->n_evicted);
}
