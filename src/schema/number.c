/*
 * Exact decimals: [-]d.ddd × 10^top. Comparisons are exact at any size, and 0.3 is a multiple of 0.1. No digit is
 * copied; only leading and trailing zeros and the point are skipped.
 */
#include "schema/value.h"

#include "base/hash.h"

#include <stdint.h>

static const int64_t FAR = (int64_t)1 << 50; /* larger exponents are clamped to this: no text is that long */

struct decimal {
    bool minus;
    const char *p; /* first digit that is not 0 */
    size_t n;      /* number of digits up to the last one that is not 0; 0: the value is zero */
    int64_t top;   /* power of ten of the first digit */
};

static int64_t read_exponent(const char *p, const char *end)
{
    int64_t n = 0;
    bool minus = p < end && *p == '-';
    for (p += p < end && (*p == '-' || *p == '+'); p < end; p++)
        n = n < FAR ? n * 10 + (*p - '0') : FAR;
    n = n < FAR ? n : FAR;
    return minus ? -n : n;
}

static bool is_exponent(char c)
{
    return c == 'e' || c == 'E';
}

static struct decimal schema_number_parse(struct mcti_str s)
{
    struct decimal d = { .minus = *s.p == '-' };
    const char *p = s.p + d.minus, *end = s.p + s.len;
    int64_t before_point = -1, seen = 0, first = 0, last = 0;
    for (; p < end && !is_exponent(*p); p++) {
        if (*p == '.') {
            before_point = seen;
            continue;
        }
        if (*p != '0') {
            first = d.p ? first : seen;
            d.p = d.p ? d.p : p;
            last = seen;
        }
        seen++;
    }
    if (before_point < 0)
        before_point = seen;
    d.n = d.p ? (size_t)(last - first) + 1 : 0;
    d.top = before_point - 1 - first + (p < end ? read_exponent(p + 1, end) : 0);
    return d;
}

static unsigned next_digit(const char **p)
{
    if (**p == '.')
        ++*p;
    return (unsigned)(*(*p)++ - '0');
}

/* Returns the power of ten of the last digit. */
static int64_t schema_number_scale(const struct decimal *d)
{
    return d->top - (int64_t)d->n + 1;
}

static int cmp_size(const struct decimal *a, const struct decimal *b)
{
    const char *pa = a->p, *pb = b->p;
    if (a->top != b->top)
        return a->top < b->top ? -1 : 1;
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        int diff = (int)next_digit(&pa) - (int)next_digit(&pb);
        if (diff)
            return diff;
    }
    return (a->n > b->n) - (a->n < b->n);
}

static int schema_number_sign(const struct decimal *d)
{
    return !d->n ? 0 : d->minus ? -1 : 1;
}

int mcti_schema_number_cmp(struct mcti_str a, struct mcti_str b)
{
    struct decimal x = schema_number_parse(a), y = schema_number_parse(b);
    if (schema_number_sign(&x) != schema_number_sign(&y))
        return schema_number_sign(&x) - schema_number_sign(&y);
    return schema_number_sign(&x) * (x.n ? cmp_size(&x, &y) : 0);
}

bool mcti_schema_number_whole(struct mcti_str n)
{
    struct decimal d = schema_number_parse(n);
    return !d.n || schema_number_scale(&d) >= 0;
}

int mcti_schema_number_sign(struct mcti_str n)
{
    struct decimal d = schema_number_parse(n);
    return schema_number_sign(&d);
}

uint64_t mcti_schema_number_hash(uint64_t seed, struct mcti_str n)
{
    struct decimal d = schema_number_parse(n);
    const int64_t head[] = { schema_number_sign(&d), d.n ? d.top : 0 };
    uint64_t h = mcti_hash(seed, (struct mcti_str){ (const char *)head, sizeof head });
    const char *p = d.p;
    char digits[64];
    for (size_t left = d.n, part; left; left -= part) {
        part = left < sizeof digits ? left : sizeof digits;
        for (size_t i = 0; i < part; i++)
            digits[i] = (char)next_digit(&p);
        h = mcti_hash(h, (struct mcti_str){ digits, part });
    }
    return h;
}

static uint64_t mul_mod(uint64_t a, uint64_t b, uint64_t m)
{
    return (uint64_t)((unsigned __int128)a * b % m);
}

static uint64_t pow10_mod(int64_t exponent, uint64_t m)
{
    uint64_t result = 1 % m, power = 10 % m;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = mul_mod(result, power, m);
        power = mul_mod(power, power, m);
    }
    return result;
}

/* Returns the digits, as one integer, modulo `m`. */
static uint64_t digits_mod(const struct decimal *d, uint64_t m)
{
    const char *p = d->p;
    uint64_t r = 0;
    for (size_t i = 0; i < d->n; i++)
        r = (uint64_t)(((unsigned __int128)r * 10 + next_digit(&p)) % m);
    return r;
}

int mcti_schema_number_multiple(struct mcti_str a, struct mcti_str b)
{
    struct decimal x = schema_number_parse(a), y = schema_number_parse(b);
    if (!x.n)
        return 1;
    if (y.n > 19)
        return -1;
    int64_t shift = schema_number_scale(&x) - schema_number_scale(&y);
    if (shift < 0) /* the digits of `a` do not end in 0, so b × 10^-shift cannot divide them */
        return 0;
    uint64_t m = digits_mod(&y, UINT64_MAX); /* at most 19 digits are less than that: the number itself */
    return mul_mod(digits_mod(&x, m), pow10_mod(shift, m), m) == 0;
}
