/* Fetching a file, which may be large. Its places are chosen by strangers: https only, redirects included. */
#include "cli/packages/bundle.h"

#include "auth/wire/url.h"

#include <stdlib.h>

enum { DOWNLOAD_REDIRECTS = 5, DOWNLOAD_MS = 600000 };

struct download {
    struct mcti_app *app;
    struct mcti_http_client *http;
    struct mcti_buf *to;
    struct mcti_headers headers;
    struct mcti_fetch *fetch;
    struct mcti_timer limit;
    char *url, *next; /* next: where the answer redirects to */
    struct mct_error err;
    int status;
    bool done;
};

static bool download_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    struct download *d = data;
    if (mcti_fetch_status(f) == 200)
        mcti_buf_add(d->to, *bytes);
    bytes->len = 0;
    if (mcti_buf_ok(d->to))
        return true;
    mcti_fail(&d->err, MCT_ERR_LIMIT, "the file is larger than %zu MiB", MCT_BUNDLE_BYTES >> 20);
    d->fetch = NULL;
    d->done = true;
    return false;
}

static void download_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct download *d = data;
    struct mcti_str to = err ? MCT_STR_NONE : mcti_fetch_header(f, "location");
    d->status = err ? 0 : mcti_fetch_status(f);
    if (err)
        d->err = *err;
    else if (d->status >= 300 && d->status < 400 && to.p)
        d->next = mcti_str_starts(to, MCT_STR("https://")) ? mcti_str_dup(to) : NULL;
    d->fetch = NULL;
    d->done = true;
}

static void download_on_limit(void *data)
{
    struct download *d = data;
    mcti_fail(&d->err, MCT_ERR_TIMEOUT, "the file was not here after %d minutes", DOWNLOAD_MS / 60000);
    mcti_fetch_cancel(d->fetch);
    d->fetch = NULL;
    d->done = true;
}

/* Fetches d->url. Returns 0 with the answer or a redirect, or -1 with *err. */
static int download_once(struct download *d, struct mct_error *err)
{
    const struct mcti_fetch_events events = { .on_body = download_on_body, .on_done = download_on_done, .data = d };
    const struct mcti_fetch_opts opts = {
        .method = "GET", .url = d->url, .headers = &d->headers, .no_redirects = true
    };
    free(d->next);
    d->next = NULL;
    d->done = false;
    if (mcti_auth_url_check(mcti_str_of(d->url), "the file", err) < 0)
        return -1;
    d->fetch = mcti_fetch_start(d->http, &opts, &events, err);
    if (!d->fetch)
        return -1;
    if (!mcti_app_wait(d->app, &d->done))
        return mcti_fail(err, MCT_ERR_CANCELLED, "interrupted");
    if (d->err.kind)
        return *err = d->err, -1;
    if (d->status != 200 && !d->next)
        return mcti_fail(err, MCT_ERR_CONNECT, "HTTP %d", d->status);
    return 0;
}

int mcti_packages_download(struct mcti_app *app, const char *url, struct mcti_buf *to, struct mct_error *err)
{
    struct download d = { .app = app, .to = to, .url = strdup(url) };
    int r = d.url ? 0 : mcti_no_memory(err);
    d.http = r == 0 ? mcti_http_client_new(&app->inst.loop, err) : NULL;
    mcti_headers_init(&d.headers);
    mcti_headers_add(&d.headers, "Accept", MCT_STR("*/*"));
    mcti_timer_init(&d.limit, download_on_limit, &d);
    mcti_timer_set(&app->inst.loop.sched, &d.limit, DOWNLOAD_MS);
    r = d.http ? download_once(&d, err) : -1;
    for (int i = 0; r == 0 && d.next; i++) {
        free(d.url);
        d.url = d.next;
        d.next = NULL;
        r = i < DOWNLOAD_REDIRECTS
                ? download_once(&d, err)
                : mcti_fail(err, MCT_ERR_PROTOCOL, "redirected more than %d times", DOWNLOAD_REDIRECTS);
    }
    mcti_timer_stop(&app->inst.loop.sched, &d.limit);
    mcti_headers_done(&d.headers);
    mcti_http_client_free(d.http); /* ends a fetch that still runs */
    free(d.next);
    free(d.url);
    return r < 0 ? mcti_error_wrap(err, "%s", url) : 0;
}
