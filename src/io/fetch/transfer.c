/* How libcurl makes connections, its own and those that it makes for us. */
#include "io/fetch/client_impl.h"
#include "io/fetch/url.h"

CURLcode mcti_transfer_set_up(struct mcti_http_client *c, CURL *easy, const char *url)
{
    const struct mcti_curl *curl = &c->curl;
    CURLcode r = curl->easy_setopt(easy, CURLOPT_URL, url);
    r |= curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    r |= curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)MCT_HTTP_CONNECT_MS);
    r |= curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    r |= curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    r |= curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    r |= curl->easy_setopt(easy, CURLOPT_SHARE, c->share);
    if (c->ca_file)
        r |= curl->easy_setopt(easy, CURLOPT_CAINFO, c->ca_file);
    if (mcti_url_is_loopback(curl, url))
        r |= curl->easy_setopt(easy, CURLOPT_PROXY, "");
    return r;
}
