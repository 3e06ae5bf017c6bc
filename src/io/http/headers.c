/* Request headers: the list that a fetch is given. */
#include "io/http/client.h"

#include "base/limits.h"

void mct_headers_init(struct mct_headers *h)
{
    mct_buf_init(&h->text, MCT_LIMIT_HTTP_HEADER_BYTES);
}

void mct_headers_done(struct mct_headers *h)
{
    mct_buf_done(&h->text);
}

static bool is_token(const char *name)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    const char *p = name;
    while ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
           (*p && strchr(others, *p)))
        p++;
    return p > name && !*p;
}

void mct_headers_add(struct mct_headers *h, const char *name, struct mct_str value)
{
    for (size_t i = 0; i < value.len; i++)
        h->text.failed |= value.p[i] == '\r' || value.p[i] == '\n' || !value.p[i];
    h->text.failed |= !is_token(name);
    mct_buf_addz(&h->text, name);
    mct_buf_addz(&h->text, value.len ? ": " : ";"); /* libcurl's way to say "empty" */
    mct_buf_add(&h->text, value);
    mct_buf_addc(&h->text, '\0');
}

void mct_headers_add_all(struct mct_headers *h, const struct mct_headers *more)
{
    mct_buf_add(&h->text, mct_buf_str(&more->text));
}
