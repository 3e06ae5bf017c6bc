#include "io/fetch/client_impl.h"

#include "base/limits.h"
#include "io/fetch/direct.h"
#include "io/fetch/origin.h"

#include <stdlib.h>

/* Appends a line, without its end, to the headers of a transfer. */
static int fetch_add_header(struct mcti_fetch *f, struct mcti_str line)
{
    char *text = mcti_str_dup(line);
    if (text && strchr(text, ':') == text + line.len - 1)
        text[line.len - 1] = ';'; /* libcurl's syntax for an empty value */
    struct curl_slist *grown = text ? f->client->curl.slist_append(f->headers, text) : NULL;
    if (text)
        mcti_secret_free(text);
    if (!grown)
        return -1;
    f->headers = grown;
    return 0;
}

static int fetch_set_headers(struct mcti_fetch *f, const struct mcti_headers *from)
{
    struct mcti_str rest = mcti_buf_str(&from->text), line;
    f->headers = f->client->curl.slist_append(NULL, "Expect:"); /* do not wait for 100 Continue */
    while (f->headers && rest.len && mcti_str_split(&rest, '\n', &line))
        if (fetch_add_header(f, (struct mcti_str){ line.p, line.len - 1 }) < 0)
            return -1;
    return f->headers ? 0 : -1;
}

/* ---- end of a fetch ---- */

/* Frees a fetch. Must not be called inside libcurl's callbacks. */
static void fetch_dispose(struct mcti_fetch *f)
{
    struct mcti_http_client *c = f->client;
    if (f->easy) {
        c->curl.multi_remove_handle(c->multi, f->easy);
        if (c->n_spare < MCT_HTTP_SPARE && !f->intake.holding)
            c->spare[c->n_spare++] = f->easy;
        else
            c->curl.easy_cleanup(f->easy);
    }
    mcti_fetch_unlink(f);
    mcti_direct_leave(f);
    mcti_buf_done(&f->request);
    if (f->headers)
        c->curl.slist_free_all(f->headers);
    mcti_list_remove(&f->node);
    mcti_intake_done(&f->intake);
    mcti_buf_done(&f->head);
    free(f->url);
    mcti_body_done(&f->body);
    free(f->ca_file);
    free(f->cert_file);
    free(f->key_file);
    free(f);
}

void mcti_fetch_finish(struct mcti_fetch *f, const struct mct_error *err)
{
    f->stage = MCT_FETCH_OVER;
    if (!f->cancelled)
        f->events.on_done(f->events.data, f, err);
    fetch_dispose(f);
}

void mcti_fetch_cancel(struct mcti_fetch *f)
{
    if (!f || f->stage == MCT_FETCH_OVER)
        return;
    f->cancelled = true;
    mcti_intake_stop(&f->intake);
    mcti_task_post(&f->client->loop->sched, &f->client->work);
}

/* ---- callbacks of libcurl ---- */

static bool fetch_is_redirect(const struct mcti_fetch *f)
{
    bool moved = f->status == 301 || f->status == 302 || f->status == 307 || f->status == 308;
    return moved && !f->no_redirects && mcti_fetch_header(f, "location").p;
}

static void fetch_report_head(struct mcti_fetch *f)
{
    if (f->head_reported || fetch_is_redirect(f))
        return;
    f->head_reported = true;
    if (f->events.on_head)
        f->events.on_head(f->events.data, f);
}

static size_t fetch_on_header(char *p, size_t size, size_t n, void *data)
{
    struct mcti_fetch *f = data;
    struct mcti_http_client *c = f->client;
    struct mcti_str line = { p, size * n };
    if (f->cancelled)
        return 0;
    if (mcti_str_starts(line, MCT_STR("HTTP/")))
        mcti_buf_clear(&f->head); /* a new head follows a 1xx answer or the answer of a proxy */
    mcti_buf_add(&f->head, line);
    if (!mcti_buf_ok(&f->head)) {
        f->head_too_large = true;
        return 0;
    }
    c->curl.easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &f->status);
    if (f->status >= 200) /* 1xx answers may come without end */
        mcti_fetch_heard(f);
    if (mcti_str_trim(line).len <= 2 && (line.p[0] == '\r' || line.p[0] == '\n') && f->status >= 200)
        mcti_fetch_take_head(f);
    return f->cancelled ? 0 : line.len;
}

