/* Reads TOML: numbers, dates and truth values. */
#include "config/notation/toml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_digit(char c, int base)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    const char *high = c >= 'A' && c <= 'F' ? strchr(digits + 16, c) : NULL;
    return high ? base == 16 : at && at - digits < base;
}

/* Copies digits without the "_" between them; returns the position behind them, or NULL if they are none. */
static const char *copy_digits(const char *p, const char *end, int base, struct mcti_buf *to)
{
    bool digit = false;
    for (; p < end && (is_digit(*p, base) || (*p == '_' && digit)); p++) {
        digit = *p != '_';
        if (digit)
            mcti_buf_addc(to, *p);
    }
    return digit ? p : NULL;
}

/* "0x1F", "0o17" and "0b11" become decimal. */
static bool read_based(struct mcti_str s, struct mcti_buf *to)
{
    const int base = s.p[1] == 'x' ? 16 : s.p[1] == 'o' ? 8 : 2;
    struct mcti_buf digits;
    mcti_buf_init(&digits, 256);
    const char *end = copy_digits(s.p + 2, s.p + s.len, base, &digits);
    bool ok = end == s.p + s.len;
    errno = 0;
    mcti_buf_addc(&digits, '\0');
    unsigned long long n = ok && mcti_buf_ok(&digits) ? strtoull(digits.p, NULL, base) : 0;
    ok = ok && mcti_buf_ok(&digits) && !errno;
    mcti_buf_printf(to, "%llu", n);
    mcti_buf_done(&digits);
    return ok;
}

static bool toml_read_number(struct mcti_str s, struct mcti_buf *to)
{
    const char *p = s.p, *end = p + s.len, *digits;
    if (s.len > 2 && *p == '0' && strchr("xob", p[1]))
        return read_based(s, to);
    if (p < end && *p == '-')
        mcti_buf_addc(to, '-');
    p += p < end && (*p == '-' || *p == '+');
    digits = p;
    p = copy_digits(p, end, 10, to);
    if (!p || (*digits == '0' && p - digits > 1))
        return false;
    if (p < end && *p == '.') {
        mcti_buf_addc(to, '.');
        p = copy_digits(p + 1, end, 10, to);
    }
    if (p && p < end && (*p == 'e' || *p == 'E')) {
        mcti_buf_addc(to, 'e');
        p++;
        if (p < end && (*p == '-' || *p == '+'))
            mcti_buf_addc(to, *p++);
        p = copy_digits(p, end, 10, to);
    }
    return p == end;
}

/* ---- dates ---- */

/* Reads exactly n digits as a number from `least` to `most`. */
static bool toml_read_digits(const char **p, const char *end, int n, int least, int most, int *ret)
{
    int value = 0;
    for (; n; n--, ++*p) {
        if (*p == end || **p < '0' || **p > '9')
            return false;
        value = value * 10 + (**p - '0');
    }
    *ret = value;
    return value >= least && value <= most;
}

static bool toml_read_mark(const char **p, const char *end, const char *marks)
{
    bool found = *p < end && strchr(marks, **p);
    *p += found;
    return found;
}

static bool read_day(const char **p, const char *end)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year, month, day;
    if (!toml_read_digits(p, end, 4, 0, 9999, &year) || !toml_read_mark(p, end, "-") ||
        !toml_read_digits(p, end, 2, 1, 12, &month) || !toml_read_mark(p, end, "-"))
        return false;
    bool is_leap = (year % 4 == 0 && year % 100) || year % 400 == 0;
    return toml_read_digits(p, end, 2, 1, days[month - 1] + (month == 2 && is_leap), &day);
}

static bool toml_read_time(const char **p, const char *end)
{
    int part;
    if (!toml_read_digits(p, end, 2, 0, 23, &part) || !toml_read_mark(p, end, ":") ||
        !toml_read_digits(p, end, 2, 0, 59, &part) || !toml_read_mark(p, end, ":") ||
        !toml_read_digits(p, end, 2, 0, 59, &part))
        return false;
    if (!toml_read_mark(p, end, "."))
        return true;
    const char *from = *p;
    while (*p < end && **p >= '0' && **p <= '9')
        ++*p;
    return *p > from;
}

static bool read_zone(const char **p, const char *end)
{
    int part;
    if (*p == end || toml_read_mark(p, end, "Zz"))
        return true;
    return toml_read_mark(p, end, "+-") && toml_read_digits(p, end, 2, 0, 23, &part) && toml_read_mark(p, end, ":") &&
           toml_read_digits(p, end, 2, 0, 59, &part);
}

static bool is_date(struct mcti_str s)
{
    const char *p = s.p, *end = p + s.len;
    if (s.len > 2 && p[2] == ':')
        return toml_read_time(&p, end) && p == end;
    if (!read_day(&p, end))
        return false;
    return p == end || (toml_read_mark(&p, end, "Tt ") && toml_read_time(&p, end) && read_zone(&p, end) && p == end);
}

/* ---- words ---- */

static bool is_of_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("+-_.:", c));
}

/* Returns the text of the word at t->p. A blank may stand between a date and a time. */
static struct mcti_str take_word(struct mcti_toml *t)
{
    const char *from = t->p;
    while (t->p < t->end && is_of_word(*t->p))
        t->p++;
    if (t->p - from == 10 && from[4] == '-' && mcti_toml_at(t, 0) == ' ' && is_digit(mcti_toml_at(t, 1), 10))
        for (t->p++; t->p < t->end && is_of_word(*t->p);)
            t->p++;
    return mcti_str_range(from, t->p);
}

static bool is_no_number(struct mcti_str s)
{
    if (s.len && (*s.p == '+' || *s.p == '-'))
        s = mcti_str_range(s.p + 1, s.p + s.len);
    return mcti_str_is(s, "inf") || mcti_str_is(s, "nan");
}

struct mcti_doc_node *mcti_toml_word(struct mcti_toml *t)
{
    const char *from = t->p;
    struct mcti_str s = take_word(t);
    struct mcti_doc_node *node = NULL;
    struct mcti_buf number;
    bool is_word = mcti_str_is(s, "true") || mcti_str_is(s, "false"), ok = true;
    mcti_buf_init(&number, s.len + 32);
    if (is_word)
        node = mcti_doc_text(t->tree, *s.p, s, t->line);
    else if (is_date(s) || is_no_number(s))
        node = mcti_doc_text(t->tree, '"', s, t->line);
    else if ((ok = s.len && toml_read_number(s, &number)))
        node = mcti_doc_text(t->tree, '0', mcti_buf_str(&number), t->line);
    mcti_buf_done(&number);
    if (!ok) {
        t->p = from;
        mcti_toml_fail(t, s.len ? "unknown value; strings need quotes" : "a value is missing here");
    } else if (!node) {
        mcti_doc_no_memory(t->tree);
    }
    return node;
}
