#include "front/guard.h"

#include <arpa/inet.h>

/* Returns true for an empty string or ":digits". */
static bool is_port(struct mcti_str s)
{
    size_t i = 1;
    while (i < s.len && s.p[i] >= '0' && s.p[i] <= '9')
        i++;
    return !s.len || (s.p[0] == ':' && i == s.len);
}

/* Returns the host of "host", "host:port" or "[v6]:port"; absent if `s` has another form. */
static struct mcti_str without_port(struct mcti_str s)
{
    if (!s.len)
        return MCT_STR_NONE;
    bool is_v6 = s.p[0] == '[';
    const char *end = memchr(s.p, is_v6 ? ']' : ':', s.len);
    const char *port = end ? end + is_v6 : s.p + s.len;
    if ((is_v6 && !end) || !is_port(mcti_str_range(port, s.p + s.len)))
        return MCT_STR_NONE;
    return mcti_str_range(s.p + is_v6, end ? end : port);
}

static bool is_ip(struct mcti_str host, bool *ret_loopback)
{
    char text[64];
    struct in_addr four;
    struct in6_addr six;
    if (!host.len || host.len >= sizeof text)
        return false;
    memcpy(text, host.p, host.len);
    text[host.len] = '\0';
    if (inet_pton(AF_INET, text, &four) == 1) {
        *ret_loopback = (ntohl(four.s_addr) >> 24) == 127;
        return true;
    }
    if (inet_pton(AF_INET6, text, &six) == 1) {
        *ret_loopback = IN6_IS_ADDR_LOOPBACK(&six);
        return true;
    }
    return false;
}

bool mcti_is_loopback_host(struct mcti_str host)
{
    bool loopback = false;
    struct mcti_str h = without_port(host);
    return mcti_str_is(h, "127.0.0.1") || mcti_str_eq_nocase(h, MCT_STR("localhost")) ||
           (is_ip(h, &loopback) && loopback);
}

struct mcti_str mcti_guard_domain(struct mcti_str host)
{
    bool loopback;
    struct mcti_str h = without_port(host);
    return !h.len || is_ip(h, &loopback) || mcti_is_loopback_host(host) ? MCT_STR("localhost") : h;
}

static bool guard_listed(const char *const *list, size_t n, struct mcti_str s)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_str_eq_nocase(s, mcti_str_of(list[i])))
            return true;
    return false;
}

bool mcti_guard_host(const struct mcti_guard *g, struct mcti_str host)
{
    bool loopback;
    struct mcti_str h = without_port(host);
    if (!h.len)
        return false;
    if (mcti_is_loopback_host(host) || guard_listed(g->hosts, g->n_hosts, h))
        return true;
    if (g->loopback)
        return false;
    /* DNS rebinding needs a name: an IP address in Host is the address that the client connected to */
    return mcti_str_eq_nocase(h, g->bound_host) || is_ip(h, &loopback);
}

bool mcti_guard_origin(const struct mcti_guard *g, struct mcti_str origin, struct mcti_str host)
{
    if (!origin.p)
        return true;
    if (guard_listed(g->origins, g->n_origins, origin))
        return true;
    const char *scheme_end = origin.len ? memmem(origin.p, origin.len, "://", 3) : NULL;
    if (!scheme_end)
        return false; /* for example "null" */
    struct mcti_str rest = mcti_str_range(scheme_end + 3, origin.p + origin.len);
    if (rest.len && memchr(rest.p, '/', rest.len))
        return false; /* an origin has no path */
    return mcti_is_loopback_host(rest) || mcti_str_eq_nocase(rest, host);
}

bool mcti_guard_cors(const struct mcti_guard *g, struct mcti_str origin, size_t *ret_at)
{
    for (*ret_at = 0; origin.p && *ret_at < g->n_origins; (*ret_at)++)
        if (mcti_str_eq_nocase(origin, mcti_str_of(g->origins[*ret_at])))
            return true;
    return false;
}

int mcti_guard_principal(const struct mcti_guard *g, struct mcti_str authorization)
{
    static const struct mcti_str scheme = { "bearer ", 7 };
    int who = -1;
    if (!g->n_tokens)
        return 0;
    if (authorization.len <= scheme.len ||
        !mcti_str_eq_nocase((struct mcti_str){ authorization.p, scheme.len }, scheme))
        return -1;
    struct mcti_str token = { authorization.p + scheme.len, authorization.len - scheme.len };
    for (size_t i = 0; i < g->n_tokens; i++)
        if (g->tokens[i].token && mcti_str_eq_secret(mcti_str_trim(token), mcti_str_of(g->tokens[i].token)))
            who = (int)i + 1;
    return who;
}
