#include "auth/wire/url.h"

#include "auth/wire/text.h"

#include <arpa/inet.h>

/* A URL, cut. Absent parts are not there; the fragment is not kept. */
struct url_parts {
    struct mcti_str origin, scheme, host; /* host: an IPv6 address is without its brackets */
    struct mcti_str path, query;          /* path: empty or begins with '/'; query: with its '?' */
    unsigned port;
    bool https, is_v6, has_fragment;
};

/* Returns the first of the characters in `set`, or the end. */
static const char *url_find(const char *p, const char *end, const char *set)
{
    while (p < end && (!*p || !strchr(set, *p)))
        p++;
    return p;
}

static bool url_take_scheme(struct mcti_str url, struct url_parts *ret)
{
    const char *end = url_find(url.p, url.p + url.len, ":");
    ret->scheme = mcti_str_range(url.p, end);
    ret->https = mcti_str_eq_nocase(ret->scheme, MCT_STR("https"));
    ret->port = ret->https ? 443 : 80;
    return (ret->https || mcti_str_eq_nocase(ret->scheme, MCT_STR("http"))) &&
           mcti_str_starts(mcti_str_range(end, url.p + url.len), MCT_STR("://"));
}

/* Reads ":port"; nothing keeps the default of the scheme. */
static bool url_take_port(struct mcti_str text, unsigned *port)
{
    if (!text.len)
        return true;
    *port = 0;
    for (size_t i = 1; i < text.len; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        *port = *port * 10 + (unsigned)(text.p[i] - '0');
        if (*port > 65535)
            return false;
    }
    return text.p[0] == ':' && *port > 0;
}

/* Reads "host[:port]". Credentials have no place there. */
static bool url_take_authority(struct mcti_str text, struct url_parts *ret)
{
    const char *end = text.p + text.len;
    ret->is_v6 = text.len && text.p[0] == '[';
    const char *host_end = url_find(text.p, end, ret->is_v6 ? "]" : ":");
    if (host_end == text.p || memchr(text.p, '@', text.len) || (ret->is_v6 && host_end == end))
        return false;
    ret->host = mcti_str_range(text.p + ret->is_v6, host_end);
    return ret->host.len && url_take_port(mcti_str_range(host_end + ret->is_v6, end), &ret->port);
}

/* Cuts an http(s) URL. Returns false if it is none, or has credentials. */
static bool url_cut(struct mcti_str url, struct url_parts *ret)
{
    *ret = (struct url_parts){ 0 };
    if (!url.p || !url_take_scheme(url, ret))
        return false;
    const char *end = url.p + url.len, *host = ret->scheme.p + ret->scheme.len + 3;
    const char *path = url_find(host, end, "/?#"), *query = url_find(path, end, "?#"),
               *hash = url_find(query, end, "#");
    ret->origin = mcti_str_range(url.p, path);
    ret->path = mcti_str_range(path, query);
    ret->query = mcti_str_range(query, hash);
    ret->has_fragment = hash < end;
    return url_take_authority(mcti_str_range(host, path), ret);
}

/* ---- hosts ---- */

static bool url_is_address(struct mcti_str host, int family, void *ret)
{
    char text[64];
    if (host.len >= sizeof text)
        return false;
    memcpy(text, host.p, host.len);
    text[host.len] = '\0';
    return inet_pton(family, text, ret) == 1;
}

static bool url_host_is_loopback(const struct url_parts *u)
{
    struct in_addr four;
    struct in6_addr six;
    if (u->is_v6)
        return url_is_address(u->host, AF_INET6, &six) && IN6_IS_ADDR_LOOPBACK(&six);
    return mcti_str_eq_nocase(u->host, MCT_STR("localhost")) ||
           (url_is_address(u->host, AF_INET, &four) && ntohl(four.s_addr) >> 24 == 127);
}

/* Escapes are refused in names: HTTP libraries decode them, so that two texts name one host. */
static bool url_host_is_valid(const struct url_parts *u)
{
    struct in6_addr six;
    return u->is_v6 ? url_is_address(u->host, AF_INET6, &six) : mcti_text_is_visible(u->host, "%[]{}|^`!$&'()*+,;=");
}

bool mcti_auth_url_is_loopback(struct mcti_str url)
{
    struct url_parts u;
    return url_cut(url, &u) && url_host_is_loopback(&u);
}

/* ---- checks ---- */

/* Returns why OAuth does not use the URL; NULL: it does. */
static const char *url_fault(struct mcti_str url)
{
    struct url_parts u;
    if (!mcti_text_is_visible(url, "\"<>\\"))
        return "has a character that is not allowed in a URL";
    if (!url_cut(url, &u))
        return "is not an http or https URL with a host and without credentials";
    if (!url_host_is_valid(&u))
        return "has an invalid host";
    if (u.has_fragment)
        return "has a fragment";
    return u.https || url_host_is_loopback(&u) ? NULL : "must be an https URL, or an http URL of this machine";
}