bool mcti_fetch_take_head(struct mcti_fetch *f)
{
    if (!f->cancelled)
        fetch_report_head(f); /* a stream may send nothing for a while after its headers */
    return !f->cancelled;
}

bool mcti_fetch_take_body(struct mcti_fetch *f, struct mcti_str bytes)
{
    mcti_fetch_heard(f);
    if (!mcti_fetch_take_head(f))
        return false;
    if (!fetch_is_redirect(f) && mcti_intake_feed(&f->intake, bytes) < 0) {
        f->unread = true;
        return false;
    }
    return !f->cancelled;
}

static size_t fetch_on_body(char *p, size_t size, size_t n, void *data)
{
    return mcti_fetch_take_body(data, (struct mcti_str){ p, size * n }) ? size * n : 0;
}

static void fetch_take(void *data, struct mcti_str *bytes)
{
    struct mcti_fetch *f = data;
    if (!f->events.on_body(f->events.data, f, bytes))
        mcti_fetch_cancel(f);
}

bool mcti_fetch_frame(struct mcti_fetch *f)
{
    return mcti_intake_frame(&f->intake);
}

static void fetch_hold(void *data, bool hold)
{
    struct mcti_fetch *f = data;
    if (!f->ended && f->is_direct)
        mcti_direct_hold(f, hold);
    else if (!f->ended)
        f->client->curl.easy_pause(f->easy, hold ? CURLPAUSE_RECV : CURLPAUSE_CONT);
    else if (!hold)
        mcti_fetch_on_transfer_over(f, f->code);
}

/* Returns true if the answer's headers exceeded our limit, or libcurl's higher limit of one header line, which it
 * reports as "out of memory". */
static bool fetch_head_was_too_large(const struct mcti_fetch *f, CURLcode code)
{
    curl_off_t first_byte_us = 0;
    if (f->is_direct)
        return f->head_too_large;
    f->client->curl.easy_getinfo(f->easy, CURLINFO_STARTTRANSFER_TIME_T, &first_byte_us);
    return f->head_too_large || (code == CURLE_OUT_OF_MEMORY && !f->head_reported && first_byte_us > 0);
}

static void fetch_describe_failure(struct mcti_fetch *f, CURLcode code, struct mct_error *ret)
{
    const struct mcti_curl *curl = &f->client->curl;
    const char *why = f->why[0] || f->is_direct ? f->why : curl->easy_strerror(code);
    if (f->refused[0] && (code == CURLE_COULDNT_CONNECT || code == CURLE_ABORTED_BY_CALLBACK)) {
        mcti_fetch_describe_refusal(f, ret);
        return;
    }
    if (f->trailers_too_large)
        mcti_fail(ret, MCT_ERR_LIMIT, "the trailers of the answer are larger than %d bytes",
                  MCT_LIMIT_HTTP_HEADER_BYTES);
    else if (fetch_head_was_too_large(f, code))
        mcti_fail(ret, MCT_ERR_LIMIT, "the headers of the answer are larger than %d bytes",
                  MCT_LIMIT_HTTP_HEADER_BYTES);
    else if (code == CURLE_RECV_ERROR && mcti_str_starts(mcti_str_of(f->why), MCT_STR("Out of memory")))
        mcti_fail(ret, MCT_ERR_LIMIT, "the trailers of the answer are larger than libcurl accepts");
    else if (mcti_fetch_is_flooded(f))
        mcti_fail(ret, MCT_ERR_LIMIT, "the server sent more than %u bytes that are no part of an answer",
                  MCT_LIMIT_HTTP_USELESS_BYTES);
    else if (f->unread)
        mcti_fail(ret, MCT_ERR_LIMIT, "the compressed answer expands to more than %u bytes at once",
                  MCT_LIMIT_HTTP_UNREAD_BYTES);
    else if (code == CURLE_SEND_FAIL_REWIND || (code == CURLE_ABORTED_BY_CALLBACK && f->n_sent > 1))
        mcti_fail(ret, MCT_ERR_CONNECT, "the server closed the connection without an answer");
    else if (code == CURLE_SSL_CONNECT_ERROR)
        mcti_fail(ret, MCT_ERR_CONNECT, "TLS: %s", why);
    else if (code == CURLE_PEER_FAILED_VERIFICATION)
        mcti_fail(ret, MCT_ERR_CONNECT, "TLS: %s (set SSL_CERT_FILE to the file of trusted certificates)", why);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        mcti_fail(ret, MCT_ERR_TIMEOUT, "no connection within %d s", MCT_HTTP_CONNECT_MS / 1000);
    else
        mcti_fail(ret, MCT_ERR_CONNECT, "%s", why);
    ret->unsent = code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT ||
                  code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
                  code == CURLE_PEER_FAILED_VERIFICATION;
}

