#include "io/http/client.h"

#include "base/limits.h"
#include "io/http/curl.h"
#include "io/http/url.h"
#include "io/intake.h"

#include <stdlib.h>

enum { MAX_SPARE = 32 };

struct mcti_http_client {
    struct mcti_loop *loop;
    struct mcti_curl curl;
    CURLM *multi;
    struct mcti_timer timer;
    struct mcti_task work;    /* what must not be done inside libcurl's callbacks */
    struct mcti_list fetches; /* all that are not over */
    CURL *spare[MAX_SPARE];
    size_t n_spare;
    const char *ca_file; /* from the environment; NULL: the system's */
};

enum stage { STARTING, RUNNING, OVER };

struct mcti_fetch {
    struct mcti_http_client *client;
    struct mcti_list node;
    struct mcti_fetch_events events;
    enum stage stage;
    bool cancelled, head_told;
    CURL *easy;
    char *url;
    const char *method;
    char *body; /* NULL: none */
    size_t body_len, body_sent;
    bool once, fresh, head_too_large;
    struct curl_slist *headers;
    struct mcti_buf head;      /* status line and headers of the answer */
    struct mcti_intake intake; /* of the body */
    bool unread;               /* what came could not all be kept */
    bool ended;                /* for libcurl, with this code; a part of the body is still in the intake */
    CURLcode code;
    long status;
    unsigned n_redirects;
    char why[CURL_ERROR_SIZE];
};

/* A socket libcurl wants watched. */
struct watch {
    uv_poll_t poll;
    struct mcti_http_client *client;
    curl_socket_t fd;
};

static int take_headers(struct mcti_fetch *f, const struct mcti_headers *from)
{
    const struct mcti_curl *curl = &f->client->curl;
    struct mcti_str rest = mcti_buf_str(&from->text), line;
    f->headers = curl->slist_append(NULL, "Expect:"); /* no waiting for 100 Continue */
    while (f->headers && rest.len && mcti_str_split(&rest, '\0', &line)) {
        struct curl_slist *grown = curl->slist_append(f->headers, line.p);
        if (!grown)
            return -1;
        f->headers = grown;
    }
    return f->headers ? 0 : -1;
}

/* ---- ends ---- */

/* Outside of libcurl's callbacks only. */
static void client_dispose(struct mcti_fetch *f)
{
    struct mcti_http_client *c = f->client;
    if (f->easy) {
        c->curl.multi_remove_handle(c->multi, f->easy);
        if (c->n_spare < MAX_SPARE && !f->intake.holding)
            c->spare[c->n_spare++] = f->easy;
        else
            c->curl.easy_cleanup(f->easy);
    }
    c->curl.slist_free_all(f->headers);
    mcti_list_remove(&f->node);
    mcti_intake_done(&f->intake);
    mcti_buf_done(&f->head);
    free(f->url);
    free(f->body);
    free(f);
}

static void client_finish(struct mcti_fetch *f, const struct mct_error *err)
{
    f->stage = OVER;
    if (!f->cancelled)
        f->events.on_done(f->events.data, f, err);
    client_dispose(f);
}

void mcti_fetch_cancel(struct mcti_fetch *f)
{
    if (!f || f->stage == OVER)
        return;
    f->cancelled = true;
    mcti_intake_stop(&f->intake);
    mcti_task_post(&f->client->loop->sched, &f->client->work);
}

/* ---- what libcurl says ---- */

static bool is_redirect(const struct mcti_fetch *f)
{
    bool moved = f->status == 301 || f->status == 302 || f->status == 307 || f->status == 308;
    return moved && mcti_fetch_header(f, "location").p;
}

static void tell_head(struct mcti_fetch *f)
{
    if (f->head_told || is_redirect(f))
        return;
    f->head_told = true;
    if (f->events.on_head)
        f->events.on_head(f->events.data, f);
}

