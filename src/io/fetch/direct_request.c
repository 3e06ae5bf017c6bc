/* The requests of direct connections. */
#include "io/fetch/direct.h"

#include "base/limits.h"

#include <arpa/inet.h>
#include <limits.h>

enum {
    OTHERS_BYTES = 160, /* about the length of the other parts of a request without its body */
    TLS_RECORD_BYTES = 16384
};

/* Reads ":80" at the end of an authority. */
static bool direct_read_port(struct mcti_str text, in_port_t *ret)
{
    unsigned n = text.len ? 0 : 80;
    for (size_t i = 1; i < text.len && n <= UINT16_MAX; i++)
        n = text.p[i] >= '0' && text.p[i] <= '9' ? n * 10 + (unsigned)(text.p[i] - '0') : UINT_MAX / 11;
    *ret = htons((uint16_t)n);
    return n && n <= UINT16_MAX;
}

static void direct_add_address(struct mcti_direct_host *h, int family, in_port_t port)
{
    struct sockaddr_storage *a = &h->address[h->n++];
    *a = (struct sockaddr_storage){ .ss_family = (sa_family_t)family };
    if (family == AF_INET6)
        *(struct sockaddr_in6 *)(void *)a =
            (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = in6addr_loopback };
    else
        *(struct sockaddr_in *)(void *)a = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = port };
}

/* Reads "localhost", "[::1]" or an address of 127/8, with a port or without one. */
static bool direct_read_host(struct mcti_direct_host *ret)
{
    struct mcti_str authority = ret->name;
    const char *end = authority.p + authority.len, *colon = memrchr(authority.p, ':', authority.len);
    if (!colon || end[-1] == ']')
        colon = end;
    struct mcti_str name = mcti_str_range(authority.p, colon);
    struct in_addr v4;
    char text[INET_ADDRSTRLEN];
    in_port_t port;
    if (!direct_read_port(mcti_str_range(colon, end), &port))
        return false;
    if (mcti_str_eq_nocase(name, MCT_STR("localhost")) || mcti_str_eq(name, MCT_STR("[::1]")))
        direct_add_address(ret, AF_INET6, port);
    if (mcti_str_eq(name, MCT_STR("[::1]")))
        return true;
    direct_add_address(ret, AF_INET, port);
    v4.s_addr = htonl(INADDR_LOOPBACK);
    if (ret->n == 1) {
        if (name.len >= sizeof text)
            return false;
        memcpy(text, name.p, name.len);
        text[name.len] = '\0';
        if (inet_pton(AF_INET, text, &v4) != 1 || ntohl(v4.s_addr) >> 24 != 127)
            return false;
    }
    ((struct sockaddr_in *)(void *)&ret->address[ret->n - 1])->sin_addr = v4;
    return true;
}

/* Returns whether the path can be sent as it stands: libcurl escapes and shortens others. */
static bool direct_path_is_plain(struct mcti_str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (path.p[i] <= ' ' || path.p[i] >= 0x7f || (path.p[i] == '/' && i + 1 < path.len && path.p[i + 1] == '.'))
            return false;
    return true;
}

bool mcti_direct_split_url(const char *url, struct mcti_str scheme, struct mcti_direct_host *ret)
{
    struct mcti_str all = mcti_str_of(url);
    if (all.len <= scheme.len || !mcti_str_eq_nocase((struct mcti_str){ url, scheme.len }, scheme))
        return false;
    const char *host = url + scheme.len, *path = host + strcspn(host, "/?#");
    *ret = (struct mcti_direct_host){ .name = mcti_str_range(host, path),
                                      .path = mcti_str_range(path, path + strcspn(path, "#")) };
    return ret->name.len && direct_path_is_plain(ret->path);
}

bool mcti_direct_read_url(const char *url, struct mcti_direct_host *ret)
{
    return mcti_direct_split_url(url, MCT_STR("http://"), ret) && direct_read_host(ret);
}

static void direct_put_line(struct mcti_buf *to, const struct mcti_fetch *f)
{
    mcti_buf_addz(to, f->method);
    mcti_buf_addz(to, f->host.path.len && *f->host.path.p == '/' ? " " : " /");
    mcti_buf_add(to, f->host.path);
    mcti_buf_addz(to, " HTTP/1.1\r\n");
}

int mcti_direct_redirect(struct mcti_fetch *f, struct mct_error *err)
{
    struct mcti_str line, rest = mcti_buf_str(&f->request);
    struct mcti_buf request;
    struct mcti_origin *origin = f->host.origin; /* the same for all redirects */
    bool plain =
        origin ? mcti_direct_split_url(f->url, MCT_STR("https://"), &f->host) : mcti_direct_read_url(f->url, &f->host);
    f->host.origin = origin;
    if (!plain)
        return mcti_fail(err, MCT_ERR_CONNECT, "redirected to '%.200s', whose path has characters that must be escaped",
                         f->url);
    mcti_str_split(&rest, '\n', &line);
    mcti_buf_init(&request, MCT_LIMIT_HTTP_HEADER_BYTES);
    direct_put_line(&request, f);
    mcti_buf_add(&request, rest);
    mcti_buf_done(&f->request);
    f->request = request;
    return mcti_buf_ok(&request) ? 0 : mcti_no_memory(err);
}

/* Puts a short body behind the headers if the bytes are copied anyway: one record of TLS, and one write. */
static void direct_join(struct mcti_fetch *f)
{
    f->is_joined = f->host.origin && f->request.len + f->body.pieces.len <= TLS_RECORD_BYTES;
    if (f->is_joined)
        mcti_pieces_copy(&f->request, &f->body.pieces);
}

int mcti_direct_put_request(struct mcti_fetch *f, const struct mcti_headers *headers)
{
    struct mcti_buf *to = &f->request;
    mcti_buf_init(to, MCT_LIMIT_HTTP_HEADER_BYTES);
    mcti_buf_reserve(to, f->host.path.len + headers->text.len + f->host.name.len + OTHERS_BYTES);
    direct_put_line(to, f);
    mcti_buf_add(to, mcti_buf_str(&headers->text));
    if (!(headers->given & 1u << MCT_HEADER_HOST)) {
        mcti_buf_addz(to, "Host: ");
        mcti_buf_add(to, f->host.name);
        mcti_buf_addz(to, "\r\n");
    }
    if (!(headers->given & 1u << MCT_HEADER_USER_AGENT))
        mcti_buf_addz(to, "User-Agent: mcptools/" MCT_VERSION "\r\n");
    if (!(headers->given & 1u << MCT_HEADER_ACCEPT))
        mcti_buf_addz(to, "Accept: */*\r\n");
    if (f->body.pieces.n || !strcmp(f->method, "POST")) {
        mcti_buf_addz(to, "Content-Length: ");
        mcti_buf_addu(to, f->body.pieces.len);
        mcti_buf_addz(to, "\r\n");
    }
    if (f->host.origin)
        mcti_buf_addz(to, "Accept-Encoding: gzip\r\n");
    mcti_buf_addz(to, "\r\n");
    direct_join(f);
    return mcti_buf_ok(to) ? 0 : -1;
}
