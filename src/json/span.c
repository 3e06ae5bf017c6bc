/* Iteration over validated JSON and access to single values; see scan.h. */
#include "json/scan.h"
#include "json/strings.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* Skips a string, from its opening quote to after the closing one. */
static const char *span_skip_string(const char *p, const char *end)
{
    return mcti_string_end(p + 1, end);
}

/* Returns whether a number or a word ends before this byte. */
static inline bool ends_word(char c)
{
    return c == ',' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || !c;
}

static const char *skip_value(const char *p, const char *end)
{
    if (p == end)
        return p;
    if (*p == '"')
        return span_skip_string(p, end);
    if (*p == '{' || *p == '[')
        return mcti_container_end(p, end);
    while (p < end && !ends_word(*p))
        p++;
    return p;
}

struct mcti_json_iter mcti_json_open(struct mcti_str c)
{
    if (c.len < 2 || (*c.p != '{' && *c.p != '['))
        return (struct mcti_json_iter){ NULL, NULL };
    return (struct mcti_json_iter){ c.p + 1, c.p + c.len - 1 };
}

static bool at_element(struct mcti_json_iter *it)
{
    it->p = skip_space(it->p, it->end);
    if (it->p < it->end && *it->p == ',')
        it->p = skip_space(it->p + 1, it->end);
    return it->p < it->end;
}

bool mcti_json_next_item(struct mcti_json_iter *it, struct mcti_str *ret)
{
    if (!it->p || !at_element(it))
        return false;
    const char *from = it->p;
    it->p = skip_value(it->p, it->end);
    *ret = mcti_str_range(from, it->p);
    return true;
}

bool mcti_json_next_member(struct mcti_json_iter *it, struct mcti_json_member *ret)
{
    if (!it->p || !at_element(it))
        return false;
    const char *key = it->p + 1;
    it->p = span_skip_string(it->p, it->end);
    ret->key = mcti_str_range(key, it->p - 1);
    it->p = skip_space(it->p, it->end);
    if (it->p < it->end)
        it->p = skip_space(it->p + 1, it->end); /* the colon */
    const char *from = it->p;
    it->p = skip_value(it->p, it->end);
    ret->value = mcti_str_range(from, it->p);
    return true;
}

/* Finds a key that is written with escapes. */
static size_t find_escaped(struct mcti_str raw, const struct mcti_str *names, size_t n)
{
    size_t i = 0;
    while (i < n && !mcti_json_is((struct mcti_str){ raw.p - 1, raw.len + 2 }, names[i].p))
        i++;
    return i;
}

size_t mcti_json_key_find(struct mcti_str raw, const struct mcti_str *names, size_t n)
{
    bool is_short = true;
    for (size_t i = 0; i < n; i++) {
        if (raw.len == names[i].len && !memcmp(raw.p, names[i].p, raw.len))
            return memchr(raw.p, '\\', raw.len) ? find_escaped(raw, names, n) : i;
        is_short &= raw.len < names[i].len;
    }
    /* an escape is longer than its character, so a key with one is longer than the name */
    return !is_short && memchr(raw.p, '\\', raw.len) ? find_escaped(raw, names, n) : n;
}

bool mcti_json_key_compare(struct mcti_str raw, const char *name)
{
    const struct mcti_str wanted = mcti_str_of(name);
    return mcti_json_key_find(raw, &wanted, 1) == 0;
}

struct mcti_str mcti_json_get(struct mcti_str object, const char *key)
{
    struct mcti_json_member m;
    const struct mcti_str name = mcti_str_of(key);
    if (mcti_json_type(object) != '{')
        return MCT_STR_NONE;
    for (struct mcti_json_iter it = mcti_json_open(object); mcti_json_next_member(&it, &m);)
        if (mcti_json_key_find(m.key, &name, 1) == 0)
            return m.value;
    return MCT_STR_NONE;
}

char mcti_json_type(struct mcti_str v)
{
    if (!v.p || !v.len)
        return 0;
    return *v.p == '-' || (*v.p >= '0' && *v.p <= '9') ? '0' : *v.p;
}

