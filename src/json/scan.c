#include "json/scan.h"

#include "base/limits.h"
#include "json/strings.h"

#include <stdlib.h>

struct scan {
    const char *p, *end;
    int depth, max_depth;
    struct mcti_json_top *top;
    const char *why;
};

static bool scan_value(struct scan *s);

static bool scan_bad(struct scan *s, const char *why)
{
    s->why = why;
    return false;
}

static inline void scan_space(struct scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

static bool scan_hex4(const char *p, const char *end)
{
    if (end - p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

static bool scan_escape(struct scan *s)
{
    if (s->end - s->p < 2)
        return scan_bad(s, "unterminated string");
    char c = s->p[1];
    if (c == 'u') {
        if (!scan_hex4(s->p + 2, s->end))
            return scan_bad(s, "\\u requires four hex digits");
        s->p += 6;
        return true;
    }
    if (!mcti_escaped(c))
        return scan_bad(s, "invalid escape in a string");
    s->p += 2;
    return true;
}

/* Checks a string: starts at its opening quote, ends after the closing one. */
static bool scan_string(struct scan *s)
{
    s->p++;
    for (;;) {
        s->p = mcti_plain_run(s->p, s->end);
        if (s->p == s->end)
            return scan_bad(s, "unterminated string");
        unsigned char c = (unsigned char)*s->p;
        if (c == '"') {
            s->p++;
            return true;
        }
        if (c == '\\') {
            if (!scan_escape(s))
                return false;
        } else if (c < 0x20) {
            return scan_bad(s, "control character in a string");
        } else {
            size_t n = mcti_utf8_len(s->p, s->end);
            if (!n)
                return scan_bad(s, "invalid UTF-8");
            s->p += n;
        }
    }
}

static inline bool scan_digit(const struct scan *s)
{
    return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

static bool scan_digits(struct scan *s)
{
    if (!scan_digit(s))
        return scan_bad(s, "digit missing in a number");
    while (scan_digit(s))
        s->p++;
    return true;
}

static bool scan_number(struct scan *s)
{
    if (*s->p == '-')
        s->p++;
    if (s->p < s->end && *s->p == '0')
        s->p++;
    else if (!scan_digits(s))
        return false;
    if (scan_digit(s))
        return scan_bad(s, "number with a leading zero");
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (!scan_digits(s))
            return false;
    }
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        return scan_digits(s);
    }
    return true;
}

static bool scan_word(struct scan *s, const char *z, size_t n)
{
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, z, n) != 0)
        return scan_bad(s, "invalid word; only true, false and null need no quotes");
    s->p += n;
    return true;
}

static bool scan_deeper(struct scan *s)
{
    s->p++;
    if (++s->depth > s->max_depth)
        return scan_bad(s, "nested too deeply");
    scan_space(s);
    return true;
}

/* Returns true if another element follows after a comma; sets *ret_closed at the end of the container. */
static bool scan_more(struct scan *s, char close, bool *ret_closed)
{
    scan_space(s);
    if (s->p == s->end)
        return scan_bad(s, close == '}' ? "unterminated object" : "unterminated array");
    char c = *s->p++;
    *ret_closed = c == close;
    if (c == ',') {
        scan_space(s);
        return true;
    }
    if (c == close) {
        s->depth--;
        return true;
    }
    s->p--;
    return scan_bad(s, close == '}' ? "',' or '}' expected" : "',' or ']' expected");
}

static void scan_note(struct scan *s, struct mcti_str key, const char *value_at)
{
    if (s->top->n < MCT_JSON_TOP)
        s->top->member[s->top->n] = (struct mcti_json_member){ key, mcti_str_range(value_at, s->p) };
    s->top->n++;
}

static void scan_note_inner(struct scan *s, struct mcti_str key, const char *value_at)
{
    if (s->top->n_inner < MCT_JSON_INNER)
        s->top->inner[s->top->n_inner] = (struct mcti_json_inner){ { key, mcti_str_range(value_at, s->p) }, s->top->n };
    s->top->n_inner++;
}

static bool scan_member(struct scan *s)
{
    if (s->p == s->end || *s->p != '"')
        return scan_bad(s, "expected a member name in quotes");
    const char *key = s->p + 1;
    if (!scan_string(s))
        return false;
    struct mcti_str name = mcti_str_range(key, s->p - 1);
    scan_space(s);
    if (s->p == s->end || *s->p != ':')
        return scan_bad(s, "':' expected");
    s->p++;
    scan_space(s);
    const char *at = s->p;
    if (!scan_value(s))
        return false;
    if (s->depth == 1 && s->top)
        scan_note(s, name, at);
    else if (s->depth == 2 && s->top)
        scan_note_inner(s, name, at);
    return true;
}

static bool scan_container(struct scan *s, char close, bool (*element)(struct scan *))
{
    bool closed = false;
    if (!scan_deeper(s))
        return false;
    if (s->p < s->end && *s->p == close) {
        s->p++;
        s->depth--;
        return true;
    }
    while (!closed)
        if (!element(s) || !scan_more(s, close, &closed))
            return false;
    return true;
}

static bool scan_value(struct scan *s)
{
    if (s->p == s->end)
        return scan_bad(s, "unexpected end, expected a value");
    switch (*s->p) {
    case '{':
        return scan_container(s, '}', scan_member);
    case '[':
        return scan_container(s, ']', scan_value);
    case '"':
        return scan_string(s);
    case 't':
        return scan_word(s, "true", 4);
    case 'f':
        return scan_word(s, "false", 5);
    case 'n':
        return scan_word(s, "null", 4);
    default:
        if (*s->p != '-' && !scan_digit(s))
            return scan_bad(s, "expected a value");
        return scan_number(s);
    }
}

bool mcti_json_valid(struct mcti_str text, int max_depth, struct mcti_json_top *top, struct mcti_json_fault *fault)
{
    if (!text.p)
        text = MCT_STR("");
    struct scan s = { .p = text.p, .end = text.p + text.len, .max_depth = max_depth, .top = top };
    if (top)
        top->n = top->n_inner = 0;
    scan_space(&s);
    const char *from = s.p;
    bool ok = scan_value(&s);
    const char *to = s.p;
    if (ok) {
        scan_space(&s);
        if (s.p != s.end)
            ok = scan_bad(&s, "unexpected text after the value");
    }
    if (top)
        top->value = mcti_str_range(from, to);
    if (!ok && fault)
        *fault = (struct mcti_json_fault){ (size_t)(s.p - text.p), s.why };
    return ok;
}

int mcti_json_read_object(struct mcti_str text, const char *what, struct mcti_str *ret, struct mct_error *err)
{
    struct mcti_json_fault fault;
    struct mcti_json_top top;
    if (!mcti_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mcti_fail(err, MCT_ERR_USAGE, "%s: not valid JSON at byte %zu: %s", what, fault.offset, fault.why);
    if (mcti_json_type(top.value) != '{')
        return mcti_fail(err, MCT_ERR_USAGE, "%s: must be a JSON object", what);
    *ret = top.value;
    return 0;
}
