#include "mcp/http_refusal.h"

#include "base/limits.h"
#include "base/log/visible.h"
#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EXCERPT = 160 };

static const struct {
    int status;
    enum mct_error_kind kind;
    const char *what;
} rows[] = {
    { 401, MCT_ERR_AUTH, "the server requires credentials: set \"auth\" or \"headers\"" },
    { 403, MCT_ERR_AUTH, "the server does not allow this request" },
    { 404, MCT_ERR_CONNECT, "no MCP endpoint at this URL" },
    { 405, MCT_ERR_CONNECT, "this URL does not accept MCP messages" },
    { 407, MCT_ERR_AUTH, "the proxy requires credentials" },
    { 413, MCT_ERR_LIMIT, "the message is too large for the server" },
    { 429, MCT_ERR_CONNECT, "the server accepts no more requests at the moment" },
    { 503, MCT_ERR_CONNECT, "the server is temporarily unavailable" },
};

/* Extracts the error message of a JSON body, or the beginning of any other body. */
static void http_refusal_excerpt(struct mcti_str body, char *to, size_t size)
{
    struct mcti_json_top top;
    struct mcti_str text = mcti_str_trim(body), error;
    char *message = NULL;
    if (mcti_json_valid(body, MCT_LIMIT_JSON_DEPTH, &top, NULL)) {
        error = mcti_json_get(top.value, "error");
        message = mcti_json_dup(mcti_json_get(error, "message"));
        if (!message)
            message = mcti_json_dup(error);
    }
    if (message)
        text = mcti_str_of(message);
    size_t n = text.len < size - 4 ? text.len : size - 4;
    snprintf(to, size, "%.*s%s", (int)n, text.p ? text.p : "", n < text.len ? "…" : "");
    mcti_visible(to);
    free(message);
}

int mcti_fail_refused(struct mct_error *err, int status, struct mcti_str body)
{
    char said[EXCERPT];
    const char *what = NULL;
    enum mct_error_kind kind = MCT_ERR_CONNECT;
    if (!err)
        return -1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].status == status) {
            kind = rows[i].kind;
            what = rows[i].what;
        }
    }
    http_refusal_excerpt(body, said, sizeof said);
    mcti_fail(err, kind, "HTTP %d%s%s%s%s%s", status, what ? ": " : "", what ? what : "", *said ? " (" : "", said,
              *said ? ")" : "");
    err->http_status = status;
    return -1;
}

int mcti_fail_not_mcp(struct mct_error *err, int status, struct mcti_str type, struct mcti_str body)
{
    char said[EXCERPT];
    http_refusal_excerpt(body, said, sizeof said);
    if (!body.len && !type.len)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "HTTP %d without an answer", status);
    if (!type.len)
        return mcti_fail(err, MCT_ERR_PROTOCOL, "HTTP %d with an answer without a content type (%s)", status, said);
    return mcti_fail(err, MCT_ERR_PROTOCOL,
                     "HTTP %d with '%.*s' instead of JSON or an event stream: is this the "
                     "URL of an MCP server? (%s)",
                     status, MCT_STR_ARG(type), said);
}

int mcti_fail_no_answer(struct mct_error *err, int status, struct mcti_str body)
{
    char said[EXCERPT];
    struct mcti_json_fault fault;
    http_refusal_excerpt(body, said, sizeof said);
    if (!mcti_json_valid(body, MCT_LIMIT_JSON_DEPTH, NULL, &fault))
        return mcti_fail(err, MCT_ERR_PROTOCOL, "HTTP %d with an answer that is not valid JSON at byte %zu: %s (%s)",
                         status, fault.offset, fault.why, said);
    return mcti_fail(err, MCT_ERR_PROTOCOL, "HTTP %d with JSON that does not answer the request (%s)", status, said);
}

bool mcti_http_is_unsupported(int status)
{
    return status >= 400 && status < 500 && status != 401 && status != 403 && status != 407 && status != 408 &&
           status != 429;
}

bool mcti_http_may_send(bool is_notice, size_t n_notices, size_t n_requests, size_t max_requests)
{
    return is_notice ? n_notices < MCT_HTTP_NOTICES : n_requests < max_requests;
}

bool mcti_http_drop_notice(const struct mcti_transport_events *e, const struct mcti_msg *notice,
                           const struct mct_error *why)
{
    bool droppable = notice->kind == MCT_MSG_NOTIFICATION;
    if (droppable && e->on_send_failed)
        e->on_send_failed(e->data, why);
    return !droppable;
}

int mcti_http_may_queue(size_t n, size_t bytes, size_t max_bytes, struct mct_error *err)
{
    if (n < MCT_LIMIT_HTTP_NOTICES && bytes <= max_bytes)
        return 0;
    return mcti_fail(err, MCT_ERR_LIMIT,
                     "the server does not accept answers and notifications; %zu (%zu bytes) are queued", n, bytes);
}

/* Returns the time of a date in the form of RFC 9110 (IMF-fixdate), in seconds since 1970; 0: it has another form. */
static int64_t refusal_date(struct mcti_str value)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[40], month[4];
    struct tm tm = { 0 };
    int n = 0;
    if (value.len >= sizeof text)
        return 0;
    memcpy(text, value.p, value.len);
    text[value.len] = '\0';
    if (sscanf(text, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &tm.tm_mday, month, &tm.tm_year, &tm.tm_hour,
               &tm.tm_min, &tm.tm_sec, &n) != 6 ||
        (size_t)n != value.len)
        return 0;
    const char *at = strstr(months, month);
    if (!at || (at - months) % 3 || strlen(month) != 3)
        return 0;
    tm.tm_mon = (int)(at - months) / 3;
    tm.tm_year -= 1900;
    return (int64_t)timegm(&tm);
}

unsigned mcti_http_retry_after_ms(struct mcti_str value, int64_t now_s)
{
    uint64_t s;
    if (!value.len)
        return 0;
    if (!mcti_json_uint(value, &s)) {
        int64_t at = refusal_date(value);
        s = at > now_s ? (uint64_t)(at - now_s) : 0;
    }
    return s > MCT_LIMIT_RETRY_MS / 1000 ? MCT_LIMIT_RETRY_MS : (unsigned)s * 1000;
}
