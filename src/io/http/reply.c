/* From answers to bytes. */
#include "io/http/conn.h"

#include <stdio.h>
#include <time.h>

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } table[] = {
        { 200, "OK" }, { 202, "Accepted" }, { 204, "No Content" }, { 400, "Bad Request" },
        { 401, "Unauthorized" }, { 403, "Forbidden" }, { 404, "Not Found" },
        { 405, "Method Not Allowed" }, { 406, "Not Acceptable" }, { 409, "Conflict" },
        { 408, "Request Timeout" }, { 413, "Content Too Large" }, { 415, "Unsupported Media Type" },
        { 429, "Too Many Requests" }, { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
        { 501, "Not Implemented" }, { 503, "Service Unavailable" },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].status == status)
            return table[i].reason;
    return "Status";
}

/* RFC 9110 section 6.6.1: an origin server with a clock sends Date; made once a second. */
static const char *date(struct mct_http_server *s)
{
    uint64_t now = mct_sched_now(&s->loop->sched);
    if (!s->date[0] || now - s->date_ms >= 1000) {
        time_t t = time(NULL);
        struct tm tm;
        gmtime_r(&t, &tm);
        strftime(s->date, sizeof s->date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
        s->date_ms = now;
    }
    return s->date;
}

static void put_head(struct mct_http_conn *c, struct mct_buf *to, int status, const char *type,
                     struct mct_str headers)
{
    mct_buf_addz(to, "HTTP/1.1 ");
    mct_buf_addu(to, (uint64_t)status);
    mct_buf_addc(to, ' ');
    mct_buf_addz(to, reason(status));
    mct_buf_addz(to, "\r\nDate: ");
    mct_buf_addz(to, date(c->server));
    mct_buf_addz(to, "\r\n");
    if (type) {
        mct_buf_addz(to, "Content-Type: ");
        mct_buf_addz(to, type);
        mct_buf_addz(to, "\r\n");
    }
    mct_buf_add(to, headers);
    mct_buf_addz(to, c->x.headers ? c->x.headers : "");
    if (c->close_after)
        mct_buf_addz(to, "Connection: close\r\n");
}

/* Counts what was appended since mct_out_buf() and has it sent. */
static int commit(struct mct_http_conn *c)
{
    size_t n = c->out.queue.len - c->out.mark;
    int r = mct_out_commit(&c->out);
    if (r < 0)
        return r;
    mct_http_conn_note(c, MCT_HELD_ANSWER, mct_http_unsent(c));
    c->x.sent += n;
    c->server->counters.bytes_out += n;
    if (n > c->biggest)
        c->biggest = n;
    return r;
}

static const char too_far_behind[] = "more waits for it than one answer";

/* Whether `n` more bytes may wait to be read; the head and the framing beside them are not asked for. */
static const char *hold(struct mct_http_conn *c, size_t n)
{
    return mct_http_conn_hold(c, MCT_HELD_ANSWER, mct_http_unsent(c) + n);
}

static void end(struct mct_http_conn *c)
{
    if (commit(c) < 0 && !c->out.failed)
        mct_http_conn_drop(c, too_far_behind);
    mct_http_finished(c);
}

static void reply(struct mct_http_exchange *x, int status, const char *type, struct mct_str headers, struct mct_str body)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_buf *to = mct_out_buf(&c->out);
    x->status = status;
    put_head(c, to, status, type, headers);
    if (status != 204) {
        mct_buf_addz(to, "Content-Length: ");
        mct_buf_addu(to, body.len);
        mct_buf_addz(to, "\r\n");
    }
    mct_buf_addz(to, "\r\n");
    if (!x->known || x->method != HTTP_HEAD)
        mct_buf_add(to, body);
    end(c);
}

void mct_http_reply(struct mct_http_exchange *x, int status, const char *type,
                    struct mct_str headers, struct mct_str body)
{
    const char *why = hold(mct_http_conn_of(x), body.len);
    struct mct_buf b;
    if (!why) {
        reply(x, status, type, headers, body);
        return;
    }
    mct_buf_init(&b, 1024);
    mct_buf_printf(&b, "{\"error\":{\"kind\":\"limit\",\"message\":\"the answer does not fit: %s\"}}\n", why);
    reply(x, 503, "application/json", MCT_STR_NONE, mct_buf_str(&b));
    mct_buf_done(&b);
}

void mct_http_stream_open(struct mct_http_exchange *x, int status, const char *type,
                          struct mct_str headers)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_buf *to = mct_out_buf(&c->out);
    x->streaming = true;
    x->status = status;
    if (!x->chunked)
        c->close_after = true;
    c->out.keep = 0;
    put_head(c, to, status, type, headers);
    mct_buf_addz(to, x->chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
    commit(c);
    if (!c->dispatching)
        mct_http_request_end(c);
}

/* Whether the client is so far behind that it is given up. One long unit is nobody's fault. */
static bool is_behind(struct mct_http_conn *c)
{
    if (mct_http_unsent(c) <= c->biggest + MCT_LIMIT_HTTP_QUEUE_BYTES)
        return false;
    mct_out_flush(&c->out); /* it may have had no chance to read yet */
    return mct_http_unsent(c) > c->biggest + MCT_LIMIT_HTTP_QUEUE_BYTES;
}

int mct_http_stream_write(struct mct_http_exchange *x, struct mct_str bytes)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    char size[32];
    if (!bytes.len)
        return 0;
    const char *why = c->out.failed ? NULL : is_behind(c) ? too_far_behind : hold(c, bytes.len);
    if (why)
        mct_http_conn_drop(c, why);
    if (c->out.failed)
        return -1;
    struct mct_buf *to = mct_out_buf(&c->out);
    if (x->chunked) {
        snprintf(size, sizeof size, "%zx\r\n", bytes.len);
        mct_buf_addz(to, size);
    }
    mct_buf_add(to, bytes);
    if (x->chunked)
        mct_buf_addz(to, "\r\n");
    if (commit(c) == 0)
        return 0;
    mct_http_conn_drop(c, too_far_behind);
    return -1;
}

void mct_http_stream_close(struct mct_http_exchange *x)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_buf *to = mct_out_buf(&c->out);
    if (x->chunked)
        mct_buf_addz(to, "0\r\n\r\n");
    c->out.keep = MCT_OUT_KEEP;
    end(c);
}
