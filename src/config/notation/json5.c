/*
 * Reads JSON5, the notation of OpenClaw's configuration: JSON with comments, trailing commas, keys without quotes,
 * single quotes, and more forms of numbers. NaN and Infinity become strings.
 */
#include "config/notation/impl.h"

#include "base/limits.h"
#include "base/log/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct json5 {
    struct mcti_doc_tree *tree;
    const char *p, *end;
    const char *line_start;
    unsigned line;
    int depth;
};

static int json5_fail(struct json5 *j, const char *what)
{
    return mcti_doc_fail(j->tree, j->line, (unsigned)(j->p - j->line_start) + 1, "not valid JSON5: %s", what);
}

static char json5_at(const struct json5 *j, size_t n)
{
    return (size_t)(j->end - j->p) > n ? j->p[n] : '\0';
}

static void json5_step(struct json5 *j)
{
    if (*j->p++ != '\n')
        return;
    j->line++;
    j->line_start = j->p;
}

static int skip_comment(struct json5 *j)
{
    bool block = json5_at(j, 1) == '*';
    for (j->p += 2; j->p < j->end; json5_step(j)) {
        if (!block && *j->p == '\n')
            return 0;
        if (block && *j->p == '*' && json5_at(j, 1) == '/') {
            j->p += 2;
            return 0;
        }
    }
    return block ? json5_fail(j, "the comment does not end") : 0;
}

static int skip_space(struct json5 *j)
{
    for (;;) {
        while (j->p < j->end && strchr(" \t\r\n\v\f", *j->p) && *j->p)
            json5_step(j);
        if (json5_at(j, 0) != '/' || (json5_at(j, 1) != '/' && json5_at(j, 1) != '*'))
            return 0;
        if (skip_comment(j) < 0)
            return -1;
    }
}

/* ---- strings ---- */

static int json5_code(struct json5 *j, unsigned n, unsigned long *ret)
{
    char digits[5] = "";
    for (unsigned i = 0; i < n; i++) {
        digits[i] = json5_at(j, i);
        if (!isxdigit((unsigned char)digits[i]))
            return json5_fail(j, "an escape has too few hexadecimal digits");
    }
    *ret = strtoul(digits, NULL, 16);
    j->p += n;
    return 0;
}

