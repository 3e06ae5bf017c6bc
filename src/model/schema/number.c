/* Writes numbers like ECMAScript's Number::toString (ECMA-262 section 6.1.6.1.20), but from the decimal digits
 * themselves, so that digits beyond the precision of a double are kept. */
#include "model/schema/impl.h"

#include <stdlib.h>

enum { DIGITS = 64, WHOLE_DIGITS = 21, LEADING_ZEROS = 6, EXPONENT = 400 };

/* The value 0.DIGITS times ten to the power of `point`. */
struct decimal {
    char digits[DIGITS];
    int n, point;
    bool negative;
};

/* Parses a number; returns false if it has too many digits or too large an exponent. */
static bool normal_number_parse(struct mcti_str s, struct decimal *d)
{
    size_t i = d->negative = *s.p == '-';
    bool fraction = false;
    for (; i < s.len && (s.p[i] == '.' || (s.p[i] >= '0' && s.p[i] <= '9')); i++) {
        if (s.p[i] == '.') {
            fraction = true;
        } else if (d->n || s.p[i] != '0') {
            if (d->n == DIGITS)
                return false;
            d->digits[d->n++] = s.p[i];
            d->point += !fraction;
        } else {
            d->point -= fraction;
        }
    }
    char exponent[8];
    size_t len = i < s.len ? s.len - i - 1 : 0;
    if (len >= sizeof exponent)
        return false;
    memcpy(exponent, s.p + s.len - len, len);
    exponent[len] = '\0';
    d->point += atoi(exponent);
    while (d->n && d->digits[d->n - 1] == '0')
        d->n--;
    return d->point > -EXPONENT && d->point < EXPONENT;
}

static void schema_number_put(struct mcti_buf *b, const struct decimal *d)
{
    struct mcti_str digits = { d->digits, (size_t)d->n };
    mcti_buf_addz(b, d->negative ? "-" : "");
    if (d->point > WHOLE_DIGITS || d->point < 1 - LEADING_ZEROS) {
        mcti_buf_addc(b, d->digits[0]);
        mcti_buf_addz(b, d->n > 1 ? "." : "");
        mcti_buf_add(b, (struct mcti_str){ d->digits + 1, digits.len - 1 });
        mcti_buf_printf(b, "e%+d", d->point - 1);
        return;
    }
    mcti_buf_addz(b, d->point > 0 ? "" : "0.");
    for (int i = d->point; i < 0; i++)
        mcti_buf_addc(b, '0');
    for (int i = 0; i < d->n || i < d->point; i++) {
        if (i && i == d->point)
            mcti_buf_addc(b, '.');
        mcti_buf_addc(b, i < d->n ? d->digits[i] : '0');
    }
}

struct mcti_str mcti_normal_number(struct mcti_normal_run *run, struct mcti_str text)
{
    struct decimal d = { 0 };
    struct mcti_buf b;
    bool scientific = memchr(text.p, 'e', text.len) || memchr(text.p, 'E', text.len);
    if (!normal_number_parse(text, &d) || (d.point > WHOLE_DIGITS && !scientific))
        return text;
    if (!d.n)
        return MCT_STR("0");
    mcti_buf_init(&b, 512);
    schema_number_put(&b, &d);
    if (!mcti_str_eq(mcti_buf_str(&b), text)) /* the common case is equality */
        text = mcti_json_tree_copy_text(&run->tree, mcti_buf_str(&b))->text;
    mcti_buf_done(&b);
    return text;
}
