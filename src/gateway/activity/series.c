/* Series of /metrics about servers. */
#include "gateway/activity/series.h"

#include "hub/core/branch.h"
#include "hub/vet/vetted.h"

void mcti_series_put_label(struct mcti_buf *b, const char *text)
{
    for (; *text; text++) {
        if (*text == '\\' || *text == '"')
            mcti_buf_addc(b, '\\');
        mcti_buf_addz(b, *text == '\n' ? "\\n" : "");
        if (*text != '\n')
            mcti_buf_addc(b, *text);
    }
}

void mcti_series_put_number(struct mcti_buf *b, const char *name, const char *server, uint64_t value)
{
    mcti_buf_printf(b, "mcptools_%s{server=\"", name);
    mcti_series_put_label(b, server);
    mcti_buf_printf(b, "\"} %llu\n", (unsigned long long)value);
}

/* ---- numbers of each server ---- */

static uint64_t series_n_connections(const struct mcti_registry *r, const struct mcti_provider *p)
{
    uint64_t n = p->state == MCT_CONNECTED && !p->standby;
    MCT_LIST_EACH(it, &r->branches) {
        const struct mcti_branch *branch = MCT_CONTAINER(it, struct mcti_branch, node);
        n += branch->origin == p && branch->provider->state == MCT_CONNECTED;
    }
    return n;
}

/* Defines a function that returns a number of one server. */
#define SERIES_OF(function, value)                                                                                     \
    static uint64_t function(const struct mcti_registry *r, const struct mcti_provider *p)                             \
    {                                                                                                                  \
        (void)r;                                                                                                       \
        return value;                                                                                                  \
    }

SERIES_OF(series_n_lists_failed, mcti_provider_lacks_lists(p, NULL))
SERIES_OF(series_n_quarantined, mcti_vetted_n_barred(p))
SERIES_OF(series_n_quarantines, p->n_quarantines)
SERIES_OF(series_n_warnings, p->n_warnings)
SERIES_OF(series_n_calls, p->n_calls)
SERIES_OF(series_n_uris_refused, p->n_uris_refused)

static const struct series_row {
    const char *name, *type, *help;
    uint64_t (*value)(const struct mcti_registry *r, const struct mcti_provider *p);
} series_rows[] = {
    { "server_connections", "gauge", "Connections to a server, its own and those of clients.", series_n_connections },
    { "server_lists_failed", "gauge", "Lists of a connected server that could not be fetched.", series_n_lists_failed },
    { "server_quarantined", "gauge", "Items and texts of a server that are quarantined.", series_n_quarantined },
    { "server_quarantines_total", "counter", "Findings that quarantined something.", series_n_quarantines },
    { "server_warnings_total", "counter", "Findings about a server that quarantined nothing.", series_n_warnings },
    { "server_calls_total", "counter", "Calls sent to a server.", series_n_calls },
    { "resource_uri_refused_total", "counter", "Reads that resource_uri_allowlist refused.", series_n_uris_refused },
};

void mcti_series_put_servers(struct mcti_buf *b, const struct mcti_registry *r)
{
    static const char *const states[] = { "disconnected", "connecting", "connected", "error", "idle" };
    mcti_buf_addz(b, "# HELP mcptools_server_state 1 for the state a server is in.\n"
                     "# TYPE mcptools_server_state gauge\n");
    for (size_t i = 0; i < r->n; i++) {
        for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
            mcti_buf_addz(b, "mcptools_server_state{server=\"");
            mcti_series_put_label(b, r->v[i]->name);
            mcti_buf_printf(b, "\",state=\"%s\"} %d\n", states[k],
                            !strcmp(mcti_provider_state_word(r->v[i]), states[k]));
        }
    }
    for (size_t k = 0; k < sizeof series_rows / sizeof *series_rows; k++) {
        const struct series_row *row = &series_rows[k];
        mcti_buf_printf(b, "# HELP mcptools_%s %s\n# TYPE mcptools_%s %s\n", row->name, row->help, row->name,
                        row->type);
        for (size_t i = 0; i < r->n; i++)
            mcti_series_put_number(b, row->name, r->v[i]->name, row->value(r, r->v[i]));
    }
}
