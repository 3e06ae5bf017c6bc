/* Reads TOML: the four kinds of strings. */
#include "config/notation/toml.h"

#include "base/log/utf8.h"

#include <stdlib.h>

/* Reads the digits of \uXXXX or \UXXXXXXXX. */
static int read_code_point(struct mcti_toml *t, struct mcti_buf *to, size_t n)
{
    char digits[9] = "";
    for (size_t i = 0; i < n; i++) {
        digits[i] = mcti_toml_at(t, i);
        if (!digits[i] || !strchr("0123456789abcdefABCDEF", digits[i]))
            return mcti_toml_fail(t, "an escape has too few hexadecimal digits");
    }
    unsigned long c = strtoul(digits, NULL, 16);
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return mcti_toml_fail(t, "an escape names no character");
    mcti_utf8_put(to, (unsigned)c);
    t->p += n;
    return 0;
}

/* Skips a backslash at the end of a line, with all white space after it. Returns false if it stands elsewhere. */
static bool skip_folded(struct mcti_toml *t)
{
    const char *from = t->p;
    t->p++;
    mcti_toml_blanks(t);
    if (!mcti_toml_break(t)) {
        t->p = from;
        return false;
    }
    do
        mcti_toml_blanks(t);
    while (mcti_toml_break(t));
    return true;
}

static int toml_read_escape(struct mcti_toml *t, struct mcti_buf *to)
{
    static const char from[] = "btnfr\"\\", into[] = "\b\t\n\f\r\"\\";
    char c = mcti_toml_at(t, 1);
    const char *at = c ? strchr(from, c) : NULL;
    if (c == 'u' || c == 'U') {
        t->p += 2;
        return read_code_point(t, to, c == 'u' ? 4 : 8);
    }
    if (!at)
        return mcti_toml_fail(t, "unknown escape; write \\\\ for a backslash, or use single quotes");
    mcti_buf_addc(to, into[at - from]);
    t->p += 2;
    return 0;
}

/* Returns the number of quotes in front, at most `most`. */
static size_t count_quotes(const struct mcti_toml *t, char quote, size_t most)
{
    size_t n = 0;
    while (n < most && mcti_toml_at(t, n) == quote)
        n++;
    return n;
}

/* Reads one character of a string. */
static int toml_read_char(struct mcti_toml *t, struct mcti_buf *to, char quote, bool is_long)
{
    unsigned char c = (unsigned char)*t->p;
    if (c == '\\' && quote == '"')
        return is_long && skip_folded(t) ? 0 : toml_read_escape(t, to);
    const char *from = t->p;
    if (is_long && mcti_toml_break(t)) {
        mcti_buf_add(to, mcti_str_range(from, t->p));
        return 0;
    }
    if (c == '\n')
        return mcti_toml_fail(t, "the string does not end on its line");
    if ((c < 0x20 && c != '\t') || c == 0x7f)
        return mcti_toml_fail(t, "a control character in a string");
    mcti_buf_addc(to, (char)c);
    t->p++;
    return 0;
}

int mcti_toml_string(struct mcti_toml *t, struct mcti_buf *to, bool is_key)
{
    char quote = *t->p;
    bool is_long = count_quotes(t, quote, 3) == 3;
    if (is_long && is_key)
        return mcti_toml_fail(t, "a key must not be a string of several lines");
    t->p += is_long ? 3 : 1;
    if (is_long)
        mcti_toml_break(t);
    while (t->p < t->end) {
        size_t n = count_quotes(t, quote, is_long ? 5 : 1);
        if (n == (is_long ? 3u : 1u) || n > 3) { /* up to two quotes may stand in front of the closing ones */
            for (size_t i = 3; i < n; i++)
                mcti_buf_addc(to, quote);
            t->p += n;
            return 0;
        }
        if (toml_read_char(t, to, quote, is_long) < 0)
            return -1;
    }
    return mcti_toml_fail(t, "the string does not end");
}
