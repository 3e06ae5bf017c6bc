#include "json/write.h"

#include "base/clock.h"
#include "base/log/utf8.h"
#include "json/strings.h"

#include <stdio.h>
#include <stdlib.h>

void mcti_json_put_double(struct mcti_buf *to, double number)
{
    char text[40];
    int digits = 15;
    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (digits++ < 17 && strtod(text, NULL) != number);
    size_t whole = strspn(text, "+-0123456789e"), point = strcspn(text + whole, "0123456789");
    mcti_buf_add(to, (struct mcti_str){ text, whole });
    if (text[whole]) { /* the decimal point of the locale, which may have several bytes */
        mcti_buf_addc(to, '.');
        mcti_buf_addz(to, text + whole + point);
    }
}

void mcti_json_put_escape(struct mcti_buf *to, unsigned c)
{
    static const char from[] = "\b\f\n\r\t", into[] = "bfnrt";
    const char *at = c && c < 0x20 ? strchr(from, (int)c) : NULL;
    if (at || c == '"' || c == '\\') {
        mcti_buf_addc(to, '\\');
        mcti_buf_addc(to, at ? into[at - from] : (char)c);
    } else {
        mcti_buf_printf(to, "\\u%04x", c);
    }
}

static size_t plain_len(const char *p, const char *end)
{
    const char *from = p;
    while ((p = mcti_plain_run(p, end)) < end && (unsigned char)*p >= 0x80) {
        size_t n = mcti_utf8_len(p, end);
        if (!n)
            break;
        p += n;
    }
    return (size_t)(p - from);
}

void mcti_json_put_string(struct mcti_buf *to, struct mcti_str s)
{
    const char *p = s.p ? s.p : "", *end = p + s.len; /* an absent span is written as an empty string */
    mcti_buf_mind(to, s);
    mcti_buf_addc(to, '"');
    while (p < end) {
        size_t n = plain_len(p, end);
        mcti_buf_add(to, (struct mcti_str){ p, n });
        p += n;
        if (p == end)
            break;
        if ((unsigned char)*p < 0x80)
            mcti_json_put_escape(to, (unsigned char)*p);
        else
            mcti_buf_addz(to, "\xef\xbf\xbd");
        p++;
    }
    mcti_buf_addc(to, '"');
}

static void write_comma(struct mcti_buf *to)
{
    if (to->len && mcti_buf_last(to) != '{' && mcti_buf_last(to) != '[')
        mcti_buf_addc(to, ',');
}

void mcti_json_put_key(struct mcti_buf *to, const char *key)
{
    write_comma(to);
    mcti_json_put_string(to, mcti_str_of(key));
    mcti_buf_addc(to, ':');
}

void mcti_json_put_member(struct mcti_buf *to, const char *key, struct mcti_str text)
{
    mcti_json_put_key(to, key);
    mcti_json_put_string(to, text);
}

void mcti_json_put_raw(struct mcti_buf *to, const char *key, struct mcti_str value)
{
    mcti_json_put_key(to, key);
    mcti_buf_add(to, value);
}

void mcti_json_put_time(struct mcti_buf *to, const char *key, uint64_t wall_s)
{
    mcti_json_put_key(to, key);
    mcti_buf_addc(to, '"');
    mcti_clock_put_s(to, wall_s);
    mcti_buf_addc(to, '"');
}

void mcti_json_put_fault(struct mcti_buf *to, enum mct_error_kind kind, const char *message)
{
    mcti_json_put_member(to, "kind", mcti_str_of(mct_error_word(kind)));
    mcti_json_put_member(to, "message", mcti_str_of(message));
}

void mcti_json_put_error(struct mcti_buf *to, const struct mct_error *err)
{
    mcti_json_put_key(to, "error");
    mcti_buf_addc(to, '{');
    mcti_json_put_fault(to, err->kind, err->message);
    mcti_buf_addc(to, '}');
}

static const struct mcti_json_set *find_set(const struct mcti_json_set *sets, size_t n, struct mcti_str key)
{
    for (size_t i = 0; i < n; i++)
        if (mcti_json_key_is(key, sets[i].key))
            return &sets[i];
    return NULL;
}

static void put_raw_member(struct mcti_buf *to, struct mcti_str key, struct mcti_str value)
{
    write_comma(to);
    mcti_buf_addc(to, '"');
    mcti_buf_add(to, key);
    mcti_buf_add(to, MCT_STR("\":"));
    mcti_buf_add(to, value);
}