bool mcti_json_plain(struct mcti_str v, struct mcti_str *ret)
{
    if (mcti_json_type(v) != '"')
        return false;
    struct mcti_str inner = { v.p + 1, v.len - 2 };
    if (inner.len && memchr(inner.p, '\\', inner.len))
        return false;
    *ret = inner;
    return true;
}

static unsigned span_hex4(const char *p)
{
    unsigned v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        v = v << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return v;
}

/* Decodes the escape at `p` and returns the position after it. Writes an unpaired surrogate as U+FFFD and sets
 * *unpaired. */
static const char *unescape_one(const char *p, const char *end, struct mcti_buf *to, bool *unpaired)
{
    if (p[1] != 'u') {
        mcti_buf_addc(to, mcti_escaped(p[1]));
        return p + 2;
    }
    unsigned c = span_hex4(p + 2);
    p += 6;
    if (c >= 0xd800 && c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        unsigned low = span_hex4(p + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            p += 6;
        }
    }
    bool lone = c >= 0xd800 && c < 0xe000;
    *unpaired |= lone;
    mcti_utf8_put(to, lone ? 0xfffd : c);
    return p;
}

/* Decodes two-byte escapes in a row, with few bytes between them, as texts of many lines have them. Returns the
 * position after them; `p` itself if there are none, or if the buffer has no room for some of them. */
static const char *unescape_run(const char *p, const char *end, struct mcti_buf *to)
{
    enum { RUN_BYTES = 256, FEW_BYTES = 8 };
    const char *stop = end - p > RUN_BYTES ? p + RUN_BYTES : end, *behind = p; /* the last escape */
    if (to->len > to->max || to->max - to->len < RUN_BYTES)
        return p;
    char *begin = mcti_buf_reserve(to, RUN_BYTES), *at = begin;
    while (begin && p < stop && p - behind < FEW_BYTES) {
        char c = *p;
        if (c != '\\') {
            *at++ = c;
            p++;
            continue;
        }
        c = mcti_escaped(p[1]);
        if (!c)
            break;
        *at++ = c;
        behind = p += 2;
    }
    to->len += (size_t)(at - begin);
    return p;
}

/* any: accept unpaired surrogates */
static int span_unescape(struct mcti_str v, struct mcti_buf *to, bool any)
{
    bool unpaired = false;
    if (mcti_json_type(v) != '"')
        return -1;
    const char *end = v.p + v.len - 1;
    for (const char *p = v.p + 1; p < end && (any || !unpaired);) {
        const char *slash = *p == '\\' ? p : memchr(p, '\\', (size_t)(end - p));
        if (!slash || slash > p)
            mcti_buf_add(to, mcti_str_range(p, slash ? slash : end));
        p = slash ? unescape_run(slash, end, to) : end;
        if (p < end && *p == '\\')
            p = unescape_one(p, end, to, &unpaired);
    }
    return (any || !unpaired) && mcti_buf_ok(to) ? 0 : -1;
}

int mcti_json_unescape(struct mcti_str v, struct mcti_buf *to)
{
    return span_unescape(v, to, false);
}

int mcti_json_unescape_any(struct mcti_str v, struct mcti_buf *to)
{
    return span_unescape(v, to, true);
}

bool mcti_json_same_text(struct mcti_str a, struct mcti_str b)
{
    struct mcti_str x, y;
    if (mcti_json_plain(a, &x) && mcti_json_plain(b, &y))
        return mcti_str_eq(x, y);
    struct mcti_buf of_a, of_b;
    mcti_buf_init(&of_a, a.len); /* an escape is longer than its character */
    mcti_buf_init(&of_b, b.len);
    bool same = mcti_json_unescape_any(a, &of_a) == 0 && mcti_json_unescape_any(b, &of_b) == 0 &&
                mcti_str_eq(mcti_buf_str(&of_a), mcti_buf_str(&of_b));
    mcti_buf_done(&of_a);
    mcti_buf_done(&of_b);
    return same;
}

