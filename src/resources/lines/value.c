#include "resources/lines/value.h"

#include "base/limits.h"
#include "base/log/utf8.h"
#include "json/write.h"

enum { ZEROS = 400 }; /* as many as writing out any double takes */

bool mct_value_fail(struct mct_value_copy *c, const char *why)
{
    c->why = why;
    return false;
}

void mct_value_skip_space(struct mct_value_copy *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\r' || *c->p == '\t'))
        c->p++;
}

static bool next_is(const struct mct_value_copy *c, char wanted)
{
    return c->p < c->end && *c->p == wanted;
}

static bool next_is_digit(const struct mct_value_copy *c)
{
    return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

/* ---- words ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct mct_str mct_value_word(struct mct_value_copy *c)
{
    const char *from = c->p;
    while (c->p < c->end && (is_letter(*c->p) || (c->p > from && next_is_digit(c))))
        c->p++;
    return mct_str_range(from, c->p);
}

static bool is_literal(struct mct_str word)
{
    return mct_str_is(word, "true") || mct_str_is(word, "false") || mct_str_is(word, "null");
}

/* Takes the quotes off the string that was written last, from `at` on, where it reads as well without. */
static void bare(struct mct_value_copy *c, size_t at, bool literal_too)
{
    if (!c->lines || !mct_buf_ok(c->to))
        return;
    struct mct_value_copy in = { .p = c->to->p + at + 1, .end = c->to->p + c->to->len - 1 };
    struct mct_str word = mct_value_word(&in);
    if (!word.len || in.p != in.end || (!literal_too && is_literal(word)))
        return;
    memmove(c->to->p + at, word.p, word.len);
    c->to->len = at + word.len;
}

/* ---- strings ---- */

void mct_value_put_char(struct mct_buf *to, unsigned c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029)
        mct_json_put_escape(to, c);
    else
        mct_utf8_put(to, c);
}

static bool hex4(struct mct_value_copy *c, unsigned *ret)
{
    static const char digits[] = "0123456789abcdef";
    *ret = 0;
    for (int i = 0; i < 4; i++, c->p++) {
        const char *at = c->p < c->end && *c->p ? strchr(digits, *c->p >= 'A' ? *c->p | 32 : *c->p) : NULL;
        if (!at)
            return mct_value_fail(c, "a hex digit expected");
        *ret = *ret << 4 | (unsigned)(at - digits);
    }
    return true;
}

/* Behind `\u`; of two surrogates that are a pair, one character. */
static bool read_hex(struct mct_value_copy *c, unsigned *ret)
{
    struct mct_value_copy ahead;
    unsigned low;
    if (!hex4(c, ret))
        return false;
    if (*ret < 0xd800 || *ret > 0xdbff || c->end - c->p < 6 || c->p[0] != '\\' || c->p[1] != 'u')
        return true;
    ahead = *c;
    ahead.p += 2;
    if (!hex4(&ahead, &low) || low < 0xdc00 || low > 0xdfff)
        return true;
    *ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
    c->p = ahead.p;
    return true;
}

static bool read_escape(struct mct_value_copy *c, unsigned *ret)
{
    static const char from[] = "\"\\/bfnrtu", into[] = "\"\\/\b\f\n\r\t";
    const char *at = c->end - c->p > 1 && c->p[1] ? strchr(from, c->p[1]) : NULL;
    c->p++;
    if (!at)
        return mct_value_fail(c, "one of \"\\/bfnrtu expected");
    c->p++;
    if (*at == 'u')
        return read_hex(c, ret);
    *ret = (unsigned char)into[at - from];
    return true;
}

static bool read_char(struct mct_value_copy *c, unsigned *ret)
{
    size_t n = mct_utf8_len(c->p, c->end);
    if (*c->p == '\\')
        return read_escape(c, ret);
    if ((unsigned char)*c->p < 0x20)
        return mct_value_fail(c, "a control character in a string: an escape expected");
    if (!n)
        return mct_value_fail(c, "invalid UTF-8");
    *ret = mct_utf8_at(c->p, n);
    c->p += n;
    return true;
}

static void put_char(struct mct_value_copy *c, unsigned ch)
{
    if (ch < 0x20 || ch == '"' || ch == '\\' || (ch >= 0xd800 && ch < 0xe000))
        mct_json_put_escape(c->to, ch);
    else if (c->lines)
        mct_value_put_char(c->to, ch);
    else
        mct_utf8_put(c->to, ch);
}

static bool string(struct mct_value_copy *c)
{
    unsigned ch;
    mct_buf_addc(c->to, '"');
    for (c->p++; c->p < c->end && *c->p != '"';) {
        const char *from = c->p;
        while (c->p < c->end && *c->p >= ' ' && *c->p < 0x7f && *c->p != '"' && *c->p != '\\')
            c->p++;
        mct_buf_add(c->to, mct_str_range(from, c->p));
        if (c->p == c->end || *c->p == '"')
            break;
        if (!read_char(c, &ch))
            return false;
        put_char(c, ch);
    }
    if (c->p == c->end)
        return mct_value_fail(c, "the '\"' that ends the string expected");
    c->p++;
    mct_buf_addc(c->to, '"');
    return true;
}

/* ---- numbers ---- */

struct digits {
    struct mct_str whole, part; /* before and behind the point */
    long exponent;
};

static char digit_at(const struct digits *d, long i)
{
    long n = (long)d->whole.len;
    if (i < 0 || i >= n + (long)d->part.len)
        return '0';
    return i < n ? d->whole.p[i] : d->part.p[i - n];
}

