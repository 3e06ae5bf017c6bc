#include "resources/lines/value.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "json/write.h"

enum { ZEROS = 400 }; /* enough to write any double without an exponent */

bool mcti_value_fail(struct mcti_value_copy *c, const char *why)
{
    c->why = why;
    return false;
}

void mcti_value_skip_space(struct mcti_value_copy *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\r' || *c->p == '\t'))
        c->p++;
}

static bool next_is(const struct mcti_value_copy *c, char wanted)
{
    return c->p < c->end && *c->p == wanted;
}

static bool next_is_digit(const struct mcti_value_copy *c)
{
    return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

/* ---- words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct mcti_str mcti_value_word(struct mcti_value_copy *c)
{
    const char *from = c->p;
    while (c->p < c->end && (is_letter(*c->p) || (c->p > from && next_is_digit(c))))
        c->p++;
    return mcti_str_range(from, c->p);
}

static bool is_literal(struct mcti_str word)
{
    return mcti_str_is(word, "true") || mcti_str_is(word, "false") || mcti_str_is(word, "null");
}

/* Removes the quotes of the string at `at`, the last one written, if the block's style allows this string without
 * quotes. */
static void lines_value_bare(struct mcti_value_copy *c, size_t at, bool literal_too)
{
    if (!c->lines || !mcti_buf_ok(c->to))
        return;
    struct mcti_value_copy in = { .p = c->to->p + at + 1, .end = c->to->p + c->to->len - 1 };
    struct mcti_str word = mcti_value_word(&in);
    if (!word.len || in.p != in.end || (!literal_too && is_literal(word)))
        return;
    memmove(c->to->p + at, word.p, word.len);
    c->to->len = at + word.len;
}

/* ---- strings ---- */

void mcti_value_put_char(struct mcti_buf *to, unsigned c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
        mcti_json_put_escape(to, c);
    else
        mcti_utf8_put(to, c);
}

static bool lines_value_hex4(struct mcti_value_copy *c, unsigned *ret)
{
    static const char digits[] = "0123456789abcdef";
    *ret = 0;
    for (int i = 0; i < 4; i++, c->p++) {
        const char *at = c->p < c->end && *c->p ? strchr(digits, *c->p >= 'A' ? *c->p | 32 : *c->p) : NULL;
        if (!at)
            return mcti_value_fail(c, "a hex digit expected");
        *ret = *ret << 4 | (unsigned)(at - digits);
    }
    return true;
}

/* Reads the digits after `\u`; a pair of surrogates becomes one character. */
static bool read_hex(struct mcti_value_copy *c, unsigned *ret)
{
    struct mcti_value_copy ahead;
    unsigned low;
    if (!lines_value_hex4(c, ret))
        return false;
    if (*ret < 0xd800 || *ret > 0xdbff || c->end - c->p < 6 || c->p[0] != '\\' || c->p[1] != 'u')
        return true;
    ahead = *c;
    ahead.p += 2;
    if (!lines_value_hex4(&ahead, &low) || low < 0xdc00 || low > 0xdfff)
        return true;
    *ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
    c->p = ahead.p;
    return true;
}

static bool read_escape(struct mcti_value_copy *c, unsigned *ret)
{
    static const char from[] = "\"\\/bfnrtu", into[] = "\"\\/\b\f\n\r\t";
    const char *at = c->end - c->p > 1 && c->p[1] ? strchr(from, c->p[1]) : NULL;
    c->p++;
    if (!at)
        return mcti_value_fail(c, "one of \"\\/bfnrtu must follow the backslash");
    c->p++;
    if (*at == 'u')
        return read_hex(c, ret);
    *ret = (unsigned char)into[at - from];
    return true;
}

static bool read_char(struct mcti_value_copy *c, unsigned *ret)
{
    size_t n = mcti_utf8_len(c->p, c->end);
    if (*c->p == '\\')
        return read_escape(c, ret);
    if ((unsigned char)*c->p < 0x20)
        return mcti_value_fail(c, "control character in a string; it must be escaped");
    if (!n)
        return mcti_value_fail(c, "invalid UTF-8");
    *ret = mcti_utf8_at(c->p, n);
    c->p += n;
    return true;
}

static void put_char(struct mcti_value_copy *c, unsigned ch)
{
    if (ch < 0x20 || ch == '"' || ch == '\\' || (ch >= 0xd800 && ch < 0xe000))
        mcti_json_put_escape(c->to, ch);
    else if (c->lines)
        mcti_value_put_char(c->to, ch);
    else
        mcti_utf8_put(c->to, ch);
}

static bool lines_value_string(struct mcti_value_copy *c)
{
    unsigned ch;
    mcti_buf_addc(c->to, '"');
    for (c->p++; c->p < c->end && *c->p != '"';) {
        const char *from = c->p;
        while (c->p < c->end && *c->p >= ' ' && *c->p < 0x7f && *c->p != '"' && *c->p != '\\')
            c->p++;
        mcti_buf_add(c->to, mcti_str_range(from, c->p));
        if (c->p == c->end || *c->p == '"')
            break;
        if (!read_char(c, &ch))
            return false;
        put_char(c, ch);
    }
    if (c->p == c->end)
        return mcti_value_fail(c, "the '\"' that ends the string expected");
    c->p++;
    mcti_buf_addc(c->to, '"');
    return true;
}

/* ---- numbers ---- */

struct digits {
    struct mcti_str whole, part; /* before and after the decimal point */
    long exponent;
};

static char digit_at(const struct digits *d, long i)
{
    long n = (long)d->whole.len;
    if (i < 0 || i >= n + (long)d->part.len)
        return '0';
    return i < n ? d->whole.p[i] : d->part.p[i - n];
}

/* Writes the number without an exponent; returns false if it would be too long. */
static bool put_plain(struct mcti_buf *to, const struct digits *d)
{
    long n = (long)(d->whole.len + d->part.len), point = (long)d->whole.len + d->exponent, i = 0;
    if (point > n + ZEROS || point < -ZEROS)
        return false;
    while (i < point - 1 && digit_at(d, i) == '0')
        i++;
    if (point <= 0)
        mcti_buf_addc(to, '0');
    for (; i < point; i++)
        mcti_buf_addc(to, digit_at(d, i));
    if (point < n)
        mcti_buf_addc(to, '.');
    for (i = point; i < n; i++)
        mcti_buf_addc(to, digit_at(d, i));
    return true;
}

static bool take_digits(struct mcti_value_copy *c, struct mcti_str *ret)
{
    const char *from = c->p;
    while (next_is_digit(c))
        c->p++;
    *ret = mcti_str_range(from, c->p);
    return ret->len || mcti_value_fail(c, "a digit expected");
}

static bool take_exponent(struct mcti_value_copy *c, long *ret)
{
    struct mcti_str digits;
    bool minus;
    c->p++;
    minus = next_is(c, '-');
    if (minus || next_is(c, '+'))
        c->p++;
    if (!take_digits(c, &digits))
        return false;
    for (size_t i = 0; i < digits.len && *ret < 1000000000; i++)
        *ret = *ret * 10 + (digits.p[i] - '0');
    *ret = minus ? -*ret : *ret;
    return true;
}

static bool lines_value_number(struct mcti_value_copy *c)
{
    struct digits d = { .exponent = 0 };
    const char *from = c->p;
    size_t at = c->to->len;
    c->p += *c->p == '-';
    if (!take_digits(c, &d.whole))
        return false;
    if (d.whole.len > 1 && *d.whole.p == '0') {
        c->p = d.whole.p + 1;
        return mcti_value_fail(c, "a number must not begin with 0 and another digit");
    }
    if (next_is(c, '.')) {
        c->p++;
        if (!take_digits(c, &d.part))
            return false;
    }
    bool has_exponent = next_is(c, 'e') || next_is(c, 'E');
    if (has_exponent && !take_exponent(c, &d.exponent))
        return false;
    if (has_exponent && *from == '-')
        mcti_buf_addc(c->to, '-');
    if (!has_exponent || !put_plain(c->to, &d)) {
        c->to->len = at;
        mcti_buf_add(c->to, mcti_str_range(from, c->p));
    }
    return true;
}

/* ---- containers ---- */

static bool lines_value_literal(struct mcti_value_copy *c)
{
    const char *from = c->p;
    struct mcti_str word = mcti_value_word(c);
    if (!is_literal(word)) {
        c->p = from;
        return mcti_value_fail(c, "a value expected");
    }
    mcti_buf_add(c->to, word);
    return true;
}

/* Copies the value of `agent` in meta. */
static bool lines_value_agent(struct mcti_value_copy *c)
{
    size_t at = c->to->len;
    struct mcti_str word = mcti_value_word(c);
    if (!word.len && !next_is(c, '"'))
        return mcti_value_copy(c);
    if (word.len && (c->lines || is_literal(word)))
        mcti_buf_add(c->to, word);
    else if (word.len)
        mcti_json_put_string(c->to, word);
    else if (!lines_value_string(c))
        return false;
    else
        lines_value_bare(c, at, false);
    return true;
}

static bool lines_value_key(struct mcti_value_copy *c, bool *ret_is_agent)
{
    size_t at = c->to->len;
    struct mcti_str word = mcti_value_word(c);
    if (word.len) {
        mcti_json_put_string(c->to, word);
    } else if (!next_is(c, '"')) {
        return mcti_value_fail(c, "a key expected");
    } else if (!lines_value_string(c)) {
        return false;
    }
    *ret_is_agent = c->bare_agent && c->depth == 1 && mcti_buf_ok(c->to) &&
                    mcti_str_is(mcti_str_range(c->to->p + at, c->to->p + c->to->len), "\"agent\"");
    lines_value_bare(c, at, true);
    return true;
}

static bool lines_value_member(struct mcti_value_copy *c)
{
    bool is_agent;
    if (!lines_value_key(c, &is_agent))
        return false;
    mcti_value_skip_space(c);
    if (!next_is(c, ':'))
        return mcti_value_fail(c, "':' expected");
    c->p++;
    mcti_value_skip_space(c);
    mcti_buf_addz(c->to, c->lines ? ": " : ":");
    return is_agent ? lines_value_agent(c) : mcti_value_copy(c);
}

/* Reads the separator after an element; returns false at the end of the container, and on failure. */
static bool lines_value_comma(struct mcti_value_copy *c, char close)
{
    mcti_value_skip_space(c);
    if (next_is(c, close))
        return false;
    if (!next_is(c, ','))
        return mcti_value_fail(c, close == '}' ? "',' or '}' expected" : "',' or ']' expected");
    c->p++;
    mcti_value_skip_space(c);
    bool wide = c->lines && (close == '}' || next_is(c, '{') || next_is(c, '['));
    mcti_buf_addz(c->to, wide ? ", " : ",");
    return true;
}

static bool lines_value_container(struct mcti_value_copy *c, char close, bool (*element)(struct mcti_value_copy *))
{
    if (++c->depth > MCT_LIMIT_JSON_DEPTH)
        return mcti_value_fail(c, "nested too deeply");
    mcti_buf_addc(c->to, *c->p++);
    mcti_value_skip_space(c);
    if (!next_is(c, close)) {
        do {
            if (!element(c))
                return false;
        } while (lines_value_comma(c, close));
        if (c->why)
            return false;
    }
    c->p++;
    c->depth--;
    mcti_buf_addc(c->to, close);
    return true;
}

bool mcti_value_copy(struct mcti_value_copy *c)
{
    bool ok;
    if (next_is(c, '{'))
        ok = lines_value_container(c, '}', lines_value_member);
    else if (next_is(c, '['))
        ok = lines_value_container(c, ']', mcti_value_copy);
    else if (next_is(c, '"'))
        ok = lines_value_string(c);
    else if (next_is(c, '-') || next_is_digit(c))
        ok = lines_value_number(c);
    else
        ok = lines_value_literal(c);
    if (ok && !mcti_buf_ok(c->to))
        return mcti_value_fail(c, "too large");
    return ok;
}