static size_t client_on_header(char *p, size_t size, size_t n, void *data)
{
    struct mcti_fetch *f = data;
    struct mcti_http_client *c = f->client;
    struct mcti_str line = { p, size * n };
    if (f->cancelled)
        return 0;
    if (mcti_str_starts(line, MCT_STR("HTTP/")))
        mcti_buf_clear(&f->head); /* after a 100, or a proxy's answer */
    mcti_buf_add(&f->head, line);
    if (!mcti_buf_ok(&f->head)) {
        f->head_too_large = true;
        return 0;
    }
    c->curl.easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &f->status);
    if (mcti_str_trim(line).len <= 2 && (line.p[0] == '\r' || line.p[0] == '\n') && f->status >= 200)
        tell_head(f); /* a stream may have nothing to say for a while */
    return f->cancelled ? 0 : line.len;
}

static size_t client_on_body(char *p, size_t size, size_t n, void *data)
{
    struct mcti_fetch *f = data;
    if (!f->cancelled)
        tell_head(f);
    if (f->cancelled)
        return 0;
    if (!is_redirect(f) && mcti_intake_feed(&f->intake, (struct mcti_str){ p, size * n }) < 0) {
        f->unread = true;
        return 0;
    }
    return f->cancelled ? 0 : size * n;
}

static void client_take(void *data, struct mcti_str *bytes)
{
    struct mcti_fetch *f = data;
    if (!f->events.on_body(f->events.data, f, bytes))
        mcti_fetch_cancel(f);
}

bool mcti_fetch_frame(struct mcti_fetch *f)
{
    return mcti_intake_frame(&f->intake);
}

static void client_on_transfer_over(struct mcti_fetch *f, CURLcode code);

static void client_hold(void *data, bool hold)
{
    struct mcti_fetch *f = data;
    if (!f->ended)
        f->client->curl.easy_pause(f->easy, hold ? CURLPAUSE_RECV : CURLPAUSE_CONT);
    else if (!hold)
        client_on_transfer_over(f, f->code);
}

/* libcurl has a limit for one header line that is above ours, and runs "out of memory" there. */
static bool head_was_too_large(const struct mcti_fetch *f, CURLcode code)
{
    curl_off_t first_byte_us = 0;
    f->client->curl.easy_getinfo(f->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
    return f->head_too_large || (code == CURLE_OUT_OF_MEMORY && !f->head_told && first_byte_us > 0);
}

static void describe_failure(struct mcti_fetch *f, CURLcode code, struct mct_error *ret)
{
    const struct mcti_curl *curl = &f->client->curl;
    const char *why = f->why[0] ? f->why : curl->easy_strerror(code);
    if (head_was_too_large(f, code))
        mcti_fail(ret, MCT_ERR_LIMIT, "the headers of the answer are larger than %d bytes",
                  MCT_LIMIT_HTTP_HEADER_BYTES);
    else if (code == CURLE_RECV_ERROR && mcti_str_starts(mcti_str_of(f->why), MCT_STR("Out of memory")))
        mcti_fail(ret, MCT_ERR_LIMIT, "the trailers of the answer are larger than libcurl accepts");
    else if (f->unread)
        mcti_fail(ret, MCT_ERR_LIMIT, "the answer unpacks to more than %u bytes at once", MCT_LIMIT_HTTP_UNREAD_BYTES);
    else if (code == CURLE_SEND_FAIL_REWIND)
        mcti_fail(ret, MCT_ERR_CONNECT, "the server closed the connection without an answer");
    else if (code == CURLE_SSL_CONNECT_ERROR)
        mcti_fail(ret, MCT_ERR_CONNECT, "TLS: %s", why);
    else if (code == CURLE_PEER_FAILED_VERIFICATION)
        mcti_fail(ret, MCT_ERR_CONNECT, "TLS: %s (SSL_CERT_FILE names further trusted certificates)", why);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        mcti_fail(ret, MCT_ERR_TIMEOUT, "no connection within %d s", MCT_HTTP_CONNECT_MS / 1000);
    else
        mcti_fail(ret, MCT_ERR_CONNECT, "%s", why);
    ret->unsent = code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT ||
                  code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
                  code == CURLE_PEER_FAILED_VERIFICATION;
}

/* Sends the request again, to where the server says, if that is the server itself. */
static int client_follow(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_http_client *c = f->client;
    const char *to = NULL;
    c->curl.easy_getinfo(f->easy, CURLINFO_REDIRECT_URL, &to);
    char *url = to ? mcti_http_resolve(c, f->url, to, err) : NULL;
    if (!to)
        return mcti_fail(err, MCT_ERR_CONNECT, "HTTP %ld leads nowhere", f->status);
    if (!url)
        return mcti_error_wrap(err, "redirected (HTTP %ld)", f->status);
    if (++f->n_redirects > MCT_LIMIT_REDIRECTS) {
        free(url);
        return mcti_fail(err, MCT_ERR_CONNECT, "redirected more than %d times", MCT_LIMIT_REDIRECTS);
    }
    free(f->url);
    f->url = url;
    c->curl.multi_remove_handle(c->multi, f->easy);
    c->curl.easy_setopt(f->easy, CURLOPT_URL, f->url);
    mcti_buf_clear(&f->head);
    f->body_sent = 0;
    f->ended = false;
    return c->curl.multi_add_handle(c->multi, f->easy) == CURLM_OK ? 0 : mcti_no_memory(err);
}

static void client_on_transfer_over(struct mcti_fetch *f, CURLcode code)
{
    struct mct_error err;
    if (f->cancelled) {
        client_finish(f, NULL);
    } else if (mcti_intake_waits(&f->intake)) {
        f->ended = true;
        f->code = code;
    } else if (code != CURLE_OK) {
        describe_failure(f, code, &err);
        client_finish(f, &err);
    } else if (is_redirect(f)) {
        if (client_follow(f, &err) < 0)
            client_finish(f, &err);
    } else {
        tell_head(f);
        client_finish(f, NULL);
    }
}

static void take_finished(struct mcti_http_client *c)
{
    CURLMsg *m;
    int left;
    while ((m = c->curl.multi_info_read(c->multi, &left))) {
        void *f = NULL;
        CURLcode code = m->data.result;
        if (m->msg != CURLMSG_DONE)
            continue;
        c->curl.easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&f);
        client_on_transfer_over(f, code);
    }
}

