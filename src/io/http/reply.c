/* Writes answers to connections. */
#include "io/http/conn.h"

#include <stdio.h>
#include <time.h>

static const char *reply_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } table[] = {
        { 200, "OK" },
        { 202, "Accepted" },
        { 204, "No Content" },
        { 400, "Bad Request" },
        { 401, "Unauthorized" },
        { 403, "Forbidden" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 406, "Not Acceptable" },
        { 409, "Conflict" },
        { 408, "Request Timeout" },
        { 413, "Content Too Large" },
        { 415, "Unsupported Media Type" },
        { 429, "Too Many Requests" },
        { 431, "Request Header Fields Too Large" },
        { 500, "Internal Server Error" },
        { 501, "Not Implemented" },
        { 503, "Service Unavailable" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].status == status)
            return table[i].reason;
    return "Status";
}

/* Returns the Date header, renewed every second (RFC 9110 section 6.6.1: an origin server with a clock sends it). */
static const char *reply_date(struct mcti_http_server *s)
{
    uint64_t now = mcti_sched_now(&s->loop->sched);
    if (!s->date[0] || now - s->date_ms >= 1000) {
        time_t t = time(NULL);
        struct tm tm;
        gmtime_r(&t, &tm);
        strftime(s->date, sizeof s->date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        s->date_ms = now;
    }
    return s->date;
}

static void reply_put_head(struct mcti_http_conn *c, struct mcti_buf *to, int status, const char *type,
                           struct mcti_str headers)
{
    mcti_buf_addz(to, "HTTP/1.1 ");
    mcti_buf_addu(to, (uint64_t)status);
    mcti_buf_addc(to, ' ');
    mcti_buf_addz(to, reply_reason(status));
    mcti_buf_addz(to, "\r\nDate: ");
    mcti_buf_addz(to, reply_date(c->server));
    mcti_buf_addz(to, "\r\n");
    if (type) {
        mcti_buf_addz(to, "Content-Type: ");
        mcti_buf_addz(to, type);
        mcti_buf_addz(to, "\r\n");
    }
    mcti_buf_add(to, headers);
    mcti_buf_addz(to, c->x.headers ? c->x.headers : "");
    if (c->close_after)
        mcti_buf_addz(to, "Connection: close\r\n");
}

/* Counts and sends the bytes appended since mcti_out_buf(). */
static int reply_commit(struct mcti_http_conn *c)
{
    size_t n = mcti_out_unit(&c->out);
    int r = mcti_out_commit(&c->out);
    if (r < 0)
        return r;
    mcti_http_conn_note(c, MCT_HELD_ANSWER, mcti_http_unsent(c));
    mcti_http_turn_spend(c->server, n);
    c->x.sent += n;
    c->server->counters.bytes_out += n;
    if (n > c->biggest)
        c->biggest = n;
    return r;
}

static const char too_far_behind[] = "it has more than one unread answer";

/* Charges `n` more unsent bytes; head and framing are not counted. Returns NULL, or the reason for the refusal. */
static const char *reply_hold(struct mcti_http_conn *c, size_t n)
{
    return mcti_http_conn_hold(c, MCT_HELD_ANSWER, mcti_http_unsent(c) + n);
}

static void reply_end(struct mcti_http_conn *c)
{
    if (reply_commit(c) < 0 && !c->out.failed)
        mcti_http_conn_drop(c, too_far_behind);
    mcti_http_finished(c);
}

static void reply_put_pieces(struct mcti_http_conn *c, const struct mcti_pieces *p)
{
    if (p->chunk)
        mcti_out_add(&c->out, p);
    else
        mcti_pieces_copy(&c->out.queue, p);
}

static void reply_write(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers,
                        const struct mcti_pieces *body)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    struct mcti_buf *to = mcti_out_buf(&c->out);
    x->status = status;
    reply_put_head(c, to, status, type, headers);
    if (status != 204) {
        mcti_buf_addz(to, "Content-Length: ");
        mcti_buf_addu(to, body->len);
        mcti_buf_addz(to, "\r\n");
    }
    mcti_buf_addz(to, "\r\n");
    if (!x->known || x->method != HTTP_HEAD)
        reply_put_pieces(c, body);
    reply_end(c);
}

