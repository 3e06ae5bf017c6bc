/* The table of pages; /healthz, /readyz, /metrics, and the files of the status page. */
#include "front/http/metrics.h"
#include "front/page/assets.h"
#include "front/page/impl.h"
#include "hub/guard/metrics.h"

#include "json/write.h"

static void page_health(const struct mcti_http_visit *v)
{
    mcti_http_reply(v->x, 200, "text/plain", MCT_STR_NONE, MCT_STR("ok\n"));
}

static void page_ready(const struct mcti_http_visit *v)
{
    const struct mcti_registry *r = v->front->gateway->registry;
    struct mcti_buf b;
    bool is_ready = mcti_registry_ready(r) && !v->front->draining;
    mcti_buf_init(&b, 1u << 20);
    mcti_buf_printf(&b, "{\"ready\":%s,%s\"servers\":[", is_ready ? "true" : "false",
                    v->front->draining ? "\"draining\":true," : "");
    for (size_t i = 0; i < r->n; i++) {
        mcti_buf_addz(&b, i ? ",{" : "{");
        mcti_provider_put_status(&b, r->v[i], mcti_sched_now(r->sched));
        mcti_buf_addc(&b, '}');
    }
    mcti_buf_addz(&b, "]}\n");
    mcti_http_reply(v->x, is_ready ? 200 : 503, "application/json", MCT_STR_NONE, mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static void page_metrics(const struct mcti_http_visit *v)
{
    struct mcti_buf b;
    mcti_buf_init(&b, 8u << 20);
    mcti_metrics_put(&b, v->front);
    mcti_gate_put_metrics(&b, v->front->gateway->registry);
    mcti_page_put_calls(&b, v->front->gateway);
    mcti_page_put_results(&b, v->front->gateway);
    mcti_http_reply(v->x, mcti_buf_ok(&b) ? 200 : 500, "text/plain; version=0.0.4; charset=utf-8", MCT_STR_NONE,
                    mcti_buf_str(&b));
    mcti_buf_done(&b);
}

/* Serves a file of src/web/ to anybody: it has no data of the gateway. */
static void page_asset(const struct mcti_http_visit *v)
{
    struct mcti_str path = mcti_http_path(v->x), seen = mcti_http_get(v->x, "if-none-match");
    const struct mcti_asset *a = mcti_assets;
    const char *name = mcti_str_is(path, "/") ? "index.html" : path.p + sizeof "/page/" - 1;
    size_t len = mcti_str_is(path, "/") ? strlen(name) : path.len - (sizeof "/page/" - 1);
    char headers[1024];
    while (!mcti_str_is((struct mcti_str){ name, len }, a->name))
        a++;
    snprintf(headers, sizeof headers, "ETag: %s\r\nCache-Control: no-cache\r\n" MCT_PAGE_HEADERS MCT_PAGE_POLICY,
             a->etag);
    if (!mcti_str_is(mcti_http_method(v->x), "GET") && !mcti_str_is(mcti_http_method(v->x), "HEAD"))
        mcti_http_reply_plain(v->x, 405, MCT_STR("Allow: GET, HEAD\r\n"), "usage", "method not allowed");
    else if (seen.len && memmem(seen.p, seen.len, a->etag, strlen(a->etag)))
        mcti_http_reply(v->x, 304, NULL, mcti_str_of(headers), MCT_STR_NONE);
    else
        mcti_http_reply(v->x, 200, a->type, mcti_str_of(headers), (struct mcti_str){ a->text, a->len });
}

static const struct mcti_http_page rows[] = {
    { "/", page_asset, true },
    { "/page/app.js", page_asset, true },
    { "/page/calls.js", page_asset, true },
    { "/page/form.js", page_asset, true },
    { "/page/items.js", page_asset, true },
    { "/page/mcp.js", page_asset, true },
    { "/page/servers.js", page_asset, true },
    { "/page/view.js", page_asset, true },
    { "/page/style.css", page_asset, true },
    { "/page/icon.svg", page_asset, true },
    { "/page/overview", mcti_page_overview, false },
    { "/page/events", mcti_page_events, false },
    { "/page/log", mcti_page_log, false },
    { "/page/calls", mcti_page_calls, false },
    { "/page/find", mcti_page_find, false },
    { "/page/restart", mcti_page_restart, false },
    { "/healthz", page_health, true },
    { "/readyz", page_ready, false },
    { "/metrics", page_metrics, false },
    { "/.well-known/ai-catalog.json", mcti_page_catalog, true },
    { "/mcp/server-card", mcti_page_card, true },
    { "*/server-card", mcti_page_card, false },
    { "/messages", mcti_http_handle_sse_message, false },
    { NULL, NULL, false },
};

const struct mcti_http_pages mcti_pages = { .rows = rows,
                                            .open = mcti_page_open,
                                            .explain = mcti_page_explain,
                                            .abort = mcti_page_abort,
                                            .end = mcti_page_end,
                                            .free = mcti_page_free };
