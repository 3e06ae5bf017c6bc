/* Numbers of the core schema of YAML (YAML 1.2, section 10.3.2), written as JSON. */
#include "config/notation/impl.h"

#include <stdlib.h>

enum { RADIX_DIGITS = 15 }; /* of a hexadecimal or octal number; such a one fits into 64 bits */

static const char *number_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

/* Reads 0x… and 0o…. */
static bool number_put_radix(struct mcti_str text, struct mcti_buf *to)
{
    bool is_hex = mcti_str_starts(text, MCT_STR("0x"));
    char digits[RADIX_DIGITS + 1] = "";
    if ((!is_hex && !mcti_str_starts(text, MCT_STR("0o"))) || text.len < 3 || text.len - 2 > RADIX_DIGITS)
        return false;
    memcpy(digits, text.p + 2, text.len - 2);
    if (strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "01234567") != text.len - 2)
        return false;
    mcti_buf_addu(to, strtoull(digits, NULL, is_hex ? 16 : 8));
    return true;
}

/* The parts of a decimal number; `fraction` and `exponent` may be empty. */
struct number_parts {
    bool is_negative;
    struct mcti_str whole, fraction, exponent; /* exponent: with its "e" */
};

/* Reads an exponent at `p`. Returns its end; NULL if it has no digits. */
static const char *number_exponent(const char *p, const char *end)
{
    const char *digits = p + 1;
    digits += digits < end && (*digits == '+' || *digits == '-');
    end = number_digits(digits, end);
    return end > digits ? end : NULL;
}

static bool number_split(struct mcti_str text, struct number_parts *ret)
{
    const char *p = text.p, *end = text.p + text.len, *from;
    *ret = (struct number_parts){ .is_negative = text.len && *p == '-' };
    p += text.len && (*p == '-' || *p == '+');
    from = p;
    p = number_digits(p, end);
    ret->whole = mcti_str_range(from, p);
    if (p < end && *p == '.') {
        from = ++p;
        p = number_digits(p, end);
        ret->fraction = mcti_str_range(from, p);
    }
    if (!ret->whole.len && !ret->fraction.len)
        return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        from = p;
        p = number_exponent(p, end);
        ret->exponent = p ? mcti_str_range(from, p) : MCT_STR_NONE;
    }
    return p == end;
}

bool mcti_doc_core_number(struct mcti_str text, struct mcti_buf *to)
{
    struct number_parts n;
    if (number_put_radix(text, to))
        return true;
    if (!number_split(text, &n))
        return false;
    while (n.whole.len > 1 && *n.whole.p == '0')
        n.whole = mcti_str_range(n.whole.p + 1, n.whole.p + n.whole.len);
    mcti_buf_addz(to, n.is_negative ? "-" : "");
    mcti_buf_add(to, n.whole.len ? n.whole : MCT_STR("0"));
    mcti_buf_addz(to, n.fraction.len ? "." : "");
    mcti_buf_add(to, n.fraction);
    mcti_buf_add(to, n.exponent);
    return true;
}
