#include "cli/show/tools_cost.h"

#include "hub/local/local.h"
#include "json/write.h"

enum { MAX_DIALECTS = 16, BYTES_OF_TOKEN = 4 };

static const char *const servers[] = {
    "github",     "filesystem",   "postgres", "slack",           "notion",    "linear",  "jira",
    "confluence", "figma",        "sentry",   "gitlab",          "mysql",     "sqlite",  "mongodb",
    "redis",      "google-drive", "gmail",    "google-calendar", "outlook",   "dropbox", "box",
    "s3",         "stripe",       "shopify",  "salesforce",      "hubspot",   "zendesk", "intercom",
    "airtable",   "asana",        "trello",   "monday",          "clickup",   "docs",    "brave-search",
    "puppeteer",  "playwright",   "docker",   "kubernetes",      "terraform", "aws",     "gcp",
    "azure",      "cloudflare",   "vercel",   "netlify",         "datadog",   "grafana", "elasticsearch",
    "snowflake",
};

static const char *const resources[] = {
    "README.md",  "CHANGELOG.md", "docs/architecture.md", "docs/getting-started.md", "schema/users", "schema/orders",
    "logs/today", "settings",     "issues/open",          "reports/weekly",
};

enum { N_RESOURCES = sizeof resources / sizeof *resources };

static const char *const verbs[] = { "search", "get",     "list",   "create", "update",
                                     "delete", "comment", "export", "watch",  "share" };

enum { N_VERBS = sizeof verbs / sizeof *verbs };

static const size_t rows[] = { 1, 3, 10, 50 };

_Static_assert(sizeof servers / sizeof *servers == 50, "as many as the longest row needs");

struct row {
    size_t n_servers, n_resources;
    bool is_configured;
    size_t n_tools, full, search; /* full: all tools of the servers; search: the three tools of search mode */
    size_t bytes[MAX_DIALECTS];
};

/* ---- sample servers ---- */

static void tools_cost_on_read(struct mcti_local_request *r, void *data)
{
    mcti_local_contents(r, "text/plain", mcti_str_of(data));
}

static int add_resource(struct mcti_provider *p, const char *name)
{
    struct mct_error err;
    char json[256];
    snprintf(json, sizeof json, "{\"uri\":\"%s://%s\",\"name\":\"%s\"}", p->name, name, name);
    return mcti_local_add(p, MCT_RESOURCE, json, tools_cost_on_read, (char *)"", &err);
}

static void tools_cost_on_call(struct mcti_local_request *r, void *data)
{
    mcti_local_text(r, "%s", (const char *)data);
}

/* Adds a tool with a definition of common size. */
static int tools_cost_add_tool(struct mcti_provider *p, const char *verb)
{
    struct mct_error err;
    char json[1024];
    snprintf(json, sizeof json,
             "{\"name\":\"%s_items\",\"description\":\"%c%s items of %s. Returns the items that match, newest first, "
             "with their "
             "identifiers.\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\","
             "\"description\":"
             "\"What to look "
             "for\"},\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100},\"cursor\":{\"type\":\"string\"}},"
             "\"required\":[\"query\"]}}",
             verb, verb[0] - 'a' + 'A', verb + 1, p->name);
    return mcti_local_add(p, MCT_TOOL, json, tools_cost_on_call, (char *)"", &err);
}

static int add_server(struct mcti_registry *r, const char *name)
{
    struct mcti_provider *p = mcti_provider_local_new(name, r->sched, NULL);
    if (!p || mcti_registry_add(r, p) < 0)
        return -1;
    for (size_t i = 0; i < N_RESOURCES; i++)
        if (add_resource(p, resources[i]) < 0)
            return -1;
    for (size_t i = 0; i < N_VERBS; i++)
        if (tools_cost_add_tool(p, verbs[i]) < 0)
            return -1;
    return 0;
}

/* ---- measuring ---- */

/* Returns the size in bytes of the tool list of a client with this offer; 0 when out of memory. */
static size_t tools_cost_measure(const struct mcti_app *app, struct mcti_registry *r, const struct mcti_offer *offer)
{
    struct mcti_page page = { 0 };
    struct mcti_view v;
    if (mcti_view_init(&v, r, &(struct mcti_view_opts){ .naming = &app->inst.naming, .ruled = offer->ruled }) < 0)
        return 0;
    int ok = mcti_dialects_attach(&v, offer, &app->inst.dialect, NULL, NULL) == 0 &&
             mcti_view_first_page(&v, &(struct mcti_list_of){ MCT_TOOL, MCT_REV_LATEST }, SIZE_MAX, &page) == 0;
    mcti_view_done(&v);
    return ok ? page.items.len + 2 : 0;
}

static void measure_all(const struct mcti_app *app, struct mcti_registry *r, struct row *row)
{
    row->n_servers = r->n;
    for (size_t i = 0; i < r->n; i++)
        row->n_resources += r->v[i]->items[MCT_RESOURCE].n;
    for (unsigned i = 0; i < MAX_DIALECTS && mcti_dialect_name(i); i++)
        row->bytes[i] = tools_cost_measure(app, r, &(struct mcti_offer){ .dialects = 1u << i, .alone = true });
    for (size_t i = 0; i < r->n; i++)
        row->n_tools += r->v[i]->items[MCT_TOOL].n;
    const struct mcti_ruled ruled = row->is_configured ? app->inst.offer.ruled : (struct mcti_ruled){ 0 };
    row->full = tools_cost_measure(app, r, &(struct mcti_offer){ .ruled = ruled });
    row->search = tools_cost_measure(app, r, &(struct mcti_offer){ .alone = true, .search = true });
}