static int json5_unicode(struct json5 *j, struct mcti_buf *to)
{
    unsigned long c = 0, low = 0;
    if (json5_code(j, 4, &c) < 0)
        return -1;
    if (c >= 0xd800 && c < 0xdc00 && json5_at(j, 0) == '\\' && json5_at(j, 1) == 'u') {
        j->p += 2;
        if (json5_code(j, 4, &low) < 0)
            return -1;
        if (low >= 0xdc00 && low < 0xe000)
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    if (c >= 0xd800 && c < 0xe000)
        return json5_fail(j, "an escape is half of a surrogate pair; write both halves");
    mcti_utf8_put(to, (unsigned)c);
    return 0;
}

static int json5_escape(struct json5 *j, struct mcti_buf *to)
{
    static const char from[] = "bfnrtv0", into[] = "\b\f\n\r\t\v";
    unsigned long c = 0;
    char e = json5_at(j, 1);
    const char *at = e ? strchr(from, e) : NULL;
    j->p++;
    if (e == '\r' && json5_at(j, 1) == '\n')
        j->p++;
    if (j->p == j->end)
        return 0;
    json5_step(j);
    if (e == 'u')
        return json5_unicode(j, to);
    if (e == 'x') {
        if (json5_code(j, 2, &c) < 0)
            return -1;
        mcti_utf8_put(to, (unsigned)c);
    } else if (at) {
        mcti_buf_addc(to, into[at - from]); /* the last of `from` is NUL */
    } else if (e != '\n' && e != '\r') {
        mcti_buf_addc(to, e);
    }
    return 0;
}

static int json5_string(struct json5 *j, struct mcti_buf *to)
{
    char quote = *j->p++;
    while (j->p < j->end && *j->p != quote) {
        if (*j->p == '\n' || *j->p == '\r')
            return json5_fail(j, "the string does not end on its line");
        if (*j->p != '\\')
            mcti_buf_addc(to, *j->p++);
        else if (json5_escape(j, to) < 0)
            return -1;
    }
    if (j->p == j->end)
        return json5_fail(j, "the string does not end");
    j->p++;
    return 0;
}

/* ---- words and numbers ---- */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Writes a number of JSON5 as one of JSON. */
static bool json5_put_number(struct mcti_str s, struct mcti_buf *to)
{
    const char *p = s.p, *end = p + s.len, *from;
    if (p < end && *p == '-')
        mcti_buf_addc(to, '-');
    p += p < end && (*p == '-' || *p == '+');
    if (end - p > 2 && end - p < 19 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        for (from = p += 2; p < end && isxdigit((unsigned char)*p);)
            p++;
        mcti_buf_printf(to, "%llu", strtoull(from, NULL, 16));
        return p == end;
    }
    for (from = p; p < end && isdigit((unsigned char)*p);)
        p++;
    if (p - from > 1 && *from == '0')
        return false;
    bool digits = p > from;
    mcti_buf_add(to, digits ? mcti_str_range(from, p) : MCT_STR("0"));
    if (p < end && *p == '.') {
        for (from = ++p; p < end && isdigit((unsigned char)*p);)
            p++;
        digits |= p > from;
        mcti_buf_addz(to, p > from ? "." : "");
        mcti_buf_add(to, mcti_str_range(from, p));
    }
    if (digits && p < end && (*p == 'e' || *p == 'E')) {
        mcti_buf_addc(to, *p++);
        if (p < end && (*p == '-' || *p == '+'))
            mcti_buf_addc(to, *p++);
        for (from = p; p < end && isdigit((unsigned char)*p);)
            mcti_buf_addc(to, *p++);
        digits = p > from;
    }
    return digits && p == end;
}

static struct mcti_doc_node *json5_word(struct json5 *j)
{
    const char *from = j->p;
    while (j->p < j->end && (is_of_name(*j->p) || strchr("+-.", *j->p)) && *j->p)
        j->p++;
    struct mcti_str s = mcti_str_range(from, j->p);
    struct mcti_doc_node *node = NULL;
    struct mcti_buf number;
    bool ok = true;
    mcti_buf_init(&number, s.len + 32);
    if (mcti_str_is(s, "true") || mcti_str_is(s, "false") || mcti_str_is(s, "null"))
        node = mcti_doc_text(j->tree, *s.p, s, j->line);
    else if (mcti_str_is(s, "NaN") || (s.len >= 8 && !strncmp(j->p - 8, "Infinity", 8)))
        node = mcti_doc_text(j->tree, '"', s, j->line);
    else if ((ok = s.len && json5_put_number(s, &number)))
        node = mcti_doc_text(j->tree, '0', mcti_buf_str(&number), j->line);
    mcti_buf_done(&number);
    if (!ok) {
        j->p = from;
        json5_fail(j, s.len ? "unknown value; strings need quotes" : "a value is missing here");
    } else if (!node) {
        mcti_doc_no_memory(j->tree);
    }
    return node;
}

/* ---- values ---- */

static struct mcti_doc_node *json5_value(struct json5 *j);

static struct mcti_doc_node *json5_text(struct json5 *j)
{
    struct mcti_buf text;
    struct mcti_doc_node *node = NULL;
    mcti_buf_init(&text, MCT_LIMIT_NOTATION_BYTES);
    int r = json5_string(j, &text);
    if (r == 0 && (!mcti_buf_ok(&text) || !(node = mcti_doc_text(j->tree, '"', mcti_buf_str(&text), j->line))))
        mcti_doc_no_memory(j->tree);
    mcti_buf_done(&text);
    return node;
}

static int json5_name(struct json5 *j, struct mcti_buf *to)
{
    const char *from = j->p;
    if (json5_at(j, 0) == '"' || json5_at(j, 0) == '\'')
        return json5_string(j, to);
    while (j->p < j->end && is_of_name(*j->p))
        j->p++;
    mcti_buf_add(to, mcti_str_range(from, j->p));
    return j->p == from ? json5_fail(j, "a key is missing here") : 0;
}

static int json5_member(struct json5 *j, struct mcti_doc_node *object)
{
    struct mcti_buf key;
    unsigned line = j->line;
    mcti_buf_init(&key, MCT_LIMIT_NOTATION_BYTES);
    int r = json5_name(j, &key);
    if (r == 0)
        r = skip_space(j);
    if (r == 0 && json5_at(j, 0) != ':')
        r = json5_fail(j, "\":\" is missing after the key");
    j->p += r == 0;
    struct mcti_doc_node *value = r == 0 && skip_space(j) == 0 ? json5_value(j) : NULL;
    r = value ? mcti_doc_put(j->tree, object, mcti_buf_str(&key), line, value) : -1;
    mcti_buf_done(&key);
    return r;
}

static int json5_collection(struct json5 *j, struct mcti_doc_node *node, char closing)
{
    j->p++;
    for (;;) {
        if (skip_space(j) < 0)
            return -1;
        if (json5_at(j, 0) == closing)
            break;
        struct mcti_doc_node *item = closing == ']' ? json5_value(j) : NULL;
        if (closing == ']' ? !item || mcti_doc_add(j->tree, node, item) < 0 : json5_member(j, node) < 0)
            return -1;
        if (skip_space(j) < 0)
            return -1;
        if (json5_at(j, 0) != ',' && json5_at(j, 0) != closing)
            return json5_fail(j, closing == ']' ? "\",\" or \"]\" is missing" : "\",\" or \"}\" is missing");
        j->p += json5_at(j, 0) == ',';
    }
    j->p++;
    return 0;
}

static struct mcti_doc_node *json5_value(struct json5 *j)
{
    char c = json5_at(j, 0);
    if (c == '"' || c == '\'')
        return json5_text(j);
    if (c != '{' && c != '[')
        return json5_word(j);
    if (j->depth >= MCT_LIMIT_NOTATION_DEPTH) {
        json5_fail(j, "values are nested too deeply");
        return NULL;
    }
    struct mcti_doc_node *node = mcti_doc_new(j->tree, c, j->line);
    if (!node) {
        mcti_doc_no_memory(j->tree);
        return NULL;
    }
    j->depth++;
    int r = json5_collection(j, node, c == '{' ? '}' : ']');
    j->depth--;
    return r < 0 ? NULL : node;
}

struct mcti_doc_node *mcti_doc_read_json5(struct mcti_doc_tree *tree, struct mcti_str text)
{
    struct json5 j = { tree, text.p, text.p + text.len, text.p, 1, 0 };
    struct mcti_doc_node *root = skip_space(&j) == 0 ? json5_value(&j) : NULL;
    if (!root || skip_space(&j) < 0)
        return NULL;
    if (j.p < j.end) {
        json5_fail(&j, "the text must end here");
        return NULL;
    }
    return root;
}
