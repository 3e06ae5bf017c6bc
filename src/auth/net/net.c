#include "auth/net/net.h"

#include "auth/wire/url.h"

#include <stdlib.h>

enum { MAX_REDIRECTS = 3 };

struct mcti_auth_request {
    struct mcti_auth_net net;
    const char *method;
    char *url; /* of the current hop */
    char *what;
    bool has_body;
    struct mcti_buf body, answer; /* codes, tokens and secrets of a client are in both */
    struct mcti_headers headers;
    struct mcti_fetch *fetch; /* NULL: ended */
    struct mcti_timer deadline;
    struct mcti_task stop; /* a fetch must not end inside its own callback */
    unsigned n_redirects, timeout_ms;
    bool too_long;
    bool over; /* done() has been called */
    mcti_auth_response_fn done;
    void *data;
};

/* ---- ends of a request ---- */

static void auth_request_free(struct mcti_auth_request *r)
{
    mcti_fetch_cancel(r->fetch);
    mcti_timer_stop(&r->net.loop->sched, &r->deadline);
    mcti_task_stop(&r->stop);
    mcti_buf_done(&r->answer);
    mcti_buf_done(&r->body);
    mcti_headers_done(&r->headers);
    free(r->what);
    free(r->url);
    free(r);
}

void mcti_auth_request_cancel(struct mcti_auth_request *r)
{
    if (r && !r->over)
        auth_request_free(r);
}

static void auth_request_end(struct mcti_auth_request *r, const struct mcti_auth_response *answer,
                             const struct mct_error *err)
{
    struct mct_error told;
    struct mcti_str shown = mcti_auth_url_shown(mcti_str_of(r->url));
    r->over = true;
    if (err) {
        told = *err;
        mcti_error_wrap(&told, "%s %.*s", r->what, shown.len > 200 ? 200 : (int)shown.len, shown.p);
        mcti_log(r->net.log, MCT_LOG_DEBUG, "auth: %s", told.message);
    } else {
        mcti_log(r->net.log, MCT_LOG_DEBUG, "auth: %s %.*s: HTTP %d", r->method, MCT_STR_ARG(shown), answer->status);
    }
    r->done(r->data, answer, err ? &told : NULL);
    auth_request_free(r);
}

static void auth_request_on_deadline(void *data)
{
    struct mcti_auth_request *r = data;
    struct mct_error err;
    mcti_fail(&err, MCT_ERR_TIMEOUT, "no complete answer within %g s", r->timeout_ms / 1000.0);
    auth_request_end(r, NULL, &err);
}

static void auth_request_on_stop(void *data)
{
    struct mcti_auth_request *r = data;
    struct mct_error err;
    if (r->too_long)
        mcti_fail(&err, MCT_ERR_LIMIT, "the answer is larger than %d bytes", MCT_AUTH_DOCUMENT_BYTES);
    else
        mcti_no_memory(&err);
    auth_request_end(r, NULL, &err);
}

/* ---- one hop ---- */

static bool auth_request_on_body(void *data, struct mcti_fetch *f, struct mcti_str *bytes)
{
    struct mcti_auth_request *r = data;
    (void)f;
    r->too_long = bytes->len > r->answer.max - r->answer.len;
    mcti_buf_add(&r->answer, *bytes);
    bytes->len = 0;
    if (mcti_buf_ok(&r->answer))
        return true;
    r->fetch = NULL;
    mcti_task_post(&r->net.loop->sched, &r->stop);
    return false;
}

static void auth_request_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err);

static int auth_request_send(struct mcti_auth_request *r, struct mct_error *err)
{
    const struct mcti_fetch_opts opts = {
        .method = r->method,
        .url = r->url,
        .headers = &r->headers,
        .body = r->has_body ? mcti_buf_str(&r->body) : MCT_STR_NONE,
        .once = r->has_body, /* a code or refresh token is redeemed once */
        .no_redirects = true,
        .public_only = !r->net.allow_private,
    };
    const struct mcti_fetch_events events = { .on_body = auth_request_on_body,
                                              .on_done = auth_request_on_done,
                                              .data = r };
    r->fetch = mcti_fetch_start(r->net.http, &opts, &events, err);
    return r->fetch ? 0 : -1;
}

