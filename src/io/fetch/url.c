#include "io/fetch/url.h"

#include "base/str.h"

#include <string.h>

char *mcti_url_host(const struct mcti_curl *curl, const char *url)
{
    char *host = NULL;
    CURLU *u = curl->url();
    if (u && curl->url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK)
        curl->url_get(u, CURLUPART_HOST, &host, 0);
    curl->url_cleanup(u);
    return host;
}

bool mcti_url_is_loopback(const struct mcti_curl *curl, const char *url)
{
    char *host = mcti_url_host(curl, url);
    bool yes = host && (!strcmp(host, "localhost") || !strncmp(host, "127.", 4) || !strcmp(host, "[::1]"));
    curl->free(host);
    return yes;
}

static bool same_part(const struct mcti_curl *curl, CURLU *a, CURLU *b, CURLUPart part)
{
    char *x = NULL, *y = NULL;
    curl->url_get(a, part, &x, CURLU_DEFAULT_PORT);
    curl->url_get(b, part, &y, CURLU_DEFAULT_PORT);
    bool same = x && y && mcti_str_eq_nocase(mcti_str_of(x), mcti_str_of(y));
    curl->free(x);
    curl->free(y);
    return same;
}

char *mcti_url_resolve(const struct mcti_curl *curl, const char *base, const char *reference, struct mct_error *err)
{
    CURLU *a = curl->url(), *b = curl->url();
    char *text = NULL, *copy = NULL;
    bool valid = a && b && curl->url_set(a, CURLUPART_URL, base, 0) == CURLUE_OK &&
                 curl->url_set(b, CURLUPART_URL, base, 0) == CURLUE_OK &&
                 curl->url_set(b, CURLUPART_URL, reference, 0) == CURLUE_OK &&
                 curl->url_get(b, CURLUPART_URL, &text, 0) == CURLUE_OK;
    if (!valid)
        mcti_fail(err, MCT_ERR_CONNECT, "invalid URL '%.200s'", reference);
    else if (!same_part(curl, a, b, CURLUPART_SCHEME) || !same_part(curl, a, b, CURLUPART_HOST) ||
             !same_part(curl, a, b, CURLUPART_PORT))
        mcti_fail(err, MCT_ERR_CONNECT,
                  "the server refers to another origin, '%.200s', which is not followed; if that URL is correct, "
                  "configure it",
                  reference);
    else
        copy = strdup(text);
    curl->free(text);
    curl->url_cleanup(a);
    curl->url_cleanup(b);
    return copy;
}
