/* /metrics: Prometheus text. */
#include "front/http/metrics.h"

#include "gateway/activity/series.h"

/* Methods and statuses with a series of their own; all others count as "other", so that clients cannot create series.
 */
static const char *const methods[] = { "GET", "POST", "DELETE", "OPTIONS", "HEAD" };
static const int statuses[] = { 200, 202, 400, 204, 401, 403, 404, 405, 406, 408,
                                409, 413, 415, 429, 431, 500, 501, 503, 0 };

enum { N_METHODS = sizeof methods / sizeof *methods, N_STATUSES = sizeof statuses / sizeof *statuses };

_Static_assert(N_METHODS < sizeof((struct mcti_http_front_counters *)0)->requests /
                               sizeof *((struct mcti_http_front_counters *)0)->requests,
               "the last row is for other methods");
_Static_assert(N_STATUSES < sizeof *((struct mcti_http_front_counters *)0)->requests / sizeof(uint64_t),
               "the last column is for other statuses");

void mcti_metrics_count(struct mcti_front_http *f, const struct mcti_http_exchange *x)
{
    struct mcti_str method = mcti_http_method(x);
    int m = 0, s = 0;
    while (m < N_METHODS && !mcti_str_is(method, methods[m]))
        m++;
    while (s < N_STATUSES && statuses[s] != mcti_http_status(x))
        s++;
    f->counters.requests[m][s]++;
}

static void put_requests(struct mcti_buf *b, const struct mcti_http_front_counters *c)
{
    char status[8];
    mcti_buf_addz(b, "# HELP mcptools_http_requests_total Requests; status 0: the client left before the answer.\n"
                     "# TYPE mcptools_http_requests_total counter\n");
    for (int m = 0; m <= N_METHODS; m++) {
        for (int s = 0; s <= N_STATUSES; s++) {
            if (!c->requests[m][s])
                continue;
            snprintf(status, sizeof status, "%d", s < N_STATUSES ? statuses[s] : 0);
            mcti_buf_printf(b, "mcptools_http_requests_total{method=\"%s\",status=\"%s\"} %llu\n",
                            m < N_METHODS ? methods[m] : "other", s < N_STATUSES ? status : "other",
                            (unsigned long long)c->requests[m][s]);
        }
    }
}

static void metrics_put_one(struct mcti_buf *b, const char *name, const char *type, const char *help, uint64_t value)
{
    mcti_buf_printf(b, "# HELP mcptools_%s %s\n# TYPE mcptools_%s %s\nmcptools_%s %llu\n", name, help, name, type, name,
                    (unsigned long long)value);
}

static void put_cache(struct mcti_buf *b, const struct mcti_gateway *g)
{
    static const struct {
        const char *name, *type, *help;
        enum mcti_cache_count what;
    } rows[] = {
        { "resource_cache_hits_total", "counter", "Reads answered from the cache.", MCT_CACHE_HITS },
        { "resource_cache_misses_total", "counter", "Reads that the cache could not answer.", MCT_CACHE_MISSES },
        { "resource_cache_evicted_total", "counter", "Resources evicted to make room for others.", MCT_CACHE_EVICTED },
        { "resource_cache_entries", "gauge", "Resources in the cache.", MCT_CACHE_ENTRIES },
        { "resource_cache_bytes", "gauge", "Memory of cached resources.", MCT_CACHE_BYTES },
    };
    for (size_t i = 0; g->cache && i < sizeof rows / sizeof *rows; i++) {
        mcti_buf_printf(b, "# HELP mcptools_%s %s\n# TYPE mcptools_%s %s\n", rows[i].name, rows[i].help, rows[i].name,
                        rows[i].type);
        for (size_t k = 0; k < g->registry->n; k++)
            mcti_series_put_number(b, rows[i].name, g->registry->v[k]->name,
                                   mcti_cache_count(g->cache, g->registry->v[k], rows[i].what));
    }
}

static void put_tasks(struct mcti_buf *b, const struct mcti_gateway *g)
{
    mcti_buf_addz(b, "# HELP mcptools_tasks Tasks that run, as far as the gateway knows.\n"
                     "# TYPE mcptools_tasks gauge\n");
    for (size_t i = 0; i < g->registry->n; i++)
        mcti_series_put_number(b, "tasks", g->registry->v[i]->name,
                               mcti_gateway_count_tasks(g, g->registry->v[i]->name));
}

static size_t in_flight(const struct mcti_gateway *g)
{
    size_t n = 0;
    MCT_LIST_EACH(it, &g->peers)
        n += MCT_CONTAINER(it, struct mcti_peer, node)->session.n_inbound;
    return n;
}

void mcti_metrics_put(struct mcti_buf *b, const struct mcti_front_http *f)
{
    const struct mcti_http_counters *h = mcti_http_server_counters(f->server);
    const struct mcti_http_front_counters *c = &f->counters;
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } rows[] = {
        { "http_connections", "gauge", "Open connections.", h->open },
        { "http_connections_total", "counter", "Connections accepted.", h->accepted },
        { "http_connections_refused_total", "counter", "Connections refused because of the limit.", h->turned_away },
        { "http_slow_readers_dropped_total", "counter", "Clients disconnected because they read too slowly.",
          h->dropped },
        { "http_received_bytes_total", "counter", "Bytes from clients.", h->bytes_in },
        { "http_sent_bytes_total", "counter", "Bytes to clients.", h->bytes_out },
        { "sessions", "gauge", "Sessions of handshake clients.", f->n_sessions },
        { "views", "gauge",
          "Views: one for each endpoint, and one for each further choice of dialects, mode and policy.",
          f->n_endpoints + f->n_faces },
        { "streams", "gauge", "Open event streams.", c->n_streams },
        { "events_stored", "gauge", "Events stored for clients that resume a stream.", c->kept - c->forgotten },
        { "events_stored_bytes", "gauge", "Memory of stored events.", f->gateway->memory.tally.held[MCT_HELD_EVENT] },
        { "events_stored_total", "counter", "Events stored so far.", c->kept },
        { "events_replayed_total", "counter", "Stored events that were sent again.", c->replayed },
        { "events_dropped_total", "counter", "Stored events that were discarded.", c->forgotten },
        { "access_log_lines_lost_total", "counter", "Access log lines that could not be written.", f->log.lost },
        { "event_lines_lost_total", "counter", "Event log lines that could not be written.",
          f->event_log ? f->event_log->file.lost : 0 },
        { "audit_log_lines_lost_total", "counter", "Audit log lines that could not be written.",
          f->audit_log ? f->audit_log->file.lost : 0 },
        { "requests_in_flight", "gauge", "MCP requests not answered yet.", in_flight(f->gateway) },
    };
    put_requests(b, c);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        metrics_put_one(b, rows[i].name, rows[i].type, rows[i].help, rows[i].value);
    mcti_visitors_put_memory(b, f);
    mcti_series_put_servers(b, f->gateway->registry);
    put_cache(b, f->gateway);
    put_tasks(b, f->gateway);
}