/* Returns the place that the answer redirects to; absent: it is passed on as it is. */
static struct mcti_str auth_request_redirect(const struct mcti_auth_request *r, const struct mcti_fetch *f)
{
    static const int redirects[] = { 301, 302, 303, 307, 308 };
    for (size_t i = 0; !r->has_body && i < sizeof redirects / sizeof *redirects; i++)
        if (redirects[i] == mcti_fetch_status(f))
            return mcti_fetch_header(f, "location");
    return MCT_STR_NONE;
}

/* Returns the URL to follow, to free(), or NULL and sets *err. */
static char *auth_request_resolve(const struct mcti_auth_request *r, struct mcti_str to, struct mct_error *err)
{
    char *reference = mcti_str_dup(to), *url = NULL;
    if (!reference)
        mcti_no_memory(err);
    else if (!(url = mcti_http_resolve(r->net.http, r->url, reference, err)))
        mcti_fail(err, MCT_ERR_PROTOCOL, "redirected to another origin or to an invalid URL, which is not followed");
    free(reference);
    if (!url || mcti_auth_url_check(mcti_str_of(url), "the redirect to", err) == 0)
        return url;
    free(url);
    return NULL;
}

static int auth_request_follow(struct mcti_auth_request *r, struct mcti_str to, struct mct_error *err)
{
    if (++r->n_redirects > MAX_REDIRECTS)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "redirected more than %d times", MAX_REDIRECTS);
    char *url = auth_request_resolve(r, to, err);
    if (!url)
        return -1;
    free(r->url);
    r->url = url;
    mcti_buf_clear(&r->answer);
    return auth_request_send(r, err);
}

static void auth_request_on_done(void *data, struct mcti_fetch *f, const struct mct_error *err)
{
    struct mcti_auth_request *r = data;
    struct mcti_str redirect = err ? MCT_STR_NONE : auth_request_redirect(r, f);
    struct mct_error failed;
    r->fetch = NULL;
    if (redirect.p) {
        if (auth_request_follow(r, redirect, &failed) < 0)
            auth_request_end(r, NULL, &failed);
    } else if (err) {
        failed = *err;
        if (mcti_fetch_is_refused(f))
            mcti_fail(&failed, err->kind, "%s (auth.allow_private allows it)", err->message);
        auth_request_end(r, NULL, &failed);
    } else {
        const struct mcti_auth_response answer = { mcti_fetch_status(f), mcti_buf_str(&r->answer), f };
        auth_request_end(r, &answer, NULL);
    }
}

/* ---- starting ---- */

static int auth_request_set_up(struct mcti_auth_request *r, const struct mcti_auth_request_opts *opts,
                               struct mct_error *err)
{
    r->method = opts->method;
    r->url = strdup(opts->url);
    r->what = strdup(opts->what);
    r->has_body = opts->body.p;
    mcti_buf_add(&r->body, opts->body);
    mcti_headers_add(&r->headers, "Accept", MCT_STR("application/json"));
    if (opts->type)
        mcti_headers_add(&r->headers, "Content-Type", mcti_str_of(opts->type));
    if (opts->headers)
        mcti_headers_add_all(&r->headers, opts->headers);
    if (!r->url || !r->what || !mcti_buf_ok(&r->body))
        return mcti_no_memory(err);
    return auth_request_send(r, err);
}

struct mcti_auth_request *mcti_auth_request_start(const struct mcti_auth_net *net,
                                                  const struct mcti_auth_request_opts *opts, mcti_auth_response_fn done,
                                                  void *data, struct mct_error *err)
{
    if (mcti_auth_url_check(mcti_str_of(opts->url), opts->what, err) < 0)
        return NULL;
    struct mcti_auth_request *r = calloc(1, sizeof *r);
    if (!r) {
        mcti_no_memory(err);
        return NULL;
    }
    r->net = *net;
    r->done = done;
    r->data = data;
    r->timeout_ms = opts->timeout_ms ? opts->timeout_ms : MCT_AUTH_REQUEST_MS;
    mcti_headers_init(&r->headers);
    r->headers.text.secret = true;
    mcti_buf_init_secret(&r->body, SIZE_MAX);
    mcti_buf_init_secret(&r->answer, MCT_AUTH_DOCUMENT_BYTES);
    mcti_timer_init(&r->deadline, auth_request_on_deadline, r);
    mcti_task_init(&r->stop, auth_request_on_stop, r);
    if (auth_request_set_up(r, opts, err) < 0) {
        auth_request_free(r);
        return NULL;
    }
    mcti_timer_set(&net->loop->sched, &r->deadline, r->timeout_ms);
    return r;
}