static int measure_made_up(const struct mcti_app *app, size_t n, struct row *row)
{
    struct mcti_registry r;
    struct mcti_sched sched;
    int result = 0;
    mcti_sched_init(&sched);
    mcti_registry_init(&r, &sched);
    for (size_t i = 0; i < n && result == 0; i++)
        result = add_server(&r, servers[i]);
    if (result == 0)
        measure_all(app, &r, row);
    mcti_registry_done(&r);
    return result;
}

/* ---- printing ---- */

static size_t tools_cost_tokens(size_t bytes)
{
    return (bytes + BYTES_OF_TOKEN - 1) / BYTES_OF_TOKEN;
}

/* Returns the dialect in column `i`. The dialect "servers" comes first: the others are compared with it. */
static unsigned tools_cost_column(unsigned i)
{
    unsigned first = 0;
    while (1u << first != mcti_dialect_find(MCT_STR("servers")))
        first++;
    return i == 0 ? first : i <= first ? i - 1 : i;
}

static void tools_cost_put_text(struct mcti_buf *to, const struct row *row, size_t n)
{
    mcti_buf_addz(to, "| servers | resources | tools of each server |");
    for (unsigned i = 1; mcti_dialect_name(i); i++)
        mcti_buf_printf(to, " %s |", mcti_dialect_name(tools_cost_column(i)));
    mcti_buf_addz(to, "\n|---:|---:|");
    for (unsigned i = 0; mcti_dialect_name(i); i++)
        mcti_buf_addz(to, "---:|");
    for (size_t k = 0; k < n; k++) {
        mcti_buf_printf(to, "\n| %zu%s | %zu |", row[k].n_servers, row[k].is_configured ? " (configured)" : "",
                        row[k].n_resources);
        for (unsigned i = 0; mcti_dialect_name(i); i++)
            mcti_buf_printf(to, " %zu (%zu B) |", tools_cost_tokens(row[k].bytes[tools_cost_column(i)]),
                            row[k].bytes[tools_cost_column(i)]);
    }
    mcti_buf_addc(to, '\n');
}

static void put_modes(struct mcti_buf *to, const struct row *row, size_t n)
{
    mcti_buf_addz(to, "\n| servers | tools | full | search |\n|---:|---:|---:|---:|");
    for (size_t k = 0; k < n; k++)
        mcti_buf_printf(to, "\n| %zu%s | %zu | %zu (%zu B) | %zu (%zu B) |", row[k].n_servers,
                        row[k].is_configured ? " (configured)" : "", row[k].n_tools, tools_cost_tokens(row[k].full),
                        row[k].full, tools_cost_tokens(row[k].search), row[k].search);
    mcti_buf_addc(to, '\n');
}

static void put_row_json(struct mcti_buf *to, const struct row *row)
{
    mcti_buf_printf(to, "{\"servers\":%zu,\"resources\":%zu,\"configured\":%s,\"dialects\":{", row->n_servers,
                    row->n_resources, row->is_configured ? "true" : "false");
    for (unsigned i = 0; mcti_dialect_name(i); i++) {
        size_t bytes = row->bytes[tools_cost_column(i)];
        mcti_json_put_key(to, mcti_dialect_name(tools_cost_column(i)));
        mcti_buf_printf(to, "{\"bytes\":%zu,\"tokens\":%zu}", bytes, tools_cost_tokens(bytes));
    }
    mcti_buf_printf(to,
                    "},\"tools\":%zu,\"modes\":{\"full\":{\"bytes\":%zu,\"tokens\":%zu},\"search\":{\"bytes\":%zu,"
                    "\"tokens\":%zu}}}",
                    row->n_tools, row->full, tools_cost_tokens(row->full), row->search, tools_cost_tokens(row->search));
}

static void tools_cost_print(const struct mcti_app *app, const struct row *row, size_t n)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 1u << 20);
    if (app->opt.output != MCT_OUT_JSON) {
        tools_cost_put_text(&b, row, n);
        put_modes(&b, row, n);
        mcti_out_text(app, mcti_buf_str(&b));
    } else {
        mcti_buf_addz(&b, "{\"rows\":[");
        for (size_t i = 0; i < n; i++) {
            mcti_buf_addz(&b, i ? "," : "");
            put_row_json(&b, &row[i]);
        }
        mcti_buf_addz(&b, "]}");
        mcti_out_json(app, mcti_buf_str(&b));
    }
    mcti_buf_done(&b);
}

int mcti_tools_cost(struct mcti_app *app, struct mcti_registry *configured)
{
    enum { N_ROWS = sizeof rows / sizeof *rows };
    struct row row[N_ROWS + 1] = { 0 };
    struct mct_error err;
    for (size_t i = 0; i < N_ROWS; i++)
        if (measure_made_up(app, rows[i], &row[i]) < 0) {
            mcti_no_memory(&err);
            return mcti_out_fail(app, &err, NULL);
        }
    if (configured) {
        row[N_ROWS].is_configured = true;
        measure_all(app, configured, &row[N_ROWS]);
    }
    tools_cost_print(app, row, N_ROWS + (configured ? 1 : 0));
    return 0;
}
