#include "response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_HEAD = 65536, MAX_BODY = 64 << 20 };

void response_reset(struct response *response)
{
    struct text raw = response->raw;

    raw.len = 0;
    *response = (struct response){ .raw = raw };
}

const char *response_header(const struct response *response, const char *name, size_t *len)
{
    const char *line = response->raw.data, *end = line + response->head_len;
    size_t name_len = strlen(name);

    while ((line = memmem(line, (size_t)(end - line), "\r\n", 2)) != NULL) {
        line += 2;
        if ((size_t)(end - line) <= name_len)
            break;
        if (strncasecmp(line, name, name_len) != 0 || line[name_len] != ':')
            continue;
        const char *value = line + name_len + 1;
        value += strspn(value, " \t");
        *len = strcspn(value, "\r");
        return value;
    }
    return NULL;
}

static bool header_is(const struct response *response, const char *name, const char *wanted)
{
    size_t len;
    const char *value = response_header(response, name, &len);

    return value && len == strlen(wanted) && strncasecmp(value, wanted, len) == 0;
}

/* An answer that only the end of the connection delimits is not accepted. */
static bool choose_framing(struct response *response)
{
    size_t len;
    const char *length = response_header(response, "Content-Length", &len);

    response->chunked = header_is(response, "Transfer-Encoding", "chunked");
    response->keep_alive = !header_is(response, "Connection", "close");
    if (length)
        response->content_length = strtoul(length, NULL, 10);
    return (response->chunked || length || response->status == 204) && response->content_length <= MAX_BODY;
}

static enum progress parse_head(struct response *response)
{
    struct text *raw = &response->raw;
    const char *end = memmem(raw->data, raw->len, "\r\n\r\n", 4);

    if (!end)
        return raw->len > MAX_HEAD ? FAILED : PENDING;
    response->head_len = (size_t)(end - raw->data) + 4;
    response->chunk_at = response->head_len;
    if (sscanf(raw->data, "HTTP/1.1 %3d", &response->status) != 1)
        return FAILED;
    return choose_framing(response) ? DONE : FAILED;
}

static enum progress finish_chunks(const struct response *response, const char *line_end)
{
    const char *end = response->raw.data + response->raw.len;
    const char *last = memmem(line_end, (size_t)(end - line_end), "\r\n\r\n", 4);

    if (!last)
        return PENDING;
    return last + 4 == end ? DONE : FAILED;
}

static enum progress decode_chunks(struct response *response)
{
    struct text *raw = &response->raw;
    char *body = raw->data + response->head_len, *end = raw->data + raw->len;

    for (;;) {
        char *line = raw->data + response->chunk_at, *digits_end;
        char *line_end = memmem(line, (size_t)(end - line), "\r\n", 2);
        if (!line_end)
            return PENDING;
        size_t size = strtoul(line, &digits_end, 16);
        if (digits_end == line || size > MAX_BODY)
            return FAILED;
        if (size == 0)
            return finish_chunks(response, line_end);
        if ((size_t)(end - line_end) < size + 4)
            return PENDING;
        memmove(body + response->body_len, line_end + 2, size);
        response->body_len += size;
        response->chunk_at = (size_t)(line_end - raw->data) + size + 4;
    }
}

static enum progress take_body(struct response *response)
{
    if (response->chunked)
        return decode_chunks(response);
    response->body_len = response->raw.len - response->head_len;
    if (response->body_len > response->content_length)
        return FAILED;
    return response->body_len == response->content_length ? DONE : PENDING;
}

enum progress response_advance(struct response *response)
{
    enum progress progress = response->head_len ? DONE : parse_head(response);

    return progress == DONE ? take_body(response) : progress;
}