/* ---- the loop ---- */

static void client_act(struct mcti_http_client *c, curl_socket_t fd, int events)
{
    int running;
    c->curl.multi_socket_action(c->multi, fd, events, &running);
    take_finished(c);
}

static void client_on_time(void *data)
{
    client_act(data, CURL_SOCKET_TIMEOUT, 0);
}

static int client_on_timer_wanted(CURLM *multi, long in_ms, void *data)
{
    struct mcti_http_client *c = data;
    (void)multi;
    if (in_ms < 0)
        mcti_timer_stop(&c->loop->sched, &c->timer);
    else
        mcti_timer_set(&c->loop->sched, &c->timer, (uint64_t)in_ms);
    return 0;
}

static void client_on_ready(uv_poll_t *poll, int status, int events)
{
    struct watch *w = MCT_CONTAINER(poll, struct watch, poll);
    int what = (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
    client_act(w->client, w->fd, status < 0 ? CURL_CSELECT_IN | CURL_CSELECT_OUT : what); /* it will find the error */
}

static void free_watch(uv_handle_t *h)
{
    free(MCT_CONTAINER(h, struct watch, poll));
}

static struct watch *watch_new(struct mcti_http_client *c, curl_socket_t fd)
{
    struct watch *w = calloc(1, sizeof *w);
    if (!w || uv_poll_init_socket(&c->loop->uv, &w->poll, fd) < 0) {
        free(w);
        return NULL;
    }
    w->client = c;
    w->fd = fd;
    c->curl.multi_assign(c->multi, fd, w);
    return w;
}

static int client_on_socket_wanted(CURL *easy, curl_socket_t fd, int what, void *data, void *socket_data)
{
    struct mcti_http_client *c = data;
    struct watch *w = socket_data;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (w) {
            c->curl.multi_assign(c->multi, fd, NULL);
            uv_poll_stop(&w->poll);
            uv_close((uv_handle_t *)&w->poll, free_watch);
        }
        return 0;
    }
    if (!w)
        w = watch_new(c, fd);
    if (!w)
        return -1;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    return uv_poll_start(&w->poll, events, client_on_ready) < 0 ? -1 : 0;
}

/* ---- starting ---- */

static size_t give_body(char *to, size_t size, size_t n, void *data)
{
    struct mcti_fetch *f = data;
    size_t left = f->body_len - f->body_sent, part = size * n < left ? size * n : left;
    memcpy(to, f->body + f->body_sent, part);
    f->body_sent += part;
    return part;
}

