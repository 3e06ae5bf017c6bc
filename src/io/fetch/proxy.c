#include "io/fetch/proxy.h"

#include "io/http/address.h"
#include "io/fetch/url.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <strings.h>

/* Returns the value of the first variable that is set and not empty. HTTP_PROXY in capitals has no meaning: a CGI
 * program receives the header "Proxy" of its request in it. */
static const char *proxy_read_env(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            return value;
    }
    return NULL;
}

static bool name_is_below(struct mcti_str host, struct mcti_str domain)
{
    if (domain.len && domain.p[domain.len - 1] == '.')
        domain.len--;
    if (domain.len && domain.p[0] == '.')
        domain = (struct mcti_str){ domain.p + 1, domain.len - 1 };
    if (!domain.len || domain.len > host.len)
        return false;
    struct mcti_str end = { host.p + host.len - domain.len, domain.len };
    return mcti_str_eq_nocase(end, domain) && (end.p == host.p || end.p[-1] == '.');
}

static const uint8_t *bytes_of(const struct sockaddr_storage *a, unsigned *ret_bits)
{
    *ret_bits = a->ss_family == AF_INET6 ? 128 : 32;
    return a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr.s6_addr
                                    : (const uint8_t *)&((const struct sockaddr_in *)(const void *)a)->sin_addr;
}

/* Returns true if the address is in `network`, "ADDRESS" or "ADDRESS/BITS". */
static bool address_is_in(const struct sockaddr_storage *address, struct mcti_str network)
{
    struct sockaddr_storage first;
    struct mcti_str text;
    unsigned max;
    mcti_str_split(&network, '/', &text);
    if (!mcti_address_read(text, &first) || first.ss_family != address->ss_family)
        return false;
    const uint8_t *a = bytes_of(address, &max), *b = bytes_of(&first, &max);
    unsigned bits = network.p ? (unsigned)atoi(network.p) : max;
    bits = !bits || bits > max ? max : bits;
    return !memcmp(a, b, bits / 8) && (bits % 8 == 0 || !((a[bits / 8] ^ b[bits / 8]) >> (8 - bits % 8)));
}

static bool is_excluded(struct mcti_str host)
{
    static const char *const names[] = { "no_proxy", "NO_PROXY", NULL };
    struct mcti_str rest = mcti_str_of(proxy_read_env(names)), part;
    struct sockaddr_storage address;
    bool is_address = mcti_address_read(host, &address);
    if (mcti_str_is(rest, "*"))
        return true;
    if (host.len && host.p[host.len - 1] == '.')
        host.len--;
    while (rest.p && rest.len) {
        size_t n = 0;
        while (n < rest.len && !strchr(", \t", rest.p[n]))
            n++;
        part = (struct mcti_str){ rest.p, n };
        rest = (struct mcti_str){ rest.p + n + (n < rest.len), rest.len - n - (n < rest.len) };
        if (part.len && (is_address ? address_is_in(&address, part) : name_is_below(host, part)))
            return true;
    }
    return false;
}

const char *mcti_proxy_for(const struct mcti_curl *curl, const char *url)
{
    static const char *const http[] = { "http_proxy", "all_proxy", "ALL_PROXY", NULL };
    static const char *const https[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL };
    const char *proxy = proxy_read_env(strncasecmp(url, "https:", 6) == 0 ? https : http);
    if (!proxy || mcti_url_is_loopback(curl, url))
        return NULL;
    char *host = mcti_url_host(curl, url);
    bool direct = host && is_excluded(mcti_str_of(host));
    curl->free(host);
    return direct ? NULL : proxy;
}