void mcti_json_put_token(struct mcti_buf *to, struct mcti_str token)
{
    for (size_t i = 0; i < token.len; i++) {
        char next = token.p[i] == '~' && i + 1 < token.len ? token.p[i + 1] : 0;
        mcti_buf_addc(to, next == '1' ? '/' : token.p[i]);
        i += next == '0' || next == '1';
    }
}

struct mcti_json_text mcti_json_text_open(struct mcti_str v)
{
    if (mcti_json_type(v) != '"')
        return (struct mcti_json_text){ NULL, NULL };
    return (struct mcti_json_text){ v.p + 1, v.p + v.len - 1 };
}

/* Returns the end of at most `max` bytes from `p` on that are not escaped, between two characters. */
static const char *text_plain_end(const char *p, const char *end, size_t max)
{
    const char *stop = (size_t)(end - p) > max ? p + max : end;
    const char *slash = memchr(p, '\\', (size_t)(stop - p));
    if (slash || stop == end)
        return slash ? slash : end;
    while (stop < end && ((unsigned char)*stop & 0xc0) == 0x80)
        stop++;
    return stop;
}

bool mcti_json_text_next(struct mcti_json_text *it, size_t max, struct mcti_buf *to)
{
    bool unpaired = false, any = it->p < it->end;
    for (size_t from = to->len; it->p < it->end && mcti_buf_ok(to) && to->len - from < max;) {
        const char *stop = text_plain_end(it->p, it->end, max - (to->len - from));
        mcti_buf_add(to, mcti_str_range(it->p, stop));
        it->p = stop;
        if (stop == it->end || *stop != '\\' || to->len - from >= max)
            continue;
        it->p = unescape_run(stop, it->end, to);
        if (it->p == stop)
            it->p = unescape_one(stop, it->end, to, &unpaired);
    }
    return any;
}

char *mcti_json_dup(struct mcti_str v)
{
    struct mcti_buf b;
    mcti_buf_init(&b, v.len + 1);
    if (mcti_json_unescape(v, &b) < 0 || (b.len && memchr(b.p, '\0', b.len))) {
        mcti_buf_done(&b);
        return NULL;
    }
    return mcti_buf_take(&b);
}

bool mcti_json_is(struct mcti_str v, const char *z)
{
    struct mcti_str plain;
    if (mcti_json_plain(v, &plain))
        return mcti_str_is(plain, z);
    if (mcti_json_type(v) != '"')
        return false;
    struct mcti_buf b;
    mcti_buf_init(&b, v.len + 1);
    bool same = mcti_json_unescape(v, &b) == 0 && mcti_str_is(mcti_buf_str(&b), z);
    mcti_buf_done(&b);
    return same;
}

bool mcti_json_uint(struct mcti_str v, uint64_t *ret)
{
    uint64_t n = 0;
    if (mcti_json_type(v) != '0' || *v.p == '-' || v.len > 18)
        return false;
    for (size_t i = 0; i < v.len; i++) {
        if (v.p[i] < '0' || v.p[i] > '9')
            return false;
        n = n * 10 + (uint64_t)(v.p[i] - '0');
    }
    *ret = n;
    return true;
}

bool mcti_json_int(struct mcti_str v, int64_t *ret)
{
    bool minus = v.len > 1 && *v.p == '-';
    uint64_t n;
    if (minus)
        v = (struct mcti_str){ v.p + 1, v.len - 1 };
    if (!mcti_json_uint(v, &n))
        return false;
    *ret = minus ? -(int64_t)n : (int64_t)n;
    return true;
}

double mcti_json_double(struct mcti_str v)
{
    char text[64 + 16];
    if (mcti_json_type(v) != '0' || v.len >= 64)
        return 0;
    const char *dot = memchr(v.p, '.', v.len), *point = nl_langinfo(RADIXCHAR); /* strtod() reads that of the locale */
    size_t whole = dot ? (size_t)(dot - v.p) : v.len;
    snprintf(text, sizeof text, "%.*s%.8s%.*s", (int)whole, v.p, dot ? point : "", (int)(dot ? v.len - whole - 1 : 0),
             dot ? dot + 1 : "");
    return strtod(text, NULL);
}