int mcti_auth_url_check(struct mcti_str url, const char *what, struct mct_error *err)
{
    enum { SHOWN = 200 };
    char text[SHOWN];
    const char *why = url_fault(url);
    if (!why)
        return 0;
    mcti_text_show(text, sizeof text, memchr(url.p ? url.p : "", '@', url.len) ? MCT_STR("…") : url);
    return mcti_fail(err, MCT_ERR_PROTOCOL, "%s \"%s\" %s", what, text, why);
}

static bool url_segment_is_dots(struct mcti_str segment)
{
    size_t n = 0;
    for (size_t i = 0; i < segment.len; n++) {
        bool escaped = segment.len - i > 2 && mcti_str_eq_nocase((struct mcti_str){ segment.p + i, 3 }, MCT_STR("%2e"));
        if (!escaped && segment.p[i] != '.')
            return false;
        i += escaped ? 3 : 1;
    }
    return n == 1 || n == 2;
}

bool mcti_auth_url_is_client_id(struct mcti_str url)
{
    struct url_parts u;
    struct mcti_str segment;
    if (url_fault(url) || !url_cut(url, &u) || !u.https || u.path.len < 2)
        return false;
    while (mcti_str_split(&u.path, '/', &segment))
        if (url_segment_is_dots(segment))
            return false;
    return true;
}

/* ---- parts ---- */

struct mcti_str mcti_auth_url_origin(struct mcti_str url)
{
    struct url_parts u;
    return url_cut(url, &u) ? u.origin : MCT_STR_NONE;
}

struct mcti_str mcti_auth_url_without_fragment(struct mcti_str url)
{
    return url.p ? mcti_str_range(url.p, url_find(url.p, url.p + url.len, "#")) : url;
}

struct mcti_str mcti_auth_url_shown(struct mcti_str url)
{
    return url.p ? mcti_str_range(url.p, url_find(url.p, url.p + url.len, "?#")) : url;
}

/* ---- comparison ---- */

static bool url_origins_match(const struct url_parts *a, const struct url_parts *b)
{
    return a->https == b->https && a->port == b->port && a->is_v6 == b->is_v6 && mcti_str_eq_nocase(a->host, b->host);
}

bool mcti_auth_url_same_origin(struct mcti_str a, struct mcti_str b)
{
    struct url_parts x, y;
    return url_cut(a, &x) && url_cut(b, &y) && url_origins_match(&x, &y);
}

/* Returns true if `path` is `prefix` or continues it with a segment. A missing path is "/" (RFC 3986 section 6.2.3). */
static bool url_path_covers(struct mcti_str prefix, struct mcti_str path)
{
    if (prefix.len < 2 || mcti_str_eq(prefix, path))
        return true;
    return mcti_str_starts(path, prefix) && (prefix.p[prefix.len - 1] == '/' || path.p[prefix.len] == '/');
}

bool mcti_auth_url_covers(struct mcti_str resource, struct mcti_str url)
{
    struct url_parts r, u;
    if (!url_cut(resource, &r) || !url_cut(url, &u) || !url_origins_match(&r, &u) || r.has_fragment)
        return false;
    return r.query.len ? mcti_str_eq(r.path, u.path) && mcti_str_eq(r.query, u.query) : url_path_covers(r.path, u.path);
}

/* ---- places of metadata ---- */

/* Appends the well-known name between the origin and the path. */
static void url_put_place(struct mcti_buf *to, struct mcti_str origin, const char *name, struct mcti_str path)
{
    mcti_buf_add(to, origin);
    mcti_buf_addz(to, "/.well-known/");
    mcti_buf_addz(to, name);
    mcti_buf_add(to, path);
}

bool mcti_auth_put_resource_place(struct mcti_buf *to, struct mcti_str server_url, unsigned n)
{
    struct url_parts u;
    if (!url_cut(server_url, &u) || n > 1)
        return false;
    bool at_root = u.path.len < 2;
    if (n == 1 && at_root)
        return false;
    url_put_place(to, u.origin, "oauth-protected-resource", n || at_root ? MCT_STR("") : u.path);
    if (!n)
        mcti_buf_add(to, u.query);
    return true;
}

bool mcti_auth_put_issuer_place(struct mcti_buf *to, struct mcti_str issuer, unsigned n)
{
    static const char *const names[] = { "oauth-authorization-server", "openid-configuration" };
    struct url_parts u;
    if (!url_cut(issuer, &u) || u.query.len || u.has_fragment)
        return false;
    if (u.path.len && u.path.p[u.path.len - 1] == '/')
        u.path.len--;
    if (n < 2) {
        url_put_place(to, u.origin, names[n], u.path);
    } else if (n == 2 && u.path.len) {
        mcti_buf_add(to, u.origin);
        url_put_place(to, u.path, names[1], MCT_STR(""));
    }
    return n < 2 || (n == 2 && u.path.len);
}
