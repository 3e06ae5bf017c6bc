/* Keeps a fetch to public addresses. */
#include "io/http/address.h"
#include "io/fetch/client_impl.h"
#include "io/fetch/proxy.h"
#include "io/fetch/url.h"

#include <arpa/inet.h>
#include <fcntl.h>

static void public_refuse(struct mcti_fetch *f, const struct sockaddr *a)
{
    const void *address = a->sa_family == AF_INET6
                              ? (const void *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr
                              : (const void *)&((const struct sockaddr_in *)(const void *)a)->sin_addr;
    if (!inet_ntop(a->sa_family, address, f->refused, sizeof f->refused))
        strcpy(f->refused, "?");
}

/* Called by libcurl with an address that it is about to connect to; it tries the next one after a refusal. */
static curl_socket_t public_open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *a)
{
    struct mcti_fetch *f = data;
    (void)purpose;
    if (!mcti_address_is_public(&a->addr)) {
        public_refuse(f, &a->addr);
        return CURL_SOCKET_BAD;
    }
    int fd = socket(a->family, a->socktype, a->protocol);
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* Called by libcurl before the request is sent, also over a connection that another fetch opened. */
static int public_on_connected(void *data, char *peer, char *local, int peer_port, int local_port)
{
    struct mcti_fetch *f = data;
    (void)local, (void)peer_port, (void)local_port;
    if (!mcti_address_text_is_private(mcti_str_of(peer)))
        return CURL_PREREQFUNC_OK;
    strncat(f->refused, peer, sizeof f->refused - 1 - strlen(f->refused));
    return CURL_PREREQFUNC_ABORT;
}

static int public_check_literal(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_http_client *c = f->client;
    char *host = mcti_url_host(&c->curl, f->url);
    struct sockaddr_storage a;
    if (!host)
        return mcti_no_memory(err);
    bool excluded = mcti_address_read(mcti_str_of(host), &a) && !mcti_address_is_public((struct sockaddr *)&a);
    c->curl.free(host);
    if (!excluded)
        return 0;
    public_refuse(f, (struct sockaddr *)&a);
    mcti_fetch_describe_refusal(f, err);
    return -1;
}

int mcti_fetch_stay_public(struct mcti_fetch *f, struct mct_error *err)
{
    const struct mcti_curl *curl = &f->client->curl;
    const char *proxy = mcti_proxy_for(curl, f->url);
    /* set explicitly, so that libcurl and this function cannot disagree */
    CURLcode r = curl->easy_setopt(f->easy, CURLOPT_PROXY, proxy ? proxy : "");
    r |= curl->easy_setopt(f->easy, CURLOPT_NOPROXY, "");
    if (!proxy) {
        r |= curl->easy_setopt(f->easy, CURLOPT_OPENSOCKETFUNCTION, public_open_socket);
        r |= curl->easy_setopt(f->easy, CURLOPT_OPENSOCKETDATA, f);
        r |= curl->easy_setopt(f->easy, CURLOPT_PREREQFUNCTION, public_on_connected);
        r |= curl->easy_setopt(f->easy, CURLOPT_PREREQDATA, f);
    }
    if (r != CURLE_OK)
        return mcti_no_memory(err);
    return proxy ? public_check_literal(f, err) : 0;
}

void mcti_fetch_describe_refusal(struct mcti_fetch *f, struct mct_error *ret)
{
    f->is_refused = true;
    mcti_fail(ret, MCT_ERR_CONNECT, "the address %s is not public, and only public addresses may be contacted here",
              f->refused);
    ret->unsent = true;
}

bool mcti_fetch_is_refused(const struct mcti_fetch *f)
{
    return f->is_refused;
}

bool mcti_transfer_is_public(const struct mcti_http_client *c, const char *url, CURL *easy)
{
    const struct mcti_curl *curl = &c->curl;
    const char *ip = NULL;
    char *host = NULL;
    if (mcti_proxy_for(curl, url))
        ip = host = mcti_url_host(curl, url);
    else
        curl->easy_getinfo(easy, CURLINFO_PRIMARY_IP, &ip);
    bool private = mcti_address_text_is_private(mcti_str_of(ip));
    curl->free(host);
    return !private;
}

bool mcti_fetch_peer_is_public(const struct mcti_fetch *f)
{
    return f->is_direct ? f->peer_is_public : mcti_transfer_is_public(f->client, f->url, f->easy);
}