static CURLcode set_request(struct mcti_fetch *f)
{
    const struct mcti_curl *curl = &f->client->curl;
    CURL *e = f->easy;
    CURLcode r = curl->easy_setopt(e, CURLOPT_URL, f->url);
    r |= curl->easy_setopt(e, CURLOPT_HTTPHEADER, f->headers);
    if (f->body) {
        r |= curl->easy_setopt(e, CURLOPT_POST, 1L);
        r |= curl->easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)f->body_len);
        if (f->once) { /* libcurl repeats a body it holds, but not one it has been given in parts */
            r |= curl->easy_setopt(e, CURLOPT_READFUNCTION, give_body);
            r |= curl->easy_setopt(e, CURLOPT_READDATA, f);
        } else {
            r |= curl->easy_setopt(e, CURLOPT_POSTFIELDS, f->body);
        }
    } else {
        r |= curl->easy_setopt(e, CURLOPT_HTTPGET, 1L);
    }
    r |= curl->easy_setopt(e, CURLOPT_CUSTOMREQUEST, f->method);
    r |= curl->easy_setopt(e, CURLOPT_FRESH_CONNECT, (long)f->fresh);
    r |= curl->easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)MCT_HTTP_REUSE_S);
    if (mcti_url_is_loopback(curl, f->url))
        r |= curl->easy_setopt(e, CURLOPT_PROXY, "");
    return r;
}

static CURLcode client_set_up(struct mcti_fetch *f)
{
    const struct mcti_curl *curl = &f->client->curl;
    CURL *e = f->easy;
    CURLcode r = curl->easy_setopt(e, CURLOPT_PRIVATE, f);
    r |= curl->easy_setopt(e, CURLOPT_HEADERFUNCTION, client_on_header);
    r |= curl->easy_setopt(e, CURLOPT_HEADERDATA, f);
    r |= curl->easy_setopt(e, CURLOPT_WRITEFUNCTION, client_on_body);
    r |= curl->easy_setopt(e, CURLOPT_WRITEDATA, f);
    r |= curl->easy_setopt(e, CURLOPT_ERRORBUFFER, f->why);
    r |= curl->easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    r |= curl->easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "");
    r |= curl->easy_setopt(e, CURLOPT_USERAGENT, "mcptools/" MCT_VERSION);
    r |= curl->easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)MCT_HTTP_CONNECT_MS);
    r |= curl->easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    r |= curl->easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    r |= curl->easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    if (f->client->ca_file)
        r |= curl->easy_setopt(e, CURLOPT_CAINFO, f->client->ca_file);
    return r | set_request(f);
}

static void client_start(struct mcti_fetch *f)
{
    struct mcti_http_client *c = f->client;
    struct mct_error err;
    f->stage = RUNNING;
    f->easy = c->n_spare ? c->spare[--c->n_spare] : c->curl.easy_init();
    if (f->easy)
        c->curl.easy_reset(f->easy);
    if (f->easy && client_set_up(f) == CURLE_OK && c->curl.multi_add_handle(c->multi, f->easy) == CURLM_OK)
        return;
    mcti_no_memory(&err);
    client_finish(f, &err);
}

static void client_work(void *data)
{
    struct mcti_http_client *c = data;
    struct mcti_list now;
    mcti_list_take(&now, &c->fetches);
    while (!mcti_list_empty(&now)) { /* callbacks may start and cancel others: one look at each */
        struct mcti_fetch *f = MCT_CONTAINER(now.next, struct mcti_fetch, node);
        mcti_list_remove(&f->node);
        mcti_list_append(&c->fetches, &f->node);
        if (f->cancelled)
            client_finish(f, NULL);
        else if (f->stage == STARTING)
            client_start(f);
    }
}

