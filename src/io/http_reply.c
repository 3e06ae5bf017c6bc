/* From answers to bytes. */
#include "io/http_conn.h"

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
        { 413, "Content Too Large" }, { 415, "Unsupported Media Type" },
        { 431, "Request Header Fields Too Large" }, { 500, "Internal Server Error" },
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
    if (c->close_after)
        mct_buf_addz(to, "Connection: close\r\n");
}

void mct_http_reply(struct mct_http_exchange *x, int status, const char *type,
                    struct mct_str headers, struct mct_str body)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_buf *to = mct_out_buf(&c->out);
    put_head(c, to, status, type, headers);
    if (status != 204) {
        mct_buf_addz(to, "Content-Length: ");
        mct_buf_addu(to, body.len);
        mct_buf_addz(to, "\r\n");
    }
    mct_buf_addz(to, "\r\n");
    if (c->parser.method != HTTP_HEAD)
        mct_buf_add(to, body);
    if (mct_out_commit(&c->out) < 0)
        mct_http_conn_close(c);
    else
        mct_http_finished(c);
}

void mct_http_stream_open(struct mct_http_exchange *x, int status, const char *type,
                          struct mct_str headers)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_buf *to = mct_out_buf(&c->out);
    x->streaming = true;
    if (!x->chunked)
        c->close_after = true;
    put_head(c, to, status, type, headers);
    mct_buf_addz(to, x->chunked ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
    mct_out_commit(&c->out);
}

int mct_http_stream_write(struct mct_http_exchange *x, struct mct_str bytes)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    struct mct_buf *to = mct_out_buf(&c->out);
    char size[32];
    if (!bytes.len)
        return 0;
    if (x->chunked) {
        snprintf(size, sizeof size, "%zx\r\n", bytes.len);
        mct_buf_addz(to, size);
    }
    mct_buf_add(to, bytes);
    if (x->chunked)
        mct_buf_addz(to, "\r\n");
    if (mct_out_commit(&c->out) == 0)
        return 0;
    mct_task_post(&c->server->loop->sched, &c->resume); /* closes it, outside the caller */
    c->out.failed = true;
    return -1;
}

void mct_http_stream_close(struct mct_http_exchange *x)
{
    struct mct_http_conn *c = mct_http_conn_of(x);
    if (x->chunked)
        mct_buf_addz(mct_out_buf(&c->out), "0\r\n\r\n");
    mct_out_commit(&c->out);
    mct_http_finished(c);
}
