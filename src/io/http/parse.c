/* Parses requests. Rejects input that llhttp accepts but RFC 9112 forbids. */
#include "io/http/conn.h"

#include "json/scan.h"

static struct mcti_http_conn *parse_of(llhttp_t *p)
{
    return p->data;
}

static const struct mcti_str later = MCT_STR("Retry-After: 5\r\n");

static int parse_refuse(struct mcti_http_conn *c, int status, const char *why)
{
    if (!c->refuse) {
        c->refuse = status;
        c->refuse_why = why;
    }
    return -1;
}

/* Counts and discards a trailer field. Merged into the headers, it could replace a header that was already checked. */
static int skip_trailer(struct mcti_http_conn *c, size_t n)
{
    c->request->trailer_len += n;
    return c->request->trailer_len <= MCT_LIMIT_HTTP_HEADER_BYTES ? 0 : parse_refuse(c, 431, "trailers are too large");
}

static int head_fits(struct mcti_http_conn *c)
{
    return mcti_buf_ok(&c->request->head) ? 0 : parse_refuse(c, 431, "request headers are too large");
}

static int add_head(struct mcti_http_conn *c, const char *p, size_t n)
{
    mcti_buf_add(&c->request->head, (struct mcti_str){ p, n });
    return head_fits(c);
}

static int parse_on_url(llhttp_t *p, const char *at, size_t n)
{
    struct mcti_http_conn *c = parse_of(p);
    c->request->target_len += n;
    return add_head(c, at, n);
}

static int parse_on_field(llhttp_t *p, const char *at, size_t n)
{
    struct mcti_http_conn *c = parse_of(p);
    struct mcti_http_request *r = c->request;
    if (r->head_done)
        return skip_trailer(c, n);
    if (r->n_headers == 0 || r->in_value) {
        if (r->n_headers == MCT_LIMIT_HTTP_HEADERS)
            return parse_refuse(c, 431, "too many request headers");
        r->span[r->n_headers++] = (struct mcti_http_span){ .name = (uint32_t)r->head.len };
        r->in_value = false;
    }
    r->span[r->n_headers - 1].name_len += (uint32_t)n;
    mcti_buf_add_lower(&r->head, (struct mcti_str){ at, n });
    return head_fits(c);
}

static int parse_on_value(llhttp_t *p, const char *at, size_t n)
{
    struct mcti_http_conn *c = parse_of(p);
    struct mcti_http_request *r = c->request;
    if (r->head_done)
        return skip_trailer(c, n);
    struct mcti_http_span *s = &r->span[r->n_headers - 1];
    if (!r->in_value)
        s->value = (uint32_t)r->head.len;
    r->in_value = true;
    s->value_len += (uint32_t)n;
    return add_head(c, at, n);
}

/* Ends a header. llhttp does not call on_value for an empty value, so the next name must be kept apart here. */
static int parse_on_field_complete(llhttp_t *p)
{
    struct mcti_http_request *r = parse_of(p)->request;
    if (r->head_done)
        return 0;
    r->span[r->n_headers - 1].value = (uint32_t)r->head.len;
    r->in_value = true;
    return 0;
}

static int parse_on_headers(llhttp_t *p)
{
    struct mcti_http_conn *c = parse_of(p);
    size_t lengths = mcti_http_count(&c->x, "content-length");
    size_t codings = mcti_http_count(&c->x, "transfer-encoding");
    size_t hosts = mcti_http_count(&c->x, "host");
    if (lengths > 1 || codings > 1 || (lengths && codings))
        return parse_refuse(c, 400, "duplicate or conflicting Content-Length and Transfer-Encoding");
    if (codings && p->http_minor == 0) /* RFC 9112 section 6.1: such framing is faulty */
        return parse_refuse(c, 400, "Transfer-Encoding is not allowed in HTTP/1.0");
    if (codings && !mcti_str_eq_nocase(mcti_http_get(&c->x, "transfer-encoding"), MCT_STR("chunked")))
        return parse_refuse(c, 501, "unsupported transfer coding; supported: chunked");
    if (hosts > 1 || (!hosts && p->http_minor == 1))
        return parse_refuse(c, 400, "exactly one Host header is required");
    if (hosts && !mcti_http_names_host(&c->x))
        return parse_refuse(c, 400, "the host of the request target differs from the Host header");
    if (lengths && p->content_length > c->server->opts.body_bytes)
        return parse_refuse(c, 413, "the request body is too large");
    return 0;
}

/* Sends 100 Continue if the client expects it; curl, for one, waits a second for it before a large body. HTTP/1.0 does
 * not have it. */
static void send_continue(struct mcti_http_conn *c)
{
    if (c->request->parser.http_minor == 0 ||
        !mcti_str_eq_nocase(mcti_http_get(&c->x, "expect"), MCT_STR("100-continue")))
        return;
    mcti_buf_add(mcti_out_buf(&c->out), MCT_STR("HTTP/1.1 100 Continue\r\n\r\n"));
    mcti_out_commit(&c->out);
}

