#include "io/http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

/* How addresses that begin with a prefix are judged. The first matching row counts; an address without a row is not
 * public. */
enum { REFUSED = -1, PUBLIC = -2 }; /* otherwise: offset of the IPv4 address in the IPv6 address */

struct range {
    uint8_t prefix[16];
    uint8_t bits;
    int8_t verdict;
};

static const struct range v4_ranges[] = {
    { { 0 }, 8, REFUSED },                 /* this network */
    { { 10 }, 8, REFUSED },                /* private (RFC 1918) */
    { { 100, 64 }, 10, REFUSED },          /* shared by the customers of a provider (RFC 6598) */
    { { 127 }, 8, REFUSED },               /* loopback */
    { { 168, 63, 129, 16 }, 32, REFUSED }, /* the host of each virtual machine at Azure */
    { { 169, 254 }, 16, REFUSED },         /* link-local, with the metadata services of clouds */
    { { 172, 16 }, 12, REFUSED },          /* private */
    { { 192, 0, 0 }, 24, REFUSED },        /* protocol assignments */
    { { 192, 0, 2 }, 24, REFUSED },        /* documentation */
    { { 192, 88, 99 }, 24, REFUSED },      /* relays of 6to4 */
    { { 192, 168 }, 16, REFUSED },         /* private */
    { { 198, 18 }, 15, REFUSED },          /* benchmarks */
    { { 198, 51, 100 }, 24, REFUSED },     /* documentation */
    { { 203, 0, 113 }, 24, REFUSED },      /* documentation */
    { { 224 }, 4, REFUSED },               /* multicast */
    { { 240 }, 4, REFUSED },               /* reserved, broadcast */
    { { 0 }, 0, PUBLIC },
};

static const struct range v6_ranges[] = {
    { { [10] = 0xff, 0xff }, 96, 12 },           /* mapped: ::ffff:0:0/96 */
    { { [8] = 0xff, 0xff }, 96, 12 },            /* translated: ::ffff:0:0:0/96 */
    { { 0x00, 0x64, 0xff, 0x9b }, 96, 12 },      /* NAT64 (RFC 6052) */
    { { 0x20, 0x01 }, 23, REFUSED },             /* protocol assignments, with Teredo and benchmarks */
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32, REFUSED }, /* documentation */
    { { 0x20, 0x02 }, 16, 2 },                   /* 6to4 */
    { { 0x3f, 0xff }, 20, REFUSED },             /* documentation */
    { { 0x20 }, 3, PUBLIC },                     /* global unicast */
};

static bool has_prefix(const uint8_t *address, const struct range *r)
{
    unsigned whole = r->bits / 8, rest = r->bits % 8;
    return !memcmp(address, r->prefix, whole) && (!rest || !((address[whole] ^ r->prefix[whole]) >> (8 - rest)));
}

static int find_verdict(const struct range *rows, size_t n, const uint8_t *address)
{
    for (size_t i = 0; i < n; i++)
        if (has_prefix(address, &rows[i]))
            return rows[i].verdict;
    return REFUSED;
}

static bool v4_is_public(const uint8_t address[4])
{
    return find_verdict(v4_ranges, sizeof v4_ranges / sizeof *v4_ranges, address) == PUBLIC;
}

static bool v6_is_public(const uint8_t address[16])
{
    int verdict = find_verdict(v6_ranges, sizeof v6_ranges / sizeof *v6_ranges, address);
    return verdict == PUBLIC || (verdict >= 0 && v4_is_public(address + verdict));
}

bool mcti_address_is_public(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return v4_is_public((const uint8_t *)&((const struct sockaddr_in *)(const void *)a)->sin_addr);
    if (a->sa_family == AF_INET6)
        return v6_is_public(((const struct sockaddr_in6 *)(const void *)a)->sin6_addr.s6_addr);
    return false;
}

bool mcti_address_read(struct mcti_str text, struct sockaddr_storage *ret)
{
    char z[INET6_ADDRSTRLEN];
    struct mcti_str plain = MCT_STR_NONE;
    if (text.len > 1 && text.p[0] == '[' && text.p[text.len - 1] == ']')
        text = (struct mcti_str){ text.p + 1, text.len - 2 };
    mcti_str_split(&text, '%', &plain);
    if (!plain.len || plain.len >= sizeof z || memchr(plain.p, '\0', plain.len))
        return false;
    memcpy(z, plain.p, plain.len);
    z[plain.len] = '\0';
    memset(ret, 0, sizeof *ret);
    ret->ss_family = strchr(z, ':') ? AF_INET6 : AF_INET;
    void *to = ret->ss_family == AF_INET6 ? (void *)&((struct sockaddr_in6 *)(void *)ret)->sin6_addr
                                          : (void *)&((struct sockaddr_in *)(void *)ret)->sin_addr;
    return inet_pton(ret->ss_family, z, to) == 1;
}

bool mcti_address_text_is_private(struct mcti_str text)
{
    struct sockaddr_storage a;
    return mcti_address_read(text, &a) && !mcti_address_is_public((struct sockaddr *)&a);
}