/* Repeats the request at the redirect's target, which must have the same origin. */
static int fetch_follow(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_http_client *c = f->client;
    char *to = mcti_str_dup(mcti_fetch_header(f, "location"));
    char *url = to ? mcti_http_resolve(c, f->url, to, err) : NULL;
    free(to);
    if (!to)
        return mcti_no_memory(err);
    if (!url)
        return mcti_error_wrap(err, "redirected (HTTP %ld)", f->status);
    if (++f->n_redirects > MCT_LIMIT_REDIRECTS) {
        free(url);
        return mcti_fail(err, MCT_ERR_CONNECT, "redirected more than %d times", MCT_LIMIT_REDIRECTS);
    }
    free(f->url);
    f->url = url;
    mcti_buf_clear(&f->head);
    f->body_sent = f->n_sent = 0;
    f->ended = false;
    if (f->is_direct)
        return mcti_direct_redirect(f, err) < 0 ? -1 : mcti_direct_start(f, err);
    c->curl.multi_remove_handle(c->multi, f->easy);
    c->curl.easy_setopt(f->easy, CURLOPT_URL, f->url);
    return c->curl.multi_add_handle(c->multi, f->easy) == CURLM_OK ? 0 : mcti_no_memory(err);
}

void mcti_fetch_on_transfer_over(struct mcti_fetch *f, CURLcode code)
{
    struct mct_error err;
    if (f->cancelled) {
        mcti_fetch_finish(f, NULL);
    } else if (mcti_intake_waits(&f->intake)) {
        f->ended = true;
        f->code = code;
    } else if (code != CURLE_OK) {
        fetch_describe_failure(f, code, &err);
        mcti_fetch_finish(f, &err);
    } else if (fetch_is_redirect(f)) {
        if (fetch_follow(f, &err) < 0)
            mcti_fetch_finish(f, &err);
    } else {
        fetch_report_head(f);
        mcti_fetch_finish(f, NULL);
    }
}

static void fetch_on_libcurl_over(struct mcti_transfer *t, CURLcode code)
{
    if (code == CURLE_OK && !t->fetch->cancelled)
        mcti_origin_learn(t->fetch);
    mcti_fetch_on_transfer_over(t->fetch, code);
}

/* ---- starting a fetch ---- */

static size_t fetch_read_body(char *to, size_t size, size_t n, void *data)
{
    struct mcti_fetch *f = data;
    size_t part = mcti_body_read(&f->body, f->body_sent, to, size * n);
    f->body_sent += part;
    return part;
}

/* Called by libcurl before the request is sent: ends a fetch that libcurl would send again over another connection. */
static int fetch_on_sending(void *data, char *peer, char *local, int peer_port, int local_port)
{
    struct mcti_fetch *f = data;
    (void)peer, (void)local, (void)peer_port, (void)local_port;
    return f->n_sent++ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* libcurl sends a body that it holds together with the headers, and repeats it; one from a read function is sent
 * apart, and never repeated. */
static CURLcode fetch_set_body(struct mcti_fetch *f)
{
    const struct mcti_curl *curl = &f->client->curl;
    CURL *e = f->easy;
    CURLcode r = curl->easy_setopt(e, CURLOPT_POST, 1L);
    r |= curl->easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)f->body.pieces.len);
    if (f->once && !f->public_only) {
        r |= curl->easy_setopt(e, CURLOPT_PREREQFUNCTION, fetch_on_sending);
        r |= curl->easy_setopt(e, CURLOPT_PREREQDATA, f);
    }
    if (f->body.pieces.n == 1 && !(f->once && f->public_only)) /* that has a function of its own there */
        return r | curl->easy_setopt(e, CURLOPT_POSTFIELDS, f->body.pieces.item[0].p);
    r |= curl->easy_setopt(e, CURLOPT_READFUNCTION, fetch_read_body);
    return r | curl->easy_setopt(e, CURLOPT_READDATA, f);
}

