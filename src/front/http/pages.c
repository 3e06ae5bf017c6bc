/* The pages that are not MCP endpoints: /healthz, /readyz, /metrics and, for HTTP+SSE, /messages. */
#include "front/http/handle.h"
#include "front/http/metrics.h"

#include "hub/core/hosted.h"
#include "json/write.h"

static void page_health(const struct mcti_http_visit *v)
{
    mcti_http_reply(v->x, 200, "text/plain", MCT_STR_NONE, MCT_STR("ok\n"));
}

/* Returns whether a server keeps the gateway from being ready: its first attempt has not ended, it is required and not
 * there as a whole, with its lists, or hooks of its plugins cannot run and block calls of other servers' tools. */
static bool is_missed(const struct mcti_provider *p)
{
    bool whole = p->state == MCT_CONNECTED && !mcti_provider_misses_list(p) && mcti_hosted_whole(p);
    return !p->settled || (p->required && !whole) || p->bars_calls || mcti_hosted_blocks(p);
}

static bool http_pages_ready(const struct mcti_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_missed(r->v[i]))
            return false;
    return true;
}

static void page_ready(const struct mcti_http_visit *v)
{
    const struct mcti_registry *r = v->front->gateway->registry;
    struct mcti_buf b;
    bool is_ready = http_pages_ready(r) && !v->front->draining;
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
    mcti_http_reply(v->x, mcti_buf_ok(&b) ? 200 : 500, "text/plain; version=0.0.4; charset=utf-8", MCT_STR_NONE,
                    mcti_buf_str(&b));
    mcti_buf_done(&b);
}

static const struct page {
    const char *path;
    void (*serve)(const struct mcti_http_visit *v);
    bool open; /* needs no token */
} pages[] = {
    { "/healthz", page_health, true },
    { "/readyz", page_ready, false },
    { "/metrics", page_metrics, false },
    { "/messages", mcti_http_handle_sse_message, false },
};

static const struct page *http_pages_find(struct mcti_str path)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (mcti_str_is(path, pages[i].path))
            return &pages[i];
    return NULL;
}

bool mcti_http_page_is_open(struct mcti_str path)
{
    const struct page *p = http_pages_find(path);
    return p && p->open;
}

bool mcti_http_page_is_known(struct mcti_str path)
{
    return http_pages_find(path);
}

bool mcti_http_serve_page(const struct mcti_http_visit *v, struct mcti_str path)
{
    const struct page *p = http_pages_find(path);
    if (!p)
        return false;
    p->serve(v);
    return true;
}
