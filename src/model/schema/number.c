/* Numbers as ECMAScript's Number::toString (ECMA-262 section 6.1.6.1.20) writes them, made of the decimal digits
 * themselves: what a double cannot hold keeps its digits. */
#include "model/schema/impl.h"

#include <stdlib.h>

enum { DIGITS = 64, WHOLE_DIGITS = 21, LEADING_ZEROS = 6, EXPONENT = 400 };

/* 0.DIGITS times ten to the power of `point`. */
struct decimal {
    char digits[DIGITS];
    int n, point;
    bool negative;
};

/* False: it has too many digits, or too large an exponent. */
static bool parse(struct mct_str s, struct decimal *d)
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

static void put(struct mct_buf *b, const struct decimal *d)
{
    struct mct_str digits = { d->digits, (size_t)d->n };
    mct_buf_addz(b, d->negative ? "-" : "");
    if (d->point > WHOLE_DIGITS || d->point < 1 - LEADING_ZEROS) {
        mct_buf_addc(b, d->digits[0]);
        mct_buf_addz(b, d->n > 1 ? "." : "");
        mct_buf_add(b, (struct mct_str){ d->digits + 1, digits.len - 1 });
        mct_buf_printf(b, "e%+d", d->point - 1);
        return;
    }
    mct_buf_addz(b, d->point > 0 ? "" : "0.");
    for (int i = d->point; i < 0; i++)
        mct_buf_addc(b, '0');
    for (int i = 0; i < d->n || i < d->point; i++) {
        if (i && i == d->point)
            mct_buf_addc(b, '.');
        mct_buf_addc(b, i < d->n ? d->digits[i] : '0');
    }
}

struct mct_str normal_number(struct normal_run *run, struct mct_str text)
{
    struct decimal d = { 0 };
    struct mct_buf b;
    bool scientific = memchr(text.p, 'e', text.len) || memchr(text.p, 'E', text.len);
    if (!parse(text, &d) || (d.point > WHOLE_DIGITS && !scientific))
        return text;
    if (!d.n)
        return MCT_STR("0");
    mct_buf_init(&b, 512);
    put(&b, &d);
    if (!mct_str_eq(mct_buf_str(&b), text)) /* it mostly is */
        text = mct_json_tree_copy_text(&run->tree, mct_buf_str(&b))->text;
    mct_buf_done(&b);
    return text;
}