static CURLcode fetch_set_request(struct mcti_fetch *f)
{
    const struct mcti_curl *curl = &f->client->curl;
    CURL *e = f->easy;
    CURLcode r = curl->easy_setopt(e, CURLOPT_HTTPHEADER, f->headers);
    r |= f->body.pieces.n ? fetch_set_body(f) : curl->easy_setopt(e, CURLOPT_HTTPGET, 1L);
    r |= curl->easy_setopt(e, CURLOPT_CUSTOMREQUEST, f->method);
    r |= curl->easy_setopt(e, CURLOPT_FRESH_CONNECT, (long)f->fresh);
    return r | curl->easy_setopt(e, CURLOPT_MAXAGE_CONN, (long)MCT_HTTP_REUSE_S);
}

static CURLcode fetch_set_up(struct mcti_fetch *f)
{
    const struct mcti_curl *curl = &f->client->curl;
    CURL *e = f->easy;
    CURLcode r = mcti_transfer_set_up(f->client, e, f->url);
    r |= curl->easy_setopt(e, CURLOPT_PRIVATE, &f->transfer);
    r |= curl->easy_setopt(e, CURLOPT_HEADERFUNCTION, fetch_on_header);
    r |= curl->easy_setopt(e, CURLOPT_HEADERDATA, f);
    r |= curl->easy_setopt(e, CURLOPT_WRITEFUNCTION, fetch_on_body);
    r |= curl->easy_setopt(e, CURLOPT_WRITEDATA, f);
    r |= curl->easy_setopt(e, CURLOPT_ERRORBUFFER, f->why);
    r |= curl->easy_setopt(e, CURLOPT_ACCEPT_ENCODING, "");
    r |= curl->easy_setopt(e, CURLOPT_USERAGENT, "mcptools/" MCT_VERSION);
    if (f->ca_file)
        r |= curl->easy_setopt(e, CURLOPT_CAINFO, f->ca_file);
    if (f->cert_file)
        r |= curl->easy_setopt(e, CURLOPT_SSLCERT, f->cert_file);
    if (f->key_file)
        r |= curl->easy_setopt(e, CURLOPT_SSLKEY, f->key_file);
    return r | fetch_set_request(f);
}

static int fetch_begin(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_http_client *c = f->client;
    f->easy = c->n_spare ? c->spare[--c->n_spare] : c->curl.easy_init();
    if (!f->easy)
        return mcti_no_memory(err);
    c->curl.easy_reset(f->easy);
    if (fetch_set_up(f) != CURLE_OK)
        return mcti_no_memory(err);
    if (f->public_only && mcti_fetch_stay_public(f, err) < 0)
        return -1;
    return c->curl.multi_add_handle(c->multi, f->easy) == CURLM_OK ? 0 : mcti_no_memory(err);
}

void mcti_fetch_run(struct mcti_fetch *f)
{
    struct mct_error err;
    f->stage = MCT_FETCH_RUNNING;
    if ((f->is_direct ? mcti_direct_start(f, &err) : fetch_begin(f, &err)) < 0)
        mcti_fetch_finish(f, &err);
}

static int fetch_keep_body(struct mcti_fetch *f, const struct mcti_fetch_opts *opts)
{
    const struct mcti_pieces whole = mcti_pieces_one(opts->body);
    if (opts->shared) {
        mcti_body_share(&f->body, opts->shared);
        return 0;
    }
    return opts->pieces ? mcti_body_set(&f->body, opts->pieces) : opts->body.p ? mcti_body_set(&f->body, &whole) : 0;
}

