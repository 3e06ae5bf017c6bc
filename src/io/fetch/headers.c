/* The list of request headers of a fetch. */
#include "io/fetch/client.h"

#include "base/limits.h"

void mcti_headers_init(struct mcti_headers *h)
{
    mcti_buf_init(&h->text, MCT_LIMIT_HTTP_HEADER_BYTES);
}

void mcti_headers_done(struct mcti_headers *h)
{
    mcti_buf_done(&h->text);
}

static bool http_headers_is_token(const char *name)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    const char *p = name;
    while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '-' || (*p >= '0' && *p <= '9') ||
           (*p && strchr(others, *p)))
        p++;
    return p > name && !*p;
}

static bool has_line_end(struct mcti_str s)
{
    return s.len && (memchr(s.p, '\r', s.len) || memchr(s.p, '\n', s.len) || memchr(s.p, '\0', s.len));
}

void mcti_headers_add(struct mcti_headers *h, const char *name, struct mcti_str value)
{
    h->text.failed |= has_line_end(value) || !http_headers_is_token(name);
    mcti_buf_addz(&h->text, name);
    mcti_buf_addz(&h->text, value.len ? ": " : ";"); /* libcurl's syntax for an empty value */
    mcti_buf_add(&h->text, value);
    mcti_buf_addc(&h->text, '\0');
}

void mcti_headers_add_all(struct mcti_headers *h, const struct mcti_headers *more)
{
    mcti_buf_add(&h->text, mcti_buf_str(&more->text));
}
