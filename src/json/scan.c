#include "json/scan.h"

#include "base/limits.h"
#include "json/strings.h"

#include <stdlib.h>

struct scan {
    const char *p, *end;
    int depth, max_depth;
    struct mct_json_top *top;
    const char *why;
};

static bool value(struct scan *s);

static bool bad(struct scan *s, const char *why)
{
    s->why = why;
    return false;
}

static inline void space(struct scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

static bool hex4(const char *p, const char *end)
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

static bool escape(struct scan *s)
{
    if (s->end - s->p < 2)
        return bad(s, "unterminated string");
    char c = s->p[1];
    if (c == 'u') {
        if (!hex4(s->p + 2, s->end))
            return bad(s, "\\u needs four hex digits");
        s->p += 6;
        return true;
    }
    if (!c || !strchr("\"\\/bfnrt", c))
        return bad(s, "unknown escape in a string");
    s->p += 2;
    return true;
}

/* At the opening quote; leaves p behind the closing one. */
static bool string(struct scan *s)
{
    s->p++;
    for (;;) {
        s->p = mct_plain_run(s->p, s->end);
        if (s->p == s->end)
            return bad(s, "unterminated string");
        unsigned char c = (unsigned char)*s->p;
        if (c == '"') {
            s->p++;
            return true;
        }
        if (c == '\\') {
            if (!escape(s))
                return false;
        } else if (c < 0x20) {
            return bad(s, "control character in a string");
        } else {
            size_t n = mct_utf8_len(s->p, s->end);
            if (!n)
                return bad(s, "invalid UTF-8");
            s->p += n;
        }
    }
}

static inline bool digit(const struct scan *s)
{
    return s->p < s->end && *s->p >= '0' && *s->p <= '9';
}

static bool digits(struct scan *s)
{
    if (!digit(s))
        return bad(s, "a digit is missing in a number");
    while (digit(s))
        s->p++;
    return true;
}

static bool number(struct scan *s)
{
    if (*s->p == '-')
        s->p++;
    if (s->p < s->end && *s->p == '0')
        s->p++;
    else if (!digits(s))
        return false;
    if (digit(s))
        return bad(s, "a number starts with 0");
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (!digits(s))
            return false;
    }
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        return digits(s);
    }
    return true;
}

static bool word(struct scan *s, const char *z, size_t n)
{
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, z, n) != 0)
        return bad(s, "unknown word");
    s->p += n;
    return true;
}

static bool deeper(struct scan *s)
{
    s->p++;
    if (++s->depth > s->max_depth)
        return bad(s, "nested too deeply");
    space(s);
    return true;
}

/* True when the container goes on behind a comma; sets *ret_closed when it ends. */
static bool more(struct scan *s, char close, bool *ret_closed)
{
    space(s);
    if (s->p == s->end)
        return bad(s, close == '}' ? "unterminated object" : "unterminated array");
    char c = *s->p++;
    *ret_closed = c == close;
    if (c == ',') {
        space(s);
        return true;
    }
    if (c == close) {
        s->depth--;
        return true;
    }
    s->p--;
    return bad(s, close == '}' ? "',' or '}' expected" : "',' or ']' expected");
}

static void note(struct scan *s, struct mct_str key, const char *value_at)
{
    if (s->top->n < MCT_JSON_TOP)
        s->top->member[s->top->n] = (struct mct_json_member){ key, mct_str_range(value_at, s->p) };
    s->top->n++;
}

static bool member(struct scan *s)
{
    if (s->p == s->end || *s->p != '"')
        return bad(s, "a member name in quotes expected");
    const char *key = s->p + 1;
    if (!string(s))
        return false;
    struct mct_str name = mct_str_range(key, s->p - 1);
    space(s);
    if (s->p == s->end || *s->p != ':')
        return bad(s, "':' expected");
    s->p++;
    space(s);
    const char *at = s->p;
    if (!value(s))
        return false;
    if (s->depth == 1 && s->top)
        note(s, name, at);
    return true;
}

static bool container(struct scan *s, char close, bool (*element)(struct scan *))
{
    bool closed = false;
    if (!deeper(s))
        return false;
    if (s->p < s->end && *s->p == close) {
        s->p++;
        s->depth--;
        return true;
    }
    while (!closed)
        if (!element(s) || !more(s, close, &closed))
            return false;
    return true;
}

static bool value(struct scan *s)
{
    if (s->p == s->end)
        return bad(s, "the text ends where a value is expected");
    switch (*s->p) {
    case '{':
        return container(s, '}', member);
    case '[':
        return container(s, ']', value);
    case '"':
        return string(s);
    case 't':
        return word(s, "true", 4);
    case 'f':
        return word(s, "false", 5);
    case 'n':
        return word(s, "null", 4);
    default:
        if (*s->p != '-' && !digit(s))
            return bad(s, "a value expected");
        return number(s);
    }
}

bool mct_json_valid(struct mct_str text, int max_depth, struct mct_json_top *top,
                    struct mct_json_fault *fault)
{
    if (!text.p)
        text = MCT_STR("");
    struct scan s = { .p = text.p, .end = text.p + text.len, .max_depth = max_depth, .top = top };
    if (top)
        top->n = 0;
    space(&s);
    const char *from = s.p;
    bool ok = value(&s);
    const char *to = s.p;
    if (ok) {
        space(&s);
        if (s.p != s.end)
            ok = bad(&s, "text after the end of the value");
    }
    if (top)
        top->value = mct_str_range(from, to);
    if (!ok && fault)
        *fault = (struct mct_json_fault){ (size_t)(s.p - text.p), s.why };
    return ok;
}

int mct_json_read_object(struct mct_str text, const char *what, struct mct_str *ret, struct mct_error *err)
{
    struct mct_json_fault fault;
    struct mct_json_top top;
    if (!mct_json_valid(text, MCT_LIMIT_JSON_DEPTH, &top, &fault))
        return mct_fail(err, MCT_ERR_USAGE, "%s: not valid JSON at byte %zu: %s", what, fault.offset, fault.why);
    if (mct_json_type(top.value) != '{')
        return mct_fail(err, MCT_ERR_USAGE, "%s: must be a JSON object", what);
    *ret = top.value;
    return 0;
}