static int parse_on_headers_complete(llhttp_t *p)
{
    struct mcti_http_conn *c = parse_of(p);
    int r = parse_on_headers(p);
    c->request->head_done = true;
    c->request->moved_ms = mcti_sched_now(&c->server->loop->sched);
    if (p->method == HTTP_CONNECT)
        return parse_refuse(c, 405, "method CONNECT is not supported");
    p->upgrade = 0;            /* an unsupported Upgrade is ignored (RFC 9110 section 7.8) */
    return r ? r : HPE_PAUSED; /* mcti_http_feed() calls the handler */
}

static void note_progress(struct mcti_http_request *r, uint64_t now)
{
    r->last_ms = now;
    if (r->body.len - r->moved_len < MCT_LIMIT_HTTP_ROOM_BYTES)
        return;
    r->moved_len = r->body.len;
    r->moved_ms = now;
}

static int parse_on_body(llhttp_t *p, const char *at, size_t n)
{
    struct mcti_http_conn *c = parse_of(p);
    const char *why = mcti_http_conn_hold(c, MCT_HELD_REQUEST, mcti_http_conn_requested(c) + n);
    if (why)
        return parse_refuse(c, 503, why);
    mcti_buf_add(&c->request->body, (struct mcti_str){ at, n });
    mcti_json_arrived(&c->request->check, mcti_buf_str(&c->request->body));
    note_progress(c->request, mcti_sched_now(&c->server->loop->sched));
    return mcti_buf_ok(&c->request->body) ? 0 : parse_refuse(c, 413, "the request body is too large");
}

static int parse_on_complete(llhttp_t *p)
{
    (void)p;
    return HPE_PAUSED; /* one request at a time; mcti_http_feed() continues */
}

const llhttp_settings_t mcti_http_settings = {
    .on_url = parse_on_url,
    .on_header_field = parse_on_field,
    .on_header_field_complete = parse_on_field_complete,
    .on_header_value = parse_on_value,
    .on_headers_complete = parse_on_headers_complete,
    .on_body = parse_on_body,
    .on_message_complete = parse_on_complete,
};

/*
 * Checks the headers, across reads, for syntax that llhttp accepts but parsers interpret differently: a bare LF as line
 * end (allowed by RFC 9112 section 2.2), a header line that begins with white space (obs-fold, section 5.2), and one
 * that begins with a colon (section 5: a field name is a token). Returns NULL or a description of the fault.
 */
static const char *head_fault(struct mcti_http_lines *l, struct mcti_str bytes)
{
    struct mcti_str rest = bytes, part;
    while (rest.len && !l->over) {
        const char *end = memchr(rest.p, '\n', rest.len);
        part = mcti_str_range(rest.p, end ? end : rest.p + rest.len);
        if (part.len && !l->line_len && l->any && (*part.p == ' ' || *part.p == '\t'))
            return "folded header line";
        if (part.len && !l->line_len && l->any && *part.p == ':')
            return "header without a name";
        l->line_len += part.len;
        l->last = part.len ? part.p[part.len - 1] : l->last;
        if (!end)
            return NULL;
        if (!l->line_len || l->last != '\r')
            return "bare line feed in the headers";
        l->over = l->any && l->line_len == 1; /* only the \r: an empty line */
        l->any |= l->line_len > 1;
        l->line_len = 0;
        rest = mcti_str_range(end + 1, rest.p + rest.len);
    }
    return NULL;
}

void mcti_http_refuse(struct mcti_http_conn *c, int status, const char *why, struct mcti_str headers)
{
    struct mcti_buf body;
    mcti_buf_init(&body, 512);
    parse_refuse(c, status, why);
    mcti_buf_printf(&body, "{\"error\":{\"kind\":\"protocol\",\"message\":\"HTTP request refused: %s\"}}\n",
                    c->refuse_why);
    c->phase = MCT_HTTP_ANSWERING;
    c->close_after = c->lingers = true;
    mcti_http_reply(&c->x, c->refuse, "application/json", headers, mcti_buf_str(&body));
    mcti_buf_done(&body);
}

static void parse_call(struct mcti_http_conn *c, void (*handle)(void *data, struct mcti_http_exchange *x))
{
    struct mcti_chunk *chunk = c->request->chunk = mcti_json_chunk_take(&c->request->body, &c->request->check);
    c->phase = MCT_HTTP_ANSWERING;
    c->x.seen = c->dispatching = true;
    handle(c->server->handler.data, &c->x);
    c->dispatching = false;
    c->request->chunk = NULL;
    mcti_chunk_unref(chunk);
    if (c->x.finished || c->x.streaming)
        mcti_http_request_end(c);
    else
        mcti_buf_clear(&c->request->body); /* frees a large body; the headers may still be read */
}

static void parse_dispatch(struct mcti_http_conn *c)
{
    c->since_ms = mcti_sched_now(&c->server->loop->sched);
    c->close_after |= c->server->draining;
    mcti_http_turn_spend(c->server, MCT_TURN_LEAST_BYTES / 2);
    parse_call(c, c->server->handler.on_request);
}