static int fetch_keep_files(struct mcti_fetch *f, const struct mcti_fetch_opts *opts)
{
    const char *const from[] = { opts->ca_file, opts->cert_file, opts->key_file };
    char **const to[] = { &f->ca_file, &f->cert_file, &f->key_file };
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        if (from[i] && !(*to[i] = strdup(from[i])))
            return -1;
    return 0;
}

/* Keeps what the request consists of. */
static int fetch_prepare(struct mcti_fetch *f, const struct mcti_fetch_opts *opts, struct mct_error *err)
{
    if (!mcti_buf_ok(&opts->headers->text))
        return mcti_fail(err, MCT_ERR_LIMIT, "request headers are too large or invalid");
    if (!f->url || fetch_keep_body(f, opts) < 0 || fetch_keep_files(f, opts) < 0)
        return mcti_no_memory(err);
    f->is_direct = (!f->public_only && mcti_direct_read_url(f->url, &f->host)) || mcti_origin_find(f);
    if (!f->is_direct && mcti_http_client_load(f->client, err) < 0)
        return -1;
    int r = f->is_direct ? mcti_direct_put_request(f, opts->headers) : fetch_set_headers(f, opts->headers);
    return r < 0 ? mcti_no_memory(err) : 0;
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
    f->transfer = (struct mcti_transfer){ f, fetch_on_libcurl_over };
    f->events = *events;
    f->method = opts->method;
    mcti_buf_init(&f->head, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_intake_init(&f->intake, &c->loop->sched, MCT_LIMIT_HTTP_UNREAD_BYTES);
    f->intake.take = fetch_take;
    f->intake.hold = fetch_hold;
    f->intake.data = f;
    /* libcurl itself ends reading after 1.6 MB in a turn, and a paused transfer keeps everything that a piece unpacks
     * to */
    f->intake.share_bytes = SIZE_MAX;
    mcti_list_append(&c->fetches, &f->node);
    f->url = strdup(opts->url);
    f->once = opts->once;
    f->fresh = opts->fresh;
    f->no_redirects = opts->no_redirects;
    f->public_only = opts->public_only;
    if (fetch_prepare(f, opts, err) < 0) {
        fetch_dispose(f);
        return NULL;
    }
    mcti_task_post(&c->loop->sched, &c->work);
    return f;
}

/* ---- the answer ---- */

void mcti_fetch_waste(struct mcti_fetch *f, size_t n)
{
    mcti_intake_waste(&f->intake, n);
}

int mcti_fetch_status(const struct mcti_fetch *f)
{
    return (int)f->status;
}

struct mcti_str mcti_fetch_header(const struct mcti_fetch *f, const char *name)
{
    return mcti_fetch_header_nth(f, name, 0);
}

/* Returns true if the line is a header of this name. */
static bool fetch_header_is(struct mcti_str line, struct mcti_str name)
{
    return line.len > name.len && line.p[name.len] == ':' &&
           mcti_str_eq_nocase((struct mcti_str){ line.p, name.len }, name);
}

struct mcti_str mcti_fetch_header_nth(const struct mcti_fetch *f, const char *name, size_t n)
{
    struct mcti_str rest = mcti_buf_str(&f->head), wanted = mcti_str_of(name), line;
    while (mcti_str_split(&rest, '\n', &line)) {
        if (fetch_header_is(line, wanted) && n-- == 0) {
            struct mcti_str value = { line.p + wanted.len + 1, line.len - wanted.len - 1 };
            if (value.len && value.p[value.len - 1] == '\r')
                value.len--;
            return mcti_str_trim(value);
        }
    }
    return MCT_STR_NONE;
}

struct mcti_str mcti_fetch_type(const struct mcti_fetch *f)
{
    struct mcti_str rest = mcti_fetch_header(f, "content-type"), plain = MCT_STR_NONE;
    mcti_str_split(&rest, ';', &plain);
    return mcti_str_trim(plain);
}

bool mcti_fetch_has_type(const struct mcti_fetch *f, const char *type)
{
    return mcti_str_eq_nocase(mcti_fetch_type(f), mcti_str_of(type));
}