/* Whether the number is short enough without its exponent. */
static bool put_plain(struct mct_buf *to, const struct digits *d)
{
    long n = (long)(d->whole.len + d->part.len), point = (long)d->whole.len + d->exponent, i = 0;
    if (point > n + ZEROS || point < -ZEROS)
        return false;
    while (i < point - 1 && digit_at(d, i) == '0')
        i++;
    if (point <= 0)
        mct_buf_addc(to, '0');
    for (; i < point; i++)
        mct_buf_addc(to, digit_at(d, i));
    if (point < n)
        mct_buf_addc(to, '.');
    for (i = point; i < n; i++)
        mct_buf_addc(to, digit_at(d, i));
    return true;
}

static bool take_digits(struct mct_value_copy *c, struct mct_str *ret)
{
    const char *from = c->p;
    while (next_is_digit(c))
        c->p++;
    *ret = mct_str_range(from, c->p);
    return ret->len || mct_value_fail(c, "a digit expected");
}

static bool take_exponent(struct mct_value_copy *c, long *ret)
{
    struct mct_str digits;
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

static bool number(struct mct_value_copy *c)
{
    struct digits d = { .exponent = 0 };
    const char *from = c->p;
    size_t at = c->to->len;
    c->p += *c->p == '-';
    if (!take_digits(c, &d.whole))
        return false;
    if (d.whole.len > 1 && *d.whole.p == '0') {
        c->p = d.whole.p + 1;
        return mct_value_fail(c, "no digit expected behind the 0 that begins a number");
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
        mct_buf_addc(c->to, '-');
    if (!has_exponent || !put_plain(c->to, &d)) {
        c->to->len = at;
        mct_buf_add(c->to, mct_str_range(from, c->p));
    }
    return true;
}

/* ---- containers ---- */

static bool literal(struct mct_value_copy *c)
{
    const char *from = c->p;
    struct mct_str word = mct_value_word(c);
    if (!is_literal(word)) {
        c->p = from;
        return mct_value_fail(c, "a value expected");
    }
    mct_buf_add(c->to, word);
    return true;
}

/* The value of `agent` in meta. */
static bool agent(struct mct_value_copy *c)
{
    size_t at = c->to->len;
    struct mct_str word = mct_value_word(c);
    if (!word.len && !next_is(c, '"'))
        return mct_value_copy(c);
    if (word.len && (c->lines || is_literal(word)))
        mct_buf_add(c->to, word);
    else if (word.len)
        mct_json_put_string(c->to, word);
    else if (!string(c))
        return false;
    else
        bare(c, at, false);
    return true;
}

static bool key(struct mct_value_copy *c, bool *ret_is_agent)
{
    size_t at = c->to->len;
    struct mct_str word = mct_value_word(c);
    if (word.len) {
        mct_json_put_string(c->to, word);
    } else if (!next_is(c, '"')) {
        return mct_value_fail(c, "a key expected");
    } else if (!string(c)) {
        return false;
    }
    *ret_is_agent = c->bare_agent && c->depth == 1 && mct_buf_ok(c->to) &&
                    mct_str_is(mct_str_range(c->to->p + at, c->to->p + c->to->len), "\"agent\"");
    bare(c, at, true);
    return true;
}

static bool member(struct mct_value_copy *c)
{
    bool is_agent;
    if (!key(c, &is_agent))
        return false;
    mct_value_skip_space(c);
    if (!next_is(c, ':'))
        return mct_value_fail(c, "':' expected");
    c->p++;
    mct_value_skip_space(c);
    mct_buf_addz(c->to, c->lines ? ": " : ":");
    return is_agent ? agent(c) : mct_value_copy(c);
}

/* Behind an element; false at the end of the container, or when something else is wrong. */
static bool comma(struct mct_value_copy *c, char close)
{
    mct_value_skip_space(c);
    if (next_is(c, close))
        return false;
    if (!next_is(c, ','))
        return mct_value_fail(c, close == '}' ? "',' or '}' expected" : "',' or ']' expected");
    c->p++;
    mct_value_skip_space(c);
    bool wide = c->lines && (close == '}' || next_is(c, '{') || next_is(c, '['));
    mct_buf_addz(c->to, wide ? ", " : ",");
    return true;
}

static bool container(struct mct_value_copy *c, char close, bool (*element)(struct mct_value_copy *))
{
    if (++c->depth > MCT_LIMIT_JSON_DEPTH)
        return mct_value_fail(c, "nested too deeply");
    mct_buf_addc(c->to, *c->p++);
    mct_value_skip_space(c);
    if (!next_is(c, close)) {
        do {
            if (!element(c))
                return false;
        } while (comma(c, close));
        if (c->why)
            return false;
    }
    c->p++;
    c->depth--;
    mct_buf_addc(c->to, close);
    return true;
}

bool mct_value_copy(struct mct_value_copy *c)
{
    bool ok;
    if (next_is(c, '{'))
        ok = container(c, '}', member);
    else if (next_is(c, '['))
        ok = container(c, ']', mct_value_copy);
    else if (next_is(c, '"'))
        ok = string(c);
    else if (next_is(c, '-') || next_is_digit(c))
        ok = number(c);
    else
        ok = literal(c);
    if (ok && !mct_buf_ok(c->to))
        return mct_value_fail(c, "too large");
    return ok;
}
