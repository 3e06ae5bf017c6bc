/* The small pages beside the endpoint. */
#include "front/http/impl.h"

#include "json/write.h"

static void page_health(const struct visit *v)
{
    mct_http_reply(v->x, 200, "text/plain", MCT_STR_NONE, MCT_STR("ok\n"));
}

/* Ready when every server has settled and those that are required are connected. */
static bool ready(const struct mct_registry *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->v[i]->settled || (r->v[i]->required && r->v[i]->state != MCT_CONNECTED))
            return false;
    return true;
}

static void page_ready(const struct visit *v)
{
    const struct mct_registry *r = v->front->gateway->registry;
    struct mct_buf b;
    bool is_ready = ready(r) && !v->front->draining;
    mct_buf_init(&b, 1u << 20);
    mct_buf_printf(&b, "{\"ready\":%s,%s\"servers\":[", is_ready ? "true" : "false",
                   v->front->draining ? "\"draining\":true," : "");
    for (size_t i = 0; i < r->n; i++) {
        mct_buf_addz(&b, i ? ",{" : "{");
        mct_provider_put_status(&b, r->v[i], mct_sched_now(r->sched));
        mct_buf_addc(&b, '}');
    }
    mct_buf_addz(&b, "]}\n");
    mct_http_reply(v->x, is_ready ? 200 : 503, "application/json", MCT_STR_NONE, mct_buf_str(&b));
    mct_buf_done(&b);
}

static void page_metrics(const struct visit *v)
{
    struct mct_buf b;
    mct_buf_init(&b, 8u << 20);
    put_metrics(&b, v->front);
    mct_http_reply(v->x, mct_buf_ok(&b) ? 200 : 500, "text/plain; version=0.0.4; charset=utf-8", MCT_STR_NONE,
                   mct_buf_str(&b));
    mct_buf_done(&b);
}

static const struct page {
    const char *path;
    void (*serve)(const struct visit *v);
    bool open; /* no token is asked for */
} pages[] = {
    { "/healthz", page_health, true },
    { "/readyz", page_ready, false },
    { "/metrics", page_metrics, false },
    { "/messages", handle_sse_message, false },
};

static const struct page *find(struct mct_str path)
{
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (mct_str_is(path, pages[i].path))
            return &pages[i];
    return NULL;
}

bool page_is_open(struct mct_str path)
{
    const struct page *p = find(path);
    return p && p->open;
}

bool page_is_known(struct mct_str path)
{
    return find(path);
}

bool serve_page(const struct visit *v, struct mct_str path)
{
    const struct page *p = find(path);
    if (!p)
        return false;
    p->serve(v);
    return true;
}
