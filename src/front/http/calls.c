/* /metrics: outcomes and durations of calls, by server. */
#include "front/http/metrics.h"

#include <stdlib.h>

static const enum mcti_verb verbs[] = { MCT_VERB_TOOLS_CALL, MCT_VERB_PROMPTS_GET, MCT_VERB_RESOURCES_READ };
static const struct {
    uint64_t us;
    const char *le;
} buckets[] = {
    { 5000, "0.005" },  { 10000, "0.01" },  { 25000, "0.025" }, { 50000, "0.05" },      { 100000, "0.1" },
    { 250000, "0.25" }, { 500000, "0.5" },  { 1000000, "1" },   { 2500000, "2.5" },     { 5000000, "5" },
    { 10000000, "10" }, { 30000000, "30" }, { 60000000, "60" }, { UINT64_MAX, "+Inf" },
};

enum { N_VERBS = sizeof verbs / sizeof *verbs, N_BUCKETS = sizeof buckets / sizeof *buckets };

struct server_calls {
    const char *name;                            /* lives as long as the registry */
    uint64_t outcomes[N_VERBS][MCT_ERR_N_KINDS]; /* MCT_ERR_NONE: ok */
    uint64_t buckets[N_BUCKETS];                 /* not cumulative */
    uint64_t n, us;
};

struct call_counters {
    struct mcti_event_listener listener;
    size_t n;                      /* configured servers */
    size_t other;                  /* index of the row "other", which may be a server of that name */
    struct server_calls servers[]; /* n configured servers and the row for all others */
};

static void calls_on_end(struct mcti_event_listener *l, const struct mcti_event *e)
{
    struct call_counters *c = MCT_CONTAINER(l, struct call_counters, listener);
    size_t i = 0, verb = 0, bucket = 0;
    while (i < c->n && !mcti_str_is(e->server, c->servers[i].name))
        i++;
    if (i == c->n)
        i = c->other;
    while (verb < N_VERBS - 1 && verbs[verb] != e->verb)
        verb++;
    while (e->duration_us > buckets[bucket].us)
        bucket++;
    struct server_calls *s = &c->servers[i];
    s->outcomes[verb][e->outcome]++;
    s->buckets[bucket]++;
    s->n++;
    s->us += e->duration_us;
}

int mcti_http_calls_init(struct mcti_front_http *f)
{
    const struct mcti_registry *r = f->gateway->registry;
    if (!f->gateway->events)
        return 0;
    f->calls = calloc(1, sizeof *f->calls + (r->n + 1) * sizeof *f->calls->servers);
    if (!f->calls)
        return -1;
    f->calls->n = f->calls->other = r->n;
    f->calls->servers[r->n].name = "other";
    for (size_t i = 0; i < r->n; i++) {
        f->calls->servers[i].name = r->v[i]->name;
        if (!strcmp(r->v[i]->name, "other"))
            f->calls->other = i;
    }
    f->calls->listener.end = calls_on_end;
    mcti_events_add(f->gateway->events, &f->calls->listener);
    return 0;
}

void mcti_http_calls_done(struct mcti_front_http *f)
{
    if (f->calls)
        mcti_event_listener_remove(&f->calls->listener);
    free(f->calls);
}

static void put_outcomes(struct mcti_buf *b, const struct server_calls *s)
{
    for (int v = 0; v < N_VERBS; v++) {
        for (int kind = 0; kind < MCT_ERR_N_KINDS; kind++) {
            if (!s->outcomes[v][kind])
                continue;
            mcti_buf_addz(b, "mcptools_calls_total{server=\"");
            mcti_metrics_put_label(b, s->name);
            mcti_buf_printf(b, "\",method=\"%s\",outcome=\"%s\"} %llu\n", mcti_method(verbs[v])->name,
                            mcti_outcome_word((enum mct_error_kind)kind), (unsigned long long)s->outcomes[v][kind]);
        }
    }
}

static void calls_put_line(struct mcti_buf *b, const char *what, const struct server_calls *s)
{
    mcti_buf_printf(b, "mcptools_call_duration_seconds_%s{server=\"", what);
    mcti_metrics_put_label(b, s->name);
    mcti_buf_addc(b, '"');
}

static void put_durations(struct mcti_buf *b, const struct server_calls *s)
{
    uint64_t n = 0;
    if (!s->n)
        return;
    for (int i = 0; i < N_BUCKETS; i++) {
        n += s->buckets[i];
        calls_put_line(b, "bucket", s);
        mcti_buf_printf(b, ",le=\"%s\"} %llu\n", buckets[i].le, (unsigned long long)n);
    }
    calls_put_line(b, "sum", s);
    mcti_buf_printf(b, "} %llu.%06llu\n", (unsigned long long)(s->us / 1000000), (unsigned long long)(s->us % 1000000));
    calls_put_line(b, "count", s);
    mcti_buf_printf(b, "} %llu\n", (unsigned long long)s->n);
}

void mcti_http_calls_put(struct mcti_buf *b, const struct mcti_front_http *f)
{
    const struct call_counters *c = f->calls;
    if (!c)
        return;
    mcti_buf_addz(
        b, "# HELP mcptools_calls_total Finished calls; server \"other\": every server outside the configuration.\n"
           "# TYPE mcptools_calls_total counter\n");
    for (size_t i = 0; i <= c->n; i++)
        put_outcomes(b, &c->servers[i]);
    mcti_buf_addz(b, "# HELP mcptools_call_duration_seconds Duration of calls.\n"
                     "# TYPE mcptools_call_duration_seconds histogram\n");
    for (size_t i = 0; i <= c->n; i++)
        put_durations(b, &c->servers[i]);
}
