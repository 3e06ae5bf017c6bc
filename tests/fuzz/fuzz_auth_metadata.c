/* Discovery documents: what is kept has no control characters. The places of what they name are URLs of the same
 * origin. */
#include "auth/wire/metadata.h"
#include "auth/wire/text.h"
#include "auth/wire/url.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(struct mcti_str url, bool (*put)(struct mcti_buf *to, struct mcti_str url, unsigned n))
{
    struct mcti_buf b;
    bool usable = mcti_auth_url_check(url, "it", NULL) == 0;
    mcti_buf_init(&b, 1u << 20);
    for (unsigned n = 0; put(&b, url, n); n++) {
        if (n > 2 || !mcti_auth_url_same_origin(url, mcti_buf_str(&b)))
            abort();
        if (usable && mcti_auth_url_check(mcti_buf_str(&b), "it", NULL) < 0)
            abort();
        mcti_buf_clear(&b);
    }
    if (b.len)
        abort();
    mcti_buf_done(&b);
}

static void check_url(const char *text)
{
    struct mcti_str url = mcti_str_of(text);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            abort();
    check_place(url, mcti_auth_put_resource_place);
    check_place(url, mcti_auth_put_issuer_place);
    bool plain = mcti_auth_url_origin(url).p && !strchr(text, '#');
    if (plain && (!mcti_auth_url_covers(url, url) || !mcti_auth_url_same_origin(url, url)))
        abort();
    if (mcti_auth_url_is_client_id(url) && mcti_auth_url_check(url, "it", NULL) < 0)
        abort();
}

static void check_list(const struct mcti_strings *list)
{
    for (size_t i = 0; i < list->n; i++)
        check_url(list->v[i]);
}

static void check_scopes(const struct mcti_strings *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (!*list->v[i] || !mcti_text_is_visible(mcti_str_of(list->v[i]), "\"\\"))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mcti_str text = { (const char *)data, size };
    struct mcti_resource_metadata r;
    struct mcti_issuer_metadata i;
    struct mct_error err;
    if (mcti_resource_metadata_read(&r, text, &err) == 0) {
        check_url(r.resource);
        check_list(&r.authorization_servers);
        check_scopes(&r.scopes);
    }
    mcti_resource_metadata_clear(&r);
    if (mcti_issuer_metadata_read(&i, text, &err) == 0) {
        check_url(i.issuer);
        check_scopes(&i.scopes);
        const char *const endpoints[] = { i.authorization_endpoint, i.token_endpoint, i.registration_endpoint };
        for (size_t n = 0; n < sizeof endpoints / sizeof *endpoints; n++)
            if (endpoints[n])
                check_url(endpoints[n]);
    }
    mcti_issuer_metadata_clear(&i);
    return 0;
}
