/* The list of request headers of a fetch. */
#include "io/fetch/client.h"

#include "base/limits.h"

#include <strings.h>

void mcti_headers_init(struct mcti_headers *h)
{
    *h = (struct mcti_headers){ 0 };
    mcti_buf_init(&h->text, MCT_LIMIT_HTTP_HEADER_BYTES);
}

void mcti_headers_done(struct mcti_headers *h)
{
    mcti_buf_done(&h->text);
}

static bool has_line_end(struct mcti_str s)
{
    return s.len && (memchr(s.p, '\r', s.len) || memchr(s.p, '\n', s.len) || memchr(s.p, '\0', s.len));
}

/* Returns the bit of a header that every request has; 0: it is another one. */
static unsigned header_bit(const char *name)
{
    static const char *const names[MCT_HEADER_N] = {
        [MCT_HEADER_HOST] = "Host", [MCT_HEADER_USER_AGENT] = "User-Agent", [MCT_HEADER_ACCEPT] = "Accept"
    };
    for (int i = 0; i < MCT_HEADER_N; i++)
        if (!strcasecmp(name, names[i]))
            return 1u << i;
    return 0;
}

void mcti_headers_add(struct mcti_headers *h, const char *name, struct mcti_str value)
{
    h->text.failed |= has_line_end(value) || !mcti_str_is_token(mcti_str_of(name));
    h->given |= header_bit(name);
    mcti_buf_addz(&h->text, name);
    mcti_buf_addz(&h->text, value.len ? ": " : ":");
    mcti_buf_add(&h->text, value);
    mcti_buf_addz(&h->text, "\r\n");
}

void mcti_headers_add_all(struct mcti_headers *h, const struct mcti_headers *more)
{
    h->given |= more->given;
    mcti_buf_add(&h->text, mcti_buf_str(&more->text));
}