struct mcti_fetch *mcti_fetch_start(struct mcti_http_client *c, const struct mcti_fetch_opts *opts,
                                    const struct mcti_fetch_events *events, struct mct_error *err)
{
    struct mcti_fetch *f = calloc(1, sizeof *f);
    if (!f) {
        mcti_no_memory(err);
        return NULL;
    }
    f->client = c;
    f->events = *events;
    f->method = opts->method;
    mcti_buf_init(&f->head, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_intake_init(&f->intake, &c->loop->sched, MCT_LIMIT_HTTP_UNREAD_BYTES);
    f->intake.take = client_take;
    f->intake.hold = client_hold;
    f->intake.data = f;
    /* libcurl ends a turn's reading itself, after 1.6 MB; if it is paused it keeps all that a piece unpacks to */
    f->intake.share_bytes = SIZE_MAX;
    mcti_list_append(&c->fetches, &f->node);
    f->url = strdup(opts->url);
    f->body = opts->body.p ? mcti_str_dup(opts->body) : NULL;
    f->body_len = opts->body.len;
    f->once = opts->once;
    f->fresh = opts->fresh;
    bool valid = mcti_buf_ok(&opts->headers->text);
    if (!valid || !f->url || (opts->body.p && !f->body) || take_headers(f, opts->headers) < 0) {
        client_dispose(f);
        if (valid)
            mcti_no_memory(err);
        else
            mcti_fail(err, MCT_ERR_LIMIT, "the request's headers are too large or not valid");
        return NULL;
    }
    mcti_task_post(&c->loop->sched, &c->work);
    return f;
}

/* ---- answers ---- */

int mcti_fetch_status(const struct mcti_fetch *f)
{
    return (int)f->status;
}

struct mcti_str mcti_fetch_header(const struct mcti_fetch *f, const char *name)
{
    struct mcti_str rest = mcti_buf_str(&f->head), line;
    size_t n = strlen(name);
    while (mcti_str_split(&rest, '\n', &line)) {
        if (line.len > n && line.p[n] == ':' &&
            mcti_str_eq_nocase((struct mcti_str){ line.p, n }, (struct mcti_str){ name, n })) {
            struct mcti_str value = { line.p + n + 1, line.len - n - 1 };
            if (value.len && value.p[value.len - 1] == '\r')
                value.len--;
            return mcti_str_trim(value);
        }
    }
    return MCT_STR_NONE;
}

bool mcti_fetch_has_type(const struct mcti_fetch *f, const char *type)
{
    struct mcti_str rest = mcti_fetch_header(f, "content-type"), plain = MCT_STR_NONE;
    mcti_str_split(&rest, ';', &plain);
    return mcti_str_eq_nocase(mcti_str_trim(plain), mcti_str_of(type));
}

/* ---- the client ---- */

char *mcti_http_resolve(struct mcti_http_client *c, const char *base, const char *reference, struct mct_error *err)
{
    return mcti_url_resolve(&c->curl, base, reference, err);
}

struct mcti_http_client *mcti_http_client_new(struct mcti_loop *loop, struct mct_error *err)
{
    struct mcti_http_client *c = calloc(1, sizeof *c);
    if (!c) {
        mcti_no_memory(err);
        return NULL;
    }
    if (mcti_curl_load(&c->curl, err) < 0) {
        free(c);
        return NULL;
    }
    c->loop = loop;
    c->ca_file = getenv("SSL_CERT_FILE");
    mcti_list_init(&c->fetches);
    mcti_timer_init(&c->timer, client_on_time, c);
    mcti_task_init(&c->work, client_work, c);
    c->multi = c->curl.multi_init();
    if (!c->multi) {
        mcti_curl_unload(&c->curl);
        free(c);
        mcti_no_memory(err);
        return NULL;
    }
    c->curl.multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, client_on_socket_wanted);
    c->curl.multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    c->curl.multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, client_on_timer_wanted);
    c->curl.multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
    return c;
}

void mcti_http_client_free(struct mcti_http_client *c)
{
    if (!c)
        return;
    while (!mcti_list_empty(&c->fetches)) {
        struct mcti_fetch *f = MCT_CONTAINER(c->fetches.next, struct mcti_fetch, node);
        f->cancelled = true;
        client_finish(f, NULL);
    }
    while (c->n_spare)
        c->curl.easy_cleanup(c->spare[--c->n_spare]);
    c->curl.multi_cleanup(c->multi);
    mcti_timer_stop(&c->loop->sched, &c->timer);
    mcti_task_stop(&c->work);
    mcti_curl_unload(&c->curl);
    free(c);
}