void mcti_json_put_object(struct mcti_buf *to, struct mcti_str object, const struct mcti_json_set *sets, size_t n_sets)
{
    unsigned done = 0;
    struct mcti_json_member m;

    mcti_buf_mind(to, object);
    mcti_buf_addc(to, '{');
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);) {
        const struct mcti_json_set *set = find_set(sets, n_sets, m.key);
        if (!set) {
            put_raw_member(to, m.key, m.value);
        } else if (!(done & 1u << (set - sets))) {
            done |= 1u << (set - sets);
            if (set->value.p)
                put_raw_member(to, m.key, set->value);
        }
    }
    for (size_t i = 0; i < n_sets; i++)
        if (!(done & 1u << i) && sets[i].value.p)
            put_raw_member(to, mcti_str_of(sets[i].key), sets[i].value);
    mcti_buf_addc(to, '}');
}

static void blank_all(char *p, const char *end, char c)
{
    while ((p = memchr(p, c, (size_t)(end - p))))
        *p = ' ';
}

void mcti_json_blank_lines(struct mcti_str v)
{
    char *p = (char *)(uintptr_t)v.p;
    blank_all(p, p + v.len, '\n');
    blank_all(p, p + v.len, '\r');
}

void mcti_json_put_line(struct mcti_buf *to, struct mcti_str v)
{
    size_t from = to->len;
    mcti_buf_add(to, v);
    if (!mcti_buf_ok(to) || !v.len)
        return;
    mcti_json_blank_lines((struct mcti_str){ to->p + from, to->len - from });
}

static void write_newline(struct mcti_buf *to, int depth)
{
    mcti_buf_addc(to, '\n');
    for (int i = 0; i < depth; i++)
        mcti_buf_add(to, MCT_STR("  "));
}

/* Returns the next token of validated JSON: a string, one structural byte, or a run of anything else. */
static struct mcti_str write_token(const char *p, const char *end)
{
    const char *from = p++;
    if (*from == '"') {
        while (p < end && *p != '"')
            p += *p == '\\' ? 2 : 1;
        p++;
    } else if (!strchr("{}[],: \n\r\t", *from)) {
        while (p < end && !strchr("{}[],: \n\r\t", *p))
            p++;
    }
    return mcti_str_range(from, p);
}

static const char *skip_blank(const char *p, const char *end)
{
    while (p < end && strchr(" \n\r\t", *p))
        p++;
    return p;
}

/* Writes a string with escapes in its shortest form. A string without escapes, or with an unpaired surrogate, is kept
 * as it is. */
static void write_put_token(struct mcti_buf *to, struct mcti_str token)
{
    struct mcti_buf text;
    if (token.p[0] != '"' || !memchr(token.p, '\\', token.len)) {
        mcti_buf_add(to, token);
        return;
    }
    mcti_buf_init(&text, token.len);
    if (mcti_json_unescape(token, &text) == 0 || !mcti_buf_ok(&text))
        mcti_json_put_string(to, mcti_buf_str(&text));
    else
        mcti_buf_add(to, token);
    mcti_buf_done(&text);
}

void mcti_json_put_compact(struct mcti_buf *to, struct mcti_str v)
{
    const char *end = v.p + v.len;
    mcti_buf_mind(to, v);
    if (v.len && *v.p == '"' && end[-1] == '"') { /* the usual case */
        write_put_token(to, v);
        return;
    }
    for (const char *p = skip_blank(v.p, end); p < end; p = skip_blank(p, end)) {
        struct mcti_str t = write_token(p, end);
        p += t.len;
        write_put_token(to, t);
    }
}

void mcti_json_put_pretty(struct mcti_buf *to, struct mcti_str v)
{
    const char *end = v.p + v.len;
    int depth = 0;
    mcti_buf_mind(to, v);
    for (const char *p = skip_blank(v.p, end); p < end; p = skip_blank(p, end)) {
        struct mcti_str t = write_token(p, end);
        p += t.len;
        bool opens = *t.p == '{' || *t.p == '[', closes = *t.p == '}' || *t.p == ']';
        bool was_open = to->len && strchr("{[", mcti_buf_last(to)) && depth > 0;
        if (closes)
            depth--;
        if ((closes && !was_open) || (!closes && was_open && *t.p != ',' && *t.p != ':'))
            write_newline(to, depth);
        mcti_buf_add(to, t);
        depth += opens;
        if (*t.p == ',')
            write_newline(to, depth);
        else if (*t.p == ':')
            mcti_buf_addc(to, ' ');
    }
}