void mcti_http_reply_pieces(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers,
                            const struct mcti_pieces *body)
{
    const char *why = reply_hold(mcti_http_conn_of(x), body->len);
    struct mcti_buf b;
    if (!why) {
        reply_write(x, status, type, headers, body);
        return;
    }
    mcti_buf_init(&b, 1024);
    mcti_buf_printf(&b, "{\"error\":{\"kind\":\"limit\",\"message\":\"the answer cannot be sent: %s\"}}\n", why);
    const struct mcti_pieces said = mcti_pieces_of(&b);
    reply_write(x, 503, "application/json", MCT_STR_NONE, &said);
    mcti_buf_done(&b);
}

void mcti_http_reply(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers,
                     struct mcti_str body)
{
    const struct mcti_pieces one = { .len = body.len, .n = 1, .item = { body } };
    mcti_http_reply_pieces(x, status, type, headers, &one);
}

void mcti_http_stream_open(struct mcti_http_exchange *x, int status, const char *type, struct mcti_str headers)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    struct mcti_buf *to = mcti_out_buf(&c->out);
    x->streaming = true;
    x->status = status;
    if (!x->chunked)
        c->close_after = true;
    c->out.keep = 0;
    reply_put_head(c, to, status, type, headers);
    mcti_buf_addz(to, x->chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
    reply_commit(c);
    if (!c->dispatching)
        mcti_http_request_end(c);
}

/* Returns true if the client is so far behind that it is dropped. One long unit alone does not count. */
static bool is_behind(struct mcti_http_conn *c)
{
    if (mcti_http_unsent(c) <= c->biggest + MCT_LIMIT_HTTP_QUEUE_BYTES)
        return false;
    mcti_out_flush(&c->out); /* the client may have had no chance to read yet */
    return mcti_http_unsent(c) > c->biggest + MCT_LIMIT_HTTP_QUEUE_BYTES;
}

int mcti_http_stream_write(struct mcti_http_exchange *x, struct mcti_str bytes)
{
    const struct mcti_pieces one = { .len = bytes.len, .n = 1, .item = { bytes } };
    return mcti_http_stream_write_pieces(x, &one);
}

int mcti_http_stream_write_pieces(struct mcti_http_exchange *x, const struct mcti_pieces *bytes)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    char size[32];
    if (!bytes->len)
        return 0;
    const char *why = c->out.failed ? NULL : is_behind(c) ? too_far_behind : reply_hold(c, bytes->len);
    if (why)
        mcti_http_conn_drop(c, why);
    if (c->out.failed)
        return -1;
    struct mcti_buf *to = mcti_out_buf(&c->out);
    if (x->chunked) {
        snprintf(size, sizeof size, "%zx\r\n", bytes->len);
        mcti_buf_addz(to, size);
    }
    reply_put_pieces(c, bytes);
    if (x->chunked)
        mcti_buf_addz(to, "\r\n");
    if (reply_commit(c) == 0)
        return 0;
    mcti_http_conn_drop(c, too_far_behind);
    return -1;
}

void mcti_http_abort(struct mcti_http_exchange *x)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    if (!c->out.failed)
        mcti_http_conn_drop(c, "there is no memory for its answer");
}

void mcti_http_stream_close(struct mcti_http_exchange *x)
{
    struct mcti_http_conn *c = mcti_http_conn_of(x);
    struct mcti_buf *to = mcti_out_buf(&c->out);
    if (x->chunked)
        mcti_buf_addz(to, "0\r\n\r\n");
    c->out.keep = MCT_OUT_KEEP;
    reply_end(c);
}