static bool has_body(const llhttp_t *p)
{
    return (p->flags & F_CHUNKED) || p->content_length;
}

/* Processes the complete headers. Returns true if the request continues. If it is answered here and has a body, the
 * connection closes after the answer. */
static bool parse_admit(struct mcti_http_conn *c)
{
    const llhttp_t *p = &c->request->parser;
    c->x = (struct mcti_http_exchange){ .chunked = p->http_minor == 1, .method = p->method, .known = true };
    c->lingers = has_body(p);
    c->close_after = !llhttp_should_keep_alive(p) || c->server->draining || c->lingers;
    if (c->server->handler.on_head)
        parse_call(c, c->server->handler.on_head);
    if (c->x.finished)
        return false;
    c->phase = MCT_HTTP_READING;
    c->lingers = false;
    c->close_after = !llhttp_should_keep_alive(p) || c->server->draining;
    return true;
}

/* Buffers bytes of later requests; pauses reading when a client sends too many of them. */
static void read_ahead(struct mcti_http_conn *c, struct mcti_str bytes)
{
    mcti_buf_add(&c->ahead, bytes);
    if (c->ahead.len < MCT_LIMIT_HTTP_PIPELINE_BYTES || c->paused)
        return;
    c->paused = true;
    uv_read_stop((uv_stream_t *)&c->tcp);
}

static int parse_begin(struct mcti_http_conn *c)
{
    if (mcti_http_request_begin(c) < 0) {
        mcti_http_conn_close(c);
        return -1;
    }
    c->lingers = false;
    c->phase = MCT_HTTP_READING;
    c->since_ms = mcti_sched_now(&c->server->loop->sched);
    return 0;
}

/* Parses up to the end of the headers, of the request or of the bytes. Leaves the remaining bytes in *rest. */
static enum llhttp_errno parse_run(struct mcti_http_conn *c, struct mcti_str *rest)
{
    llhttp_t *p = &c->request->parser;
    enum llhttp_errno e = llhttp_execute(p, rest->p, rest->len);
    if (e == HPE_PAUSED)
        *rest = mcti_str_range(llhttp_get_error_pos(p), rest->p + rest->len);
    else if (e != HPE_OK)
        mcti_http_refuse(c, 400, llhttp_errno_name(e), c->refuse == 503 ? later : MCT_STR_NONE);
    return e;
}

/* Ends a complete request; `rest` belongs to the next one. */
static void parse_complete(struct mcti_http_conn *c, struct mcti_str rest, bool admit)
{
    if (rest.len)
        read_ahead(c, rest);
    if (!admit || parse_admit(c))
        parse_dispatch(c);
}

/* Parses up to the end of a request, an error, or the end of `bytes`. */
static void parse_request(struct mcti_http_conn *c, struct mcti_str bytes)
{
    if (c->phase == MCT_HTTP_IDLE && parse_begin(c) < 0)
        return;
    llhttp_t *p = &c->request->parser;
    bool in_head = !c->request->head_done;
    const char *fault = head_fault(&c->request->lines, bytes);
    if (fault) {
        mcti_http_refuse(c, 400, fault, MCT_STR_NONE);
        return;
    }
    if (parse_run(c, &bytes) != HPE_PAUSED)
        return;
    if (in_head && has_body(p)) {
        if (!parse_admit(c))
            return;
        send_continue(c);
        llhttp_resume(p);
        if (parse_run(c, &bytes) != HPE_PAUSED)
            return;
        in_head = false;
    }
    parse_complete(c, bytes, in_head);
}

/* Charges the received bytes. Pipelined requests have a limit of their own. */
static void parse_charge(struct mcti_http_conn *c)
{
    size_t n = mcti_http_conn_requested(c);
    const char *why = NULL;
    if (c->phase == MCT_HTTP_READING && !c->closing)
        why = mcti_http_conn_hold(c, MCT_HELD_REQUEST, n);
    else
        mcti_http_conn_note(c, MCT_HELD_REQUEST, n);
    if (why)
        mcti_http_refuse(c, 503, why, later);
}

/* Returns true if the bytes may end a request. The parts of a long body go on: reading has shares of its own. */
static bool is_in_head(const struct mcti_http_conn *c)
{
    return c->phase == MCT_HTTP_IDLE || (c->phase == MCT_HTTP_READING && !c->request->head_done);
}

void mcti_http_feed(struct mcti_http_conn *c, struct mcti_str bytes)
{
    bool behind = mcti_http_unsent(c) > MCT_LIMIT_HTTP_QUEUE_BYTES; /* unread answers must not pile up */
    if (c->closing || !bytes.len || c->phase == MCT_HTTP_LINGERING)
        return;
    if (c->phase == MCT_HTTP_ANSWERING || c->ahead.len || (behind && c->phase == MCT_HTTP_IDLE) ||
        (is_in_head(c) && !mcti_http_turn_take(c, MCT_HTTP_FRESH)))
        read_ahead(c, bytes); /* keeps the order: conn_resume() parses the buffered bytes first */
    else
        parse_request(c, bytes);
    parse_charge(c);
}
